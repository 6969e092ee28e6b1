"""Andrews' squeezing mechanism: seven angles, six constraints, one degree of freedom, and very fast."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from genalpha.method import GeneralizedAlpha
from genalpha.problems.minimal import integrate
from genalpha.problems.problem import Problem, Reference
from genalpha.system.functions import evaluator
from genalpha.system.system import System
from genalpha.view.drawing import Drawing, Joint, Line, Point

# q = (β, Θ, γ, Φ, δ, Ω, ε); the letters of the source, in m, kg, N
M1, M2, M3, M4, M5, M6, M7 = 0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498
I1, I2, I3, I4, I5, I6, I7 = 2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5
XA, YA, XB, YB, XC, YC = -0.06934, -0.00227, -0.03635, 0.03273, 0.014, 0.072
D, DA, E, EA, RR, RA, L0 = 0.028, 0.0115, 0.02, 0.01421, 0.007, 0.00092, 0.07785
SS, SA, SB, SC, SD = 0.035, 0.01874, 0.01043, 0.018, 0.02
ZT, TA, TB, U, UA, UB, ZF, FA = 0.04, 0.02308, 0.00916, 0.04, 0.01228, 0.00449, 0.02, 0.01421
SPRING, TORQUE = 4530.0, 0.033

BETA, GAMMA, PHI, DELTA, EPSILON = (
    -0.0617138900142764496, 0.455279819163070380, 0.222668390165885885, 0.487364979543842550, 1.23054744454982119,
)  # fmt: skip
START = (BETA, 0.0, GAMMA, PHI, DELTA, -PHI, EPSILON)

PUBLISHED = (
    15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948, 0.5244099658805304,
    0.5347301163226948, 1.048080741042263,
)  # fmt: skip
"""The published angles at t = 0.03 s."""


@evaluator
def M(t, q, out):
    """Mass matrix: bars K1 and K2; the triangle K3; K4 and K5; K6 and K7."""
    arm = DA * RR * np.cos(q[1])
    out[0, 0] = M1 * RA**2 + M2 * (RR**2 - 2.0 * arm + DA**2) + I1 + I2
    out[1, 0] = out[0, 1] = M2 * (DA**2 - arm) + I2
    out[1, 1] = M2 * DA**2 + I2
    out[2, 2] = M3 * (SA**2 + SB**2) + I3
    short, arm = (E - EA) ** 2, ZT * (E - EA) * np.sin(q[3])
    out[3, 3] = M4 * short + I4
    out[4, 3] = out[3, 4] = M4 * (short + arm) + I4
    out[4, 4] = M4 * (ZT**2 + 2.0 * arm + short) + M5 * (TA**2 + TB**2) + I4 + I5
    short, arm = (ZF - FA) ** 2, U * (ZF - FA) * np.sin(q[5])
    out[5, 5] = M6 * short + I6
    out[6, 5] = out[5, 6] = M6 * (short - arm) + I6
    out[6, 6] = M6 * (short - 2.0 * arm + U**2) + M7 * (UA**2 + UB**2) + I6 + I7


@evaluator
def f(t, q, v, out):
    """The torque at the crank, the spring at the triangle, and what the mass matrix gives rise to."""
    x, y = SD * np.cos(q[2]) + SC * np.sin(q[2]), SD * np.sin(q[2]) - SC * np.cos(q[2])
    dx, dy = x + XB - XC, y + YB - YC
    pull = -SPRING * (1.0 - L0 / np.sqrt(dx * dx + dy * dy))
    one, two, three = M2 * DA * RR * np.sin(q[1]), M4 * ZT * (E - EA) * np.cos(q[3]), M6 * U * (ZF - FA) * np.cos(q[5])
    out[0] = TORQUE - one * v[1] * (v[1] + 2.0 * v[0])
    out[1] = one * v[0] ** 2
    out[2] = pull * (dy * x - dx * y)
    out[3] = two * v[4] ** 2
    out[4] = -two * v[3] * (v[3] + 2.0 * v[4])
    out[5] = -three * v[6] ** 2
    out[6] = three * v[5] * (v[5] + 2.0 * v[6])


@evaluator
def g(t, q, out):
    """The crank's end, reached over the triangle, over K4 and K5, and over K6 and K7."""
    x = RR * np.cos(q[0]) - D * np.cos(q[0] + q[1])
    y = RR * np.sin(q[0]) - D * np.sin(q[0] + q[1])
    out[0] = x - SS * np.sin(q[2]) - XB
    out[1] = y + SS * np.cos(q[2]) - YB
    out[2] = x - E * np.sin(q[3] + q[4]) - ZT * np.cos(q[4]) - XA
    out[3] = y + E * np.cos(q[3] + q[4]) - ZT * np.sin(q[4]) - YA
    out[4] = x - ZF * np.cos(q[5] + q[6]) - U * np.sin(q[6]) - XA
    out[5] = y - ZF * np.sin(q[5] + q[6]) + U * np.cos(q[6]) - YA


@evaluator
def g_q(t, q, out):
    """G = ∂g/∂q."""
    for row in range(3):
        out[2 * row, 1] = D * np.sin(q[0] + q[1])
        out[2 * row, 0] = out[2 * row, 1] - RR * np.sin(q[0])
        out[2 * row + 1, 1] = -D * np.cos(q[0] + q[1])
        out[2 * row + 1, 0] = out[2 * row + 1, 1] + RR * np.cos(q[0])
    out[0, 2], out[1, 2] = -SS * np.cos(q[2]), -SS * np.sin(q[2])
    out[2, 3], out[3, 3] = -E * np.cos(q[3] + q[4]), -E * np.sin(q[3] + q[4])
    out[2, 4], out[3, 4] = out[2, 3] + ZT * np.sin(q[4]), out[3, 3] - ZT * np.cos(q[4])
    out[4, 5], out[5, 5] = ZF * np.sin(q[5] + q[6]), -ZF * np.cos(q[5] + q[6])
    out[4, 6], out[5, 6] = out[4, 5] - U * np.cos(q[6]), out[5, 5] - U * np.sin(q[6])


@evaluator
def g_bias(t, q, v, out):
    """g̈ − G v̇."""
    crank, rod = RR * v[0] ** 2, D * (v[0] + v[1]) ** 2
    x = rod * np.cos(q[0] + q[1]) - crank * np.cos(q[0])
    y = rod * np.sin(q[0] + q[1]) - crank * np.sin(q[0])
    one, two, three = SS * v[2] ** 2, E * (v[3] + v[4]) ** 2, ZF * (v[5] + v[6]) ** 2
    out[0] = x + one * np.sin(q[2])
    out[1] = y - one * np.cos(q[2])
    out[2] = x + two * np.sin(q[3] + q[4]) + ZT * np.cos(q[4]) * v[4] ** 2
    out[3] = y - two * np.cos(q[3] + q[4]) + ZT * np.sin(q[4]) * v[4] ** 2
    out[4] = x + three * np.cos(q[5] + q[6]) + U * np.sin(q[6]) * v[6] ** 2
    out[5] = y + three * np.sin(q[5] + q[6]) - U * np.cos(q[6]) * v[6] ** 2


def _accelerations(q, v) -> NDArray[np.float64]:
    """(v̇, lam) by the equations of index 1."""
    matrix, right = np.zeros((13, 13)), np.zeros(13)
    gradient = np.zeros((6, 7))
    M(0.0, q, matrix[:7, :7])
    g_q(0.0, q, gradient)
    matrix[:7, 7:], matrix[7:, :7] = -gradient.T, gradient
    f(0.0, q, v, right[:7])
    g_bias(0.0, q, v, right[7:])
    right[7:] *= -1.0
    return np.linalg.solve(matrix, right)


def drawing() -> Drawing:
    """The bars as lines; the triangle hangs on B and is pulled by the spring from C."""

    def crank(q):
        return RR * np.array([np.cos(q[0]), np.sin(q[0])])

    def middle(q):
        return crank(q) - D * np.array([np.cos(q[0] + q[1]), np.sin(q[0] + q[1])])

    def corner(q):
        return np.array([XB + SD * np.cos(q[2]) + SC * np.sin(q[2]), YB + SD * np.sin(q[2]) - SC * np.cos(q[2])])

    def upper(q):
        return np.array([XA + ZT * np.cos(q[4]), YA + ZT * np.sin(q[4])])

    def lower(q):
        return np.array([XA + U * np.sin(q[6]), YA - U * np.cos(q[6])])

    a, b, c, thick = np.array([XA, YA]), np.array([XB, YB]), np.array([XC, YC]), 0.0012
    return Drawing(
        Line("K1", lambda t, q: np.array([[0.0, 0.0], crank(q)]), thick),
        Line("K2", lambda t, q: np.array([crank(q), middle(q)]), thick),
        Line("K3", lambda t, q: np.array([b, middle(q), corner(q), b]), thick),
        Line("K4", lambda t, q: np.array([upper(q), middle(q)]), thick),
        Line("K5", lambda t, q: np.array([a, upper(q)]), thick),
        Line("K6", lambda t, q: np.array([lower(q), middle(q)]), thick),
        Line("K7", lambda t, q: np.array([a, lower(q)]), thick),
        Line("spring", lambda t, q: np.array([corner(q), c]), 0.5 * thick),
        *(Joint(name, place, (0.0, 0.0, 1.0), 2.0 * thick)
          for name, place in (("O", (0.0, 0.0)), ("A", a), ("B", b), ("C", c))),
        Point("end", lambda t, q: middle(q), trace=True),
    )  # fmt: skip


def make() -> Problem:
    """The mechanism at rest; the crank turns two and a half times in 0.03 s.

    The reference is the index-1 form by DOP853 at 1e-13. At t = 0.03 it agrees with the published angles.
    """

    def system():
        return System(
            M=M, f=f, g=g, ng=6, g_q=g_q, g_t=0, g_bias=g_bias,
            names={
                "q": ["β", "Θ", "γ", "Φ", "δ", "Ω", "ε"],
                "g": ["triangle.x", "triangle.y", "K4.x", "K4.y", "K6.x", "K6.y"],
            },
            drawing=drawing(),
        )  # fmt: skip

    def reference(t):
        def rhs(_, y):
            return np.concatenate([y[7:], _accelerations(y[:7], y[7:])[:7]])

        y = integrate(rhs, 0.0, np.concatenate([START, np.zeros(7)]), t)
        more = np.array([_accelerations(row[:7], row[7:]) for row in y]).reshape(-1, 13)
        return Reference(y[:, :7], y[:, 7:], more[:, 7:], np.zeros((len(y), 0)), more[:, :7])

    return Problem(
        name="andrews",
        title="Andrews' squeezing mechanism",
        summary="Seven bars and a spring, driven by a constant torque: seven angles and six constraints in 0.03 s.",
        source="E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, sec. VII.7; F. Mazzia, C. Magherini, "
        "Test Set for Initial Value Problem Solvers, 2008, problem andrews",
        system=system,
        q0=np.array(START),
        v0=np.zeros(7),
        t_span=(0.0, 0.03),
        h=1e-5,
        method=GeneralizedAlpha(rho_inf=0.9),
        reference=reference,
        reference_is="index-1 form, DOP853 at 1e-13; equal to the published angles at 0.03 s to 1e-8",
        conserves_energy=False,
    )

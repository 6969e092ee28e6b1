"""The car axis: an axle of fixed length on two springs, over a road that moves; constraints of time, small masses."""

from __future__ import annotations

import numpy as np

from genalpha.method import GeneralizedAlpha
from genalpha.problems.minimal import integrate
from genalpha.problems.problem import Problem, Reference
from genalpha.system.functions import evaluator
from genalpha.system.system import System
from genalpha.view.drawing import Drawing, Line, Point

# q = (xl, yl, xr, yr), the ends of the axle; the letters of the source, without units
L, L0, EPS, MASS, R, OMEGA = 1.0, 0.5, 1e-2, 10.0, 0.1, 10.0
HALF = 0.5 * EPS**2 * MASS  # the mass of one end, and its weight
START, SPEED = (0.0, 0.5, 1.0, 0.5), (-0.5, 0.0, -0.5, 0.0)

PUBLISHED = (
    0.493455784275402809122e-1, 0.496989460230171153861, 0.104174252488542151681e1, 0.373911027265361256927,
    -0.770583684040972357970e-1, 0.744686658723778553466e-2, 0.175568157537232222276e-1, 0.770341043779251976443,
    -0.473688659084893324729e-2, -0.110468033125734368808e-2,
)  # fmt: skip
"""The published q, v and λ at t = 3."""


@evaluator
def f(t, q, v, out):
    """Springs from the road to both ends of the axle, and weight. The right one stands on a wave of the road."""
    yb = R * np.sin(OMEGA * t)
    dx, dy = q[2] - np.sqrt(L**2 - yb**2), q[3] - yb
    left, right = np.sqrt(q[0] ** 2 + q[1] ** 2), np.sqrt(dx**2 + dy**2)
    out[0] = (L0 - left) * q[0] / left
    out[1] = (L0 - left) * q[1] / left - HALF
    out[2] = (L0 - right) * dx / right
    out[3] = (L0 - right) * dy / right - HALF


@evaluator
def g(t, q, out):
    """The left end moves at right angles to the base of the springs; the axle keeps its length."""
    yb = R * np.sin(OMEGA * t)
    out[0] = q[0] * np.sqrt(L**2 - yb**2) + q[1] * yb
    out[1] = (q[0] - q[2]) ** 2 + (q[1] - q[3]) ** 2 - L**2


@evaluator
def g_q(t, q, out):
    """G = ∂g/∂q."""
    yb = R * np.sin(OMEGA * t)
    out[0, 0], out[0, 1] = np.sqrt(L**2 - yb**2), yb
    out[1, 0], out[1, 1] = 2.0 * (q[0] - q[2]), 2.0 * (q[1] - q[3])
    out[1, 2], out[1, 3] = -out[1, 0], -out[1, 1]


@evaluator
def g_t(t, q, out):
    """∂g/∂t: only the first constraint knows the road."""
    yb, up = R * np.sin(OMEGA * t), R * OMEGA * np.cos(OMEGA * t)
    out[0] = q[1] * up - q[0] * yb * up / np.sqrt(L**2 - yb**2)


@evaluator
def g_bias(t, q, v, out):
    """g̈ − G v̇."""
    yb, up = R * np.sin(OMEGA * t), R * OMEGA * np.cos(OMEGA * t)
    xb, bend = np.sqrt(L**2 - yb**2), -(OMEGA**2) * yb
    along = -yb * up / xb
    curve = -(up * up + yb * bend + along * along) / xb
    out[0] = 2.0 * (v[0] * along + v[1] * up) + q[0] * curve + q[1] * bend
    out[1] = 2.0 * (v[0] - v[2]) ** 2 + 2.0 * (v[1] - v[3]) ** 2


def _accelerations(t, q, v):
    """(v̇, λ) by the equations of index 1."""
    matrix, right, gradient = np.diag([HALF] * 4 + [0.0] * 2), np.zeros(6), np.zeros((2, 4))
    g_q(t, q, gradient)
    matrix[:4, 4:], matrix[4:, :4] = -gradient.T, gradient
    f(t, q, v, right[:4])
    g_bias(t, q, v, right[4:])
    right[4:] *= -1.0
    return np.linalg.solve(matrix, right)


def _project(t, y):
    """The state (8,) with what index 1 has drifted away from g = 0 and ġ = 0 taken back."""
    q, v, gradient, level = y[:4].copy(), y[4:].copy(), np.zeros((2, 4)), np.zeros(2)
    g(t, q, level)
    g_q(t, q, gradient)
    q -= np.linalg.lstsq(gradient, level, rcond=None)[0]
    g_t(t, q, level := np.zeros(2))
    g_q(t, q, gradient)
    v -= np.linalg.lstsq(gradient, gradient @ v + level, rcond=None)[0]
    return np.concatenate([q, v])


def drawing() -> Drawing:
    """Springs from the road to the axle, and the axle."""

    def base(t):
        yb = R * np.sin(OMEGA * t)
        return np.array([np.sqrt(L**2 - yb**2), yb])

    return Drawing(
        Line("axle", lambda t, q: q.reshape(2, 2), 0.02),
        Line("left spring", lambda t, q: np.array([[0.0, 0.0], q[:2]]), 0.01),
        Line("right spring", lambda t, q: np.array([base(t), q[2:]]), 0.01),
        Line("road", lambda t, q: np.array([[0.0, 0.0], base(t)]), 0.006),
        Point("right end", lambda t, q: q[2:], trace=True),
    )


def make() -> Problem:
    """The axle above a base whose right end goes up and down, ten times in 2π.

    The reference is the index-1 form by DOP853 at 1e-13. At t = 3 it agrees with the published values.
    """

    def system():
        return System(
            M=HALF * np.eye(4), f=f, g=g, ng=2, g_q=g_q, g_t=g_t, g_bias=g_bias,
            names={"q": ["xl", "yl", "xr", "yr"], "g": ["left end", "length"]}, drawing=drawing(),
        )  # fmt: skip

    def reference(t):
        def rhs(t, y):
            return np.concatenate([y[4:], _accelerations(t, y[:4], y[4:])[:4]])

        times = np.atleast_1d(np.asarray(t, dtype=float))
        y = integrate(rhs, 0.0, np.concatenate([START, SPEED]), times)
        y = np.array([_project(s, row) for s, row in zip(times, y, strict=True)])
        more = np.array([_accelerations(s, row[:4], row[4:]) for s, row in zip(times, y, strict=True)]).reshape(-1, 6)
        return Reference(y[:, :4], y[:, 4:], more[:, 4:], np.zeros((len(y), 0)), more[:, :4])

    return Problem(
        name="car_axis",
        title="Car axis",
        summary="An axle on two springs over a wavy road: constraints that depend on time, and very small masses.",
        source="S. Schneider, 1994; F. Mazzia, C. Magherini, Test Set for Initial Value Problem Solvers, 2008, problem "
        "caraxis",
        system=system,
        q0=np.array(START),
        v0=np.array(SPEED),
        t_span=(0.0, 3.0),
        h=1e-3,
        method=GeneralizedAlpha(rho_inf=0.9),
        reference=reference,
        reference_is="index-1 form, DOP853 at 1e-13; equal to the published values at t = 3",
        conserves_energy=False,
    )

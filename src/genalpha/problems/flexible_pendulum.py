"""The flexible pendulum of paper 002, section 6.2: a geometrically exact beam swings against an obstacle."""

from __future__ import annotations

import numpy as np

from genalpha.errors import InputError
from genalpha.method import GeneralizedAlpha
from genalpha.model.parts.shapes import Box
from genalpha.problems.problem import Problem, no_reference
from genalpha.system.functions import evaluator
from genalpha.system.system import System
from genalpha.view.drawing import Body, Contact, Drawing, Joint, Line

# nodes 0 ... n in absolute coordinates (x, y, θ); node 0 lies on the pin at the origin, and only its angle is left:
# q = (θ0, x1, y1, θ1, x2, ...); p = (EA, GA, EI, ρA, ρI, element length, gravity, x_min), gravity counted along −y


@evaluator
def strains(q, i, length):
    """Of element i, between its nodes i and i + 1: (Γ1, Γ2, κ, cosθ, sinθ), θ the mean of the angles of its ends.

    Axial strain Γ1, shear Γ2, curvature κ of Reissner's and Simo's beam; with straight elements they are constant but
    for θ, which is taken in the middle (one point of integration: no locking).
    """
    b = 3 * i + 1
    dx, dy, theta_a = q[b], q[b + 1], q[0]
    if i > 0:
        dx, dy, theta_a = q[b] - q[b - 3], q[b + 1] - q[b - 2], q[b - 1]
    theta = 0.5 * (theta_a + q[b + 2])
    c, s = np.cos(theta), np.sin(theta)
    return (c * dx + s * dy) / length - 1.0, (c * dy - s * dx) / length, (q[b + 2] - theta_a) / length, c, s


@evaluator
def f(t, q, v, p, out):
    """Weight, and minus the gradient of the strain energy ½ Σ l (EA Γ1² + GA Γ2² + EI κ²)."""
    length, weight = p[5], 0.5 * p[3] * p[5] * p[6]
    for i in range(q.size // 3):
        b = 3 * i + 1
        stretch, shear, curvature, c, s = strains(q, i, length)
        n1, n2, moment = p[0] * stretch, p[1] * shear, p[2] * curvature
        fx, fy = c * n1 - s * n2, s * n1 + c * n2
        turn = 0.5 * length * (n1 * shear - n2 * (stretch + 1.0))
        out[b] -= fx
        out[b + 1] -= fy + weight
        out[b + 2] -= turn + moment
        if i > 0:
            out[b - 3] += fx
            out[b - 2] += fy - weight
        out[max(b - 1, 0)] -= turn - moment


@evaluator
def f_q(t, q, v, p, out):
    """∂f/∂q, dense.

    With D = ∂(Γ1, Γ2)/∂(dx, dy, θ), the stiffness is  l Dᵀ diag(EA, GA) D + l n1 ∇²Γ1 + l n2 ∇²Γ2  in (dx, dy, θ), with
    dx = x_b − x_a, θ = (θ_a + θ_b)/2, and EI/l between the angles.
    """
    length = p[5]
    for i in range(q.size // 3):
        b = 3 * i + 1
        stretch, shear, _, c, s = strains(q, i, length)
        n1, n2 = p[0] * stretch, p[1] * shear
        xx = (p[0] * c * c + p[1] * s * s) / length
        xy = (p[0] - p[1]) * c * s / length
        yy = (p[0] * s * s + p[1] * c * c) / length
        xt = 0.5 * (p[0] * c * shear + p[1] * s * (stretch + 1.0) - s * n1 - c * n2)
        yt = 0.5 * (p[0] * s * shear - p[1] * c * (stretch + 1.0) + c * n1 - s * n2)
        tt = 0.25 * length * (p[0] * shear**2 + p[1] * (stretch + 1.0) ** 2 - n1 * (stretch + 1.0) - n2 * shear)
        bend = p[2] / length
        add_block(out, b, b, 1.0, xx, xy, yy)
        add_turn(out, b, b + 2, 1.0, xt, yt)
        out[b + 2, b + 2] -= tt + bend
        a = max(b - 1, 0)  # the angle of the first node
        add_turn(out, b, a, 1.0, xt, yt)
        out[a, a] -= tt + bend
        out[a, b + 2] -= tt - bend
        out[b + 2, a] -= tt - bend
        if i > 0:
            add_block(out, b - 3, b - 3, 1.0, xx, xy, yy)
            add_block(out, b - 3, b, -1.0, xx, xy, yy)
            add_block(out, b, b - 3, -1.0, xx, xy, yy)
            add_turn(out, b - 3, b + 2, -1.0, xt, yt)
            add_turn(out, b - 3, a, -1.0, xt, yt)


@evaluator
def add_block(out, i, j, sign, xx, xy, yy):
    """Subtract sign · [[xx, xy], [xy, yy]] at (i, j)."""
    out[i, j] -= sign * xx
    out[i, j + 1] -= sign * xy
    out[i + 1, j] -= sign * xy
    out[i + 1, j + 1] -= sign * yy


@evaluator
def add_turn(out, i, j, sign, xt, yt):
    """Subtract sign · (xt, yt) at (i, j) and, transposed, at (j, i)."""
    out[i, j] -= sign * xt
    out[i + 1, j] -= sign * yt
    out[j, i] -= sign * xt
    out[j, i + 1] -= sign * yt


@evaluator
def gap(t, q, p, out):
    """The tip stays on the right of the obstacle, 002 (78)."""
    out[0] = q[q.size - 3] - p[7]


def mass_matrix(n: int, p) -> np.ndarray:
    """The consistent mass matrix (3n + 1, 3n + 1) of n elements; constant, in absolute coordinates."""
    full = np.zeros((3 * n + 3, 3 * n + 3))
    element = p[5] / 6.0 * np.kron([[2.0, 1.0], [1.0, 2.0]], np.diag([p[3], p[3], p[4]]))
    for i in range(n):
        full[3 * i : 3 * i + 6, 3 * i : 3 * i + 6] += element
    return full[2:, 2:].copy()


def energy(t, q, v, p):
    """Kinetic and potential energy, weight and strain; of many states at once if q and v are (n, nt)."""
    n, length = len(q) // 3, p[5]
    strain = 0.0
    for i in range(n):
        stretch, shear, curvature, _, _ = strains(q, i, length)
        strain += 0.5 * length * (p[0] * stretch**2 + p[1] * shear**2 + p[2] * curvature**2)
    height = np.sum(q[2::3], axis=0) - 0.5 * q[-2]
    kinetic = 0.5 * np.sum(v * (mass_matrix(n, p) @ v), axis=0)
    return kinetic, strain + p[3] * length * p[6] * height


def drawing(elements: int, L: float, thick: float, x_min: float) -> Drawing:
    """The beam in colours of its bending strain, as a curve through its nodes, and the obstacle."""
    inside = np.linspace(0.0, 1.0, 9)

    def nodes(q):
        return np.concatenate([[[0.0, 0.0, q[0]]], q[1:].reshape(-1, 3)])

    def points(t, q):
        x = nodes(q)
        tangent = L / elements * np.stack([np.cos(x[:, 2]), np.sin(x[:, 2])], axis=1)
        curves = [_hermite(x[i : i + 2, :2], tangent[i : i + 2], inside[i > 0 :]) for i in range(elements)]
        return np.concatenate(curves)

    def strain(t, q):
        """Curvature times half the thickness, linear between the middles of the elements."""
        curvature = np.diff(nodes(q)[:, 2]) * elements / L
        place = np.linspace(0.0, elements, 8 * elements + 1)
        return 0.5 * thick * np.interp(place, np.arange(elements) + 0.5, curvature)

    radius = 0.014 * L
    plate = Box(size=(0.05 * L, 0.4 * L, 0.14 * L))
    return Drawing(
        Line("beam", points, radius=radius, value=strain, label="bending strain"),
        Joint("pin", (0.0, 0.0), axis=(0.0, 0.0, 1.0)),
        Body("obstacle", plate, position=(x_min - radius - 0.025 * L, -0.72 * L), fixed=True),
        Contact("obstacle", position=lambda t, q: (q[-3] - radius, q[-2]), direction=(1.0, 0.0)),
    )


def _hermite(ends, tangents, s):
    """The cubic between two points with given tangents, at parameters s (n,): (n, 2)."""
    a, b = np.array([2 * s**3 - 3 * s**2 + 1, 3 * s**2 - 2 * s**3]), np.array([s**3 - 2 * s**2 + s, s**3 - s**2])
    return a.T @ ends + b.T @ tangents


ELEMENTS, LENGTH, AREA, INERTIA = 4, 1.0, 1e-4, 8.33e-10
MODULUS, DENSITY, POISSON, GRAVITY = 2.1e11, 7800.0, 0.3, 10.0
"""The numbers of 002, section 6.2."""


def shear_stiffness(A: float, E: float, poisson: float) -> float:
    """Shear modulus times the area 5/6 A."""
    return 5.0 / 6.0 * A * E / (2.0 * (1.0 + poisson))


def names_of(elements: int) -> list[str]:
    """Names of the coordinates, node by node."""
    return ["θ0", *(f"{letter}{i}" for i in range(1, elements + 1) for letter in "xyθ")]


def make(
    elements: int = ELEMENTS,
    L: float = LENGTH,
    A: float = AREA,
    inertia: float = INERTIA,
    E: float = MODULUS,
    rho: float = DENSITY,
    poisson: float = POISSON,
    gravity: float = GRAVITY,
    e: float = 0.0,
) -> Problem:
    """The beam with the numbers of 002, section 6.2, horizontal and at rest; the obstacle at x = L √½.

    Shear modulus E/(2 (1 + ν)) on the area 5/6 A, linear elements with one point of integration, consistent mass. Paper
    002 does not print the gravity; 10 m/s² brings the first contact to 0.327 s as in Fig. 10. The motion is sensitive:
    after the first phase of contact, to 0.348 s, runs with different methods move apart, and there is no reference.
    """
    if elements < 1:
        raise InputError(f"elements = {elements!r}: a beam has at least one element")
    n, x_min = 3 * elements + 1, L * np.sqrt(0.5)
    p = (E * A, shear_stiffness(A, E, poisson), E * inertia, rho * A, rho * inertia, L / elements, gravity, x_min)
    gap_q = np.zeros((1, n))
    gap_q[0, n - 3] = 1.0
    q0 = np.zeros(n)
    q0[1::3] = L / elements * np.arange(1, elements + 1)

    def system():
        return System(
            M=mass_matrix(elements, p), f=f, f_q=f_q, f_v=0, gap=gap, nc=1, gap_q=gap_q, gap_t=0, gap_bias=0, e=e,
            energy=energy, params=p, drawing=drawing(elements, L, np.sqrt(A), x_min),
            names={"q": names_of(elements), "gap": ["obstacle"]},
        )  # fmt: skip

    return Problem(
        name="flexible_pendulum",
        title=f"Flexible pendulum, {elements} elements",
        summary="A geometrically exact beam on a pin falls against an obstacle with its tip, and rattles on it.",
        source="O. Brüls, V. Acary, A. Cardona, On the constraints formulation in the nonsmooth generalized-α method "
        "(2018), sec. 6.2, (78); J. C. Simo, L. Vu-Quoc, J. Appl. Mech. 53 (1986) 849-854",
        system=system,
        q0=q0,
        v0=np.zeros(n),
        t_span=(0.0, 0.36),
        h=5e-6,
        method=GeneralizedAlpha(rho_inf=0.8),
        reference=no_reference,
        reference_is="none: the motion after the first contact is sensitive to every perturbation",
        conserves_energy=False,
    )

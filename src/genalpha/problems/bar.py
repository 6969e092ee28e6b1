"""The elastic bar of paper 002, section 6.3: it hits an obstacle and flies back."""

from __future__ import annotations

import numpy as np

from genalpha.errors import InputError
from genalpha.method import GeneralizedAlpha
from genalpha.model.parts.shapes import Box
from genalpha.problems.problem import Problem, no_reference
from genalpha.system.functions import Sparse, evaluator
from genalpha.system.system import System
from genalpha.view.drawing import Body, Contact, Drawing, Line

# q: displacements of the nodes along the bar, the last one nearest to the obstacle
# p = (stiffness of an element, mass of an element, distance)


@evaluator
def f(t, q, v, p, out):
    """−K q: the springs between neighbouring nodes."""
    for i in range(q.size - 1):
        force = p[0] * (q[i + 1] - q[i])
        out[i] += force
        out[i + 1] -= force


@evaluator
def gap(t, q, p, out):
    """The last node stays in front of the obstacle."""
    out[0] = p[2] - q[q.size - 1]


def energy(t, q, v, p):
    """Kinetic and potential energy; of many states at once if q and v are (n, nt)."""
    m = masses(len(q) - 1, p[1])
    return 0.5 * m @ v**2, 0.5 * p[0] * np.sum(np.diff(q, axis=0) ** 2, axis=0)


def masses(elements: int, m: float) -> np.ndarray:
    """Lumped masses of the nodes: half an element at the ends."""
    out = np.full(elements + 1, m)
    out[0] = out[-1] = 0.5 * m
    return out


def drawing(elements: int, L: float, distance: float) -> Drawing:
    """The bar from x = −L to 0, in colours of its strain, and the obstacle."""
    shown = np.unique(np.linspace(0, elements, 41).round().astype(int))
    x = np.linspace(-L, 0.0, elements + 1)
    thick = 0.05 * L

    def strain(t, q):
        return np.gradient(q, x)[shown]

    def points(t, q):
        place = (x + q)[shown]
        return np.stack([place, np.zeros_like(place)], axis=1)

    wall = Box(size=(0.4 * thick, 5.0 * thick, 5.0 * thick))
    return Drawing(
        Line("bar", points, radius=thick, value=strain, label="strain"),
        Body("obstacle", wall, position=(distance + 0.2 * thick, 0.0), fixed=True),
        Contact("obstacle", position=lambda t, q: (q[-1], 0.0), direction=(-1.0, 0.0)),
    )


ELEMENTS, MODULUS, DENSITY, LENGTH, DISTANCE, SPEED = 200, 900.0, 1.0, 10.0, 5.0, 10.0
"""The numbers of 002, section 6.3."""


def make(
    elements: int = ELEMENTS,
    E: float = MODULUS,
    rho: float = DENSITY,
    L: float = LENGTH,
    distance: float = DISTANCE,
    speed: float = SPEED,
    e: float = 0.0,
) -> Problem:
    """The bar with the numbers of 002, section 6.3, cross section 1 m², linear elements with lumped masses.

    The continuous bar is known exactly: it touches the obstacle from distance/speed on for one round trip of a wave,
    2 L √(ρ/E), with the constant force √(Eρ) speed, and flies back with all of its energy: [0.5, 1.16667] s, 300 N,
    500 J by default. The coefficient of restitution belongs to the last node only, not to the bar.
    """
    if elements < 1:
        raise InputError(f"elements = {elements!r}: a bar has at least one element")
    n, stiffness, mass = elements + 1, E * elements / L, rho * L / elements
    begin = distance / speed
    rows, cols, values = tridiagonal(elements, stiffness)
    nodes = np.arange(n)

    def system():
        return System(
            M=Sparse(masses(elements, mass), nodes, nodes), f=f, f_q=Sparse(-values, rows, cols), f_v=0,
            gap=gap, nc=1, gap_q=Sparse([-1.0], [0], [n - 1]), gap_t=0, gap_bias=0, e=e, energy=energy,
            params=(stiffness, mass, distance), drawing=drawing(elements, L, distance),
            names={"q": [f"u{i}" for i in range(n)], "gap": ["obstacle"]},
        )  # fmt: skip

    return Problem(
        name="bar",
        title=f"Elastic bar, {elements} elements",
        summary="An elastic bar hits an obstacle, stays in contact for one round trip of a wave, and flies back.",
        source="O. Brüls, V. Acary, A. Cardona, On the constraints formulation in the nonsmooth generalized-α method "
        "(2018), sec. 6.3; D. Doyen, A. Ern, S. Piperno, SIAM J. Sci. Comput. 33 (2011) 223-249",
        system=system,
        q0=np.zeros(n),
        v0=np.full(n, speed),
        t_span=(0.0, 2.5),
        h=2e-3,
        method=GeneralizedAlpha(rho_inf=0.8),
        reference=no_reference,
        reference_is="none for the nodes; contact interval, force and energy of the continuous bar are exact",
        contact_intervals=(((begin, begin + 2.0 * L * np.sqrt(rho / E)),),),
        contact_force=np.sqrt(E * rho) * speed,
        conserves_energy=False,
    )


def tridiagonal(elements: int, stiffness: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, columns and values of K: the diagonal, then the neighbours to the right, then those to the left."""
    i = np.arange(elements)
    diagonal = np.full(elements + 1, 2.0 * stiffness)
    diagonal[0] = diagonal[-1] = stiffness
    rows = np.concatenate([np.arange(elements + 1), i, i + 1])
    cols = np.concatenate([np.arange(elements + 1), i + 1, i])
    return rows, cols, np.concatenate([diagonal, np.full(2 * elements, -stiffness)])

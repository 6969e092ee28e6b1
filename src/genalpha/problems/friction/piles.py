"""Discs on discs, and a belt around a drum: what friction can hold."""

from __future__ import annotations

import numpy as np

from genalpha.errors import InputError
from genalpha.model.parts.shapes import Box, Cylinder
from genalpha.problems.friction.blocks import METHOD
from genalpha.problems.problem import Problem, no_reference
from genalpha.system.functions import evaluator
from genalpha.system.system import System
from genalpha.view.drawing import Body, Contact, Drawing, Line, Part

LIMITS = {"between": np.tan(np.pi / 12.0), "floor": np.tan(np.pi / 12.0) / 3.0}
"""The least coefficients with which three discs hold: between discs, and to the floor."""

TRIANGLES = {2: np.tan(np.pi / 12.0), 3: 0.4339875}
"""The least coefficient, the same at all contacts, with which piles of so many rows can hold."""

# q = (x, y, φ) of each disc; p = (r, m, discs on the floor, then the pairs i, j that may touch)


@evaluator
def f_discs(t, q, v, p, out):
    """Weight."""
    for i in range(q.size // 3):
        out[3 * i] = 0.0
        out[3 * i + 1] = -9.81 * p[1]
        out[3 * i + 2] = 0.0


@evaluator
def gap_discs(t, q, p, out):
    """Of the first discs from the floor, and of pairs."""
    floor = int(p[2])
    for i in range(floor):
        out[i] = q[3 * i + 1] - p[0]
    for k in range((p.size - 3) // 2):
        i, j = 3 * int(p[3 + 2 * k]), 3 * int(p[4 + 2 * k])
        out[floor + k] = np.sqrt((q[j] - q[i]) ** 2 + (q[j + 1] - q[i + 1]) ** 2) - 2.0 * p[0]


@evaluator
def slip_discs(t, q, v, p, out):
    """Velocity of the lowest point along the floor; of the second disc of a pair seen from the first."""
    floor = int(p[2])
    for i in range(floor):
        out[i] = v[3 * i] + p[0] * v[3 * i + 2]
    for k in range((p.size - 3) // 2):
        i, j = 3 * int(p[3 + 2 * k]), 3 * int(p[4 + 2 * k])
        dx, dy = q[j] - q[i], q[j + 1] - q[i + 1]
        across = dx * (v[j + 1] - v[i + 1]) - dy * (v[j] - v[i])
        out[floor + k] = across / np.sqrt(dx**2 + dy**2) - p[0] * (v[i + 2] + v[j + 2])


def energy_discs(t, q, v, p):
    """Kinetic and potential energy."""
    kinetic = (
        0.5 * p[1] * (np.sum(v[0::3] ** 2 + v[1::3] ** 2, axis=0) + 0.5 * p[0] ** 2 * np.sum(v[2::3] ** 2, axis=0))
    )
    return kinetic, 9.81 * p[1] * np.sum(q[1::3], axis=0)


def triangle(rows: int, r: float) -> tuple[np.ndarray, list[tuple[int, int]]]:
    """Centres (n, 2) of a triangular pile, the lowest row first, and the pairs that touch."""
    centres = np.array([(2.0 * r * i + r * k, r + np.sqrt(3.0) * r * k) for k in range(rows) for i in range(rows - k)])
    n = len(centres)
    apart = np.linalg.norm(centres[:, None] - centres[None], axis=2)
    return centres, [(i, j) for i in range(n) for j in range(i + 1, n) if apart[i, j] < 2.001 * r]


def disc_pile(rows: int = 2, mu: float = 0.3, mu_floor: float | None = None, r: float = 0.1, m: float = 1.0) -> Problem:
    """A triangular pile of equal discs at rest, with so many of them on the floor.

    Three discs hold if and only if μ >= tan 15° between them and a third of it on the floor. Larger piles are
    statically indeterminate, and a pile that can hold need not: what it does depends on the forces it begins with.
    """
    mu_floor = mu if mu_floor is None else mu_floor
    if not (rows >= 1 and mu >= 0.0 and mu_floor >= 0.0 and r > 0.0 and m > 0.0):
        raise InputError(f"rows = {rows!r}, mu = {mu!r}, mu_floor = {mu_floor!r}, r = {r!r}, m = {m!r}")
    centres, pairs = triangle(rows, r)
    n, nc = len(centres), rows + len(pairs)
    floor = [f"floor{i + 1}" for i in range(rows)]
    names = [*floor, *(f"{i + 1}-{j + 1}" for i, j in pairs)]

    def system():
        return System(
            M=m * np.diag(np.tile([1.0, 1.0, 0.5 * r**2], n)), f=f_discs, f_q=0, f_v=0, gap=gap_discs, nc=nc,
            slip=slip_discs, nt=nc, mu=[mu_floor] * rows + [mu] * len(pairs), energy=energy_discs,
            params=(r, m, rows, *np.ravel(pairs)), drawing=_pile(n, rows, r, pairs),
            names={"q": [f"{x}{i + 1}" for i in range(n) for x in ("x", "y", "φ")], "gap": names},
        )  # fmt: skip

    return Problem(
        name="disc_pile",
        title=f"Pile of {n} discs",
        summary="Discs on discs, held by nothing but friction: tan 15° between them is what three of them need.",
        source="textbook; linear programmes for larger piles",
        system=system, q0=np.hstack([centres, np.zeros((n, 1))]).ravel(), v0=np.zeros(3 * n), t_span=(0.0, 0.5),
        h=2e-3, method=METHOD, reference=no_reference, reference_is="none; it stands still or it does not",
        conserves_energy=False,
    )  # fmt: skip


def _pile(n: int, rows: int, r: float, pairs) -> Drawing:
    def at(i):
        return lambda t, q: q[3 * i : 3 * i + 2]

    def between(i, j):
        return lambda t, q: 0.5 * (q[3 * i : 3 * i + 2] + q[3 * j : 3 * j + 2])

    def line(i, j):
        return lambda t, q: (q[3 * j : 3 * j + 2] - q[3 * i : 3 * i + 2]) / (2.0 * r)

    def across(i, j):
        return lambda t, q: (q[3 * i + 1] - q[3 * j + 1], q[3 * j] - q[3 * i])

    def below(i):
        return lambda t, q: (q[3 * i], q[3 * i + 1] - r)

    parts: list[Part] = [
        Body(f"disc {i + 1}", Cylinder(r, 0.5 * r), at(i), lambda t, q, i=i: q[3 * i + 2]) for i in range(n)
    ]
    parts.append(Body("floor", Box((2.0 * r * (rows + 2), 0.1 * r, r)), (r * (rows - 1), -0.05 * r), fixed=True))
    parts += [Contact(f"floor{i + 1}", below(i), (0.0, 1.0), (1.0, 0.0)) for i in range(rows)]
    parts += [Contact(f"{i + 1}-{j + 1}", between(i, j), line(i, j), across(i, j)) for i, j in pairs]
    return Drawing(*parts)


# the belt: q = (x, y) of each node; p = (R, force at the first node, force at the last, angle between nodes)


@evaluator
def f_belt(t, q, v, p, out):
    """Pulls at both ends, along the links that would come next."""
    for i in range(q.size):
        out[i] = 0.0
    half, n = 0.5 * p[3], q.size // 2
    out[0] += p[1] * np.sin(-half)
    out[1] -= p[1] * np.cos(-half)
    last = (n - 1) * p[3] + half
    out[2 * n - 2] -= p[2] * np.sin(last)
    out[2 * n - 1] += p[2] * np.cos(last)


@evaluator
def g_belt(t, q, p, out):
    """The links do not stretch."""
    length = 2.0 * p[0] * np.sin(0.5 * p[3])
    for i in range(q.size // 2 - 1):
        x, y = q[2 * i + 2] - q[2 * i], q[2 * i + 3] - q[2 * i + 1]
        out[i] = np.sqrt(x**2 + y**2) - length


@evaluator
def gap_belt(t, q, p, out):
    """Distances from the drum."""
    for i in range(q.size // 2):
        out[i] = np.sqrt(q[2 * i] ** 2 + q[2 * i + 1] ** 2) - p[0]


@evaluator
def slip_belt(t, q, v, p, out):
    """Velocities around the drum, towards the last node."""
    for i in range(q.size // 2):
        x, y = q[2 * i], q[2 * i + 1]
        out[i] = (x * v[2 * i + 1] - y * v[2 * i]) / np.sqrt(x**2 + y**2)


def energy_belt(t, q, v, p):
    """Kinetic energy; the pulls have no potential."""
    return 0.5 * np.sum(v**2, axis=0), 0.0 * v[0]


def belt_ratio(mu: float, nodes: int, wrap: float) -> float:
    """The largest ratio of the pulls that a belt of so many nodes holds; exp(μ wrap) for a continuous one."""
    tangent = mu * np.tan(0.5 * wrap / nodes)
    return float(((1.0 + tangent) / (1.0 - tangent)) ** nodes)


def belt_friction(ratio: float, nodes: int, wrap: float) -> float:
    """The least coefficient that holds a ratio of the pulls."""
    root = ratio ** (1.0 / nodes)
    return float((root - 1.0) / (root + 1.0) / np.tan(0.5 * wrap / nodes))


def capstan(mu: float = 0.3, ratio: float = 0.999, nodes: int = 8, wrap: float = np.pi, R: float = 0.1) -> Problem:
    """A belt of links around a drum, pulled with 1 N at one end and ``ratio`` of what friction can hold at the other.

    Each node turns the belt by wrap/nodes. It holds for ratio <= 1 and slides round for more.
    """
    if not (mu >= 0.0 and nodes >= 2 and 0.0 < wrap < nodes and R > 0.0):
        raise InputError(f"mu = {mu!r}, nodes = {nodes!r}, wrap = {wrap!r}, R = {R!r}")
    step, pull = wrap / nodes, ratio * belt_ratio(mu, nodes, wrap)
    angles = step * np.arange(nodes)
    names = [f"node{i + 1}" for i in range(nodes)]

    def system():
        return System(
            M=np.eye(2 * nodes), f=f_belt, f_q=0, f_v=0, g=g_belt, ng=nodes - 1, gap=gap_belt, nc=nodes, slip=slip_belt,
            nt=nodes, mu=mu, energy=energy_belt, params=(R, 1.0, pull, step), drawing=_drum(nodes, R),
            names={
                "q": [f"{x}{i + 1}" for i in range(nodes) for x in ("x", "y")], "gap": names,
                "g": [f"link{i + 1}" for i in range(nodes - 1)],
            },
        )  # fmt: skip

    return Problem(
        name="capstan",
        title="Belt around a drum",
        summary="A belt around a drum holds a pull that grows with every degree of wrap: Euler and Eytelwein's law.",
        source="L. Euler, Remarques sur l'effet du frottement dans l'équilibre (1762); closed form for links",
        system=system, q0=np.ravel(R * np.stack([np.cos(angles), np.sin(angles)], axis=1)), v0=np.zeros(2 * nodes),
        t_span=(0.0, 0.1), h=1e-3, method=METHOD, reference=no_reference,
        reference_is="none; it stands still or it does not", conserves_energy=False,
    )  # fmt: skip


def _drum(nodes: int, R: float) -> Drawing:
    def node(i):
        return lambda t, q: q[2 * i : 2 * i + 2]

    def around(i):
        return lambda t, q: (-q[2 * i + 1], q[2 * i])

    return Drawing(
        Body("drum", Cylinder(R, 0.5 * R), fixed=True),
        Line("belt", lambda t, q: [tuple(q[2 * i : 2 * i + 2]) for i in range(nodes)], radius=0.03 * R),
        *(Contact(f"node{i + 1}", node(i), node(i), around(i)) for i in range(nodes)),
    )

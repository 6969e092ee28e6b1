"""Tables of beams and bars: their elements, and the entries of the matrices that they fill."""

from __future__ import annotations

import numpy as np

from genalpha.errors import InputError
from genalpha.math import so3
from genalpha.model.columns import BAR, BEAM, NONE, PLANAR_BEAM, PLANAR_SECTION
from genalpha.model.leaves.beam_strains import OVERTURNED
from genalpha.model.parts.beams import Bar, Beam, Flexible


def add_flexible(tables, part: Flexible):
    """Elements of a beam or a bar."""
    places = [tables.places[node.name] for node in part.nodes]
    for i in range(len(part.lengths)):
        if isinstance(part, Bar):
            _bar(tables, part, i, places[i], places[i + 1])
        elif tables.planar:
            _planar(tables, part, i, places[i], places[i + 1])
        else:
            _spatial(tables, part, i, places[i], places[i + 1])
        if part.mass == "consistent":
            _couple(tables, part, i, places[i], places[i + 1])


def reference(part: Beam, i: int) -> tuple[np.ndarray, np.ndarray]:
    """g₀ and κ₀ of element i in the shape without stress, which is that at t0.

    Those of a straight beam do not depend on where its points are, whose round-off would tell its elements apart.
    """
    L, line = part.lengths[i], part.line
    chord = line.tangent(0.0) / part.elements if line.straight else part.points[i + 1] - part.points[i]
    if part.planar:
        a, b = part.frames[i], part.frames[i + 1]
        c, s = np.cos(0.5 * (a + b)), np.sin(0.5 * (a + b))
        g, theta = np.array([c * chord[0] + s * chord[1], c * chord[1] - s * chord[0]]), np.array([b - a])
    else:
        a, b = (so3.quaternion(part.frames[k]) for k in (i, i + 1))
        theta = so3.log(so3.multiply(a * np.array([1.0, -1.0, -1.0, -1.0]), b))
        if not np.linalg.norm(theta) < 2.0 * np.arccos(OVERTURNED):
            raise InputError(
                f"{part.title}: element {i} turns by {np.degrees(np.linalg.norm(theta)):.1f}° from node to node; "
                f"give it more elements, like elements={4 * part.elements}"
            )
        g = so3.matrix(so3.multiply(a, so3.exp(0.5 * theta))).T @ chord
    return g / L, theta / L


def shear_stiffness(part: Beam, L: float) -> tuple[float, float]:
    """GA along y and z; with the bending flexibility that straight elements lack."""
    (y, z), (about_y, about_z) = part.rigidity.pair("GA"), part.rigidity.pair("EI")
    if not part.exact_bending:
        return y, z
    return 1.0 / (1.0 / y + L * L / (12.0 * about_z)), 1.0 / (1.0 / z + L * L / (12.0 * about_y))


def shares(part: Flexible, density: float, L: float) -> tuple[float, float]:
    """Of the mass of an element: at each node, and between the nodes."""
    mass = density * L
    return (mass / 3.0, mass / 6.0) if part.mass == "consistent" else (0.5 * mass, 0.0)


def _blocks(entries, a, b, splits):
    """Places of the blocks of a, of b, and of those between them; nodes have theirs only once.

    Whoever fills them relies on their order: those of the first node, then for each element those of b and between.
    ``splits`` lists the sizes of the groups that the coordinates of a node come in: their blocks follow one another.
    """
    return _group(entries, a, a, splits), _group(entries, b, b, splits), _between(entries, a, b, splits)


def _group(entries, a, b, splits):
    key = ("beam", a.v, b.v)
    if key not in entries.blocks:
        entries.blocks[key] = entries.add(*_indices(a.v, b.v, splits))
    return entries.blocks[key]


def _between(entries, a, b, splits):
    place = _group(entries, a, b, splits)
    _group(entries, b, a, splits)
    return place


def _indices(row, col, splits):
    rows, cols = [], []
    starts = np.concatenate([[0], np.cumsum(splits)]).tolist()
    for r, n in zip(starts, splits, strict=False):
        for c, m in zip(starts, splits, strict=False):
            rows += [row + r + i for i in range(n) for _ in range(m)]
            cols += [col + c + j for _ in range(n) for j in range(m)]
    return rows, cols


def _places(tables, part, a, b, splits):
    """S and C of an element; without damping it has no C."""
    damped = part.tau > 0.0 or part.rayleigh[0] > 0.0
    C = _blocks(tables.C, a, b, splits) if damped else (NONE, NONE, NONE)
    return {"S": _blocks(tables.S, a, b, splits), "C": C}


def _spatial(tables, part, i, a, b):
    L, r, alpha = float(part.lengths[i]), part.rigidity, float(part.rayleigh[0])
    g0, k0 = reference(part, i)
    (Iy, Iz), (EIy, EIz) = r.pair("inertia"), r.pair("EI")
    same, other = shares(part, r.mass, L)
    rotary = 0.5 * L * alpha * np.array([Iy + Iz, Iy, Iz])
    tables.layout.stretch(
        BEAM, x_a=a.x, r_a=a.r, v_a=a.v, x_b=b.x, r_b=b.r, v_b=b.v, **_places(tables, part, a, b, (3, 3)),
        over=1.0 / L, length=L, C_N=(r.EA, *shear_stiffness(part, L)), C_M=(r.GJ, EIy, EIz), gamma=g0, kappa=k0,
        tau=part.tau, drag_same=alpha * same, drag_other=alpha * other, drag_turn=rotary,
    )  # fmt: skip


def _planar(tables, part, i, a, b):
    L, r, alpha = float(part.lengths[i]), part.rigidity, float(part.rayleigh[0])
    g0, k0 = reference(part, i)
    drags = [alpha * np.array(shares(part, density, L)) for density in (r.mass, r.pair("inertia")[1])]
    section = tables.layout.share(
        PLANAR_SECTION, over=1.0 / L, length=L, EA=r.EA, GA=shear_stiffness(part, L)[0], EI=r.pair("EI")[1], gamma=g0,
        kappa=k0, tau=part.tau, drag_move=drags[0], drag_turn=drags[1],
    )  # fmt: skip
    tables.layout.add(
        PLANAR_BEAM, q_a=a.q, v_a=a.v, q_b=b.q, v_b=b.v, section=section, **_places(tables, part, a, b, (3,)),
        memory=np.full(3, np.nan),
    )  # fmt: skip


def _bar(tables, part, i, a, b):
    n, L = 2 if tables.planar else 3, float(part.lengths[i])
    k, alpha = float(part.rigidity.EA) / L, float(part.rayleigh[0])
    direction = np.zeros(3)
    direction[:n] = (part.points[i + 1] - part.points[i]) / L
    same, other = shares(part, part.rigidity.mass, L)
    tables.layout.add(
        BAR, x_a=a.x, v_a=a.v, x_b=b.x, v_b=b.v, dimension=n, linear=int(part.linear), stiffness=k,
        damping=part.tau * k, length=L, direction=direction, drag_same=alpha * same, drag_other=alpha * other,
        **_places(tables, part, a, b, (n,)),
    )  # fmt: skip


def _couple(tables, part, i, a, b):
    """From lumped to consistent mass: a sixth of the element goes from each node to between the nodes."""
    n, L = 2 if tables.planar else 3, float(part.lengths[i])
    moved = [part.rigidity.mass * L / 6.0] * n
    if tables.planar and isinstance(part, Beam):
        moved.append(part.rigidity.pair("inertia")[1] * L / 6.0)
    for j, value in enumerate(moved):
        tables.M.add([a.v + j, b.v + j], [b.v + j, a.v + j])
        tables.mass += [value, value]
        for place in (a, b):
            tables.mass[tables.mass_places[place.v] + j] -= value

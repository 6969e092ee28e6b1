"""Tables of joint coordinates: which coordinate of which joint is meant, and what the evaluators need of it."""

from __future__ import annotations

import numpy as np

from genalpha.errors import InputError
from genalpha.model import layout as sections
from genalpha.model.couplings import Constraint, Coupling, Drive, Gear, PointDrive
from genalpha.model.joints import Joint
from genalpha.model.places import Place

TURN, SLIDE, LENGTH = range(3)
"""As in `coordinates`, which is compiled and not imported here."""


def add_constraint(tables, part: Constraint):
    """Rows, names and nodes of a condition on coordinates or points."""
    first = len(tables.row_names)
    if isinstance(part, Coupling | Gear):
        labels = (part.label,)
        for joint, factor in zip(part.joints, part.factors, strict=True):
            add_term(tables, first, float(factor), coordinate_of(tables, part, joint)[1])
    elif isinstance(part, Drive):
        label, coordinate = coordinate_of(tables, part, part.joint)
        labels = (label,)
        add_term(tables, first, 1.0, coordinate)
        tables.drives.append((part, first, 1))
    elif isinstance(part, PointDrive):
        labels = _point(tables, part, first)
    else:
        raise InputError(f"{part.title} is no constraint that a model knows")
    for i in range(len(labels)):
        tables.layout.add(sections.LEVEL, first + i, 0.0)
    tables.row_names += [f"{part.name}.{label}" for label in labels]
    tables.row_kinds += [type(part)] * len(labels)
    tables.joint_rows[part.name] = slice(first, first + len(labels))
    tables.node(len(labels))


def _point(tables, part: PointDrive, first: int):
    ground = tables.places[tables.model.ground.name]
    place = tables.places[tables.model.name_of(part.body, part)]
    if place.v < 0:
        raise InputError(f"{part.title} moves the ground, which does not move; name a body")
    s, labels = tables.end_of(part, place), "xy" if tables.planar else "xyz"
    for i, axis in enumerate(np.eye(3)[: len(labels)]):
        add_term(tables, first + i, 1.0, coordinate(SLIDE, ground, place, s_b=s, u_a=axis))
    tables.drives.append((part, first, len(labels)))
    return labels


def add_term(tables, row: int, factor: float, entries):
    """One coordinate in a row of g."""
    kind, a, b, rest = entries
    places = [tables.G.block(row, place.v, 1, place.nv) if place.v >= 0 else -1 for place in (a, b)]
    tables.layout.add(sections.TERM, row, factor, *places, kind, *end(tables, a), *end(tables, b), *rest)


def end(tables, place: Place):
    """x, r, v of a body, and whether it is planar; r of planar bodies is the place of the angle."""
    r = place.q + 2 if tables.planar and place.nv == 3 else place.r
    return place.x, r, place.v, int(tables.planar)


def coordinate(kind: int, a: Place, b: Place, *, s_a=(), s_b=(), u_a=(), w_a=(), u_b=(), c: float | int = -1):
    """What `add_term` and its likes take."""
    return kind, a, b, (*(padded(x) for x in (s_a, s_b, u_a, w_a, u_b)), c)


def padded(x) -> np.ndarray:
    """A vector of the plane in space."""
    return np.concatenate([x, np.zeros(3 - len(x))])


def joint_of(tables, part, joint) -> tuple[Joint, str]:
    """(joint, name of its coordinate) of what a part refers to, such as "rail.angle"."""
    name, wanted = (joint.name, "") if isinstance(joint, Joint) else (joint, "")
    if name not in tables.model.parts and "." in name:
        name, _, wanted = name.rpartition(".")
    found = tables.model.parts.get(name)
    if not isinstance(found, Joint):
        known = ", ".join(repr(joint.name) for joint in tables.model.joints) or "none"
        raise InputError(f"{part.title}: there is no joint {joint!r} in the model; there are {known}. Add it first")
    if isinstance(joint, Joint) and joint is not found:
        raise InputError(f"{part.title}: joint {name!r} is not the one in this model, but another of the same name")
    if not found.coordinates:
        raise InputError(f"{part.title}: {found.title} has no coordinate; a Revolute, Prismatic or Cylindrical has")
    if not wanted and len(found.coordinates) > 1:
        names = " or ".join(repr(f"{name}.{coordinate}") for coordinate in found.coordinates)
        raise InputError(f"{part.title}: {found.title} has several coordinates; say {names}")
    if wanted and wanted not in found.coordinates:
        raise InputError(f"{part.title}: {found.title} has no {wanted!r}; it has {', '.join(found.coordinates)}")
    return found, wanted or found.coordinates[0]


def coordinate_of(tables, part, reference):
    """(its name, what `add_term` takes) of a joint's coordinate."""
    joint, name = joint_of(tables, part, reference)
    a, b = (tables.places[tables.model.name_of(body)] for body in (joint.a, joint.b))
    spot = tables.spots[joint.name]
    if name == "displacement":
        axis = spot.E_a.T[0 if tables.planar else 2]
        return name, coordinate(SLIDE, a, b, s_a=spot.s_a, s_b=spot.s_b, u_a=axis)
    if tables.planar:
        return name, coordinate(TURN, a, b, c=float(spot.angle))
    return name, _turn(tables, joint, a, b)


def _turn(tables, joint, a, b):
    """An angle in space, with its counter at the end of q."""
    spot, new = tables.spots[joint.name], joint.name not in tables.counters
    if new:
        tables.counters[joint.name] = tables.nq
        tables.nq += 1
    kind, a, b, rest = coordinate(
        TURN, a, b, u_a=spot.E_a.T[0], w_a=spot.E_a.T[1], u_b=spot.E_b.T[0], c=tables.counters[joint.name]
    )
    if new:
        tables.layout.add(sections.COUNTER, kind, *end(tables, a), *end(tables, b), *rest)
    return kind, a, b, rest

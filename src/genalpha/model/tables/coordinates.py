"""Tables of joint coordinates: which coordinate of which joint is meant, and what the evaluators need of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from genalpha.errors import InputError
from genalpha.model.columns import COUNTER, LEVEL, NONE, SLID, TERM, TURNED
from genalpha.model.parts.couplings import Constraint, Coupling, Drive, Gear, PointDrive
from genalpha.model.parts.joints import Joint
from genalpha.model.places import Place

if TYPE_CHECKING:
    from genalpha.model.parts.bodies import Part
    from genalpha.model.tables.assembly import Assembly


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
        tables.layout.add(LEVEL, row=first + i, value=0.0)
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
        add_term(tables, first + i, 1.0, coordinate(tables, SLID, ground, place, lever_b=s, axis_a=axis))
    tables.drives.append((part, first, len(labels)))
    return labels


def add_term(tables, row: int, factor: float, entries: Coordinate):
    """One coordinate in a row of g."""
    a, b, columns = entries
    G_a, G_b = (tables.G.block(row, place.v, 1, place.nv) if place.v >= 0 else NONE for place in (a, b))
    tables.layout.add(TERM, row=row, factor=factor, G_a=G_a, G_b=G_b, coordinate=columns)


def end(tables, place: Place) -> dict[str, int]:
    """The columns of END; r of planar bodies is the place of the angle."""
    r = place.q + 2 if tables.planar and place.nv == 3 else place.r
    return {"x": place.x, "r": r, "v": place.v, "planar": int(tables.planar)}


class Coordinate(NamedTuple):
    """A coordinate between two bodies, and its columns of COORDINATE."""

    a: Place
    b: Place
    columns: dict


def coordinate(tables, kind: int, a: Place, b: Place, zero: float | int = NONE, **vectors) -> Coordinate:
    """The coordinate of a kind; vectors that are not given are zero."""
    names = ("lever_a", "lever_b", "axis_a", "side_a", "axis_b")
    columns = {name: padded(vectors.get(name, ())) for name in names}
    return Coordinate(a, b, {"kind": kind, "a": end(tables, a), "b": end(tables, b), **columns, "zero": zero})


def padded(x) -> np.ndarray:
    """A vector of the plane in space."""
    return np.concatenate([x, np.zeros(3 - len(x))])


def joint_of(tables: Assembly, part: Part, joint: Joint | str) -> tuple[Joint, str]:
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


def coordinate_of(tables, part, reference) -> tuple[str, Coordinate]:
    """(its name, what `add_term` takes) of a joint's coordinate."""
    joint, name = joint_of(tables, part, reference)
    a, b = (tables.places[tables.model.name_of(body)] for body in (joint.a, joint.b))
    spot = tables.spots[joint.name]
    if name == "displacement":
        axis = spot.E_a.T[0 if tables.planar else 2]
        return name, coordinate(tables, SLID, a, b, lever_a=spot.s_a, lever_b=spot.s_b, axis_a=axis)
    if tables.planar:
        return name, coordinate(tables, TURNED, a, b, float(spot.angle))
    return name, _turn(tables, joint, a, b)


def _turn(tables, joint, a, b):
    """An angle in space, with its counter at the end of q."""
    spot, new = tables.spots[joint.name], joint.name not in tables.counters
    if new:
        tables.counters[joint.name] = tables.nq
        tables.nq += 1
    counter, axes = tables.counters[joint.name], spot.E_a.T
    found = coordinate(tables, TURNED, a, b, counter, axis_a=axes[0], side_a=axes[1], axis_b=spot.E_b.T[0])
    if new:
        tables.layout.add(COUNTER, coordinate=found.columns)
    return found

"""Tables of contacts: one row for each point or sphere that can touch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from genalpha.errors import InputError
from genalpha.model.columns import BALLS, DISCS, LINE, MEMBER, NONE, PAIR, PLANE
from genalpha.model.parts.bodies import PointMass
from genalpha.model.parts.contacts import Contact, ContactGroup, Plane, Surface, name_of, of_shape, surfaces
from genalpha.model.places import Place
from genalpha.model.tables.friction import add_slip
from genalpha.model.tables.pairs import Crowd


@dataclass(frozen=True, eq=False)
class Touch:
    """A row of the gaps: who touches whom.

    Attributes
    ----------
    name : str
    a, b : Place
        Of the body that is pushed, and of what pushes it.
    on_a, on_b : ndarray
        The centre of the surface of a; that of b, or a point of the plane; seen from the bodies.
    radius : float
        Of the surface of a.
    distance : float
        Between the centres (to the plane) when they touch.
    normal : ndarray or None
        Of the plane, seen from b.
    inside : bool
    """

    name: str
    a: Place
    b: Place
    on_a: np.ndarray
    on_b: np.ndarray
    radius: float
    distance: float
    normal: np.ndarray | None = None
    inside: bool = False


def add_contact(tables, part: Contact | ContactGroup):
    """Rows, names and nodes of a contact, or of all contacts of a group."""
    first = len(tables.gap_names)
    for contact in part.contacts() if isinstance(part, ContactGroup) else [part]:
        begin = len(tables.gap_names)
        for touch in touches(tables, contact):
            _add_row(tables, touch)
            if contact.friction > 0.0:
                add_slip(tables, contact, touch, len(tables.gap_names))
            tables.touches.append(touch)
            tables.gap_names.append(touch.name)
            tables.restitution.append(float(contact.restitution))
            tables.node(1, together=(len(tables.gap_names) - begin) % 3 != 1)
    tables.contact_rows[part.name] = slice(first, len(tables.gap_names))


FEW = 40
"""Up to so many contacts of a group are all watched."""

MANY = 3000
"""More contacts of a group cannot all be watched."""

MANY_RUBBING = 1000
"""The same for those with friction, whose matrix is full."""


def add_contacts(tables, parts):
    """All contacts; those whose pairs come and go are the last rows."""
    large = [part for part in parts if isinstance(part, ContactGroup) and part.count > FEW]
    for part in parts:
        if part not in large:
            add_contact(tables, part)
    while bound := [group for group in large if not (is_free(tables, group) and is_smooth(group))]:
        for group in bound:
            _require_few(group)
            add_contact(tables, group)
            large.remove(group)
    for group in large:
        _add_crowd(tables, group)


def is_free(tables, group: ContactGroup) -> bool:
    """Has nothing but its mass to do with each body's motion, and do the planes stand still?"""
    bound = tables.S.coupled(tables.inertial_S) | tables.C.coupled(tables.inertial_C)
    for entries in (tables.G, tables.K, tables.N, tables.T):
        bound.update(entries.cols)
    for body in group.bodies:
        place = tables.places[tables.model.name_of(body, group)]
        if place.v < 0 or bound.intersection(range(place.v, place.v + len(place.position))):
            return False
    ground = tables.model.ground.name
    return all(plane.body is None or name_of(plane.body) == ground for plane in group.planes)


def is_smooth(group: ContactGroup) -> bool:
    """Are all its contacts without friction, and alike?"""
    return not isinstance(group.restitution, Mapping) and group.friction == 0.0


def _require_few(group: ContactGroup):
    """Refuse a group too large for all its contacts to be watched."""
    rubs = group.friction != 0.0
    most = MANY_RUBBING if rubs else MANY
    if group.count <= most:
        return
    if not is_smooth(group):
        what = "friction" if rubs else "coefficients of their own"
        raise InputError(
            f"{group.title}: {group.count} contacts are too many with {what}: near pairs cannot be looked for as they "
            f"come and go, so that all are watched, up to {most}. Split it into smaller groups, or give all contacts "
            f"one restitution and no friction"
        )
    raise InputError(
        f"{group.title}: {group.count} contacts are too many for bodies that are not free. Take bodies "
        f"with joints, springs or other contacts out of it, and planes that move; or split it"
    )


def _add_crowd(tables, group: ContactGroup):
    """Slots, and empty tables for them."""
    planar, d = tables.planar, 2 if tables.planar else 3
    places = [tables.places[tables.model.name_of(body, group)] for body in group.bodies]
    radii = np.array([of_shape(group, place.body, planar, False)[0].radius for place in places])
    if group.each_other and not np.all(radii > 0.0):
        body = places[int(np.argmin(radii))].body
        raise InputError(f"{group.title}: {body.title} has no radius, and points never meet; give it a shape")
    planes = np.array([plane.numbers(planar, group.title) for plane in group.planes]).reshape(-1, 2, d)
    for plane in group.planes:
        plane.belt(planar, group.title)
    first = len(tables.gap_names)
    crowd = Crowd(group.name, places, radii, planes, [plane.name for plane in group.planes], group.each_other, first)
    tables.crowds.append(crowd)
    for place in places:
        r = place.r if place.on_se3 else NONE
        tables.layout.add(MEMBER, x=place.x, r=r, dimension=d, reference=np.zeros(3), limit=0.0)
    nobody = {"x": NONE, "r": NONE, "v": NONE}
    for slot in range(crowd.count):
        row = first + slot
        values = tables.N.add([row] * (2 * d), [0] * (2 * d))
        tables.layout.add(
            PAIR, row=row, one=nobody, two=nobody, distance=0.0, normal=np.zeros(3), N=values, dimension=d
        )  # fmt: skip
        tables.gap_names.append(f"{group.name}[{slot}]")
        tables.restitution.append(float(group.restitution))
    tables.contact_rows[group.name] = slice(first, first + crowd.count)


def touches(tables, contact: Contact) -> list[Touch]:
    """The rows of a contact."""
    planar = tables.planar
    a = tables.places[tables.model.name_of(contact.a, contact)]
    found = surfaces(contact, "a", a, planar)
    if isinstance(contact.b, Plane):
        return [_on_plane(tables, contact, contact.b, a, surface) for surface in found]
    b = tables.places[tables.model.name_of(contact.b, contact)]
    other = surfaces(contact, "b", b, planar)[0]
    one = found[0]
    distance = other.radius - one.radius if contact.inside else other.radius + one.radius
    if not distance > 0.0:
        raise InputError(
            f"{contact.title}: the radius {one.radius:.6g} of {name_of(contact.a)!r} "
            + (
                f"does not fit into the {other.radius:.6g} of {name_of(contact.b)!r}; make the hole larger"
                if contact.inside
                else f"and the {other.radius:.6g} of {name_of(contact.b)!r} are both zero: points never meet; give one "
                "of them a shape or a radius"
            )
        )
    return [Touch(contact.name, a, b, one.center, other.center, one.radius, distance, None, contact.inside)]


def _on_plane(tables, contact: Contact, plane: Plane, a: Place, surface: Surface) -> Touch:
    point, normal = plane.numbers(tables.planar, contact.title)
    plane.belt(tables.planar, contact.title)  # which only friction feels, but it must be right
    b = tables.places[tables.model.name_of(tables.model.ground if plane.body is None else plane.body, contact)]
    if b.body is a.body:
        raise InputError(f"{contact.title}: {plane.title} moves with {a.body.title}, which cannot hit itself")
    if isinstance(b.body, PointMass):
        raise InputError(f"{contact.title}: {plane.title} cannot move with {b.body.title}, which has no directions")
    return Touch(
        contact.name + surface.label, a, b, surface.center, b.seen(point), surface.radius, surface.radius,
        b.rotation.T @ normal,
    )  # fmt: skip


def _add_row(tables, touch: Touch):
    row = len(tables.gap_names)
    mu = len(tables.row_names) + len(tables.k_names) + row
    (_planar if tables.planar else _spatial)(tables, touch, row, mu)


def _turns(touch: Touch, place: Place, planar: bool) -> bool:
    """Does the gap depend on the rotation of a body?"""
    if not (place.turns or (planar and place.nv == 3)):
        return False
    if place is touch.b and touch.normal is not None:
        return True
    return bool(np.any(touch.on_a if place is touch.a else touch.on_b))


# the tables call what is hit a, and what hits it b: the other way round than a `Contact` and its `Touch`


def _spatial(tables, touch: Touch, row: int, mu: int):
    columns = {}
    for side, place in (("a", touch.b), ("b", touch.a)):
        turns, v = _turns(touch, place, False), place.v
        columns[f"x_{side}"], columns[f"v_{side}"] = place.x, v
        columns[f"r_{side}"] = place.r if turns or place.on_se3 else NONE
        columns[f"move_{side}"] = tables.N.block(row, v, 1, 3) if v >= 0 else NONE
        columns[f"turn_{side}"] = tables.N.block(row, v + 3, 1, 3) if turns else NONE
        columns[f"S_{side}"] = tables.S.block(v + 3, v + 3, 3, 3) if turns else NONE
    if touch.normal is None:
        section, axis = BALLS, (-1.0 if touch.inside else 1.0, 0.0, 0.0)
    else:
        section, axis = PLANE, touch.normal
    tables.layout.add(
        section, row=row, mu=mu, axis=axis, lever_a=touch.on_b, lever_b=touch.on_a, value=touch.distance, **columns
    )  # fmt: skip


def _planar(tables, touch: Touch, row: int, mu: int):
    columns, places = {}, []
    for side, place in (("a", touch.b), ("b", touch.a)):
        turns, v = _turns(touch, place, True), place.v
        columns[side] = {"q": place.q, "v": v, "turns": int(turns)}
        columns[f"S_{side}"] = tables.S.block(v + 2, v + 2, 1, 1) if turns else NONE
        places += [v, v + 1, v + 2][: 3 if turns else 2] if v >= 0 else []
    values = tables.N.add([row] * len(places), places)
    if touch.normal is None:
        section, axis = DISCS, (-1.0 if touch.inside else 1.0, 0.0)
    else:
        section, axis = LINE, touch.normal
    tables.layout.add(
        section, row=row, mu=mu, axis=axis, lever_a=touch.on_b, lever_b=touch.on_a, value=touch.distance, N=values,
        **columns,
    )  # fmt: skip

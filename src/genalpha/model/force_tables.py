"""Tables of forces: springs, loads, and the bodies whose states functions of the user's take."""

from __future__ import annotations

import numpy as np

from genalpha.errors import InputError
from genalpha.model import layout as sections
from genalpha.model.bodies import Ground, PointMass, RigidBody
from genalpha.model.forces import PointForce, SpringDamper, Torque, UserForce
from genalpha.model.places import Place


def add_force(tables, force):
    """Rows of one force."""
    if isinstance(force, SpringDamper):
        _spring(tables, force)
    elif isinstance(force, PointForce) and not callable(force.force):
        place, n = loaded(tables, force), 2 if tables.planar else 3
        tables.layout.add(
            sections.LOAD, *_end(tables, force, place, "at", "on"), _padded(force.vector("force", n)),
            int(force.follows), n,
        )  # fmt: skip
    elif isinstance(force, Torque) and not callable(force.torque):
        place = loaded(tables, force)
        if not tables.planar:  # planar torques are constant forces
            tables.layout.add(sections.TORQUE, place.r, place.v, force.vector("torque", 3), int(force.follows))
    else:
        bodies = force.bodies if isinstance(force, UserForce) else [force.body]
        tables.states[force.name] = _user(tables, [loaded(tables, force, body) for body in bodies])


def loaded(tables, force, body=None) -> Place:
    """The body that a force acts on."""
    place = tables.places[tables.model.name_of(force.body if body is None else body)]
    if isinstance(place.body, Ground):
        raise InputError(f"{force.title} acts on the ground, which does not move; name a body")
    follows = isinstance(force, PointForce) and force.follows
    if (follows or isinstance(force, Torque)) and isinstance(place.body, PointMass):
        raise InputError(f"{force.title} acts on {place.body.title}, which does not turn; use a RigidBody")
    return place


def _user(tables, places):
    """The states that a function of the user's takes; gives the row of the first."""
    first = tables.layout.count(sections.STATE)
    for place in places:
        kind = (
            int(isinstance(place.body, RigidBody)) if not tables.planar else 3 - int(isinstance(place.body, RigidBody))
        )
        tables.layout.add(sections.STATE, place.x, place.r, place.v, kind)
    return first


def _spring(tables, force):
    a, b = (tables.places[tables.model.name_of(body)] for body in (force.a, force.b))
    ends = [_end(tables, force, a, "at_a", "on_a"), _end(tables, force, b, "at_b", "on_b")]
    n = 2 if tables.planar else 3
    p_a, p_b = (place.position + place.rotation @ end[3][:n] for place, end in ((a, ends[0]), (b, ends[1])))
    distance = float(np.linalg.norm(p_b - p_a))
    length = distance if force.length is None else float(force.length)
    if not distance > 0.0:
        raise InputError(f"{force.title}: its ends coincide at t0, and it has no direction")
    tables.lengths[force.name] = length
    S, C = (_spring_blocks(entries, a, b) for entries in (tables.S, tables.C))
    tables.layout.add(
        sections.SPRING, float(force.stiffness), float(force.damping), length, n, *ends[0], *ends[1], S, C
    )  # fmt: skip


def _spring_blocks(entries, a, b):
    """Blocks (a, a), (a, b), (b, a), (b, b), one after the other."""
    ends = [(place.v, place.nv) for place in (a, b) if place.v >= 0]
    rows = [r + i for r, n in ends for _, m in ends for i in range(n) for _ in range(m)]
    cols = [c + j for _, n in ends for c, m in ends for _ in range(n) for j in range(m)]
    return entries.add(rows, cols)


def _end(tables, force, place, at, on):
    """x, r, v, s of an end; in planar models r is the place of the angle."""
    r = place.q + 2 if tables.planar and place.nq == 3 else place.r
    return place.x, r, place.v, _padded(end_of(tables, force, place, at, on))


def end_of(tables, force, place, at="at", on="on"):
    """The point of a body that a force acts on, seen from the body."""
    n = 2 if tables.planar else 3
    if getattr(force, at) is not None and getattr(force, on) is not None:
        raise InputError(f"{force.title}: give {at} or {on}, not both")
    if getattr(force, at) is not None:
        s = place.seen(force.vector(at, n))
    else:
        s = force.vector(on, n) if getattr(force, on) is not None else np.zeros(n)
    if isinstance(place.body, PointMass) and np.any(np.abs(s) > 1e-12):
        raise InputError(f"{force.title}: its end is {np.linalg.norm(s):.3g} away from {place.body.title}")
    return s


def _padded(s):
    return np.concatenate([s, np.zeros(3 - len(s))])

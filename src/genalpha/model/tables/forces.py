"""Tables of forces: springs, loads, and the bodies whose states functions of the user's take."""

from __future__ import annotations

import numpy as np

from genalpha.errors import InputError
from genalpha.model.columns import (
    BODY,
    BUSHING,
    COIL,
    LOAD,
    MOTOR,
    NONE,
    PLANAR_BODY,
    PLANAR_POINT_MASS,
    POINT_MASS,
    SPRING,
    STATE,
    TORQUE,
)
from genalpha.model.parts.bodies import Ground, PointMass, RigidBody
from genalpha.model.parts.forces import Bushing, Motor, PointForce, SpringDamper, Torque, TorsionSpring, UserForce
from genalpha.model.places import Place
from genalpha.model.tables.coordinates import coordinate_of, end, padded
from genalpha.model.tables.sizes import length_of, speed_of


def add_force(tables, force):
    """Rows of one force."""
    if isinstance(force, SpringDamper):
        _spring(tables, force)
    elif isinstance(force, PointForce) and not callable(force.force):
        place, n = loaded(tables, force), 2 if tables.planar else 3
        tables.layout.add(
            LOAD, grip=_grip(tables, force, place, "at", "on"), force=padded(force.vector("force", n)),
            follows=int(force.follows), dimension=n,
        )  # fmt: skip
    elif isinstance(force, Torque) and not callable(force.torque):
        place = loaded(tables, force)
        if not tables.planar:  # planar torques are constant forces
            torque, follows = force.vector("torque", 3), int(force.follows)
            tables.layout.add(TORQUE, r=place.r, v=place.v, torque=torque, follows=follows)
    elif isinstance(force, TorsionSpring):
        _coil(tables, force)
    elif isinstance(force, Motor):
        _motor(tables, force)
    elif isinstance(force, Bushing):
        _bushing(tables, force)
    else:
        bodies = force.bodies if isinstance(force, UserForce) else [force.body]
        places = [loaded(tables, force, body) for body in bodies]
        with_tangent = isinstance(force, UserForce) and force.is_differentiated
        tables.states[force.name] = _user(tables, places, with_tangent)


def loaded(tables, force, body=None) -> Place:
    """The body that a force acts on."""
    place = tables.places[tables.model.name_of(force.body if body is None else body)]
    if isinstance(place.body, Ground):
        raise InputError(f"{force.title} acts on the ground, which does not move; name a body")
    follows = isinstance(force, PointForce) and force.follows
    if (follows or isinstance(force, Torque)) and isinstance(place.body, PointMass):
        raise InputError(f"{force.title} acts on {place.body.title}, which does not turn; use a RigidBody")
    return place


def _user(tables, places, with_tangent):
    """The states that a function of the user's takes; gives the row of the first."""
    first = tables.layout.count(STATE)
    S, C = (_blocks(entries, places) if with_tangent else NONE for entries in (tables.S, tables.C))
    for place in places:
        point, body = (PLANAR_POINT_MASS, PLANAR_BODY) if tables.planar else (POINT_MASS, BODY)
        kind, length = body if isinstance(place.body, RigidBody) else point, length_of(tables, place, places)
        tables.layout.add(
            STATE, x=place.x, r=place.r, v=place.v, kind=kind, S=S, C=C, length=length, speed=speed_of(tables, length)
        )  # fmt: skip
    return first


def _blocks(entries, places):
    """All velocities of some bodies by all, row by row."""
    velocities = [place.v + i for place in places for i in range(place.nv)]
    n = len(velocities)
    return entries.add([row for row in velocities for _ in range(n)], velocities * n)


def _spring(tables, force):
    a, b = (tables.places[tables.model.name_of(body)] for body in (force.a, force.b))
    grips = [_grip(tables, force, a, "at_a", "on_a"), _grip(tables, force, b, "at_b", "on_b")]
    n = 2 if tables.planar else 3
    p_a, p_b = (place.position + place.rotation @ grip["lever"][:n] for place, grip in zip((a, b), grips, strict=True))
    distance = float(np.linalg.norm(p_b - p_a))
    length = distance if force.length is None else float(force.length)
    if not distance > 0.0:
        raise InputError(f"{force.title}: its ends coincide at t0, and it has no direction")
    tables.lengths[force.name] = length
    S, C = (_spring_blocks(entries, a, b) for entries in (tables.S, tables.C))
    tables.layout.add(
        SPRING, stiffness=force.stiffness, damping=force.damping, length=length, dimension=n, a=grips[0], b=grips[1],
        S=S, C=C,
    )  # fmt: skip


def _spring_blocks(entries, a, b):
    """Blocks (a, a), (a, b), (b, a), (b, b), one after the other."""
    ends = [(place.v, place.nv) for place in (a, b) if place.v >= 0]
    rows = [r + i for r, n in ends for _, m in ends for i in range(n) for _ in range(m)]
    cols = [c + j for _, n in ends for c, m in ends for _ in range(n) for j in range(m)]
    return entries.add(rows, cols)


def _coil(tables, force):
    name, (a, b, coordinate) = coordinate_of(tables, force, force.joint)
    if name != "angle":
        raise InputError(f"{force.title} acts on an angle, and {force.joint!r} has none; use a SpringDamper")
    S, C = (_spring_blocks(entries, a, b) for entries in (tables.S, tables.C))
    tables.layout.add(
        COIL, stiffness=force.stiffness, damping=force.damping, rest=force.rest, S=S, C=C, coordinate=coordinate
    )  # fmt: skip


def _motor(tables, force):
    name, (a, b, coordinate) = coordinate_of(tables, force, force.joint)
    S, C = (_spring_blocks(entries, a, b) for entries in (tables.S, tables.C))
    tables.motors[force.name] = tables.layout.count(MOTOR)
    length = min(length_of(tables, place) for place in (a, b) if place.v >= 0)
    unit = length if name == "angle" else 1.0
    speed = speed_of(tables, length) / unit
    tables.layout.add(MOTOR, S=S, C=C, size=length / unit, speed=speed, coordinate=coordinate)


def _bushing(tables, force):
    a, b = (tables.places[tables.model.name_of(body)] for body in (force.a, force.b))
    for place in (a, b):
        if isinstance(place.body, PointMass):
            raise InputError(f"{force.title} holds the rotation of {place.body.title}, which has none; use springs")
    n = 2 if tables.planar else 3
    at, E = b.position if force.at is None else force.vector("at", n), force.frame(n)
    levers = [padded(place.seen(at)) for place in (a, b)]
    axes = [(_full(place.rotation).T @ E).T for place in (a, b)]
    matrices = [_full_motion(force.matrix(name, 3 * (n - 1)), n) for name in ("stiffness", "damping")]
    S, C = (_spring_blocks(entries, a, b) for entries in (tables.S, tables.C))
    tables.layout.add(
        BUSHING, a=end(tables, a), b=end(tables, b), lever_a=levers[0], lever_b=levers[1], axes_a=axes[0],
        axes_b=axes[1], stiffness=matrices[0], damping=matrices[1], S=S, C=C,
    )  # fmt: skip


def _full(R):
    """A rotation of the plane in space."""
    full = np.eye(3)
    full[: len(R), : len(R)] = R
    return full


def _full_motion(matrix, n):
    """A matrix for (x, y, angle) as one for all six motions."""
    if n == 3:
        return matrix
    full = np.zeros((6, 6))
    full[np.ix_((0, 1, 5), (0, 1, 5))] = matrix
    return full


def _grip(tables, force, place, at, on) -> dict:
    """The columns of GRIP; in planar models r is the place of the angle."""
    r = place.q + 2 if tables.planar and place.nq == 3 else place.r
    return {"x": place.x, "r": r, "v": place.v, "lever": padded(end_of(tables, force, place, at, on))}


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

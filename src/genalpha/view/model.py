"""A model along a solution: bodies by their shapes, joints as marks, springs as coils, and their quantities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from genalpha.errors import InputError
from genalpha.model.model import units_in
from genalpha.model.parts.bodies import Ground
from genalpha.model.parts.couplings import Drive
from genalpha.model.parts.forces import JointForce, SpringDamper
from genalpha.model.parts.joints import (
    Distance,
    EdgeRow,
    Fixed,
    Joint,
    LengthRow,
    PointOnLine,
    PointRows,
    Prismatic,
    RollRow,
    SlideRow,
    Spherical,
    Universal,
)
from genalpha.model.parts.shapes import Box, Cylinder, Sphere
from genalpha.view.beams import beam_quantities, radius, tip_track, tube
from genalpha.view.planes import plates
from genalpha.view.rotations import from_matrices, steady
from genalpha.view.rubbing import elements_of, on_contact, sliding_of
from genalpha.view.tracks import Array, BodyTrack, ContactTrack, LineTrack, Quantity, Tracks, half_size

MARK = 0.014
"""The size of marks over the extent of the model."""

FEW = 3
"""Up to so many bodies all leave traces, unless others are named."""

TURNS = 9


def model_tracks(sol, trace: Sequence[str] | None = None) -> Tracks:
    """Everything that can be seen of a model at the rows of a solution."""
    model = sol.system.model
    visible = _visible(model)
    traced = set(_traced([part.name for part in (*visible, *model.flexibles)], trace))
    bodies = [_body(sol, body, body.name in traced) for body in visible]
    gravity = np.append(model.gravity, 0.0)[:3]
    lines = [tube(sol, part, 0.0) for part in model.flexibles]
    tracks = Tracks(bodies, lines, [], _up(gravity, model.planar), None if model.planar else _look(gravity))
    size = _size_of_marks(tracks)
    bodies = [_with_shape(track, size) for track in bodies]
    tubes = [replace(line, radius=radius(part, size)) for part, line in zip(model.flexibles, lines, strict=True)]
    tips = [tip_track(sol, part, size) for part in model.flexibles if part.name in traced]
    tubes += [line for body in visible if body.shape is None for line in _arms(sol, body, size)]
    tubes += [_spring(sol, force.name, size) for force in model.forces if isinstance(force, SpringDamper)]
    tubes += [_rod(sol, joint, size) for joint in model.joints if isinstance(joint, Distance)]
    joints = [_joint(sol, joint, size) for joint in model.joints]
    seen = Tracks([*bodies, *tips, *joints], tubes, list(_contacts(sol)), tracks.up, tracks.look_from)
    if not (seen.bodies or seen.lines):
        return seen
    walls, edges = plates(model, seen)
    return replace(seen, bodies=seen.bodies + walls, lines=seen.lines + edges)


def _visible(model) -> list:
    """Bodies that are drawn; those of beams are not, unless they have a shape."""
    hidden = {node.name for part in model.flexibles for node in part.nodes if node.shape is None}
    return [body for body in model.bodies if body.name not in hidden]


def _contacts(sol) -> Iterator[ContactTrack]:
    """Where contacts push, and how they rub."""
    from genalpha.model.results.contacts import lines  # loads numba

    planar, sliding, friction = sol.system.model.planar, sliding_of(sol), _friction(sol)
    for row, touch in enumerate(sol.system.assembly.touches):
        a, _, direction = lines(touch, sol.q, planar)
        track = ContactTrack(row, a - touch.radius * direction, direction)
        found = on_contact(sliding, row)
        yield track if found is None else replace(track, friction=friction[row], sticks=found[1])


def _friction(sol) -> dict[int, Array]:
    """Friction forces (nf, 3) by the rows of contacts that have them."""
    friction, found = elements_of(sol), {}
    rubbing = () if friction is None else friction.contact
    for name, rows in sol.system.assembly.contact_rows.items():
        gaps = range(rows.start, rows.stop)
        if any(gap in rubbing for gap in gaps):
            forces = sol[name].friction_force.reshape(len(sol.t), len(gaps), 3)
            found |= {gap: forces[:, i] for i, gap in enumerate(gaps)}
    return found


def _size_of_marks(tracks: Tracks) -> float:
    """A small part of the extent, but not much thicker than the bodies are."""
    low, high = tracks.bounds()
    size = MARK * (float(np.max(high - low)) or 1.0)
    thin = [float(np.min(half_size(body.shape))) for body in tracks.bodies if body.shape is not None]
    return min(size, 1.2 * float(np.median(thin))) if thin else size


def _traced(names: list[str], trace: Sequence[str] | None) -> Sequence[str]:
    if trace is None:
        return names if len(names) <= FEW else ()
    unknown = [name for name in trace if name not in names]
    if unknown:
        raise InputError(f"trace: there is no body {unknown[0]!r} in the model; there are {', '.join(names)}")
    return trace


def _up(gravity: Array, planar: bool) -> tuple[float, ...]:
    """Against gravity; y in a plane and z in space without it."""
    length = np.linalg.norm(gravity)
    if length > 0.0:
        return tuple(-gravity / length)
    return (0.0, 1.0, 0.0) if planar else (0.0, 0.0, 1.0)


def _look(gravity: Array) -> tuple[float, ...]:
    """From the front and the right, and a little from above, whichever axis is up."""
    up = np.array(_up(gravity, False))
    side = np.roll(np.abs(np.round(up)), 1)
    front = np.cross(side, up)
    return tuple(0.7 * side + 1.3 * front + 0.6 * up)


def _body(sol, body, trace: bool) -> BodyTrack:
    found = sol[body.name]
    role = "point" if body.shape is None else "body"
    return BodyTrack(body.name, body.shape, found.position, steady(found.orientation), role, trace=trace)


def _with_shape(track: BodyTrack, size: float) -> BodyTrack:
    """A body without a shape is a small ball."""
    if track.shape is not None:
        return track
    ball = Sphere(radius=1.6 * size)
    return BodyTrack(track.name, ball, track.position, track.orientation, "body", trace=track.trace)


def _sides(sol, joint: Joint):
    """(body, its point, its axes) of both sides of a joint."""
    spot = sol.system.assembly.spots[joint.name]
    return (joint.a, spot.s_a, spot.E_a), (joint.b, spot.s_b, spot.E_b)


def _arms(sol, body, size: float) -> Iterator[LineTrack]:
    """A body without a shape reaches from its centre to its joints."""
    for joint in sol.system.model.joints:
        for other, s, _ in _sides(sol, joint):
            if sol.system.model.name_of(other) == body.name:
                ends = np.stack([sol[body.name].position, sol[body.name].point(s)], axis=1)
                yield LineTrack(f"{body.name} to {joint.name}", ends, 0.6 * size)


def _rod(sol, joint: Distance, size: float) -> LineTrack:
    """A straight line between the ends of a massless rod."""
    model, ends = sol.system.model, []
    for body, s, _ in _sides(sol, joint):
        name = model.name_of(body)
        still = np.zeros((len(sol.t), 3))
        still[:, : len(s)] = s
        ends.append(still if name == model.ground.name else sol[name].point(s))
    return LineTrack(joint.name, np.stack(ends, axis=1), 0.5 * size)


def _joint(sol, joint: Joint, size: float) -> BodyTrack:
    """A mark on the body that moves: a pin, a slide, a ball or a block; its axis is the z axis of the shape."""
    model = sol.system.model
    sides = [side for side in _sides(sol, joint) if not isinstance(model.parts[model.name_of(side[0])], Ground)]
    body, s, E = sides[-1]
    found = sol[model.name_of(body)]
    axes = np.eye(3)
    if not model.planar:
        axes = E
    elif isinstance(joint, Prismatic | PointOnLine):  # slides along the first axis
        axes = np.array([[0.0, E[0, 1], E[0, 0]], [0.0, E[1, 1], E[1, 0]], [-1.0, 0.0, 0.0]])
    turn = steady(_normalised(from_matrices(found.rotation @ axes)))
    return BodyTrack(joint.name, _mark(joint, size), found.point(s), turn, "joint")


def _mark(joint: Joint, size: float):
    match joint:
        case Spherical():
            return Sphere(radius=size)
        case Prismatic():
            return Box(size=(1.6 * size, 1.6 * size, 5.0 * size))
        case PointOnLine() | Universal():
            return Sphere(radius=size)
        case Fixed():
            return Box(size=(1.6 * size, 1.6 * size, 1.6 * size))
        case _ if joint.needs_axis:
            return Cylinder(radius=0.9 * size, length=4.0 * size)
    return Sphere(radius=size)


def _spring(sol, name: str, size: float) -> LineTrack:
    """A coil between the ends of a spring."""
    a, b = sol[name].ends
    along = b - a
    length = np.linalg.norm(along, axis=1, keepdims=True)
    along = along / np.where(length > 0.0, length, 1.0)
    # the axis that is least along the spring gives the first direction across it
    helper = np.eye(3)[np.argmin(np.abs(along), axis=1)]
    u = np.cross(along, helper)
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    w = np.cross(along, u)
    s = np.linspace(0.0, 1.0, 16 * TURNS + 1)
    radius = 1.4 * size * np.minimum(1.0, 12.0 * np.minimum(s, 1.0 - s))
    turn = 2.0 * np.pi * TURNS * s
    points = a[:, None] + s[:, None] * (b - a)[:, None]
    points = points + (radius * np.cos(turn))[:, None] * u[:, None] + (radius * np.sin(turn))[:, None] * w[:, None]
    return LineTrack(name, points, 0.25 * size, color="#8a949e")


def _normalised(x: Array) -> Array:
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


def model_quantities(sol) -> Iterator[Quantity]:
    """Angles and displacements of joints, sizes of their forces, lengths and tensions of springs, speeds of bodies."""
    model, units = sol.system.model, units_in(sol.system)
    for joint in model.joints:
        if "angle" in joint.coordinates:
            yield Quantity(f"angle {joint.name}", "angle", sol[joint.name].angle, unit="rad")
        if "displacement" in joint.coordinates:
            values = sol[joint.name].displacement
            yield Quantity(f"displacement {joint.name}", "displacement", values, unit=units.length)
    yield from _efforts(sol)
    for joint in model.joints:
        yield Quantity(f"reaction {joint.name}", "reaction", _reaction(sol, joint), unit=units.force)
    for force in model.forces:
        if isinstance(force, SpringDamper):
            yield Quantity(f"length {force.name}", "length", sol[force.name].length, unit=units.length)
            yield Quantity(f"tension {force.name}", "tension", sol[force.name].tension, unit=units.force)
    yield from beam_quantities(sol)
    for body in _visible(model):
        values = np.linalg.norm(sol[body.name].velocity, axis=1)
        yield Quantity(f"speed {body.name}", "speed", values, unit=units.of("speed"))


def _efforts(sol) -> Iterator[Quantity]:
    """Torques and forces of motors, drives and springs on the coordinates of joints."""
    for part in sol.system.model.parts.values():
        if isinstance(part, Drive | JointForce):
            named = sol[part.name].dimension("effort")
            kinds = {named} if isinstance(named, str) else set(named)  # one for each joint
            unit = units_in(sol.system).of(kinds.pop()) if len(kinds) == 1 else ""
            yield Quantity(f"effort {part.name}", "effort", sol[part.name].effort, unit=unit)


def _reaction(sol, joint: Joint) -> Array:
    """|force| of a joint: the multipliers of points, slides and rolling are its components along unit vectors."""
    system = sol.system
    lam, psi, rows, first = sol[joint.name].lam, sol[joint.name].psi, [], 0
    for row in joint.rows(system.assembly.spots[joint.name]):
        count = (2 if system.model.planar else 3) if isinstance(row, PointRows) else 1
        if isinstance(row, EdgeRow):
            continue
        if isinstance(row, PointRows | SlideRow | LengthRow | RollRow):
            rows += range(first, first + count)
        first += count
    return np.linalg.norm(np.hstack([lam[:, rows], psi]), axis=1)

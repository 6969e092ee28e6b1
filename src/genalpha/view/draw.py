"""A drawing along a solution: its functions evaluated at every frame."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from genalpha.errors import InputError
from genalpha.model.parts.shapes import Cylinder, Sphere, along
from genalpha.view.drawing import Body, Contact, Drawing, Joint, Line, Point
from genalpha.view.quantities import names_of
from genalpha.view.rotations import from_matrices, steady
from genalpha.view.rubbing import on_contact, sliding_of
from genalpha.view.tracks import Array, BodyTrack, ContactTrack, LineTrack, Tracks

PIN, POINT, LINE = 0.016, 0.018, 0.0055
"""Radii of joints, points and lines over the extent of the drawing, where none is given."""


def draw(drawing: Drawing, sol) -> Tracks:
    """The parts of a drawing at the rows of a solution."""
    if not isinstance(drawing, Drawing):
        raise InputError(f"drawing must be a Drawing, not a {type(drawing).__name__}")
    bodies = {part: _body(part, sol) for part in drawing.parts if isinstance(part, Body | Point | Joint)}
    lines = [_line(part, sol) for part in drawing.parts if isinstance(part, Line)]
    contacts = [_contact(part, sol) for part in drawing.parts if isinstance(part, Contact)]
    low, high = Tracks(list(bodies.values()), lines).bounds()
    extent = float(np.max(high - low)) or 1.0
    bodies = [replace(track, shape=_shape(part, extent)) for part, track in bodies.items()]
    lines = [replace(line, radius=LINE * extent) if line.radius is None else line for line in lines]
    return Tracks(bodies, lines, contacts, drawing.up, drawing.look_from)


def _body(part: Body | Point | Joint, sol) -> BodyTrack:
    """Where it is; its shape is added when the extent of the drawing is known."""
    position = _places(part.name, "position", part.position, sol, (3,))
    match part:
        case Body():
            role = "ground" if part.fixed else "body"
            turn = _orientations(part.name, part.orientation, sol)
            return BodyTrack(part.name, part.shape, position, turn, role, part.color, part.trace)
        case Point():
            return BodyTrack(part.name, None, position, _unturned(sol), "point", part.color, part.trace)
        case Joint():
            turn = _unturned(sol) if part.axis is None else np.tile(along(part.axis), (sol.t.size, 1))
            return BodyTrack(part.name, None, position, turn, "joint")


def _shape(part: Body | Point | Joint, extent: float):
    """The shape of a part; marks without a radius get one that suits the extent."""
    if isinstance(part, Body):
        return part.shape
    radius = part.radius or (POINT if isinstance(part, Point) else PIN) * extent
    if isinstance(part, Joint) and part.axis is not None:
        return Cylinder(radius=radius, length=4.0 * radius)
    return Sphere(radius=radius)


def _line(part: Line, sol) -> LineTrack:
    points = _places(part.name, "points", part.points, sol, (-1, 3))
    value = None
    if part.value is not None:
        value = _places(part.name, "value", part.value, sol, (points.shape[1],))
    return LineTrack(part.name, points, part.radius, value, part.label, part.color)


def _contact(part: Contact, sol) -> ContactTrack:
    position = _places(part.name, "position", part.position, sol, (3,))
    direction = _places(part.name, "direction", part.direction, sol, (3,))
    length = np.linalg.norm(direction, axis=1, keepdims=True)
    track = ContactTrack(_row(sol, part.name), position, direction / np.where(length > 0.0, length, 1.0))
    found = on_contact(sliding_of(sol), track.row)
    return track if found is None else replace(track, friction=_friction(part, sol, found[0]), sticks=found[1])


def _friction(part: Contact, sol, force: Array) -> Array:
    """Friction forces in space (nf, 3) from those along the slips of a contact (nf, 1 or 2)."""
    if part.slip is None:
        return np.zeros((len(force), 3))
    rows = force.shape[1]
    along = _places(part.name, "slip", part.slip, sol, (3,) if rows == 1 else (rows, 3)).reshape(-1, rows, 3)
    length = np.linalg.norm(along, axis=2, keepdims=True)
    return np.einsum("ti,tij->tj", force, along / np.where(length > 0.0, length, 1.0))


def _row(sol, name: str) -> int:
    """The row of a contact in ``sol.gap``."""
    names = names_of(sol, "gap", sol.origin.columns.widths["gap"])
    if name not in names:
        known = f"it has {', '.join(map(repr, names))}" if names else "it has none"
        raise InputError(f"the drawing has a Contact {name!r} but the system has no such contact; {known}")
    return names.index(name)


def _places(name: str, what: str, place: Any, sol, shape: tuple[int, ...]) -> Array:
    """A place at all frames, (nf, *shape); -1 in the shape is any number, and two coordinates get z = 0."""
    x = _rows(name, what, place, sol)
    if shape[-1:] == (3,) and x.ndim == 1 + len(shape) and x.shape[-1] == 2:
        x = np.concatenate([x, np.zeros((*x.shape[:-1], 1))], axis=-1)
    fits = x.ndim == 1 + len(shape) and all(want in (-1, size) for want, size in zip(shape, x.shape[1:], strict=True))
    if not fits or (shape[0] == -1 and x.shape[1] < 2):
        wanted = {
            (3,): "two or three coordinates",
            (2, 3): "two directions, (2, 3)",
            (-1, 3): "at least two points, (n, 2) or (n, 3)",
        }
        raise InputError(
            f"drawing, {name!r}: {what} has shape {x.shape[1:]}; it must be "
            f"{wanted.get(tuple(shape), f'{shape[0]} numbers, one for each point')}"
        )
    return x


def _rows(name: str, what: str, place: Any, sol) -> Array:
    """The values of a function of (t, q) at all frames, of expressions, or a constant that many times."""
    t = sol.t
    try:
        if callable(place):
            x = np.array([place(ti, qi) for ti, qi in zip(t, sol.q, strict=True)], dtype=float)
        else:
            x = _constants(place, t.size)
            x = _expressions(place, sol) if x is None else x
    except ValueError as error:
        raise InputError(f"drawing, {name!r}: {what} must give as many numbers for every state: {error}") from error
    if not np.all(np.isfinite(x)):
        raise InputError(f"drawing, {name!r}: {what} is not finite at t = {t[np.argmax(~_finite(x))]:.6g}")
    return x


def _constants(place: Any, n: int) -> Array | None:
    """Numbers at all frames; None if there are others among them."""
    try:
        one = np.asarray(place, dtype=float)
    except TypeError:
        return None
    return np.broadcast_to(one, (n, *one.shape))


def _expressions(place: Any, sol) -> Array:
    """Expressions in the symbols of a system from SymPy, at all frames."""
    entries = np.array(place, dtype=object)
    values = np.array([sol[entry] for entry in entries.flat])
    return values.T.reshape(len(sol.t), *entries.shape)


def _finite(x: Array) -> Array:
    return np.isfinite(x).reshape(len(x), -1).all(axis=1)


def _unturned(sol) -> Array:
    return np.broadcast_to([1.0, 0.0, 0.0, 0.0], (sol.t.size, 4))


def _orientations(name: str, orientation: Any, sol) -> Array:
    """Unit quaternions (nf, 4) from angles about z, quaternions or rotation matrices."""
    x = _rows(name, "orientation", orientation, sol)
    if x[0].size == 1:
        half = 0.5 * x.reshape(-1)
        x = np.stack([np.cos(half), np.zeros_like(half), np.zeros_like(half), np.sin(half)], axis=1)
    elif x.shape[1:] == (3, 3):
        x = from_matrices(x)
    length = np.linalg.norm(x, axis=-1, keepdims=True)
    if x.shape[1:] != (4,) or not np.all(length > 0.0):
        raise InputError(
            f"drawing, {name!r}: orientation has shape {x.shape[1:]}; it must be an angle about z, a quaternion (4,) "
            f"that is not zero, or a rotation matrix (3, 3)"
        )
    return steady(x / length)

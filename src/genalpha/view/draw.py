"""A drawing along a solution: its functions evaluated at every frame."""

from __future__ import annotations

from typing import Any

import numpy as np

from genalpha.errors import InputError
from genalpha.model.shapes import Cylinder, Sphere
from genalpha.view.drawing import Body, Contact, Drawing, Joint, Line, Point
from genalpha.view.tracks import Array, BodyTrack, ContactTrack, LineTrack, Tracks

PIN_SIZE, POINT_SIZE, LINE_SIZE = 0.016, 0.018, 0.0055
"""Radii of joints, points and lines over the extent of the drawing, where none is given."""


def draw(drawing: Drawing, sol, frames) -> Tracks:
    """The parts of a drawing at the given rows of a solution."""
    if not isinstance(drawing, Drawing):
        raise InputError(f"drawing must be a Drawing, not a {type(drawing).__name__}")
    t, q = sol.t[frames], sol.q[frames]
    lines, bodies, contacts = [], [], []
    for part in drawing.parts:
        match part:
            case Line():
                lines.append(_line(part, t, q))
            case Contact():
                contacts.append(_contact(part, sol, t, q))
            case _:
                bodies.append(_body(part, t, q))
    tracks = Tracks(bodies, lines, contacts, drawing.up, drawing.look_from)
    low, high = tracks.bounds()
    return _sized(tracks, float(np.max(high - low)) or 1.0)


def _body(part: Body | Point | Joint, t, q) -> BodyTrack:
    position = _places(part.name, "position", part.position, t, q, (3,))
    match part:
        case Body():
            orientation = _orientations(part.name, part.orientation, t, q)
            role = "ground" if part.fixed else "body"
            return BodyTrack(part.name, part.shape, position, orientation, role, part.color, part.trace)
        case Point():
            shape = Sphere(radius=part.radius or 0.0)
            return BodyTrack(part.name, shape, position, _unturned(t), "point", part.color, part.trace)
        case Joint():
            radius = part.radius or 0.0
            shape = Sphere(radius=radius) if part.axis is None else Cylinder(radius=radius, length=4.0 * radius)
            turn = _unturned(t) if part.axis is None else np.tile(quaternion_to(part.axis), (t.size, 1))
            return BodyTrack(part.name, shape, position, turn, "joint")


def _line(part: Line, t, q) -> LineTrack:
    points = _places(part.name, "points", part.points, t, q, (-1, 3))
    value = None
    if part.value is not None:
        value = _places(part.name, "value", part.value, t, q, (points.shape[1],))
    return LineTrack(part.name, points, part.radius, value, part.label, part.color)


def _contact(part: Contact, sol, t, q) -> ContactTrack:
    position = _places(part.name, "position", part.position, t, q, (3,))
    direction = _places(part.name, "direction", part.direction, t, q, (3,))
    length = np.linalg.norm(direction, axis=1, keepdims=True)
    return ContactTrack(contact_row(sol, part.name), position, direction / np.where(length > 0.0, length, 1.0))


def contact_names(sol) -> list[str]:
    """Names of all contacts: those of the system, "gap[0]" and so on where it has none."""
    given = list((sol.system.names or {}).get("gap", ())) if sol.system is not None else []
    return [given[i] if i < len(given) else f"gap[{i}]" for i in range(sol.gap.shape[1])]


def contact_row(sol, name: str) -> int:
    """The row of a contact in ``sol.gap``."""
    names = contact_names(sol)
    if name not in names:
        known = f"it has {', '.join(map(repr, names))}" if names else "it has none"
        raise InputError(f"the drawing has a Contact {name!r} but the system has no such contact; {known}")
    return names.index(name)


def _sized(tracks: Tracks, extent: float) -> Tracks:
    """Marks and lines without a radius get one that suits the extent."""
    bodies = [_mark(body, extent) for body in tracks.bodies]
    lines = [
        LineTrack(x.name, x.points, LINE_SIZE * extent if x.radius is None else x.radius, x.value, x.label, x.color)
        for x in tracks.lines
    ]
    return Tracks(bodies, lines, tracks.contacts, tracks.up, tracks.look_from)


def _mark(body: BodyTrack, extent: float) -> BodyTrack:
    shape = body.shape
    if body.role not in ("point", "joint") or shape.radius > 0.0:
        return body
    if isinstance(shape, Cylinder):
        shape = Cylinder(radius=PIN_SIZE * extent, length=4.0 * PIN_SIZE * extent)
    else:
        shape = Sphere(radius=(POINT_SIZE if body.role == "point" else PIN_SIZE) * extent)
    return BodyTrack(body.name, shape, body.position, body.orientation, body.role, body.color, body.trace)


def _places(name: str, what: str, place: Any, t, q, shape: tuple[int, ...]) -> Array:
    """A place at all frames, (nf, *shape); -1 in the shape is any number, and two coordinates get z = 0."""
    x = _rows(name, what, place, t, q)
    if shape[-1:] == (3,) and x.ndim == 1 + len(shape) and x.shape[-1] == 2:
        x = np.concatenate([x, np.zeros((*x.shape[:-1], 1))], axis=-1)
    fits = x.ndim == 1 + len(shape) and all(want in (-1, size) for want, size in zip(shape, x.shape[1:], strict=True))
    if not fits or (shape[0] == -1 and x.shape[1] < 2):
        wanted = {(3,): "two or three coordinates", (-1, 3): "at least two points, (n, 2) or (n, 3)"}
        raise InputError(
            f"drawing, {name!r}: {what} has shape {x.shape[1:]}; it must be "
            f"{wanted.get(tuple(shape), f'{shape[0]} numbers, one for each point')}"
        )
    return x


def _rows(name: str, what: str, place: Any, t, q) -> Array:
    """The values of a function of (t, q) at all frames, or a constant that many times."""
    try:
        if not callable(place):
            one = np.asarray(place, dtype=float)
            x = np.broadcast_to(one, (t.size, *one.shape))
        else:
            x = np.array([place(ti, qi) for ti, qi in zip(t, q, strict=True)], dtype=float)
    except ValueError as error:
        raise InputError(f"drawing, {name!r}: {what} must give as many numbers for every state: {error}") from error
    if not np.all(np.isfinite(x)):
        raise InputError(f"drawing, {name!r}: {what} is not finite at t = {t[np.argmax(~_finite(x))]:.6g}")
    return x


def _finite(x: Array) -> Array:
    return np.isfinite(x).reshape(len(x), -1).all(axis=1)


def _unturned(t) -> Array:
    return np.broadcast_to([1.0, 0.0, 0.0, 0.0], (t.size, 4))


def _orientations(name: str, orientation: Any, t, q) -> Array:
    """Unit quaternions (nf, 4) from angles about z, quaternions or rotation matrices."""
    x = _rows(name, "orientation", orientation, t, q)
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


def steady(rows: Array) -> Array:
    """Of q and −q, the same rotation, the one that is nearer to the row before."""
    sign = np.sign(np.einsum("ij,ij->i", rows[1:], rows[:-1]))
    factor = np.concatenate([[1.0], np.cumprod(np.where(sign == 0.0, 1.0, sign))])
    return rows * factor[:, None]


def from_matrices(R: Array) -> Array:
    """Quaternions (n, 4), not normalised, of rotation matrices (n, 3, 3).

    Each of the four columns of 4 x xᵀ is a multiple of x; the one with the largest diagonal is taken (Shepperd 1978).
    """
    (a, b, c), (d, e, f), (g, h, i) = np.moveaxis(R, 0, -1)
    outer = np.array([
        [1 + a + e + i, h - f, c - g, d - b],
        [h - f, 1 + a - e - i, b + d, c + g],
        [c - g, b + d, 1 - a + e - i, f + h],
        [d - b, c + g, f + h, 1 - a - e + i],
    ])  # fmt: skip
    best = np.argmax(np.einsum("iin->in", outer), axis=0)
    return outer[best, :, np.arange(len(R))]


def quaternion_to(axis) -> Array:
    """The shortest rotation that turns z into an axis."""
    a = np.asarray(axis, dtype=float)
    a = a / np.linalg.norm(a)
    if a[2] < -1.0 + 1e-12:
        return np.array([0.0, 1.0, 0.0, 0.0])
    x = np.array([1.0 + a[2], -a[1], a[0], 0.0])
    return x / np.linalg.norm(x)

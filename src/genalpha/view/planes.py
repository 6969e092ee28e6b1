"""What bodies of a model hit or roll on: planes as plates that reach a little beyond what moves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from genalpha.model.parts.contacts import Contact, ContactGroup, Plane
from genalpha.model.parts.rolling import Rolling
from genalpha.model.parts.shapes import Box
from genalpha.view.rotations import from_matrices
from genalpha.view.tracks import Array, BodyTrack, LineTrack, Tracks

MARGIN, THICK, DEPTH = 0.06, 0.012, 0.3
"""Of plates, over the extent of the model: how far they reach beyond it, their thickness, their depth in a plane."""


class Side(NamedTuple):
    """A plane that does not move: its name, a point and the unit normal (3,), towards what may touch it."""

    name: str
    point: Array
    normal: Array


def plates(model, tracks: Tracks) -> tuple[list[BodyTrack], list[LineTrack]]:
    """Plates of the planes that do not move; only the edges of those that would hide what moves."""
    low, high = tracks.bounds()
    extent = float(np.max(high - low)) or 1.0
    if model.planar:
        low[2], high[2] = min(low[2], -0.5 * DEPTH * extent), max(high[2], 0.5 * DEPTH * extent)
    frames = len(tracks.bodies[0].position if tracks.bodies else tracks.lines[0].points)
    look = np.array([0.0, 0.0, 1.0] if tracks.look_from is None else tracks.look_from)
    bodies, lines = [], []
    for side in _different(_sides(model)):
        corners = np.array(np.meshgrid(*zip(low, high, strict=True))).reshape(3, -1).T
        height = (corners - side.point) @ side.normal
        if height.min() > extent or height.max() < 0.0:  # far away, or behind all that moves
            continue
        axes = _axes(side.normal)
        along = (corners - side.point) @ axes[:, :2]
        reach = 0.5 * np.ptp(along, axis=0) + MARGIN * extent
        middle = side.point + axes[:, :2] @ (0.5 * (along.min(axis=0) + along.max(axis=0)))
        if side.normal @ look < -0.2 * np.linalg.norm(look):
            signs = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1)])
            points = middle + (signs * reach) @ axes[:, :2].T
            lines.append(LineTrack(side.name, np.tile(points, (frames, 1, 1)), 0.3 * THICK * extent, color="#8a949e"))
            continue
        shape = Box((2.0 * reach[0], 2.0 * reach[1], THICK * extent))
        place = middle - 0.5 * THICK * extent * side.normal
        turn = from_matrices(axes[None])
        turn /= np.linalg.norm(turn)
        bodies.append(BodyTrack(side.name, shape, np.tile(place, (frames, 1)), np.tile(turn, (frames, 1)), "ground"))
    return bodies, lines


def _sides(model) -> Iterator[Side]:
    """The fixed planes of contacts, of groups of them, and of what rolls on the ground."""
    for part in model.contacts:
        if isinstance(part, Contact) and isinstance(part.b, Plane):
            yield from _fixed(model, part.name, part.b)
        elif isinstance(part, ContactGroup):
            for plane in part.planes:
                yield from _fixed(model, f"{part.name} {plane.name}", plane)
    n = 2 if model.planar else 3
    for joint in model.joints:
        if isinstance(joint, Rolling) and model.name_of(joint.a) == model.ground.name:
            point = np.zeros(n) if joint.plane is None else np.asarray(joint.plane, dtype=float)
            yield Side(f"plane of {joint.name}", _spatial(point), _spatial(joint.up(model.planar)))


def _fixed(model, name: str, plane: Plane) -> Iterator[Side]:
    if plane.body is None or model.name_of(plane.body) == model.ground.name:
        yield Side(name, *map(_spatial, plane.numbers(model.planar, name)))


def _different(sides: Iterator[Side]) -> list[Side]:
    """Each plane once, however many bodies touch it; names of others are in use already."""
    found: list[Side] = []
    for side in sides:
        same = (
            np.allclose(side.normal, one.normal) and abs((side.point - one.point) @ one.normal) < 1e-9 for one in found
        )
        if not any(same):
            found.append(side)
    return found


def _spatial(x) -> Array:
    return np.append(np.asarray(x, dtype=float), 0.0)[:3]


def _axes(normal: Array) -> Array:
    """Two directions in the plane, along axes of space where that can be, and its normal, as columns."""
    helper = np.eye(3)[np.argmin(np.abs(normal) - [0.0, 0.0, 1e-9])]
    second = np.cross(normal, helper)
    second /= np.linalg.norm(second)
    return np.column_stack([np.cross(second, normal), second, normal])

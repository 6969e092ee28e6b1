"""What a scene is made of: arrays over frames, the same whether they come from a drawing or from a model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from genalpha.errors import InputError
from genalpha.model.parts.shapes import Box, Capsule, Cone, Cylinder, Mesh, Sphere

Array = NDArray[np.float64]
Role = Literal["body", "ground", "joint", "point"]


@dataclass(frozen=True, eq=False)
class BodyTrack:
    """A shape that moves: position (nf, 3), orientation (nf, 4) as unit quaternions, scalar part first."""

    name: str
    shape: Any
    position: Array
    orientation: Array
    role: Role = "body"
    color: str | None = None
    trace: bool = False


@dataclass(frozen=True, eq=False)
class LineTrack:
    """A tube: points (nf, n, 3), and values (nf, n) that colour it."""

    name: str
    points: Array
    radius: float | None = None
    value: Array | None = None
    label: str = ""
    color: str | None = None


@dataclass(frozen=True, eq=False)
class ContactTrack:
    """Where a contact acts: position and direction (nf, 3) of the push; ``row`` is its index in ``sol.gap``.

    With friction also its force (nf, 3), zero where its direction is not known, and whether the contact sticks (nf,).
    """

    row: int
    position: Array
    direction: Array
    friction: Array | None = None
    sticks: NDArray[np.bool_] | None = None


class Quantity(NamedTuple):
    """A curve: its name, the group that it is plotted with, its values, whether to plot their logarithm, its unit."""

    name: str
    group: str
    values: Array
    log: bool = False
    unit: str = ""


@dataclass(frozen=True, eq=False)
class Tracks:
    """Everything that moves, over the same frames; which way is up, and from where it is first seen."""

    bodies: list[BodyTrack] = field(default_factory=list)
    lines: list[LineTrack] = field(default_factory=list)
    contacts: list[ContactTrack] = field(default_factory=list)
    up: tuple[float, ...] = (0.0, 1.0, 0.0)
    look_from: tuple[float, ...] | None = None

    def and_(self, more: Tracks) -> Tracks:
        """These and more parts; up is as here."""
        bodies, lines, contacts = self.bodies + more.bodies, self.lines + more.lines, self.contacts + more.contacts
        return Tracks(bodies, lines, contacts, self.up, self.look_from)

    def bounds(self) -> tuple[Array, Array]:
        """The lowest and the highest corner of all places over all frames, bodies with their size."""
        low, high = np.full(3, np.inf), np.full(3, -np.inf)
        for body in self.bodies:
            if body.role != "ground":
                low, high = _around(low, high, *_corners(body))
        for line in self.lines:
            radius = line.radius or 0.0
            low, high = _around(low, high, line.points.min(axis=(0, 1)) - radius, line.points.max(axis=(0, 1)) + radius)
        if not np.all(np.isfinite(low)):
            return np.zeros(3) - 0.5, np.zeros(3) + 0.5
        extent = float(np.max(high - low))
        for body in self.bodies:
            # what stands around is looked at too, but a floor without end does not decide how far away we stand
            if body.role == "ground" and np.max(half_size(body.shape)) < extent:
                low, high = _around(low, high, *_corners(body))
        return low, high


def _around(low: Array, high: Array, a: Array, b: Array) -> tuple[Array, Array]:
    return np.minimum(low, a), np.maximum(high, b)


def _corners(body: BodyTrack) -> tuple[Array, Array]:
    """The lowest and the highest corner of a body over all frames."""
    if body.shape is None:  # a mark whose size is not known yet
        return body.position.min(axis=0), body.position.max(axis=0)
    from genalpha.math import so3  # loads numba

    reach = _reach(body.shape, so3.matrix(body.orientation))
    return (body.position - reach).min(axis=0), (body.position + reach).max(axis=0)


def _reach(shape: Any, R: Array) -> Array:
    """How far a turned shape reaches along x, y and z (nf, 3), from its origin."""
    half = half_size(shape)
    if isinstance(shape, Cylinder | Cone | Capsule):
        axis = np.abs(R[:, :, 2])
        round_part = 1.0 if isinstance(shape, Capsule) else np.sqrt(np.maximum(1.0 - axis**2, 0.0))
        along = half[2] - (shape.radius if isinstance(shape, Capsule) else 0.0)
        return along * axis + shape.radius * round_part
    return np.broadcast_to(half, (len(R), 3)) if isinstance(shape, Sphere) else np.abs(R) @ half


def half_size(shape: Any) -> Array:
    """Half of the edges (3,) of the box around the origin that contains a shape."""
    match shape:
        case Box(size=size):
            return 0.5 * np.asarray(size, dtype=float)
        case Sphere(radius=radius):
            return np.full(3, float(radius))
        case Cylinder(radius=radius, length=length):
            return np.array([radius, radius, 0.5 * length])
        case Cone(radius=radius, length=length):
            return np.array([radius, radius, 0.75 * length])
        case Capsule(radius=radius, length=length):
            return np.array([radius, radius, radius + 0.5 * length])
        case Mesh(vertices=vertices):
            return np.abs(np.asarray(vertices, dtype=float)).max(axis=0)
    raise InputError(f"a {type(shape).__name__} is no shape; take Box, Sphere, Cylinder, Capsule, Cone or Mesh")

"""Where bodies are: their places among the coordinates, and their poses at t0."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from genalpha.errors import InputError
from genalpha.inputs import Array, finite
from genalpha.math import so3
from genalpha.model.parts.bodies import Body, Ground, PointMass, RigidBody


@dataclass(frozen=True, eq=False)
class Place:
    """Where a body is among the coordinates, and its pose at t0.

    Attributes
    ----------
    body : Body
    q, v, nq, nv : int
        First coordinate, first velocity, and how many. The ground has v = −1.
    x, r : int
        Place of the position and of the quaternion in q; −1: none.
    position : ndarray (3,) or (2,)
    rotation : ndarray (3, 3) or (2, 2)
    angle : float
        Of planar bodies.
    """

    body: Body
    q: int
    v: int
    nq: int
    nv: int
    x: int
    r: int
    position: Array
    rotation: Array
    angle: float = 0.0

    @property
    def turns(self) -> bool:
        """Has it a rotation in space?"""
        return self.r >= 0

    @property
    def on_se3(self) -> bool:
        return self.r >= 0 and self.x < 0

    def seen(self, point: Array) -> Array:
        """A point in space as seen from the body, at t0."""
        return self.rotation.T @ (point - self.position)


def place_of_ground(ground: Ground, planar: bool) -> Place:
    """The ground has no coordinates."""
    n = 2 if planar else 3
    return Place(ground, -1, -1, 0, 0, -1, -1, np.zeros(n), np.eye(n))


def place_of(body: RigidBody | PointMass, q: int, v: int, planar: bool) -> Place:
    """The place of a body whose first coordinate is q and whose first velocity is v."""
    n = 2 if planar else 3
    # the default, three zeros, is right in a plane too
    given = finite(body.position)
    three = given is not None and given.shape == (3,)
    position = body.vector_or_zero("position", n) if three else body.vector("position", n)
    if isinstance(body, PointMass):
        return Place(body, q, v, n, n, q, -1, position, np.eye(n))
    if planar:
        angle = _planar_angle(body)
        c, s = np.cos(angle), np.sin(angle)
        return Place(body, q, v, 3, 3, q, -1, position, np.array([[c, -s], [s, c]]), angle)
    rotation = so3.matrix(quaternion(body))
    if body.group == "SE3":
        return Place(body, q, v, 8, 6, -1, q, position, rotation)
    return Place(body, q, v, 7, 6, q, q + 3, position, rotation)


def quaternion(body: RigidBody) -> Array:
    """The orientation of a body, w, x, y, z."""
    p = body.vector("orientation", 4)
    length = float(np.linalg.norm(p))
    if not abs(length - 1.0) < 1e-6:
        raise InputError(f"{body.title}: orientation has the length {length:.6g}; a unit quaternion w, x, y, z has 1")
    return p / length


def _planar_angle(body: RigidBody) -> float:
    if np.ndim(body.orientation) == 0:
        return float(body.vector("orientation", 1)[0])
    if tuple(np.ravel(body.orientation)) == (1.0, 0.0, 0.0, 0.0):
        return 0.0
    raise InputError(f"{body.title}: orientation = {body.orientation!r} must be an angle in a planar model")

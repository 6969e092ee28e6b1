"""Where bodies are: their places among the coordinates, and their poses at t0 and along a trajectory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from genalpha.errors import InputError
from genalpha.inputs import Array, finite
from genalpha.math import se3, so3
from genalpha.model.parts.bodies import Body, Ground, PointMass, RigidBody
from genalpha.model.parts.forces import States


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


def rotations(place: Place, q: Array, planar: bool) -> Array:
    """Rotation matrices (nt, 3, 3)."""
    n = len(q)
    if place.turns:
        return so3.matrix(q[:, place.r : place.r + 4])
    R = np.broadcast_to(np.eye(3), (n, 3, 3)).copy()
    if planar and isinstance(place.body, RigidBody):
        c, s = np.cos(q[:, place.q + 2]), np.sin(q[:, place.q + 2])
        R[:, 0, 0], R[:, 0, 1], R[:, 1, 0], R[:, 1, 1] = c, -s, s, c
    return R


def positions(place: Place, q: Array, planar: bool) -> Array:
    """Positions (nt, 3), in the plane z = 0 for planar models."""
    if isinstance(place.body, Ground):
        return np.zeros((len(q), 3))
    if place.on_se3:
        return se3.unpack(q[:, place.r : place.r + 8])[0]
    n = 2 if planar else 3
    x = np.zeros((len(q), 3))
    x[:, :n] = q[:, place.x : place.x + n]
    return x


def velocities(place: Place, q: Array, v: Array, planar: bool) -> tuple[Array, Array]:
    """Velocity of the centre of mass and angular velocity, in space, (nt, 3) each."""
    velocity, spin = np.zeros((len(q), 3)), np.zeros((len(q), 3))
    if isinstance(place.body, Ground):
        return velocity, spin
    n = 2 if planar else 3
    velocity[:, :n] = v[:, place.v : place.v + n]
    if place.turns:
        R = rotations(place, q, planar)
        spin = np.einsum("tij,tj->ti", R, v[:, place.v + 3 : place.v + 6])
        if place.on_se3:
            velocity = np.einsum("tij,tj->ti", R, velocity)
    elif planar and isinstance(place.body, RigidBody):
        spin[:, 2] = v[:, place.v + 2]
    return velocity, spin


def states(places: Sequence[Place], q: Array, v: Array, planar: bool) -> States:
    """What a function of the user's gets, of one state."""
    rates = [velocities(place, q[None], v[None], planar) for place in places]
    return States(
        np.array([positions(place, q[None], planar)[0] for place in places]),
        np.array([rotations(place, q[None], planar)[0] for place in places]),
        np.array([velocity[0] for velocity, _ in rates]),
        np.array([spin[0] for _, spin in rates]),
    )


def in_space(vector: Array) -> Array:
    """A vector of the plane, or of space, with three entries."""
    return np.concatenate([vector, np.zeros(3 - len(vector))])


def points(place: Place, q: Array, s: Array, planar: bool) -> Array:
    """A point of a body, in space (nt, 3)."""
    return positions(place, q, planar) + rotations(place, q, planar) @ in_space(s)


def point_velocities(place: Place, q: Array, v: Array, at: Array, planar: bool) -> Array:
    """Velocities (nt, 3) of what a body has at points ``at`` (nt, 3) of space."""
    velocity, spin = velocities(place, q, v, planar)
    return velocity + np.cross(spin, at - positions(place, q, planar))


@dataclass(frozen=True)
class Pose:
    """Where a body is at states q: ``rotation`` (nt, 3, 3) and ``position`` (nt, 3), computed when they are wanted."""

    place: Place
    q: Array
    planar: bool

    @property
    def rotation(self) -> Array:
        return rotations(self.place, self.q, self.planar)

    @property
    def position(self) -> Array:
        return positions(self.place, self.q, self.planar)

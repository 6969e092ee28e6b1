"""Poses and velocities of bodies, at states (nt, nq), (nt, nv) along a trajectory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from genalpha.inputs import Array
from genalpha.math import se3, so3
from genalpha.model.parts.bodies import Ground, RigidBody
from genalpha.model.parts.forces import States
from genalpha.model.places import Place


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

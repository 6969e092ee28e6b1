"""Results of bodies by name: motion and kinetic energy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import ArrayLike

from genalpha.errors import InputError
from genalpha.model.parts.bodies import PointMass, RigidBody
from genalpha.model.places import points, positions, rotations, velocities
from genalpha.model.results.forces import potential
from genalpha.model.results.part import Array, PartResult

if TYPE_CHECKING:
    from genalpha.model.places import Place
    from genalpha.model.system import ModelSystem


def kinetic(system: ModelSystem, name: str, q: Array, v: Array) -> Array:
    """Kinetic energy (nt,) of a body."""
    place, planar = system.assembly.places[name], system.model.planar
    body = cast(RigidBody | PointMass, place.body)
    n = 2 if planar else 3
    energy = 0.5 * body.mass_used * np.sum(v[:, place.v : place.v + n] ** 2, axis=1)
    if isinstance(body, RigidBody):
        spin = v[:, place.v + n : place.v + place.nv]
        energy += 0.5 * np.einsum("ti,ij,tj->t", spin, body.inertia_used(planar), spin)
    return energy


@dataclass(frozen=True)
class BodyResult(PartResult):
    """Motion of a body, in space; planar bodies move in the plane z = 0.

    Attributes
    ----------
    position, velocity, acceleration, angular_velocity : ndarray (nt, 3)
    orientation : ndarray (nt, 4)
        Unit quaternions w, x, y, z.
    rotation : ndarray (nt, 3, 3)
    angle : ndarray (nt,)
        Of planar bodies; it counts turns.
    force : ndarray (nt, 3)
        The sum of all forces on it, its weight and reactions included: mass times acceleration.
    torque : ndarray (nt, 3)
        The sum of all torques about its centre of mass: how its angular momentum changes.
    kinetic_energy, potential_energy, energy : ndarray (nt,)
        The potential energy is that of its weight; the last one is the sum.
    """

    @property
    def _place(self) -> Place:
        return self.system.assembly.places[self.name]

    @property
    def position(self) -> Array:
        return positions(self._place, self.solution.q, self.planar)

    @property
    def rotation(self) -> Array:
        return rotations(self._place, self.solution.q, self.planar)

    @property
    def orientation(self) -> Array:
        if self._place.turns:
            return self.solution.q[:, self._place.r : self._place.r + 4]
        p = np.zeros((len(self.solution.t), 4))
        angle = self.angle if self.planar and isinstance(self._place.body, RigidBody) else 0.0
        p[:, 0], p[:, 3] = np.cos(0.5 * angle), np.sin(0.5 * angle)
        return p

    @property
    def angle(self) -> Array:
        if not self.planar or isinstance(self._place.body, PointMass):
            raise InputError(f"{self._place.body.title} has no angle; its orientation is a quaternion")
        return self.solution.q[:, self._place.q + 2]

    @property
    def velocity(self) -> Array:
        return velocities(self._place, self.solution.q, self.solution.v, self.planar)[0]

    @property
    def angular_velocity(self) -> Array:
        return velocities(self._place, self.solution.q, self.solution.v, self.planar)[1]

    @property
    def acceleration(self) -> Array:
        place, q, planar = self._place, self.solution.q, self.planar
        a = velocities(place, q, self.solution.vdot, planar)[0]
        if place.on_se3:  # ẍ = R (U̇ + Ω × U)
            v = self.solution.v[:, place.v : place.v + 6]
            a = a + np.einsum("tij,tj->ti", self.rotation, np.cross(v[:, 3:], v[:, :3]))
        return a

    @property
    def kinetic_energy(self) -> Array:
        return kinetic(self.system, self.name, self.solution.q, self.solution.v)

    @property
    def potential_energy(self) -> Array:
        return potential(self.system, self.name, self.solution.q)

    @property
    def energy(self) -> Array:
        return self.kinetic_energy + self.potential_energy

    @property
    def force(self) -> Array:
        return cast(RigidBody | PointMass, self._place.body).mass_used * self.acceleration

    @property
    def torque(self) -> Array:
        place, vdot = self._place, self.solution.vdot
        torque = np.zeros((len(vdot), 3))
        if not isinstance(place.body, RigidBody):
            return torque
        J = place.body.inertia_used(self.planar)
        if self.planar:
            torque[:, 2] = J[0, 0] * vdot[:, place.v + 2]
            return torque
        spin = self.solution.v[:, place.v + 3 : place.v + 6]  # J Ω̇ + Ω × J Ω, in the axes of the body
        change = vdot[:, place.v + 3 : place.v + 6] @ J.T + np.cross(spin, spin @ J.T)
        return np.einsum("tij,tj->ti", self.rotation, change)

    def _absent(self) -> tuple[str, ...]:
        return () if self.planar and isinstance(self._place.body, RigidBody) else ("angle",)

    def main(self) -> tuple[str, ...]:
        return ("position", *(("angle",) if "angle" in self.quantities else ()), "velocity")

    def point(self, s: ArrayLike) -> Array:
        """A point ``s`` of the body, in space (nt, 3)."""
        return points(self._place, self.solution.q, np.asarray(s, dtype=float), self.planar)

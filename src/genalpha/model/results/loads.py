"""Results of loads by name: of forces at points, of torques, and of functions of the user's."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from genalpha.model.parts.forces import PointForce, States, Torque
from genalpha.model.places import point_velocities, points, positions, rotations, velocities
from genalpha.model.results.part import Array, PartResult
from genalpha.system.functions import returned


@dataclass(frozen=True)
class LoadResult(PartResult):
    """A force at a point of a body, or a torque on it.

    Attributes
    ----------
    force, torque : ndarray (nt, 3)
        On the body, in space; the torque is that about the point.
    position : ndarray (nt, 3)
        Where it acts; of a torque the centre of mass.
    power : ndarray (nt,)
        What it gives to the motion.
    """

    @property
    def _is_torque(self) -> bool:
        return isinstance(self.part, Torque)

    @cached_property
    def _load(self) -> Array:
        """The force or the torque (nt, 3), in space."""
        part, times, n_t = self.part, self.solution.t, len(self.solution.t)
        given: Any = part.force if isinstance(part, PointForce) else part.torque
        rows = [given(t) for t in times.tolist()] if callable(given) else [given]
        values = np.array(rows, dtype=float).reshape(len(rows), -1)
        load = np.zeros((n_t, 3))
        first = 2 if self.planar and self._is_torque else 0  # a torque in a plane is about z
        n = 1 if first else 2 if self.planar else 3
        load[:, first : first + n] = values[:, :n]
        if part.follows:
            R = rotations(self.place_of(part.body), self.solution.q, self.planar)
            load = np.einsum("tij,tj->ti", R, load)
        return load

    @property
    def force(self) -> Array:
        return np.zeros_like(self._load) if self._is_torque else self._load

    @property
    def torque(self) -> Array:
        return self._load if self._is_torque else np.zeros_like(self._load)

    @property
    def position(self) -> Array:
        place, q = self.place_of(self.part.body), self.solution.q
        if self._is_torque:
            return positions(place, q, self.planar)
        return points(place, q, self.system.assembly.end_of(self.part, place), self.planar)

    @property
    def power(self) -> Array:
        place, q, v = self.place_of(self.part.body), self.solution.q, self.solution.v
        if self._is_torque:
            return np.sum(self._load * velocities(place, q, v, self.planar)[1], axis=1)
        return np.sum(self._load * point_velocities(place, q, v, self.position, self.planar), axis=1)

    def main(self) -> tuple[str, ...]:
        return ("torque",) if self._is_torque else ("force",)


@dataclass(frozen=True)
class UserForceResult(PartResult):
    """A force of the user's: on one body vectors (nt, 3), on n bodies (nt, n, 3).

    Attributes
    ----------
    force, torque : ndarray
        On each of its bodies, at the centre of mass, in space.
    power : ndarray (nt,)
        What it gives to the motion, of all bodies.
    """

    @cached_property
    def _given(self) -> tuple[Array, Array, Array]:
        """Forces and torques (nt, bodies, 6), velocities and spins (nt, bodies, 3)."""
        part, sol, planar = self.part, self.solution, self.planar
        places = [self.place_of(body) for body in part.bodies]
        x, R = (np.stack([of(place, sol.q, planar) for place in places], axis=1) for of in (positions, rotations))
        pairs = [velocities(place, sol.q, sol.v, planar) for place in places]
        velocity, spin = (np.stack([pair[k] for pair in pairs], axis=1) for k in (0, 1))
        load, shape = np.zeros((len(sol.t), len(places), 6)), (len(places), 6)
        for i, t in enumerate(sol.t.tolist()):
            given = part.function(t, States(x[i], R[i], velocity[i], spin[i]))
            load[i] = returned(f"{part.title}: its function", given, shape, t)
        if planar:
            load *= [1.0, 1.0, 0.0, 0.0, 0.0, 1.0]
        return load, velocity, spin

    def _of_bodies(self, columns: Array) -> Array:
        return columns[:, 0] if columns.shape[1] == 1 else columns

    @property
    def force(self) -> Array:
        return self._of_bodies(self._given[0][..., :3])

    @property
    def torque(self) -> Array:
        return self._of_bodies(self._given[0][..., 3:])

    @property
    def power(self) -> Array:
        load, velocity, spin = self._given
        return np.sum(load[..., :3] * velocity, axis=(1, 2)) + np.sum(load[..., 3:] * spin, axis=(1, 2))

    def main(self) -> tuple[str, ...]:
        return "force", "power"

    def items(self, quantity: str) -> list[str]:
        several = len(self.part.bodies) > 1 and quantity != "power"
        return [self.system.model.name_of(body) for body in self.part.bodies] if several else []

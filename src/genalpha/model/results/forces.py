"""Results of springs by name, and the potential energy of all forces that have one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from genalpha.model.parts.bodies import PointMass, RigidBody
from genalpha.model.parts.forces import Bushing, SpringDamper, TorsionSpring
from genalpha.model.places import point_velocities, points, positions
from genalpha.model.results.joints import potential_of
from genalpha.model.results.part import Array, PartResult

if TYPE_CHECKING:
    from genalpha.model.system import ModelSystem


def potential(system: ModelSystem, name: str, q: Array) -> Array:
    """Potential energy (nt,) of a body's weight, of a spring or of a bushing."""
    part: Any = system.model.parts[name]
    planar, places = system.model.planar, system.assembly.places
    if isinstance(part, RigidBody | PointMass):
        gravity = system.model.gravity
        return -part.mass_used * positions(places[name], q, planar)[:, : len(gravity)] @ gravity
    if isinstance(part, TorsionSpring | Bushing):
        return potential_of(system, part, q)
    length = spring_line(system, part, q)[1]
    return 0.5 * part.stiffness * (length - system.assembly.lengths[name]) ** 2


def spring_line(system: ModelSystem, spring: SpringDamper, q: Array) -> tuple[Array, Array, list[Array]]:
    """Direction (nt, 3) and length (nt,) of a spring, and its ends."""
    assembly, planar = system.assembly, system.model.planar
    ends: list[Array] = []
    for body, at, on in ((spring.a, "at_a", "on_a"), (spring.b, "at_b", "on_b")):
        place = assembly.places[system.model.name_of(body)]
        ends.append(points(place, q, assembly.end_of(spring, place, at, on), planar))
    line = ends[1] - ends[0]
    length = np.linalg.norm(line, axis=1)
    return line / length[:, None], length, ends


@dataclass(frozen=True)
class SpringResult(PartResult):
    """A spring-damper.

    Attributes
    ----------
    length, tension : ndarray (nt,)
        Of spring and damper together; positive where it pulls.
    force, torque : ndarray (nt, 3)
        On body b, at its end there, in space: along the line, without a torque.
    energy : ndarray (nt,)
        Of the spring.
    power : ndarray (nt,)
        What it gives to the motion.
    ends : list of ndarray (nt, 3)
        In space, on a and on b.
    """

    @property
    def length(self) -> Array:
        return spring_line(self.system, self.part, self.solution.q)[1]

    @property
    def ends(self) -> list[Array]:
        return spring_line(self.system, self.part, self.solution.q)[2]

    @property
    def energy(self) -> Array:
        return potential(self.system, self.name, self.solution.q)

    def _pull(self) -> tuple[Array, Array, Array]:
        """Direction from a to b, tension, and how fast it grows longer."""
        spring = self.part
        direction, length, ends = spring_line(self.system, spring, self.solution.q)
        rate_a, rate_b = (
            point_velocities(self.place_of(body), self.solution.q, self.solution.v, end, self.planar)
            for body, end in zip((spring.a, spring.b), ends, strict=True)
        )
        stretching = np.einsum("ti,ti->t", direction, rate_b - rate_a)
        stretch = length - self.system.assembly.lengths[self.name]
        return direction, spring.stiffness * stretch + spring.damping * stretching, stretching

    @property
    def tension(self) -> Array:
        return self._pull()[1]

    @property
    def force(self) -> Array:
        direction, tension, _ = self._pull()
        return -tension[:, None] * direction

    @property
    def torque(self) -> Array:
        return np.zeros((len(self.solution.t), 3))

    @property
    def power(self) -> Array:
        _, tension, stretching = self._pull()
        return -tension * stretching

    def main(self) -> tuple[str, ...]:
        return "length", "tension"

"""Results by name: motion of bodies, reactions and coordinates of joints, tension of springs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from genalpha.errors import InputError
from genalpha.model.beam_results import BeamResult
from genalpha.model.beams import Flexible
from genalpha.model.bodies import Body, Ground, PointMass, RigidBody
from genalpha.model.contacts import Contact, ContactGroup
from genalpha.model.coordinate_tables import joint_of
from genalpha.model.couplings import Constraint
from genalpha.model.forces import Bushing, JointForce, SpringDamper, TorsionSpring
from genalpha.model.joint_results import BushingResult, ConstraintResult, JointForceResult, JointResult, potential_of
from genalpha.model.joints import Joint
from genalpha.model.part_result import Array, PartResult
from genalpha.model.poses import point_velocities, points, positions, rotations, velocities
from genalpha.model.reactions import Reactions


def kinetic(system, name, q, v) -> Array:
    """Kinetic energy (nt,) of a body."""
    place, planar = system.assembly.places[name], system.model.planar
    body = place.body
    n = 2 if planar else 3
    energy = 0.5 * body.mass_used * np.sum(v[:, place.v : place.v + n] ** 2, axis=1)
    if isinstance(body, RigidBody):
        spin = v[:, place.v + n : place.v + place.nv]
        energy += 0.5 * np.einsum("ti,ij,tj->t", spin, body.inertia_used(planar), spin)
    return energy


def potential(system, name, q) -> Array:
    """Potential energy (nt,) of a body's weight, of a spring or of a bushing."""
    part, planar, places = system.model.parts[name], system.model.planar, system.assembly.places
    if isinstance(part, Body):
        gravity = system.model.gravity
        return -part.mass_used * positions(places[name], q, planar)[:, : len(gravity)] @ gravity
    if isinstance(part, TorsionSpring | Bushing):
        return potential_of(system, part, q)
    length = spring_line(system, part, q)[1]
    return 0.5 * part.stiffness * (length - system.assembly.lengths[name]) ** 2


def spring_line(system, spring, q):
    """Direction (nt, 3) and length (nt,) of a spring, and its ends."""
    assembly, planar = system.assembly, system.model.planar
    ends = []
    for body, at, on in ((spring.a, "at_a", "on_a"), (spring.b, "at_b", "on_b")):
        place = assembly.places[system.model.name_of(body)]
        ends.append(points(place, q, assembly.end_of(spring, place, at, on), planar))
    line = ends[1] - ends[0]
    length = np.linalg.norm(line, axis=1)
    return line / length[:, None], length, ends


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
    kinetic_energy, potential_energy : ndarray (nt,)
    """

    @property
    def _place(self):
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

    def point(self, s) -> Array:
        """A point ``s`` of the body, in space (nt, 3)."""
        return points(self._place, self.solution.q, np.asarray(s, dtype=float), self.planar)


@dataclass(frozen=True)
class SpringResult(PartResult):
    """A spring-damper: ``length`` and ``tension`` (nt,), its ``energy``, and its ``ends`` in space, (nt, 3) each."""

    @property
    def length(self) -> Array:
        return spring_line(self.system, self.part, self.solution.q)[1]

    @property
    def ends(self) -> list[Array]:
        return spring_line(self.system, self.part, self.solution.q)[2]

    @property
    def energy(self) -> Array:
        return potential(self.system, self.name, self.solution.q)

    @property
    def tension(self) -> Array:
        spring = self.part
        direction, length, ends = spring_line(self.system, spring, self.solution.q)
        rate_a, rate_b = (
            point_velocities(self.place_of(body), self.solution.q, self.solution.v, end, self.planar)
            for body, end in zip((spring.a, spring.b), ends, strict=True)
        )
        stretching = np.einsum("ti,ti->t", direction, rate_b - rate_a)
        return spring.stiffness * (length - self.system.assembly.lengths[self.name]) + spring.damping * stretching


class Results:
    """Results of the parts of a model along a solution: each is made once, and the joints share their reactions."""

    def __init__(self, system, solution):
        self.system, self.solution = system, solution
        self.reactions, self._made = Reactions(system, solution), {}

    def __call__(self, key) -> Any:
        """Results of the part ``key``, a name or the part itself."""
        name = getattr(key, "name", key)
        if name not in self._made:
            self._made[name] = self._make(name)
        return self._made[name]

    def _make(self, name) -> PartResult:
        part, head = self.system.model.parts.get(name), (self.system, self.solution, name)
        if part is None:
            raise self._unknown(name)
        if isinstance(part, Contact | ContactGroup):
            from genalpha.model.contact_results import contact_result

            return contact_result(*head)
        if isinstance(part, Joint):
            return JointResult(*head, self.reactions)
        if isinstance(part, JointForce):
            return JointForceResult(*head, self(joint_of(self.system.assembly, part, part.joint)[0]))
        for kind, cls in KINDS.items():
            if isinstance(part, kind) and not isinstance(part, Ground):
                return cls(*head)
        raise InputError(f"{part.title} has no results")

    def _unknown(self, name) -> InputError:
        from difflib import get_close_matches

        near = get_close_matches(str(name), self.system.model.parts, n=3)
        hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
        return InputError(f"there is no part {name!r} in model {self.system.model.name!r}{hint}")


KINDS = {
    Body: BodyResult, SpringDamper: SpringResult, Constraint: ConstraintResult, Bushing: BushingResult,
    Flexible: BeamResult,
}  # fmt: skip
"""Results that need nothing but the states."""

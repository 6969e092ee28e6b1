"""Results by name: motion of bodies, reactions and coordinates of joints, tension of springs."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genalpha.errors import InputError
from genalpha.math import se3, so3
from genalpha.model.beam_results import BeamResult
from genalpha.model.beams import Flexible
from genalpha.model.bodies import Body, Ground, PointMass, RigidBody
from genalpha.model.contacts import Contact, ContactGroup
from genalpha.model.couplings import Constraint
from genalpha.model.forces import Bushing, JointForce, SpringDamper, States, TorsionSpring
from genalpha.model.joint_results import BushingResult, ConstraintResult, JointForceResult, potential_of
from genalpha.model.joints import Joint

Array = NDArray[np.float64]


def rotations(place, q, planar) -> Array:
    """Rotation matrices (nt, 3, 3)."""
    n = len(q)
    if place.turns:
        return so3.matrix(q[:, place.r : place.r + 4])
    R = np.broadcast_to(np.eye(3), (n, 3, 3)).copy()
    if planar and isinstance(place.body, RigidBody):
        c, s = np.cos(q[:, place.q + 2]), np.sin(q[:, place.q + 2])
        R[:, 0, 0], R[:, 0, 1], R[:, 1, 0], R[:, 1, 1] = c, -s, s, c
    return R


def positions(place, q, planar) -> Array:
    """Positions (nt, 3), in the plane z = 0 for planar models."""
    if isinstance(place.body, Ground):
        return np.zeros((len(q), 3))
    if place.on_se3:
        return se3.unpack(q[:, place.r : place.r + 8])[0]
    n = 2 if planar else 3
    x = np.zeros((len(q), 3))
    x[:, :n] = q[:, place.x : place.x + n]
    return x


def velocities(place, q, v, planar) -> tuple[Array, Array]:
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


def states(places, q, v, planar) -> States:
    """What a function of the user's gets, of one state."""
    rates = [velocities(place, q[None], v[None], planar) for place in places]
    return States(
        np.array([positions(place, q[None], planar)[0] for place in places]),
        np.array([rotations(place, q[None], planar)[0] for place in places]),
        np.array([velocity[0] for velocity, _ in rates]),
        np.array([spin[0] for _, spin in rates]),
    )


def points(place, q, s, planar) -> Array:
    """A point of a body, in space (nt, 3)."""
    s = np.concatenate([s, np.zeros(3 - len(s))])
    return positions(place, q, planar) + rotations(place, q, planar) @ s


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
class BodyResult:
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

    system: Any = field(repr=False)
    solution: Any = field(repr=False)
    name: str

    @property
    def _place(self):
        return self.system.assembly.places[self.name]

    @property
    def position(self) -> Array:
        return positions(self._place, self.solution.q, self.system.model.planar)

    @property
    def rotation(self) -> Array:
        return rotations(self._place, self.solution.q, self.system.model.planar)

    @property
    def orientation(self) -> Array:
        if self._place.turns:
            return self.solution.q[:, self._place.r : self._place.r + 4]
        p = np.zeros((len(self.solution.t), 4))
        angle = self.angle if self.system.model.planar and isinstance(self._place.body, RigidBody) else 0.0
        p[:, 0], p[:, 3] = np.cos(0.5 * angle), np.sin(0.5 * angle)
        return p

    @property
    def angle(self) -> Array:
        if not self.system.model.planar or isinstance(self._place.body, PointMass):
            raise InputError(f"{self._place.body.title} has no angle; its orientation is a quaternion")
        return self.solution.q[:, self._place.q + 2]

    @property
    def velocity(self) -> Array:
        return velocities(self._place, self.solution.q, self.solution.v, self.system.model.planar)[0]

    @property
    def angular_velocity(self) -> Array:
        return velocities(self._place, self.solution.q, self.solution.v, self.system.model.planar)[1]

    @property
    def acceleration(self) -> Array:
        place, q, planar = self._place, self.solution.q, self.system.model.planar
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
        return points(self._place, self.solution.q, np.asarray(s, dtype=float), self.system.model.planar)


@dataclass(frozen=True)
class JointResult:
    """Reactions and coordinates of a joint.

    Attributes
    ----------
    force, torque : ndarray (nt, 3)
        On body b, at the joint, in space; of what rolls, at the point of contact.
    angle, rate : ndarray (nt,)
        Of a Revolute or Cylindrical: rotation of b against a about the axis, counting turns from 0 at t0, and its rate.
    displacement, speed : ndarray (nt,)
        Of a Prismatic, Cylindrical or PointOnLine: of b against a along the axis.
    lam, psi : ndarray (nt, rows)
        Multipliers of its rows, and of its velocity rows.
    """

    system: Any = field(repr=False)
    solution: Any = field(repr=False)
    name: str

    @cached_property
    def _joint(self) -> Joint:
        return self.system.model.parts[self.name]

    @property
    def _spot(self):
        return self.system.assembly.spots[self.name]

    def _places(self):
        model, places = self.system.model, self.system.assembly.places
        return places[model.name_of(self._joint.a)], places[model.name_of(self._joint.b)]

    @property
    def lam(self) -> Array:
        return self.solution.lam[:, self.system.assembly.joint_rows[self.name]]

    @property
    def psi(self) -> Array:
        return self.solution.psi[:, self.system.assembly.k_rows[self.name]]

    def _reaction(self, place) -> Array:
        """Gᵀλ + Kᵀψ of the rows of this joint, for one of its bodies, (nt, nv)."""
        contract, sol, tables = self.solution_contract, self.solution, self.system.assembly
        reaction = np.zeros((len(sol.t), place.nv))
        rows = (("G", tables.joint_rows, sol.lam, (sol.q,)), ("K", tables.k_rows, sol.psi, (sol.q, sol.v)))
        for name, slices, multipliers, states in rows:
            pattern, own = contract.patterns[name], slices[self.name]
            keep = (pattern.rows >= own.start) & (pattern.rows < own.stop)
            keep &= (pattern.cols >= place.v) & (pattern.cols < place.v + place.nv)
            if not np.any(keep):
                continue
            mine, cols = pattern.rows[keep], pattern.cols[keep] - place.v
            for i, state in enumerate(zip(*states, strict=True)):
                values = contract.evaluate(name, sol.t[i], *state)[keep]
                np.add.at(reaction[i], cols, values * multipliers[i, mine])
        return reaction

    @cached_property
    def _wrench(self):
        """Reaction on b: force in space, torque at the joint in space."""
        _, place = self._places()
        a_side = place.v < 0  # the ground is b: minus the reaction on a
        place = self._places()[0] if a_side else place
        s = self._spot.s_a if a_side else self._spot.s_b
        q, planar = self.solution.q, self.system.model.planar
        reaction = self._reaction(place)
        force, torque, R = np.zeros((len(q), 3)), np.zeros((len(q), 3)), rotations(place, q, planar)
        n = 2 if planar else 3
        force[:, :n] = reaction[:, :n]
        if place.turns:
            torque = np.einsum("tij,tj->ti", R, reaction[:, 3:])
            if place.on_se3:
                force = np.einsum("tij,tj->ti", R, force)
        elif place.nv > n:
            torque[:, 2] = reaction[:, 2]
        poses = [(rotations(p, q, planar), positions(p, q, planar)) for p in self._places()]
        where = self._joint.reaction_points(self._spot, *poses)
        lever = (points(place, q, s, planar) if where is None else where) - positions(place, q, planar)
        torque = torque - np.cross(lever, force)
        return (-force, -torque) if a_side else (force, torque)

    @cached_property
    def solution_contract(self):
        """The evaluators of the system."""
        return self.system.contract(0.0, self.system.q0, self.system.v0, compiled=False)

    @property
    def force(self) -> Array:
        return self._wrench[0]

    @property
    def torque(self) -> Array:
        return self._wrench[1]

    def _axes(self, side):
        """Axes of the joint on one of its bodies, in space (nt, 3, 3); the axis of rotation is the last."""
        place, planar = self._places()[side], self.system.model.planar
        E = (self._spot.E_a, self._spot.E_b)[side]
        if planar:
            full = np.eye(3)
            full[:2, :2] = E
            E = full
        return rotations(place, self.solution.q, planar) @ E

    @property
    def angle(self) -> Array:
        self._require("angle", "angle")
        a, b = self._axes(0), self._axes(1)
        cosine, sine = (np.einsum("ti,ti->t", a[:, :, k], b[:, :, 0]) for k in (0, 1))
        wrapped = np.arctan2(sine, cosine)
        # how many turns lie between two rows is told by the mean of their rates
        expected = np.diff(self.solution.t) * 0.5 * (self.rate[1:] + self.rate[:-1])
        turns = np.round((np.diff(wrapped) - expected) / (2.0 * np.pi))
        return wrapped - 2.0 * np.pi * np.concatenate([[0.0], np.cumsum(turns)])

    @property
    def rate(self) -> Array:
        self._require("angle", "rate")
        spins = [velocities(p, self.solution.q, self.solution.v, self.system.model.planar)[1] for p in self._places()]
        return np.einsum("ti,ti->t", self._axes(0)[:, :, 2], spins[1] - spins[0])

    @property
    def displacement(self) -> Array:
        self._require("displacement", "displacement")
        return np.einsum("ti,ti->t", self._slide_axis(), self._arm())

    @property
    def speed(self) -> Array:
        self._require("displacement", "speed")
        (a, b), (s_a, s_b) = self._places(), (self._spot.s_a, self._spot.s_b)
        q, v, planar = self.solution.q, self.solution.v, self.system.model.planar
        rates = []
        for place, s in ((a, s_a), (b, s_b)):
            velocity, spin = velocities(place, q, v, planar)
            rates.append(velocity + np.cross(spin, points(place, q, s, planar) - positions(place, q, planar)))
        axis = self._slide_axis()
        spin = velocities(a, q, v, planar)[1]
        return np.einsum("ti,ti->t", axis, rates[1] - rates[0]) + np.einsum(
            "ti,ti->t", np.cross(spin, axis), self._arm()
        )

    def _slide_axis(self):
        return self._axes(0)[:, :, 0 if self.system.model.planar else 2]

    def _arm(self):
        (a, b), planar = self._places(), self.system.model.planar
        return points(b, self.solution.q, self._spot.s_b, planar) - points(a, self.solution.q, self._spot.s_a, planar)

    def _require(self, coordinate, what):
        if coordinate not in self._joint.coordinates:
            example = {"angle": "a Revolute", "displacement": "a Prismatic"}[coordinate]
            raise InputError(f"{self._joint.title} has no {what}; {example} has")


@dataclass(frozen=True)
class SpringResult:
    """A spring-damper: ``length`` and ``tension`` (nt,), its ``energy``, and its ``ends`` in space, (nt, 3) each."""

    system: Any = field(repr=False)
    solution: Any = field(repr=False)
    name: str

    @property
    def length(self) -> Array:
        return spring_line(self.system, self.system.model.parts[self.name], self.solution.q)[1]

    @property
    def ends(self) -> list[Array]:
        return spring_line(self.system, self.system.model.parts[self.name], self.solution.q)[2]

    @property
    def energy(self) -> Array:
        return potential(self.system, self.name, self.solution.q)

    @property
    def tension(self) -> Array:
        spring, model = self.system.model.parts[self.name], self.system.model
        direction, length, ends = spring_line(self.system, spring, self.solution.q)
        rates = []
        for body, end in zip((spring.a, spring.b), ends, strict=True):
            place = self.system.assembly.places[model.name_of(body)]
            velocity, spin = velocities(place, self.solution.q, self.solution.v, model.planar)
            rates.append(velocity + np.cross(spin, end - positions(place, self.solution.q, model.planar)))
        stretching = np.einsum("ti,ti->t", direction, rates[1] - rates[0])
        return spring.stiffness * (length - self.system.assembly.lengths[self.name]) + spring.damping * stretching


def result(system, solution, key):
    """Results of the part ``key``, a name or the part itself."""
    name = getattr(key, "name", key)
    part = system.model.parts.get(name)
    if part is None:
        from difflib import get_close_matches

        near = get_close_matches(str(name), system.model.parts, n=3)
        hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
        raise InputError(f"there is no part {name!r} in model {system.model.name!r}{hint}")
    if isinstance(part, Contact | ContactGroup):
        from genalpha.model.contact_results import contact_result

        return contact_result(system, solution, name)
    kinds = {
        Body: BodyResult, Joint: JointResult, SpringDamper: SpringResult, Constraint: ConstraintResult,
        JointForce: JointForceResult, Bushing: BushingResult, Flexible: BeamResult,
    }  # fmt: skip
    for kind, cls in kinds.items():
        if isinstance(part, kind) and not isinstance(part, Ground):
            return cls(system, solution, name)
    raise InputError(f"{part.title} has no results")

"""Results by name of joints and of what acts on their coordinates: couplings, drives, motors, springs; of bushings."""

# pyright: reportConstantRedefinition=false

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from genalpha.errors import InputError
from genalpha.math.so3 import log, quaternion
from genalpha.model.parts.couplings import Coupling, Drive, Gear
from genalpha.model.parts.forces import Bushing, Motor, TorsionSpring
from genalpha.model.poses import Pose, in_space, point_velocities, points, positions, rotations, velocities
from genalpha.model.results.part import Array, PartResult
from genalpha.model.results.reactions import Reactions
from genalpha.model.tables.coordinates import joint_of

if TYPE_CHECKING:
    from genalpha.model.parts.bodies import Part
    from genalpha.model.parts.joints import Joint, Spot
    from genalpha.model.places import Place
    from genalpha.model.system import ModelSystem


def coordinate_values(system: ModelSystem, part: Part, reference: Joint | str, q: Array) -> Array:
    """The coordinate (nt,) of a joint that a part acts on, at states q (nt, nq)."""
    tables, planar = system.assembly, system.model.planar
    joint, name = joint_of(tables, part, reference)
    a, b = (tables.places[system.model.name_of(body)] for body in (joint.a, joint.b))
    spot = tables.spots[joint.name]
    if name == "displacement":
        axis = rotations(a, q, planar)[:, : len(spot.E_a), : len(spot.E_a)] @ spot.E_a[:, 0 if planar else 2]
        r = points(b, q, spot.s_b, planar) - points(a, q, spot.s_a, planar)
        return np.einsum("ti,ti->t", axis, r[:, : axis.shape[1]])
    if planar:
        angles: list[Any] = [q[:, place.q + 2] if place.v >= 0 else 0.0 for place in (a, b)]
        return angles[1] - angles[0] - spot.angle
    E_a, E_b = rotations(a, q, planar) @ spot.E_a, rotations(b, q, planar) @ spot.E_b
    cosine, sine = (np.einsum("ti,ti->t", E_a[:, :, k], E_b[:, :, 0]) for k in (0, 1))
    turns = q[:, tables.counters[joint.name]]  # the nearest angle to that of the counter
    c, s = np.cos(turns), np.sin(turns)
    return turns + np.arctan2(sine * c - cosine * s, cosine * c + sine * s)


def deformations(system: ModelSystem, bushing: Bushing, q: Array) -> tuple[Array, Array, Array, Array]:
    """z (nt, 6) of a bushing, its axes on a and on b (nt, 3, 3), and its point of b in space (nt, 3)."""
    tables, planar = system.assembly, system.model.planar
    a, b = (tables.places[system.model.name_of(body)] for body in (bushing.a, bushing.b))
    n = 2 if planar else 3
    at, E = b.position if bushing.at is None else bushing.vector("at", n), bushing.frame(n)
    first = [rotations(place, system.q0[None], planar)[0] for place in (a, b)]
    E_a, E_b = (rotations(place, q, planar) @ R.T @ E for place, R in zip((a, b), first, strict=True))
    p_a, p_b = (points(place, q, place.seen(at), planar) for place in (a, b))
    z = np.zeros((len(q), 6))
    z[:, :3] = np.einsum("tij,ti->tj", E_a, p_b - p_a)
    z[:, 3:] = [log(quaternion(x.T @ y)) for x, y in zip(E_a, E_b, strict=True)]
    return z, E_a, E_b, p_b


def potential_of(system: ModelSystem, part: TorsionSpring | Bushing, q: Array) -> Array:
    """Potential energy (nt,) of a torsion spring or a bushing."""
    if isinstance(part, TorsionSpring):
        return 0.5 * part.stiffness * (coordinate_values(system, part, part.joint, q) - part.rest) ** 2
    z = deformations(system, part, q)[0]
    return 0.5 * np.einsum("ti,ij,tj->t", z, stiffness_of(system, part), z)


def stiffness_of(system: ModelSystem, bushing: Bushing, field_name: str = "stiffness") -> Array:
    """Its matrix for all six motions."""
    if not system.model.planar:
        return bushing.matrix(field_name, 6)
    full = np.zeros((6, 6))
    full[np.ix_((0, 1, 5), (0, 1, 5))] = bushing.matrix(field_name, 3)
    return full


@dataclass(frozen=True)
class JointResult(PartResult):
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

    reactions: Reactions = field(repr=False)

    @property
    def _spot(self) -> Spot:
        return self.system.assembly.spots[self.name]

    def _places(self) -> tuple[Place, Place]:
        return self.place_of(self.part.a), self.place_of(self.part.b)

    @property
    def lam(self) -> Array:
        return self.solution.lam[:, self.system.assembly.joint_rows[self.name]]

    @property
    def psi(self) -> Array:
        return self.solution.psi[:, self.system.assembly.k_rows[self.name]]

    @cached_property
    def _wrench(self) -> tuple[Array, Array]:
        """Reaction on b: force in space, torque at the joint in space."""
        q, side = self.solution.q, self.reactions.side(self.name)
        place, s = self._places()[side], (self._spot.s_a, self._spot.s_b)[side]
        reaction = self.reactions.of(self.name)
        force, torque, R = np.zeros((len(q), 3)), np.zeros((len(q), 3)), rotations(place, q, self.planar)
        n = 2 if self.planar else 3
        force[:, :n] = reaction[:, :n]
        if place.turns:
            torque = np.einsum("tij,tj->ti", R, reaction[:, 3:])
            if place.on_se3:
                force = np.einsum("tij,tj->ti", R, force)
        elif place.nv > n:
            torque[:, 2] = reaction[:, 2]
        where = self.part.reaction_points(self._spot, *(Pose(p, q, self.planar) for p in self._places()))
        lever = np.einsum("tij,j->ti", R, in_space(s)) if where is None else where - positions(place, q, self.planar)
        torque = torque - np.cross(lever, force)
        return (force, torque) if side == 1 else (-force, -torque)

    @property
    def force(self) -> Array:
        return self._wrench[0]

    @property
    def torque(self) -> Array:
        return self._wrench[1]

    def _axes(self, side: int) -> Array:
        """Axes of the joint on one of its bodies, in space (nt, 3, 3); the axis of rotation is the last."""
        place, planar = self._places()[side], self.planar
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
        turns = np.rint((np.diff(wrapped) - expected) / (2.0 * np.pi))
        return wrapped - 2.0 * np.pi * np.concatenate([[0.0], np.cumsum(turns)])

    @property
    def rate(self) -> Array:
        self._require("angle", "rate")
        spins = [velocities(p, self.solution.q, self.solution.v, self.planar)[1] for p in self._places()]
        return np.einsum("ti,ti->t", self._axes(0)[:, :, 2], spins[1] - spins[0])

    @property
    def displacement(self) -> Array:
        self._require("displacement", "displacement")
        return np.einsum("ti,ti->t", self._slide_axis(), self._arm())

    @property
    def speed(self) -> Array:
        self._require("displacement", "speed")
        (a, b), (s_a, s_b) = self._places(), (self._spot.s_a, self._spot.s_b)
        q, v, planar = self.solution.q, self.solution.v, self.planar
        rates = [point_velocities(p, q, v, points(p, q, s, planar), planar) for p, s in ((a, s_a), (b, s_b))]
        axis = self._slide_axis()
        spin = velocities(a, q, v, planar)[1]
        return np.einsum("ti,ti->t", axis, rates[1] - rates[0]) + np.einsum(
            "ti,ti->t", np.cross(spin, axis), self._arm()
        )

    def _slide_axis(self) -> Array:
        return self._axes(0)[:, :, 0 if self.planar else 2]

    def _arm(self) -> Array:
        (a, b), planar = self._places(), self.planar
        return points(b, self.solution.q, self._spot.s_b, planar) - points(a, self.solution.q, self._spot.s_a, planar)

    def _require(self, coordinate: str, what: str) -> None:
        if coordinate not in self.part.coordinates:
            example = {"angle": "a Revolute", "displacement": "a Prismatic"}[coordinate]
            raise InputError(f"{self.part.title} has no {what}; {example} has")


@dataclass(frozen=True)
class ConstraintResult(PartResult):
    """A coupling or a drive.

    Attributes
    ----------
    lam : ndarray (nt, rows)
        Multipliers of its rows.
    force : ndarray
        Of a Drive (nt,): the torque or force that its motor has to exert on the joint. Of a Coupling or Gear (nt,
        joints): on each of its joints. Of a PointDrive (nt, 3): on the point, in space.
    """

    @property
    def lam(self) -> Array:
        return self.solution.lam[:, self.system.assembly.joint_rows[self.name]]

    @property
    def force(self) -> Array:
        part, lam = self.part, self.lam
        if isinstance(part, Coupling | Gear):
            return lam * np.asarray(part.factors, dtype=float)
        if isinstance(part, Drive):
            return lam[:, 0]
        return np.hstack([lam, np.zeros((len(lam), 3 - lam.shape[1]))])


@dataclass(frozen=True)
class JointForceResult(PartResult):
    """A motor or a torsion spring.

    Attributes
    ----------
    coordinate, rate : ndarray (nt,)
        Of its joint.
    force : ndarray (nt,)
        Torque or force on the coordinate.
    power : ndarray (nt,)
        What it gives to the motion.
    """

    joint: JointResult = field(repr=False)

    @property
    def coordinate(self) -> Array:
        return coordinate_values(self.system, self.part, self.part.joint, self.solution.q)

    @property
    def rate(self) -> Array:
        _, name = joint_of(self.system.assembly, self.part, self.part.joint)
        return self.joint.rate if name == "angle" else self.joint.speed

    @property
    def force(self) -> Array:
        part: Any = self.part
        z, rate = self.coordinate, self.rate
        if isinstance(part, Motor) and part.law is not None:
            states = zip(self.solution.t, z, rate, strict=True)
            return np.array([float(np.ravel(part.law(*map(float, state)))[0]) for state in states])
        spring = cast(TorsionSpring, part)
        return -spring.stiffness * (z - spring.rest) - spring.damping * rate

    @property
    def power(self) -> Array:
        return self.force * self.rate


@dataclass(frozen=True)
class BushingResult(PartResult):
    """A bushing.

    Attributes
    ----------
    deformation : ndarray (nt, 6)
        Displacement along the axes of its frame on a, and rotation vector.
    energy : ndarray (nt,)
    """

    @property
    def deformation(self) -> Array:
        return deformations(self.system, self.part, self.solution.q)[0]

    @property
    def energy(self) -> Array:
        return potential_of(self.system, self.part, self.solution.q)

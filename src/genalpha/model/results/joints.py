"""Results by name of joints and of what acts on their coordinates: couplings, drives, motors, springs; of bushings."""

# pyright: reportConstantRedefinition=false

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from genalpha.errors import InputError
from genalpha.math.so3 import log, quaternion, tangent_inverse
from genalpha.model.parts.couplings import Coupling, Drive, Gear
from genalpha.model.parts.forces import Bushing, Motor, TorsionSpring
from genalpha.model.places import Pose, in_space, point_velocities, points, positions, rotations, velocities
from genalpha.model.results.part import Array, PartResult, Reactions
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

    What drives a joint, springs about it and dampers are results of their own: a joint takes and gives no energy.
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

    def _absent(self) -> tuple[str, ...]:
        own = {"angle": ("angle", "rate"), "displacement": ("displacement", "speed")}
        return tuple(name for of, names in own.items() if of not in self.part.coordinates for name in names)

    def main(self) -> tuple[str, ...]:
        return (*self.part.coordinates, "force", "torque")

    def along(self, coordinate: str, effort: Array) -> tuple[Array, Array]:
        """Force and torque (nt, 3) on b, in space, of an effort (nt,) on a coordinate."""
        nothing = np.zeros((len(effort), 3))
        if coordinate == "angle":
            return nothing, effort[:, None] * self._axes(0)[:, :, 2]
        return effort[:, None] * self._slide_axis(), nothing


EFFORT = {"angle": "torque", "displacement": "force"}
RATE = {"angle": "spin", "displacement": "speed"}
COORDINATE = {"angle": "angle", "displacement": "length"}
"""What belongs to a coordinate of a joint."""


@dataclass(frozen=True)
class ConstraintResult(PartResult):
    """A prescribed motion of a joint, or a coupling of joints.

    Attributes
    ----------
    lam : ndarray (nt, rows)
        Multipliers of its rows.
    coordinate, rate : ndarray
        Of its joint (nt,), or of each of its joints (nt, joints).
    effort : ndarray
        Of a Drive (nt,): the torque or force that its motor has to exert on the coordinate of the joint. Of a Coupling
        or Gear (nt, joints): on each of its joints.
    force, torque : ndarray (nt, 3)
        The same as vectors, on body b of the joint, at the joint, in space; (nt, joints, 3) of a Coupling or Gear.
    power : ndarray
        Effort times rate, what it gives to the motion: (nt,), or (nt, joints) with a sum of zero.
    """

    joints: tuple[JointResult, ...] = field(repr=False)

    @cached_property
    def _coordinates(self) -> list[str]:
        """Which coordinate it is of each joint."""
        return [joint_of(self.system.assembly, self.part, one)[1] for one in self.part.joints]

    def _stacked(self, columns: list[Array]) -> Array:
        return columns[0] if isinstance(self.part, Drive) else np.stack(columns, axis=1)

    @property
    def lam(self) -> Array:
        return self.solution.lam[:, self.system.assembly.joint_rows[self.name]]

    @property
    def _efforts(self) -> list[Array]:
        factors = self.part.factors if isinstance(self.part, Coupling | Gear) else (1.0,)
        return [self.lam[:, 0] * float(factor) for factor in factors]

    @property
    def _rates(self) -> list[Array]:
        pairs = zip(self.joints, self._coordinates, strict=True)
        return [joint.rate if name == "angle" else joint.speed for joint, name in pairs]

    @property
    def effort(self) -> Array:
        return self._stacked(self._efforts)

    @property
    def coordinate(self) -> Array:
        system, q = self.system, self.solution.q
        return self._stacked([coordinate_values(system, self.part, one, q) for one in self.part.joints])

    @property
    def rate(self) -> Array:
        return self._stacked(self._rates)

    def _wrenches(self, which: int) -> Array:
        found = zip(self.joints, self._coordinates, self._efforts, strict=True)
        return self._stacked([joint.along(name, effort)[which] for joint, name, effort in found])

    @property
    def force(self) -> Array:
        return self._wrenches(0)

    @property
    def torque(self) -> Array:
        return self._wrenches(1)

    @property
    def power(self) -> Array:
        return self._stacked([effort * rate for effort, rate in zip(self._efforts, self._rates, strict=True)])

    def main(self) -> tuple[str, ...]:
        return "coordinate", "effort"

    def dimension(self, quantity: str) -> str | tuple[str, ...]:
        kinds = {"effort": EFFORT, "rate": RATE, "coordinate": COORDINATE}.get(quantity)
        if kinds is None:
            return super().dimension(quantity)
        return tuple(kinds[name] for name in self._coordinates)

    def items(self, quantity: str) -> list[str]:
        if isinstance(self.part, Drive) or quantity == "lam":
            return []
        return [joint.name for joint in self.joints]


@dataclass(frozen=True)
class PointDriveResult(PartResult):
    """A prescribed motion of a point.

    Attributes
    ----------
    lam : ndarray (nt, rows)
        Multipliers of its rows.
    force, torque : ndarray (nt, 3)
        What the motion takes, on the body, at the point, in space; there is no torque.
    position : ndarray (nt, 3)
        Where the point is.
    power : ndarray (nt,)
        What it gives to the motion.
    """

    @property
    def lam(self) -> Array:
        return self.solution.lam[:, self.system.assembly.joint_rows[self.name]]

    @property
    def force(self) -> Array:
        return np.hstack([self.lam, np.zeros((len(self.lam), 3 - self.lam.shape[1]))])

    @property
    def torque(self) -> Array:
        return np.zeros((len(self.solution.t), 3))

    @property
    def position(self) -> Array:
        place = self.place_of(self.part.body)
        return points(place, self.solution.q, self.system.assembly.end_of(self.part, place), self.planar)

    @property
    def power(self) -> Array:
        place = self.place_of(self.part.body)
        rate = point_velocities(place, self.solution.q, self.solution.v, self.position, self.planar)
        return np.sum(self.force * rate, axis=1)

    def main(self) -> tuple[str, ...]:
        return "position", "force"


@dataclass(frozen=True)
class JointForceResult(PartResult):
    """A motor or a torsion spring.

    Attributes
    ----------
    coordinate, rate : ndarray (nt,)
        Of its joint.
    effort : ndarray (nt,)
        Torque or force on the coordinate.
    force, torque : ndarray (nt, 3)
        The same as vectors, on body b of the joint, at the joint, in space.
    power : ndarray (nt,)
        What it gives to the motion.
    energy : ndarray (nt,)
        Of a TorsionSpring.
    """

    joint: JointResult = field(repr=False)

    @cached_property
    def _coordinate(self) -> str:
        return joint_of(self.system.assembly, self.part, self.part.joint)[1]

    @property
    def coordinate(self) -> Array:
        return coordinate_values(self.system, self.part, self.part.joint, self.solution.q)

    @property
    def rate(self) -> Array:
        return self.joint.rate if self._coordinate == "angle" else self.joint.speed

    @property
    def force(self) -> Array:
        return self.joint.along(self._coordinate, self.effort)[0]

    @property
    def torque(self) -> Array:
        return self.joint.along(self._coordinate, self.effort)[1]

    @property
    def energy(self) -> Array:
        if not isinstance(self.part, TorsionSpring):
            raise self.no_result("energy")
        return potential_of(self.system, self.part, self.solution.q)

    def _absent(self) -> tuple[str, ...]:
        return () if isinstance(self.part, TorsionSpring) else ("energy",)

    def main(self) -> tuple[str, ...]:
        return "coordinate", "effort", "power"

    def dimension(self, quantity: str) -> str | tuple[str, ...]:
        kinds = {"effort": EFFORT, "rate": RATE, "coordinate": COORDINATE}.get(quantity)
        return super().dimension(quantity) if kinds is None else kinds[self._coordinate]

    @property
    def effort(self) -> Array:
        part: Any = self.part
        z, rate = self.coordinate, self.rate
        if isinstance(part, Motor) and part.law is not None:
            states = zip(self.solution.t, z, rate, strict=True)
            return np.array([float(np.ravel(part.law(*map(float, state)))[0]) for state in states])
        spring = cast(TorsionSpring, part)
        return -spring.stiffness * (z - spring.rest) - spring.damping * rate

    @property
    def power(self) -> Array:
        return self.effort * self.rate


@dataclass(frozen=True)
class BushingResult(PartResult):
    """A bushing.

    Attributes
    ----------
    deformation : ndarray (nt, 6)
        Displacement along the axes of its frame on a, and rotation vector.
    force, torque : ndarray (nt, 3)
        On body b, at its point on b, in space; of stiffness and damping.
    position : ndarray (nt, 3)
        Its point on b.
    energy : ndarray (nt,)
        Of the stiffness, where that is symmetric.
    power : ndarray (nt,)
        What it gives to the motion.
    """

    @cached_property
    def _state(self) -> tuple[Array, Array, Array, Array, Array, Array]:
        """z, ż, what acts on z, its axes on a, those of the rotation vector (nt, 3, 3), and its point."""
        (a, b), sol, planar = (self.place_of(self.part.a), self.place_of(self.part.b)), self.solution, self.planar
        z, E_a, E_b, p = deformations(self.system, self.part, sol.q)
        # ψ̇ = T(ψ)⁻¹ of the relative spin seen from b, and T(ψ)ᵀ = T(−ψ)
        D = E_b @ np.array([tangent_inverse(-psi) for psi in z[:, 3:]])
        spins = [velocities(place, sol.q, sol.v, planar)[1] for place in (a, b)]
        speeds = [point_velocities(place, sol.q, sol.v, p, planar) for place in (a, b)]
        rate = np.zeros_like(z)
        rate[:, :3] = np.einsum("tij,ti->tj", E_a, speeds[1] - speeds[0])
        rate[:, 3:] = np.einsum("tij,ti->tj", D, spins[1] - spins[0])
        K, C = (stiffness_of(self.system, self.part, name) for name in ("stiffness", "damping"))
        return z, rate, -z @ K.T - rate @ C.T, E_a, D, p

    @property
    def deformation(self) -> Array:
        return deformations(self.system, self.part, self.solution.q)[0]

    @property
    def force(self) -> Array:
        _, _, effort, E_a, _, _ = self._state
        return np.einsum("tij,tj->ti", E_a, effort[:, :3])

    @property
    def torque(self) -> Array:
        _, _, effort, _, D, _ = self._state
        return np.einsum("tij,tj->ti", D, effort[:, 3:])

    @property
    def position(self) -> Array:
        return self._state[5]

    @property
    def power(self) -> Array:
        return np.sum(self._state[2] * self._state[1], axis=1)

    def main(self) -> tuple[str, ...]:
        return "force", "torque"

    def dimension(self, quantity: str) -> str | tuple[str, ...]:
        return ("length",) * 3 + ("angle",) * 3 if quantity == "deformation" else super().dimension(quantity)

    @property
    def energy(self) -> Array:
        return potential_of(self.system, self.part, self.solution.q)

"""Results by name of what acts on joint coordinates: couplings, drives, motors, torsion springs; and of bushings."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genalpha.model.coordinate_tables import joint_of
from genalpha.model.couplings import Coupling, Drive, Gear
from genalpha.model.forces import Bushing, Motor, TorsionSpring

Array = NDArray[np.float64]


def coordinate_values(system, part, reference, q) -> Array:
    """The coordinate (nt,) of a joint that a part acts on, at states q (nt, nq)."""
    from genalpha.model.results import points, rotations

    tables, planar = system.assembly, system.model.planar
    joint, name = joint_of(tables, part, reference)
    a, b = (tables.places[system.model.name_of(body)] for body in (joint.a, joint.b))
    spot = tables.spots[joint.name]
    if name == "displacement":
        axis = rotations(a, q, planar)[:, : len(spot.E_a), : len(spot.E_a)] @ spot.E_a[:, 0 if planar else 2]
        r = points(b, q, spot.s_b, planar) - points(a, q, spot.s_a, planar)
        return np.einsum("ti,ti->t", axis, r[:, : axis.shape[1]])
    if planar:
        angles = [q[:, place.q + 2] if place.v >= 0 else 0.0 for place in (a, b)]
        return angles[1] - angles[0] - spot.angle
    E_a, E_b = rotations(a, q, planar) @ spot.E_a, rotations(b, q, planar) @ spot.E_b
    cosine, sine = (np.einsum("ti,ti->t", E_a[:, :, k], E_b[:, :, 0]) for k in (0, 1))
    turns = q[:, tables.counters[joint.name]]  # the nearest angle to that of the counter
    c, s = np.cos(turns), np.sin(turns)
    return turns + np.arctan2(sine * c - cosine * s, cosine * c + sine * s)


def deformations(system, bushing: Bushing, q) -> tuple[Array, Array, Array, Array]:
    """z (nt, 6) of a bushing, its axes on a and on b (nt, 3, 3), and its point of b in space (nt, 3)."""
    from genalpha.math.so3 import log, quaternion
    from genalpha.model.results import points, rotations

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


def potential_of(system, part, q) -> Array:
    """Potential energy (nt,) of a torsion spring or a bushing."""
    if isinstance(part, TorsionSpring):
        return 0.5 * part.stiffness * (coordinate_values(system, part, part.joint, q) - part.rest) ** 2
    z = deformations(system, part, q)[0]
    return 0.5 * np.einsum("ti,ij,tj->t", z, stiffness_of(system, part), z)


def stiffness_of(system, bushing: Bushing, field_name: str = "stiffness") -> Array:
    """Its matrix for all six motions."""
    if not system.model.planar:
        return bushing.matrix(field_name, 6)
    full = np.zeros((6, 6))
    full[np.ix_((0, 1, 5), (0, 1, 5))] = bushing.matrix(field_name, 3)
    return full


@dataclass(frozen=True)
class ConstraintResult:
    """A coupling or a drive.

    Attributes
    ----------
    lam : ndarray (nt, rows)
        Multipliers of its rows.
    force : ndarray
        Of a Drive (nt,): the torque or force that its motor has to exert on the joint. Of a Coupling or Gear (nt,
        joints): on each of its joints. Of a PointDrive (nt, 3): on the point, in space.
    """

    system: Any = field(repr=False)
    solution: Any = field(repr=False)
    name: str

    @property
    def lam(self) -> Array:
        return self.solution.lam[:, self.system.assembly.joint_rows[self.name]]

    @property
    def force(self) -> Array:
        part, lam = self.system.model.parts[self.name], self.lam
        if isinstance(part, Coupling | Gear):
            return lam * np.asarray(part.factors, dtype=float)
        if isinstance(part, Drive):
            return lam[:, 0]
        return np.hstack([lam, np.zeros((len(lam), 3 - lam.shape[1]))])


@dataclass(frozen=True)
class JointForceResult:
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

    system: Any = field(repr=False)
    solution: Any = field(repr=False)
    name: str

    @property
    def _part(self):
        return self.system.model.parts[self.name]

    @property
    def coordinate(self) -> Array:
        return coordinate_values(self.system, self._part, self._part.joint, self.solution.q)

    @property
    def rate(self) -> Array:
        joint, name = joint_of(self.system.assembly, self._part, self._part.joint)
        found = self.solution[joint.name]
        return found.rate if name == "angle" else found.speed

    @property
    def force(self) -> Array:
        part, z, rate = self._part, self.coordinate, self.rate
        if isinstance(part, Motor) and part.law is not None:
            states = zip(self.solution.t, z, rate, strict=True)
            return np.array([float(np.ravel(part.law(*map(float, state)))[0]) for state in states])
        return -part.stiffness * (z - part.rest) - part.damping * rate

    @property
    def power(self) -> Array:
        return self.force * self.rate


@dataclass(frozen=True)
class BushingResult:
    """A bushing.

    Attributes
    ----------
    deformation : ndarray (nt, 6)
        Displacement along the axes of its frame on a, and rotation vector.
    energy : ndarray (nt,)
    """

    system: Any = field(repr=False)
    solution: Any = field(repr=False)
    name: str

    @property
    def deformation(self) -> Array:
        return deformations(self.system, self.system.model.parts[self.name], self.solution.q)[0]

    @property
    def energy(self) -> Array:
        return potential_of(self.system, self.system.model.parts[self.name], self.solution.q)

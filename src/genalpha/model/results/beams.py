"""Results of beams and bars by name: where they are, strains, forces and moments of sections, energy."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, cast

import numpy as np

from genalpha.errors import InputError
from genalpha.math import se3, so3
from genalpha.model.leaves.beam_strains import OVERTURNED
from genalpha.model.parts.beams import Bar, Beam, Flexible
from genalpha.model.results.part import Array, PartResult
from genalpha.model.tables.beams import reference, shear_stiffness

if TYPE_CHECKING:
    from genalpha.model.places import Place
    from genalpha.model.system import ModelSystem


def _places(system: ModelSystem, part: Flexible) -> list[Place]:
    return [system.assembly.places[node.name] for node in part.nodes]


def node_positions(system: ModelSystem, part: Flexible, q: Array) -> Array:
    """Positions (nt, nodes, 3), in the plane z = 0 for planar models."""
    places = _places(system, part)
    if places[0].on_se3:
        return se3.unpack(q[:, [range(place.r, place.r + 8) for place in places]])[0]
    n = 2 if part.planar else 3
    x = np.zeros((len(q), len(places), 3))
    x[:, :, :n] = q[:, [range(place.x, place.x + n) for place in places]]
    return x


def node_angles(system: ModelSystem, part: Beam, q: Array) -> Array:
    """Angles (nt, nodes) of planar beams."""
    return q[:, [place.q + 2 for place in _places(system, part)]]


def node_quaternions(system: ModelSystem, part: Beam, q: Array) -> Array:
    """Orientations (nt, nodes, 4) of the sections."""
    if part.planar:
        half = 0.5 * node_angles(system, part, q)
        p = np.zeros((*half.shape, 4))
        p[..., 0], p[..., 3] = np.cos(half), np.sin(half)
        return p
    return q[:, [range(place.r, place.r + 4) for place in _places(system, part)]]


def _half_way(p: Array) -> tuple[Array, Array]:
    """Rotation matrices half way between neighbouring nodes, and rotation vectors from one to the next."""
    a, b = p[:, :-1], p[:, 1:]
    relative = so3.multiply(a * np.array([1.0, -1.0, -1.0, -1.0]), b)
    sign = np.where(relative[..., :1] < 0.0, -1.0, 1.0)
    relative, middle = sign * relative, a + sign * b
    sine = np.linalg.norm(relative[..., 1:], axis=-1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        factor = np.where(sine > 1e-9, 2.0 * np.arctan2(sine, relative[..., :1]) / sine, 2.0)
    return so3.matrix(middle / np.linalg.norm(middle, axis=-1, keepdims=True)), factor * relative[..., 1:]


MOST_TURN = 2.0 * float(np.arccos(OVERTURNED))
"""By how much an element of a spatial beam may turn from node to node, in rad."""


def turns(system: ModelSystem, part: Beam, q: Array) -> Array:
    """By how much the elements of a spatial beam turn from node to node (nt, elements), in rad."""
    return np.linalg.norm(_half_way(node_quaternions(system, part, q))[1], axis=2)


def strains(system: ModelSystem, part: Flexible, q: Array) -> Array:
    """Γ and κ (nt, elements, 6) of beams, in the axes of the section; the strain (nt, elements, 1) of bars."""
    x = np.diff(node_positions(system, part, q), axis=1)
    L = part.lengths[:, None]
    if isinstance(part, Bar):
        first = np.diff(np.pad(part.points, ((0, 0), (0, 3 - part.points.shape[1]))), axis=0)
        direction = first / L if part.linear else x / np.linalg.norm(x, axis=2, keepdims=True)
        return np.sum(direction * x, axis=2, keepdims=True) / L - 1.0
    beam = cast(Beam, part)
    R, theta = _half_way(node_quaternions(system, beam, q))
    gamma = np.einsum("teji,tej->tei", R, x) / L
    if part.planar:  # angles count turns
        theta = np.zeros_like(gamma)
        angles = node_angles(system, beam, q)
        theta[..., 2] = np.diff(angles, axis=1)
        middle = 0.5 * (angles[:, 1:] + angles[:, :-1])
        c, s = np.cos(middle), np.sin(middle)
        gamma[..., 0], gamma[..., 1] = (c * x[..., 0] + s * x[..., 1]) / L.T, (c * x[..., 1] - s * x[..., 0]) / L.T
    found = np.concatenate([gamma, theta / L], axis=2)
    for i in range(len(part.lengths)):
        g0, k0 = reference(beam, i)
        if part.planar:
            found[:, i, [0, 1, 5]] -= np.concatenate([g0, k0])
        else:
            found[:, i] -= np.concatenate([g0, k0])
    return found


def stiffnesses(part: Flexible) -> Array:
    """What strains are multiplied with, (elements, 6) for beams, (elements, 1) for bars."""
    r = part.rigidity
    if not isinstance(part, Beam):
        return np.full((len(part.lengths), 1), float(r.EA))
    y, z = r.pair("EI")
    shear = [shear_stiffness(part, float(L)) for L in part.lengths]
    return np.array([[r.EA, *GA, 0.0 if r.GJ is None else r.GJ, y, z] for GA in shear], dtype=float)


def strain_energy(system: ModelSystem, part: Flexible, q: Array) -> Array:
    """(nt,)."""
    return 0.5 * np.einsum("tei,ei,e->t", strains(system, part, q) ** 2, stiffnesses(part), part.lengths)


def coupling_energy(system: ModelSystem, part: Flexible, v: Array) -> Array:
    """Kinetic energy (nt,) of consistent masses beyond that of lumped ones: −¹⁄₁₂ of the mass times (v_b − v_a)²."""
    if part.mass != "consistent":
        return np.zeros(len(v))
    n, L = 2 if part.planar else 3, part.lengths
    rates = np.diff(v[:, [range(place.v, place.v + n) for place in _places(system, part)]], axis=1)
    energy = -part.rigidity.mass / 12.0 * np.sum(rates**2, axis=2) @ L
    if part.planar and isinstance(part, Beam):
        spins = np.diff(v[:, [place.v + 2 for place in _places(system, part)]], axis=1)
        energy -= part.rigidity.pair("inertia")[1] / 12.0 * spins**2 @ L
    return energy


ELEMENTWISE = ("strain", "stress", "force", "moment", "torque")


@dataclass(frozen=True)
class BeamResult(PartResult):
    """A beam or a bar along a solution.

    Attributes
    ----------
    position : ndarray (nt, nodes, 3)
    tip : ndarray (nt, 3)
        The position of the last node.
    orientation : ndarray (nt, nodes, 4)
        Of the sections of a beam, unit quaternions w, x, y, z.
    s : ndarray (elements,)
        Where strains, forces and moments belong: middles of elements, in lengths from the start.
    strain : ndarray (nt, elements, 6)
        Of beams: stretch, shear along y and z, twist, curvature about y and z. Of bars: (nt, elements, 1).
    force : ndarray (nt, elements, 3)
        Of the section, in its axes: normal force, shear forces along y and z. Elastic part, without damping.
    torque, moment : ndarray (nt, elements, 3)
        Of the section, in its axes: torsion, bending about y and z. Two names of the same.
    energy : ndarray (nt,)
        Strain energy.
    """

    @property
    def position(self) -> Array:
        return node_positions(self.system, self.part, self.solution.q)

    @property
    def tip(self) -> Array:
        return self.position[:, -1]

    @property
    def orientation(self) -> Array:
        self._require_beam("orientation")
        return node_quaternions(self.system, self.part, self.solution.q)

    @property
    def s(self) -> Array:
        ends = np.cumsum(self.part.lengths)
        return ends - 0.5 * self.part.lengths

    @cached_property
    def strain(self) -> Array:
        return strains(self.system, self.part, self.solution.q)

    @property
    def stress(self) -> Array:
        """Forces and moments of the section (nt, elements, 6)."""
        return self.strain * stiffnesses(self.part)

    @property
    def force(self) -> Array:
        return self.stress[..., :3]

    @property
    def moment(self) -> Array:
        self._require_beam("moment")
        return self.stress[..., 3:]

    @property
    def torque(self) -> Array:
        self._require_beam("torque")
        return self.stress[..., 3:]

    @property
    def energy(self) -> Array:
        return strain_energy(self.system, self.part, self.solution.q)

    def _require_beam(self, what: str) -> None:
        if not isinstance(self.part, Beam):
            raise InputError(f"{self.part.title} has no {what}; a Beam has")

    def _absent(self) -> tuple[str, ...]:
        return () if isinstance(self.part, Beam) else ("orientation", "moment", "torque")

    def main(self) -> tuple[str, ...]:
        return "tip", "energy"

    def items(self, quantity: str) -> list[str]:
        if quantity in ("position", "orientation"):
            return [str(i) for i in range(len(self.part.nodes))]
        return [str(i) for i in range(len(self.part.lengths))] if quantity in ELEMENTWISE else []

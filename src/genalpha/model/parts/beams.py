"""Beams and bars: parts that bring their own bodies, the nodes, and elastic elements between them."""

# pyright: reportUnnecessaryIsInstance=false

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from genalpha.errors import InputError
from genalpha.model.parts.bodies import GROUPS, Body, Part, PointMass, RigidBody
from genalpha.model.parts.curves import Line, planar_angles, triads
from genalpha.model.parts.sections import Material, Rigidity, Section
from genalpha.model.parts.shapes import Shape

MASSES = ("lumped", "consistent")


@dataclass(frozen=True, eq=False)
class Flexible(Part):
    """What beams and bars have in common.

    Attributes
    ----------
    nodes : tuple of Body
        Bodies of the model that it brings along, from start to end: joints, forces and contacts hold them.
    """

    start: ArrayLike | None = None
    end: ArrayLike | None = None
    elements: int = 8
    section: Section | Rigidity | None = None
    material: Material | None = None
    mass: str = "lumped"
    rayleigh: tuple[float, float] = (0.0, 0.0)
    viscosity: float = 0.0
    velocity: ArrayLike | None = None
    shape: Shape | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (isinstance(self.elements, int | np.integer) and self.elements >= 1):
            raise InputError(f"{self.title}: elements = {self.elements!r} must be a positive integer")
        if self.mass not in MASSES:
            raise InputError(f"{self.title}: mass = {self.mass!r} must be one of {', '.join(MASSES)}")
        if isinstance(self.section, Section) and not isinstance(self.material, Material):
            raise InputError(f"{self.title}: a Section needs a material; pass material=Material(E=..., density=...)")
        if not isinstance(self.section, Section | Rigidity):
            raise InputError(
                f"{self.title}: section = {self.section!r:.40} must be a Section, as Section.rectangle(height, width), "
                f"or a Rigidity of given numbers"
            )
        if isinstance(self.section, Rigidity) and self.material is not None:
            raise InputError(f"{self.title}: a Rigidity contains its material; leave material out, or give a Section")
        if np.shape(self.rayleigh) != (2,) or not all(0.0 <= x < np.inf for x in self.rayleigh):
            raise InputError(
                f"{self.title}: rayleigh = {self.rayleigh!r} must be two numbers (alpha, beta), not negative"
            )
        if not (isinstance(self.viscosity, int | float | np.number) and 0.0 <= self.viscosity < np.inf):
            raise InputError(f"{self.title}: viscosity = {self.viscosity!r} must be a time, not negative")
        if self.viscosity > 0.0 and self.rayleigh[1] > 0.0:
            raise InputError(
                f"{self.title}: viscosity and the second number of rayleigh are the same thing, damping in proportion "
                f"to the stiffness; give one of them"
            )

    @property
    def rigidity(self) -> Rigidity:
        """Stiffness and mass of its section."""
        section: Any = self.section
        material: Any = self.material
        return section.of(material) if isinstance(section, Section) else section

    @property
    def tau(self) -> float:
        """Kelvin-Voigt's time: stresses are C (strain + tau strain rate)."""
        return float(self.viscosity) or float(self.rayleigh[1])

    @cached_property
    def line(self) -> Line:
        """Its axis at t0, which has no strain."""
        return Line.of(self.title, self.start, self.end, getattr(self, "curve", None))

    @property
    def planar(self) -> bool:
        """Does it lie in a planar model?"""
        return self.line.dimension == 2

    def require_model(self, planar: bool) -> None:
        """Refuse a model of another dimension."""
        if self.planar != planar:
            have, want = ("two", "three") if self.planar else ("three", "two")
            kind = "planar" if planar else "spatial"
            raise InputError(f"{self.title}: its points have {have} coordinates; those of a {kind} model have {want}")

    @cached_property
    def stations(self) -> NDArray[np.float64]:
        """Parameters (elements + 1,) of the nodes along the line."""
        return self.line.evenly(int(self.elements))

    @cached_property
    def points(self) -> NDArray[np.float64]:
        """Positions (elements + 1, 3) of the nodes at t0; (elements + 1, 2) in planar models."""
        return self.line.points(self.stations)

    @cached_property
    def lengths(self) -> NDArray[np.float64]:
        """Lengths (elements,) of the elements along the line."""
        return self.line.lengths(int(self.elements))

    @property
    def length(self) -> float:
        return float(np.sum(self.lengths))

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """The length (elements + 1,) that belongs to each node: half of its elements."""
        half = 0.5 * self.lengths
        return np.append(half, 0.0) + np.append(0.0, half)

    @cached_property
    def nodes(self) -> tuple[Any, ...]:
        raise NotImplementedError

    def node_velocities(self, spin: NDArray[np.float64]) -> NDArray[np.float64]:
        """Of a rigid motion: ``velocity`` is that of the first node."""
        n = self.points.shape[1]
        base = np.zeros(n) if self.velocity is None else self.vector("velocity", n)
        arms = self.points - self.points[0]
        if n == 2:
            return base + spin[0] * np.stack([-arms[:, 1], arms[:, 0]], axis=1)
        return base + np.cross(spin, arms)  # pyright: ignore[reportReturnType]

    def node_name(self, i: int) -> str:
        return f"{self.name}.{i}"


@dataclass(frozen=True, eq=False)
class Beam(Flexible):
    """A geometrically exact beam that stretches, shears, bends and twists: theory (20).

    Parameters
    ----------
    name : str
    start, end : array_like (3,)
        Of a straight beam; (2,) in planar models.
    elements : int
        Elements of two nodes. ``beam.nodes`` are bodies of the model, called ``"name.0"``, ``"name.1"``, ...
    section : Section or Rigidity
    material : Material
        Not with a `Rigidity`, which contains it.
    mass : {"lumped", "consistent"}
        Masses at the nodes, or the mass matrix of linear shapes (not on SE(3), where it would not be constant; the
        rotary inertia of spatial beams is always at the nodes).
    rayleigh : (float, float)
        Damping α M + β K; the second part damps strain rates, as ``viscosity``, and no rigid motion.
    viscosity : float
        Kelvin-Voigt damping: stresses are C (strain + viscosity · strain rate), in seconds.
    across : array_like (3,), optional
        Direction of the section's y axis at the start. By default its z axis is next to the z axis of space, or its y
        axis is that of space if the beam is along z.
    curve : callable, optional
        The line of a curved beam, a function of s from 0 to 1 that gives points; instead of start and end.
    twist : float or callable
        Rotation of the section about the line: its angle at the end, or a function of s from 0 to 1.
    velocity, angular_velocity : array_like (3,), optional
        At t0 it moves as a rigid body with the velocity of its first node; (2,) and a number in planar models.
    group : {"R3xSO3", "SE3"}
        Of its nodes.
    exact_bending : bool
        Add the bending flexibility that straight elements lack to that of shear, 1/GA + L²/(12 EI) (R. H. MacNeal,
        Comput. Struct. 8 (1978) 175-183): nodes of a straight beam under forces at nodes are then exact for
        small displacements. Without it deflections are too small by L²/4 of the length squared.
    shape : Shape, optional
        Of its nodes, for contacts.

    Examples
    --------
    >>> import genalpha as ga
    >>> model = ga.Model("cantilever", gravity=(0.0, 0.0, -9.81))
    >>> steel = ga.Material(E=2.1e11, density=7800.0)
    >>> arm = model.add(ga.Beam("arm", (0, 0, 0), (1, 0, 0), section=ga.Section.circle(0.01), material=steel))
    >>> _ = model.add(ga.Fixed("root", model.ground, arm.nodes[0], at=(0, 0, 0)))
    >>> model
    Model('cantilever': 9 bodies, 1 joint)
    """

    across: ArrayLike | None = None
    curve: Callable[[float], Any] | None = None
    twist: float | Callable[[float], float] = 0.0
    angular_velocity: ArrayLike | None = None
    group: str = "R3xSO3"
    exact_bending: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.group not in GROUPS:
            raise InputError(f"{self.title}: group = {self.group!r} must be one of {', '.join(GROUPS)}")
        if self.group == "SE3" and self.mass == "consistent" and not self.planar:
            raise InputError(
                f"{self.title}: the consistent mass matrix is not constant on SE(3); "
                f'take mass="lumped" or group="R3xSO3"'
            )
        self.rigidity.require(self.title, "GA", "EI", "inertia", *(() if self.planar else ("GJ",)))
        if self.planar and (callable(self.twist) or self.twist != 0.0):
            raise InputError(f"{self.title}: a planar beam has no twist")

    @cached_property
    def frames(self) -> NDArray[np.float64]:
        """Axes (nodes, 3, 3) of the sections at the nodes, as columns; angles (nodes,) in planar models."""
        if self.planar:
            return planar_angles(self.line, self.stations)
        across = None if self.across is None else self.vector("across", 3)
        return triads(self.title, self.line, self.stations, across, self.twist)

    @cached_property
    def nodes(self) -> tuple[RigidBody, ...]:
        """Bodies of the model, from start to end."""
        from genalpha.math import so3

        spin = self._spin()
        rigidity, velocities = self.rigidity, self.node_velocities(spin)
        y, z = rigidity.pair("inertia")
        nodes: list[RigidBody] = []
        for i, share in enumerate(self.shares):
            inertia: Any = z * share if self.planar else (share * (y + z), share * y, share * z)
            turn: Any = float(self.frames[i]) if self.planar else so3.quaternion(self.frames[i])
            nodes.append(RigidBody(
                self.node_name(i), mass=rigidity.mass * share, inertia=inertia, position=self.points[i],
                orientation=turn, velocity=velocities[i], angular_velocity=spin[0] if self.planar else spin,
                group=self.group, shape=self.shape,
            ))  # fmt: skip
        return tuple(nodes)

    def _spin(self) -> NDArray[np.float64]:
        n = 1 if self.planar else 3
        return np.zeros(n) if self.angular_velocity is None else self.vector("angular_velocity", n)


@dataclass(frozen=True, eq=False)
class Bar(Flexible):
    """A bar that only stretches: force EA ε (N) with the strain ε = l/L − 1; its nodes are point masses.

    Parameters
    ----------
    name, start, end, elements, section, material, mass, rayleigh, viscosity, velocity, shape
        As for `Beam`; a `Rigidity` needs EA and mass only.
    linear : bool
        The direction of the bar is that at t0, and its force is linear in displacements. Otherwise it is geometrically
        exact: the force acts along the line between its nodes.

    Examples
    --------
    >>> import genalpha as ga
    >>> model = ga.Model("string", planar=True)
    >>> string = model.add(ga.Bar("string", (0, 0), (1, 0), elements=4, section=ga.Rigidity(EA=1e4, mass=0.1)))
    >>> len(string.nodes)
    5
    """

    elements: int = 1
    linear: bool = False

    @cached_property
    def nodes(self) -> tuple[PointMass, ...]:
        """Bodies of the model, from start to end."""
        n = self.points.shape[1]
        velocities = self.node_velocities(np.zeros(1 if n == 2 else 3))
        return tuple(
            PointMass(
                self.node_name(i), mass=self.rigidity.mass * share, position=self.points[i], velocity=velocities[i],
                shape=self.shape,
            )
            for i, share in enumerate(self.shares)
        )  # fmt: skip


def bodies_brought(part: Part, planar: bool) -> Sequence[Body]:
    """The bodies that a part brings along to a model."""
    if not isinstance(part, Flexible):
        return ()
    part.require_model(planar)
    return part.nodes

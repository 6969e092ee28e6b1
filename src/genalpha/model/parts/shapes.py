"""Shapes of bodies: plain data for inertia, contact and view. Centred at the body's origin, axes along z."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import pi

import numpy as np
from numpy.typing import ArrayLike, NDArray

from genalpha.errors import InputError
from genalpha.inputs import finite


def _positive(shape: Shape, n: int | None = None, **sizes: object) -> None:
    """Refuse sizes that are not positive numbers; n of them each."""
    for name, size in sizes.items():
        value = finite(size)
        if value is None or value.shape != (() if n is None else (n,)) or not np.all(value > 0.0):
            raise InputError(f"{type(shape).__name__}: {name} = {size!r} must be positive")


@dataclass(frozen=True)
class Shape:
    """A solid; its mass properties belong to its centre of mass."""

    @property
    def volume(self) -> float:
        raise NotImplementedError

    @property
    def second_moments(self) -> NDArray[np.float64]:
        """∫ x xᵀ dV (3, 3) about the centre of mass."""
        raise NotImplementedError

    @property
    def inertia(self) -> NDArray[np.float64]:
        """∫ (x² 1 − x xᵀ) dV (3, 3): the inertia of unit density."""
        moments = self.second_moments
        return np.trace(moments) * np.eye(3) - moments


@dataclass(frozen=True)
class Box(Shape):
    """A box with edges ``size`` = (a, b, c) along x, y, z, in m.

    Examples
    --------
    >>> import genalpha as ga
    >>> box = ga.Box((3.0, 2.0, 1.0))
    >>> box.volume, box.inertia.diagonal().tolist()  # of unit density: (b² + c²) V/12, ...
    (6.0, [2.5, 5.0, 6.5])
    """

    size: tuple[float, float, float]

    def __post_init__(self) -> None:
        if finite(self.size) is None or np.shape(self.size) != (3,):
            raise InputError(f"Box: size = {self.size!r:.60} must be three lengths")
        _positive(self, 3, size=self.size)

    @property
    def volume(self) -> float:
        return float(np.prod(self.size))

    @property
    def second_moments(self) -> NDArray[np.float64]:
        return self.volume / 12.0 * np.diag(np.square(self.size))


@dataclass(frozen=True)
class Sphere(Shape):
    """A ball of this ``radius`` in m.

    Examples
    --------
    >>> import genalpha as ga
    >>> round(ga.Sphere(0.5).volume, 6)  # 4π r³/3
    0.523599
    """

    radius: float

    def __post_init__(self) -> None:
        _positive(self, radius=self.radius)

    @property
    def volume(self) -> float:
        return 4.0 / 3.0 * pi * self.radius**3

    @property
    def second_moments(self) -> NDArray[np.float64]:
        return self.volume * self.radius**2 / 5.0 * np.eye(3)


@dataclass(frozen=True)
class _Round(Shape):
    """What has a radius and a length along z."""

    radius: float
    length: float

    def __post_init__(self) -> None:
        _positive(self, radius=self.radius, length=self.length)


@dataclass(frozen=True)
class Cylinder(_Round):
    """A cylinder along z: ``radius`` and ``length`` in m.

    Examples
    --------
    >>> import genalpha as ga
    >>> rod = ga.Cylinder(0.1, 2.0)
    >>> [round(float(x), 5) for x in rod.inertia.diagonal() / rod.volume]  # (3r² + l²)/12 twice, r²/2
    [0.33583, 0.33583, 0.005]
    """

    @property
    def volume(self) -> float:
        return pi * self.radius**2 * self.length

    @property
    def second_moments(self) -> NDArray[np.float64]:
        side = self.radius**2 / 4.0
        return self.volume * np.diag([side, side, self.length**2 / 12.0])


@dataclass(frozen=True)
class Capsule(_Round):
    """A cylinder along z of this ``length`` with half balls of this ``radius`` on both ends, in m.

    Examples
    --------
    >>> import genalpha as ga
    >>> ga.Capsule(0.1, 0.5).volume == ga.Cylinder(0.1, 0.5).volume + ga.Sphere(0.1).volume
    True
    """

    @property
    def volume(self) -> float:
        return pi * self.radius**2 * self.length + Sphere(self.radius).volume

    @property
    def second_moments(self) -> NDArray[np.float64]:
        r, l, ball = self.radius, self.length, Sphere(self.radius)
        # the centres of mass of the half balls are 3 r/8 beyond the ends
        along = ball.volume * (l**2 / 4.0 + 3.0 * r * l / 8.0)
        return Cylinder(r, l).second_moments + ball.second_moments + np.diag([0.0, 0.0, along])


@dataclass(frozen=True)
class Cone(_Round):
    """A cone along z, ``radius`` and ``length`` in m; its origin, the centre of mass, is length/4 above the base.

    Examples
    --------
    >>> import genalpha as ga
    >>> cone = ga.Cone(0.1, 0.4)
    >>> round(cone.volume / ga.Cylinder(0.1, 0.4).volume, 12)
    0.333333333333
    """

    @property
    def volume(self) -> float:
        return pi * self.radius**2 * self.length / 3.0

    @property
    def second_moments(self) -> NDArray[np.float64]:
        side = 3.0 / 20.0 * self.radius**2
        return self.volume * np.diag([side, side, 3.0 / 80.0 * self.length**2])


@dataclass(frozen=True, eq=False)
class Mesh(Shape):
    """A closed surface of triangles.

    Parameters
    ----------
    vertices : array_like (n, 3)
        Moved so that the centre of mass is the origin; `offset` says where it was.
    faces : array_like of int (m, 3)
        Counter-clockwise when seen from outside.

    Examples
    --------
    A tetrahedron with corners on the axes:

    >>> import genalpha as ga
    >>> corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    >>> mesh = ga.Mesh(corners, [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])
    >>> round(mesh.volume, 6), mesh.offset.tolist()
    (0.166667, [0.25, 0.25, 0.25])
    """

    vertices: ArrayLike
    faces: ArrayLike
    offset: NDArray[np.float64] = field(init=False)

    def __post_init__(self) -> None:
        vertices, faces = finite(self.vertices), finite(self.faces)
        if vertices is None or faces is None or np.any(faces != np.round(faces)):
            raise InputError("Mesh: vertices must be finite numbers, and faces whole ones, three vertices each")
        faces = faces.astype(np.int64)
        if vertices.ndim != 2 or vertices.shape[1] != 3 or faces.ndim != 2 or faces.shape[1] != 3:
            raise InputError(
                f"Mesh: vertices {vertices.shape} and faces {faces.shape} must have the shapes (n, 3) and (m, 3)"
            )
        if faces.size and not (faces.min() >= 0 and faces.max() < len(vertices)):
            raise InputError(f"Mesh: faces name the vertices {faces.min()} to {faces.max()} of {len(vertices)}")
        edges = np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
        _, counts = np.unique(edges, axis=0, return_counts=True)
        if np.any(counts != 2):
            raise InputError(f"Mesh: {int(np.sum(counts != 2))} edges do not belong to two faces; it must be closed")
        object.__setattr__(self, "faces", faces)
        volumes = np.linalg.det(vertices[faces]) / 6.0
        if not volumes.sum() > 0.0:
            raise InputError(f"Mesh: its volume is {volumes.sum():.3g}; turn the order of the vertices of its faces")
        offset = volumes @ vertices[faces].mean(axis=1) * 0.75 / volumes.sum()
        object.__setattr__(self, "vertices", vertices - offset)
        object.__setattr__(self, "offset", offset)

    @property
    def _tetrahedra(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        corners = np.asarray(self.vertices)[np.asarray(self.faces)]
        return corners, np.linalg.det(corners) / 6.0

    @property
    def volume(self) -> float:
        return float(self._tetrahedra[1].sum())

    @property
    def second_moments(self) -> NDArray[np.float64]:
        corners, volumes = self._tetrahedra
        total = corners.sum(axis=1)
        # ∫ x xᵀ over a tetrahedron with a corner at the origin: V/20 (Σ c cᵀ + Σ c Σ cᵀ)
        products = np.einsum("nki,nkj->nij", corners, corners) + np.einsum("ni,nj->nij", total, total)
        return np.einsum("n,nij->ij", volumes / 20.0, products)


def along(direction: ArrayLike) -> NDArray[np.float64]:
    """The orientation of a body whose z axis points this way: the unit quaternion of the shortest such rotation.

    Cylinders, capsules and cones lie along the z axis of their body.

    Parameters
    ----------
    direction : array_like (3,)
        In space; its length does not matter.

    Examples
    --------
    >>> import genalpha as ga
    >>> rod = ga.RigidBody("rod", shape=ga.Cylinder(0.01, 0.5), density=7800.0, orientation=ga.along((1, 0, 0)))
    >>> [round(float(x), 4) for x in rod.orientation]
    [0.7071, 0.0, 0.7071, 0.0]
    """
    a = finite(direction)
    if a is None or a.shape != (3,) or not np.any(a):
        raise InputError(f"along: direction = {direction!r:.60} must be three finite numbers, not all zero")
    a = a / np.abs(a).max()
    a = a / np.linalg.norm(a)
    if a[2] < -1.0 + 1e-12:
        return np.array([0.0, 1.0, 0.0, 0.0])
    x = np.array([1.0 + a[2], 0.0 - a[1], a[0], 0.0])  # no minus zero
    return x / np.linalg.norm(x)

"""Shapes of bodies, in the frame of the body; axes lie along z."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Box:
    """A box with edges along x, y and z."""

    size: tuple[float, float, float]


@dataclass(frozen=True)
class Sphere:
    """A sphere."""

    radius: float


@dataclass(frozen=True)
class Cylinder:
    """A cylinder around z, its middle at the origin."""

    radius: float
    length: float


@dataclass(frozen=True)
class Capsule:
    """A cylinder around z with half a sphere on each end; the length is that of the cylinder."""

    radius: float
    length: float


@dataclass(frozen=True)
class Cone:
    """A cone around z, its tip towards +z, half its length above the origin."""

    radius: float
    length: float


@dataclass(frozen=True, eq=False)
class Mesh:
    """Triangles: vertices (n, 3) and the indices (m, 3) of their corners."""

    vertices: Any
    faces: Any

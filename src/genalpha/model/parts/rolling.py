"""Rolling without slipping, and skates: joints that hold velocities (nonholonomic constraints).

What rolls is given by its support function: the lowest point of an ellipsoid with the shape matrix S (of a sphere r² 1,
of a disk r² (1 − e eᵀ)) against a plane with the normal m, seen from the body, is −S m/√(mᵀ S m) from its centre. The
height of the point is held as a position, its velocity along the plane as a velocity.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from genalpha.errors import InputError
from genalpha.inputs import Array
from genalpha.model.parts.joints import EdgeRow, Joint, RollRow, Row, SlideRow, Spot

if TYPE_CHECKING:
    from genalpha.model.places import Place, Pose


@dataclass(frozen=True, eq=False)
class Rolling(Joint):
    """What rolls on a plane of a without slipping: the lowest point stays in the plane, and its velocity is that of a.

    One row of g and two of k, theory (19); in planar models one and one. Results: ``force`` (N) and ``torque`` on b at
    the point that touches.

    Parameters
    ----------
    name : str
    a : Body or str
        Has the plane: the ground, or a body that moves, such as a turntable.
    b : Body or str
        Rolls on it.
    centre : array_like (3,), optional
        The centre of its shape, in space at t0, in m; by default its centre of mass.
    plane : array_like (3,), optional
        A point of the plane, in space at t0; by default the origin.
    normal : array_like (3,), optional
        Of the plane, towards b; by default (0, 0, 1), in planar models (0, 1).
    """

    centre: ArrayLike | None = None
    plane: ArrayLike | None = None
    normal: ArrayLike | None = None

    labels = ("height",)
    velocity_labels = ("roll_1", "roll_2")
    takes_axis: ClassVar[bool] = False

    def check_place(self) -> None:
        given = [name for name in ("at", "on_a", "on_b", "axis_a", "axis_b") if getattr(self, name) is not None]
        if self.axis is not None and not self.takes_axis:
            given.append("axis")
        if given:
            raise InputError(f"{self.title}: {given[0]} has no meaning here; say centre=..., plane=... and normal=...")

    def points(self, a: Place, b: Place) -> tuple[Array, Array]:
        n = len(a.position)
        centre = b.position if self.centre is None else self.vector("centre", n)
        return a.seen(np.zeros(n) if self.plane is None else self.vector("plane", n)), b.seen(centre)

    def up(self, planar: bool) -> Array:
        """The normal of the plane in space at t0."""
        if self.normal is None:
            return np.array([0.0, 1.0]) if planar else np.array([0.0, 0.0, 1.0])
        return self.direction("normal", planar)

    def length(self, field: str) -> float:
        """A radius or semi-axis, positive."""
        value = float(self.vector(field, 1)[0])
        if not value > 0.0:
            raise InputError(f"{self.title}: {field} = {getattr(self, field)!r} must be positive")
        return value

    def shape(self, spot: Spot) -> Array:
        """The matrix S (3, 3) in the axes of b."""
        raise NotImplementedError

    def rows(self, spot: Spot) -> list[Row]:
        return [RollRow(self.up(spot.planar), self.shape(spot))]

    def reaction_points(self, spot: Spot, a: Pose, b: Pose) -> Array:
        """The points of contact."""
        R, Q = a.rotation, b.rotation
        pad = np.zeros(3 - len(spot.s_b))
        normal = np.einsum("tij,j->ti", R @ R[0].T, np.concatenate([self.up(spot.planar), pad]))
        S = self.shape(spot)
        m = np.einsum("tji,tj->ti", Q, normal)
        lowest = (m @ S) / np.sqrt(np.einsum("ti,ij,tj->t", m, S, m))[:, None]
        return b.position + np.einsum("tij,tj->ti", Q, np.concatenate([spot.s_b, pad]) - lowest)


@dataclass(frozen=True, eq=False)
class RollingSphere(Rolling):
    """A ball that rolls on a plane without slipping, v + ω × (−r n) = 0; see `Rolling`.

    Parameters
    ----------
    name, a, b, centre, plane, normal
        Of `Rolling`: a has the plane, by default z = 0, and b rolls on it.
    radius : float
        In m.

    Examples
    --------
    >>> import genalpha as ga
    >>> model = ga.Model("ball", gravity=(0.0, 0.0, -9.81))
    >>> ball = model.add(ga.RigidBody("ball", shape=ga.Sphere(0.1), density=1e3, position=(0.0, 0.0, 0.1)))
    >>> rolling = model.add(ga.RollingSphere("rolling", model.ground, ball, radius=0.1))
    >>> rolling.radius
    0.1
    """

    radius: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self.length("radius")

    def shape(self, spot: Spot) -> Array:
        return self.length("radius") ** 2 * np.eye(3)


@dataclass(frozen=True, eq=False)
class RollingDisk(Rolling):
    """A thin disk or wheel whose rim rolls on a plane without slipping; in planar models a round body; see `Rolling`.

    Parameters
    ----------
    name, a, b, centre, plane, normal
        Of `Rolling`: a has the plane, by default z = 0, and b rolls on it.
    radius : float
        In m.
    axis : array_like (3,)
        Across the disk, in space at t0; none in planar models.

    Examples
    --------
    >>> import genalpha as ga
    >>> coin = ga.RollingDisk("rolling", "ground", "coin", radius=0.5, axis=(0.0, 1.0, 0.0))
    >>> coin.radius
    0.5
    """

    radius: float = 0.0

    needs_axis = True
    needs_planar_axis = False
    takes_axis = True
    planar_labels = ("height",)
    planar_velocity_labels = ("roll",)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.length("radius")

    def shape(self, spot: Spot) -> Array:
        square = self.length("radius") ** 2
        if spot.planar:
            return square * np.eye(3)
        axis = spot.E_b.T[2]
        return square * (np.eye(3) - np.outer(axis, axis))


@dataclass(frozen=True, eq=False)
class RollingEllipsoid(Rolling):
    """An ellipsoid that rolls on a plane without slipping; see `Rolling`.

    Parameters
    ----------
    name, a, b, centre, plane, normal
        Of `Rolling`: a has the plane, by default z = 0, and b rolls on it.
    radii : array_like (3,)
        Its semi-axes in m, along the axes of the body.

    Examples
    --------
    >>> import genalpha as ga
    >>> ga.RollingEllipsoid("rolling", "ground", "egg", radii=(0.2, 0.03, 0.02)).radii
    (0.2, 0.03, 0.02)
    """

    radii: ArrayLike = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not np.all(self.vector("radii", 3) > 0.0):
            raise InputError(f"{self.title}: radii = {self.radii!r} must be positive")

    def shape(self, spot: Spot) -> Array:
        return np.diag(self.vector("radii", 3) ** 2)


@dataclass(frozen=True, eq=False)
class KnifeEdge(Joint):
    """A skate: its point has no velocity across the blade, n · ṗ = 0; in space it also stays in its plane of a.

    Parameters
    ----------
    at : array_like (3,)
        Where the blade touches, in space at t0, in m.
    axis : array_like (3,)
        Along the blade, in space at t0; it turns with b.
    normal : array_like (3,), optional
        Of the plane of a, perpendicular to the blade at t0; by default (0, 0, 1). Not in planar models.

    Examples
    --------
    >>> import genalpha as ga
    >>> blade = ga.KnifeEdge("blade", "ground", "skate", at=(0.0, 0.0, 0.0), axis=(1.0, 0.0, 0.0))
    >>> blade.axis
    (1.0, 0.0, 0.0)
    """

    normal: ArrayLike | None = None

    labels = ("height",)
    velocity_labels = ("side",)
    planar_velocity_labels = ("side",)
    needs_axis = True

    def second_axis(self, axis: Array) -> Array | None:
        if len(axis) == 2:
            return None
        up = np.array([0.0, 0.0, 1.0]) if self.normal is None else self.direction("normal", False)
        if abs(up @ axis) > 1e-6:
            raise InputError(
                f"{self.title}: the blade, axis = {self.axis!r}, must lie in the plane across {up.tolist()}"
            )
        return np.cross(up, axis)

    def rows(self, spot: Spot) -> list[Row]:
        if spot.planar:
            return [EdgeRow(spot.E_b.T[1])]
        return [SlideRow(spot.E_a.T[1]), EdgeRow(spot.E_b.T[0])]

"""Joints: what bodies have in common, as a list of rows of three kinds.

A joint says which rows it is made of, in terms of the points and axes where it sits; `rows` and `planar` know how to
evaluate them. A joint of your own is a class like these, see docs/own_joint.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from genalpha.errors import InputError
from genalpha.model.bodies import Body, Part


@dataclass(frozen=True)
class PointRows:
    """p_b − p_a = 0: three rows, two in a plane."""


@dataclass(frozen=True)
class DotRow:
    """d_a · d_b = value, for directions ``u_a`` of a and ``u_b`` of b, given in the axes of the bodies."""

    u_a: NDArray[np.float64]
    u_b: NDArray[np.float64]
    value: float = 0.0


@dataclass(frozen=True)
class SlideRow:
    """d_a · (p_b − p_a) = value, for a direction ``u_a`` of a."""

    u_a: NDArray[np.float64]
    value: float = 0.0


@dataclass(frozen=True)
class AngleRow:
    """θ_b − θ_a = value, in planar models."""

    value: float = 0.0


Row = PointRows | DotRow | SlideRow | AngleRow


@dataclass(frozen=True)
class Spot:
    """Where a joint sits.

    Attributes
    ----------
    planar : bool
    s_a, s_b : ndarray (3,) or (2,)
        Its points, seen from the bodies.
    E_a, E_b : ndarray (3, 3) or (2, 2)
        Its axes as columns, seen from the bodies; they coincide where the joint is assembled. The last one is the axis
        of the joint; in a plane, where the axis of rotation is not in it, the first one is that of a sliding joint.
    angle : float
        θ_b − θ_a at t0, in planar models.
    """

    planar: bool
    s_a: NDArray[np.float64]
    s_b: NDArray[np.float64]
    E_a: NDArray[np.float64]
    E_b: NDArray[np.float64]
    angle: float = 0.0


@dataclass(frozen=True, eq=False)
class Joint(Part):
    """A joint between two bodies, or a body and the ground.

    Parameters
    ----------
    name : str
    a, b : Body or str
        Reactions are those on b.
    at : array_like (3,), optional
        Where it is, in space at t0; (2,) in planar models.
    axis : array_like (3,), optional
        Its axis in space at t0.
    on_a, on_b : array_like (3,), optional
        Instead of ``at``: its points, seen from the bodies. They must meet at t0, or the model is assembled
        (``project=True``).
    axis_a, axis_b : array_like (3,), optional
        Instead of ``axis``: seen from the bodies.

    Notes
    -----
    A joint of your own is a subclass that lists its rows: the page "Write your own joint".

    Examples
    --------
    A point of b stays in the plane of a that is normal to the axis:

    >>> from dataclasses import dataclass
    >>> import genalpha as ga
    >>> from genalpha.model.joints import SlideRow
    >>> @dataclass(frozen=True, eq=False)
    ... class InPlane(ga.Joint):
    ...     labels = ("out",)
    ...     needs_axis = True
    ...
    ...     def rows(self, spot):
    ...         return [SlideRow(spot.E_a.T[2])]
    >>> table = InPlane("table", "ground", "puck", at=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0))
    >>> table.labels
    ('out',)
    """

    a: Body | str = ""
    b: Body | str = ""
    at: ArrayLike | None = None
    axis: ArrayLike | None = None
    on_a: ArrayLike | None = None
    on_b: ArrayLike | None = None
    axis_a: ArrayLike | None = None
    axis_b: ArrayLike | None = None

    labels: ClassVar[Sequence[str]] = ()
    planar_labels: ClassVar[Sequence[str]] = ()
    needs_axis: ClassVar[bool] = False

    def __post_init__(self):
        super().__post_init__()
        for side in ("a", "b"):
            if not isinstance(getattr(self, side), Body | str) or getattr(self, side) == "":
                raise InputError(f"{self.title}: {side} must be a body or its name, not {getattr(self, side)!r:.40}")
        if (self.at is None) == (self.on_a is None) or (self.on_a is None) != (self.on_b is None):
            raise InputError(f"{self.title}: say where it is, either by at=... in space or by on_a=... and on_b=...")
        if (self.axis_a is None) != (self.axis_b is None) or (self.axis is not None and self.axis_a is not None):
            raise InputError(f"{self.title}: give axis=... in space, or axis_a=... and axis_b=...")

    def rows(self, spot: Spot) -> list[Row]:
        """The rows that the joint is made of, as many as its labels say."""
        raise NotImplementedError

    def direction(self, field: str, planar: bool) -> NDArray[np.float64]:
        """A given axis, normalised."""
        axis = self.vector(field, 2 if planar else 3)
        length = float(np.linalg.norm(axis))
        if not length > 0.0:
            raise InputError(f"{self.title}: {field} = {getattr(self, field)!r} has no length")
        return axis / length


def _aligned(spot: Spot) -> list[Row]:
    """No relative rotation."""
    if spot.planar:
        return [AngleRow(spot.angle)]
    a, b = spot.E_a.T, spot.E_b.T
    return [DotRow(a[0], b[1]), DotRow(a[1], b[2]), DotRow(a[2], b[0])]


@dataclass(frozen=True, eq=False)
class Spherical(Joint):
    """A ball joint: the points stay together, p_b − p_a = 0; three rows, two in planar models.

    Examples
    --------
    >>> import genalpha as ga
    >>> model = ga.Model("one body", gravity=(0.0, 0.0, -9.81))
    >>> rod = model.add(ga.RigidBody("rod", mass=1.0, inertia=(0.01, 0.1, 0.1), position=(0.5, 0.0, 0.0)))
    >>> joint = model.add(ga.Spherical("joint", model.ground, rod, at=(0, 0, 0)))
    >>> len(model.assemble().names["g"])
    3
    """

    labels = ("x", "y", "z")

    def rows(self, spot):
        return [PointRows()]


@dataclass(frozen=True, eq=False)
class Revolute(Joint):
    """A hinge: the points stay together, and the axes stay parallel; five rows, two in planar models.

    Results: ``force`` (N) and ``torque`` (N m) on b, ``angle`` (rad) and ``rate`` of b against a.

    Examples
    --------
    >>> import genalpha as ga
    >>> model = ga.Model("one body", gravity=(0.0, 0.0, -9.81))
    >>> rod = model.add(ga.RigidBody("rod", mass=1.0, inertia=(0.01, 0.1, 0.1), position=(0.5, 0.0, 0.0)))
    >>> joint = model.add(ga.Revolute("joint", model.ground, rod, at=(0, 0, 0), axis=(0, 1, 0)))
    >>> len(model.assemble().names["g"])
    5
    """

    labels = ("x", "y", "z", "axis_1", "axis_2")
    planar_labels = ("x", "y")
    needs_axis = True

    def rows(self, spot):
        if spot.planar:
            return [PointRows()]
        a, b = spot.E_a.T, spot.E_b.T
        return [PointRows(), DotRow(a[0], b[2]), DotRow(a[1], b[2])]


@dataclass(frozen=True, eq=False)
class Prismatic(Joint):
    """A slide along the axis, without rotation; five rows, two in planar models.

    Results: ``force`` and ``torque`` on b, ``displacement`` (m) and ``speed`` of b against a.

    Examples
    --------
    >>> import genalpha as ga
    >>> model = ga.Model("one body", gravity=(0.0, 0.0, -9.81))
    >>> rod = model.add(ga.RigidBody("rod", mass=1.0, inertia=(0.01, 0.1, 0.1), position=(0.5, 0.0, 0.0)))
    >>> joint = model.add(ga.Prismatic("joint", model.ground, rod, at=(0, 0, 0), axis=(1, 0, 0)))
    >>> len(model.assemble().names["g"])
    5
    """

    labels = ("side_1", "side_2", "turn_1", "turn_2", "turn_3")
    planar_labels = ("side", "turn")
    needs_axis = True

    def rows(self, spot):
        sides = spot.E_a.T[1:] if spot.planar else spot.E_a.T[:2]
        return [*(SlideRow(side) for side in sides), *_aligned(spot)]


@dataclass(frozen=True, eq=False)
class Fixed(Joint):
    """No relative motion; six rows, three in planar models.

    Examples
    --------
    >>> import genalpha as ga
    >>> model = ga.Model("one body", gravity=(0.0, 0.0, -9.81))
    >>> rod = model.add(ga.RigidBody("rod", mass=1.0, inertia=(0.01, 0.1, 0.1), position=(0.5, 0.0, 0.0)))
    >>> joint = model.add(ga.Fixed("joint", model.ground, rod, at=(0, 0, 0)))
    >>> len(model.assemble().names["g"])
    6
    """

    labels = ("x", "y", "z", "turn_1", "turn_2", "turn_3")
    planar_labels = ("x", "y", "turn")

    def rows(self, spot):
        return [PointRows(), *_aligned(spot)]

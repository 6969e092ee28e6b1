"""Joints: what bodies have in common, as a list of rows of a few kinds.

A joint says which rows it is made of, in terms of the points and axes where it sits; `leaves` know how to
evaluate them. A joint of your own is a class like these, see docs/own_joint.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from genalpha.errors import InputError
from genalpha.model.parts.bodies import Body, Part

if TYPE_CHECKING:
    from genalpha.model.places import Place, Pose


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


@dataclass(frozen=True)
class LengthRow:
    """|p_b − p_a| = value."""

    value: float


@dataclass(frozen=True)
class RollRow:
    """The lowest point of a body with the shape matrix ``shape`` stays on a plane, and does not slip on it.

    One row, and two velocity rows (one in a plane); ``normal`` is that of the plane in space at t0.
    """

    normal: NDArray[np.float64]
    shape: NDArray[np.float64]


@dataclass(frozen=True)
class EdgeRow:
    """The point of b has no velocity along a direction ``u_b`` of b: no row, and one velocity row."""

    u_b: NDArray[np.float64]


Row = PointRows | DotRow | SlideRow | AngleRow | LengthRow | RollRow | EdgeRow


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
    distance : float
        |p_b − p_a| at t0.
    """

    planar: bool
    s_a: NDArray[np.float64]
    s_b: NDArray[np.float64]
    E_a: NDArray[np.float64]
    E_b: NDArray[np.float64]
    angle: float = 0.0
    distance: float = 0.0


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
    >>> from genalpha.model.parts.joints import SlideRow
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
    velocity_labels: ClassVar[Sequence[str]] = ()
    planar_velocity_labels: ClassVar[Sequence[str]] = ()
    needs_axis: ClassVar[bool] = False
    needs_planar_axis: ClassVar[bool] = True
    """If it needs an axis: in planar models too?"""
    coordinates: ClassVar[Sequence[str]] = ()
    """What it leaves free and can be measured: "angle" about the axis, "displacement" along it."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for side in ("a", "b"):
            if not isinstance(getattr(self, side), Body | str) or getattr(self, side) == "":
                raise InputError(f"{self.title}: {side} must be a body or its name, not {getattr(self, side)!r:.40}")
        self.check_place()

    def check_place(self) -> None:
        """Refuse a joint that does not say where it is."""
        if (self.at is None) == (self.on_a is None) or (self.on_a is None) != (self.on_b is None):
            raise InputError(f"{self.title}: say where it is, either by at=... in space or by on_a=... and on_b=...")
        if (self.axis_a is None) != (self.axis_b is None) or (self.axis is not None and self.axis_a is not None):
            raise InputError(f"{self.title}: give axis=... in space, or axis_a=... and axis_b=...")

    def rows(self, spot: Spot) -> list[Row]:
        """The rows that the joint is made of, as many as its labels say."""
        raise NotImplementedError

    def reaction_points(self, spot: Spot, a: Pose, b: Pose) -> NDArray[np.float64] | None:
        """Where its force acts (nt, 3), from the poses of its bodies; None: at its point."""
        return None

    def points(self, a: Place, b: Place) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Its points, seen from the bodies."""
        n = len(a.position)
        if self.at is not None:
            at = self.vector("at", n)
            return a.seen(at), b.seen(at)
        return self.vector("on_a", n), self.vector("on_b", n)

    def second_axis(self, axis: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """Where the first column of the axes of the `Spot` should point; None: anywhere across ``axis``."""
        return None

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


def _parallel(spot: Spot) -> list[Row]:
    """The axis of b stays parallel to that of a, in space."""
    a, b = spot.E_a.T, spot.E_b.T
    return [DotRow(a[0], b[2]), DotRow(a[1], b[2])]


def _on_line(spot: Spot) -> list[Row]:
    """The point of b stays on the axis of a."""
    return [SlideRow(side) for side in (spot.E_a.T[1:] if spot.planar else spot.E_a.T[:2])]


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

    def rows(self, spot: Spot) -> list[Row]:
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
    needs_planar_axis = False
    coordinates = ("angle",)

    def rows(self, spot: Spot) -> list[Row]:
        if spot.planar:
            return [PointRows()]
        return [PointRows(), *_parallel(spot)]


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
    coordinates = ("displacement",)

    def rows(self, spot: Spot) -> list[Row]:
        return [*_on_line(spot), *_aligned(spot)]


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

    def rows(self, spot: Spot) -> list[Row]:
        return [PointRows(), *_aligned(spot)]


@dataclass(frozen=True, eq=False)
class Cylindrical(Joint):
    """A hinge that slides: b turns about the axis and moves along it (in space).

    Examples
    --------
    >>> import genalpha as ga
    >>> model = ga.Model("one body", gravity=(0.0, 0.0, -9.81))
    >>> rod = model.add(ga.RigidBody("rod", mass=1.0, inertia=(0.01, 0.1, 0.1), position=(0.5, 0.0, 0.0)))
    >>> joint = model.add(ga.Cylindrical("joint", model.ground, rod, at=(0, 0, 0), axis=(1, 0, 0)))
    >>> len(model.assemble().names["g"])
    4
    """

    labels = ("side_1", "side_2", "axis_1", "axis_2")
    needs_axis = True
    coordinates = ("angle", "displacement")

    def rows(self, spot: Spot) -> list[Row]:
        return [*_on_line(spot), *_parallel(spot)]


@dataclass(frozen=True, eq=False)
class Universal(Joint):
    """A cross between two shafts (in space): the points stay together, and an arm of a stays perpendicular to one of b.

    Parameters
    ----------
    axis : array_like (3,)
        The arm that turns with a, in space at t0.
    axis_2 : array_like (3,), optional
        The arm that turns with b, perpendicular to the other. By default any direction that is.
    axis_a, axis_b : array_like (3,)
        Instead of both: the arms, seen from the bodies.

    Examples
    --------
    >>> import genalpha as ga
    >>> model = ga.Model("one body", gravity=(0.0, 0.0, -9.81))
    >>> rod = model.add(ga.RigidBody("rod", mass=1.0, inertia=(0.01, 0.1, 0.1), position=(0.5, 0.0, 0.0)))
    >>> joint = model.add(ga.Universal("joint", model.ground, rod, at=(0, 0, 0), axis=(0, 0, 1)))
    >>> len(model.assemble().names["g"])
    4
    """

    axis_2: ArrayLike | None = None

    labels = ("x", "y", "z", "cross")
    needs_axis = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.axis_2 is not None and self.axis is None:
            raise InputError(f"{self.title}: axis_2 is the second arm; give the first one too, axis=...")

    def second_axis(self, axis: NDArray[np.float64]) -> NDArray[np.float64] | None:
        if self.axis_2 is None:
            return None
        arm = self.direction("axis_2", False)
        if abs(arm @ axis) > 1e-6:
            angle = np.degrees(np.arccos(np.clip(arm @ axis, -1.0, 1.0)))
            raise InputError(
                f"{self.title}: the arms axis and axis_2 must be perpendicular; they are {angle:.6g}° apart"
            )
        return arm

    def rows(self, spot: Spot) -> list[Row]:
        return [PointRows(), DotRow(spot.E_a.T[2], spot.E_b.T[2 if self.axis is None else 0])]


@dataclass(frozen=True, eq=False)
class Planar(Joint):
    """A table (in space): the point of b stays in the plane of a across the axis, and b turns about the axis only.

    Examples
    --------
    >>> import genalpha as ga
    >>> model = ga.Model("one body", gravity=(0.0, 0.0, -9.81))
    >>> rod = model.add(ga.RigidBody("rod", mass=1.0, inertia=(0.01, 0.1, 0.1), position=(0.5, 0.0, 0.0)))
    >>> joint = model.add(ga.Planar("joint", model.ground, rod, at=(0, 0, 0), axis=(0, 0, 1)))
    >>> len(model.assemble().names["g"])
    3
    """

    labels = ("height", "axis_1", "axis_2")
    needs_axis = True

    def rows(self, spot: Spot) -> list[Row]:
        return [SlideRow(spot.E_a.T[2]), *_parallel(spot)]


@dataclass(frozen=True, eq=False)
class PointOnLine(Joint):
    """A pin in a slot: the point of b stays on a line of a along the axis; b turns as it likes.

    Examples
    --------
    >>> import genalpha as ga
    >>> model = ga.Model("one body", gravity=(0.0, 0.0, -9.81))
    >>> rod = model.add(ga.RigidBody("rod", mass=1.0, inertia=(0.01, 0.1, 0.1), position=(0.5, 0.0, 0.0)))
    >>> joint = model.add(ga.PointOnLine("joint", model.ground, rod, at=(0, 0, 0), axis=(1, 0, 0)))
    >>> len(model.assemble().names["g"])
    2
    """

    labels = ("side_1", "side_2")
    planar_labels = ("side",)
    needs_axis = True
    coordinates = ("displacement",)

    def rows(self, spot: Spot) -> list[Row]:
        return _on_line(spot)


@dataclass(frozen=True, eq=False)
class Distance(Joint):
    """A massless rod between two points: their distance stays.

    Parameters
    ----------
    name : str
    a, b : Body or str
    at_a, at_b : array_like, optional
        Its ends in space at t0; or
    on_a, on_b : array_like, optional
        seen from the bodies. By default the centres of mass (the origin, of the ground).
    length : float, optional
        By default the distance at t0.

    Examples
    --------
    >>> import genalpha as ga
    >>> model = ga.Model("one body", gravity=(0.0, 0.0, -9.81))
    >>> rod = model.add(ga.RigidBody("rod", mass=1.0, inertia=(0.01, 0.1, 0.1), position=(0.5, 0.0, 0.0)))
    >>> joint = model.add(ga.Distance("joint", model.ground, rod, length=0.5))
    >>> len(model.assemble().names["g"])
    1
    """

    at_a: ArrayLike | None = None
    at_b: ArrayLike | None = None
    length: float | None = None

    labels = ("length",)
    planar_labels = ("length",)

    def check_place(self) -> None:
        if self.at is not None or self.axis is not None or self.axis_a is not None or self.axis_b is not None:
            raise InputError(f"{self.title}: a rod has two ends and no axis; give at_a and at_b, or on_a and on_b")
        for side in ("a", "b"):
            if getattr(self, f"at_{side}") is not None and getattr(self, f"on_{side}") is not None:
                raise InputError(f"{self.title}: give at_{side} or on_{side}, not both")
        if self.length is not None and not self.vector("length", 1)[0] > 0.0:
            raise InputError(f"{self.title}: length = {self.length!r} must be positive; use a Spherical to hold points")

    def points(self, a: Place, b: Place) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        n = len(a.position)
        ends: list[NDArray[np.float64]] = []
        for side, place in (("a", a), ("b", b)):
            if getattr(self, f"at_{side}") is not None:
                ends.append(place.seen(self.vector(f"at_{side}", n)))
            else:
                given = getattr(self, f"on_{side}") is not None
                ends.append(self.vector(f"on_{side}", n) if given else np.zeros(n))
        return ends[0], ends[1]

    def rows(self, spot: Spot) -> list[Row]:
        if not spot.distance > 0.0:
            raise InputError(f"{self.title}: its ends coincide at t0, and it has no direction")
        return [LengthRow(spot.distance if self.length is None else float(self.length))]

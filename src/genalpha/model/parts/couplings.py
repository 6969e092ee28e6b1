"""Conditions on coordinates of joints, and on points of bodies: gears, belts, racks, prescribed motions."""

# pyright: reportUnnecessaryIsInstance=false

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from genalpha.errors import InputError
from genalpha.model.parts.bodies import Body, Part
from genalpha.model.parts.joints import Joint


@dataclass(frozen=True, eq=False)
class Constraint(Part):
    """A condition that is not a joint: it holds coordinates of joints, or a point of a body."""


def require_joint(part: Part, joint: object) -> None:
    """Refuse what is neither a joint nor a name."""
    if not isinstance(joint, Joint | str) or joint == "":
        raise InputError(f"{part.title}: {joint!r:.40} must be a joint or its name, such as 'pin' or 'rail.angle'")


def require_different(part: Part, joints: Sequence[Joint | str]) -> None:
    """Refuse a joint that is coupled with itself: that would hold it."""
    names = [joint.name if isinstance(joint, Joint) else joint.removesuffix(".angle") for joint in joints]
    for name in names:
        if names.count(name) > 1:
            raise InputError(
                f"{part.title} couples joint {name!r} with itself; name another one, or hold it by a Drive"
            )


@dataclass(frozen=True, eq=False)
class Coupling(Constraint):
    """Σ factor · coordinate stays what it is at t0: gears, belts, racks, differentials. Coordinates are in rad and m.

    Result: ``effort`` (nt, joints), the torque (N m) or force (N) on each joint, factor · λ.

    Parameters
    ----------
    name : str
    joints : sequence of Joint or str
        Of a Revolute the angle is meant, of a Prismatic or PointOnLine the displacement; ``"rail.angle"`` says which
        one where there are two. Angles count turns, however many.
    factors : sequence of float
        One for each joint.

    Examples
    --------
    >>> import genalpha as ga
    >>> gear = ga.Coupling("gear", ["sun", "planet"], [20.0, 30.0])  # teeth: 20 angle(sun) + 30 angle(planet) = const
    >>> gear.factors
    [20.0, 30.0]
    """

    joints: Sequence[Joint | str] = ()
    factors: Sequence[float] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.joints, Sequence) or isinstance(self.joints, str) or len(self.joints) < 2:
            raise InputError(f"{self.title}: joints must be a list of at least two joints or their names")
        for joint in self.joints:
            require_joint(self, joint)
        require_different(self, self.joints)
        factors = self.vector("factors", len(self.joints))
        if not np.all(factors):
            raise InputError(f"{self.title}: factors = {self.factors!r} must not be zero")

    @property
    def label(self) -> str:
        return "coupling"


@dataclass(frozen=True, eq=False)
class Gear(Constraint):
    """coordinate of ``driven`` = ratio · coordinate of ``driver``: two gears, a belt, a rack and pinion, a screw.

    Parameters
    ----------
    name : str
    driver, driven : Joint or str
        As the joints of a `Coupling`.
    ratio : float
        Of two gears −r_driver/r_driven if they mesh, +r_driver/r_driven with a belt; of a rack the radius of the
        pinion in m; of a screw its lead over 2π.

    Examples
    --------
    >>> import genalpha as ga
    >>> gear = ga.Gear("mesh", "input", "output", ratio=-20 / 60)  # 20 teeth drive 60
    >>> round(gear.ratio, 4)
    -0.3333
    """

    driver: Joint | str = ""
    driven: Joint | str = ""
    ratio: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        require_joint(self, self.driver)
        require_joint(self, self.driven)
        require_different(self, self.joints)
        if not self.vector("ratio", 1)[0]:
            raise InputError(f"{self.title}: ratio = {self.ratio!r} must not be zero; to hold a joint use a Drive")

    @property
    def joints(self) -> tuple[Joint | str, Joint | str]:
        return self.driver, self.driven

    @property
    def factors(self) -> tuple[float, float]:
        return -float(self.ratio), 1.0

    @property
    def label(self) -> str:
        return "gear"


@dataclass(frozen=True, eq=False)
class Drive(Constraint):
    """The coordinate of a joint is a given function of t, counted from where the joint is at t0: c(t) = motion(t).

    Result: ``effort`` (nt,), the torque (N m) or force (N) that this takes.

    Parameters
    ----------
    name : str
    joint : Joint or str
        As the joints of a `Coupling`.
    motion : callable t -> float
        Angle in rad or displacement in m. Marked with `evaluator` it is compiled; a plain Python function is called
        from there.
    rate, acceleration : callable t -> float, optional
        Its derivatives. By default they are differences of ``motion`` over fractions of the time in which it changes,
        which is found by looking ahead from t0: good to about 1e-11 of the rate and 1e-9 of the acceleration.

    Examples
    --------
    >>> import genalpha as ga
    >>> model = ga.Model("one body", gravity=(0.0, 0.0, -9.81))
    >>> rod = model.add(ga.RigidBody("rod", mass=1.0, inertia=(0.01, 0.1, 0.1), position=(0.5, 0.0, 0.0)))
    >>> pin = model.add(ga.Revolute("pin", model.ground, rod, at=(0, 0, 0), axis=(0, 1, 0)))
    >>> part = model.add(ga.Drive("drive", pin, lambda t: 0.5 * t))
    >>> part.motion(2.0)  # rad
    1.0
    """

    joint: Joint | str = ""
    motion: Callable[[float], Any] | None = None
    rate: Callable[[float], Any] | None = None
    acceleration: Callable[[float], Any] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        require_joint(self, self.joint)
        _require_functions(self, "a number, the angle or displacement")

    @property
    def joints(self) -> tuple[Joint | str]:
        return (self.joint,)


@dataclass(frozen=True, eq=False)
class PointDrive(Constraint):
    """A point of a body is where a given function of t says, in space: p(t) = motion(t). Result: ``force`` (nt, 3), N.

    Parameters
    ----------
    name : str
    body : Body or str
    motion : callable t -> (3,)
        Place of the point in space, in m; (2,) in planar models. See `Drive`.
    at : array_like, optional
        The point, in space at t0; or
    on : array_like, optional
        seen from the body. By default the centre of mass.
    rate, acceleration : callable t -> (3,), optional

    Examples
    --------
    >>> import genalpha as ga
    >>> model = ga.Model("one body", gravity=(0.0, 0.0, -9.81))
    >>> rod = model.add(ga.RigidBody("rod", mass=1.0, inertia=(0.01, 0.1, 0.1), position=(0.5, 0.0, 0.0)))
    >>> part = model.add(ga.PointDrive("shaker", rod, lambda t: (0.5, 0.0, 0.01 * t)))
    >>> part.motion(2.0)  # m
    (0.5, 0.0, 0.02)
    """

    body: Body | str = ""
    motion: Callable[[float], Any] | None = None
    at: ArrayLike | None = None
    on: ArrayLike | None = None
    rate: Callable[[float], Any] | None = None
    acceleration: Callable[[float], Any] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        _require_functions(self, "the place of the point")


def _require_functions(part: Drive | PointDrive, what: str) -> None:
    if not callable(part.motion):
        raise InputError(f"{part.title}: motion must be a function of t that gives {what}")
    for name in ("rate", "acceleration"):
        if getattr(part, name) is not None and not callable(getattr(part, name)):
            raise InputError(f"{part.title}: {name} must be a function of t, the derivative of motion, or None")
    if (part.rate is None) != (part.acceleration is None):
        raise InputError(f"{part.title}: give both rate and acceleration, or neither")

"""Forces: springs, loads, and functions of the user's."""

# pyright: reportUnnecessaryIsInstance=false

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from genalpha.errors import InputError
from genalpha.model.parts.bodies import Body, Part
from genalpha.model.parts.joints import Joint

MOST_BODIES = 8
"""A force on more bodies is not differentiated unless told to: that takes 12 calls for each of them."""


class States(NamedTuple):
    """The states of the bodies of a `UserForce`, in their order, in space; planar bodies are in the plane z = 0.

    Attributes
    ----------
    position, velocity, angular_velocity : ndarray (n, 3)
        Of the centres of mass, in m, m/s and rad/s.
    rotation : ndarray (n, 3, 3)
        Columns are the axes of the bodies.

    Examples
    --------
    >>> import numpy as np
    >>> import genalpha as ga
    >>> ga.States(np.zeros((1, 3)), np.eye(3)[None], np.ones((1, 3)), np.zeros((1, 3))).velocity.shape
    (1, 3)
    """

    position: NDArray[np.float64]
    rotation: NDArray[np.float64]
    velocity: NDArray[np.float64]
    angular_velocity: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Force(Part):
    """Anything that pushes."""


@dataclass(frozen=True, eq=False)
class SpringDamper(Force):
    """A spring and a damper between two points: tension k (l − length) + c l̇.

    Parameters
    ----------
    name : str
    a, b : Body or str
    stiffness, damping : float
        k in N/m and c in N s/m.
    length : float, optional
        Without tension, in m; by default its length at t0.
    at_a, at_b : array_like, optional
        Its ends in space at t0; or
    on_a, on_b : array_like, optional
        seen from the bodies. By default the centres of mass (the origin, of the ground).

    Examples
    --------
    A mass that hangs on a spring of 100 N/m:

    >>> import genalpha as ga
    >>> model = ga.Model("spring", gravity=(0.0, -9.81), planar=True)
    >>> mass = model.add(ga.PointMass("mass", mass=1.0, position=(0.0, -1.2)))
    >>> spring = model.add(ga.SpringDamper("spring", model.ground, mass, stiffness=100.0, length=1.0))
    >>> sol = ga.solve(model, (0.0, 1.0), h=1e-2)
    >>> round(float(sol["spring"].tension[0]), 9)  # N
    20.0
    """

    a: Body | str = ""
    b: Body | str = ""
    stiffness: float = 0.0
    damping: float = 0.0
    length: float | None = None
    at_a: ArrayLike | None = None
    at_b: ArrayLike | None = None
    on_a: ArrayLike | None = None
    on_b: ArrayLike | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("stiffness", "damping", "length"):
            value = getattr(self, name)
            if value is None and name == "length":
                continue
            if not (isinstance(value, int | float | np.number) and 0.0 <= value < np.inf):
                raise InputError(f"{self.title}: {name} = {value!r} must be a finite number, not negative")


@dataclass(frozen=True, eq=False)
class PointForce(Force):
    """A force at a point of a body.

    Parameters
    ----------
    name : str
    body : Body or str
    force : array_like (3,) or callable t -> (3,)
        In N, in space; or turning with the body, if ``follows``. (2,) in planar models.
    at : array_like, optional
        The point, in space at t0; or
    on : array_like, optional
        seen from the body. By default the centre of mass.
    follows : bool
        The force turns with the body, as a thrust does.

    Examples
    --------
    >>> import numpy as np
    >>> import genalpha as ga
    >>> model = ga.Model("rod")
    >>> rod = model.add(ga.RigidBody("rod", mass=1.0, inertia=(0.01, 0.1, 0.1)))
    >>> push = model.add(ga.PointForce("push", rod, (0.0, 0.0, 5.0), on=(0.1, 0.0, 0.0)))
    >>> gust = model.add(ga.PointForce("gust", rod, lambda t: (3.0 * np.sin(t), 0.0, 0.0)))  # in N, over time
    >>> thrust = model.add(ga.PointForce("thrust", rod, (2.0, 0.0, 0.0), follows=True))
    >>> list(model.parts)
    ['ground', 'rod', 'push', 'gust', 'thrust']
    """

    body: Body | str = ""
    force: ArrayLike | Callable[[float], Any] = (0.0, 0.0, 0.0)
    at: ArrayLike | None = None
    on: ArrayLike | None = None
    follows: bool = False


@dataclass(frozen=True, eq=False)
class Torque(Force):
    """A torque on a body: in space, or turning with the body; a number in planar models.

    Parameters
    ----------
    name : str
    body : Body or str
    torque : array_like (3,) or callable t -> (3,)
        In N m.
    follows : bool
        The torque turns with the body.

    Examples
    --------
    >>> import genalpha as ga
    >>> model = ga.Model("rotor")
    >>> rotor = model.add(ga.RigidBody("rotor", mass=1.0, inertia=(0.1, 0.1, 0.2)))
    >>> motor = model.add(ga.Torque("motor", rotor, lambda t: (0.0, 0.0, 2.0 if t < 1.0 else 0.0)))
    >>> motor.torque(0.5)
    (0.0, 0.0, 2.0)
    """

    body: Body | str = ""
    torque: ArrayLike | Callable[[float], Any] = (0.0, 0.0, 0.0)
    follows: bool = False


@dataclass(frozen=True, eq=False)
class UserForce(Force):
    """Forces and torques on some bodies, as a function of the time and their states.

    Parameters
    ----------
    name : str
    bodies : sequence of Body or str
    function : callable (t, states) -> (n, 6)
        ``states`` is a `States`; row i of the result holds the force (N) on body i at its centre of mass and the
        torque (N m), in space. Marked with `evaluator` it is compiled; a plain Python function is called from compiled
        code.
    derivative : bool or callable (t, states) -> (by_position, by_velocity), optional
        For the iteration, which converges slowly or not at all without the derivatives of stiff forces. By default they
        are found by differences for up to 8 bodies; True: for any number, False: never. A function gives both as
        arrays (n, 6, n, 6): entry [i, a, k, b] is how component a of the force and torque on body i changes where body
        k is displaced along (b < 3) or turned about (b ≥ 3) an axis of space, by m or rad, and where its velocity or
        angular velocity grows, all others being the same.

    Notes
    -----
    All bodies of a force are taken to depend on one another: where n is large, and they do not, several forces are
    faster.

    Examples
    --------
    >>> import numpy as np
    >>> import genalpha as ga
    >>> def drag(t, states):  # −0.1 v, in N
    ...     return np.hstack([-0.1 * states.velocity, np.zeros((1, 3))])
    >>> force = ga.UserForce("drag", ["ball"], drag)
    >>> force.function(0.0, ga.States(np.zeros((1, 3)), np.eye(3)[None], np.ones((1, 3)), np.zeros((1, 3))))[0, :3]
    array([-0.1, -0.1, -0.1])
    """

    bodies: Sequence[Body | str] = ()
    function: Callable[..., Any] | None = None
    derivative: bool | Callable[..., Any] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not callable(self.function):
            raise InputError(f"{self.title}: function must be a function (t, states) -> (n, 6)")
        if self.derivative not in (None, True, False) and not callable(self.derivative):
            raise InputError(f"{self.title}: derivative must be a function (t, states), True or False")
        if isinstance(self.bodies, str | Body) or not self.bodies:
            raise InputError(f"{self.title}: bodies must be a list of bodies or their names")

    @property
    def is_differentiated(self) -> bool:
        """Does the iteration know its derivatives?"""
        return len(self.bodies) <= MOST_BODIES if self.derivative is None else self.derivative is not False


@dataclass(frozen=True, eq=False)
class JointForce(Force):
    """What acts on a coordinate of a joint, and so on both of its bodies."""

    joint: Joint | str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.joint, Joint | str) or self.joint == "":
            raise InputError(f"{self.title}: joint = {self.joint!r:.40} must be a joint or its name")


@dataclass(frozen=True, eq=False)
class TorsionSpring(JointForce):
    """A spring and a damper about the axis of a joint: torque −k (angle − rest) − c rate on b, the opposite on a.

    Parameters
    ----------
    name : str
    joint : Joint or str
        A Revolute or Cylindrical; the angle counts turns, from 0 at t0.
    stiffness, damping : float
        k in Nm/rad and c in Nm s/rad.
    rest : float
        The angle without torque, in rad.

    Examples
    --------
    >>> import genalpha as ga
    >>> model = ga.Model("one body", gravity=(0.0, 0.0, -9.81))
    >>> rod = model.add(ga.RigidBody("rod", mass=1.0, inertia=(0.01, 0.1, 0.1), position=(0.5, 0.0, 0.0)))
    >>> pin = model.add(ga.Revolute("pin", model.ground, rod, at=(0, 0, 0), axis=(0, 1, 0)))
    >>> part = model.add(ga.TorsionSpring("spring", pin, stiffness=2.0, damping=0.1))
    >>> part.stiffness  # N m/rad
    2.0
    """

    stiffness: float = 0.0
    damping: float = 0.0
    rest: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("stiffness", "damping"):
            if not self.vector(name, 1)[0] >= 0.0:
                raise InputError(f"{self.title}: {name} = {getattr(self, name)!r} must not be negative")
        self.vector("rest", 1)


@dataclass(frozen=True, eq=False)
class Motor(JointForce):
    """A motor with its controller: torque or force on the coordinate of a joint, as a function of t and the coordinate.

    Parameters
    ----------
    name : str
    joint : Joint or str
        A Revolute, Prismatic, PointOnLine; of a Cylindrical ``"name.angle"`` or ``"name.displacement"``.
    law : callable (t, coordinate, rate) -> float
        Torque (N m) on b about the axis, or force (N) along it; a gets the opposite. The coordinate is in rad or m,
        and counts turns from 0 at t0. Marked with `evaluator` it is compiled; a
        plain Python function is called from compiled code. It may be stiff, but must not jump.
    derivative : callable (t, coordinate, rate) -> (by coordinate, by rate), optional
        The slopes of the law, for the iteration; by default differences.

    Examples
    --------
    >>> import genalpha as ga
    >>> @ga.evaluator
    ... def hold(t, angle, rate):
    ...     return 200.0 * (1.0 - angle) - 20.0 * rate
    >>> model = ga.Model("arm", gravity=(0.0, 0.0, -9.81))
    >>> arm = model.add(ga.RigidBody("arm", mass=1.0, inertia=(0.01, 0.1, 0.1), position=(0.5, 0.0, 0.0)))
    >>> shoulder = model.add(ga.Revolute("shoulder", model.ground, arm, at=(0, 0, 0), axis=(0, -1, 0)))
    >>> motor = model.add(ga.Motor("motor", shoulder, hold))
    >>> round(motor.law(0.0, 0.9, 0.0), 9)  # N m
    20.0
    """

    law: Callable[[float, float, float], Any] | None = None
    derivative: Callable[[float, float, float], Any] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.derivative is not None and not callable(self.derivative):
            raise InputError(f"{self.title}: derivative must be a function (t, coordinate, rate) -> two slopes")
        if not callable(self.law):
            raise InputError(f"{self.title}: law must be a function (t, coordinate, rate) -> torque or force")


@dataclass(frozen=True, eq=False)
class Bushing(Force):
    """An elastic mount: −K d − C ḋ on b, of all six motions d of a frame of b against one of a; the opposite on a.

    Parameters
    ----------
    name : str
    a, b : Body or str
    stiffness, damping : array_like (6, 6) or (6,)
        K and C for displacements along the axes of the frame of a, in N/m, and rotations about them, in Nm/rad (a
        rotation vector, less than half a turn). Six numbers are a diagonal. In planar models (3, 3) or (3,): x, y,
        angle.
    at : array_like (3,), optional
        Where it is, in space at t0, without force; by default the centre of mass of b.
    axes : array_like (3, 3), optional
        The axes of its frame as columns, in space at t0; by default those of space.

    Examples
    --------
    >>> import genalpha as ga
    >>> model = ga.Model("one body", gravity=(0.0, 0.0, -9.81))
    >>> rod = model.add(ga.RigidBody("rod", mass=1.0, inertia=(0.01, 0.1, 0.1), position=(0.5, 0.0, 0.0)))
    >>> part = model.add(ga.Bushing("mount", model.ground, rod, stiffness=(1e4, 1e4, 1e4, 50.0, 50.0, 50.0)))
    >>> part.stiffness[3]  # N m/rad
    50.0
    """

    a: Body | str = ""
    b: Body | str = ""
    stiffness: ArrayLike = (0.0,) * 6
    damping: ArrayLike = (0.0,) * 6
    at: ArrayLike | None = None
    axes: ArrayLike | None = None

    def matrix(self, field: str, n: int) -> NDArray[np.float64]:
        """Stiffness or damping as a matrix (n, n)."""
        try:
            value = np.array(getattr(self, field), dtype=float)
        except (TypeError, ValueError):
            value = np.zeros(0)
        if value.ndim == 1 and (value.size == n or not np.any(value)):
            value = np.diag(value[:n])
        if value.shape != (n, n) or not np.all(np.isfinite(value)):
            raise InputError(f"{self.title}: {field} must be {n} finite numbers or a ({n}, {n}) matrix")
        if np.linalg.eigvalsh(value + value.T)[0] < -1e-9 * np.abs(value).max():
            raise InputError(f"{self.title}: {field} must not be negative: it would drive the motion")
        return value

    def frame(self, n: int) -> NDArray[np.float64]:
        """Its axes (3, 3), in space."""
        if self.axes is None:
            return np.eye(3)
        E = np.eye(3)
        E[:n, :n] = self.vector("axes", n * n).reshape(n, n)
        if np.abs(E.T @ E - np.eye(3)).max() > 1e-6 or np.linalg.det(E) < 0.0:
            raise InputError(f"{self.title}: axes must be perpendicular, of length 1, and right-handed")
        return E

"""Forces: springs, loads, and functions of the user's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from genalpha.errors import InputError
from genalpha.model.bodies import Body, Part


class States(NamedTuple):
    """The states of the bodies of a `UserForce`, in their order, in space; planar bodies are in the plane z = 0.

    Attributes
    ----------
    position, velocity, angular_velocity : ndarray (n, 3)
    rotation : ndarray (n, 3, 3)
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
        Without tension; by default its length at t0.
    at_a, at_b : array_like, optional
        Its ends in space at t0; or
    on_a, on_b : array_like, optional
        seen from the bodies. By default the centres of mass (the origin, of the ground).
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

    def __post_init__(self):
        super().__post_init__()
        for name in ("stiffness", "damping", "length"):
            value = getattr(self, name)
            if value is not None and not (isinstance(value, int | float | np.number) and 0.0 <= value < np.inf):
                raise InputError(f"{self.title}: {name} = {value!r} must be a finite number, not negative")


@dataclass(frozen=True, eq=False)
class PointForce(Force):
    """A force at a point of a body.

    Parameters
    ----------
    name : str
    body : Body or str
    force : array_like (3,) or callable t -> (3,)
        In space; or turning with the body, if ``follows``. (2,) in planar models.
    at : array_like, optional
        The point, in space at t0; or
    on : array_like, optional
        seen from the body. By default the centre of mass.
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
    follows : bool
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
        ``states`` is a `States`; row i of the result holds the force on body i at its centre of mass and the torque,
        in space. Marked with `evaluator` it is compiled; a plain Python function is called from compiled code.
    """

    bodies: Sequence[Body | str] = ()
    function: Callable[..., Any] | None = None

    def __post_init__(self):
        super().__post_init__()
        if not callable(self.function):
            raise InputError(f"{self.title}: function must be a function (t, states) -> (n, 6)")
        if isinstance(self.bodies, str | Body) or not self.bodies:
            raise InputError(f"{self.title}: bodies must be a list of bodies or their names")

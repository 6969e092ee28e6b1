"""How a system from functions looks: points, lines, bodies and contacts as functions of t and q.

Every place is a function ``(t, q) -> (2,)`` or ``(3,)`` of one state, or a constant; for systems from SymPy also
expressions, ``(x + l * sin(theta), -l * cos(theta))``. What has two components lies in the plane z = 0.

>>> import numpy as np
>>> from genalpha.view import Body, Drawing, Line, Sphere
>>> pendulum = Drawing(
...     Line("rod", points=lambda t, q: [(0, 0), q]),
...     Body("bob", Sphere(0.08), position=lambda t, q: q, trace=True),
... )
>>> [part.name for part in pendulum.parts]
['rod', 'bob']
"""

# pyright: reportUnnecessaryIsInstance=false

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from genalpha.errors import InputError

Place = Callable[[float, Any], ArrayLike] | ArrayLike


@dataclass(frozen=True, eq=False)
class Body:
    """A body with a shape.

    Attributes
    ----------
    name : str
    shape : Box, Sphere, Cylinder, Capsule, Cone or Mesh
    position : callable (t, q) -> (2,) or (3,), or array_like
    orientation : callable or array_like
        A number is the angle about z; (4,) a unit quaternion, scalar part first; (3, 3) a rotation matrix.
    color : str, optional
        "#rrggbb"; one of the page's own if it is not given.
    trace : bool
        Draw the path of its position.
    fixed : bool
        Part of the surroundings, in the colour of the ground.

    Examples
    --------
    >>> from genalpha.view import Body, Box, Sphere
    >>> floor = Body("floor", Box((2.0, 0.1, 1.0)), position=(0.0, -0.05), fixed=True)
    >>> ball = Body("ball", Sphere(0.1), position=lambda t, q: (0.0, q[0] + 0.1), trace=True)
    >>> ball.position(0.0, [0.5])
    (0.0, 0.6)
    """

    name: str
    shape: Any
    position: Place = (0.0, 0.0, 0.0)
    orientation: Place = 0.0
    color: str | None = None
    trace: bool = False
    fixed: bool = False


@dataclass(frozen=True, eq=False)
class Point:
    """A small sphere, of a size that suits the drawing if no radius is given.

    Examples
    --------
    >>> from genalpha.view import Point
    >>> Point("tip", lambda t, q: q[:2], trace=True).position(0.0, [1.0, 2.0, 3.0])
    [1.0, 2.0]
    """

    name: str
    position: Place
    radius: float | None = None
    color: str | None = None
    trace: bool = False


@dataclass(frozen=True, eq=False)
class Line:
    """A tube along points that move, in one colour or coloured by a value.

    Attributes
    ----------
    name : str
    points : callable (t, q) -> (n, 2) or (n, 3), or array_like
    radius : float, optional
    value : callable (t, q) -> (n,), optional
        A number for each point that gives it its colour: strain, for instance.
    label : str
        What the value is.
    color : str, optional

    Examples
    --------
    >>> from genalpha.view import Line
    >>> Line("rod", lambda t, q: [(0.0, 0.0), q]).points(0.0, (1.0, 0.0))
    [(0.0, 0.0), (1.0, 0.0)]
    """

    name: str
    points: Place
    radius: float | None = None
    value: Place | None = None
    label: str = ""
    color: str | None = None


@dataclass(frozen=True, eq=False)
class Joint:
    """A mark where bodies are held together; a pin if it has an axis, else a ball.

    Examples
    --------
    >>> from genalpha.view import Joint
    >>> Joint("pin", (0.0, 0.0), axis=(0.0, 0.0, 1.0)).name
    'pin'
    """

    name: str
    position: Place
    axis: ArrayLike | None = None
    radius: float | None = None


@dataclass(frozen=True, eq=False)
class Contact:
    """Where a contact acts, for the arrows of its force, of its friction and of its impacts.

    Attributes
    ----------
    name : str
        The name of the gap in ``System(names={"gap": [...]})``, or "gap[0]" and so on.
    position : callable (t, q) -> (2,) or (3,), or array_like
    direction : callable or array_like
        Where a positive force pushes.
    slip : callable or array_like, optional
        With friction: where what is pushed goes if its slip is positive; a direction for one row of slip, two (2, 3)
        for two or three of them. Without it sticking and sliding are marked, but friction has no arrow.

    Examples
    --------
    >>> from genalpha.view import Contact
    >>> Contact("gap[0]", position=lambda t, q: (0.0, q[0]), direction=(0.0, 1.0)).name
    'gap[0]'
    >>> Contact("belt", position=lambda t, q: (q[0], 0.0), direction=(0.0, 1.0), slip=(1.0, 0.0)).slip
    (1.0, 0.0)
    """

    name: str
    position: Place
    direction: Place
    slip: Place | None = None


Part = Body | Point | Line | Joint | Contact


@dataclass(frozen=True, eq=False, init=False)
class Drawing:
    """The parts of a system, and from where to look at them.

    Parameters
    ----------
    *parts : Body, Point, Line, Joint, Contact
    up : (3,)
        The direction that is up on the screen; y by default.
    look_from : (3,)
        The direction from which it is first seen; by default from z, a little from above and from the side.

    Examples
    --------
    >>> from genalpha.view import Body, Drawing, Line, Sphere
    >>> drawing = Drawing(Line("rod", lambda t, q: [(0.0, 0.0), q]), Body("mass", Sphere(0.1), position=lambda t, q: q))
    >>> [part.name for part in drawing.parts]
    ['rod', 'mass']
    """

    parts: tuple[Part, ...]
    up: tuple[float, ...]
    look_from: tuple[float, ...] | None

    def __init__(
        self, *parts: Part, up: Sequence[float] = (0.0, 1.0, 0.0), look_from: Sequence[float] | None = None
    ) -> None:
        for part in parts:
            if not isinstance(part, Part):
                raise InputError(
                    f"a Drawing is made of Body, Point, Line, Joint and Contact, not of a {type(part).__name__}"
                )
        names = [part.name for part in parts if not isinstance(part, Contact)]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise InputError(f"two parts of the drawing are called {twice[0]!r}; names must differ")
        object.__setattr__(self, "parts", tuple(parts))
        object.__setattr__(self, "up", tuple(map(float, up)))
        object.__setattr__(self, "look_from", None if look_from is None else tuple(map(float, look_from)))

"""Contacts: what bodies can hit, with a coefficient of restitution each.

A body touches with its shape, or with a point or a sphere (a disc in a plane) of its own that a contact names. Surfaces
are spheres, points, and the corners of boxes and meshes; they meet planes, and spheres meet spheres, from outside or
from inside.
"""

# pyright: reportUnnecessaryIsInstance=false

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from genalpha.errors import InputError
from genalpha.model.parts.bodies import Body, Ground, Part, PointMass
from genalpha.model.parts.coefficients import (
    Named,
    coefficient_of,
    require_coefficient,
    require_friction,
    require_named,
)
from genalpha.model.parts.shapes import Box, Capsule, Cylinder, Mesh, Shape, Sphere

if TYPE_CHECKING:
    from genalpha.model.places import Place


@dataclass(frozen=True, eq=False)
class Plane:
    """A half-space that nothing enters; in planar models what lies behind a line.

    Parameters
    ----------
    point : array_like (3,)
        Any point of the plane, in space at t0, in m; (2,) in planar models.
    normal : array_like (3,)
        Points to where bodies may be; its length does not matter.
    body : Body or str, optional
        What it moves with; by default it is fixed.
    name : str
        Tells the planes of a `ContactGroup` apart.
    velocity : array_like (3,), optional
        Of a belt, whose surface runs along the plane: in space at t0, in m/s, relative to the body that it moves with.
        It is felt by friction alone.

    Examples
    --------
    >>> import genalpha as ga
    >>> floor, wall = ga.Plane(), ga.Plane(point=(1.0, 0.0, 0.0), normal=(-1.0, 0.0, 0.0), name="wall")
    >>> floor.normal, wall.name
    ((0.0, 0.0, 1.0), 'wall')
    """

    point: ArrayLike = (0.0, 0.0, 0.0)
    normal: ArrayLike = (0.0, 0.0, 1.0)
    body: Body | str | None = None
    name: str = "plane"
    velocity: ArrayLike | None = None

    @property
    def title(self) -> str:
        """For messages."""
        return f"Plane {self.name!r}"

    def numbers(self, planar: bool, who: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Point and unit normal; refuses a velocity that makes no sense, too."""
        point, normal = self._vector("point", planar, who), self._vector("normal", planar, who)
        length = float(np.linalg.norm(normal))
        if not length > 0.0:
            raise InputError(f"{who}: normal = {self.normal!r} of {self.title} has no length")
        self._along(normal / length, planar, who)
        return point, normal / length

    def belt(self, planar: bool, who: str) -> NDArray[np.float64]:
        """How fast its surface runs."""
        return self._along(self.numbers(planar, who)[1], planar, who)

    def _along(self, normal: NDArray[np.float64], planar: bool, who: str) -> NDArray[np.float64]:
        if self.velocity is None:
            return np.zeros(2 if planar else 3)
        velocity = self._vector("velocity", planar, who)
        across = float(velocity @ normal)
        if abs(across) > 1e-9 * float(np.linalg.norm(velocity)):
            raise InputError(
                f"{who}: velocity = {self.velocity!r} of {self.title} leaves the plane at {across:.3g} m/s; a belt "
                f"runs along its plane, perpendicular to the normal. A plane that moves belongs to a body: body=..."
            )
        return velocity

    def _vector(self, name: str, planar: bool, who: str) -> NDArray[np.float64]:
        n = 2 if planar else 3
        try:
            value = np.array(getattr(self, name), dtype=float).reshape(-1)
        except (TypeError, ValueError):
            value = np.zeros(0)
        if value.shape != (n,) or not np.all(np.isfinite(value)):
            raise InputError(
                f"{who}: {name} = {getattr(self, name)!r} of {self.title} must be {n} finite numbers in a "
                f"{'planar' if planar else 'spatial'} model"
            )
        return value


class Surface(NamedTuple):
    """A point or a sphere of a body: what is added to the contact's name, the centre seen from the body, the radius."""

    label: str
    center: NDArray[np.float64]
    radius: float


@dataclass(frozen=True, eq=False)
class Contact(Part):
    """A body that can hit a plane or another body: gap ≥ 0, force ≥ 0, gap · force = 0, and Newton's law, theory (11).

    Parameters
    ----------
    name : str
    a : Body or str
        Forces and impulses are those on a.
    b : Plane, Body or str
    restitution : float
        Newton's coefficient e, between 0 and 1: after an impact the gap opens e times as fast as it closed.
    at : array_like, optional
        The point of a that touches, in space at t0; or
    on_a, on_b : array_like, optional
        centres of the surfaces in m, seen from the bodies. By default bodies touch with their shapes: Sphere and
        PointMass; against planes Box, Mesh and Capsule too. In planar models a Sphere or a Cylinder is a disc, and a
        Box has four corners.
    radius_a, radius_b : float, optional
        Instead of the shape: the radius in m of a sphere around the centre of the surface; 0 is a point.
    inside : bool
        a is inside the sphere of b, a pin in a bearing with clearance.
    friction : float
        Coulomb's coefficient μ: the force is at most μ times the normal force where a sticks, and exactly that, against
        the slip, where it slides. 0 is without friction.
    static_friction : float, optional
        The coefficient of what sticks, if it is larger.
    tangential_restitution : float
        Between −1 and 1: after an impact that sticks the slip is −e_t times that before; 1 of a superball.
    drilling_radius : float, optional
        In space: spin about the normal times this radius, in m, counts as slip, so that there is a torque against it.
        Of a round patch with an even pressure it is 2/3 of its radius. By default spin has no friction.

    Notes
    -----
    Results: ``gap`` (m), ``gap_velocity``, ``force`` (N), ``impulse`` (N s), ``impacts``, ``intervals``, ``position``.
    With friction also ``friction_force`` (N) on a, ``slip`` (m/s) of a on b, both vectors in space; ``sticks``,
    ``friction_impulse`` (N s), ``friction_margin`` (N), ``friction_work`` (J), and ``drilling_torque`` (N m).

    Examples
    --------
    >>> import genalpha as ga
    >>> model = ga.Model("ball", gravity=(0.0, 0.0, -9.81))
    >>> ball = model.add(ga.PointMass("ball", mass=1.0, position=(0.0, 0.0, 1.1), shape=ga.Sphere(0.1)))
    >>> floor = model.add(ga.Contact("floor", ball, ga.Plane((0, 0, 0), (0, 0, 1)), restitution=0.8))
    >>> sol = ga.solve(model, (0.0, 1.0), h=1e-3)
    >>> len(sol["floor"].impacts.time), bool(abs(sol["floor"].impacts.time[0] - (2 / 9.81) ** 0.5) < 1e-3)
    (1, True)
    """

    a: Body | str = ""
    b: Plane | Body | str = ""
    restitution: float = 0.0
    at: ArrayLike | None = None
    on_a: ArrayLike | None = None
    on_b: ArrayLike | None = None
    radius_a: float | None = None
    radius_b: float | None = None
    inside: bool = False
    friction: float = 0.0
    static_friction: float | None = None
    tangential_restitution: float = 0.0
    drilling_radius: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        require_coefficient(self, "restitution", self.restitution)
        require_friction(self)
        if not isinstance(self.a, Body | str) or self.a == "":
            raise InputError(f"{self.title}: a must be a body or its name, not {self.a!r:.40}")
        if not isinstance(self.b, Plane | Body | str) or self.b == "":
            raise InputError(f"{self.title}: b must be a Plane, a body or its name, not {self.b!r:.40}")
        if self.at is not None and self.on_a is not None:
            raise InputError(f"{self.title}: say where a touches either by at=... in space or by on_a=..., not both")
        for name in ("radius_a", "radius_b"):
            value = getattr(self, name)
            if value is not None and not (isinstance(value, int | float | np.number) and 0.0 <= value < np.inf):
                raise InputError(f"{self.title}: {name} = {value!r} must be a finite number, not negative")
        if isinstance(self.b, Plane):
            given = [name for name in ("on_b", "radius_b") if getattr(self, name) is not None]
            given += ["inside"] if self.inside else []
            if given:
                raise InputError(f"{self.title}: {given[0]} has no meaning against a plane")
        elif name_of(self.a) == name_of(self.b):
            raise InputError(f"{self.title}: body {name_of(self.a)!r} cannot hit itself; name two bodies")

    @property
    def sides(self) -> list[Body | str]:
        """Both bodies, the ground included."""
        if isinstance(self.b, Plane):
            return [self.a, "ground" if self.b.body is None else self.b.body]
        return [self.a, self.b]

    @property
    def held(self) -> list[Body | str]:
        """The bodies it names."""
        return [self.a, *bodies_of_plane(self.b)] if isinstance(self.b, Plane) else [self.a, self.b]


@dataclass(frozen=True, eq=False)
class ContactGroup(Part):
    """Bodies that can hit each other and some planes.

    Parameters
    ----------
    name : str
    bodies : sequence of Body or str
        With a Sphere as their shape; in planar models a Sphere or a Cylinder.
    planes : sequence of Plane
    restitution : float or mapping
        Of all contacts; see `Contact`. Or by names: of planes, of pairs as contacts are called, and "others", which
        have 0 otherwise: ``{"floor": 0.5, "ball1-ball2": 0.1, "others": 0.2}``.
    each_other : bool
        False: only the planes are hit.
    friction : float or mapping
        The same; see `Contact`.

    Notes
    -----
    Contacts are called after both sides, as in ``"heap.ball1-ball2"`` and ``"heap.ball1-floor"``; ``sol["heap"].names``
    has them in the order of the columns of ``sol["heap"].force``.

    Of a large group only pairs that are near are watched, and found anew when bodies have moved; the columns of
    ``sol.gap`` are then *slots* for such pairs, and ``sol["heap"]`` knows which pair was where. Its bodies must be
    free, without joints and springs, and its planes fixed; otherwise, and in small groups, all pairs are watched.

    Examples
    --------
    >>> import genalpha as ga
    >>> model = ga.Model("heap", gravity=(0.0, 0.0, -9.81))
    >>> balls = [
    ...     ga.RigidBody(f"ball{i}", shape=ga.Sphere(0.1), density=1e3, position=(0, 0, 0.1 + 0.3 * i))
    ...     for i in range(3)
    ... ]
    >>> heap = ga.ContactGroup("heap", [model.add(ball) for ball in balls], planes=[ga.Plane()], restitution=0.5)
    >>> len(model.add(heap).bodies)
    3
    """

    bodies: Sequence[Body | str] = ()
    planes: Sequence[Plane] = field(default=())
    restitution: Named = 0.0
    each_other: bool = True
    friction: Named = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.bodies, Sequence) or isinstance(self.bodies, str) or not len(self.bodies):
            raise InputError(f"{self.title}: bodies must be a list of bodies or their names")
        if not isinstance(self.planes, Sequence) or not all(isinstance(plane, Plane) for plane in self.planes):
            raise InputError(f"{self.title}: planes must be a list of Planes")
        for what, names in (("body", map(name_of, self.bodies)), ("plane", (plane.name for plane in self.planes))):
            known: set[str] = set()
            for name in names:
                if name in known:
                    raise InputError(f"{self.title}: {what} {name!r} is there twice; names tell contacts apart")
                known.add(name)
        if not self.count:
            raise InputError(f"{self.title}: there is nothing to touch; name two bodies or more, or planes")
        for name in ("restitution", "friction"):
            require_named(self, name)

    @property
    def body_names(self) -> list[str]:
        """The names of its bodies."""
        return [name_of(body) for body in self.bodies]

    @property
    def held(self) -> list[Body | str]:
        """The bodies it names."""
        return [*self.bodies, *(body for plane in self.planes for body in bodies_of_plane(plane))]

    @property
    def count(self) -> int:
        """How many contacts there are."""
        n = len(self.bodies)
        return n * len(self.planes) + self.each_other * n * (n - 1) // 2

    def contacts(self) -> list[Contact]:
        """One by one."""
        names, bodies, n = self.body_names, self.bodies, len(self.bodies)
        pairs = [(names[i], plane.name, bodies[i], plane) for plane in self.planes for i in range(n)]
        if self.each_other:
            pairs += [(names[i], names[j], bodies[i], bodies[j]) for j in range(n) for i in range(j)]
        return [
            Contact(
                f"{self.name}.{one}-{two}", a, b, coefficient_of(self.restitution, one, two),
                friction=coefficient_of(self.friction, one, two),
            )
            for one, two, a, b in pairs
        ]  # fmt: skip


def name_of(body: Body | str) -> str:
    """The name of a body."""
    return body.name if isinstance(body, Body) else body


def bodies_of_plane(plane: Plane) -> list[Body | str]:
    """The body that it moves with."""
    return [] if plane.body is None else [plane.body]


def surfaces(contact: Contact, side: str, place: Place, planar: bool) -> list[Surface]:
    """What a body touches with: ``side`` is "a" or "b", ``place`` where the body is."""
    body, n = place.body, 2 if planar else 3
    radius = getattr(contact, f"radius_{side}")
    center = np.zeros(n)
    if getattr(contact, f"on_{side}") is not None:
        center = contact.vector(f"on_{side}", n)
    elif side == "a" and contact.at is not None:
        center = place.seen(contact.vector("at", n))
    elif radius is None:
        return of_shape(contact, body, planar, isinstance(contact.b, Plane))
    if isinstance(body, PointMass) and np.linalg.norm(center) > 1e-9 * (1.0 + np.linalg.norm(place.position)):
        raise InputError(
            f"{contact.title}: the point of {body.title} is {np.linalg.norm(center):.3g} away from it; a point mass "
            f"can only touch around itself, with radius_{side}=..."
        )
    return [Surface("", center, 0.0 if radius is None else float(radius))]


def of_shape(contact: Contact | ContactGroup, body: Body, planar: bool, on_plane: bool) -> list[Surface]:
    """The surfaces of a body's shape; ``on_plane``: they meet a plane."""
    n = 2 if planar else 3
    shape = None if isinstance(body, Ground) else getattr(body, "shape", None)
    if isinstance(shape, Sphere) or (planar and isinstance(shape, Cylinder)):
        return [Surface("", np.zeros(n), float(shape.radius))]
    if shape is None and isinstance(body, PointMass):
        return [Surface("", np.zeros(n), 0.0)]
    if shape is None:
        raise InputError(
            f"{contact.title}: {body.title} has no shape to touch with; give it shape=..., or the contact a point "
            f"on_a=... (on_b) or a radius_a=... (radius_b)"
        )
    points, radius = _points(shape, planar)
    if not len(points):
        raise InputError(
            f"{contact.title}: there is no contact of a {type(shape).__name__} ({body.title}) in "
            f"{'planar' if planar else 'spatial'} models; give the contact points on_a=... and a radius_a=..., or the "
            f"body another shape: {'Sphere, Cylinder or Box' if planar else 'Sphere, Box, Capsule or Mesh'}"
        )
    if not on_plane:
        raise InputError(
            f"{contact.title}: a {type(shape).__name__} ({body.title}) can hit planes only; spheres hit each other. "
            f"Give the contact spheres of the bodies, by on_a=..., radius_a=..., on_b=..., radius_b=..."
        )
    return [Surface(f".{k + 1}", point, radius) for k, point in enumerate(points)]


def _points(shape: Shape, planar: bool) -> tuple[NDArray[np.float64], float]:
    """Points (or centres of spheres) that reach a plane first, whichever way a shape lies; and their radius."""
    if isinstance(shape, Box):
        half = 0.5 * np.asarray(shape.size, dtype=float)[: 2 if planar else 3]
        signs = np.stack(np.meshgrid(*[[-1.0, 1.0]] * len(half), indexing="ij"), axis=-1).reshape(-1, len(half))
        return signs * half, 0.0
    if isinstance(shape, Mesh) and not planar:
        return np.asarray(shape.vertices, dtype=float), 0.0
    if isinstance(shape, Capsule) and not planar:
        return 0.5 * shape.length * np.array([[0.0, 0.0, -1.0], [0.0, 0.0, 1.0]]), float(shape.radius)
    return np.zeros((0, 3)), 0.0

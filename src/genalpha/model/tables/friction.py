"""Tables of friction: rows of slip at contacts, and of dry friction in joints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from genalpha.errors import InputError
from genalpha.inputs import Array
from genalpha.model.columns import BRAKE, FLAT, NONE, PLANAR_RUB, ROUND, RUB
from genalpha.model.parts.contacts import Contact, Plane
from genalpha.model.parts.friction import DryFriction
from genalpha.model.places import Place, in_space
from genalpha.model.tables.coordinates import coordinate_of, end
from genalpha.system.friction import Friction, make_friction, names_of_slip, static_ratio

if TYPE_CHECKING:
    from genalpha.model.tables.contacts import Touch


@dataclass(frozen=True, eq=False)
class Rub:
    """How a contact rubs.

    Attributes
    ----------
    contact : int
        The row of its gap.
    first : int
        The first of its rows of slip.
    rows : int
    kind : int
        FLAT or ROUND.
    normal, tangents : ndarray (3,), (2, 3)
        FLAT: seen from the body of the plane; ROUND: in space, from where tangents are carried along. In planar models
        the tangents of a round surface are not kept.
    mu, static, e_t, drilling : float
        The coefficients, and the radius of drilling.
    """

    contact: int
    first: int
    rows: int
    kind: int
    normal: Array
    tangents: Array
    mu: float
    static: float
    e_t: float
    drilling: float


class Slips:
    """All rows of slip of a model, and what they belong to.

    Attributes
    ----------
    rubs : dict of int to Rub
        By the row of the gap.
    names, dry_names : list of str
    bounds : list of float
        Of dry friction.
    dry_rows : dict of str to int
        Rows among those of dry friction, by the name of the part.
    """

    def __init__(self) -> None:
        self.rubs: dict[int, Rub] = {}
        self.names: list[str] = []
        self.dry_names: list[str] = []
        self.bounds: list[float] = []
        self.dry_rows: dict[str, int] = {}

    def __bool__(self) -> bool:
        """Are there any?"""
        return bool(self.names or self.dry_names)

    def friction(self) -> Friction | None:
        """What the schemes want to know of them."""
        if not self:
            return None
        rubs = list(self.rubs.values())
        return make_friction(
            [rub.contact for rub in rubs], [rub.rows for rub in rubs],
            [rub.mu for rub in rubs for _ in range(rub.rows)], [rub.static for rub in rubs],
            [rub.e_t for rub in rubs], self.bounds,
        )  # fmt: skip


def add_slip(tables: Any, contact: Contact, touch: Touch, row: int) -> None:
    """The rows of slip of one point of a contact with friction; ``row`` is that of its gap."""
    rows = 1 if tables.planar else 2
    if contact.drilling_radius is not None:
        _require_spin(contact, touch, tables.planar)
        rows = 3
    slips, first = tables.slips, len(tables.slips.names)
    kind, side, normal, tangents = _axes(touch, tables.planar)
    belt = np.zeros(2)
    if isinstance(contact.b, Plane):
        belt = in_tangents(touch.b, tangents) @ in_space(contact.b.belt(tables.planar, contact.title))
    drilling = float(contact.drilling_radius or 0.0)
    static = static_ratio(
        contact.friction, contact.friction if contact.static_friction is None else contact.static_friction
    )
    slips.names += names_of_slip([touch.name], rows)
    slips.rubs[row] = Rub(
        row, first, rows, kind, normal, tangents, float(contact.friction), float(static[0]),
        float(contact.tangential_restitution), drilling,
    )  # fmt: skip
    # the tables call what is hit a, and what hits it b: the other way round than a `Contact` and its `Touch`
    places = (touch.b, touch.a)
    if tables.planar:
        columns = [place.v + i for place in places for i in range(place.nv)]
        turning = (touch.normal is not None or np.any(touch.on_b), bool(np.any(touch.on_a)))
        sides = [_side(place, turns) for place, turns in zip(places, turning, strict=True)]
        spins = [place.v + 2 if place.nv == 3 else NONE for place in places]
        tables.layout.add(
            PLANAR_RUB, row=first, kind=kind, a=sides[0], b=sides[1], spin_a=spins[0], spin_b=spins[1],
            lever_a=touch.on_b, lever_b=touch.on_a, normal=normal[:2], radius=touch.radius, side=side, belt=belt[0],
            T=tables.T.add([first] * len(columns), columns),
        )  # fmt: skip
        return
    T = [
        tables.T.block(first + j, place.v, 1, place.nv) if j < rows and place.v >= 0 else NONE
        for j in range(3)
        for place in places
    ]
    tables.layout.add(
        RUB, row=first, rows=rows, kind=kind, a=end(tables, touch.b), b=end(tables, touch.a), lever_a=touch.on_b,
        lever_b=touch.on_a, normal=normal, tangents=tangents, radius=touch.radius, side=side, drilling=drilling,
        belt=belt, T=T,
    )  # fmt: skip


def _side(place: Place, turns: bool) -> dict[str, int]:
    return {"q": place.q, "v": place.v, "turns": int(turns and place.nv == 3)}


def _require_spin(contact: Contact, touch: Touch, planar: bool) -> None:
    if planar:
        raise InputError(f"{contact.title}: drilling_radius has no meaning in a planar model, where nothing drills")
    if not (touch.a.turns or touch.b.turns):
        raise InputError(
            f"{contact.title}: drilling_radius needs a body that turns; neither {touch.a.body.title} nor "
            f"{touch.b.body.title} does"
        )


def _axes(touch: Touch, planar: bool) -> tuple[int, float, Array, Array]:
    """(kind, side, normal, tangents) as the columns of RUB have them."""
    side = -1.0 if touch.inside else 1.0
    if touch.normal is not None:
        tangents = across(in_space(touch.b.rotation @ touch.normal), planar)
        return FLAT, 1.0, in_space(touch.normal), tangents @ _rotation(touch.b)
    if planar:
        return ROUND, side, np.zeros(3), np.zeros((2, 3))
    a, b = (place.position + place.rotation @ on for place, on in ((touch.a, touch.on_a), (touch.b, touch.on_b)))
    length = float(np.linalg.norm(a - b))
    normal = side * (a - b) / length if length > 0.0 else np.array([0.0, 0.0, 1.0])
    return ROUND, side, normal, across(normal, planar)


def across(normal: Array, planar: bool) -> Array:
    """Tangents (2, 3) to a normal (3,): x and y for z; in a plane its turn by −90°, and nothing."""
    if planar:
        return np.array([[normal[1], -normal[0], 0.0], [0.0, 0.0, 0.0]])
    first = np.eye(3)[int(np.argmin(np.abs(normal)))]
    first = first - (first @ normal) * normal
    first /= np.linalg.norm(first)
    return np.array([first, np.cross(normal, first)])


def in_tangents(place: Place, tangents: Array) -> Array:
    """Tangents (2, 3) of a body, in space at t0."""
    return tangents @ _rotation(place).T


def _rotation(place: Place) -> Array:
    """The rotation (3, 3) at t0, of planar bodies too."""
    found, n = np.eye(3), len(place.position)
    found[:n, :n] = place.rotation
    return found


def add_dry(tables: Any, part: DryFriction) -> None:
    """The row of dry friction in a joint; those of all contacts come before."""
    slips = tables.slips
    row = len(slips.names) + len(slips.dry_names)
    name, (a, b, columns) = coordinate_of(tables, part, part.joint)
    T_a, T_b = (tables.T.block(row, place.v, 1, place.nv) if place.v >= 0 else NONE for place in (a, b))
    tables.layout.add(BRAKE, row=row, T_a=T_a, T_b=T_b, coordinate=columns)
    slips.dry_rows[part.name] = len(slips.dry_names)
    slips.dry_names.append(f"{part.name}.{name}")
    slips.bounds.append(float(part.bound))

"""Friction: which rows of slip slide or stick as one, and their coefficients.

    lam_t = −mu lam_n s/|s| where it slides,      |lam_t| ≤ mu_static lam_n where it sticks, s = 0

with the slip s = T v + b(t, q) of a contact that is pressed by lam_n. Rows of dry friction have bounds of their own in
place of mu lam_n.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from genalpha.errors import InputError

WIDEST = 3
"""Rows of slip of a contact: two in the plane of contact, one for drilling."""


class Friction(NamedTuple):
    """Elements of friction: what slides or sticks as one.

    An element is all rows of slip of one contact (one in a plane, two in space, three with drilling), or one row of dry
    friction. Elements lie in the order of their rows; those of dry friction are the last ones.

    Attributes
    ----------
    contact : ndarray of int (ne,)
        The gap that presses; -1 for dry friction.
    first : ndarray of int (ne + 1,)
        Where the rows of each element begin, and where the last ones end.
    mu : ndarray (nt,)
        Coefficient of each row: an ellipse has two. Of dry friction the bound, a force or a moment.
    static : ndarray (ne,)
        Coefficient in stick over that in slip, at least 1.
    e_t : ndarray (ne,)
        Coefficient of tangential restitution; 0 for dry friction.
    """

    contact: NDArray[np.int64]
    first: NDArray[np.int64]
    mu: NDArray[np.float64]
    static: NDArray[np.float64]
    e_t: NDArray[np.float64]

    @property
    def ne(self) -> int:
        """Number of elements."""
        return len(self.contact)

    @property
    def nt(self) -> int:
        """Number of rows."""
        return len(self.mu)

    @property
    def nd(self) -> int:
        """Number of elements of dry friction."""
        return int(np.count_nonzero(self.is_dry))

    @property
    def widths(self) -> NDArray[np.int64]:
        """Rows of each element (ne,)."""
        return np.diff(self.first)

    @property
    def is_dry(self) -> NDArray[np.bool_]:
        """Which elements are dry friction (ne,)."""
        return self.contact < 0

    def rows(self, element: int) -> slice:
        """The rows of one element."""
        return slice(int(self.first[element]), int(self.first[element + 1]))

    def of_contact(self, nc: int) -> NDArray[np.int64]:
        """The element of each of nc contacts, -1 where there is none (nc,)."""
        found = np.full(nc, -1, dtype=np.int64)
        pressed = np.nonzero(~self.is_dry)[0]
        found[self.contact[pressed]] = pressed
        return found


def make_friction(
    contact: ArrayLike, widths: ArrayLike, mu: ArrayLike, static: ArrayLike = 1.0, e_t: ArrayLike = 0.0,
    bounds: ArrayLike = (),
) -> Friction:  # fmt: skip
    """Elements of contacts, and one of dry friction for each bound behind them.

    Parameters
    ----------
    contact : array_like of int (n,)
        The gaps that press.
    widths : array_like of int, or int
        How many rows of slip each of them has, up to three.
    mu : array_like, or float
        One for each row.
    static, e_t : array_like (n,), or float
    bounds : array_like (nd,)
    """
    contacts, bound = np.atleast_1d(np.asarray(contact, dtype=np.int64)), np.asarray(bounds, dtype=float).reshape(-1)
    n, nd = contacts.size, bound.size
    width = np.broadcast_to(np.asarray(widths, dtype=np.int64), n)
    return Friction(
        contact=np.concatenate([contacts, np.full(nd, -1)]).astype(np.int64),
        first=np.concatenate([[0], np.cumsum([*width.tolist(), *[1] * nd])]).astype(np.int64),
        mu=np.concatenate([np.broadcast_to(np.asarray(mu, dtype=float), int(width.sum())), bound]),
        static=np.concatenate([np.broadcast_to(np.asarray(static, dtype=float), n), np.ones(nd)]),
        e_t=np.concatenate([np.broadcast_to(np.asarray(e_t, dtype=float), n), np.zeros(nd)]),
    )


class FrictionColumns(NamedTuple):
    """Where things are in a row of the raw results of friction, with nt rows of slip and ne elements."""

    nt: int
    ne: int

    @property
    def width(self) -> int:
        """Numbers in a row."""
        return 4 * self.nt + 2 * self.ne

    @property
    def slip(self) -> slice:
        """Slip velocities (nt)."""
        return slice(0, self.nt)

    @property
    def force(self) -> slice:
        """lam_t, forces of the smooth motion (nt)."""
        return slice(self.nt, 2 * self.nt)

    @property
    def mean(self) -> slice:
        """Mean forces of the step, without impacts (nt)."""
        return slice(2 * self.nt, 3 * self.nt)

    @property
    def impulse(self) -> slice:
        """Impulses of everything since the row before (nt)."""
        return slice(3 * self.nt, 4 * self.nt)

    @property
    def sticks(self) -> slice:
        """1 where an element sticks, else 0 (ne)."""
        return slice(4 * self.nt, 4 * self.nt + self.ne)

    @property
    def work(self) -> slice:
        """Work of friction since the beginning, negative where it dissipates (ne)."""
        return slice(4 * self.nt + self.ne, self.width)


def names_of_slip(contacts: Sequence[str], width: int) -> list[str]:
    """Names of rows of slip by those of their contacts: floor in a plane; floor.1, floor.2, floor.drill in space."""
    endings = {1: ("",), 2: (".1", ".2"), 3: (".1", ".2", ".drill")}[width]
    return [f"{name}{ending}" for name in contacts for ending in endings]


def require_coefficients(what: str, values: ArrayLike, names: Sequence[str] = ()) -> None:
    """Refuse coefficients of friction, or bounds of dry friction, that are negative or no numbers."""
    hint = "it is the largest friction force" if what == "dry_bound" else "it is friction force over normal force"
    _require(what, values, 0.0, np.inf, f"must be a number that is not negative: {hint}", names)


def require_tangential_restitution(values: ArrayLike, names: Sequence[str] = (), what: str = "e_t") -> None:
    """Refuse coefficients of tangential restitution outside of [−1, 1]."""
    hint = "is not between −1 and 1: it is the slip after an impact that sticks over the slip before, reversed"
    _require(what, values, -1.0, 1.0, hint, names)


def _require(what: str, values: ArrayLike, least: float, most: float, problem: str, names: Sequence[str]) -> None:
    flat = np.asarray(values, dtype=float).reshape(-1)
    wrong = np.nonzero(~(np.isfinite(flat) & (flat >= least) & (flat <= most)))[0]
    if not wrong.size:
        return
    i = int(wrong[0])
    which = f" of {names[i]!r}" if i < len(names) else f" in entry {i}" if flat.size > 1 else ""
    raise InputError(f"{what} = {flat[i]:.6g}{which} {problem}")


def static_ratio(mu: ArrayLike, mu_static: ArrayLike, names: Sequence[str] = ()) -> NDArray[np.float64]:
    """mu_static/mu of each element (n,), from coefficients (n, rows) that must have the same ratio in all rows."""
    kinetic, static = np.atleast_2d(np.asarray(mu, dtype=float)), np.atleast_2d(np.asarray(mu_static, dtype=float))
    for i, (one, other) in enumerate(zip(kinetic, static, strict=True)):
        which = f" of {names[i]!r}" if i < len(names) else ""
        if np.any(other < one):
            j = int(np.argmax(other < one))
            raise InputError(
                f"mu_static = {other[j]:.6g}{which} is less than mu = {one[j]:.6g}: what sticks holds at least as much "
                f"as what slides; give mu_static ≥ mu, or leave it out"
            )
        if np.any((one == 0.0) & (other > 0.0)):
            raise InputError(
                f"mu = 0{which} but mu_static = {other.max():.6g}; what sticks must be able to slide: mu > 0"
            )
    ratio = static / np.where(kinetic > 0.0, kinetic, 1.0)
    ratio[kinetic == 0.0] = 1.0
    uneven = np.nonzero(np.ptp(np.where(kinetic > 0.0, ratio, ratio.max(axis=1, keepdims=True)), axis=1) > 1e-12)[0]
    if uneven.size:
        which = f" of {names[int(uneven[0])]!r}" if uneven[0] < len(names) else ""
        raise InputError(
            f"mu_static/mu{which} is {ratio[uneven[0]].min():.6g} along one direction and {ratio[uneven[0]].max():.6g} "
            f"along another; one contact sticks in all directions or in none: give mu_static as a multiple of mu"
        )
    return ratio.max(axis=1)

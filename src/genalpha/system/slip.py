"""Friction of a `System` of functions: how many rows of slip there are, what they must be, and their coefficients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from genalpha.errors import InputError, ShapeError
from genalpha.system.friction import (
    WIDEST,
    Friction,
    make_friction,
    require_coefficients,
    require_tangential_restitution,
    static_ratio,
)
from genalpha.system.functions import real_vector

if TYPE_CHECKING:
    from genalpha.system.pieces import Pieces
    from genalpha.system.system import System

ROWS = "give one slip velocity for each contact in a plane, (nc, 2) in space, (nc, 3) with drilling"

BENT = 1e-7
"""Slip that is affine in v misses a straight line by less of its size."""


def require_friction(system: System) -> None:
    """Refuse coefficients and functions of friction that do not go together; sizes are looked at later."""
    _require_pairs(system)
    if not system.has_friction:
        return
    if system.multipliers_in_f:
        raise InputError("slip, dry and multipliers_in_f=True do not go together: friction forces are added to f")
    for name in ("mu", "mu_static", "dry_bound"):
        if system.given(name) is not None:
            require_coefficients(name, _numbers(name, system.given(name)))
    require_tangential_restitution(_numbers("e_t", system.e_t))


def _require_pairs(system: System) -> None:
    for name in ("mu", "mu_static", "slip_v", "slip_q", "slip_t", "nt"):
        if system.slip is None and system.given(name) is not None:
            raise InputError(f"{name} is given but slip is not: friction needs the tangential velocity slip(t, q, v)")
    if system.slip is None and np.any(_numbers("e_t", system.e_t) != 0.0):
        raise InputError("e_t is given but slip is not: friction needs the tangential velocity slip(t, q, v)")
    for name in ("dry_bound", "nd"):
        if system.dry is None and system.given(name) is not None:
            raise InputError(f"{name} is given but dry is not: dry friction needs the velocity dry(t, q, v)")
    if system.slip is not None and system.gap is None:
        raise InputError(
            "slip is given but gap is not: the friction of a contact needs the gap that presses; friction with a bound "
            "of its own is dry(t, q, v) with dry_bound"
        )
    if system.slip is not None and system.mu is None:
        raise InputError("slip is given but mu is not: pass the coefficient of friction, mu=0.3")
    if system.dry is not None and system.dry_bound is None:
        raise InputError("dry is given but dry_bound is not: pass the largest friction force, dry_bound=2.0")


def _numbers(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """Numbers of any shape as floats; NaN is looked for later, with better words."""
    try:
        found = np.asarray(values)
        if found.dtype.kind not in "iuf":
            raise TypeError
        return found.astype(float)
    except (TypeError, ValueError):
        raise InputError(f"{name} must be a number or an array of numbers, not {values!r:.60}") from None


def rows_of_slip(value: Any, nc: int, given: int | None = None) -> tuple[int, ...]:
    """The shape of slip, (nc,) or (nc, rows), from what the function gives, or from the number of all rows."""
    size = np.size(value) if given is None else given
    width = size // nc if nc else 0
    if width * nc != size or not (1 <= width <= WIDEST or size == nc == 0):
        what = f"returned shape {np.shape(value)}" if given is None else f"has nt = {given} rows"
        raise ShapeError(f"slip {what} for nc = {nc} contacts; {ROWS}")
    return (nc,) if width <= 1 else (nc, width)


def require_affine(pieces: Pieces, name: str, names: Sequence[str]) -> None:
    """Refuse slip velocities that are not affine in v; at the initial state and nearby."""
    piece = pieces[name]

    def values(q, v):
        out = np.zeros(piece.size)
        piece.python(pieces.t0, q, v, pieces.p, out)
        return out

    for q, v in ((pieces.q0, pieces.v0), *pieces.nearby()):
        way = np.cos(2.0 + np.arange(v.size)) * max(float(np.max(np.abs(v))), 1.0)
        with np.errstate(all="ignore"):
            try:
                ends = [values(q, v + x * way) for x in (0.0, -0.3, 0.7, -1.0, 2.0)]
            except Exception:  # the state is outside of the function's domain and tells nothing
                continue
        here, slope = ends[0], (ends[1] - ends[0]) / -0.3
        for x, end in zip((0.7, -1.0, 2.0), ends[2:], strict=True):
            miss = np.abs(end - here - x * slope)
            wrong = np.nonzero(miss > BENT * (np.abs(here) + np.abs(end) + np.abs(x * slope)))[0]
            if wrong.size:
                i = int(wrong[0])
                raise InputError(
                    f"{name} is not affine in v: along v + x d its entry {names[i]!r} is {here[i]:.6g} at x = 0 and "
                    f"{end[i]:.6g} at x = {x:g}, where a straight line has {here[i] + x * slope[i]:.6g}; it is a "
                    f"velocity, T(t, q) v + b(t, q): signs, absolute values and norms are up to the law of friction"
                )


def friction_of(system: System, nc: int, width: int, nd: int, names: Sequence[str], dry: Sequence[str]) -> Friction:
    """The elements of friction of a system with nc contacts of so many rows each, and nd rows of dry friction.

    Parameters
    ----------
    width : int
        Rows of slip of each contact; 0 without slip.
    names, dry : sequence of str
        Names of the contacts, and of the rows of dry friction.
    """
    bounds = np.zeros(0) if system.dry is None else _per_row("dry_bound", system.dry_bound, nd, dry)
    if system.slip is None:
        return make_friction([], [], [], bounds=bounds)
    mu = _per_contact("mu", system.mu, nc, width)
    require_coefficients("mu", mu, [name for name in names for _ in range(width)])
    static = np.ones(nc)
    if system.mu_static is not None:
        static = static_ratio(mu, _per_contact("mu_static", system.mu_static, nc, width), names)
    e_t = real_vector("e_t", system.e_t)
    if np.ndim(system.e_t) and e_t.size != nc:
        raise ShapeError(f"e_t has {e_t.size} entries for {nc} contacts; give one number for all, or one for each")
    require_tangential_restitution(np.broadcast_to(e_t, nc), names)
    return make_friction(np.arange(nc), width, mu.ravel(), static, np.broadcast_to(e_t, nc), bounds)


def _per_contact(name: str, values: Any, nc: int, width: int) -> NDArray[np.float64]:
    """Coefficients (nc, width): one for all, one for each contact, or one for each row of slip."""
    given = _numbers(name, values)
    if given.ndim == 0:
        return np.full((nc, width), float(given))
    if given.shape == (nc,):
        return np.repeat(given[:, None], width, axis=1)
    if given.shape == (nc, width) or (nc == 1 and given.shape == (width,)):
        return given.reshape(nc, width)
    rows = f", or {(nc, width)}: one for each row of slip" if width > 1 else ""
    raise ShapeError(f"{name} has shape {given.shape} for {nc} contacts; give one number, one for each contact{rows}")


def _per_row(name: str, values: Any, n: int, names: Sequence[str]) -> NDArray[np.float64]:
    given = _numbers(name, values).reshape(-1)
    if np.ndim(values) and given.size != n:
        raise ShapeError(
            f"{name} has {given.size} entries for {n} rows of dry; give one number for all, or one for each"
        )
    found = np.broadcast_to(given, n).copy()
    require_coefficients(name, found, names)
    return found

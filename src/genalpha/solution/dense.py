"""Between the rows of a solution: configurations, velocities and multipliers at any time.

Between two rows that are H apart, v is the cubic through v and v̇ at both ends, and I(s) its integral from the left row.
With w = s² (3 − 2s) the configuration is

    q = (1 − w) (q0 ∘ exp(I(s))) + w (q1 ∘ exp(I(s) − I(1))),

exact at both rows. The two parts differ by O(H³), so that the straight line between them leaves a group only by the
square of that. Multipliers lie on straight lines. All are at least second order.

An impact belongs to its own time: before it velocities are continued from the left row, after it from the right one.
"""

# pyright: reportConstantRedefinition=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from genalpha.errors import InputError
from genalpha.inputs import Array

Places = NDArray[np.int64]
Update = Callable[[Array, Array], Array]
"""(q0, Δ) to q0 ∘ exp(Δ)."""


class State(NamedTuple):
    """A state, or states with time first.

    Attributes
    ----------
    t : ndarray ()  or (nt,)
    q, v : ndarray (..., n)
    lam, psi, lam_n, lam_t : ndarray (..., ng), (..., nk), (..., nc), (..., rows of slip)
    """

    t: NDArray[np.float64]
    q: NDArray[np.float64]
    v: NDArray[np.float64]
    lam: NDArray[np.float64]
    psi: NDArray[np.float64]
    lam_n: NDArray[np.float64]
    lam_t: NDArray[np.float64]


def interpolate(
    rows: Any,
    names: Sequence[str],
    times: NDArray[np.float64],
    jumps: NDArray[np.float64],
    update: Update | None = None,
    side: Literal["left", "right"] = "right",
) -> dict[str, NDArray[np.float64]]:
    """Columns at the given times, which lie within the rows.

    Parameters
    ----------
    rows : mapping
        At least t, q, v and what ``names`` asks for; vdot makes it more accurate.
    names : sequence of str
        Columns that are wanted. Those that are not q, v or t lie on straight lines.
    times : ndarray (k,)
    jumps : ndarray
        Times of impacts, sorted.
    update : callable (q0, Δ) -> q1, optional
        q0 ∘ exp(Δ); None in a vector space.
    side : {"right", "left"}
        At the time of an impact: after it or before it.
    """
    t = rows["t"]
    if len(t) == 1:
        return {name: np.repeat(rows[name], len(times), axis=0) if name != "t" else times.copy() for name in names}
    at = np.clip(np.searchsorted(t, times, side=side) - 1, 0, len(t) - 2)
    H = t[at + 1] - t[at]
    x = times - t[at]
    first, last = np.searchsorted(jumps, t[at], side="right"), np.searchsorted(jumps, t[at + 1], side="right")
    smooth = first == last
    found = {"t": times.copy()}
    w = None
    for name in names:
        if name in ("t", "q", "v"):
            continue
        if w is None:
            _, end = _jumps_between(jumps, first, last, t[at], t[at + 1])
            late = times >= end if side == "right" else times > end
            w = np.where(smooth, x / H, late.astype(float))[:, None]
        found[name] = (1.0 - w) * rows[name][at] + w * rows[name][at + 1]
    if "q" in names or "v" in names:
        v, part, whole = _velocities(rows, at, x, H, smooth, jumps, first, last, side)
        found["v"] = v
        if "q" in names:
            s = (x / H)[:, None]
            found["q"] = _configurations(rows["q"], at, part, whole, s * s * (3.0 - 2.0 * s), update)
    return {name: found[name] for name in names}


def _jumps_between(jumps: Array, first: Places, last: Places, t0: Array, t1: Array) -> tuple[Array, Array]:
    """First and last jump in each interval, its ends if there is none."""
    if not len(jumps):
        return t1, t0
    some = first < last
    begin = np.where(some, jumps[np.minimum(first, len(jumps) - 1)], t1)
    end = np.where(some, jumps[np.maximum(last - 1, 0)], t0)
    return begin, end


def _velocities(
    rows: Any, at: Places, x: Array, H: Array, smooth: Any, jumps: Array, first: Places, last: Places, side: str
) -> tuple[Array, Array, Array]:
    """v, its integral from the left row, and its integral over the whole interval."""
    v0, v1 = rows["v"][at], rows["v"][at + 1]
    x, H = x[:, None], H[:, None]
    s = x / H
    try:
        d0, d1 = H * rows["vdot"][at], H * rows["vdot"][at + 1]
    except (KeyError, InputError):
        d0 = d1 = v1 - v0
    v = v0 + s * s * (3.0 - 2.0 * s) * (v1 - v0) + s * (1.0 - s) ** 2 * d0 - s * s * (1.0 - s) * d1
    blend = s**3 - 0.5 * s**4
    part = H * (s * v0 + blend * (v1 - v0) + (s**2 / 2 - 2 * s**3 / 3 + s**4 / 4) * d0 - (s**3 / 3 - s**4 / 4) * d1)
    whole = H * (0.5 * (v0 + v1) + (d0 - d1) / 12.0)
    rough = np.nonzero(~smooth)[0]
    if len(rough):
        t0 = rows["t"][at[rough]]
        begin, end = _jumps_between(jumps, first[rough], last[rough], t0, rows["t"][at[rough] + 1])
        pieces = v0[rough], d0[rough] / H[rough], v1[rough], d1[rough] / H[rough]
        v[rough], part[rough], whole[rough] = _around_jumps(
            *pieces, x[rough], H[rough], (begin - t0)[:, None], (end - t0)[:, None], side
        )
    return v, part, whole


def _around_jumps(
    v0: Array, a0: Array, v1: Array, a1: Array, x: Array, H: Array, begin: Array, end: Array, side: str
) -> tuple[Array, Array, Array]:
    """The same where velocities jump: straight lines from both rows, and a straight line from first to last jump."""
    before, after = v0 + begin * a0, v1 - (H - end) * a1
    length = np.maximum(end - begin, 1e-300)
    to_begin = begin * v0 + 0.5 * begin**2 * a0
    to_end = to_begin + 0.5 * (end - begin) * (before + after)
    early = x < begin if side == "right" else x <= begin
    late = x >= end if side == "right" else x > end
    y, z = np.clip((x - begin) / length, 0.0, 1.0), x - end
    v = np.where(early, v0 + x * a0, np.where(late, after + z * a1, before + y * (after - before)))
    middle = to_begin + length * (y * before + 0.5 * y**2 * (after - before))
    part = np.where(early, x * v0 + 0.5 * x**2 * a0, np.where(late, to_end + z * after + 0.5 * z**2 * a1, middle))
    rest = H - end
    return v, part, to_end + rest * after + 0.5 * rest**2 * a1


def _configurations(q: Array, at: Places, part: Array, whole: Array, w: Array, update: Update | None) -> Array:
    if update is None:
        return q[at] + w * (q[at + 1] - q[at] - whole) + part
    left = np.array([update(q[i], delta) for i, delta in zip(at, part, strict=True)]).reshape(-1, q.shape[1])
    right = np.array([update(q[i + 1], delta) for i, delta in zip(at, part - whole, strict=True)])
    return (1.0 - w) * left + w * right.reshape(left.shape)


def updater(contract: Any) -> Update | None:
    """q0 ∘ exp(Δ) of a contract as a function, None in a vector space."""
    if contract.flat:
        return None

    def update(q0: Array, delta: Array) -> Array:
        q1 = np.empty(contract.nq)
        contract.evaluators.update(np.ascontiguousarray(q0), np.ascontiguousarray(delta), contract.data, q1)
        return q1

    return update

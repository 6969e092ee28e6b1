"""How fast a system changes, for a first guess of a step size: by itself, and by what is prescribed in time."""

from __future__ import annotations

import numpy as np

from genalpha.errors import GenalphaError
from genalpha.math.saddle import solve_saddle
from genalpha.step.consistency import any_accelerations, mass_and_rows
from genalpha.step.scales import scales, travel_time, weights
from genalpha.system.block import ALL_KINDS, BILATERAL, KIND_OF
from genalpha.system.contract import Contract

SAMPLES = 64
"""Times at which functions of t are looked at, on each scale of time."""

SCALES = 4.0 ** np.arange(-15.0, 8.0)
"""Intervals between these times in s, from nanoseconds to hours."""

BENT = 5e-3
"""A function of t oscillates where neighbours bend so much, relative to its range: ωh from 0.1 on."""

NOTHING = 1e-10
"""Accelerations below this, relative to those that each force would give alone, are round-off."""


def pace(contract: Contract, t, q, v) -> float | None:
    """The time in which the state changes by about its own size; None if it does not move.

    Prescribed motions have their velocity even where v does not follow them.
    """
    try:
        v = _with_motions(contract, t, q, v)
        vdot = any_accelerations(contract, t, q, v)[0]
        if not contract.multipliers_in_f:
            alone = np.abs(contract.evaluate("f", t, q, v)) / np.abs(contract.matrix("M", t, q, sparse=True).diagonal())
            vdot = vdot * (np.max(np.abs(vdot)) > NOTHING * np.max(alone, initial=0.0))
    except (GenalphaError, np.linalg.LinAlgError):
        return None
    by = weights(contract, t, q)
    extent, speed, rise = by.extent(q) or 1.0, by.speed(v), by.speed(vdot)  # nobody knows how large the origin is
    time = travel_time(extent, speed, rise)
    return time if time < np.inf else None


def _with_motions(contract: Contract, t, q, v):
    """The velocity nearest to v that satisfies the constraints."""
    if not contract.nb:
        return v
    rates = np.concatenate([contract.rate(kind, t, q, v) for kind in BILATERAL])
    M, B = mass_and_rows(contract, t, q, v)
    found = solve_saddle(M, B, np.zeros(contract.nv), rates)
    return v if found.idle is not None else v + found.x


def beat(contract: Contract, t0: float, q, v) -> float | None:
    """Frequency in Hz of forces, motions and surfaces that are functions of t, from t0 on; None if there are none.

    Each is sampled on finer and coarser scales, at a state near (q, v). With the interval h between samples, second
    differences of a sin ωt are 2a (1 − cos ωh); on the finest scale on which they stand out of its range, 2a, they tell
    ω. What grows steadily has no frequency.
    """
    q = _beside(contract, t0, q, v)
    names = [
        name
        for name in ("f", "force", *(kind.value for kind in ALL_KINDS))
        if _depends_on_time(contract, name, t0, q, v)
    ]
    for interval in SCALES if names else ():
        times = t0 + interval * np.arange(1.0, SAMPLES + 1.0)
        try:
            values = np.array([np.concatenate([_value(contract, name, t, q, v) for name in names]) for t in times])
        except Exception:  # beyond the times that a function knows
            return None
        with np.errstate(all="ignore"):
            bends = np.max(np.abs(np.diff(values, 2, axis=0)), axis=0)
            seen = bends > 1e-9 * np.max(np.abs(values), axis=0)
            shares = np.where(seen, bends / np.ptp(values, axis=0), 0.0)
        share = float(np.max(shares, initial=0.0, where=np.isfinite(shares)))
        if share >= BENT:
            return float(np.arccos(1.0 - min(share, 1.0)) / (2.0 * np.pi * interval))
    return None


def _beside(contract: Contract, t, q, v):
    """A configuration near q: at q itself a stiffness that changes in time might not show."""
    delta = 1e-3 * scales(contract, t, q, v).q * np.cos(1.0 + np.arange(contract.nv))
    if contract.flat:
        return q + delta
    moved = np.empty_like(q)
    contract.evaluators.update(q, delta, contract.data, moved)
    return moved


def _depends_on_time(contract: Contract, name, t0, q, v) -> bool:
    force = name in ("f", "force")
    if (name == "force") != contract.multipliers_in_f if force else KIND_OF[name].rate and contract.scleronomic:
        return False
    try:
        first = _value(contract, name, t0, q, v)
        return any(not np.array_equal(first, _value(contract, name, t0 + x, q, v)) for x in SCALES * 1.2345)
    except Exception:  # beyond the times that a function knows
        return False


def _value(contract: Contract, name, t, q, v):
    forces = {"f": (q, v), "force": (q, v, np.zeros(contract.m))}
    with np.errstate(all="ignore"):
        return contract.evaluate(name, float(t), *(forces[name] if name in forces else KIND_OF[name].state(q, v)))

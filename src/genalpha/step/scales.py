"""Sizes of a motion at t0: what tolerances are relative to, whatever the units.

Coordinates of different kind (lengths, angles) are compared by weights w: √w_j q_j are all of one kind. A model knows
its lengths and angles: a length counts 1, an angle the mean distance of the bodies from the origin and their radius of
gyration, and every body that turns is large by 1 rad, however far it has turned. In a system of functions w_j is the
mass M_jj, so that Σ w_j v_j² is twice the kinetic energy.
A row of constraints counts relative to Σ_j |B_ij| s_j, with the sizes s_j of the coordinates that it depends on.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt

import numpy as np
from numpy.typing import NDArray

from genalpha.system.block import KIND_OF
from genalpha.system.contract import ANGLE, HALF_LENGTH, LENGTH, QUATERNION, Contract

Array = NDArray[np.float64]

SPREAD = 1.0
"""In a system of functions the size of a coordinate is at most so many times its own largest value."""


@dataclass(frozen=True)
class Scales:
    """Sizes of the coordinates and of their velocities (nv,) at a state.

    Where all coordinates are zero nothing says how large they are, and they count as 1; so do velocities where nothing
    moves and no force acts.
    """

    q: Array
    v: Array

    def of_rows(self, contract: Contract, name: str, sizes: Array, *state) -> Array:
        """Σ_j |B_ij| sizes_j for B = G, K or N at a state."""
        pattern, values = contract.patterns[name], contract.evaluate(name, *state)
        n = contract.size(KIND_OF[name])
        return np.bincount(pattern.rows, weights=np.abs(values) * sizes[pattern.cols], minlength=n)


@dataclass(frozen=True)
class Weights:
    """Weights of the entries of q (nq,) and of v (nv,), and what angles add to Σ w q²."""

    q: Array
    v: Array
    turns: float = 0.0

    def extent(self, q) -> float:
        """The mean size √(Σ w q²/n) of a configuration."""
        return sqrt((float(np.sum(self.q * q * q)) + self.turns) / max(self.v.size, 1))

    def speed(self, v) -> float:
        """The same of velocities, or of accelerations."""
        return sqrt(float(np.sum(self.v * v * v)) / max(self.v.size, 1))


def scales(contract: Contract, t: float, q, v) -> Scales:
    """Sizes of the coordinates: their own values or the mean of all; of velocities also what forces give on the way."""
    by = weights(contract, t, q)
    force = np.zeros(contract.nv) if contract.multipliers_in_f else contract.evaluate("f", t, q, v)
    mass = masses(contract, t, q)
    push = np.divide(force, mass, out=np.zeros(contract.nv), where=(mass > 0.0) & np.isfinite(force))
    extent, root = by.extent(q), np.sqrt(by.v)
    sizes, speeds = extent / root, max(by.speed(v), sqrt(extent * by.speed(push))) / root
    if contract.flat:
        sizes = np.maximum(sizes, np.abs(q))
    speeds = np.maximum(speeds, np.abs(v))
    return Scales(*(x if np.any(x > 0.0) and np.all(np.isfinite(x)) else np.ones(contract.nv) for x in (sizes, speeds)))


def masses(contract: Contract, t: float, q) -> Array:
    """The diagonal of the mass matrix."""
    pattern, values = contract.patterns["M"], contract.evaluate("M", t, q)
    on = pattern.rows == pattern.cols
    return np.bincount(pattern.rows[on], weights=values[on], minlength=contract.nv)


def weights(contract: Contract, t: float, q) -> Weights:
    """How coordinates of different kind compare."""
    mass = masses(contract, t, q)
    if contract.kinds is None:
        found = _with_massless(contract, t, q, mass)
        return Weights(found, found)
    kind_q, kind_v = contract.kinds
    lengths = np.concatenate([q[kind_q == LENGTH], 2.0 * q[kind_q == HALF_LENGTH]])
    arm = (float(np.mean(lengths**2)) if lengths.size else 0.0) + _gyration(mass, kind_v)
    arm = arm if arm > 0.0 else 1.0
    of_q = np.select([kind_q == LENGTH, kind_q == HALF_LENGTH, kind_q == QUATERNION], [1.0, 4.0, arm], 0.0)
    return Weights(of_q, np.where(kind_v == ANGLE, arm, 1.0), arm * float(np.sum(kind_q == ANGLE)))


def units(contract: Contract, t: float, q) -> tuple[Array, Array]:
    """How many lengths one unit of the entries of q (nq,) and of v (nv,) is worth: an angle is worth an arm.

    In systems of functions, whose kinds are not known, every unit is worth 1.
    """
    if contract.kinds is None:
        return np.ones(contract.nq), np.ones(contract.nv)
    kind_q, kind_v = contract.kinds
    arm = _arm(contract, t, q)
    return np.select([kind_q == LENGTH, kind_q == HALF_LENGTH], [1.0, 2.0], arm), np.where(kind_v == ANGLE, arm, 1.0)


def _arm(contract: Contract, t: float, q) -> float:
    """The length that 1 rad is worth in a model, wherever its origin is.

    Its square is the sum of those of the mean radius of gyration, of the arms at which joints hold the bodies, and of
    the distances of the bodies from their midst.
    """
    kind_q, kind_v = contract.kinds  # pyright: ignore
    if not np.any(kind_v == ANGLE):
        return 1.0
    places = q[kind_q == LENGTH].reshape(-1, 3 if np.any(kind_q == QUATERNION) else 2)
    if np.any(kind_q == HALF_LENGTH):
        places = np.concatenate([places, _places_on_se3(kind_q, q)])
    square = _gyration(masses(contract, t, q), kind_v) + _square_of_levers(contract, t, q, kind_v)
    if len(places):
        square += float(np.sum(np.var(places, axis=0)))
    return sqrt(square) if 0.0 < square < inf else 1.0


def _square_of_levers(contract: Contract, t, q, kind_v) -> float:
    """Mean square of how much more a turn of 1 rad changes a row of constraints than a way of 1."""
    rows, cols = contract.patterns["G"].rows, contract.patterns["G"].cols
    squares, turns = contract.evaluate("G", t, q) ** 2, kind_v[cols] == ANGLE
    around = np.bincount(rows[turns], weights=squares[turns], minlength=contract.ng)
    straight = np.bincount(rows[~turns], weights=squares[~turns], minlength=contract.ng)
    both = straight > 0.0
    return float(np.mean(around[both] / straight[both])) if np.any(both) else 0.0


def _places_on_se3(kind_q, q) -> Array:
    """Positions 2 d p* (n, 3) of unit dual quaternions p + ε d, which lie next to one another."""
    d = q[kind_q == HALF_LENGTH].reshape(-1, 4)
    p = q[np.flatnonzero(kind_q == HALF_LENGTH) - 4].reshape(-1, 4)
    return 2.0 * (p[:, :1] * d[:, 1:] - d[:, :1] * p[:, 1:] - np.cross(d[:, 1:], p[:, 1:]))


def _gyration(mass, kind_v) -> float:
    """Mean of the moments of inertia over the mean of the masses."""
    heavy, turning = mass[kind_v == LENGTH], mass[kind_v == ANGLE]
    return float(np.mean(turning) / np.mean(heavy)) if turning.size and heavy.size and np.mean(heavy) > 0.0 else 0.0


def _with_massless(contract: Contract, t, q, mass) -> Array:
    """Masses; a coordinate without one moves as far as the constraint rows that hold it let the others move it."""
    found = np.where(np.isfinite(mass) & (mass > 0.0), mass, 0.0)
    if np.all(found > 0.0):
        return found
    reach = np.divide(1.0, np.sqrt(found), out=np.zeros(mass.size), where=found > 0.0)
    pattern, values = contract.patterns["G"], np.abs(contract.evaluate("G", t, q))
    along = np.bincount(pattern.rows, weights=values * reach[pattern.cols], minlength=contract.ng)
    for row, col, value in zip(pattern.rows, pattern.cols, values, strict=True):
        if mass[col] <= 0.0 and along[row] > 0.0 and value > 0.0:
            found[col] = max(found[col], (value / along[row]) ** 2)
    typical = float(np.mean(found[found > 0.0])) if np.any(found > 0.0) else 1.0
    return np.where(found > 0.0, found, typical)


def pace(contract: Contract, initial, span: float) -> tuple[float, bool]:
    """(time in which the motion is expected to change, do forces or constraints depend on time?).

    Where nothing tells, it is ``span``.
    """
    known = own_pace(contract, initial)
    known = known if known < inf else span
    timed, prescribed = prescribed_pace(contract, initial, known)
    return min(known, prescribed), timed


def travel_time(extent: float, speed: float, rise: float) -> float:
    """The time in which a speed, or an acceleration from rest, goes as far as ``extent``; infinite without both."""
    return min(sqrt(extent / rise) if rise > 0.0 else inf, extent / speed if speed > 0.0 else inf)


def own_pace(contract: Contract, initial) -> float:
    """The time in which velocities or accelerations of a state take it as far as it is large.

    Where that is not known, a time of the velocities, or of the stiffness; infinite if nothing tells.
    """
    t, q, v, vdot = initial.t, initial.q, initial.v, initial.vdot
    by = weights(contract, t, q)
    extent, speed, rise = by.extent(q), by.speed(v), by.speed(vdot)
    time = travel_time(extent, speed, rise) if extent > 0.0 else inf
    if time == inf:
        time = min(speed / rise if speed * rise > 0.0 else inf, _period(contract, initial))
    return time if time > 0.0 else inf


def _period(contract: Contract, initial) -> float:
    """√(M_jj/|K_jj|) of the stiffest coordinate."""
    t, q, v, vdot = initial.t, initial.q, initial.v, initial.vdot
    mu = np.concatenate([initial.lam, initial.psi, initial.lam_n])
    pattern, values = contract.patterns["stiffness"], contract.evaluate("stiffness", t, q, v, vdot, mu)
    on = pattern.rows == pattern.cols
    stiffness = np.abs(np.bincount(pattern.rows[on], weights=values[on], minlength=contract.nv))
    mass = masses(contract, t, q)
    ratio = np.divide(stiffness, mass, out=np.zeros(mass.size), where=mass > 0.0)
    fastest = float(np.max(ratio, initial=0.0))
    return 1.0 / sqrt(fastest) if 0.0 < fastest < inf else inf


def prescribed_pace(contract: Contract, initial, known: float) -> tuple[bool, float]:
    """Do forces and prescribed velocities change with time at a state, and in which time?

    Looked at from a millionth of the time ``known`` on, in steps that double.
    """
    t, q, v = initial.t, initial.q, initial.v
    times = t + known * 2.0 ** np.arange(-20, 21)
    mu = np.concatenate([initial.lam, initial.psi])
    names = {"force" if contract.multipliers_in_f else "f": (q, v), "g_t": (q,), "k": (q, v), "gap_t": (q,)}
    if "force" in names:
        names["force"] = (q, v, mu)
    found, shortest = False, inf
    for name, state in names.items():
        try:
            with np.errstate(all="ignore"):
                values = np.array([contract.evaluate(name, time, *state) for time in (t, *times)])
        except Exception:  # the functions do not like other times
            return True, inf
        values = np.where(np.isfinite(values), values, 0.0)
        swing = np.ptp(values, axis=0)
        if not np.any(swing > 0.0):
            continue
        found, own = True, swing > 1e-6 * np.max(swing)  # derivatives by differences leave noise
        slope = np.max(np.abs(np.diff(values[:, own], axis=0)) / np.diff((t, *times))[:, None], axis=0)
        shortest = min(shortest, float(np.min(swing[own] / slope)))
    return found, shortest

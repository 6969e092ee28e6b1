"""Tight motions with a few contacts and Coulomb friction in a plane: smooth phases by DOP853, ended by events.

In a phase every contact is open, sticks, or slides in one direction; accelerations and forces follow from linear
equations. A phase ends where a gap closes, a force vanishes, a slip becomes zero or a stick force reaches its limit.
Then all modes are tried, and the first one that obeys all laws is the next. Where none does, and where a gap closes,
velocities jump: the same with impulses, by Newton's law. With several contacts all modes are tried together, so this
is for up to four or so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from genalpha.errors import InputError
from genalpha.problems.minimal import ATOL, RTOL
from genalpha.system.contract import Contract

Array = NDArray[np.float64]

OPEN, STICK, FORTH, BACK = range(4)
"""Modes of a contact; it slides forth where its slip is positive."""

SLOW = 1e-9
"""Velocities below this count as zero, and so do accelerations that the scale of forces makes as small."""


class Rows(NamedTuple):
    """What laws of contact need of a state: M, f, and all rows with their bias."""

    M: Array
    f: Array
    N: Array
    T: Array
    bias_n: Array
    bias_t: Array


@dataclass
class Contacts:
    """The contacts of a contract without bilateral constraints, one row of slip each."""

    contract: Contract
    e: Array = field(init=False)
    mu: Array = field(init=False)
    static: Array = field(init=False)
    e_t: Array = field(init=False)

    def __post_init__(self):
        c, friction = self.contract, self.contract.friction
        if friction is None or c.nb or list(friction.contact) != list(range(c.nc)) or friction.nt != c.nc:
            raise InputError("events need contacts with one row of slip each, and no bilateral constraints")
        self.e = np.broadcast_to(np.asarray(c.e, dtype=float), c.nc)
        self.mu, self.static, self.e_t = friction.mu, friction.static, friction.e_t

    def rows(self, t, q, v) -> Rows:
        """All matrices and vectors of a state."""
        c = self.contract
        return Rows(
            c.matrix("M", t, q), c.evaluate("f", t, q, v), c.matrix("N", t, q), c.matrix("T", t, q, v),
            c.evaluate("gap_bias", t, q, v), c.evaluate("slip_bias", t, q, v),
        )  # fmt: skip

    def gap(self, t, q) -> Array:
        return self.contract.evaluate("gap", t, q)

    def closing(self, t, q, v) -> Array:
        """Velocities of the gaps."""
        c = self.contract
        return c.times("N", v, t, q) + c.evaluate("gap_t", t, q)

    def slip(self, t, q, v) -> Array:
        return self.contract.evaluate("slip", t, q, v)


def respond(W_inverse, rows: Rows, modes, mu, free_n, free_t):
    """(forces, y_n, y_t, λn, λt): y = free + J M⁻¹ Jᵀ λ with y_n = 0 where closed, y_t = 0 where it sticks.

    W_inverse is a function that solves with M.
    """
    closed = [i for i, mode in enumerate(modes) if mode != OPEN]
    stick = [i for i in closed if modes[i] == STICK]
    columns = []
    for i in closed:
        sign = {STICK: 0.0, FORTH: -1.0, BACK: 1.0}[modes[i]]
        columns.append(rows.N[i] + sign * mu[i] * rows.T[i])
    columns += [rows.T[i] for i in stick]
    tests = [rows.N[i] for i in closed] + [rows.T[i] for i in stick]
    size, force = len(modes), np.zeros(rows.f.size)
    lam_n, lam_t = np.zeros(size), np.zeros(size)
    if closed:
        A, B = np.array(tests), np.array(columns)
        matrix, right = A @ W_inverse(B.T), -np.concatenate([free_n[closed], free_t[stick]])
        p = np.linalg.lstsq(matrix, right, rcond=1e-12)[0]
        if not np.allclose(matrix @ p, right, atol=1e-9 * (1.0 + np.abs(right).max())):
            return None
        force = B.T @ p
        lam_n[closed] = p[: len(closed)]
        lam_t[stick] = p[len(closed) :]
        for i in closed:
            if modes[i] != STICK:
                lam_t[i] = (-1.0 if modes[i] == FORTH else 1.0) * mu[i] * lam_n[i]
    change = W_inverse(force)
    return force, free_n + rows.N @ change, free_t + rows.T @ change, lam_n, lam_t


def _consistent(modes, y_n, y_t, lam_n, lam_t, limit, small) -> bool:
    """Do all laws hold? ``limit``: of |λt|/λn in stick; ``small``: of velocities or accelerations, and of forces."""
    for i, mode in enumerate(modes):
        if y_n[i] < -small[0] or lam_n[i] < -small[1]:
            return False
        if mode == STICK and abs(lam_t[i]) > limit[i] * lam_n[i] + small[1]:
            return False
        if (mode == FORTH and y_t[i] < -small[0]) or (mode == BACK and y_t[i] > small[0]):
            return False
    return True


@dataclass
class Phase:
    """One smooth phase: where it begins, its modes, and its motion y = (q, v)."""

    t: float
    modes: tuple[int, ...]
    solution: Any


@dataclass
class Events:
    """A motion through phases and impacts; made by `follow`."""

    contacts: Contacts
    phases: list[Phase]
    impacts: list[tuple[float, Array, Array, Array]]  # t, Λn, Λt, v before
    end: float

    def __call__(self, t: ArrayLike) -> Array:
        """States (nt, 2n) at times t, after the impacts at that time."""
        return np.array([self._phase(ti).solution(ti) for ti in np.atleast_1d(np.asarray(t, dtype=float))])

    def _phase(self, t) -> Phase:
        starts = [phase.t for phase in self.phases]
        return self.phases[max(int(np.searchsorted(starts, t, side="right")) - 1, 0)]

    def forces(self, t: ArrayLike) -> tuple[Array, Array, Array]:
        """(v̇, λn, λt) at times t."""
        found = []
        for ti in np.atleast_1d(np.asarray(t, dtype=float)):
            q, v = np.split(self._phase(ti).solution(ti), 2)
            found.append(accelerations(self.contacts, ti, q, v, self._phase(ti).modes))
        return tuple(np.array(column) for column in zip(*found, strict=True))


def accelerations(contacts: Contacts, t, q, v, modes):
    """(v̇, λn, λt) in given modes."""
    rows = contacts.rows(t, q, v)
    found = respond(lambda x: np.linalg.solve(rows.M, x), rows, modes, contacts.mu, *_free(rows))
    if found is None:
        raise InputError(f"no forces keep contacts in the modes {modes} at t = {t:.9g}")
    force, _, _, lam_n, lam_t = found
    return np.linalg.solve(rows.M, rows.f + force), lam_n, lam_t


def _free(rows: Rows):
    free = np.linalg.solve(rows.M, rows.f)
    return rows.N @ free + rows.bias_n, rows.T @ free + rows.bias_t


def next_modes(contacts: Contacts, t, q, v, closed, held=(), banned=()) -> tuple[int, ...] | None:
    """The first modes of acceleration that obey all laws; ``held``: what stuck just before may use its static limit."""
    rows, s = contacts.rows(t, q, v), contacts.slip(t, q, v)
    free_n, free_t = _free(rows)
    limit = np.where([i in held for i in range(len(s))], contacts.static, 1.0) * contacts.mu
    choices = []
    for i, slip in enumerate(s):
        if i not in closed:
            choices.append((OPEN,))
        else:
            own = (STICK, FORTH, BACK) if abs(slip) <= SLOW else (FORTH,) if slip > 0.0 else (BACK,)
            choices.append(tuple(mode for mode in (*own, OPEN) if (i, mode) not in banned))
    size = 1.0 + np.abs(free_n).max(initial=0.0) + np.abs(free_t).max(initial=0.0)
    for modes in product(*choices):
        found = respond(lambda x: np.linalg.solve(rows.M, x), rows, modes, contacts.mu, free_n, free_t)
        if found is None:
            continue
        _, y_n, y_t, lam_n, lam_t = found
        y_n = np.where([i in closed for i in range(len(s))], y_n, 0.0)
        y_t = np.where(np.abs(s) <= SLOW, y_t, 0.0)
        small = (1e-9 * size, 1e-9 * (1e-300 + np.abs(rows.f).max() + np.abs(lam_n).max()))
        if _consistent(modes, y_n, y_t, lam_n, lam_t, limit, small):
            return modes
    return None


def impact(contacts: Contacts, t, q, v, touching):
    """(v+, Λn, Λt) of an impact by Newton's law with e and e_t at the contacts that touch."""
    rows, u, s = contacts.rows(t, q, v), contacts.closing(t, q, v), contacts.slip(t, q, v)
    hit = u < -SLOW
    xi_n = (1.0 + np.where(hit, contacts.e, 0.0)) * u
    xi_t = s + np.where(hit, contacts.e_t, 0.0) * s
    choices = [(STICK, FORTH, BACK, OPEN) if i in touching else (OPEN,) for i in range(len(u))]
    for modes in product(*choices):
        found = respond(lambda x: np.linalg.solve(rows.M, x), rows, modes, contacts.mu, xi_n, xi_t)
        if found is None:
            continue
        force, y_n, y_t, lam_n, lam_t = found
        y_n = np.where([i in touching for i in range(len(u))], y_n, 0.0)
        size = np.abs(v).max() + np.abs(s).max() + np.abs(u).max()
        small = (1e-12 * size, 1e-12 * (1e-300 + np.abs(lam_n).max()))
        if _consistent(modes, y_n, y_t, lam_n, lam_t, contacts.mu, small):
            return v + np.linalg.solve(rows.M, force), lam_n, lam_t
    raise InputError(f"no impulses obey all laws at t = {t:.9g}")


def follow(contract: Contract, q0: ArrayLike, v0: ArrayLike, t1: float, max_step: float = np.inf) -> Events:
    """The motion from t = 0 to t1 through all events.

    Parameters
    ----------
    contract : Contract
        Interpreted, with one row of slip for each gap and no bilateral constraints.
    max_step : float
        Where a gap may open and close within a step.
    """
    contacts = Contacts(contract)
    motion = Events(contacts, [], [], t1)
    t, q, v = 0.0, np.array(q0, dtype=float), np.array(v0, dtype=float)
    closed, held, banned = _touching(contacts, t, q), frozenset(), frozenset()
    q, v, closed = _settle(motion, t, q, v, closed)
    if motion.impacts == []:
        held = frozenset(closed)
    while t < t1:
        modes = next_modes(contacts, t, q, v, closed, held, banned)
        if modes is None:  # Painlevé: no accelerations, velocities jump
            v = _jump(motion, t, q, v, closed)
            modes = next_modes(contacts, t, q, v, closed, closed)
            if modes is None:
                raise InputError(f"no modes obey all laws at t = {t:.9g}")
        result, what = _smooth(contacts, modes, t, q, v, t1, max_step)
        motion.phases.append(Phase(t, modes, result.sol))
        if what is None:
            return motion
        t, (q, v) = result.t[-1], np.split(result.y[:, -1], 2)
        kind, i = what
        closed = frozenset(j for j, mode in enumerate(modes) if mode != OPEN)
        held, banned = frozenset(j for j in closed if modes[j] == STICK), frozenset()
        if kind == "gap":
            q, v, closed = _settle(motion, t, q, v, closed | {i} | _touching(contacts, t, q))
        elif kind == "force":
            closed -= {i}
        elif kind == "limit":
            lam_t = accelerations(contacts, t, q, v, modes)[2][i]
            banned = frozenset({(i, STICK), (i, FORTH if lam_t > 0.0 else BACK)})
        else:
            v = _without_slip(contacts, t, q, v, modes, i)
    return motion


def _touching(contacts, t, q) -> frozenset[int]:
    return frozenset(np.flatnonzero(contacts.gap(t, q) <= 1e-10).tolist())


def _settle(motion, t, q, v, touching):
    """(q, v, closed) after an impact, if one of the gaps closes."""
    contacts = motion.contacts
    if any(contacts.closing(t, q, v)[i] < -SLOW for i in touching):
        v = _jump(motion, t, q, v, touching)
    u = contacts.closing(t, q, v)
    return q, v, frozenset(i for i in touching if abs(u[i]) <= SLOW)


def _jump(motion, t, q, v, touching):
    after, lam_n, lam_t = impact(motion.contacts, t, q, v, touching)
    motion.impacts.append((float(t), lam_n, lam_t, v))
    return after


def _without_slip(contacts, t, q, v, modes, i):
    """Velocities after the slip of contact i has become zero, to the last bit."""
    rows = contacts.rows(t, q, v)
    J = np.array([rows.N[j] for j, mode in enumerate(modes) if mode != OPEN] + [rows.T[i]])
    misfit = np.array([*np.zeros(len(J) - 1), contacts.slip(t, q, v)[i]])
    return v - np.linalg.lstsq(J, misfit, rcond=1e-12)[0]


def _smooth(contacts, modes, t, q, v, t1, max_step):
    """(result, (kind, contact) of the event that ended it or None)."""
    from scipy.integrate import solve_ivp

    n, events, kinds = q.size, [], []

    def rhs(t, y):
        return np.concatenate([y[n:], accelerations(contacts, t, y[:n], y[n:], modes)[0]])

    def add(kind, i, value):
        value.terminal, value.direction = True, -1.0
        events.append(value)
        kinds.append((kind, i))

    def forces(t, y):
        return accelerations(contacts, t, y[:n], y[n:], modes)[1:]

    for i, mode in enumerate(modes):
        if mode == OPEN:
            add("gap", i, lambda t, y, i=i: contacts.gap(t, y[:n])[i])
            continue
        add("force", i, lambda t, y, i=i: forces(t, y)[0][i])
        if mode == STICK:
            limit = contacts.static[i] * contacts.mu[i]
            add("limit", i, lambda t, y, i=i, limit=limit: _room(forces(t, y), i, limit))
        else:
            sign = 1.0 if mode == FORTH else -1.0
            add("slip", i, lambda t, y, i=i, sign=sign: sign * contacts.slip(t, y[:n], y[n:])[i])
    step = min(max_step, _shortest(contacts, modes, t, q, v))
    result = solve_ivp(
        rhs, (t, t1), np.concatenate([q, v]), method="DOP853", rtol=RTOL, atol=ATOL, events=events, dense_output=True,
        max_step=step,
    )  # fmt: skip
    if not result.success:
        raise InputError(f"no reference solution: {result.message}")
    hit = next((j for j, found in enumerate(result.t_events) if found.size), None)
    return result, None if hit is None else kinds[hit]


def _room(forces, i, limit):
    lam_n, lam_t = forces
    return limit * lam_n[i] - abs(lam_t[i])


def _shortest(contacts, modes, t, q, v) -> float:
    """A part of the shortest flight of contacts that have just opened: no bounce is stepped over."""
    u, gap = contacts.closing(t, q, v), contacts.gap(t, q)
    rows, shortest = contacts.rows(t, q, v), np.inf
    pull = rows.N @ accelerations(contacts, t, q, v, modes)[0] + rows.bias_n
    for i, mode in enumerate(modes):
        if mode == OPEN and gap[i] <= 1e-10 and u[i] > 0.0 and pull[i] < 0.0:
            shortest = min(shortest, -0.4 * u[i] / pull[i])
    return shortest


def interpreted(system: Any, q0: Sequence[float], v0: Sequence[float]) -> Contract:
    """The contract of a system of functions, uncompiled."""
    from dataclasses import replace

    return replace(system, compile=False).contract(0.0, q0, v0)

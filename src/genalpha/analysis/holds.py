"""Can a state stand still with friction? Forces that hold it, or by how much the cones are missed."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownParameterType=false

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from genalpha.analysis.cones import Cone, Programme
from genalpha.analysis.statics import at_rest
from genalpha.analysis.tangents import contract_of
from genalpha.errors import InputError
from genalpha.inputs import Values, number
from genalpha.model.model import Model
from genalpha.step.consistency import violations
from genalpha.step.scales import scales
from genalpha.system.block import BILATERAL, TANGENTIAL, UNILATERAL
from genalpha.system.contract import Contract, MechanicalSystem
from genalpha.system.friction import make_friction
from genalpha.system.system import System

Array = NDArray[np.float64]

TOUCHING = 1e-9
"""A gap is closed below this, relative to the size of what it depends on; a slip is zero below it."""


@dataclass(frozen=True, eq=False)
class Holding:
    """Whether a state can stand still, and with which forces.

    Attributes
    ----------
    holds : bool
        There are forces that keep it at rest.
    margin : float
        The least factor on all coefficients of friction, and bounds of dry friction, with which there are: at most 1
        where it holds, 0 where it holds without friction, inf where no friction is enough.
    lam, psi : ndarray (ng,), (nk,)
        Forces of constraints. All forces are those with cones half way between ``margin`` and 1, with the least sum of
        contact forces; where it does not hold, those that it would take; NaN where no friction is enough.
    lam_n, lam_t : ndarray (nc,), (nt,)
        Forces of contacts, and of rows of slip and of dry friction.
    usage : ndarray (ne,)
        Friction over what the coefficients allow, of each contact with friction, then of dry friction.
    q : ndarray (nq,)

    Examples
    --------
    >>> import numpy as np
    >>> import genalpha as ga
    >>> block = ga.System(
    ...     M=np.eye(2),
    ...     f=9.81 * np.array([np.sin(0.4), -np.cos(0.4)]),
    ...     gap=lambda t, q: q[1],
    ...     slip=lambda t, q, v: v[0],
    ...     mu=0.5,
    ... )
    >>> found = ga.holds(block, [0.0, 0.0])
    >>> found
    Holding(holds, with 0.845586 of the friction that there is)
    >>> found.lam_t.round(3)
    array([-3.82])
    """

    holds: bool
    margin: float
    q: Array = field(repr=False)
    lam: Array
    psi: Array
    lam_n: Array
    lam_t: Array
    usage: Array

    def __bool__(self) -> bool:
        return self.holds

    def __repr__(self) -> str:
        if not np.isfinite(self.margin):
            return "Holding(does not hold, with any friction)"
        if self.margin == 0.0:
            return "Holding(holds without friction)"
        part = f"{self.margin:.6g} of the friction that there is"
        return f"Holding(holds, with {part})" if self.holds else f"Holding(does not hold, it takes {part})"


def holds(system: MechanicalSystem | Model, q0: Values | None = None, *, t: float = 0.0) -> Holding:
    """Can a state at rest stay there? There must be forces with f + Gᵀλ + Kᵀψ + Nᵀλ_n + Tᵀλ_t = 0 within all cones.

    Contacts that are open at q0 do nothing. Friction acts against the slip where there is one at rest, on a belt that
    moves, and may point anywhere where there is none.

    Parameters
    ----------
    system : System or Model
    q0 : array_like (nq,), optional
        By default the configuration of the bodies of a model.
    t : float
        The time at which loads are taken.

    Returns
    -------
    Holding
        True in a condition if it holds.

    Notes
    -----
    Where contact forces are not determined, as in a pile, it says that there are forces that hold, not that a run finds
    them: a pile that holds with some forces may slide with others.

    Examples
    --------
    >>> import genalpha as ga
    >>> from genalpha.problems import friction
    >>> ladder = friction.MAKERS["ladder"](phi=1.4)
    >>> bool(ga.holds(ladder.system(), ladder.q0))
    True
    """
    system, q, v = at_rest(system, q0)
    plain = replace(system, compile=False) if isinstance(system, System) else system  # few evaluations are needed
    contract, t = contract_of(plain, number("t", t), q, v), float(t)
    if contract.multipliers_in_f:
        raise InputError("holds: forces that contain the multipliers are not supported")
    _require_rest(contract, t, q, v)
    unknowns = _Unknowns(contract, t, q, v)
    programme = unknowns.programme()
    margin = programme.least_factor()
    holding = margin <= 1.0
    half = 0.5 * (1.0 - margin) if holding else 0.0
    x = None if margin == np.inf else programme.solve(margin + half, 0.5 * half)
    if x is None:
        x = np.full(programme.J.shape[1], np.nan)
    lam, psi, lam_n, lam_t = unknowns.forces(x)
    return Holding(holding, margin, q, lam, psi, lam_n, lam_t, unknowns.usage(x))


def _require_rest(contract: Contract, t: float, q: Array, v: Array):
    """Constraints hold at rest, and no gap is negative."""
    for off in violations(contract, t, q, v):
        if np.any(np.abs(off.values) > off.limits):
            i = int(np.argmax(np.abs(off.values) - off.limits))
            raise InputError(
                f"holds: constraint {off.block.names[i]!r} has {off.symbol} = {off.values[i]:.3g} at rest at "
                f"t = {t:g}; it must be zero: correct q0, or take a time at which nothing is driven"
            )
    gap = contract.evaluate("gap", t, q)
    if np.any(gap < -_near(contract, t, q, v)):
        i = int(np.argmin(gap))
        name = contract.row_names([UNILATERAL])[i]
        raise InputError(f"holds: gap {name!r} is {gap[i]:.3g} at q0; bodies must be apart or touch: correct q0")


def _near(contract: Contract, t: float, q: Array, v: Array) -> Array:
    """Gaps up to this are closed (nc,)."""
    return TOUCHING * scales(contract, t, q, v).of_rows(contract, "N", scales(contract, t, q, v).q, t, q)


class _Unknowns:
    """The forces that may act: lam, psi, lam_n of closed contacts, and scaled friction of those that stick."""

    def __init__(self, contract: Contract, t: float, q: Array, v: Array):
        self.contract, self.friction = contract, contract.friction or make_friction([], [], [])
        self.f = contract.evaluate("f", t, q, v)
        gap = contract.evaluate("gap", t, q)
        self.closed = np.flatnonzero(gap <= _near(contract, t, q, v))
        self.N, self.T = contract.matrix("N", t, q)[self.closed], contract.matrix("T", t, q, v)
        self.B = contract.gradient(t, q, v, BILATERAL)
        self.slides: dict[int, Array] = {}
        self.sticking: list[tuple[int, NDArray[np.int64], Array, Cone]] = []
        slip, mu = contract.evaluate("slip", t, q, v), self.friction.mu
        fast = TOUCHING * scales(contract, t, q, v).of_rows(contract, "T", scales(contract, t, q, v).v, t, q, v)
        for e, rows in self._acting():
            if np.any(np.abs(slip[rows]) > fast[rows]) and np.any(mu[rows] > 0.0):
                scaled = mu[rows] * slip[rows]
                self.slides[e] = -mu[rows] * scaled / np.linalg.norm(scaled)

    def _acting(self):
        """(element, rows) of dry friction, and of contacts that are closed."""
        friction = self.friction
        for e in range(friction.ne):
            if friction.contact[e] < 0 or friction.contact[e] in self.closed:
                yield e, np.arange(friction.first[e], friction.first[e + 1])

    def programme(self) -> Programme:
        """The linear programme of these forces; what slides is no unknown of its own."""
        friction, normal, f = self.friction, self.N.copy(), self.f.copy()
        nb, columns = len(self.B), [self.B, normal]
        n, self.sticking = nb + len(normal), []
        for e, rows in self._acting():
            contact = friction.contact[e]
            if e in self.slides:
                force = self.slides[e] @ self.T[rows]
                if contact < 0:
                    f += force / np.abs(self.slides[e]) * friction.mu[rows]
                else:
                    normal[np.searchsorted(self.closed, contact)] += force
                continue
            rows = rows[friction.mu[rows] > 0.0]
            if not rows.size:
                continue
            weight = friction.mu[rows] if contact >= 0 else np.ones(1)
            press = nb + int(np.searchsorted(self.closed, contact)) if contact >= 0 else -1
            radius = friction.static[e] if contact >= 0 else friction.mu[rows[0]]
            self.sticking.append((e, rows, weight, Cone(np.arange(n, n + rows.size), press, float(radius))))
            columns.append(weight[:, None] * self.T[rows])
            n += rows.size
        J = np.vstack(columns).T
        pushes = np.zeros(n, dtype=bool)
        pushes[nb : nb + len(normal)] = True
        return Programme(J, f, pushes, [cone for *_, cone in self.sticking])

    def forces(self, x: Array) -> tuple[Array, Array, Array, Array]:
        """(lam, psi, lam_n, lam_t) of a solution."""
        c, nb = self.contract, len(self.B)
        lam_n, lam_t = np.zeros(c.nc), np.zeros(c.size(TANGENTIAL))
        lam_n[self.closed] = x[nb : nb + len(self.closed)]
        for _, rows, weight, cone in self.sticking:
            lam_t[rows] = weight * x[cone.columns]
        for e, part in self.slides.items():
            rows, contact = self.friction.rows(e), self.friction.contact[e]
            lam_t[rows] = part * lam_n[contact] if contact >= 0 else np.sign(part) * self.friction.mu[rows]
        return x[: c.ng], x[c.ng : nb], lam_n, lam_t

    def usage(self, x: Array) -> Array:
        """|friction| over its limit, of each element."""
        used = np.zeros(self.friction.ne)
        for e, _, _, cone in self.sticking:
            used[e] = cone.usage(x)
        used[list(self.slides)] = 1.0
        return used

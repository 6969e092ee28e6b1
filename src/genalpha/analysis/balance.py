"""The search for an equilibrium: Newton's iteration at a share of the load, and relaxation under all of it.

Newton's iteration solves  K x − Bᵀμ = f,  B x + b = 0.  Where nothing resists a motion, as in a cable that is slack, or
a structure snaps through, it has nowhere to go, or goes to where nothing would stay. There the system is let go as if
it were strongly damped, M q̇ = f + Bᵀμ, which ends where the energy has a minimum, by linearly implicit steps in time:

    (M/τ + K) x − Bᵀμ = f,      B x + b = 0

τ grows as long as steps are small and go downhill, so that they end as Newton's iteration (pseudo-transient
continuation; Kelley and Keyes 1998, SIAM J. Numer. Anal. 35).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from genalpha.analysis.tangents import Residual, exact_stiffness
from genalpha.errors import NonFiniteError
from genalpha.math.saddle import Saddle, solve_saddle
from genalpha.step.scales import scales
from genalpha.system.contract import Contract, stack

Array = NDArray[np.float64]

SPARSE_FROM = 150
HARD = 7
"""An iteration that has not calmed down by then is given up."""

STALLS = 3
"""So many iterations in a row that become no smaller have reached round-off."""

STRIDE, STRIDES, FAR = 0.2, 1000, 50.0
"""Relaxation: the largest displacement of a step over the length of the system, or rotation in rad; how many steps
there may be, and how far they may go in all."""

BALANCED = 1e-8
"""Relaxation ends when forces are in balance, relative to the largest; then Newton's iteration has the word."""


class Search:
    """The state of the search.

    Attributes
    ----------
    q, mu : ndarray
        Where it is, and all multipliers.
    closed : ndarray (nc,) of bool
    iterations : int
    slack : bool
        Nothing resists some motion.
    angles : ndarray (nv,) of bool
        Velocities that are rotations.
    length : float
        What displacements are measured by: that of the system at the start, or how far it has moved.
    """

    def __init__(self, contract: Contract, t, q, tol, max_iter, angles=None, length=1.0):
        self.contract, self.t, self.q, self.tol, self.max_iter = contract, t, q, tol, max_iter
        self.angles = np.zeros(contract.nv, dtype=bool) if angles is None else angles
        self.start_length, self.total = length, np.zeros(contract.nv)
        self.mu, self.rest = np.zeros(contract.m), np.zeros(contract.nv)
        self.first, self.first_g = self._force(q), contract.evaluate("g", t, q)
        size = scales(contract, t, q, self.rest)
        self.closed = contract.evaluate("gap", t, q) <= 1e-9 * size.of_rows(contract, "N", size.q, t, q)
        self.iterations, self.last, self.exact, self.complete = 0, np.inf, False, False
        self.idle: Array | None = None

    @property
    def slack(self) -> bool:
        return self.idle is not None

    @property
    def length(self) -> float:
        return max(self.start_length, float(np.max(np.abs(self.total[~self.angles]), initial=0.0)))

    def row(self, load):
        """What is kept of a load step."""
        c = self.contract
        nb = c.nb
        return load, self.q.copy(), self.mu[: c.ng].copy(), self.mu[nb:].copy(), c.evaluate("gap", self.t, self.q)

    def advance(self, load) -> bool:
        """Go to a share of the load; if that fails, everything is as before."""
        before = self.q, self.mu, self.closed, self.total
        if self._iterate(load):
            return True
        self.q, self.mu, self.closed, self.total = before
        return False

    def relax(self) -> bool:
        """Go under the full load to where it comes to rest."""
        before = self.q, self.mu, self.closed, self.total
        rate, way = self._first_rate(), 0.0
        for _ in range(STRIDES):
            found, rows, uphill = self._system(1.0, rate)
            stride = self._size(found.x) / STRIDE
            if found.idle is not None or uphill or not stride <= 1.0:
                rate *= 4.0 if not stride < np.inf else min(max(2.0 * stride, 4.0), 1e3)
                if not rate < 1e300:
                    break
                continue
            self._take(found, rows)
            changed = self._switch_contacts()
            self.last, way = self._size(found.x), way + self._size(found.x)
            if not changed and stride < 1e-3 and self._imbalance() <= BALANCED and self._settle():
                return True
            if way > FAR:
                break
            rate *= 0.25 if stride < 0.3 else 0.7
        self.q, self.mu, self.closed, self.total = before
        return False

    def failure(self, reached, target) -> str:
        """Why there is no equilibrium."""
        where = f"equilibrium: no convergence from {reached:.4g} to {target:.6g} of the load"
        if self.idle is not None:
            name = self.contract.velocity_names[int(np.argmax(np.abs(self.idle)))]
            return (
                f"{where}: nothing resists a motion of {name}, the stiffness is singular on what the constraints "
                f"allow; hold it by a joint or a spring"
            )
        return (
            f"{where}; the last iteration moved {self.last:.3g}. Take more load_steps, or a q0 nearer to the solution; "
            f"beyond a limit load there is none"
        )

    # Newton's iteration

    def _iterate(self, load) -> bool:
        size_before, first, stalls = np.inf, None, 0
        for iteration in range(self.max_iter):
            found, rows, _ = self._system(load)
            self.idle = found.idle
            size = self._size(found.x)
            if found.idle is not None or not size < np.inf or np.max(np.abs(found.x[self.angles]), initial=0.0) > np.pi:
                return False
            self._take(found, rows)
            changed, self.last = self._switch_contacts(), size
            first = size if first is None else first
            if size > 1e3 * max(first, 1.0) or (iteration >= HARD and size > 0.1 * first and size > 1e-6):
                return False
            stalls = stalls + 1 if not changed and 0.3 * size_before < size <= 1e-6 else 0
            if not changed and (size <= self.tol or stalls >= STALLS):
                return True
            # converging, but slowly: the stiffness of the contract is not enough
            self.exact |= iteration > 2 and 0.1 * size_before < size < 0.1 * first
            size_before = size
        return False

    def _system(self, load, rate: float = 0.0) -> tuple[Saddle, Array, bool]:
        """(increment and multipliers of (rate M + K) x − Bᵀμ = f, B x + b = 0; closed contacts; does x go uphill?)."""
        self.iterations += 1
        c, t, q = self.contract, self.t, self.q
        sparse = c.nv + c.m > SPARSE_FROM
        K = self._stiffness(sparse)
        if rate:
            K = K + rate * c.matrix("M", t, q, sparse=sparse)
        rows = np.nonzero(self.closed)[0]
        K, B = K.tocsc() if sparse else K, c.matrix("G", t, q, sparse=sparse)
        B = stack([B, c.matrix("N", t, q, sparse=sparse)[rows]])
        f = self._force(q) - (1.0 - load) * self.first
        b = np.concatenate([c.evaluate("g", t, q) - (1.0 - load) * self.first_g, c.evaluate("gap", t, q)[rows]])
        if not np.all(np.isfinite(K.data if sparse else K)):
            raise NonFiniteError("equilibrium: the stiffness is not finite")
        found = solve_saddle(K, B, f, b)
        return found, rows, bool(found.x @ (K @ found.x) < 0.0)

    def _stiffness(self, sparse) -> Any:
        """That of the contract, or the exact one where it is incomplete."""
        c, state = self.contract, self._state()
        if self.exact and not self.complete:
            K, noise = exact_stiffness(state, self.angles)
            self.complete = noise.nnz == 0  # slow for reasons of its own
            return K if sparse else K.toarray()
        return c.matrix("stiffness", self.t, self.q, self.rest, self.rest, self.mu, sparse=sparse)

    def _state(self) -> Residual:
        return Residual(self.contract, self.t, self.q, self.rest, self.rest, self.mu)

    def _force(self, q):
        f = self.contract.evaluate("f", self.t, q, self.rest)
        if not np.all(np.isfinite(f)):
            bad = self.contract.velocity_names[int(np.argmax(~np.isfinite(f)))]
            raise NonFiniteError(f"equilibrium: the force is not finite in the row of {bad}")
        return f

    def _size(self, x) -> float:
        """Of an increment: displacements over the length, rotations in rad; infinite if it is no number."""
        size = float(np.max(np.abs(np.where(self.angles, x, x / self.length)), initial=0.0))
        return size if np.isfinite(size) else np.inf

    def _take(self, found: Saddle, rows):
        c = self.contract
        self.q, self.total = self._state().moved(found.x), self.total + found.x
        self.mu = np.zeros(c.m)
        self.mu[: c.ng], self.mu[c.nb + rows] = found.mu[: c.ng], found.mu[c.ng :]

    def _switch_contacts(self) -> bool:
        """Contacts that pull open, gaps that are negative close; gives whether anything changed."""
        c = self.contract
        if not c.nc:
            return False
        before, force = self.closed.copy(), self.mu[c.nb :]
        self.closed = (before & (force >= 0.0)) | (c.evaluate("gap", self.t, self.q) < -1e-10 * self.length)
        return bool(np.any(before != self.closed))

    # relaxation

    def _first_rate(self) -> float:
        """1/τ of a first step that is a tenth of what is allowed, if nothing but the mass resists."""
        inverse = 1.0 / np.maximum(np.abs(self.contract.matrix("M", self.t, self.q, sparse=True).diagonal()), 1e-300)
        return max(10.0 * self._size(self._force(self.q) * inverse) / STRIDE, 1e-300)

    def _imbalance(self) -> float:
        """Largest force that nothing balances, relative to the load and to the forces of constraints."""
        residual, force = self._state()(self.rest, self.rest), self._force(self.q)
        largest = float(np.max(np.abs([self.first, force + residual]), initial=0.0))
        return float(np.max(np.abs(residual), initial=0.0)) / largest if largest else 0.0

    def _settle(self) -> bool:
        """Newton's iteration from here; motions that nothing resists and nothing drives may stay as they are."""
        self.exact = True
        return self.advance(1.0) or self.slack

"""Exact matrices at one state: those of the contract may be approximate, because they only steer.

Differences along the motions of single coordinates are taken of the whole residual r = M v̇ − f − Bᵀμ. They say where
the matrices of the contract are incomplete (loads that follow a body, functions of the user's, joints between two
rotations); entries that they confirm keep their analytic values, which are exact to round-off.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from genalpha.contract import Contract

Array = NDArray[np.float64]

CONFIRMED = 1e-8
"""Entries may differ by this, relative to the diagonal."""

ALL_COLUMNS = 300
"""Up to so many unknowns every column has a difference of its own; above, columns that share no row share one."""


class Residual:
    """M v̇ − f − Bᵀμ of a contract near a state, as a function of increments of q and v."""

    def __init__(self, contract: Contract, t: float, q, v, vdot, mu):
        self.contract, self.t, self.q, self.v, self.vdot, self.mu = contract, t, q, v, vdot, mu

    def moved(self, delta) -> Array:
        """q ∘ exp(Δ)."""
        if self.contract.flat:
            return self.q + delta
        q1 = np.empty_like(self.q)
        self.contract.evaluators.update(self.q, np.ascontiguousarray(delta), self.contract.data, q1)
        return q1

    def __call__(self, delta, rate) -> Array:
        c, t, q, v = self.contract, self.t, self.moved(delta), self.v + rate
        r = -c.evaluate("f", t, q, v)
        if np.any(self.vdot):
            r += c.times("M", self.vdot, t, q)
        first = 0
        for name, n, arguments in (("G", c.ng, (q,)), ("K", c.nk, (q, v)), ("N", c.nc, (q,))):
            mu = self.mu[first : first + n]
            first += n
            if np.any(mu):
                pattern, values = c.patterns[name], c.evaluate(name, t, *arguments)
                r -= np.bincount(pattern.cols, weights=values * mu[pattern.rows], minlength=c.nv)
        return r

    def slope(self, direction, step: float, of_velocity: bool) -> Array:
        """Central difference along a direction."""
        d, zero = step * direction, np.zeros_like(direction)
        ahead, behind = (self(zero, d), self(zero, -d)) if of_velocity else (self(d, zero), self(-d, zero))
        return (ahead - behind) / (2.0 * step)


def exact_matrices(contract: Contract, t: float, q, v, vdot, mu):
    """∂r/∂q along the group and ∂r/∂v, both as scipy.sparse arrays."""
    residual = Residual(contract, t, q, v, vdot, mu)
    extent = 1.0 + float(np.max(np.abs(q), initial=0.0))
    stiffness = contract.matrix("stiffness", t, q, v, vdot, mu, sparse=True)
    damping = contract.matrix("damping", t, q, v, vdot, mu, sparse=True)
    speed = 1.0 + float(np.max(np.abs(v), initial=0.0))
    return _confirmed(residual, stiffness, 1e-5 * extent, False), _confirmed(residual, damping, 1e-2 * speed, True)


def _confirmed(residual: Residual, analytic, step, of_velocity):
    """The analytic matrix, with entries from differences where it is wrong."""
    from scipy.sparse import csc_array

    contract = residual.contract
    differences = None
    if contract.nv > ALL_COLUMNS:
        differences = _by_groups(residual, step, of_velocity)
        probe = np.random.default_rng(7).standard_normal(contract.nv)
        expected = residual.slope(probe, step / np.max(np.abs(probe)), of_velocity)
        if not np.max(np.abs(differences @ probe - expected)) <= 1e-4 * np.max(np.abs(expected), initial=1e-300):
            differences = None  # something acts beyond the patterns
    if differences is None:
        columns = [residual.slope(unit, step, of_velocity) for unit in np.eye(contract.nv)]
        differences = csc_array(np.array(columns).T)
    diagonal = np.maximum(np.abs(analytic.diagonal()), np.abs(differences.diagonal()))
    scale = np.sqrt(np.where(diagonal > 0.0, diagonal, np.max(diagonal, initial=0.0)))
    miss = (differences - analytic).tocoo()
    wrong = np.abs(miss.data) > CONFIRMED * scale[miss.coords[0]] * scale[miss.coords[1]]
    rows, cols = miss.coords
    correction = csc_array((miss.data[wrong], (rows[wrong], cols[wrong])), shape=analytic.shape)
    return (analytic + correction).tocsc()


def _by_groups(residual: Residual, step, of_velocity):
    """Differences of many columns at once, on the union of all patterns that couple unknowns."""
    from scipy.sparse import coo_array

    contract = residual.contract
    pattern = _couplings(contract)
    group, n_groups = _groups(pattern)
    rows, cols = pattern.tocoo().coords
    values = np.zeros(len(rows))
    for k in range(n_groups):
        slope = residual.slope((group == k).astype(float), step, of_velocity)
        mine = group[cols] == k
        values[mine] = slope[rows[mine]]
    return coo_array((values, (rows, cols)), shape=pattern.shape).tocsc()


def _couplings(contract: Contract):
    """Which unknowns act on which: as far as the patterns of the contract know."""
    from scipy.sparse import csc_array, eye_array

    n = contract.nv
    total = eye_array(n, format="csc")
    for name in ("M", "stiffness", "damping"):
        p = contract.patterns[name]
        total = total + csc_array((np.ones(p.size), (p.rows, p.cols)), shape=(n, n))
    for name, m in (("G", contract.ng), ("K", contract.nk), ("N", contract.nc)):
        p = contract.patterns[name]
        B = csc_array((np.ones(p.size), (p.rows, p.cols)), shape=(m, n))
        total = total + B.T @ B
    return total.tocsc()


def _groups(pattern):
    """Columns that share no row get the same number, greedily."""
    conflicts = (pattern.T @ pattern).tocsc()
    group = np.full(pattern.shape[1], -1)
    for j in range(pattern.shape[1]):
        taken = set(group[conflicts.indices[conflicts.indptr[j] : conflicts.indptr[j + 1]]].tolist())
        group[j] = next(k for k in range(len(taken) + 1) if k not in taken)
    return group, int(group.max(initial=-1)) + 1

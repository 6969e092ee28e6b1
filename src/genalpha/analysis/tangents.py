"""Exact matrices at one state: those of the contract may be approximate, because they only steer.

Differences along the motions of single coordinates are taken of the whole residual r = M v̇ − f − Bᵀμ. They say where
the matrices of the contract are incomplete (loads that follow a body, functions of the user's, joints between two
rotations); entries that they confirm keep their analytic values, which are exact to round-off.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from genalpha.model.parts.bodies import RigidBody
from genalpha.model.system import ModelSystem
from genalpha.system.block import KINDS
from genalpha.system.contract import Contract, MechanicalSystem

Array = NDArray[np.float64]

CONFIRMED = 1e-8
"""Entries may differ by this, relative to the diagonal."""

ALL_COLUMNS = 300
"""Up to so many unknowns every column has a difference of its own; above, columns that share no row share one."""

TURN = 1e-3
"""Differences over angles, in rad: truncation and round-off are both near 1e-12."""

STEPS = 10.0 ** -np.arange(3.0, 12.0)
"""Differences over lengths and velocities, relative to these; the one that suits the system is found by trying."""

NOISE = 1e-12
"""Relative error that differences of smooth functions have; roots below it count as zero."""


class Tangents(NamedTuple):
    """∂r/∂q along the group and ∂r/∂v, and how far each may be off, all as scipy.sparse arrays."""

    K: Any
    C: Any
    K_noise: Any
    C_noise: Any


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
        r = -c.evaluate("force", t, q, v, self.mu) if c.multipliers_in_f else -c.evaluate("f", t, q, v)
        if np.any(self.vdot):
            r += c.times("M", self.vdot, t, q)
        if c.multipliers_in_f:
            return r
        for kind, mu in zip(KINDS, np.split(self.mu, [c.ng, c.nb]), strict=True):
            if np.any(mu):
                pattern, values = c.patterns[kind.gradient], c.evaluate(kind.gradient, t, *kind.state(q, v))
                r -= np.bincount(pattern.cols, weights=values * mu[pattern.rows], minlength=c.nv)
        return r

    def velocity_rows(self, delta, rate) -> Array:
        """k, in the place of the residual."""
        return self.contract.evaluate("k", self.t, self.moved(delta), self.v + rate)


class Differences:
    """Central differences of fourth order of a function of increments of q or v, with steps that suit it."""

    def __init__(self, function, of_velocity: bool, steps):
        self.function, self.of_velocity, self.steps = function, of_velocity, steps

    def slope(self, direction) -> Array:
        """The derivative along a direction that is measured in steps."""
        d = self.steps * direction
        ahead, behind, far_ahead, far_behind = (self._at(k * d) for k in (1.0, -1.0, 2.0, -2.0))
        return (8.0 * (ahead - behind) - (far_ahead - far_behind)) / 12.0

    def _at(self, d) -> Array:
        return self.function(0.0 * d, d) if self.of_velocity else self.function(d, 0.0 * d)

    def columns(self, chosen) -> Array:
        """The derivatives (rows, chosen) with respect to single coordinates."""
        n = len(self.steps)
        columns = [self.slope(_unit(n, j)) / self.steps[j] for j in chosen]
        return np.array(columns).T if columns else np.zeros((len(self._at(np.zeros(n))), 0))


def _unit(n, j) -> Array:
    unit = np.zeros(n)
    unit[j] = 1.0
    return unit


def contract_of(system: MechanicalSystem, t: float, q, v) -> Contract:
    """The contract for a few evaluations: models are not compiled for them, their leaves are."""
    return system.contract(t, q, v, compiled=False) if isinstance(system, ModelSystem) else system.contract(t, q, v)


def turning(system) -> NDArray[np.bool_] | None:
    """Which velocities of a model are those of rotations; None for functions, whose coordinates may be anything."""
    if not isinstance(system, ModelSystem):
        return None
    angles = np.zeros(system.assembly.nv, dtype=bool)
    for place in system.assembly.places.values():
        if isinstance(place.body, RigidBody):
            angles[place.v + (2 if system.model.planar else 3) : place.v + place.nv] = True
    return angles


def length_of(system, q) -> float:
    """A length that displacements are measured by: how far bodies are spread, or if they are not, from the origin."""
    if not isinstance(system, ModelSystem):
        return float(np.max(np.abs(q), initial=0.0)) or 1.0
    from genalpha.model.places import positions

    planar = system.model.planar
    places = [positions(place, q[None], planar)[0] for place in system.assembly.places.values() if place.nv]
    spread = float(np.max(np.ptp(places, axis=0), initial=0.0))
    return max(spread, float(np.max(np.abs(places), initial=0.0)) if spread == 0.0 else 0.0) or 1.0


def exact_matrices(contract: Contract, t: float, q, v, vdot, mu, angles=None) -> Tangents:
    """∂r/∂q and ∂r/∂v at a state; ``angles``: what `turning` says."""
    residual = Residual(contract, t, q, v, vdot, mu)
    damping = contract.matrix("damping", t, q, v, vdot, mu, sparse=True)
    K, K_noise = exact_stiffness(residual, angles)
    C, C_noise = _confirmed(contract, Differences(residual, True, speeds(residual)), damping)
    return Tangents(K, C, K_noise, C_noise)


def exact_stiffness(residual: Residual, angles=None):
    """∂r/∂q along the group, and how far it may be off: nothing where the matrix of the contract is complete."""
    c = residual.contract
    analytic = c.matrix("stiffness", residual.t, residual.q, residual.v, residual.vdot, residual.mu, sparse=True)
    return _confirmed(c, Differences(residual, False, lengths(residual, angles)), analytic)


def velocity_slopes(contract: Contract, t: float, q, v, angles=None) -> Array:
    """∂k/∂q along the group, (nk, nv)."""
    state = Residual(contract, t, q, v, np.zeros(contract.nv), np.zeros(contract.m))
    if not contract.nk:
        return np.zeros((0, contract.nv))
    touched = np.arange(contract.nv)
    if contract.nodes is not None:  # rows of a model depend on the bodies that they hold
        touched = np.unique(contract.patterns["K"].cols)
    slopes = np.zeros((contract.nk, contract.nv))
    slopes[:, touched] = Differences(state.velocity_rows, False, lengths(state, angles)).columns(touched)
    return slopes


def lengths(residual: Residual, angles) -> Array:
    """Steps (nv,) of coordinates."""
    straight = np.ones(residual.contract.nv, dtype=bool) if angles is None else ~angles
    return np.where(straight, _step(residual, False, straight, residual.q), TURN)


def speeds(residual: Residual) -> Array:
    """Steps (nv,) of velocities."""
    n = residual.contract.nv
    return np.full(n, _step(residual, True, np.ones(n, dtype=bool), residual.v))


def _step(residual: Residual, of_velocity, moved, values) -> float:
    """The step of nine with which a smaller one agrees best, in any unit."""
    n = residual.contract.nv
    probe = np.where(moved, np.random.default_rng(7).uniform(0.5, 1.0, n), 0.0)
    steps = (1.0 + float(np.max(np.abs(values), initial=0.0))) * STEPS
    with np.errstate(all="ignore"):
        slopes = [Differences(residual, of_velocity, np.full(n, step)).slope(probe) / step for step in steps]
        misses = [np.max(np.abs(one - two), initial=0.0) for one, two in pairwise(slopes)]
    return float(steps[int(np.argmin(np.where(np.isfinite(misses), misses, np.inf)))])


def _confirmed(contract: Contract, differences: Differences, analytic):
    """The analytic matrix, with entries from differences where it is wrong, and how far these may be off."""
    from scipy.sparse import csc_array

    n, found = contract.nv, None
    if n > ALL_COLUMNS:
        found = _by_groups(contract, differences)
        probe = np.random.default_rng(7).uniform(-1.0, 1.0, n)
        expected = differences.slope(probe)
        miss = np.max(np.abs(found @ (differences.steps * probe) - expected))
        if not miss <= 1e-4 * np.max(np.abs(expected), initial=1e-300):
            found = None  # something acts beyond the patterns
    if found is None:
        found = csc_array(differences.columns(range(n)))
    diagonal = np.maximum(np.abs(analytic.diagonal()), np.abs(found.diagonal()))
    scale = np.sqrt(np.where(diagonal > 0.0, diagonal, np.max(diagonal, initial=0.0)))
    miss = (found - analytic).tocoo()
    wrong = np.abs(miss.data) > CONFIRMED * scale[miss.coords[0]] * scale[miss.coords[1]]
    rows, cols = (coords[wrong] for coords in miss.coords)
    correction = csc_array((miss.data[wrong], (rows, cols)), shape=analytic.shape)
    return (analytic + correction).tocsc(), NOISE * abs(correction)


def _by_groups(contract: Contract, differences: Differences):
    """Differences of many columns at once, on the union of all patterns that couple unknowns."""
    from scipy.sparse import coo_array

    pattern = _couplings(contract)
    group, n_groups = _groups(pattern)
    rows, cols = pattern.tocoo().coords
    values = np.zeros(len(rows))
    for k in range(n_groups):
        slope = differences.slope((group == k).astype(float))
        mine = group[cols] == k
        values[mine] = slope[rows[mine]]
    return coo_array((values / differences.steps[cols], (rows, cols)), shape=pattern.shape).tocsc()


def _couplings(contract: Contract):
    """Which unknowns act on which: as far as the patterns of the contract know."""
    from scipy.sparse import csc_array, eye_array

    n = contract.nv
    total = eye_array(n, format="csc")
    for name in ("M", "stiffness", "damping"):
        p = contract.patterns[name]
        total = total + csc_array((np.ones(p.size), (p.rows, p.cols)), shape=(n, n))
    for kind in KINDS:
        p = contract.patterns[kind.gradient]
        B = csc_array((np.ones(p.size), (p.rows, p.cols)), shape=(contract.size(kind), n))
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

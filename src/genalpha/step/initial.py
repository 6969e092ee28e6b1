"""The first state of a run: consistent initial values, and what a scheme makes of them at t0.

Multipliers and accelerations follow from q0 and v0; then rows of the arrays get their first values, those of the
algorithmic acceleration and of what is carried with it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from genalpha.errors import ContradictoryConstraints, RedundantConstraintsWarning, ShapeError, warn
from genalpha.math.coulomb_tables import OPEN, STICK
from genalpha.math.coulomb_tables import SLIP as SLIPS
from genalpha.method import SOI2, GeneralizedAlpha
from genalpha.step.consistency import (
    DENSE_LIMIT,
    Forces,
    accelerations,
    any_accelerations,
    check_gaps,
    check_levels,
    closed_contacts,
    require_inertia,
)
from genalpha.step.projection import project_position, project_velocity, set_going
from genalpha.step.scales import masses, units, weights
from genalpha.step.state import (
    A_0,
    ETA0,
    ETA_T0,
    F0,
    FORCE0,
    FORCE_T0,
    G_UNIT,
    GAP,
    GAP0,
    LAM_T0,
    LAST_MODE_B,
    LAST_MODE_C,
    MA_0,
    MU0,
    MU_T,
    OF_FRICTION,
    OK,
    PLAIN_SLIP0,
    Q0,
    Q_UNIT,
    Q_WEIGHT,
    RATE0,
    SLIP0,
    STEP_SIZE,
    STUCK,
    TERMS,
    TIME,
    TURNS,
    V0,
    V_UNIT,
    V_WEIGHT,
    VDOT0,
    WIDTH_T,
    WORST_GAP,
)
from genalpha.system.block import BILATERAL, UNILATERAL
from genalpha.system.contract import Contract
from genalpha.system.functions import real_vector

if TYPE_CHECKING:
    from genalpha.step.setup import Setup

SENTENCES = 3
"""Redundant rows that a warning tells about."""

SAMPLES, RELATIVE = 4, 1e-6
"""How often, and how far relatively, coordinates are moved to see how large the terms of a row are."""


@dataclass(frozen=True)
class InitialState:
    """A state that satisfies the constraints at all levels.

    Attributes
    ----------
    t : float
    q, v, vdot : ndarray (n,)
    lam : ndarray (ng,)
    psi : ndarray (nk,)
    lam_n : ndarray (nc,)
        Forces of the contacts that are closed and stay so.
    lam_t : ndarray (nt,)
        Forces of friction.
    sticks : ndarray of bool (ne,)
        Elements of friction that are closed, and stick.
    redundant : tuple of str
        Names of constraint rows that depend on others.
    """

    t: float
    q: NDArray[np.float64]
    v: NDArray[np.float64]
    vdot: NDArray[np.float64]
    lam: NDArray[np.float64]
    psi: NDArray[np.float64]
    lam_n: NDArray[np.float64]
    redundant: tuple[str, ...] = ()
    lam_t: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    sticks: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=bool))


def initial_state(
    contract: Contract, t0: float, q0, v0, project: bool = False, lam0=None, psi0=None, driven: bool = False
) -> InitialState:
    """Solve M v̇ − Bᵀμ = f, B v̇ + bias = 0 at t0, with multipliers of minimum norm where rows are redundant.

    For a force that contains the multipliers: M v̇ = f(μ), by Newton's iteration from (lam0, psi0).
    ``driven``: velocities that are zero were not given, and follow the constraints.
    """
    t, q, v = float(t0), real_vector("q0", q0), real_vector("v0", v0)
    if q.size != contract.nq or v.size != contract.nv:
        raise ShapeError(f"q0 {q.shape} and v0 {v.shape} must have the lengths {contract.nq} and {contract.nv}")
    if project:
        q = project_position(contract, t, q)
        v = project_velocity(contract, t, q, v)
    elif driven:
        v = set_going(contract, t, q, v)
    check_levels(contract, t, q, v)
    check_gaps(contract, t, q, v)
    require_inertia(contract, t, q, v)
    forces = _forces(contract, t, q, v, _guess(contract, lam0, psi0))
    vdot, mu, redundant = forces.vdot, forces.mu, forces.redundant
    if redundant:
        sentences = [*list(redundant.values())[:SENTENCES], *["..."] * (len(redundant) > SENTENCES)]
        warn(
            f"{len(redundant)} of {contract.m} constraint rows depend on the others ({'; '.join(sentences)}); "
            f"the run goes on with multipliers of minimum norm",
            RedundantConstraintsWarning,
        )
    lam, psi, lam_n = np.split(mu, [contract.ng, contract.nb])
    return InitialState(t, q, v, vdot, lam, psi, lam_n, tuple(redundant), forces.lam_t, forces.sticks)


def _forces(contract, t, q, v, guess) -> Forces:
    """Accelerations and all forces of any system.

    Where Coulomb's law has no solution (Painlevé's paradox), contacts have no forces at first: the step that follows
    finds an impulse.
    """
    paradox = None
    if contract.friction is not None:
        from genalpha.step.contact.initial import with_friction  # it needs numba

        try:
            return with_friction(contract, t, q, v)
        except ContradictoryConstraints as error:
            paradox = error
    vdot, mu, redundant = any_accelerations(contract, t, q, v, guess)
    if paradox is not None:
        vdot, mu, redundant = accelerations(contract, t, q, v)
    sticks = np.zeros(contract.friction.ne if contract.friction is not None else 0, dtype=bool)
    return Forces(vdot, mu, np.zeros(contract.nt), sticks, redundant)


def _guess(contract, lam0, psi0):
    """The multipliers to begin with, None if nothing is given."""
    if lam0 is None and psi0 is None:
        return None
    parts = []
    for name, value, size in (("lam0", lam0, contract.ng), ("psi0", psi0, contract.nk)):
        part = np.zeros(size) if value is None else real_vector(name, value)
        if part.size != size:
            raise ShapeError(f"{name} has {part.size} entries for {size} constraints")
        parts.append(part)
    return np.concatenate(parts)


def put_state(arrays, initial: InitialState, vdot, h: float):
    """What all schemes have at t0, with a = v̇0."""
    arrays.Q[Q0], arrays.V[V0], arrays.V[VDOT0], arrays.V[A_0] = initial.q, initial.v, vdot, vdot
    arrays.L[MU0] = np.concatenate([initial.lam, initial.psi, initial.lam_n])
    arrays.memory[TIME], arrays.memory[STEP_SIZE] = initial.t, h
    if arrays.F.size:
        F, K, mu, of = arrays.F, arrays.K, arrays.F[MU_T], arrays.places[OF_FRICTION, : initial.sticks.size]
        F[LAM_T0] = np.divide(initial.lam_t, mu, out=np.zeros_like(mu), where=mu > 0.0)
        K[STUCK] = 0
        K[STUCK, of] = initial.sticks


def put_units(contract: Contract, arrays, initial: InitialState):
    """How many lengths the units of coordinates, velocities and constraints are worth, by which Newton's are judged.

    A row of constraints is as long as the way that changes it by 1.
    """
    arrays.Q[Q_UNIT], arrays.V[V_UNIT] = units(contract, initial.t, initial.q)
    slope, states = np.zeros(contract.nb), {"G": (initial.q,), "K": (initial.q, initial.v)}
    for name, first in (("G", 0), ("K", contract.ng)):
        pattern = contract.patterns[name]
        values = np.abs(contract.evaluate(name, initial.t, *states[name])) / arrays.V[V_UNIT][pattern.cols]
        np.maximum.at(slope, first + pattern.rows, values)
    arrays.L[G_UNIT, : contract.nb] = 1.0 / np.where(slope > 0.0, slope, 1.0)


def put_scales(contract: Contract, arrays, initial: InitialState):
    """By what the errors of coordinates and velocities are measured."""
    from genalpha.step.sizes import keep_largest  # it needs numba

    by = weights(contract, initial.t, initial.q)
    arrays.Q[Q_WEIGHT], arrays.V[V_WEIGHT], arrays.memory[TURNS] = by.q, by.v, by.turns
    keep_largest(arrays.Q, arrays.V, contract.flat, arrays.memory)


def put_terms(contract: Contract, setup: Setup):
    """The sizes of the terms of g at the present state, by which regularised rows are judged.

    A small change of every coordinate, relative to itself, changes a row by as small a part of its terms, whatever
    their units are. Rows whose coordinates are zero take the size of others, by way of their compliances.
    """
    arrays, n, ng = setup.arrays, contract.nv, contract.ng
    t, q, random = float(arrays.memory[TIME]), arrays.Q[Q0], np.random.default_rng(1993)
    here, terms = contract.evaluate("g", t, q), np.zeros(ng)
    for _ in range(SAMPLES):
        near = q * (1.0 + RELATIVE * random.uniform(-1.0, 1.0, q.size))
        terms = np.fmax(terms, np.abs(contract.evaluate("g", t, near) - here) / RELATIVE)
    G, mass = contract.patterns["G"], masses(contract, t, q)
    mobility = np.where(mass > 0.0, 1.0 / np.where(mass > 0.0, mass, 1.0), 0.0)
    unit = np.sqrt(np.bincount(G.rows, contract.evaluate("G", t, q) ** 2 * mobility[G.cols], minlength=ng))
    largest = np.max(terms / np.where(unit > 0.0, unit, np.inf), initial=0.0)
    arrays.X[TERMS, n : n + ng] = np.maximum(terms, 1e-3 * largest * unit)


def start_contacts(contract: Contract, setup: Setup):
    """Gaps and their velocities at t0, η = λ; contact forces belong to strategy 3 of formulation PVA only."""
    arrays, nb = setup.arrays, setup.sizes.nb
    L, t0, q, v = arrays.L, float(arrays.memory[TIME]), arrays.Q[Q0], arrays.V[V0]
    L[GAP, nb:] = L[GAP0, nb:] = contract.evaluate("gap", t0, q)
    L[RATE0, nb:] = contract.rate(UNILATERAL, t0, q, v)
    if setup.scheme.strategy < 3 and (contract.nt or np.any(L[MU0, nb:])):
        vdot, mu, _ = accelerations(contract, t0, q, v)
        arrays.V[VDOT0], arrays.V[A_0], L[MU0] = vdot, vdot, mu
    if setup.scheme.strategy < 2:
        vdot = _solve(contract.matrix("M", t0, q), contract.evaluate("f", t0, q, v))
        arrays.V[VDOT0], arrays.V[A_0], L[MU0] = vdot, vdot, 0.0
    L[ETA0], L[FORCE0] = L[MU0], L[MU0]
    arrays.memory[WORST_GAP] = np.min(L[GAP, nb:], initial=np.inf)


def start_alpha(contract: Contract, setup: Setup, method: GeneralizedAlpha, h: float):
    """a = v̇(t0 + (α_m − α_f) h) for a shifted start; 001 (10) is left to the first step."""
    if method.start != "shifted":
        return
    V, L, nb = setup.arrays.V, setup.arrays.L, setup.sizes.nb
    t, q, v = shifted(contract, setup, method, h)
    if setup.scheme.strategy < 2 and contract.m:  # nothing but f moves the smooth motion
        V[A_0] = _solve(contract.matrix("M", t, q), contract.evaluate("f", t, q, v))
    else:
        V[A_0], L[ETA0], _ = accelerations(contract, t, q, v, L[MU0, nb:] > 0.0)


def start_slip(contract: Contract, setup: Setup):
    """Slip at t0, modes, η̂t = λ̂t; forces belong to strategy 3 of formulation PVA, and to Moreau-Jean's scheme."""
    arrays, nc = setup.arrays, contract.nc
    F, K = arrays.F, arrays.K
    t0, q, v, slides = float(arrays.memory[TIME]), arrays.Q[Q0], arrays.V[V0], K[WIDTH_T] > 0
    F[PLAIN_SLIP0] = contract.evaluate("slip", t0, q, v)
    F[SLIP0] = F[MU_T] * F[PLAIN_SLIP0]
    closed = closed_contacts(contract, t0, q, v)
    touches = np.concatenate([closed, np.ones(K.shape[1] - nc, dtype=bool)])
    K[LAST_MODE_B] = np.where(touches, np.where(K[STUCK] | ~slides, STICK, SLIPS), OPEN)
    K[LAST_MODE_C] = K[LAST_MODE_B]
    if setup.scheme.strategy < 3:
        F[LAM_T0], K[LAST_MODE_C] = 0.0, OPEN
    F[ETA_T0], F[FORCE_T0] = F[LAM_T0], F[LAM_T0]


def start_friction(contract: Contract, setup: Setup, method: GeneralizedAlpha, h: float):
    """`start_slip`, and η̂t of a shifted start."""
    start_slip(contract, setup)
    arrays = setup.arrays
    V, L, F = arrays.V, arrays.L, arrays.F
    t0, q, v = float(arrays.memory[TIME]), arrays.Q[Q0], V[V0]
    if method.start == "shifted" and setup.scheme.strategy == 3:
        from genalpha.step.contact.initial import resting, with_friction  # it needs numba

        rests = resting(contract, t0, q, v)
        t, q, v = shifted(contract, setup, method, h)
        later = with_friction(contract, t, q, v, L[MU0, setup.sizes.nb :] > 0.0, rests)
        V[A_0], L[ETA0] = later.vdot, later.mu
        F[ETA_T0] = np.divide(later.lam_t, F[MU_T], out=np.zeros(contract.nt), where=F[MU_T] > 0.0)


def shifted(contract: Contract, setup: Setup, method: GeneralizedAlpha, h: float):
    """(t, q, v) at t0 + (α_m − α_f) h, to second order."""
    Q, V, shift = setup.arrays.Q, setup.arrays.V, method.coefficients_used.shift * h
    v, vdot, q = V[V0], V[VDOT0], np.empty_like(Q[Q0])
    contract.evaluators.update(Q[Q0], shift * v + 0.5 * shift**2 * vdot, contract.data, q)
    return float(setup.arrays.memory[TIME]) + shift, q, v + shift * vdot


def start_soi2(contract: Contract, setup: Setup, method: SOI2, first_step, h: float):
    """f0, and M_α a_α with a_α = v̇0 or, after 001 (10), M_α a_α = (1 − α) f0 + α f1.

    f1 belongs to the first step, which is made until a_α no longer changes: ``first_step(h)`` gives a status.
    """
    arrays, shift = setup.arrays, method.coefficients_used.shift
    V, t0 = arrays.V, float(arrays.memory[TIME])
    V[F0] = _force(contract, t0, arrays.Q[Q0], V[V0], arrays.L[MU0])
    q = np.empty_like(arrays.Q[Q0])
    contract.evaluators.update(arrays.Q[Q0], shift * h * V[V0], contract.data, q)
    M = contract.matrix("M", t0 + shift * h, q, sparse=contract.nv > DENSE_LIMIT)
    V[MA_0] = M @ V[A_0]
    if method.start == "a0" or shift == 0.0:
        return
    kept = [(array, array.copy()) for array in (arrays.Q, V, arrays.L, arrays.memory, arrays.counts)]
    given, f0, a0 = V[A_0].copy(), V[F0].copy(), V[A_0].copy()
    for _ in range(50):
        status, f1 = first_step(h), V[F0].copy()
        for array, value in kept:
            array[:] = value
        a = _solve(M, (1.0 - shift) * f0 + shift * f1) if status == OK else given
        change, size = (float(np.max(V[V_UNIT] * np.abs(x))) for x in (a - a0, a))
        V[A_0], V[MA_0], a0 = a, M @ a, a
        if status != OK or change <= 1e-14 * size:  # the run will say why the first step fails
            break
        kept[1] = V, V.copy()


def _force(contract, t, q, v, mu):
    """The force with all constraint forces."""
    if contract.multipliers_in_f:
        return contract.evaluate("force", t, q, v, mu)
    force = contract.evaluate("f", t, q, v)
    for kind, own in zip(BILATERAL, np.split(mu, [contract.ng]), strict=True):
        force = force + contract.matrix(kind.gradient, t, *kind.state(q, v), sparse=contract.nv > DENSE_LIMIT).T @ own
    return force


def _solve(M, b) -> np.ndarray:
    """M⁻¹ b, or the shortest solution where M is singular.

    Masses and moments of inertia may be many powers of ten apart, and yet none of them is zero.
    """
    if isinstance(M, np.ndarray):
        size = np.sqrt(np.abs(np.diag(M)))
        scale = 1.0 / np.where(size > 0.0, size, 1.0)
        return scale * np.linalg.lstsq(scale[:, None] * M * scale, scale * b, rcond=None)[0]
    from scipy.sparse.linalg import spsolve

    return np.asarray(spsolve(M, b))

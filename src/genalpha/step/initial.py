"""Consistent initial values: v̇0, lam0, psi0, and q0, v0 projected onto the constraints if wanted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from genalpha.errors import (
    ContradictoryConstraints,
    InconsistentInitialState,
    RedundantConstraintsWarning,
    ShapeError,
    SingularMassError,
    warn,
)
from genalpha.step.accelerations import (
    DENSE_LIMIT,
    TOLERANCE,
    Forces,
    accelerations,
    any_accelerations,
    largest,
    mass_and_rows,
    require_finite,
    solve_rows,
)
from genalpha.step.scales import scales, weights
from genalpha.system.block import BILATERAL, HOLONOMIC, POSITION, UNILATERAL, VELOCITY, Block
from genalpha.system.contract import Contract
from genalpha.system.functions import real_vector

SENTENCES = 3
"""Redundant rows that a warning tells about."""


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
        q = _project_position(contract, t, q)
        v = _project_velocity(contract, t, q, v)
    elif driven:
        v = _set_going(contract, t, q, v)
    _check_levels(contract, t, q, v)
    _check_gaps(contract, t, q, v)
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


class Violation(NamedTuple):
    """A block at one level: by how much its rows are off, and by how much they may be.

    Attributes
    ----------
    block : Block
    level : str
    values, limits : ndarray
        By row.
    """

    block: Block
    level: str
    values: NDArray[np.float64]
    limits: NDArray[np.float64]

    @property
    def symbol(self) -> str:
        """What is not zero: g, ġ or k."""
        return self.block.symbol(self.level)

    @property
    def correct(self) -> str:
        """What to correct."""
        return "q0" if self.level == POSITION else "v0"


def violations(contract: Contract, t, q, v) -> list[Violation]:
    """All rows that must be zero, block by block, at the levels at which an initial state has to satisfy them."""
    size, found = scales(contract, t, q, v), []
    for kind in BILATERAL:
        for level, values in contract.levels(kind, t, q, v).items():
            moved = size.q if level == POSITION else size.v
            limits = size.of_rows(contract, kind.gradient, moved, t, *kind.state(q, v))
            if level == VELOCITY:
                limits = limits + np.abs(contract.drift(kind, t, q, v))
            limits = _limits(values, limits)
            found += [Violation(block, level, values[i], limits[i]) for block, i in contract.of_kind(kind)]
    return found


def _limits(values, sizes):
    """What rows may be off by.

    Where a row is all that its coordinates amount to, as the height of a ball at −1e-17, nothing says how large the
    system is, and it counts as 1.
    """
    return TOLERANCE * np.where(np.abs(np.abs(values) - sizes) > 1e-9 * sizes, sizes, 1.0)


def _check_levels(contract, t, q, v):
    """Refuse a state that violates g = 0, ġ = 0 or k = 0."""
    for off in violations(contract, t, q, v):
        block, value, limits = off.block, off.values, off.limits
        if not np.all(np.isfinite(value)):
            require_finite(contract, t, q, v, value)
        size = np.abs(value)
        if np.any(size > limits):
            worst = int(np.argmax(size - limits))
            if contract.describe is not None:
                raise InconsistentInitialState(*contract.describe(off.symbol, value, limits[worst], t))
            others = int(np.sum(size > limits)) - 1
            more = f" (and {others} more rows)" if others else ""
            raise InconsistentInitialState(
                f"constraint {block.names[worst]!r}: |{off.symbol}| = {size[worst]:.3g} exceeds "
                f"{limits[worst]:.1g} at t0 = {t:.9g}{more}; correct {off.correct} or ",
                "",
            )


def _check_gaps(contract, t, q, v):
    """Refuse a state in which a contact penetrates."""
    gap, size = contract.evaluate("gap", t, q), scales(contract, t, q, v)
    if not np.all(np.isfinite(gap)):
        require_finite(contract, t, q, None, gap)
    limits = _limits(gap, size.of_rows(contract, "N", size.q, t, q))
    if np.any(gap < -limits):
        worst = int(np.argmin(gap + limits))
        if contract.describe is not None:
            raise InconsistentInitialState(*contract.describe("gap", gap, limits[worst], t))
        others = int(np.sum(gap < -limits)) - 1
        more = f" (and {others} more contacts)" if others else ""
        raise InconsistentInitialState(
            f"contact {contract.row_names([UNILATERAL])[worst]!r}: gap = {gap[worst]:.3g} at t0 = {t:.9g}{more}: it "
            f"penetrates by more than {limits[worst]:.1g}; correct q0 or ",
            "",
        )


def require_inertia(contract: Contract, t, q, v):
    """Refuse a symmetric mass matrix that is negative along a motion that the constraints allow.

    Bodies have positive masses, and a mass matrix that is not symmetric belongs to equations that were combined.
    """
    if contract.nodes is not None or contract.nv > DENSE_LIMIT:
        return
    M, B = (x if isinstance(x, np.ndarray) else x.toarray() for x in mass_and_rows(contract, t, q, v))
    if not np.all(np.isfinite(M)) or largest(M - M.T) > 1e-12 * largest(M):
        return
    try:
        np.linalg.cholesky(M)
        return
    except np.linalg.LinAlgError:
        _, sizes, Z = np.linalg.svd(B) if len(B) else (None, np.zeros(0), np.eye(contract.nv))
    Z = Z[np.sum(sizes > 1e-10 * largest(sizes)) :].T
    values, motions = np.linalg.eigh(Z.T @ M @ Z)
    if values.size and values[0] < -1e-10 * largest(M):
        worst = contract.velocity_names[int(np.argmax(np.abs(Z @ motions[:, 0])))]
        raise SingularMassError(
            f"the mass matrix is negative at t = {t:.9g}: a motion of {worst!r} that the constraints allow has the "
            f"inertia {values[0]:.3g}; masses are positive. Check the signs in M"
        )


def _set_going(contract, t, q, v):
    """The nearest v that follows the constraints, if it leaves velocities alone that are not zero; else v."""
    found = violations(contract, t, q, v)
    wrong = {off.level for off in found if not np.all(np.abs(off.values) <= off.limits)}
    if wrong != {VELOCITY}:
        return v
    moved = _project_velocity(contract, t, q, v)
    limits = TOLERANCE * scales(contract, t, q, moved).v
    return moved if np.all(np.abs(moved - v)[v != 0.0] <= limits[v != 0.0]) else v


def _reach(contract, t, q, contacts):
    """What g and the gaps of ``contacts`` are relative to."""
    size = scales(contract, t, q, np.zeros(contract.nv))
    return np.concatenate(
        [size.of_rows(contract, "G", size.q, t, q), size.of_rows(contract, "N", size.q, t, q)[contacts]]
    )


def _project_position(contract, t, q0):
    """The nearest q with g = 0 and gap ≥ 0 in the metric of the mass matrix, M Δ = Gᵀν as in 002 (65d, e)."""
    contacts = np.zeros(0, dtype=np.int64)
    q = _onto(contract, t, q0, contacts)
    for _ in range(contract.nc):
        # contacts that penetrate become constraints, until none does
        gap = contract.evaluate("gap", t, q)
        limits = 1e-12 * _reach(contract, t, q, slice(None))[contract.ng :]
        penetrating = np.setdiff1d(np.nonzero(gap < -limits)[0], contacts)
        if not penetrating.size:
            break
        contacts = np.union1d(contacts, penetrating)
        q = _onto(contract, t, q0, contacts)
    return q


def _onto(contract, t, q0, contacts):
    """The nearest q with g = 0 and closed ``contacts``."""
    if not contract.ng + len(contacts):
        return q0
    q = None
    # far from q0 the nearest point may repel the iteration; then any near one will do
    for nearest in (True, False):
        q, rows = _newton_position(contract, t, q0, contacts, nearest)
        if np.all(np.abs(rows) <= TOLERANCE * _reach(contract, t, q, contacts)):
            return q
    g, gaps = np.abs(_positions(contract, t, q, contacts)), contract.row_names([UNILATERAL])
    names = contract.row_names([HOLONOMIC]) + [gaps[i] for i in contacts]
    raise ContradictoryConstraints(
        f"no position near q0 satisfies all constraints at t0 = {t:.9g}: |g| = {g.max():.3g} is left in "
        f"{names[int(np.argmax(g))]!r}; the constraints contradict one another, or q0 is too far away"
    )


def _positions(contract, t, q, contacts):
    """g, and the gaps of ``contacts``."""
    return np.concatenate([contract.evaluate("g", t, q), contract.evaluate("gap", t, q)[contacts]])


def _newton_position(contract, t, q0, contacts, nearest, max_iter=50):
    """(q, g) after Newton's iteration for g = 0 and, if ``nearest``, M Δ = Gᵀν."""
    q, total, before, by = q0.copy(), np.zeros(contract.nv), np.inf, weights(contract, t, q0)
    for _ in range(max_iter):
        g = _positions(contract, t, q, contacts)
        f = -contract.times("M", total, t, q) if nearest else np.zeros(contract.nv)
        delta = solve_rows(contract, t, q, None, f, g, contacts).x
        total = total + delta
        q = np.empty_like(q0)
        contract.evaluators.update(q0, total, contract.data, q)
        size = by.speed(delta)
        if size <= 1e-15 * by.extent(q) or size > 10.0 * before:
            break
        before = size
    return q, _positions(contract, t, q, contacts)


def _velocity_rows(contract, t, q, v):
    """ġ and k, and by how much they may be off."""
    levels = [off for off in violations(contract, t, q, v) if off.level == VELOCITY]
    return tuple(np.concatenate([getattr(off, name) for off in levels]) for name in ("values", "limits"))


def _project_velocity(contract, t, q, v0, max_iter=20):
    """The nearest v with ġ = 0 and k = 0, in the metric of the mass matrix."""
    if not contract.nb:
        return v0
    v, rest = v0, np.zeros_like(v0)
    _, first = _velocity_rows(contract, t, q, v0)
    for _ in range(max_iter):
        rows, limits = _velocity_rows(contract, t, q, v)
        if np.all(np.abs(rows) <= 1e-6 * limits):
            return v
        if np.all(limits <= 1e-12 * first) and not np.any(_velocity_rows(contract, t, q, rest)[0]):
            return rest  # nothing can move: what is left is the round-off of v0
        f = contract.times("M", v0 - v, t, q)
        v = v + solve_rows(contract, t, q, v, f, rows).x
    if np.any(np.abs(rows) > limits):
        name = contract.row_names(BILATERAL)[int(np.argmax(np.abs(rows) - limits))]
        raise ContradictoryConstraints(
            f"no velocity near v0 satisfies all constraints at t0 = {t:.9g}: {largest(rows):.3g} is left in the "
            f"velocity of {name!r}; the constraints contradict one another there, or v0 is too far away"
        )
    return v

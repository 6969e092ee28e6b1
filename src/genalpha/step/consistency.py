"""What holds at a state: how far rows of constraints are off, and what accelerations and multipliers belong to it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from genalpha.errors import (
    ContradictoryConstraints,
    InconsistentInitialState,
    NonFiniteError,
    SingularMassError,
)
from genalpha.math.one_sided import forces_that_push
from genalpha.math.saddle import Saddle, dependence_in_words, solve_saddle
from genalpha.step.scales import scales
from genalpha.system.block import BILATERAL, HOLONOMIC, POSITION, UNILATERAL, VELOCITY, Block
from genalpha.system.contract import Contract, stack

TOLERANCE = 1e-8
"""Largest |g|, |ġ|, |k| and −gap that an initial state may have, relative to the sizes of what the row depends on."""

DENSE_LIMIT = 1500
"""Above so many unknowns and constraints the linear algebra is sparse."""

SPARSE_FROM = 150
"""The same for models, whose patterns are sparse."""


class Forces(NamedTuple):
    """Accelerations at a state, and all that makes them.

    Attributes
    ----------
    vdot : ndarray (nv,)
    mu : ndarray (m,)
    lam_t : ndarray (nt,)
        Forces of friction.
    sticks : ndarray of bool (ne,)
        Elements of friction that are closed, and stick.
    redundant : dict
        Names of rows, with sentences that say what they depend on.
    """

    vdot: NDArray[np.float64]
    mu: NDArray[np.float64]
    lam_t: NDArray[np.float64]
    sticks: NDArray[np.bool_]
    redundant: dict[str, str]


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


def check_levels(contract, t, q, v):
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


def check_gaps(contract, t, q, v):
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


def accelerations(contract: Contract, t, q, v, closed=None, push=0.0):
    """(v̇, μ, redundant rows) at a state that satisfies g = 0, ġ = 0 and k = 0; 002 (38).

    Redundant rows are names with sentences that say what they depend on.
    ``closed``: which contacts count as bilateral, (nc,); ``push``: a force that is added to f.
    """
    f = contract.evaluate("f", t, q, v) + push
    bias, names, rows = contract.bias(t, q, v), contract.row_names(BILATERAL), np.zeros(0, dtype=np.int64)
    if closed is not None and np.any(closed):
        rows = np.nonzero(closed)[0]
        bias = np.concatenate([bias, contract.bias(t, q, v, [UNILATERAL])[rows]])
        contacts = contract.row_names([UNILATERAL])
        names += [contacts[int(i)] for i in rows]
    saddle = solve_rows(contract, t, q, v, f, bias, rows)
    _refuse_contradiction(contract, t, q, v, rows, saddle, names)
    mu, nb = np.zeros(contract.m), contract.nb
    mu[:nb], mu[nb + rows] = saddle.mu[:nb], saddle.mu[nb:]
    sentences = dependence_in_words(names, saddle.redundant, saddle.on, len(names))
    return saddle.x, mu, dict(zip([names[i] for i in saddle.redundant], sentences, strict=True))


def any_accelerations(contract: Contract, t, q, v, guess=None):
    """(v̇, μ, redundant rows) of any system; ``guess`` is where to look for multipliers inside a force."""
    if contract.multipliers_in_f:
        return *_nonlinear_accelerations(contract, t, q, v, guess), {}
    closed, contradiction = closed_contacts(contract, t, q, v), None
    try:
        found = accelerations(contract, t, q, v, closed)
        if np.all(found[1][contract.nb :] >= 0.0):
            return found
    except ContradictoryConstraints as error:
        contradiction = error
        if not np.any(closed):
            raise
    found = _one_sided(contract, t, q, v, np.nonzero(closed)[0])
    if found is None:
        raise contradiction or ContradictoryConstraints(f"no forces keep the contacts closed or open at t = {t:.9g}")
    return found


def _one_sided(contract, t, q, v, rows):
    """The same with contacts that push and do not pull, so that some open; None if no forces do."""
    nb, N = contract.nb, contract.matrix("N", t, q)[rows]
    moves = np.array([solve_rows(contract, t, q, v, row, np.zeros(nb)).x for row in N])
    rates = N @ accelerations(contract, t, q, v)[0] + contract.evaluate("gap_bias", t, q, v)[rows]
    force = forces_that_push(moves @ N.T, rates)
    if force is None:
        return None
    vdot, mu, redundant = accelerations(contract, t, q, v, push=force @ N)
    mu[nb + rows] = force
    return vdot, mu, redundant


def closed_contacts(contract: Contract, t, q, v):
    """Which contacts are closed and not opening at a state."""
    if not contract.nc:
        return np.zeros(0, dtype=bool)
    drift = contract.drift(UNILATERAL, t, q, v)
    rate, size = contract.times("N", v, t, q) + drift, scales(contract, t, q, v)
    limit_q = TOLERANCE * size.of_rows(contract, "N", size.q, t, q)
    limit_v = TOLERANCE * (size.of_rows(contract, "N", size.v, t, q) + np.abs(drift))
    return (contract.evaluate("gap", t, q) <= limit_q) & (np.abs(rate) <= limit_v)


def _nonlinear_accelerations(contract, t, q, v, guess):
    """(v̇, μ) with M v̇ = f(μ) and B v̇ + bias = 0, 001 sec. 6, by Newton's iteration from several starting values."""
    M, B = (x if isinstance(x, np.ndarray) else x.toarray() for x in mass_and_rows(contract, t, q, v))
    bias = contract.bias(t, q, v)
    require_finite(contract, t, q, v, M, B, bias)
    n, m = contract.nv, bias.size
    random = np.random.default_rng(2007)
    starts = [np.zeros(m), np.ones(m), -np.ones(m), *(10.0**k * random.standard_normal(m) for k in (-1, 0, 1, 2))]
    best = np.inf
    for mu in starts if guess is None else [guess]:
        x = np.concatenate([np.zeros(n), mu])
        x, size = _newton_multipliers(contract, t, q, v, M, B, bias, x)
        if size <= 1e-9:
            return x[:n], x[n:]
        best = min(best, size)
    raise InconsistentInitialState(
        f"no accelerations and multipliers satisfy M v̇ = f(t, q, v, lam, psi) and the constraints at t0 = {t:.9g}: "
        f"Newton's iteration leaves a relative residual of {best:.2g}; pass lam0 and psi0 near a solution"
    )


def _newton_multipliers(contract, t, q, v, M, B, bias, x, max_iter=50):
    """(x = (v̇, μ), relative residual) after a damped Newton iteration."""
    n = contract.nv
    size, scale, rhs = _multiplier_residual(contract, t, q, v, M, B, bias, x)
    for _ in range(max_iter):
        if not np.isfinite(size) or size <= 1e-15 * scale:
            break
        F = contract.matrix("force_mu", t, q, v, x[n:])
        if not np.all(np.isfinite(F)):
            break
        step = np.linalg.lstsq(np.block([[M, -F], [B, np.zeros((bias.size, bias.size))]]), -rhs, rcond=1e-13)[0]
        for factor in (1.0, 0.5, 0.25, 0.1, 0.03, 0.01):
            trial = x + factor * step
            trial_size, trial_scale, trial_rhs = _multiplier_residual(contract, t, q, v, M, B, bias, trial)
            if trial_size < size:
                break
        else:
            break
        x, size, scale, rhs = trial, trial_size, trial_scale, trial_rhs
    return x, size / scale if np.isfinite(size) else np.inf


def _multiplier_residual(contract, t, q, v, M, B, bias, x):
    """Largest entry of the residual and its scale, forces relative to forces and rows to rows; and the residual."""
    n = contract.nv
    f, inertia, rates = contract.evaluate("force", t, q, v, x[n:]), M @ x[:n], B @ x[:n]
    rhs = np.concatenate([inertia - f, rates + bias])
    if not np.all(np.isfinite(rhs)):
        return np.inf, 1.0, rhs
    at_zero = contract.evaluate("force", t, q, v, np.zeros(contract.m))
    force = max(map(largest, (f, inertia, at_zero))) or 1.0
    rate = max(largest(bias), largest(np.abs(B) @ np.abs(x[:n]))) or 1.0
    return max(largest(rhs[:n]) / force, largest(rhs[n:]) / rate), 1.0, rhs


def mass_and_rows(contract: Contract, t, q, v, contacts=()):
    """M and B = (G, K), dense or, for large systems, scipy.sparse; without v only B = G.

    ``contacts``: indices of contacts whose rows follow.
    """
    sparse = contract.nv + contract.nb > (DENSE_LIMIT if contract.nodes is None else SPARSE_FROM)
    kinds = (HOLONOMIC,) if v is None or not contract.nk else BILATERAL
    M, B = contract.matrix("M", t, q, sparse=sparse), contract.gradient(t, q, v, kinds, sparse=sparse)
    return M, stack([B, contract.matrix("N", t, q, sparse=sparse)[contacts]]) if len(contacts) else B


def solve_rows(contract, t, q, v, f, bias, contacts=()) -> Saddle:
    """Solve M x − Bᵀμ = f, B x + bias = 0; refuses NaN and a mass matrix that is singular where it must not be.

    ``contacts``: indices of contacts that are among the rows.
    """
    M, B = mass_and_rows(contract, t, q, v, contacts)
    require_finite(contract, t, q, v, M, f, B, bias)
    saddle = solve_saddle(M, B, f, bias)
    if saddle.idle is not None:
        share = np.abs(saddle.idle) / np.max(np.abs(saddle.idle))
        names = [contract.velocity_names[i] for i in np.sort(np.argsort(-share)[:3]) if share[i] > 0.1]
        raise SingularMassError(
            f"the mass matrix is singular at t = {t:.9g}: a motion of {', '.join(map(repr, names))} "
            f"that the constraints allow has no inertia; give it a mass, constrain it, or remove the coordinate"
        )
    return saddle


def _refuse_contradiction(contract, t, q, v, contacts, saddle: Saddle, names):
    size = np.abs(saddle.miss)
    if np.all(size <= 1e-6 * saddle.scale) or np.all(size <= _cancellation(contract, t, q, v, contacts)):
        return
    worst = int(np.argmax(size[saddle.redundant])) if saddle.redundant.size else 0
    rows = sorted({int(saddle.redundant[worst]), int(saddle.partners[worst])}) if saddle.redundant.size else []
    raise ContradictoryConstraints(
        f"the constraints contradict one another at t = {t:.9g}: {' and '.join(repr(names[i]) for i in rows)} depend "
        f"on each other but demand accelerations that differ by {size.max():.3g}; remove one of them or correct it"
    )


def _cancellation(contract, t, q, v, contacts):
    """What is left of the products of velocities in a bias where they cancel: round-off of their size, in every row.

    A shaft that turns at a constant speed has no acceleration, and nothing else to compare it with.
    """
    size = scales(contract, t, q, v)
    _, B = mass_and_rows(contract, t, q, v, contacts)
    return 1e-12 * (abs(B) @ size.v) * np.max(size.v / size.q)


def require_finite(contract, t, q, v, *values):
    values = [value if isinstance(value, np.ndarray) else value.data for value in values]
    if all(np.all(np.isfinite(value)) for value in values):
        return
    name = contract.locate(t, q, np.zeros(contract.nv) if v is None else v) if contract.locate else None
    raise NonFiniteError(
        f"{name or 'a derivative'} gives NaN or inf at t = {t:.9g}; "
        f"look at what it divides by, at square roots and logarithms, and at the initial state"
    )


def largest(x) -> float:
    return float(np.max(np.abs(x), initial=0.0))

"""From a contract and a method to the arrays of a run: scheme numbers, patterns, storage, symbolic factorisation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from genalpha.contract import Contract
from genalpha.math.blocks import block_elimination
from genalpha.math.delassus import integers, slot_elimination, slot_places, stored_values
from genalpha.math.rescue import sparse_elimination
from genalpha.math.symbolic import (
    CONTACTS,
    DENSE_LIMIT,
    DENSE_SHARE,
    KIND,
    Elimination,
    TooMuchFill,
    dense_elimination,
    static_elimination,
)
from genalpha.method import SOI2, GeneralizedAlpha, Method, MoreauJean
from genalpha.step.contact_log import N_LOG
from genalpha.step.coupled import no_coupled_system
from genalpha.step.scales import scales
from genalpha.step.state import (
    ACCELERATION,
    CONSTANT_MASS,
    CONTRACTION,
    G_UNIT,
    LAST_STEP,
    MASS,
    N_A,
    N_COUNTS,
    N_L,
    N_MATRICES,
    N_MEMORY,
    N_Q,
    N_S,
    N_SETS,
    N_V,
    N_X,
    POSITION,
    Q_UNIT,
    RESTITUTION,
    SET_A,
    SET_C,
    TANGENT_AGE,
    V_UNIT,
    VELOCITY,
    Arrays,
    Scheme,
    Sizes,
)
from genalpha.step.storage import aligned, alike_masses, blocks_ahead, by_blocks

# the sections of J
SECTIONS = ("M", "stiffness", "damping", "G", "K", "N", "force_mu")

LOG_ROWS = 4096
"""Contact events that fit into the log before it is emptied."""

SET_ITERATIONS = 4
"""Iterations of a step beyond ``max_iter`` for each contact but two: many have to change their sets more than once."""

# formulation: (level of the multipliers, positions corrected by U, velocities corrected by W)
FORMULATIONS = {
    "P": (POSITION, 0, 0),
    "V": (VELOCITY, 0, 0),
    "PV": (VELOCITY, 1, 0),
    "PVA": (ACCELERATION, 1, 1),
    "PVV": (VELOCITY, 1, 1),
    "baumgarte": (ACCELERATION, 0, 0),
}


@dataclass(frozen=True)
class Setup:
    """What a run is made of, besides the evaluators."""

    sizes: Sizes
    scheme: Scheme
    arrays: Arrays
    elimination: Elimination
    family: bool  # is it one of the generalized-α family, with the unknowns v̇, U and W?


def make_setup(contract: Contract, method: Method, state=None) -> Setup:
    """Allocate everything.

    Parameters
    ----------
    state : (t, q, v), optional
        Where to look for entries that are always zero (`occupied`); they are left out of the factorised matrices. None:
        all entries of the contract's patterns are kept.
    """
    makers = {SOI2: make_soi2, MoreauJean: make_moreau}
    scheme = makers.get(type(method), make_scheme)(contract, method)
    elimination, tables, ends = _tables(contract, scheme.augmented, occupied(contract, *state) if state else {})
    n, nb, m = contract.nv, contract.ng + contract.nk, contract.m
    flags = (contract.constant_M is not None, contract.flat, contract.scleronomic, contract.multipliers_in_f,
             contract.body_frames)  # fmt: skip
    slots = contract.candidates.count if contract.candidates is not None else 0
    stored = stored_values(elimination.plan) if slots else elimination.size + 1
    sizes = Sizes._make([n, contract.ng, nb, m, slots, stored, *ends, *map(int, flags)])
    arrays = Arrays(
        Q=np.zeros((N_Q, contract.nq)),
        V=np.zeros((N_V, n)),
        L=np.zeros((N_L, m)),
        X=np.zeros((N_X, n + m)),
        J=np.zeros(sizes.end_F),
        A=aligned(N_A, elimination.size + 1),
        memory=np.zeros(N_MEMORY),
        counts=np.zeros(N_COUNTS, dtype=np.int64),
        pivots=np.zeros((N_MATRICES, _integers(n + m, elimination.plan)), dtype=np.int64),
        plan=elimination.plan,
        S=np.ones((N_S, m), dtype=np.int64),
        log=np.zeros((LOG_ROWS + 2 * contract.nc if contract.nc else 0, N_LOG)),
        **tables,
        **no_coupled_system(),
    )
    put_sets(contract, scheme, arrays.S)
    arrays.L[MASS] = 1.0
    arrays.Q[Q_UNIT], arrays.V[V_UNIT], arrays.L[G_UNIT] = 1.0, 1.0, 1.0
    if contract.candidates is not None:
        arrays.L[MASS, m - slots :] = contract.candidates.masses(contract)
    if contract.nc:
        arrays.L[RESTITUTION, nb:] = contract.e
    if contract.constant_M is not None:
        arrays.J[: sizes.end_M] = contract.constant_M
        places, storage = arrays.Z[:2, : sizes.put_M]
        np.add.at(arrays.A[CONSTANT_MASS], storage, arrays.J[places])
        onto = slice(sizes.put_alone, sizes.put_onto)
        arrays.Z[2, onto] = alike_masses(arrays.Z[1, onto].astype(np.int64), arrays.A[CONSTANT_MASS])
    arrays.counts[TANGENT_AGE] = -1
    arrays.memory[CONTRACTION] = 1.0
    return Setup(sizes, scheme, arrays, elimination, isinstance(method, GeneralizedAlpha))


def make_scheme(contract: Contract, method: GeneralizedAlpha) -> Scheme:
    """The numbers and switches of a method."""
    c = method.coefficients_used
    level, correct_position, correct_velocity = FORMULATIONS[method.formulation]
    reuse = method.jacobian == "reuse" or (method.jacobian == "auto" and contract.numerical_tangent)
    return Scheme(
        alpha_m=c.alpha_m,
        alpha_f=c.alpha_f,
        beta=c.beta,
        gamma=c.gamma,
        tol=float(method.tol),
        rate_velocity=float(method.baumgarte[0]),
        rate_position=float(method.baumgarte[1]),
        max_iter=int(method.max_iter) + SET_ITERATIONS * min(max(contract.nc - 2, 0), 20),
        level=level,
        correct_position=correct_position if contract.ng + contract.nc else 0,
        correct_velocity=correct_velocity if contract.m else 0,
        scaling=int(method.scaling),
        augmented=int(method.augmented),
        reuse=int(reuse),
        lunk_simeon=int(method.start == "lunk-simeon"),
        baumgarte=int(method.formulation == "baumgarte"),
        adjust=1,
        r=0.0 if method.r == "auto" else float(method.r),
        strategy=2 if method.formulation == "PVV" else int(method.strategy),
        closing=int(method.criterion == "closing"),
        coupled=int(method.newton == "coupled"),
        hand_over=int(method.newton == "auto" and contract.candidates is None),
        by_residual=int(method.residuals is not None),
        watch=int(method.watch == "all"),
        theta=0.0,
        rtol=0.0,
        atol=0.0,
        h_min=0.0,
        h_max=0.0,
        impact_tol=0.0,
        pace=0.0,
        spread=0.0,
        timed=0,
        controlled=0,
        polish=0,
        **dict(zip(("tol_force", "tol_position", "tol_velocity"), method.residuals or (0.0, 0.0, 0.0), strict=True)),
    )


def make_moreau(contract: Contract, method: MoreauJean) -> Scheme:
    """The numbers and switches of the Moreau-Jean scheme: all constraints at the velocity level."""
    alike = GeneralizedAlpha(formulation="V", tol=method.tol, max_iter=method.max_iter, jacobian=method.jacobian)
    return make_scheme(contract, alike)._replace(theta=float(method.theta))


def put_sets(contract: Contract, scheme: Scheme, S):
    """The rows that are always active, by level; contacts are open at first."""
    ng, nb = contract.ng, contract.ng + contract.nk
    for first in (0, LAST_STEP):
        S[first : first + N_SETS, nb:] = 0
        S[first + SET_C, :nb] = scheme.strategy > 1
        S[first + SET_A, ng:nb] = 0


def make_soi2(contract: Contract, method: SOI2) -> Scheme:
    """The numbers and switches of SOI2: multipliers at the velocity level, (ã, μ̃) for the positions."""
    alike = GeneralizedAlpha(
        formulation="PV", tol=method.tol, max_iter=method.max_iter, jacobian=method.jacobian,
        coefficients=method.coefficients_used,
    )  # fmt: skip
    # one matrix for (ã, μ̃), with all rows
    return make_scheme(contract, alike)._replace(
        adjust=int(method.adjust), correct_position=0, correct_velocity=int(contract.ng > 0)
    )


def occupied(contract: Contract, t, q, v) -> dict[str, np.ndarray]:
    """Which entries of the contract's patterns are nonzero at generic times and states near (t, q, v).

    Functions that return dense matrices leave most entries zero. What is found here is no promise: the factorised
    matrices steer the iteration and do not enter the residuals, so a missing entry can slow a step down but not
    falsify it.
    """
    if contract.nodes is not None:
        return {}  # the patterns of models have no such entries
    random = np.random.default_rng(1993)
    found = {name: np.zeros(pattern.size, dtype=bool) for name, pattern in contract.patterns.items()}
    size = scales(contract, t, q, v)
    time = float(np.max(size.q / size.v, initial=0.0, where=size.v > 0.0))
    for scale in (1e-2, 0.1, 1.0):
        q1, v1 = (x + scale * s * random.uniform(-1.0, 1.0, x.size) for x, s in ((q, size.q), (v, size.v)))
        vdot, mu = random.standard_normal(contract.nv), random.standard_normal(contract.m)
        later = t + scale * time * random.uniform(0.5, 1.0)  # entries may be zero at t0 alone
        arguments = {"M": (q1,), "G": (q1,), "N": (q1,), "K": (q1, v1), "force_mu": (q1, v1, mu)}
        for name, places in found.items():
            with np.errstate(all="ignore"):
                try:
                    values = contract.evaluate(name, later, *arguments.get(name, (q1, v1, vdot, mu)))
                except Exception:
                    return {}  # the functions do not like generic states: keep everything
            if not np.all(np.isfinite(values)):
                return {}
            # numerical derivatives leave noise in entries that are zero
            noise = 1e-6 * np.max(np.abs(values), initial=0.0) if name in ("stiffness", "damping") else 0.0
            places |= np.abs(values) > noise
    return found


def _tables(contract, augmented, found):
    """The integer tables of `Arrays`, and the ends of their sections."""
    n, m = contract.nv, contract.m
    keep = [found.get(name, np.ones(p.size, dtype=bool)) for name, p in contract.patterns.items()]
    keep = dict(zip(contract.patterns, keep, strict=True))
    M, S, C, G, K, N, F = (contract.patterns[name] for name in SECTIONS)
    b_rows = np.concatenate([G.rows, K.rows + contract.ng, N.rows + contract.ng + contract.nk])
    b_cols = np.concatenate([G.cols, K.cols, N.cols])
    b_keep = np.concatenate([keep["G"], keep["K"], keep["N"]])
    square = [(p.rows, p.cols) for p in (M, S, C)]
    kept = [(p.rows[k], p.cols[k]) for p, k in ((M, keep["M"]), (S, keep["stiffness"]), (C, keep["damping"]))]
    first, second = _pairs(G) if augmented else (np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
    kept.append((G.cols[first], G.cols[second]))
    kept.append((b_rows[b_keep] + n, b_cols[b_keep]))
    kept.append((b_cols[b_keep], b_rows[b_keep] + n))
    f_keep = keep["force_mu"]
    kept.append((F.rows[f_keep], F.cols[f_keep] + n))
    kept.append((np.arange(n + m), np.arange(n + m)))
    rows, cols = (np.concatenate(index) for index in zip(*kept, strict=True))
    slots = contract.candidates
    n_base = n + m - (slots.count if slots else 0)  # rows of slots have places of their own
    inner = (rows < n_base) & (cols < n_base)
    keys = np.unique(rows[inner] * n_base + cols[inner])
    elimination = _eliminate(n, n_base - n, keys, contract.nodes)
    T = np.concatenate([*square, (b_rows, b_cols), (F.rows, F.cols)], axis=1)
    places = np.nonzero(np.concatenate([keep[name] for name in SECTIONS]))[0]
    end_M, end_S, end_C, end_G, end_K, end_B, end_F = np.cumsum([p.size for p in (M, S, C, G, K, N, F)]).tolist()
    r, c = T[:, places]
    below, right = np.where((places >= end_C) & (places < end_B), n, 0), np.where(places >= end_B, n, 0)
    at, inside = elimination.position, r + below < n_base
    i, j = (r + below)[inside], (c + right)[inside]
    Z = np.array([places, 0 * places, 0 * places, r])
    Z[1, inside], Z[2, inside] = at(i, j), at(j, i)
    i, j = np.divmod(keys, n_base)
    E, own_rows = np.array([i, j, at(i, j)]), (i == j) & (i >= n)
    E, diagonals = E[:, ~own_rows], E[:, own_rows]  # those of constraint rows come last
    if slots:
        elimination = slot_elimination(
            elimination, n_base, slots.count, slots.width, slots.columns(n_base), slots.order
        )
        own, transposed, diagonal = slot_places(elimination.plan)
        Z[1, ~inside], Z[2, ~inside] = own, transposed
        i, j = r[~inside] + n, c[~inside]
        every = np.arange(n_base, n + m)
        E = np.concatenate([E, [i, j, own], [j, i, transposed]], axis=1)
        diagonals = np.concatenate([diagonals, [every, every, diagonal]], axis=1)
    pairs = np.array([first + end_C, second + end_C, at(G.cols[first], G.cols[second])])
    Z, put = by_blocks(
        Z, np.searchsorted(places, [end_M, end_S, end_C, end_B]), elimination.plan, contract.constant_M is not None
    )
    on_diagonal = np.nonzero(T[0, :end_C] == T[1, :end_C])[0]
    put += (Z.shape[1] + np.searchsorted(on_diagonal, [0, end_M, end_S, end_C])).tolist()
    Z = np.concatenate([Z, [on_diagonal, *np.zeros((3, on_diagonal.size), dtype=np.int64)]], axis=1)
    T = np.concatenate([T, blocks_ahead(M, S, C, G, K, N, F)[None]])
    tables = {"T": T, "Z": Z, "E": np.concatenate([E, diagonals], axis=1), "pairs": pairs}
    tables = {name: np.ascontiguousarray(table, dtype=np.uint32) for name, table in tables.items()}
    return elimination, tables, (end_M, end_S, end_C, end_G, end_K, end_B, end_F, *put)


def _eliminate(n, m, keys, nodes) -> Elimination:
    """By blocks where unknowns come in nodes; dense where that is quicker, else static sparse.

    SuperLU where the fill is too large for a plan.
    """
    size = n + m
    rows, cols = np.divmod(keys, size)
    try:
        if nodes is not None:
            return block_elimination(size, rows, cols, n, nodes[:size])
        sparse = static_elimination(size, rows, cols, n)
    except TooMuchFill:
        return sparse_elimination(size, keys)
    if size <= DENSE_LIMIT and sparse.operations > DENSE_SHARE * size**3 / 3:
        return dense_elimination(size)
    return sparse


def _integers(n, plan):
    """How many integers a factorisation keeps."""
    return integers(plan) if plan[KIND] == CONTACTS else n


def _pairs(G):
    """All pairs of entries of G in the same row."""
    first, second = [], []
    for row in np.unique(G.rows):
        entries = np.nonzero(G.rows == row)[0]
        first.append(np.repeat(entries, entries.size))
        second.append(np.tile(entries, entries.size))
    if not first:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    return np.concatenate(first), np.concatenate(second)

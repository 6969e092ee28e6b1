"""From a contract and a method to the arrays of a run: scheme numbers, patterns, storage, symbolic factorisation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_type_hints

import numpy as np

from genalpha.math.coulomb import work_size
from genalpha.math.coulomb_tables import N_ELEMENT, N_NUMBER
from genalpha.math.delassus import integers, stored_values
from genalpha.math.plan import (
    CONTACTS,
    KIND,
    Elimination,
)
from genalpha.method import Method
from genalpha.step.integrator import integrator_of
from genalpha.step.scales import scales
from genalpha.step.state import (
    BOUND,
    CONSTANT_MASS,
    CONTRACTION,
    FIRST_T,
    FORCE_PER_CHANGE,
    G_UNIT,
    LAST_STEP,
    MASS,
    MU_T,
    N_A,
    N_COUNTS,
    N_F,
    N_K,
    N_L,
    N_MATRICES,
    N_MEMORY,
    N_P,
    N_PLACES,
    N_Q,
    N_R,
    N_S,
    N_SETS,
    N_V,
    N_X,
    OF_FRICTION,
    Q_UNIT,
    RESTITUTION,
    SET_A,
    SET_C,
    STATIC,
    TANGENT_AGE,
    TANGENTIAL_E,
    V_UNIT,
    WIDTH_T,
    Arrays,
    Scheme,
    Sizes,
)
from genalpha.step.tables import aligned, alike_masses, make_tables
from genalpha.system.block import ALL_KINDS
from genalpha.system.contact_log import N_LOG
from genalpha.system.contract import Contract

# the fields of `Sizes` that say where sections of J and of Z end
ENDS = Sizes._fields[Sizes._fields.index("end_M") : Sizes._fields.index("diagonal_C") + 1]
SCHEME_TYPES = tuple(get_type_hints(Scheme).values())

LOG_ROWS = 4096
"""Contact events that fit into the log before it is emptied."""


@dataclass(frozen=True)
class Setup:
    """What a run is made of, besides the evaluators."""

    sizes: Sizes
    scheme: Scheme
    arrays: Arrays
    elimination: Elimination
    family: bool  # has it the unknowns v̇, U and W? `Integrator.is_of_family`


def make_setup(contract: Contract, method: Method, state=None) -> Setup:
    """Allocate everything.

    Parameters
    ----------
    state : (t, q, v), optional
        Where to look for entries that are always zero (`occupied`); they are left out of the factorised matrices. None:
        all entries of the contract's patterns are kept.
    """
    integrator = integrator_of(method, contract.nc > 0, contract.friction is not None)
    scheme = typed(integrator.numbers(contract))
    elimination, tables, ends = make_tables(contract, scheme.augmented, occupied(contract, *state) if state else {})
    n, nb, m = contract.nv, contract.nb, contract.m
    slots = contract.candidates.count if contract.candidates is not None else 0
    stored = stored_values(elimination.plan) if slots else elimination.size + 1
    sizes = Sizes(
        nv=n, ng=contract.ng, nb=nb, m=m, slots=slots, stored=stored, **dict(zip(ENDS, ends, strict=True)),
        constant_M=int(contract.constant_M is not None), flat=int(contract.flat),
        scleronomic=int(contract.scleronomic), multipliers_in_f=int(contract.multipliers_in_f),
        body_frames=int(contract.body_frames), nt=contract.nt,
        ne=contract.nc + contract.friction.nd if contract.friction is not None else 0,
    )  # fmt: skip
    arrays = _allocate(contract, sizes, elimination, tables)
    put_sets(contract, scheme, arrays.S)
    _fill(contract, sizes, arrays)
    return Setup(sizes, scheme, arrays, elimination, integrator.is_of_family)


def _allocate(contract: Contract, sizes: Sizes, elimination: Elimination, tables) -> Arrays:
    """All arrays of a run; zeros, but for the tables."""
    n, m = sizes.nv, sizes.m
    return Arrays(
        Q=np.zeros((N_Q, contract.nq)),
        V=np.zeros((N_V, n)),
        L=np.zeros((N_L, m)),
        X=np.zeros((N_X, n + m)),
        J=np.zeros(sizes.end_T),
        A=aligned(N_A, elimination.size + 1),
        memory=np.zeros(N_MEMORY),
        counts=np.zeros(N_COUNTS, dtype=np.int64),
        pivots=np.zeros((N_MATRICES, _integers(n + m, elimination.plan)), dtype=np.int64),
        plan=elimination.plan,
        S=np.ones((N_S, m), dtype=np.int64),
        log=np.zeros((LOG_ROWS + 2 * contract.nc if contract.nc else 0, N_LOG)),
        **tables,
        **_no_coupled_system(),
        **_contact_problem(sizes, contract.nc),
    )


def _no_coupled_system() -> dict[str, np.ndarray]:
    """Empty arrays: the coupled system is made when it is wanted."""
    return {
        "Y": np.zeros((4, 0), dtype=np.uint32),
        "A3": np.zeros((1, 0)),
        "X3": np.zeros((N_X, 0)),
        "pivots3": np.zeros((1, 0), dtype=np.int64),
        "plan3": np.zeros(0, dtype=np.uint32),
    }


def _contact_problem(sizes: Sizes, nc: int) -> dict[str, np.ndarray]:
    """What runs with friction have besides; empty without it."""
    ne, rows = sizes.ne, nc + sizes.nt if sizes.ne else 0
    return {
        "F": np.zeros((N_F, sizes.nt)),
        "R": np.zeros((N_R, ne)),
        "K": np.zeros((N_K, ne), dtype=np.int64),
        "C": np.zeros((rows + 1 if rows else 0, sizes.nv + sizes.m)),
        "D": np.zeros((rows, rows)),
        "P": np.zeros((N_P, rows)),
        "places": np.zeros((N_PLACES, rows), dtype=np.int64),
        "elements": np.zeros((ne, N_ELEMENT), dtype=np.int64),
        "numbers": np.zeros((ne, N_NUMBER)),
        "work": np.zeros(work_size(rows, ne) if rows else 0),
    }


def _put_friction(contract: Contract, arrays: Arrays):
    """Coefficients, and which rows belong to which element: all contacts, then those of dry friction."""
    friction, nc = contract.friction, contract.nc
    if friction is None:
        return
    F, R, K = arrays.F, arrays.R, arrays.K
    of = np.where(friction.is_dry, nc + np.cumsum(friction.is_dry) - 1, friction.contact)
    dry = np.repeat(friction.is_dry, friction.widths)
    F[MU_T], R[STATIC] = np.where(dry, 1.0, friction.mu), 1.0
    R[STATIC, of], R[TANGENTIAL_E, of] = friction.static, friction.e_t
    R[BOUND, of[friction.is_dry]] = friction.mu[dry]
    K[FIRST_T, of] = friction.first[:-1]
    slides = np.add.reduceat(friction.mu, friction.first[:-1]) > 0.0  # what has no friction is left alone
    K[WIDTH_T, of] = np.where(slides | friction.is_dry, friction.widths, 0)
    arrays.places[OF_FRICTION, : friction.ne] = of


def _fill(contract: Contract, sizes: Sizes, arrays: Arrays):
    """What does not change in a run: units, restitution, masses of pairs, a constant mass matrix."""
    arrays.L[MASS] = 1.0
    arrays.Q[Q_UNIT], arrays.V[V_UNIT], arrays.L[G_UNIT] = 1.0, 1.0, 1.0
    if contract.candidates is not None:
        arrays.L[MASS, sizes.m - sizes.slots :] = contract.candidates.masses(contract)
    if contract.nc:
        arrays.L[RESTITUTION, sizes.nb :] = contract.e
    _put_friction(contract, arrays)
    if contract.constant_M is not None:
        arrays.J[: sizes.end_M] = contract.constant_M
        places, storage = arrays.Z[:2, : sizes.put_M]
        np.add.at(arrays.A[CONSTANT_MASS], storage, arrays.J[places])
        onto = slice(sizes.put_alone, sizes.put_onto)
        arrays.Z[2, onto] = alike_masses(arrays.Z[1, onto].astype(np.int64), arrays.A[CONSTANT_MASS])
    arrays.counts[TANGENT_AGE] = -1
    arrays.memory[CONTRACTION], arrays.memory[FORCE_PER_CHANGE] = 1.0, np.inf


def typed(scheme: Scheme) -> Scheme:
    """With numbers of the types that compiled code is made for."""
    return Scheme(*(kind(value) for kind, value in zip(SCHEME_TYPES, scheme, strict=True)))


def put_sets(contract: Contract, scheme: Scheme, S):
    """The rows that are always active, by level; contacts are open at first."""
    ng, nb = contract.ng, contract.nb
    for first in (0, LAST_STEP):
        S[first : first + N_SETS, nb:] = 0
        S[first + SET_C, :nb] = scheme.strategy > 1
        S[first + SET_A, ng:nb] = 0


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
        arguments = {"M": (q1,), "force_mu": (q1, v1, mu), **{kind.gradient: kind.state(q1, v1) for kind in ALL_KINDS}}
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


def _integers(n, plan):
    """How many integers a factorisation keeps."""
    return integers(plan) if plan[KIND] == CONTACTS else n

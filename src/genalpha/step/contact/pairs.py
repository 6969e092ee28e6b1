"""Pairs of bodies in contact that change while a run goes on: from the broad phase to the arrays of a run."""

from __future__ import annotations

import numpy as np

from genalpha.step.state import GAP0, IMPULSE, LAST_STEP, MASS, N_SETS, Q0, RATE0, RESTITUTION, STEP_SIZE, TIME, V0
from genalpha.system.contact_log import contacts_of


def renew_pairs(run) -> bool:
    """Find the pairs at the state of a run, for a step in which a body went further than they allow.

    If they are those of this state already, the skin is made wider; False if that does not help.
    """
    candidates, arrays = run.contract.candidates, run.setup.arrays
    q, v, first = arrays.Q[Q0], arrays.V[V0], run.contract.m - candidates.count
    if not candidates.is_fresh(q):
        candidates.wider = 1.0
    elif candidates.wider < 8.0:
        candidates.wider *= 2.0
    else:
        return False
    # sets of the step that failed
    arrays.S[:N_SETS] = arrays.S[LAST_STEP : LAST_STEP + N_SETS]
    impulse = np.abs(arrays.L[IMPULSE, first:])
    busy = np.any(arrays.S[:N_SETS, first:] == 1, axis=0) | (impulse > 1e-12 * impulse.max(initial=0.0))
    log = candidates.find(run.time, q, float(arrays.memory[STEP_SIZE]) * candidates.largest(v), busy)
    fresh = contacts_of(log) + run.contract.nb
    put_tables(run.contract, run.setup)
    reset(run.contract, run.setup, fresh, float(arrays.memory[TIME]), q, v)
    run.empty_log()
    run.log.append(log)
    return True


def reset(contract, setup, rows, t, q, v):
    """Slots that hold another pair have no past, but for the gap and its velocity."""
    L, S, nb = setup.arrays.L, setup.arrays.S, contract.nb
    restitution = L[RESTITUTION, rows]
    L[:, rows], S[:, rows] = 0.0, 0
    L[RESTITUTION, rows] = restitution
    L[MASS, L.shape[1] - contract.candidates.count :] = contract.candidates.masses(contract)
    rate = contract.times("N", v, t, q) + contract.evaluate("gap_t", t, q)
    L[RATE0, rows], L[GAP0, rows] = rate[rows - nb], contract.evaluate("gap", t, q)[rows - nb]


def put_pairs(contract, setup, vector):
    """Pairs that were stored."""
    contract.candidates.restore(vector)
    put_tables(contract, setup)


def put_tables(contract, setup):
    """The columns of the slots in all tables of a run."""
    from genalpha.math.delassus import put_slots

    arrays, candidates, sizes = setup.arrays, contract.candidates, setup.sizes
    n_base = sizes.nv + sizes.m - candidates.count
    columns = candidates.cols.ravel()
    arrays.T[1, sizes.end_B - columns.size : sizes.end_B] = columns
    first = arrays.E.shape[1] - sizes.m - 2 * columns.size
    arrays.E[1, first : first + columns.size] = columns
    arrays.E[0, first + columns.size : first + 2 * columns.size] = columns
    put_slots(arrays.plan, candidates.columns(n_base), candidates.order)

"""A step that failed: what is tried, and what is said when nothing helps."""

from __future__ import annotations

import numpy as np

from genalpha.errors import ConvergenceError, NonFiniteError, SingularityError, StepError, TooManySteps
from genalpha.run.causes import advice, drift, haste, is_regular, ran_away, singularity, undamped
from genalpha.step.contact.pairs import put_pairs
from genalpha.step.initial import put_terms
from genalpha.step.schedule import Control
from genalpha.step.state import (
    A_HERE,
    ENDING,
    ERROR,
    FIRST_T,
    FORCE0,
    FORCE_T0,
    IMPULSE,
    IMPULSE_T,
    LAM_T1,
    MODE_B,
    MU0,
    MU1,
    MU_T,
    N_SETS,
    NEXT_STEP,
    NOT_FINITE,
    OF_ROW,
    OF_VELOCITY,
    OK,
    POSITION,
    Q0,
    Q1,
    Q_UNIT,
    REGULARISED,
    REJECTED_ERROR,
    REJECTED_IMPACT,
    REJECTED_NEWTON,
    RESTART,
    SINGULAR,
    STAR,
    STEP_SIZE,
    STEPS,
    TANGENT_AGE,
    TERMS,
    TOO_SMALL,
    V0,
    V1,
    V_UNIT,
    WIDTH_T,
    WORST_LEVEL,
    WORST_PLACE,
)
from genalpha.system.block import HOLONOMIC
from genalpha.system.contact_log import IMPACT, LOG_IMPULSE, LOG_TANGENT, contacts_of, of_kind

AROUND = (0.05, 0.25, 0.5, -0.25, -0.5)
"""How much earlier a step ends that would end where constraints lose rank, or later, over its size: tried in turn."""

CRAWL = 5000
"""So many steps tell whether a run will arrive."""


def recover(run, status, times, steps):
    """Make a step that failed once more, or raise an exception that says why it fails.

    Tried in this order: all entries of the matrices, pivoting, regularised rows where some depend on others; then
    shorter steps, which error control chooses freely, and which are parts of the step where steps are given (with
    contacts); with constraints and without contacts the step ends a little earlier, or later, and the next one begins
    there; if it is the last one it ends a little later.
    ``times`` and ``steps`` are those of this step and, if there is one, of the next.
    """
    controlled = isinstance(run.schedule, Control)
    if status == TOO_SMALL:
        _fail_too_small(run)
    if not controlled:
        _require_finite(run, float(times[0]), float(steps[0]))
    if run.thinned:
        keep_all_entries(run)
        if controlled:
            return
        status = _attempt(run, times[:1], steps[:1], run.compiled, run.linear)
    following, times, steps = (times, steps), times[:1], steps[:1]
    counts, singular = run.setup.arrays.counts, status == SINGULAR
    regularised = counts[REGULARISED]
    dependent = rows_depend(run, float(times[0]), float(steps[0]), singular)
    if singular and not run.pivoted:
        run.rescues += 1
        status = _attempt(run, times, steps, False, run.superlu)
    if status != OK and dependent and not counts[REGULARISED]:
        status = _regularised(run, times, steps)
    if controlled:
        _shorten(run, status, float(times[0]))
        return
    if status != OK and run.contract.nc:
        status = _divide(run, status, float(times[0]), float(steps[0]))
        dependent = status != OK and rows_depend(run, float(times[0]), float(steps[0]), status == SINGULAR)
        if dependent and not run.setup.arrays.counts[REGULARISED]:  # contacts that close in a part of it
            status = _regularised(run, times, steps)
            if status != OK:
                status = _divide(run, status, float(times[0]), float(steps[0]))
    constrained = run.contract.m > 0 and run.contract.nc == 0
    if status != OK and constrained and (following[0].size > 1 or run.steps_made == run.schedule.n - 1):
        counts[REGULARISED], before = regularised, run.steps_made
        status = _step_around(run, *following)
        times, steps = (values[run.steps_made - before :] for values in following)
    if status != OK:
        _fail(run, status, float(times[0]), float(steps[0]))


def _step_around(run, times, steps):
    """Two steps that meet earlier or later, by a part of a step; gives the status of the last attempt.

    Where constraints lose rank for an instant, as those of a linkage that folds, no solution lies near the end of a
    step that ends just there; on both sides of it there is one. The last step of all goes further.
    """
    before, status = run.steps_made, OK
    for part in AROUND if steps.size > 1 else [part for part in AROUND if part > 0.0]:
        early = part * float(steps[0])
        shift, change = np.array([[early, 0.0], [early, -early]] if steps.size > 1 else [[-early], [-early]])
        status = _attempt(run, times - shift, steps - change, run.compiled, run.linear)
        if status == OK or run.steps_made > before:
            break
    run.retries += int(status == OK)
    return status


def _attempt(run, times, steps, compiled, linear, every=None):
    """The status after some steps, with all they ask for; ``every`` is how often rows are recorded."""
    begin = run.steps_made
    status = run.chunk(times, steps, compiled, linear, every)
    while run.serve(status):
        if not run.compiled:  # the coupled system may have been too large for compiled code
            compiled, linear = False, run.superlu if linear is run.superlu else run.linear
        made = run.steps_made - begin
        status = run.chunk(times[made:], steps[made:], compiled, linear, every)
    return status


def rows_depend(run, t1, h, singular) -> bool:
    """Do rows depend on one another at the last iterate, with the contacts that are closed there at any level?

    Then no choice among contacts settles: each of several solutions lets another one go. A singular matrix tells it
    where no contacts are closed. Where some are, it may be that of an iterate that has run away, which happens or not
    by round-off, while contacts that depend on one another obey another law of impact for the rest of the run: there
    the rows are looked at. Slots are regularised anyway.
    """
    from genalpha.math.saddle import independent_rows

    contract, arrays = run.contract, run.setup.arrays
    q, v, nb = arrays.Q[Q1], arrays.V[V1], contract.nb
    active = np.any(arrays.S[:N_SETS, nb:] == 1, axis=0)
    if not np.any(active) or contract.candidates is not None:
        return singular and contract.m > 0
    if not np.all(np.isfinite(q)) or ran_away(run, h):
        return False
    rows = [contract.matrix("G", t1, q), contract.matrix("K", t1, q, v), contract.matrix("N", t1, q)[active]]
    B = np.vstack(rows)
    return bool(np.all(np.isfinite(B)) and independent_rows(B)[1].size)


def _regularised(run, times, steps):
    """The status with regularised rows, from now on."""
    run.setup.arrays.counts[REGULARISED] = 1
    put_terms(run.contract, run.setup)
    return _attempt(run, times, steps, run.compiled, run.linear)


def _next_attempt(run, h) -> float:
    """Size of the attempt after a step of size h that did not converge: a quarter of it.

    Where constraints lose rank for an instant, as those of a linkage that folds, no step converges that ends near it,
    but one that ends behind does. So after some short steps one as long as the first that failed is tried again.
    """
    size, until, tried_at = run.struggle
    if run.time > until:
        run.struggle = (h, run.time + 4.0 * h, run.time)
        return 0.25 * h
    if run.contract.m and not run.contract.nc and h < size and run.time > tried_at:
        run.struggle = (size, until, run.time)
        return size
    before = float(run.setup.arrays.memory[STEP_SIZE])
    return 0.25 * (min(h, before) if run.steps_made else h)


def _shorten(run, status, t_end):
    """A shorter step for the next attempt, if it may be that short."""
    from genalpha.step.control import next_step

    if status in (OK, ENDING):
        return
    arrays = run.setup.arrays
    t1, h = next_step(run.setup.scheme, arrays.memory, t_end)
    if status == TOO_SMALL:
        _fail_too_small(run)
    if status != RESTART:
        if h <= run.schedule.h_min * (1.0 + 1e-9):
            _fail(run, status, float(t1), float(h))
        arrays.counts[REJECTED_NEWTON] += 1
        arrays.memory[NEXT_STEP] = max(_next_attempt(run, h), run.schedule.h_min)
    if run.steps_made == 0:
        run.begin_again()


def _divide(run, status, t1, h):
    """One step as 2, 4, ... 32 shorter ones; gives the status of the last attempt whose iterates did not overflow."""
    run.empty_log()  # events of parts that fail later are dropped
    arrays, n_events = run.setup.arrays, len(run.log)
    names = ("Q", "V", "L", "S", "F", "R", "K", "memory", "counts")
    kept = {name: getattr(arrays, name).copy() for name in names}
    pairs = run.contract.candidates and run.contract.candidates.vector()
    last, told, never = kept, NOT_FINITE, np.iinfo(np.int64).max
    for parts in (2, 4, 8, 16, 32):
        steps = np.full(parts, h / parts)
        times = t1 - h + np.cumsum(steps)
        times[-1] = t1
        # the parts count as one step, and only its end is saved
        status = _attempt(run, times, steps, run.compiled, run.linear, never)
        arrays = run.setup.arrays
        if status == OK:
            run.retries += 1
            arrays.counts[STEPS] = kept["counts"][STEPS] + 1
            _mean_forces(run, kept, n_events, h)
            if arrays.counts[STEPS] % run.output.loop_every == 0:
                run.write_row(run.rows, run.buffered - 1)
            return OK
        if status != NOT_FINITE or told == NOT_FINITE:
            last, told = {name: getattr(arrays, name).copy() for name in names}, status
        if pairs is not None:
            put_pairs(run.contract, run.setup, pairs)
        for name, value in kept.items():
            getattr(arrays, name)[:] = value
        del run.log[n_events:]
    # what the message is about: the new rows, not the state
    for name, rows in (("Q", slice(Q1, None)), ("V", slice(A_HERE, None)), ("L", slice(MU1, STAR)),
                       ("S", slice(N_SETS)), ("F", slice(LAM_T1, None)), ("K", slice(MODE_B, None))):  # fmt: skip
        getattr(arrays, name)[rows] = last[name][rows]
    return told


def _mean_forces(run, before, n_events, h):
    """Forces of contacts and friction of a divided step: impulses of its parts, less those of impacts, over its length.

    ``before``: arrays by their names.
    """
    run.empty_log()
    arrays, nb = run.setup.arrays, run.contract.nb
    L, F, K = arrays.L, arrays.F, arrays.K
    impulses = L[IMPULSE, nb:] - before["L"][IMPULSE, nb:]
    hits = of_kind(np.concatenate(run.log[n_events:]), IMPACT)
    contacts = contacts_of(hits)
    np.subtract.at(impulses, contacts, hits[:, LOG_IMPULSE])
    L[FORCE0, nb:] = np.maximum(impulses, 0.0) / h
    F[FORCE_T0] = (F[IMPULSE_T] - before["F"][IMPULSE_T]) / h
    for e, jump in zip(contacts if F.size else (), hits[:, LOG_TANGENT:], strict=False):
        own = slice(K[FIRST_T, e], K[FIRST_T, e] + K[WIDTH_T, e])
        F[FORCE_T0, own] -= jump[: K[WIDTH_T, e]] / F[MU_T, own] / h


def keep_all_entries(run):
    """New arrays with the full patterns; the state moves over."""
    old = run.setup.arrays
    run.allocate(None)
    new = run.setup.arrays
    for source, target in (
        (old.Q, new.Q), (old.V, new.V), (old.L, new.L), (old.J, new.J), (old.S, new.S), (old.log, new.log),
        (old.F, new.F), (old.R, new.R), (old.K, new.K),
    ):  # fmt: skip
        target[:] = source
    new.memory[:], new.counts[:], new.X[TERMS] = old.memory, old.counts, old.X[TERMS]
    new.counts[TANGENT_AGE] = -1


def require_sense(run):
    """Refuse to go on with a run of formulation P whose velocities have left the constraints.

    P holds positions only. Where steps are too long, velocities alternate and grow from step to step, which neither
    Newton's iteration nor the estimate of errors sees. Those of a sound run miss ġ = 0 by O(h²).
    """
    contract, arrays = run.contract, run.setup.arrays
    if not contract.ng or run.setup.scheme.level != POSITION:
        return
    t, q, v = run.time, arrays.Q[Q0].copy(), arrays.V[V0].copy()
    pattern, values = contract.patterns["G"], contract.evaluate("G", t, q)
    drift = contract.evaluate("g_t", t, q)
    rates = pattern.times(values, v, contract.ng) + drift
    # where all stands still for a moment, the speeds of the steps before count
    speeds = np.maximum(
        np.abs(v), np.abs(run.rows.v[: run.buffered]).max(axis=0, initial=0.0) if run.rows.v.size else 0.0
    )
    speeds += 1e-6 * np.abs(arrays.Q[Q_UNIT] * q).max() / (arrays.memory[STEP_SIZE] * arrays.V[V_UNIT])
    sizes = np.bincount(pattern.rows, weights=np.abs(values) * speeds[pattern.cols], minlength=contract.ng)
    worst = int(np.argmax(np.abs(rates) - 0.5 * sizes))
    if not np.abs(rates[worst]) <= 0.5 * sizes[worst] + np.abs(drift).max():
        name = contract.row_names([HOLONOMIC])[worst]
        raise ConvergenceError(
            f"at t = {t:.9g} the velocities have left the constraints: d/dt of {name!r} is "
            f"{rates[worst]:.3g}. {undamped(run)}The steps are too long for formulation P, which holds positions only; "
            f'take a smaller h or rtol, or formulation "PVA"'
        )


def require_progress(run) -> int:
    """How many steps may be made before this is asked again; raises if there are none left, or if it would take ages.

    A run whose last `CRAWL` steps, at their pace, leave a thousand times ``max_steps`` to be made will not arrive.
    """
    control, made = run.schedule, run.steps_made
    if made >= control.max_steps:
        _fail_too_many(run, f"{made} steps were made, max_steps = {control.max_steps}, and t = {control.t1:.9g} is not")
    before, since = run.mark_of_progress
    if made - before >= CRAWL:
        pace = (run.time - since) / (made - before)
        if control.t1 - run.time > 1e3 * control.max_steps * pace:
            left = (control.t1 - run.time) / pace
            _fail_too_many(run, f"steps have become so short that {left:.1g} more would be needed; the end is not")
        run.mark_of_progress = made, run.time
    return min(control.max_steps - made, CRAWL)


def _fail_too_many(run, what):
    """Say where the run is, how long its steps are, and what keeps them short."""
    arrays = run.setup.arrays
    _require_regular(run, f"the step has come down to {arrays.memory[STEP_SIZE]:.3g}")
    counts = arrays.counts
    reasons = {
        REJECTED_ERROR: f"the error of {_worst(run)}",
        REJECTED_IMPACT: "contacts that close",
        REJECTED_NEWTON: "Newton's iteration, which does not converge in longer ones",
    }
    most = max(reasons, key=lambda place: int(counts[place]))
    raise TooManySteps(
        f"{what} reached: at t = {run.time:.9g} the step is {arrays.memory[STEP_SIZE]:.3g}. What keeps it short is "
        f"{reasons[most]} ({counts[REJECTED_ERROR]} steps were repeated for errors, {counts[REJECTED_IMPACT]} for "
        f"impacts, {counts[REJECTED_NEWTON]} for Newton's iteration). {undamped(run)}Take a larger rtol or max_steps, "
        f"smooth what varies fast, or give a step size h"
    )


def _worst(run) -> str:
    """What the largest error is one of, in words."""
    counts, contract = run.setup.arrays.counts, run.contract
    place, level = int(counts[WORST_PLACE]), int(counts[WORST_LEVEL])
    if level == OF_ROW:
        return f"the prescribed motion of {contract.row_names()[place]!r}"
    names = contract.velocity_names
    name = repr(names[place]) if place < len(names) else f"number {place}"
    return f"the {'velocity' if level == OF_VELOCITY else 'position'} of coordinate {name}"


def _require_finite(run, t1, h):
    """Name the user function that gives NaN or inf at the last iterate or at the step's beginning, if one does."""
    arrays, locate = run.setup.arrays, run.contract.locate
    Q, V, L = arrays.Q, arrays.V, arrays.L
    name = locate and (locate(t1, Q[Q1], V[V1], L[MU1]) or locate(t1, Q[Q0], V[V0], L[MU0]))
    if name:
        raise NonFiniteError(
            f"{name} gives NaN or inf at t = {t1:.9g} ({_where(run, t1, h)}); "
            f"look at what it divides by, at square roots and logarithms, or take a smaller h"
        )


def _where(run, t1, h):
    return f"step {run.steps_made + 1} to t = {t1:.9g} with h = {h:.3g}"


def _require_regular(run, where):
    """Say so if the state is one that no step leaves."""
    if reason := singularity(run):
        raise SingularityError(f"{where}: {reason}")


def _fail(run, status, t1, h):
    from genalpha.step.diagnose import describe_failure, nonfinite_rate

    _require_finite(run, t1, h)
    where = _where(run, t1, h)
    _require_regular(run, where)
    if status == NOT_FINITE:
        what = nonfinite_rate(run.contract, run.setup, t1) or "the iteration overflows"
        raise NonFiniteError(f"{where}: {what}.{haste(run, h)} {advice(run, 'look at the forces and gaps')}")
    text = describe_failure(run.contract, run.setup, t1, h)
    last = "check the derivatives with ga.check(system, t0, q0, v0)"
    if status == SINGULAR and not ran_away(run, h):
        if is_regular(run):
            raise ConvergenceError(
                f"{where} did not converge: the matrix of an iterate is singular, though neither the mass matrix nor "
                f"the constraints are at t = {run.time:.9g}: {text}.{haste(run, h)} {advice(run, last)}"
            )
        raise StepError(
            f"{where}: the iteration matrix is singular: {text}. The mass matrix or the constraints have lost rank"
        )
    raise ConvergenceError(
        f"{where} did not converge in {run.setup.scheme.max_iter} iterations: {text}.{drift(run)}{haste(run, h)} "
        f"{advice(run, last)}"
    )


def _fail_too_small(run):
    """Error control has come to the smallest step: say which coordinate is at fault."""
    _require_regular(run, f"the step has come down to h_min = {run.schedule.h_min:.3g}")
    control = run.schedule
    absolute = f" and atol = {control.atol:.3g} allow" if control.atol > 0.0 else " allows"
    raise StepError(
        f"at t = {run.time:.9g} the step has come down to h_min = {control.h_min:.3g}, and its error is still "
        f"{run.setup.arrays.memory[ERROR]:.3g} times what rtol = {control.rtol:.3g}{absolute}; {_worst(run)} "
        f"dominates it. Forces that jump or vary fast have no small errors: smooth them, take a larger rtol or a "
        f"smaller h_min, or give a step size h"
    )

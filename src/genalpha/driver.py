"""The driver: start, chunks of steps, rescue, failure, result."""

from __future__ import annotations

import time

import numpy as np

from genalpha.contract import Contract, MechanicalSystem
from genalpha.errors import (
    ConvergenceError,
    GenalphaError,
    InputError,
    NonFiniteError,
    ShapeError,
    StepError,
)
from genalpha.method import SOI2, GeneralizedAlpha, Method, MoreauJean
from genalpha.model.model import Model
from genalpha.model.system import ModelSystem
from genalpha.schedule import Schedule, make_schedule
from genalpha.solution import Solution, Statistics, read_events

CHUNK_SECONDS = 0.15
FIRST_CHUNK = {True: 4096, False: 16}  # compiled, interpreted


def solve(
    system: MechanicalSystem | Model,
    t_span,
    q0=None,
    v0=None,
    method: Method | None = None,
    *,
    h=None,
    save_every: int = 1,
    project: bool = False,
    vdot0=None,
    lam0=None,
    psi0=None,
    progress=False,
    throw: bool = True,
) -> Solution:
    """Integrate a mechanical system from t0 to t1.

    Parameters
    ----------
    system : System or Model
    t_span : (t0, t1)
    q0, v0 : array_like (n,) or mapping
        Initial configuration and velocity, as vectors or by name (by symbol for systems from SymPy); they must satisfy
        the constraints, or ``project=True`` moves them there. By default those of the bodies of a model.
    method : GeneralizedAlpha, SOI2 or MoreauJean, optional
        Default: `GeneralizedAlpha`, formulation "PVA" with rho_inf = 0.9; `SOI2` if the force contains the multipliers.
    h : float, sequence of float, or callable
        Step size; all step sizes, adding up to t1 - t0; or a function of t. A last step is shortened to end at t1.
    save_every : int
        Save every so many steps; the first and the last state are always saved.
    project : bool
        Project q0 and v0 onto the constraints, in the metric of the mass matrix.
    vdot0 : array_like (n,), optional
        Start from these accelerations instead of the consistent ones (to study disturbances, 002 sec. 5.3).
    lam0, psi0 : array_like, optional
        Where to look for the first multipliers of a force that contains them, if there are several.
    progress : bool or callable
        Show a progress bar, or call ``progress(t)`` now and then.
    throw : bool
        Raise when the run fails; the exception carries the partial solution as ``.solution``. False: return it.

    Returns
    -------
    Solution

    Examples
    --------
    >>> import numpy as np
    >>> import genalpha as ga
    >>> oscillator = ga.System(M=np.eye(1), f=lambda t, q, v: -4.0 * q)
    >>> sol = ga.solve(oscillator, (0.0, np.pi), [1.0], [0.0], h=np.pi / 1000)
    >>> bool(abs(sol.q[-1, 0] - 1.0) < 1e-4)
    True
    """
    system, q0, v0 = _system(system, q0, v0)
    method = _method_for(system, method)
    schedule = make_schedule(t_span, h)
    if not (isinstance(save_every, int | np.integer) and save_every >= 1):
        raise InputError(f"save_every = {save_every!r} must be a positive integer")
    contract, loop = _contract(system, method, schedule.t0, q0, v0)
    run = _Run(system, contract, method, loop, schedule, int(save_every), _reporter(progress, schedule))
    run.start(q0, v0, project, vdot0, lam0, psi0)
    return run.go(throw)


def consistent_initial_state(
    system: MechanicalSystem | Model, t0: float, q0=None, v0=None, project: bool = False, lam0=None, psi0=None
):
    """Accelerations and multipliers that belong to (q0, v0): `genalpha.step.initial.InitialState`.

    Parameters
    ----------
    system : System or Model
    t0 : float
    q0, v0 : array_like (n,)
        By default those of the bodies of a model.
    project : bool
        First project q0 and v0 onto the constraints.
    lam0, psi0 : array_like, optional
        Where to look for the multipliers of a force that contains them, if there are several.

    Examples
    --------
    >>> import numpy as np
    >>> import genalpha as ga
    >>> pendulum = ga.System(
    ...     M=np.eye(2), f=lambda t, q, v: np.array([0.0, -9.81]), g=lambda t, q: np.array([q @ q - 1.0])
    ... )
    >>> ga.consistent_initial_state(pendulum, 0.0, [0.0, -1.0], [0.0, 0.0]).lam
    array([-4.905])
    """
    from genalpha.step.initial import initial_state

    system, q0, v0 = _system(system, q0, v0)
    return initial_state(system.contract(t0, q0, v0), float(t0), q0, v0, project, lam0, psi0)


def _system(system, q0, v0):
    """(system, q0, v0): a model is assembled, and has an initial state of its own; states by name become vectors."""
    if isinstance(system, Model):
        system = system.assemble()
    if not isinstance(system, MechanicalSystem):
        raise InputError(f"system must be a System or a Model, not {type(system).__name__}")
    if isinstance(system, ModelSystem):
        q0, v0 = system.q0 if q0 is None else q0, system.v0 if v0 is None else v0
    if q0 is None or v0 is None:
        raise InputError("a system of functions needs its initial state, q0 and v0")
    return system, system.state("q0", q0), system.state("v0", v0)


def _method_for(system, method):
    if method is None:
        return SOI2() if system.multipliers_in_f else GeneralizedAlpha()
    if not isinstance(method, Method):
        raise InputError(f"method must be a GeneralizedAlpha, a SOI2 or a MoreauJean, not a {type(method).__name__}")
    if system.multipliers_in_f and not isinstance(method, SOI2):
        raise InputError("a force that contains the multipliers (multipliers_in_f=True) needs the method SOI2")
    if isinstance(method, GeneralizedAlpha) and method.strategy != 3 and method.formulation not in ("PVA", "PVV"):
        raise InputError(f'strategy = {method.strategy} belongs to formulation "PVA", not "{method.formulation}"')
    if system.gap is not None and not (isinstance(method, MoreauJean) or _takes_contacts(method)):
        raise InputError('contacts (gap) need GeneralizedAlpha with formulation "PVA" or "PVV", or MoreauJean')
    return method


def _contract(system: MechanicalSystem, method: Method, t0, q0, v0):
    """(contract, loop of the scheme); if both must be compiled, that happens at the same time."""
    from genalpha.jit import jit_is_on
    from genalpha.step.loop import loop_of

    if isinstance(method, SOI2):
        run = loop_of("soi2")
    elif isinstance(method, MoreauJean):
        run = loop_of("moreau")
    elif system.gap is not None or method.formulation == "PVV" or method.strategy == 1:
        run = loop_of("impact")
    else:
        run = loop_of("alpha")
    if not (system.compiled and jit_is_on()):
        return system.contract(t0, q0, v0), run
    from genalpha.step.entry import compiling_ahead

    with compiling_ahead(run):
        return system.contract(t0, q0, v0), run


def _takes_contacts(method):
    return isinstance(method, GeneralizedAlpha) and method.formulation in ("PVA", "PVV")


class _Run:
    """One run: the arrays, the loop over chunks, and what to do when a step fails."""

    def __init__(self, system, contract: Contract, method, loop, schedule: Schedule, save_every, report):
        self.system, self.contract, self.method, self.loop = system, contract, method, loop
        self.schedule, self.save_every, self.report = schedule, save_every, report
        self.rescues, self.retries, self.seconds = 0, 0, 0.0
        self.events: list[np.ndarray] = []
        self.rows = self._allocate_rows(schedule.n // save_every + 2)

    def _allocate(self, state):
        """The arrays of the run; with a state, entries that are zero around it are left out of the matrices."""
        from genalpha.jit import jit_is_on
        from genalpha.math.linear import Leaves
        from genalpha.math.rescue import SPARSE, SuperLU
        from genalpha.math.symbolic import DENSE, KIND
        from genalpha.step.setup import make_setup

        self.setup = make_setup(self.contract, self.method, state)
        self.thinned = state is not None
        arrays = self.setup.arrays
        self.superlu = SuperLU(arrays.E, arrays.X.shape[1])
        kind = arrays.plan[KIND]
        self.pivoted = kind == DENSE or kind == SPARSE
        self.linear = self.superlu if kind == SPARSE else Leaves
        self.compiled = self.contract.compiled and kind != SPARSE and jit_is_on()

    def start(self, q0, v0, project, vdot0=None, lam0=None, psi0=None):
        """The state at t0, as the first row of the solution."""
        from genalpha.step.initial import closed_contacts, initial_state
        from genalpha.step.loop import write_row
        from genalpha.step.start import put_state, start_alpha, start_contacts, start_soi2
        from genalpha.step.state import REGULARISED

        initial = initial_state(self.contract, self.schedule.t0, q0, v0, project, lam0, psi0)
        self._allocate((initial.t, initial.q, initial.v))
        arrays, h = self.setup.arrays, self.schedule.first
        arrays.counts[REGULARISED] = int(bool(initial.redundant))
        self.closed_at_start = closed_contacts(self.contract, initial.t, initial.q, initial.v)
        put_state(arrays, initial, initial.vdot if vdot0 is None else self._vector("vdot0", vdot0), h)
        if isinstance(self.method, SOI2):
            start_soi2(self.contract, self.setup, self.method, self.linear, h)
        else:
            start_contacts(self.contract, self.setup)
        if isinstance(self.method, GeneralizedAlpha):
            start_alpha(self.contract, self.setup, self.method, h)
        write_row(*self.rows, 0, arrays.Q, arrays.V, arrays.L, arrays.memory)

    def _vector(self, name, value):
        value = np.array(value, dtype=float)
        if value.shape != (self.contract.nv,):
            raise ShapeError(f"{name} has shape {value.shape}, expected ({self.contract.nv},)")
        return value

    def _allocate_rows(self, n_rows):
        """Space for the whole solution; untouched memory costs nothing."""
        from genalpha.step.state import Record

        nq, n, m, nc = self.contract.nq, self.contract.nv, self.contract.m, self.contract.nc
        has_sets = self.loop.__name__ == "run_impact"
        try:
            return Record(np.empty(n_rows), *(np.empty((n_rows, k)) for k in (nq, n, n, n, m, m * has_sets, 3 * nc)))
        except MemoryError:
            size = 8e-9 * n_rows * (1 + nq + 3 * n + 2 * m + 3 * nc)
            raise InputError(f"the solution would take {size:.1f} GB; save less of it, save_every=10 or more") from None

    def go(self, throw) -> Solution:
        """All steps; failures become exceptions of ours that carry what was computed."""
        try:
            self._loop()
        except GenalphaError as error:
            error.solution = self._solution(type(error).__name__, str(error))
            if throw:
                raise
            return error.solution
        except Exception as error:
            error.add_note(
                f"the run had reached t = {self._time():.9g}; .solution of this exception has what was saved"
            )
            error.solution = self._solution(type(error).__name__, f"{type(error).__name__}: {error}")
            if throw:
                raise
            return error.solution
        return self._solution("done", f"reached t = {self.schedule.t1:.9g}", success=True)

    def _loop(self):
        from genalpha.step.state import OK

        done, count = 0, FIRST_CHUNK[self.compiled]
        if self.compiled:
            self._entry()  # compiled or loaded before the clock starts
        with self.report as report:
            while done < self.schedule.n:
                times, steps = self.schedule.chunk(done, count)
                begin = time.perf_counter()
                status, made = self._chunk(times, steps, self.compiled, self.linear)
                elapsed = time.perf_counter() - begin
                self.seconds += elapsed
                done += made
                if self._serve(status):
                    continue
                if status != OK:
                    self._recover(status, *self.schedule.chunk(done, 1))
                    done += 1
                report(self._time())
                if elapsed < CHUNK_SECONDS and made == steps.size:
                    count *= 4

    def _serve(self, status) -> bool:
        """Do what a step asks for before it can be made; False if it asks for nothing."""
        from genalpha.step.state import COUPLED_WANTED, LOG_FULL

        if status == LOG_FULL:
            self._empty_log()
        elif status == COUPLED_WANTED:
            self._make_coupled()
        else:
            return False
        return True

    def _empty_log(self):
        """Take the contact events over."""
        from genalpha.step.state import LOGGED

        arrays = self.setup.arrays
        self.events.append(arrays.log[: arrays.counts[LOGGED]].copy())
        arrays.counts[LOGGED] = 0

    def _make_coupled(self):
        """Room for the coupled Newton iteration."""
        from dataclasses import replace

        from genalpha.math.rescue import SPARSE
        from genalpha.math.symbolic import KIND
        from genalpha.step.coupled import coupled_system

        arrays = self.setup.arrays
        tables, entries = coupled_system(self.setup.sizes, arrays)
        self.setup = replace(self.setup, arrays=arrays._replace(**tables))
        self.superlu.add_pattern(entries, entries[0].max() + 1)
        if tables["plan3"][KIND] == SPARSE:  # too large for compiled code
            self.compiled, self.linear = False, self.superlu

    def _attempt(self, times, steps, compiled, linear):
        """The status after some steps, with all they ask for."""
        status, made = self._chunk(times, steps, compiled, linear)
        while self._serve(status):
            if not self.compiled:  # the coupled system may have been too large for compiled code
                compiled, linear = False, self.superlu if linear is self.superlu else self.linear
            status, more = self._chunk(times[made:], steps[made:], compiled, linear)
            made += more
        return status

    def _chunk(self, times, steps, compiled, linear):
        """Run some steps; gives (status, steps made)."""
        setup, run = self.setup, self.loop
        arguments = (self.contract.data, setup.sizes, setup.scheme, setup.arrays, times, steps, self.save_every,
                     self.rows, self._n_rows(), *self.contract.evaluators)  # fmt: skip
        if compiled:
            return self._entry()(0, *arguments)
        return getattr(run, "py_func", run)(linear, *arguments)

    def _n_rows(self) -> int:
        """Rows saved so far: the initial state, and one after every save_every steps."""
        from genalpha.step.state import STEPS

        return 1 + int(self.setup.arrays.counts[STEPS]) // self.save_every

    def _entry(self):
        from genalpha.step.entry import compiled_entry

        return compiled_entry(self.loop)

    def _recover(self, status, times, steps):
        """A step that failed, once more: with all entries, with pivoting, with regularised rows; else an exception.

        Steps with contacts are also divided into shorter ones.
        """
        from genalpha.step.state import OK, REGULARISED, SINGULAR

        self._require_finite(float(times[0]), float(steps[0]))
        if self.thinned:
            self._keep_all_entries()
            status = self._attempt(times, steps, self.compiled, self.linear)
        counts = self.setup.arrays.counts
        if status == SINGULAR and not self.pivoted:
            self.rescues += 1
            status = self._attempt(times, steps, False, self.superlu)
        if status == SINGULAR and not counts[REGULARISED] and self.contract.m:
            counts[REGULARISED] = 1
            status = self._attempt(times, steps, self.compiled, self.linear)
        if status != OK and self.contract.nc:
            status = self._divide(status, float(times[0]), float(steps[0]))
        if status != OK:
            self._fail(status, float(times[0]), float(steps[0]))

    def _divide(self, status, t1, h):
        """One step as 2, 4, ... 32 shorter ones; gives the status of the last attempt."""
        from genalpha.step.loop import write_row
        from genalpha.step.state import A_HERE, MU1, N_MATRICES, OK, Q1, STAR, STEPS

        self._empty_log()  # events of parts that fail later are dropped
        arrays, n_events = self.setup.arrays, len(self.events)
        names = ("Q", "V", "L", "S", "memory", "counts")
        kept = {name: getattr(arrays, name).copy() for name in names}
        for parts in (2, 4, 8, 16, 32):
            steps = np.full(parts, h / parts)
            times = t1 - h + np.cumsum(steps)
            times[-1] = t1
            # the parts count as one step, and only its end is saved
            save_every, self.save_every = self.save_every, np.iinfo(np.int64).max
            status = self._attempt(times, steps, self.compiled, self.linear)
            self.save_every = save_every
            arrays = self.setup.arrays
            if status == OK:
                self.retries += 1
                arrays.counts[STEPS] = kept["counts"][STEPS] + 1
                if arrays.counts[STEPS] % save_every == 0:
                    write_row(*self.rows, self._n_rows() - 1, arrays.Q, arrays.V, arrays.L, arrays.memory)
                return OK
            last = {name: getattr(arrays, name).copy() for name in names}
            for name, value in kept.items():
                getattr(arrays, name)[:] = value
            del self.events[n_events:]
        # what the message is about: the new rows, not the state
        for name, rows in (("Q", slice(Q1, None)), ("V", slice(A_HERE, None)), ("L", slice(MU1, STAR)),
                           ("S", slice(N_MATRICES))):  # fmt: skip
            getattr(arrays, name)[rows] = last[name][rows]
        return status

    def _keep_all_entries(self):
        """New arrays with the full patterns; the state moves over."""
        from genalpha.step import state

        old = self.setup.arrays
        self._allocate(None)
        new = self.setup.arrays
        for source, target in (
            (old.Q, new.Q), (old.V, new.V), (old.L, new.L), (old.J, new.J), (old.S, new.S), (old.log, new.log)
        ):  # fmt: skip
            target[:] = source
        new.memory[:], new.counts[:] = old.memory, old.counts
        new.counts[state.TANGENT_AGE] = -1

    def _require_finite(self, t1, h):
        """Name the user function that gives NaN or inf at the last iterate or at the step's beginning, if one does."""
        from genalpha.step.state import MU0, MU1, Q0, Q1, V0, V1

        arrays, locate = self.setup.arrays, self.contract.locate
        Q, V, L = arrays.Q, arrays.V, arrays.L
        name = locate and (locate(t1, Q[Q1], V[V1], L[MU1]) or locate(t1, Q[Q0], V[V0], L[MU0]))
        if name:
            raise NonFiniteError(
                f"{name} gives NaN or inf at t = {t1:.9g} ({self._where(t1, h)}); "
                f"look at what it divides by, at square roots and logarithms, or take a smaller h"
            )

    def _where(self, t1, h):
        return f"step {self.setup.arrays.counts[0] + 1} to t = {t1:.9g} with h = {h:.3g}"

    def _fail(self, status, t1, h):
        from genalpha.step.diagnose import describe_failure, nonfinite_rate
        from genalpha.step.state import NOT_CONVERGED, NOT_FINITE

        self._require_finite(t1, h)
        where = self._where(t1, h)
        if status == NOT_FINITE:
            what = nonfinite_rate(self.contract, self.setup, t1) or "the iteration overflows"
            raise NonFiniteError(f"{where}: {what}; take a smaller h, or look at the forces and gaps")
        text = describe_failure(self.contract, self.setup, t1, h)
        if status == NOT_CONVERGED:
            raise ConvergenceError(
                f"{where} did not converge in {self.method.max_iter} iterations: {text}. Take a smaller h; "
                f"if that does not help, check the derivatives with ga.check(system, t0, q0, v0)"
            )
        raise StepError(
            f"{where}: the iteration matrix is singular: {text}. The mass matrix or the constraints have lost rank"
        )

    def _time(self) -> float:
        from genalpha.step.state import TIME

        return float(self.setup.arrays.memory[TIME])

    def _solution(self, status, message, success=False) -> Solution:
        from genalpha.step.loop import write_row

        n_rows, arrays = self._n_rows(), self.setup.arrays
        if self.rows.t[n_rows - 1] != self._time():  # the last state is saved whatever save_every is
            self._restore_gaps()
            write_row(*self.rows, n_rows, arrays.Q, arrays.V, arrays.L, arrays.memory)
            n_rows += 1
        rows = [column[:n_rows] for column in self.rows]
        if n_rows < len(self.rows.t) // 2:
            rows = [column.copy() for column in rows]
        t, q, v, vdot, a, mu, Lam, contact = rows
        self._empty_log()
        ng, nb, nc = self.contract.ng, self.contract.ng + self.contract.nk, self.contract.nc
        first = self.schedule.chunk(0, 1)[0][0]
        impacts, intervals = read_events(np.concatenate(self.events), nc, t[0], first, t[-1], self.closed_at_start)
        return Solution(
            t=t, q=q, v=v, vdot=vdot, a=a, lam=mu[:, :ng], psi=mu[:, ng:nb], lam_n=mu[:, nb:], Lam=Lam,
            gap=contact[:, :nc],
            contact_force=contact[:, nc : 2 * nc], impulse=contact[:, 2 * nc :], impacts=impacts,
            contact_intervals=intervals, success=success, status=status, message=message, stats=self._statistics(),
            system=self.system, method=self.method,
        )  # fmt: skip

    def _restore_gaps(self):
        """The gaps of the last accepted state: a step that failed has left others."""
        from genalpha.step.state import GAP, Q0

        nb, arrays = self.contract.ng + self.contract.nk, self.setup.arrays
        if self.contract.nc:
            arrays.L[GAP, nb:] = self.contract.evaluate("gap", self._time(), arrays.Q[Q0])

    def _statistics(self) -> Statistics:
        from genalpha.step import state

        counts, memory = self.setup.arrays.counts, self.setup.arrays.memory
        return Statistics(
            steps=int(counts[state.STEPS]),
            newton=int(counts[state.NEWTON]),
            most_newton=int(counts[state.MOST_NEWTON]),
            jacobians=int(counts[state.JACOBIANS]),
            factorisations=int(counts[state.FACTORISATIONS]),
            rescues=self.rescues,
            stagnated=int(counts[state.STAGNATED]),
            max_g=float(memory[state.WORST_G]),
            max_gdot=float(memory[state.WORST_GDOT]),
            max_gddot=float(memory[state.WORST_GDDOT]),
            max_k=float(memory[state.WORST_K]),
            penetration=max(0.0, -float(memory[state.WORST_GAP])) if self.contract.nc else 0.0,
            complementarity=float(memory[state.WORST_PRODUCT]),
            coupled=int(counts[state.COUPLED]),
            cycles=int(counts[state.CYCLES]),
            retries=self.retries,
            seconds=self.seconds,
        )


class _reporter:
    """Progress: nothing, a callable of the user's, or a bar."""

    def __init__(self, progress, schedule):
        self.progress, self.schedule, self.bar = progress, schedule, None

    def __enter__(self):
        if callable(self.progress):
            return self.progress
        if not self.progress:
            return lambda t: None
        from rich.progress import Progress

        self.bar = bar = Progress(transient=True)
        bar.start()
        task = bar.add_task("integrating", total=self.schedule.t1 - self.schedule.t0)
        return lambda t: bar.update(task, completed=t - self.schedule.t0)

    def __exit__(self, *error):
        if self.bar is not None:
            self.bar.stop()


__all__ = ["consistent_initial_state", "solve"]

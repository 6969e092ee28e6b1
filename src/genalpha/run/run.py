"""One run: its arrays, the loop over chunks of steps, and the result."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from genalpha.errors import EnergyWarning, GenalphaError, InputError, ShapeError, warn
from genalpha.inputs import finite
from genalpha.run.progress import Interrupts, Progress
from genalpha.run.recover import recover, require_progress, require_sense
from genalpha.solution.files.checkpoint import Checkpoint, pack, unpack
from genalpha.solution.files.origin import Origin, identity
from genalpha.solution.rows import Output
from genalpha.solution.solution import Solution
from genalpha.solution.statistics import Statistics, statistics_of
from genalpha.step.consistency import closed_contacts, require_inertia
from genalpha.step.contact.pairs import renew_pairs
from genalpha.step.initial import initial_state, put_scales, put_state, put_terms, put_units
from genalpha.step.integrator import Integrator
from genalpha.step.scales import SPREAD, pace
from genalpha.step.schedule import Control, Schedule
from genalpha.step.state import (
    COUPLED_WANTED,
    ENDING,
    ERROR_BEFORE,
    GAP,
    IMPULSE,
    IMPULSE_T,
    LOG_FULL,
    LOGGED,
    NEWTON,
    NEXT_STEP,
    NOT_FINITE,
    OK,
    POSITION,
    Q0,
    REGULARISED,
    REJECTED_ERROR,
    REJECTED_IMPACT,
    REJECTED_NEWTON,
    RESTART,
    STEPS,
    TIME,
    V0,
)
from genalpha.system.block import UNILATERAL
from genalpha.system.contact_log import (
    GAINED,
    IMPACT,
    LOG_CONTACT,
    LOG_IMPULSE,
    LOG_TANGENT,
    LOG_TIME,
    N_LOG,
    of_kind,
)
from genalpha.system.contract import Contract

CHUNK_SECONDS = 0.15
BLOCK_BYTES = 2**24
"""Size of the block of rows that is filled before it is handed on; in a file it has `BLOCK_ROWS` rows."""
BLOCK_ROWS = 4096


def first_chunk(compiled: bool, unknowns: int) -> int:
    """Steps of a first chunk, some hundredths of a second; those that follow are up to four times as long."""
    return max(16, 250_000 // unknowns) if compiled else 16


class Run:
    """The arrays of a run, the loop over chunks, and what comes out.

    Parameters
    ----------
    system, method : the arguments of `solve`
    contract : Contract
    integrator : Integrator
        The scheme behind the method.
    schedule : Schedule or Control
        Steps that are given, or error control.
    output : Output
        Takes the rows.
    """

    def __init__(
        self, system, contract: Contract, method, integrator: Integrator, schedule: Schedule | Control, output: Output
    ):
        self.system, self.contract, self.method, self.integrator = system, contract, method, integrator
        self.schedule, self.output = schedule, output
        self.rescues, self.retries, self.seconds, self.first_end = 0, 0, 0.0, schedule.t1
        # the first step that did not converge of late, until when that counts, and when it was tried again
        self.struggle = (0.0, schedule.t0, schedule.t0)
        self.mark_of_progress = (0, schedule.t0)  # steps and time a few thousand steps ago
        self.log: list[np.ndarray] = []  # contact events
        self.checkpoint: Checkpoint | None = None
        self.ending, self.finishing, self.stopped_at = False, False, None
        self.seen_by_numba = None  # the setup whose types were looked at
        room = BLOCK_BYTES // max(output.columns.row_bytes, 1)
        self.capacity = BLOCK_ROWS if output.store.on_disk else max(256, min(room, 2**16))
        self.rows = output.columns.record(self.capacity, output.loop_names)
        self.base, self.n_delivered = 0, 0  # steps and blocks of the log that were handed on

    # ------------------------------------------------------------------ the state

    def allocate(self, state):
        """The arrays of the run; with a state, entries that are zero around it are left out of the matrices."""
        from genalpha.compiled.jit import jit_is_on
        from genalpha.math.linear import Leaves
        from genalpha.math.plan import CONTACTS, DENSE, KIND
        from genalpha.math.rescue import SPARSE, SuperLU
        from genalpha.step.loop import announce_leaves
        from genalpha.step.setup import make_setup

        setup = make_setup(self.contract, self.integrator, state)
        if isinstance(self.schedule, Control):
            polish = self.integrator.polishes and setup.scheme.level != POSITION
            numbers = {**self.schedule.numbers(polish), "spread": SPREAD if self.contract.kinds is None else np.inf}
            setup = replace(setup, scheme=setup.scheme._replace(**numbers))
        self.setup, self.thinned, self.has_coupled = setup, state is not None, False
        arrays = setup.arrays
        self.superlu = SuperLU(arrays.E, arrays.X.shape[1])
        kind = arrays.plan[KIND]
        self.pivoted = kind in (DENSE, SPARSE, CONTACTS)
        self.linear = self.superlu if kind == SPARSE else Leaves
        self.compiled = self.contract.compiled and kind != SPARSE and jit_is_on()
        if not self.compiled:
            announce_leaves()

    def start(self, q0, v0, project, vdot0=None, lam0=None, psi0=None, driven=False):
        """The state at t0, as the first row of the solution; see `initial_state`."""
        initial = initial_state(self.contract, self.schedule.t0, q0, v0, project, lam0, psi0, driven)
        self.initial = initial if vdot0 is None else replace(initial, vdot=self._vector("vdot0", vdot0))
        if isinstance(self.schedule, Control):
            self.schedule = self.schedule.settled(*pace(self.contract, self.initial, self.schedule.t1 - initial.t))
        self.allocate((initial.t, initial.q, initial.v))
        self.setup.arrays.counts[REGULARISED] = int(bool(initial.redundant))
        self.closed_at_start = closed_contacts(self.contract, initial.t, initial.q, initial.v)
        if (candidates := self.contract.candidates) is not None:
            self.log.append(candidates.log(initial.t, np.nonzero(candidates.keys >= 0)[0]))
        self.begin(self.schedule.first())
        if isinstance(self.schedule, Schedule):
            self.first_end = float(self.schedule.chunk(0, 1)[0][0])
        self.origin = self._origin(q0, v0)
        if self.output.store.on_disk:
            self.origin = self.origin.for_file(self.system)
        self.output.store.open(self.origin)
        self.output.start(self.present_row())
        if self.output.store.on_disk:
            self.output.store.commit(self._mark(), self.statistics, np.zeros((0, N_LOG)), [])

    def _origin(self, q0, v0) -> Origin:
        """How the run began, as solutions and files keep it."""
        output, initial = self.output, self.initial
        return Origin(
            method=self.method, schedule=self.schedule, columns=output.columns, save_every=output.save_every,
            t_eval=output.t_eval, n_events=len(output.watch.events), q0=np.array(q0, dtype=float),
            v0=np.array(v0, dtype=float), first_q=initial.q.copy(), first_v=initial.v.copy(),
            closed_at_start=np.array(self.closed_at_start, dtype=bool), flat=self.contract.flat,
            system=identity(self.system, self.contract),
        )  # fmt: skip

    def begin(self, h):
        """The scheme at t0, for a first step of size h."""
        arrays = self.setup.arrays
        put_state(arrays, self.initial, self.initial.vdot, h)
        put_units(self.contract, arrays, self.initial)
        if isinstance(self.schedule, Control):
            put_scales(self.contract, arrays, self.initial)
        if arrays.counts[REGULARISED]:
            put_terms(self.contract, self.setup)
        arrays.memory[NEXT_STEP], arrays.memory[ERROR_BEFORE] = h, 0.5
        self.integrator.start(self.contract, self.setup, h, self._first_step)

    def _first_step(self, h):
        """A first step of size h, of which no row is kept; gives a status."""
        never, given = np.iinfo(np.int64).max, self.setup
        self.setup = replace(given, scheme=given.scheme._replace(controlled=0))
        try:
            return self.chunk(np.array([self.time + h]), np.array([h]), self.compiled, self.linear, never)
        finally:
            self.setup = given

    def _vector(self, name, value):
        numbers = finite(value)
        if numbers is None:
            raise InputError(f"{name} = {value!r:.60} must be a vector of finite numbers")
        if numbers.shape != (self.contract.nv,):
            raise ShapeError(f"{name} has shape {numbers.shape}, expected ({self.contract.nv},)")
        return numbers

    def resume(self, origin: Origin, checkpoint: Checkpoint, log, found):
        """The state of a run that was stored."""
        numbers, self.origin, self.closed_at_start = checkpoint.numbers, origin, origin.closed_at_start
        self.allocate((origin.schedule.t0, origin.first_q, origin.first_v) if numbers["thinned"] else None)
        if numbers["has_coupled"]:
            self.make_coupled()
        unpack(checkpoint, self.setup, self.contract)
        if self.setup.arrays.counts[REGULARISED]:
            put_terms(self.contract, self.setup)
        self.rescues, self.retries, self.seconds = int(numbers["rescues"]), int(numbers["retries"]), numbers["seconds"]
        self.first_end, self.log, self.n_delivered = numbers["first_end"], [log], 1
        self.struggle = (numbers["struggle"], numbers["struggle_until"], numbers["struggle_at"])
        self.base = self.steps_made // self.output.loop_every
        self.output.restart(self.present_row(keep=True), int(numbers["sampled"]), found, checkpoint.owed)

    def _mark(self) -> Checkpoint:
        """The state as it is now, with all that was handed on before."""
        output = self.output
        numbers = {
            "rescues": self.rescues, "retries": self.retries, "seconds": self.seconds, "thinned": self.thinned,
            "has_coupled": self.has_coupled, "first_end": self.first_end, "sampled": output.sampled,
            "struggle": self.struggle[0], "struggle_until": self.struggle[1], "struggle_at": self.struggle[2],
            "n_rows": output.store.n, "n_log": sum(map(len, self.log)), "n_found": len(output.watch.found),
        }  # fmt: skip
        return pack(numbers, output.owed, self.setup, self.contract)

    # ------------------------------------------------------------------ the loop

    def go(self, throw: bool, progress: bool | Callable[[float], object] = False) -> Solution:
        """All steps; failures become exceptions of ours that carry what was computed."""
        report = Progress(progress, self.schedule.t0, self.schedule.t1, self.time, self.steps_made)
        try:
            ending = self._loop(report)
        except KeyboardInterrupt:  # the second one
            ending = "interrupted"
        except Exception as error:
            ours, name = isinstance(error, GenalphaError), type(error).__name__
            if not ours:
                error.add_note(
                    f"the run had reached t = {self.time:.9g}; .solution of this exception has what was saved"
                )
            error.solution = self.solution(name, str(error) if ours else f"{name}: {error}")  # pyright: ignore
            if throw:
                raise
            return error.solution  # pyright: ignore
        self._tell_gains()
        endings = {
            "done": self._arrival(),
            "event": f"a terminal event ended the run at t = {self.stopped_at or 0.0:.9g}",
            "interrupted": f"interrupted at t = {self.time:.9g}",
        }
        try:
            return self.solution(ending, endings[ending], success=ending != "interrupted")
        except GenalphaError as error:  # a file that cannot be completed
            if throw:
                raise
            return error.solution

    def _tell_gains(self):
        """Warn of impacts that have made energy."""
        gains = np.concatenate([of_kind(log, GAINED) for log in self.log])
        if not len(gains):
            return
        worst = gains[np.argmax(gains[:, LOG_IMPULSE])]
        name = self.contract.row_names([UNILATERAL])[int(worst[LOG_CONTACT])]
        times = f"{len(gains)} steps with impacts gain" if len(gains) > 1 else "an impact gains"
        warn(
            f"{times} energy, most at contact {name!r}, t = {worst[LOG_TIME]:.6g}: {worst[LOG_IMPULSE]:.3g}. "
            f"Newton's law of impact with friction can do that (Kane); give that contact a smaller coefficient of "
            f"restitution, or 0",
            EnergyWarning,
        )

    def _arrival(self) -> str:
        """How a run came to its end."""
        if self.time == self.schedule.t1:
            return f"reached t = {self.time:.9g}"
        return f"reached t = {self.time:.9g}, just behind t = {self.schedule.t1:.9g}, where constraints lose rank"

    def _loop(self, report) -> str:
        """Chunks of steps until the end, an event or an interruption; says which."""
        count = first_chunk(self.compiled, max(self.setup.arrays.X.shape[1], 1))
        if self.compiled:
            self._entry()  # compiled or loaded before the clock starts
        with report as show, Interrupts() as interrupts:
            while self._is_left():
                times, steps = self._next(count)
                if self.output.watch.events and not self.finishing:
                    self.checkpoint = self._mark()  # a terminal event will undo this chunk
                begin = time.perf_counter()
                try:
                    made = self._make(times, steps)
                except Exception:
                    if self._deliver() is not None:  # what came after a terminal event does not matter
                        return "event"
                    raise
                elapsed = time.perf_counter() - begin
                self.seconds += elapsed
                if self._deliver() is not None:
                    return "event"
                self._require_inertia()
                if self.ending:
                    self._finish_next()
                show(self.time, self.steps_made, *self._effort())
                if interrupts.wanted:
                    return "interrupted"
                if elapsed < CHUNK_SECONDS and made == steps.size:
                    count *= 4
        return "done"

    def _require_inertia(self):
        """A mass matrix that was positive at t0 may have become negative."""
        if self.contract.constant_M is None:
            require_inertia(self.contract, self.time, self.setup.arrays.Q[Q0], self.setup.arrays.V[V0])

    def _is_left(self) -> bool:
        if isinstance(self.schedule, Control):
            return self.time < self.schedule.t1
        return self.steps_made < self.schedule.n

    def _next(self, count):
        """End times and sizes of the next steps, as many as fit; the last step of all comes alone.

        Before it the state is kept: the end of the run has left no trace in it, so that a run can be resumed as if it
        had been meant to go further.
        """
        every, made = self.output.loop_every, self.steps_made
        if isinstance(self.schedule, Control):
            count = min(count, require_progress(self))
        capacity = self.capacity
        if self.output.store.on_disk:  # blocks that end where the chunks of the file end are written once
            capacity -= self.output.store.n % (self.capacity // 2)
        count = min(count, (capacity + self.base + 1) * every - 1 - made)
        if isinstance(self.schedule, Control):
            return self.schedule.chunk(1 if made == 0 else count, self.finishing)
        left = self.schedule.n - made
        if left == 1:
            self._finish_next()
        return self.schedule.chunk(made, min(count, max(left - 1, 1)))

    def _finish_next(self):
        if not self.finishing:
            self.finishing, self.checkpoint = True, self._mark()

    def _make(self, times, steps) -> int:
        """Make some steps, with all they ask for; gives how many were made."""
        before = self.steps_made
        status = self.chunk(times, steps, self.compiled, self.linear)
        if before == 0 and isinstance(self.schedule, Control):  # the first step comes alone
            self.first_end = self.time
        if status == OK or self.serve(status):
            require_sense(self)
            return self.steps_made - before
        if status == ENDING:
            self.ending = True
        elif status == RESTART:
            self.begin_again()
        else:
            made = self.steps_made - before
            if 0 < made == times.size - 1 and not isinstance(self.schedule, Control):
                return made  # the last step of a chunk is tried again together with those that follow
            recover(self, status, times[made:][:2], steps[made:][:2])
        return self.steps_made - before

    def begin_again(self):
        """The first step once more, with the size that is wanted now."""
        self.begin(float(self.setup.arrays.memory[NEXT_STEP]))

    @functools.cached_property
    def loop(self):
        """The loop of the scheme."""
        from genalpha.step.loop import loop_of

        return loop_of(type(self.integrator))

    def chunk(self, times, steps, compiled, linear, every=None):
        """Run some steps; gives a status."""
        from genalpha.compiled.jit import plain

        setup = self.setup
        arguments = (self.contract.data, setup.sizes, setup.scheme, setup.arrays, times, steps,
                     every or self.output.loop_every, self.rows, self.buffered, *self.contract.evaluators)  # fmt: skip
        if compiled:
            seen, self.seen_by_numba = self.seen_by_numba is setup, setup
            return self._entry(seen)(0, *arguments)[0]
        with np.errstate(all="ignore"):  # as compiled code: iterates that overflow are a status, not a warning
            return plain(self.loop.function)(linear, *arguments)[0]

    def _entry(self, seen=False):
        from genalpha.step.loop import bare_entry, compiled_entry

        return bare_entry(self.loop) if seen else compiled_entry(self.loop)

    def serve(self, status) -> bool:
        """Do what a step asks for before it can be made; False if it asks for nothing."""
        if status == LOG_FULL:
            self.empty_log()
        elif status == NOT_FINITE and self.contract.candidates is not None:
            return renew_pairs(self)
        elif status == COUPLED_WANTED:
            self.make_coupled()
        else:
            return False
        return True

    def empty_log(self):
        """Take the contact events over."""
        arrays = self.setup.arrays
        self.log.append(arrays.log[: arrays.counts[LOGGED]].copy())
        arrays.log[: arrays.counts[LOGGED], LOG_TANGENT:] = 0.0  # events without friction leave them as they are
        arrays.counts[LOGGED] = 0

    def make_coupled(self):
        """Room for the coupled Newton iteration."""
        from genalpha.math.plan import KIND
        from genalpha.math.rescue import SPARSE
        from genalpha.step.contact.coupled import coupled_system

        arrays = self.setup.arrays
        tables, entries = coupled_system(self.setup.sizes, arrays)
        self.setup, self.has_coupled = replace(self.setup, arrays=arrays._replace(**tables)), True
        self.superlu.add_pattern(entries, entries[0].max() + 1)
        if tables["plan3"][KIND] == SPARSE:  # too large for compiled code
            self.compiled, self.linear = False, self.superlu

    # ------------------------------------------------------------------ what comes out

    @property
    def time(self) -> float:
        return float(self.setup.arrays.memory[TIME])

    @property
    def steps_made(self) -> int:
        return int(self.setup.arrays.counts[STEPS])

    @property
    def statistics(self) -> Statistics:
        """What was counted so far."""
        return statistics_of(self.setup.arrays, self.setup.scheme, self.rescues, self.retries, self.seconds)

    @property
    def buffered(self) -> int:
        """Rows that were recorded and not handed on yet."""
        return self.steps_made // self.output.loop_every - self.base

    def _effort(self):
        counts = self.setup.arrays.counts
        rejected = counts[REJECTED_ERROR] + counts[REJECTED_NEWTON] + counts[REJECTED_IMPACT]
        return int(counts[NEWTON]), int(rejected)

    def write_row(self, record, row):
        """The state as a row of a record."""
        from genalpha.step.loop import write_friction, write_row

        arrays = self.setup.arrays
        write_row(record, row, arrays.Q, arrays.V, arrays.L, arrays.memory)  # pyright: ignore
        if self.contract.nt:
            write_friction(record, row, arrays.F, arrays.R, arrays.K, arrays.places)  # pyright: ignore

    def present_row(self, keep=False):
        """The state as a block of one row; ``keep`` leaves the impulses to be counted again."""
        arrays, nb = self.setup.arrays, self.contract.nb
        if self.contract.nc:  # a step that failed has left other gaps
            arrays.L[GAP, nb:] = self.contract.evaluate("gap", self.time, arrays.Q[Q0])
        impulse, record = arrays.L[IMPULSE].copy(), self.output.columns.record(1)
        tangential = arrays.F[IMPULSE_T].copy()
        self.write_row(record, 0)
        if keep:
            arrays.L[IMPULSE], arrays.F[IMPULSE_T] = impulse, tangential
        return self.output.columns.block(record, 1)

    def _deliver(self) -> float | None:
        """Hand the recorded rows on; the time of a terminal event if there was one."""
        output, n = self.output, self.buffered
        self.empty_log()
        fresh = np.concatenate(self.log[self.n_delivered :])
        self.n_delivered = len(self.log)
        first = (self.base + 1) * output.loop_every
        self.base += n
        if n:
            block = output.columns.block(self.rows, n)
            self.stopped_at = output.take(block, first, np.unique(of_kind(fresh, IMPACT)[:, LOG_TIME]))
        if output.store.on_disk and self.stopped_at is None and not self.finishing:
            output.store.commit(self._mark(), self.statistics, fresh, output.watch.found)
        return self.stopped_at

    def solution(self, status, message, success=False) -> Solution:
        """All that was computed."""
        output, store = self.output, self.output.store
        if self.checkpoint is None and not store.on_disk:
            self.checkpoint = self._mark()
        whole = output.t_eval is None and self.stopped_at is None
        if whole and store.last_time != self.time:  # the last state is saved whatever save_every is
            store.append(output.owing(self.present_row()))
        self.empty_log()
        t_last = self.time if self.stopped_at is None else self.stopped_at
        log = np.concatenate(self.log)
        solution = Solution(
            rows=store, log=log[log[:, LOG_TIME] <= t_last], found=np.array(output.watch.found),
            first_end=self.first_end, t_last=t_last, success=success, status=status, message=message,
            stats=self.statistics, system=self.system, method=self.method, update=output.update,
            origin=self.origin, checkpoint=self.checkpoint,
        )  # fmt: skip
        return store.finish(solution)

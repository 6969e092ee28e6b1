"""The loop over steps: advance, monitor, accept, record. Run in chunks; all memory is in the arrays.

It is compiled once per type of data, and kept on disk.
"""

from __future__ import annotations

import contextlib
import functools
from dataclasses import dataclass
from typing import Any, get_type_hints

from numba import types

from genalpha.compiled.fingerprint import fingerprint
from genalpha.compiled.jit import Announcement, another_process, leaf, on_disk, step
from genalpha.compiled.linking import linked_once
from genalpha.compiled.reference import by_reference
from genalpha.compiled.views import viewed
from genalpha.step.contact.friction import write_friction
from genalpha.step.control import control, keep_gaps, next_step
from genalpha.step.integrator import Integrator
from genalpha.step.kernels import largest_of, largest_rates
from genalpha.step.schemes.alpha import evaluate_rows
from genalpha.step.sizes import keep_largest
from genalpha.step.state import (
    A_0,
    ACCELERATION,
    BIAS,
    BIG_LAM0,
    ENDING,
    FORCE0,
    GAP,
    IMPULSE,
    LARGEST_EXTENT,
    LARGEST_SPEED,
    MOST_NEWTON,
    MU0,
    NEWTON,
    OK,
    POSITION,
    Q0,
    Q1,
    REJECTED,
    ROWS,
    STEPS,
    TIME,
    V0,
    V1,
    VDOT0,
    WORST_G,
    WORST_GDDOT,
    WORST_GDOT,
    WORST_K,
    Arrays,
    Record,
    Scheme,
    Sizes,
)
from genalpha.system.compiling import VECTOR, signatures
from genalpha.system.contract import Evaluators


@step
def monitor(system, data, sizes, scheme, arrays, t1):
    """Keep the largest |g|, |ġ|, |g̈| and |k| of any step."""
    worst, L, ng = arrays.memory, arrays.L, sizes.ng
    q, v, rows = arrays.Q[Q1], arrays.V[V1], arrays.L[ROWS]
    if ng > 0:
        if scheme.level != POSITION:  # otherwise it is there already
            system.g(t1, q, data, rows[:ng])
        worst[WORST_G] = max(worst[WORST_G], largest_of(L, ROWS, 0, ng))
    if ng > 0 and (scheme.level != POSITION or scheme.watch):
        if scheme.level == POSITION:
            evaluate_rows(system, data, sizes, arrays, t1)
        if scheme.level != ACCELERATION or scheme.baumgarte:  # otherwise it is there already
            system.g_bias(t1, q, v, data, arrays.L[BIAS, :ng])
        rate, bend = largest_rates(arrays.T, arrays.J, sizes.end_C, sizes.end_G, arrays.V, L, ng)
        worst[WORST_GDOT], worst[WORST_GDDOT] = max(worst[WORST_GDOT], rate), max(worst[WORST_GDDOT], bend)
    if sizes.nb > ng:
        system.k(t1, q, v, data, rows[ng : sizes.nb])
        worst[WORST_K] = max(worst[WORST_K], largest_of(L, ROWS, ng, sizes.nb))


@leaf
def write_row(record, row, Q, V, L, memory):
    """Store the state as one row of the solution; the impulses of contacts since the row before.

    Columns that nobody wants have no width.
    """
    t, q, v, vdot, a = record.t, record.q, record.v, record.vdot, record.a
    mu, Lam, contact = record.mu, record.Lam, record.contact
    t[row] = memory[TIME]
    for i in range(q.shape[1]):
        q[row, i] = Q[Q0, i]
    for i in range(v.shape[1]):
        v[row, i] = V[V0, i]
    for i in range(vdot.shape[1]):
        vdot[row, i] = V[VDOT0, i]
    for i in range(a.shape[1]):
        a[row, i] = V[A_0, i]
    for i in range(mu.shape[1]):
        mu[row, i] = L[MU0, i]
    for i in range(Lam.shape[1]):
        Lam[row, i] = L[BIG_LAM0, i]
    nc = contact.shape[1] // 3
    for j in range(nc):
        i = L.shape[1] - nc + j
        contact[row, j] = L[GAP, i]
        contact[row, nc + j] = L[FORCE0, i]
        contact[row, 2 * nc + j] = L[IMPULSE, i]
        L[IMPULSE, i] = 0.0


@dataclass(frozen=True, eq=False)
class Loop:
    """The loop of one scheme, as a value.

    Attributes
    ----------
    function : callable
        Compiled by `compiled_entry`; an interpreted run calls its ``py_func``.
    with_contacts : bool
        Does it take the linear algebra of contacts, whose pairs may come and go?
    kind : type
        The class of integrators that it belongs to.
    """

    function: Any
    with_contacts: bool
    kind: type[Integrator]


@functools.cache
def loop_of(kind: type[Integrator]) -> Loop:
    """The loop of a class of integrators."""
    advance, complete = kind.steps()
    name, content = f"run_{kind.__name__.lower()}", ""
    if not kind.__module__.startswith("genalpha."):  # the package has a stamp of its own
        content = fingerprint(advance, complete)
    return Loop(make_run(name, advance, complete, content), kind.takes_contacts, kind)


def make_step(name, advance, complete):
    """One step of a scheme: ``advance``, judge the errors if they are controlled, monitor, ``complete``."""

    def one_step(system, linear, data, sizes, scheme, arrays, t1, h):
        memory, counts = arrays.memory, arrays.counts
        before, extent, speed = counts[NEWTON], memory[LARGEST_EXTENT], memory[LARGEST_SPEED]
        status = advance(system, linear, data, sizes, scheme, arrays, t1, h)
        if status == OK and scheme.controlled:
            status = control(system, linear, data, sizes, scheme, arrays, t1, h)
            if status == REJECTED:
                # a step that is not made leaves no traces
                memory[LARGEST_EXTENT], memory[LARGEST_SPEED] = extent, speed
        if status != OK:
            return status
        counts[MOST_NEWTON] = max(counts[MOST_NEWTON], counts[NEWTON] - before)
        if sizes.nb > 0:
            monitor(system, data, sizes, scheme, arrays, t1)
        complete(sizes, scheme, arrays, t1, h)
        if scheme.controlled:
            keep_largest(arrays.Q, arrays.V, sizes.flat, memory)
            keep_gaps(arrays.L, sizes.nb)
        return OK

    one_step.__name__ = one_step.__qualname__ = name  # compiled functions of one name would be taken for one another
    return step(one_step)


def make_run(name, advance, complete, content: str | None = ""):
    """The loop of one scheme: a function that makes ``steps.size`` steps and gives (status, steps made).

    Parameters
    ----------
    name : str
        Of the compiled function.
    advance, complete : callable
        The scheme: one step from the old to the new rows of the arrays; the new rows become the old ones.
    content : str or None
        What the two are made of, beyond the sources of this package; None: it is not kept on disk.

    Notes
    -----
    The arguments of the loop are

    - ``linear``: the linear algebra of an interpreted run; compiled code ignores it;
    - ``data``, ``sizes``, ``scheme``, ``arrays``: of the system and of the run;
    - ``times``, ``steps``: end times and sizes of the steps. With error control the times are all the end of the run,
      and a size is 0 if the step that reaches it must not be made yet: then the status is ENDING;
    - ``save_every``: record a row after every so many steps of the whole run; ``record``: from row ``n_rows`` on;
    - the evaluators of the contract, one by one: compiled code takes them as function pointers, so that the loop is
      compiled once for all systems. An interpreted run calls ``run.py_func``.
    """
    one_step = make_step(f"{name}_step", advance, complete)

    def run(
        linear, data, sizes, scheme, arrays, times, steps, save_every, record, n_rows,
        M, f, force, force_mu, stiffness, damping, g, G, g_t, g_bias, k, K, k_bias, gap, N, gap_t, gap_bias,
        slip, T, slip_bias, update, untwist, twist,
    ):  # fmt: skip
        """Make steps, see `make_run`."""
        evaluators = Evaluators(
            M, f, force, force_mu, stiffness, damping, g, G, g_t, g_bias, k, K, k_bias, gap, N, gap_t, gap_bias,
            slip, T, slip_bias, update, untwist, twist,
        )  # fmt: skip
        system, sizes, scheme = by_reference(evaluators), by_reference(sizes), by_reference(scheme)
        arrays, record = by_reference(arrays), by_reference(record)
        data, times, steps, made = viewed(data), viewed(times), viewed(steps), 0
        while made < steps.size:
            t1, h = times[made], steps[made]
            if scheme.controlled:
                t1, h = next_step(scheme, arrays.memory, times[made])
                if t1 == times[made] and steps[made] == 0.0:
                    return ENDING, made
            status = one_step(system, linear, data, sizes, scheme, arrays, t1, h)
            if status == REJECTED:
                continue
            if status != OK:
                return status, made
            if arrays.counts[STEPS] % save_every == 0:
                write_row(record, n_rows, arrays.Q, arrays.V, arrays.L, arrays.memory)
                if sizes.nt > 0:
                    write_friction(record, n_rows, arrays.F, arrays.R, arrays.K, arrays.places)
                n_rows += 1
            made += 1
            if scheme.controlled and t1 == times[made - 1]:
                break
        return OK, made

    run.__name__ = run.__qualname__ = name
    return leaf(run, content)


MATRIX = types.Array(types.float64, 2, "C")
INDEX = types.Array(types.int64, 1, "C")
TABLE = types.Array(types.uint32, 2, "C")  # unsigned: numba need not look for negative indices
PLAN = types.Array(types.uint32, 1, "C")
PIVOTS = types.Array(types.int64, 2, "C")


ARRAYS = {
    "Q": MATRIX, "V": MATRIX, "L": MATRIX, "X": MATRIX, "J": VECTOR, "A": MATRIX, "memory": VECTOR, "counts": INDEX,
    "pivots": PIVOTS, "T": TABLE, "Z": TABLE, "E": TABLE, "plan": PLAN, "pairs": TABLE, "S": PIVOTS, "log": MATRIX,
    "Y": TABLE, "A3": MATRIX, "X3": MATRIX, "pivots3": PIVOTS, "plan3": PLAN, "F": MATRIX, "R": MATRIX, "K": PIVOTS,
    "C": MATRIX, "D": MATRIX, "P": MATRIX, "places": PIVOTS, "elements": PIVOTS, "numbers": MATRIX, "work": VECTOR,
}  # fmt: skip
RECORD = {
    "t": VECTOR, "q": MATRIX, "v": MATRIX, "vdot": MATRIX, "a": MATRIX, "mu": MATRIX, "Lam": MATRIX, "contact": MATRIX,
    "friction": MATRIX,
}  # fmt: skip
SIZES = dict.fromkeys(Sizes._fields, types.int64)
SCHEME = {name: types.float64 if kind is float else types.int64 for name, kind in get_type_hints(Scheme).items()}


def tuple_of(cls, members):
    """The type of a named tuple, from those of its fields by name."""
    if set(members) != set(cls._fields):
        wrong = ", ".join(sorted(set(members) ^ set(cls._fields)))
        raise TypeError(f"types of {cls.__name__} do not fit its fields: {wrong}")
    kinds = [members[name] for name in cls._fields]
    if len(set(kinds)) == 1:
        return types.NamedUniTuple(kinds[0], len(kinds), cls)
    return types.NamedTuple(kinds, cls)


ANNOUNCED = "the integration loop (once, about 20 s)"

IN_A_PROCESS = "from genalpha.step import loop; from {0} import {1}; loop.compiled_entry(loop.loop_of({1}))"


def compiled_entry(loop: Loop, data_type=VECTOR):
    """The compiled function of a loop for data of this type, from disk if it was compiled before."""
    return _entry(loop, data_type)


@functools.cache
def bare_entry(loop: Loop):
    """The same for arguments whose types were looked at before: that takes 0.15 ms."""
    return compiled_entry(loop).overloads[_arguments(loop.with_contacts)].entry_point


@functools.cache
def _entry(loop, data_type):
    arguments, run = _arguments(loop.with_contacts, data_type), loop.function
    Announcement(ANNOUNCED)(run, arguments)
    run.disable_compile(False)
    with linked_once():
        run.compile(arguments)
    run.disable_compile()
    return run


@functools.cache
def _arguments(with_contacts, data_type=VECTOR):
    """Types of the arguments of a loop."""
    i, x = types.int64, types.float64
    return (
        x if with_contacts else i,  # the linear algebra: math.linear.factorise_with
        data_type,
        tuple_of(Sizes, SIZES),
        tuple_of(Scheme, SCHEME),
        tuple_of(Arrays, ARRAYS),
        VECTOR,
        VECTOR,
        i,
        tuple_of(Record, RECORD),
        i,
        *(types.FunctionType(signature) for signature in signatures()),
    )


def announce_leaves():
    """Say that an interpreted run is going to compile the leaves of its steps, if they are not on disk."""
    arguments = tuple_of(Record, RECORD), types.int64, MATRIX, MATRIX, MATRIX, VECTOR
    Announcement("the parts of a step (once, about 10 s)")(write_row, arguments)


def is_compiled(loop: Loop) -> bool:
    """Is a loop on disk?"""
    return on_disk(loop.function, _arguments(loop.with_contacts))


@contextlib.contextmanager
def compiling_ahead(loop: Loop):
    """Meanwhile, in a process of its own, a loop of the package is compiled and stored, if it is not on disk.

    The functions of a system take some seconds to compile, the loop takes longer: on two cores both go on at once. If
    the process fails, for whatever reason, `compiled_entry` compiles the loop later.
    """
    module, name = loop.kind.__module__, loop.kind.__qualname__
    if is_compiled(loop) or not module.startswith("genalpha."):  # what else a user's module does is not ours to run
        yield
        return
    Announcement(ANNOUNCED)(loop.function, _arguments(loop.with_contacts))
    with another_process(IN_A_PROCESS.format(module, name)) as process:
        yield
        if process is not None:
            process.wait()

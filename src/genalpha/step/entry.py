"""The compiled entry: one loop per type of data, compiled once and kept on disk."""

from __future__ import annotations

import contextlib
import functools
from typing import get_type_hints

from numba import types

from genalpha.jit import Announcement, another_process, on_disk
from genalpha.linking import linked_once
from genalpha.signatures import VECTOR, signatures
from genalpha.step.loop import write_row
from genalpha.step.state import (
    Arrays,
    Record,
    Scheme,
    Sizes,
)

MATRIX = types.Array(types.float64, 2, "C")
INDEX = types.Array(types.int64, 1, "C")
TABLE = types.Array(types.uint32, 2, "C")  # unsigned: numba need not look for negative indices
PLAN = types.Array(types.uint32, 1, "C")
PIVOTS = types.Array(types.int64, 2, "C")


ARRAYS = (
    MATRIX, MATRIX, MATRIX, MATRIX, VECTOR, MATRIX, VECTOR, INDEX, PIVOTS, TABLE, TABLE, TABLE, PLAN, TABLE,
    PIVOTS, MATRIX, TABLE, MATRIX, MATRIX, PIVOTS, PLAN,
)  # fmt: skip


def _tuple_of(cls, *members):
    if len(set(members)) == 1:
        return types.NamedUniTuple(members[0], len(members), cls)
    return types.NamedTuple(members, cls)


WITH_CONTACTS = ("run_impact", "run_moreau")

ANNOUNCED = "the integration loop (once, about 20 s)"

IN_A_PROCESS = "from genalpha.step import entry, loop; entry.compiled_entry(loop.loop_of({!r}))"


def compiled_entry(run, data_type=VECTOR):
    """The loop ``run`` for data of this type, from disk if it was compiled before."""
    return _entry(run, data_type)


@functools.cache
def bare_entry(run):
    """The loop for arguments whose types were looked at before: that takes 0.15 ms."""
    return compiled_entry(run).overloads[_arguments(run)].entry_point


@functools.cache
def _entry(run, data_type):
    arguments = _arguments(run, data_type)
    Announcement(ANNOUNCED)(run, arguments)
    run.disable_compile(False)
    with linked_once():
        run.compile(arguments)
    run.disable_compile()
    return run


@functools.cache
def _arguments(run, data_type=VECTOR):
    """Types of the arguments of a loop."""
    i, x = types.int64, types.float64
    return (
        x if run.__name__ in WITH_CONTACTS else i,  # the linear algebra: math.linear.factorise_with
        data_type,
        _tuple_of(Sizes, *[i] * len(Sizes._fields)),
        _tuple_of(Scheme, *(x if kind is float else i for kind in get_type_hints(Scheme).values())),
        _tuple_of(Arrays, *ARRAYS),
        VECTOR,
        VECTOR,
        i,
        _tuple_of(Record, VECTOR, *[MATRIX] * 7),
        i,
        *(types.FunctionType(signature) for signature in signatures()),
    )


def announce_leaves():
    """Say that an interpreted run is going to compile the leaves of its steps, if they are not on disk."""
    arguments = VECTOR, *[MATRIX] * 7, types.int64, *[MATRIX] * 3, VECTOR
    Announcement("the parts of a step (once, about 10 s)")(write_row, arguments)


def is_compiled(run) -> bool:
    """Is the loop ``run`` on disk?"""
    return on_disk(run, _arguments(run))


@contextlib.contextmanager
def compiling_ahead(run):
    """Meanwhile, in a process of its own, the loop ``run`` is compiled and stored, if it is not on disk.

    The functions of a system take some seconds to compile, the loop takes longer: on two cores both go on at once. If
    the process fails, for whatever reason, `compiled_entry` compiles the loop later.
    """
    if is_compiled(run):
        yield
        return
    Announcement(ANNOUNCED)(run, _arguments(run))
    with another_process(IN_A_PROCESS.format(run.__name__.removeprefix("run_"))) as process:
        yield
        if process is not None:
            process.wait()

"""The compiled entry: one loop per type of data, compiled once and kept on disk."""

from __future__ import annotations

import contextlib
import functools
from typing import get_type_hints

from numba import types

from genalpha.compiled.jit import Announcement, another_process, on_disk
from genalpha.compiled.linking import linked_once
from genalpha.step.loop import Loop, write_row
from genalpha.step.state import Arrays, Record, Scheme, Sizes
from genalpha.system.signatures import VECTOR, signatures

MATRIX = types.Array(types.float64, 2, "C")
INDEX = types.Array(types.int64, 1, "C")
TABLE = types.Array(types.uint32, 2, "C")  # unsigned: numba need not look for negative indices
PLAN = types.Array(types.uint32, 1, "C")
PIVOTS = types.Array(types.int64, 2, "C")


ARRAYS = {
    "Q": MATRIX, "V": MATRIX, "L": MATRIX, "X": MATRIX, "J": VECTOR, "A": MATRIX, "memory": VECTOR, "counts": INDEX,
    "pivots": PIVOTS, "T": TABLE, "Z": TABLE, "E": TABLE, "plan": PLAN, "pairs": TABLE, "S": PIVOTS, "log": MATRIX,
    "Y": TABLE, "A3": MATRIX, "X3": MATRIX, "pivots3": PIVOTS, "plan3": PLAN,
}  # fmt: skip
RECORD = {
    "t": VECTOR, "q": MATRIX, "v": MATRIX, "vdot": MATRIX, "a": MATRIX, "mu": MATRIX, "Lam": MATRIX, "contact": MATRIX,
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

IN_A_PROCESS = "from genalpha.step import entry, loop; from {0} import {1}; entry.compiled_entry(loop.loop_of({1}))"


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
    arguments = VECTOR, *[MATRIX] * 7, types.int64, *[MATRIX] * 3, VECTOR
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

"""The compiled entry: one loop per type of data, compiled once and kept on disk."""

from __future__ import annotations

import functools

from numba import typeof, types

from genalpha.jit import Announcement
from genalpha.signatures import VECTOR, signatures
from genalpha.step.state import Arrays, Record, Scheme, Sizes

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


def compiled_entry(run, data):
    """The loop ``run`` for the type of ``data``, from disk if it was compiled before."""
    return _entry(run, typeof(data))


@functools.cache
def _entry(run, data_type):
    i, x = types.int64, types.float64
    arguments = (
        i,
        data_type,
        _tuple_of(Sizes, *[i] * len(Sizes._fields)),
        _tuple_of(Scheme, *[x] * 12, *[i] * (len(Scheme._fields) - 12)),
        _tuple_of(Arrays, *ARRAYS),
        VECTOR,
        VECTOR,
        i,
        _tuple_of(Record, VECTOR, *[MATRIX] * 6),
        i,
        *(types.FunctionType(signature) for signature in signatures(data_type)),
    )
    Announcement("the integration loop (once, about 20 s)")(run, arguments)
    run.disable_compile(False)
    run.compile(arguments)
    run.disable_compile()
    return run

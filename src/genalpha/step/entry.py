"""The compiled entry: one loop per type of data, compiled once and kept on disk."""

from __future__ import annotations

import functools

from numba import types

from genalpha.step.loop import run
from genalpha.step.state import Arrays, Evaluators, Record, Scheme, Sizes

VECTOR = types.Array(types.float64, 1, "C")
MATRIX = types.Array(types.float64, 2, "C")
INDEX = types.Array(types.int64, 1, "C")
TABLE = types.Array(types.int64, 2, "C")


def signatures(data_type):
    """Signatures of the contract's evaluators."""
    t = types.float64
    p = types.void(t, VECTOR, data_type, VECTOR)
    v = types.void(t, VECTOR, VECTOR, data_type, VECTOR)
    everything = types.void(t, VECTOR, VECTOR, VECTOR, VECTOR, data_type, VECTOR)
    update = types.void(VECTOR, VECTOR, data_type, VECTOR)
    return Evaluators(M=p, f=v, stiffness=everything, damping=everything, g=p, G=p, g_t=p, g_bias=v,
                      k=v, K=v, k_bias=v, update=update)  # fmt: skip


def _tuple_of(cls, *members):
    if len(set(members)) == 1:
        return types.NamedUniTuple(members[0], len(members), cls)
    return types.NamedTuple(members, cls)


@functools.cache
def compiled_entry(data_type):
    """`run` for one type of data, from disk if it was compiled before."""
    i, x = types.int64, types.float64
    arguments = (
        *(types.FunctionType(signature) for signature in signatures(data_type)),
        i,
        data_type,
        _tuple_of(Sizes, *[i] * len(Sizes._fields)),
        _tuple_of(Scheme, *[x] * 5, *[i] * 8),
        _tuple_of(Arrays, *[MATRIX] * 4, VECTOR, MATRIX, VECTOR, INDEX, TABLE, TABLE, INDEX, TABLE),
        VECTOR,
        VECTOR,
        i,
        _tuple_of(Record, VECTOR, *[MATRIX] * 5),
        i,
    )
    run.compile(arguments)
    return run

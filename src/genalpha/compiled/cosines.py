"""Cosine and sine of an angle in compiled code, remembered beside it.

They are used if the angle is the same to the last bit, so nothing depends on what was evaluated before.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload


def cosine_and_sine(angle, memory, k):
    """(cos, sin) of an angle; ``memory[k:k+3]`` is for it."""
    return np.cos(angle), np.sin(angle)


@intrinsic
def _both(typing_context, angle):
    """(cos, sin) side by side, so that the compiler may call one function of the library for both."""

    def generate(context, builder, sig, args):
        values = []
        for name in ("llvm.cos", "llvm.sin"):
            function = builder.module.declare_intrinsic(name, [ir.DoubleType()])
            values.append(builder.call(function, args))
        return context.make_tuple(builder, sig.return_type, values)

    return types.UniTuple(types.float64, 2)(types.float64), generate


@overload(cosine_and_sine)
def _cosine_and_sine(angle, memory, k):
    if not isinstance(angle, types.Float):  # a complex step
        return lambda angle, memory, k: (np.cos(angle), np.sin(angle))

    def remember(angle, memory, k):
        if memory[k] != angle:
            memory[k] = angle
            memory[k + 1], memory[k + 2] = _both(angle)  # pyright: ignore
        return memory[k + 1], memory[k + 2]

    return remember

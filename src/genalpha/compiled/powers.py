"""Powers of complex numbers in compiled code: whole exponents by multiplication.

A complex step puts 1e-30 into an imaginary part, and every operation on the way must keep it. numba raises a complex
number to a power by its angle, sin(n atan2(1e-30, x)), which is round-off of sin(nπ) where x is negative: x**3 had the
derivative 1e14. NumPy multiplies where the exponent is a whole number, and so does what is registered here, for all
code that is compiled later in this process; other exponents go the old way.
"""

from __future__ import annotations

import operator

import numpy as np
from numba import types
from numba.core.imputils import lower_builtin
from numba.np import npyfuncs, ufunc_db

LARGEST = 100
"""Of the exponents that are multiplied out, as in NumPy."""


def whole_power(z, exponent):
    """z**n for a whole number n, by squaring."""
    n = int(exponent.real)
    m, power, result = abs(n), z, z * 0.0 + 1.0
    while m > 0:
        if m % 2 == 1:
            result = result * power
        m //= 2
        if m > 0:
            power = power * power
    return result if n >= 0 else 1.0 / result


def is_whole(z, exponent):
    """May z**exponent be multiplied out?"""
    n = exponent.real
    small = exponent.imag == 0.0 and -LARGEST <= n <= LARGEST and n == np.floor(n)
    return small and (n >= 0.0 or z.real != 0.0 or z.imag != 0.0)


def power(context, builder, sig, args):
    """The code of z**exponent."""
    yes = sig.return_type, context.make_helper(builder, sig.return_type)
    whole = context.compile_internal(builder, is_whole, types.boolean(*sig.args), args)
    with builder.if_else(context.cast(builder, whole, types.boolean, types.boolean)) as (then, otherwise):
        with then:
            found = context.compile_internal(builder, whole_power, sig, args)
            _put(context, builder, *yes, found)
        with otherwise:
            _put(context, builder, *yes, npyfuncs.np_complex_power_impl(context, builder, sig, args))
    return builder.load(yes[1]._getpointer())


def _put(context, builder, kind, place, value):
    found = context.make_helper(builder, kind, value=value)
    place.real, place.imag = found.real, found.imag


def register():
    """Use it for scalars and for arrays from now on."""
    z = types.complex128  # more special than what numba registers, and so preferred
    lower_builtin(operator.pow, z, z)(power)
    lower_builtin(operator.ipow, z, z)(power)
    for ufunc in (np.power, np.float_power):
        ufunc_db.get_ufunc_info(ufunc)["DD->D"] = power

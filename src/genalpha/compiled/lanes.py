"""Arithmetic on columns of four numbers, done at once by the processor.

numba leaves straight-line code scalar, and blocks of three columns of four numbers are what `blocks` works on most.
Each function is given twice: in plain Python, which says what it does, and in vector instructions for compiled code,
where products and sums are rounded once: the last bits of both may differ.
"""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

LANES = ir.VectorType(ir.DoubleType(), 4)


def subtract_columns(Y, i, B, k, u, v, w):
    """Y[i] −= (B[k], B[k + 1], B[k + 2]) (u, v, w), for a row of four and a block of three columns, rows of B."""
    for n in range(4):
        Y[i, n] -= B[k, n] * u + B[k + 1, n] * v + B[k + 2, n] * w


def put_columns(Y, i, B, k, u, v, w):
    """Y[i] = (B[k], B[k + 1], B[k + 2]) (u, v, w)."""
    for n in range(4):
        Y[i, n] = B[k, n] * u + B[k + 1, n] * v + B[k + 2, n] * w


def times(B, k, columns):
    """The block at B[k] ← itself times another one, given as nine numbers, column by column; gives the sum of squares.

    The block is not read from memory: a processor that has just written single numbers waits before it can read four.
    """
    total = 0.0
    for n in range(4):
        x, y, z = B[k, n], B[k + 1, n], B[k + 2, n]
        square = 0.0
        for c in range(3):
            entry = x * columns[3 * c] + y * columns[3 * c + 1] + z * columns[3 * c + 2]
            B[k + c, n] = entry
            square += entry * entry
        total += square
    return total


def put_block(A, place, B, source, J, k, factor):
    """A block of A, at ``place``: that of B at ``source`` plus factor times the nine numbers of J at k, row by row."""
    for r in range(3):
        A[place + 4 * r + 3] = B[source + 4 * r + 3]
        for c in range(3):
            A[place + 4 * c + r] = B[source + 4 * c + r] + factor * J[k + 3 * r + c]


def put_alone(A, place, J, k, factor):
    """A block of A, at ``place``: factor times the nine numbers of J at k, which are row by row."""
    for r in range(3):
        A[place + 4 * r + 3] = 0.0
        for c in range(3):
            A[place + 4 * c + r] = factor * J[k + 3 * r + c]


def put_both(A, own, transposed, J, k, factor, factor_transposed):
    """Two blocks of A: at ``own`` the nine numbers of J at k times a factor, at ``transposed`` their transpose."""
    for r in range(3):
        A[own + 4 * r + 3] = A[transposed + 4 * r + 3] = 0.0
        for c in range(3):
            A[own + 4 * c + r] = factor * J[k + 3 * r + c]
            A[transposed + 4 * r + c] = factor_transposed * J[k + 3 * r + c]


def _row(context, builder, view, value, index, index_type):
    """Pointer to a row of a matrix view, as lanes."""
    proxy = cgutils.create_struct_proxy(view)(context, builder, value=value)
    index = context.cast(builder, index, index_type, types.intp)
    pointer = builder.gep(proxy.data, [builder.mul(index, proxy.n)], inbounds=True)
    return builder.bitcast(pointer, LANES.as_pointer())


def _load(builder, row, column=0):
    item = builder.load(builder.gep(row, [ir.Constant(ir.IntType(64), column)]))
    item.align = 8
    return item


def _store(builder, value, row, column=0):
    item = builder.store(value, builder.gep(row, [ir.Constant(ir.IntType(64), column)]))
    item.align = 8


def _spread(builder, x):
    """(x, x, x, x)."""
    one = builder.insert_element(ir.Constant(LANES, ir.Undefined), x, ir.Constant(ir.IntType(32), 0))
    mask = ir.Constant(ir.VectorType(ir.IntType(32), 4), [0, 0, 0, 0])
    return builder.shuffle_vector(one, ir.Constant(LANES, ir.Undefined), mask)


def _lane(builder, x, n):
    return builder.extract_element(x, ir.Constant(ir.IntType(32), n))


def _combine(builder, columns, factors, total=None):
    """Sum of columns times factors, from the left, added to ``total``."""
    for column, factor in zip(columns, factors, strict=True):
        factor = _spread(builder, factor)
        total = builder.fmul(column, factor) if total is None else _multiply_add(builder, column, factor, total)
    return total


def _multiply_add(builder, x, y, z):
    """x y + z, rounded once."""
    signature = ir.FunctionType(LANES, [LANES] * 3)
    return builder.call(cgutils.get_or_insert_function(builder.module, signature, "llvm.fma.v4f64"), [x, y, z])


def _columns(builder, row):
    return [_load(builder, row, column) for column in range(3)]


def _column_product(subtract):
    @intrinsic
    def product(typing_context, Y, i, B, k, u, v, w):
        def generate(context, builder, sig, args):
            target = _row(context, builder, Y, args[0], args[1], sig.args[1])
            block = _row(context, builder, B, args[2], args[3], sig.args[3])
            before = _load(builder, target) if subtract else None
            factors = [builder.fneg(factor) for factor in args[4:]] if subtract else args[4:]
            _store(builder, _combine(builder, _columns(builder, block), factors, before), target)
            return context.get_dummy_value()

        return types.none(Y, i, B, k, u, v, w), generate

    return product


_subtract, _put = _column_product(True), _column_product(False)


@overload(subtract_columns, inline="always")
def _subtract_columns(Y, i, B, k, u, v, w):
    return lambda Y, i, B, k, u, v, w: _subtract(Y, i, B, k, u, v, w)  # pyright: ignore


@overload(put_columns, inline="always")
def _put_columns(Y, i, B, k, u, v, w):
    return lambda Y, i, B, k, u, v, w: _put(Y, i, B, k, u, v, w)  # pyright: ignore


@intrinsic
def _times(typing_context, B, k, columns):
    def generate(context, builder, sig, args):
        block = _row(context, builder, B, args[0], args[1], sig.args[1])
        numbers, own, squares = cgutils.unpack_tuple(builder, args[2], 9), _columns(builder, block), None
        for n in range(3):
            result = _combine(builder, own, numbers[3 * n : 3 * n + 3])
            _store(builder, result, block, n)
            square = builder.fmul(result, result)
            squares = square if squares is None else builder.fadd(squares, square)
        total = _lane(builder, squares, 0)
        for n in range(1, 4):
            total = builder.fadd(total, _lane(builder, squares, n))
        return total

    return types.float64(B, k, columns), generate


@overload(times, inline="always")
def _times_overload(B, k, columns):
    return lambda B, k, columns: _times(B, k, columns)  # pyright: ignore


def _entry(context, builder, view, value, index, index_type):
    """Pointer to an entry of a vector view, as lanes."""
    proxy = cgutils.create_struct_proxy(view)(context, builder, value=value)
    index = context.cast(builder, index, index_type, types.intp)
    return builder.bitcast(builder.gep(proxy.data, [index], inbounds=True), LANES.as_pointer())


def _shuffle(builder, x, y, *lanes):
    return builder.shuffle_vector(x, y, ir.Constant(ir.VectorType(ir.IntType(32), 4), lanes))


def _rows_of_nine(builder, numbers):
    """The rows of nine numbers, without reading beyond them; in the last lanes what follows them, 0 at the end."""
    rows = []
    for offset in (0, 3, 5):
        pointer = builder.gep(numbers, [ir.Constant(ir.IntType(64), offset)])
        rows.append(_load(builder, builder.bitcast(pointer, LANES.as_pointer())))
    rows[2] = _shuffle(builder, rows[2], ir.Constant(LANES, None), 1, 2, 3, 4)
    return rows


def _column_of(builder, rows, c):
    """A column of three rows, 0 in its last lane."""
    pair = _shuffle(builder, rows[0], rows[1], c, 4 + c, c, c)
    return _shuffle(builder, pair, rows[2], 0, 1, 4 + c, 7)


@intrinsic
def _put_block(typing_context, A, place, B, source, J, k, factor):
    def generate(context, builder, sig, args):
        block = _entry(context, builder, A, args[0], args[1], sig.args[1])
        added = _entry(context, builder, B, args[2], args[3], sig.args[3])
        first, factor = _entry(context, builder, J, args[4], args[5], sig.args[5]), _spread(builder, args[6])
        rows = _rows_of_nine(builder, builder.bitcast(first, ir.DoubleType().as_pointer()))
        for c in range(3):
            product = builder.fmul(_column_of(builder, rows, c), factor)
            _store(builder, builder.fadd(_load(builder, added, c), product), block, c)
        return context.get_dummy_value()

    return types.none(A, place, B, source, J, k, factor), generate


@overload(put_block, inline="always")
def _put_block_overload(A, place, B, source, J, k, factor):
    return lambda A, place, B, source, J, k, factor: _put_block(A, place, B, source, J, k, factor)  # pyright: ignore


@intrinsic
def _put_alone(typing_context, A, place, J, k, factor):
    def generate(context, builder, sig, args):
        block, factor = _entry(context, builder, A, args[0], args[1], sig.args[1]), _spread(builder, args[4])
        first = _entry(context, builder, J, args[2], args[3], sig.args[3])
        rows = _rows_of_nine(builder, builder.bitcast(first, ir.DoubleType().as_pointer()))
        for c in range(3):
            _store(builder, builder.fmul(_column_of(builder, rows, c), factor), block, c)
        return context.get_dummy_value()

    return types.none(A, place, J, k, factor), generate


@overload(put_alone, inline="always")
def _put_alone_overload(A, place, J, k, factor):
    return lambda A, place, J, k, factor: _put_alone(A, place, J, k, factor)  # pyright: ignore


@intrinsic
def _put_both(typing_context, A, own, transposed, J, k, factor, factor_transposed):
    def generate(context, builder, sig, args):
        blocks = [_entry(context, builder, A, args[0], args[i], sig.args[i]) for i in (1, 2)]
        factors = [_spread(builder, args[i]) for i in (5, 6)]
        first = _entry(context, builder, J, args[3], args[4], sig.args[4])
        rows = _rows_of_nine(builder, builder.bitcast(first, ir.DoubleType().as_pointer()))
        for c in range(3):
            row = _shuffle(builder, rows[c], ir.Constant(LANES, None), 0, 1, 2, 4)
            _store(builder, builder.fmul(_column_of(builder, rows, c), factors[0]), blocks[0], c)
            _store(builder, builder.fmul(row, factors[1]), blocks[1], c)
        return context.get_dummy_value()

    return types.none(A, own, transposed, J, k, factor, factor_transposed), generate


@overload(put_both, inline="always")
def _put_both_overload(A, own, transposed, J, k, factor, factor_transposed):
    return lambda A, own, transposed, J, k, factor, factor_transposed: _put_both(  # pyright: ignore
        A, own, transposed, J, k, factor, factor_transposed
    )

"""User functions brought to one normal form: ``call(t, q, v, p, out)``."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from genalpha.errors import InputError, ShapeError
from genalpha.system.functions import is_sparse

# what users get as p: nothing, the vector of parameters, or a number
NO_PARAMS, VECTOR_PARAMS, NUMBER_PARAMS = range(3)

_PICK: dict[tuple[bool, int], Any] = {
    (False, NO_PARAMS): lambda t, q, v, p: (t, q),
    (False, VECTOR_PARAMS): lambda t, q, v, p: (t, q, p),
    (False, NUMBER_PARAMS): lambda t, q, v, p: (t, q, p[0]),
    (True, NO_PARAMS): lambda t, q, v, p: (t, q, v),
    (True, VECTOR_PARAMS): lambda t, q, v, p: (t, q, v, p),
    (True, NUMBER_PARAMS): lambda t, q, v, p: (t, q, v, p[0]),
}
_PICK_OUT: dict[tuple[bool, int], Any] = {
    (False, NO_PARAMS): lambda t, q, v, p, out: (t, q, out),
    (False, VECTOR_PARAMS): lambda t, q, v, p, out: (t, q, p, out),
    (False, NUMBER_PARAMS): lambda t, q, v, p, out: (t, q, p[0], out),
    (True, NO_PARAMS): lambda t, q, v, p, out: (t, q, v, out),
    (True, VECTOR_PARAMS): lambda t, q, v, p, out: (t, q, v, p, out),
    (True, NUMBER_PARAMS): lambda t, q, v, p, out: (t, q, v, p[0], out),
}


class Form(NamedTuple):
    """How a user function is called.

    A function that takes the multipliers gets them behind the velocity, in one vector (v, lam, psi); ``split`` says
    where v and lam end.
    """

    name: str
    takes_v: bool
    params: int
    fills: bool
    split: tuple[int, int] | None = None

    @property
    def pick(self):
        """The arguments it takes, out of all."""
        if self.split is not None:
            return _pick_multipliers(*self.split, self.params, self.fills)
        return (_PICK_OUT if self.fills else _PICK)[self.takes_v, self.params]


def _pick_multipliers(v, lam, params, fills):
    """The arguments of f(t, q, v, lam, psi); ``v`` and ``lam`` are the ends of these in the second vector."""
    picks = {
        (False, NO_PARAMS): lambda t, q, w, p: (t, q, w[:v], w[v:lam], w[lam:]),
        (False, VECTOR_PARAMS): lambda t, q, w, p: (t, q, w[:v], w[v:lam], w[lam:], p),
        (False, NUMBER_PARAMS): lambda t, q, w, p: (t, q, w[:v], w[v:lam], w[lam:], p[0]),
        (True, NO_PARAMS): lambda t, q, w, p, out: (t, q, w[:v], w[v:lam], w[lam:], out),
        (True, VECTOR_PARAMS): lambda t, q, w, p, out: (t, q, w[:v], w[v:lam], w[lam:], p, out),
        (True, NUMBER_PARAMS): lambda t, q, w, p, out: (t, q, w[:v], w[v:lam], w[lam:], p[0], out),
    }
    return picks[fills, params]


def as_array(name: str, value, shape, t=None, dtype=float) -> np.ndarray:
    """What a function returned at t, or a constant, as an array of this shape; axes of length 1 do not matter."""
    try:
        array = np.asarray(value)
    except ValueError:  # lists of different lengths
        array = np.asarray(None)
    verb, where = ("has", "") if t is None else ("returned", f" at t = {np.real(t):.9g}")
    if array.dtype.kind not in ("iufc" if np.dtype(dtype).kind == "c" else "iuf"):
        what = f"{value!r:.60}" if array.dtype.kind in "OSU" else f"numbers of type {array.dtype}"
        hint = "; is its return statement missing?" if value is None else ""
        raise InputError(f"{name} {verb} {what}{where}, expected real numbers{hint}")
    if array.shape != shape and _long_axes(array.shape) != _long_axes(shape):
        hint = "; it looks transposed" if array.shape == shape[::-1] else ""
        raise ShapeError(f"{name} {verb} shape {array.shape}{where}, expected {shape}{hint}")
    return array.reshape(shape)


def _long_axes(shape):
    return [length for length in shape if length != 1]


def first_value(form: Form, function, t, q, v, p, shape):
    """The value at the initial state as the function gives it; refuses what would spoil a run."""
    given = {"q": q, "v": v, "p": p}
    states = {name: x.copy() for name, x in given.items()}
    arguments = [t, *states.values()]
    if form.fills:
        arguments.append(np.zeros(shape))
    try:
        value = function(*form.pick(*arguments))
    except Exception as error:
        error.add_note(f"raised by {form.name} at t = {t:.9g}, the initial state")
        raise
    for name, x in states.items():
        if not np.array_equal(x, given[name]):
            raise InputError(f"{form.name} changes its argument {name}; let it work on a copy, {name}.copy()")
    if not form.fills:
        return value
    if value is not None and not np.shares_memory(value, arguments[-1]):
        raise InputError(f"{form.name} has an argument out, which it must fill, but it returns an array")
    return arguments[-1]


def interpreted_call(form: Form, function, shape):
    """The normal form for a plain Python run: shapes are checked, exceptions say where they came from."""
    pick = form.pick

    def call(t, q, v, p, out):
        # copies: a function that works in place on its arguments does not spoil the state
        q, v, p = q.copy(), v.copy() if form.takes_v else v, p.copy() if form.params == VECTOR_PARAMS else p
        try:
            if form.fills:
                out[:] = 0.0
                function(*pick(t, q, v, p, out.reshape(shape)))
                return
            value = function(*pick(t, q, v, p))
        except Exception as error:
            error.add_note(f"raised by {form.name} at t = {np.real(t):.9g}")
            raise
        if type(value) is not np.ndarray or value.shape != shape or value.dtype != out.dtype:
            value = as_array(form.name, value, shape, t, out.dtype)
        out[:] = value.ravel()

    return call


def compiled_call(form: Form, function, shape, wrap):
    """The normal form for a compiled run; shapes were checked when the system was bound."""
    from genalpha.compiled.reference import as_matrix
    from genalpha.math.differences import clear, store

    pick = wrap(form.pick)
    message = f"{form.name} returned an array of another size than at first, when its shape was {shape}"
    if form.fills and len(shape) == 1:

        def call(t, q, v, p, out):
            clear(out)
            function(*pick(t, q, v, p, out))

    elif form.fills:
        n_rows, n_cols = shape

        def call(t, q, v, p, out):
            clear(out)
            function(*pick(t, q, v, p, as_matrix(out, n_rows, n_cols)))

    else:

        def call(t, q, v, p, out):
            if not store(function(*pick(t, q, v, p)), out):
                raise ShapeError(message, np.real(t))

    return wrap(call)


def sparse_call(form: Form, function, shape, keys):
    """The normal form of a function that returns a scipy.sparse matrix with entries on the pattern ``keys``."""
    pick, n_cols = form.pick, shape[1]

    def call(t, q, v, p, out):
        q, v = q.copy(), v.copy()
        try:
            matrix = function(*pick(t, q, v, p))
        except Exception as error:
            error.add_note(f"raised by {form.name} at t = {np.real(t):.9g}")
            raise
        here, data = sparse_entries(form.name, matrix, shape, t)
        outside = np.ones(here.size, dtype=bool)
        place = np.searchsorted(keys, here)
        inside = place < keys.size
        outside[inside] = keys[place[inside]] != here[inside]
        if np.any(outside & (data != 0)):
            i, j = divmod(int(here[np.argmax(outside & (data != 0))]), n_cols)
            raise ShapeError(
                f"{form.name} has an entry ({i}, {j}) at t = {np.real(t):.9g} that it did not have before; "
                f"store explicit zeros wherever the matrix may be nonzero, or give the pattern with ga.Sparse"
            )
        out[:] = 0.0
        np.add.at(out, place[~outside], data[~outside])

    return call


def sparse_entries(name, matrix, shape, t=None):
    """(row * n_cols + column, value) of all entries of a scipy.sparse matrix."""
    verb, where = ("has", "") if t is None else ("returned", f" at t = {np.real(t):.9g}")
    if not is_sparse(matrix):
        raise InputError(f"{name} {verb} a {type(matrix).__name__}{where}; it was a scipy.sparse matrix before")
    if matrix.shape != shape:
        raise ShapeError(f"{name} {verb} shape {matrix.shape}{where}, expected {shape}")
    matrix = matrix.tocoo()
    return matrix.row.astype(np.int64) * shape[1] + matrix.col, matrix.data

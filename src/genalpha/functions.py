"""User functions brought to one normal form: ``call(t, q, v, p, out)``.

Users write ``g(t, q)`` or ``f(t, q, v)``, with parameters ``p`` behind the states if the system has any, and either return
an array or fill a last argument ``out``.
"""

from __future__ import annotations

import functools
import inspect
from typing import Any

import numpy as np

from genalpha.errors import InputError, NonFiniteError, ShapeError


class evaluator:  # noqa: N801  (used as a decorator)
    """Mark a function for compilation: ``@ga.evaluator``.

    A system whose functions are all marked runs compiled, loop included. The compiled code is kept on disk and found
    again as long as nothing that the function reads has changed. The marked function can be called as before, and
    may use what numba knows: scalars, NumPy arrays, `math` and `numpy` functions, other jitted functions.

    Examples
    --------
    >>> import numpy as np
    >>> import genalpha as ga
    >>> @ga.evaluator
    ... def f(t, q, v):
    ...     return -4.0 * q
    >>> f(0.0, np.array([1.0]), np.array([0.0]))
    array([-4.])
    """

    def __init__(self, function):
        self.py_func = function
        functools.update_wrapper(self, function)

    def __call__(self, *arguments):
        return self.py_func(*arguments)


class Sparse:
    """A matrix function that gives its values on a fixed pattern: ``ga.Sparse(function, rows, cols)``.

    Parameters
    ----------
    function : callable
        As for a dense matrix, but it returns (or fills) the vector of values.
    rows, cols : array_like of int
        Where the values belong; an entry may occur once.
    """

    def __init__(self, function, rows, cols):
        self.function = function
        self.rows = np.asarray(rows, dtype=np.int64)
        self.cols = np.asarray(cols, dtype=np.int64)
        if self.rows.shape != self.cols.shape or self.rows.ndim != 1:
            raise ShapeError(f"rows {self.rows.shape} and cols {self.cols.shape} of a pattern must be equal vectors")
        if len(set(zip(self.rows.tolist(), self.cols.tolist(), strict=True))) < self.rows.size:
            raise InputError("a pattern names the same entry twice")


def is_compilable(function) -> bool:
    """Marked by the user for compilation, or compiled already."""
    return isinstance(function, evaluator) or _is_dispatcher(function)


def _is_dispatcher(function) -> bool:
    # numba is not imported to ask: a jitted function has brought it along
    return type(function).__module__.startswith("numba.") and callable(getattr(function, "py_func", None))


def plain(function):
    """The Python function to call in an interpreted run."""
    return function.py_func if isinstance(function, evaluator) else function


def fills_out(function, inplace: bool) -> bool:
    """Does the function fill a last argument instead of returning an array?"""
    parameters = _parameters(function)
    return inplace or (parameters is not None and parameters[-1:] == ["out"])


def check_arguments(name: str, function, takes_v: bool, with_params: bool, inplace: bool):
    """Refuse a function that cannot be called as the contract calls it."""
    parameters = _parameters(function)
    if parameters is None:
        return
    expected = ["t", "q"] + ["v"] * takes_v + ["p"] * with_params + ["out"] * fills_out(function, inplace)
    if len(parameters) != len(expected):
        raise InputError(
            f"{name} takes {len(parameters)} arguments ({', '.join(parameters)}); "
            f"it is called as {name}({', '.join(expected)})"
        )


def _parameters(function) -> list[str] | None:
    """Names of the positional parameters, or None if they cannot be told."""
    try:
        signature = inspect.signature(getattr(function, "py_func", function))
    except (TypeError, ValueError):
        return None
    kinds = {parameter.kind for parameter in signature.parameters.values()}
    if inspect.Parameter.VAR_POSITIONAL in kinds:
        return None
    required = [p for p in signature.parameters.values() if p.default is p.empty and p.kind != p.KEYWORD_ONLY]
    return [p.name for p in required]


_PICK: dict[tuple[bool, bool], Any] = {
    (False, False): lambda t, q, v, p: (t, q),
    (False, True): lambda t, q, v, p: (t, q, p),
    (True, False): lambda t, q, v, p: (t, q, v),
    (True, True): lambda t, q, v, p: (t, q, v, p),
}
_PICK_OUT: dict[tuple[bool, bool], Any] = {
    (False, False): lambda t, q, v, p, out: (t, q, out),
    (False, True): lambda t, q, v, p, out: (t, q, p, out),
    (True, False): lambda t, q, v, p, out: (t, q, v, out),
    (True, True): lambda t, q, v, p, out: (t, q, v, p, out),
}


def interpreted_call(name, function, takes_v, with_params, fills, shape):
    """The normal form for a plain Python run: shapes are checked, exceptions say where they came from."""
    pick, pick_out = _PICK[takes_v, with_params], _PICK_OUT[takes_v, with_params]

    def call(t, q, v, p, out):
        try:
            if fills:
                out[:] = 0.0
                function(*pick_out(t, q, v, p, out.reshape(shape)))
                return
            value = function(*pick(t, q, v, p))
        except Exception as error:
            error.add_note(f"raised by {name} at t = {np.real(t):.9g}")
            raise
        if type(value) is not np.ndarray:
            value = np.asarray(value)
        if value.shape != shape:
            raise ShapeError(f"{name} returned shape {value.shape} at t = {np.real(t):.9g}, expected {shape}")
        out[:] = value.ravel()

    return call


def compiled_call(function, takes_v, with_params, fills, shape, wrap):
    """The normal form for a compiled run; shapes were checked when the system was bound."""
    from genalpha.math.differences import clear, copy_matrix, copy_to
    from genalpha.reference import as_matrix

    pick = wrap((_PICK_OUT if fills else _PICK)[takes_v, with_params])
    if fills and len(shape) == 1:

        def call(t, q, v, p, out):
            clear(out)
            function(*pick(t, q, v, p, out))

    elif fills:
        n_rows, n_cols = shape

        def call(t, q, v, p, out):
            clear(out)
            function(*pick(t, q, v, p, as_matrix(out, n_rows, n_cols)))

    else:
        store = copy_to if len(shape) == 1 else copy_matrix

        def call(t, q, v, p, out):
            store(function(*pick(t, q, v, p)), out)

    return wrap(call)


def sparse_call(name, function, takes_v, with_params, keys, n_cols):
    """The normal form of a function that returns a scipy.sparse matrix; its entries must lie on the pattern ``keys``."""
    pick = _PICK[takes_v, with_params]

    def call(t, q, v, p, out):
        try:
            matrix = function(*pick(t, q, v, p)).tocoo()
        except Exception as error:
            error.add_note(f"raised by {name} at t = {np.real(t):.9g}")
            raise
        here = matrix.row.astype(np.int64) * n_cols + matrix.col
        place = np.minimum(np.searchsorted(keys, here), keys.size - 1)
        outside = keys[place] != here
        if np.any(outside & (matrix.data != 0)):
            i, j = divmod(int(here[np.argmax(outside)]), n_cols)
            raise ShapeError(
                f"{name} has an entry ({i}, {j}) at t = {np.real(t):.9g} that it did not have before; "
                f"store explicit zeros wherever the matrix may be nonzero, or give the pattern with ga.Sparse"
            )
        out[:] = 0.0
        np.add.at(out, place[~outside], matrix.data[~outside])

    return call


def require_finite(name: str, value, t: float):
    """Refuse NaN and inf, naming the function and the time."""
    if not np.all(np.isfinite(value)):
        index = np.argwhere(~np.isfinite(np.atleast_1d(value)))[0].tolist()
        raise NonFiniteError(
            f"{name} gives {np.atleast_1d(value)[tuple(index)]} in entry {index} at t = {t:.9g}; "
            f"look at what it divides by, at square roots and logarithms, and at the state it was called with"
        )

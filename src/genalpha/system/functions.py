"""The functions that users give: how they are marked, what they may be, and how they are called.

Users write ``g(t, q)`` or ``f(t, q, v)``, with parameters ``p`` behind the states if the system has any, and either
return an array or fill a last argument ``out``.
"""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

import dis
import functools
import inspect
import sys
import types
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from genalpha.errors import InputError, NonFiniteError, ShapeError
from genalpha.inputs import Array
from genalpha.system.block import Block

# which functions take the multipliers too, if the force contains them
FORCES = ("f", "f_q", "f_v", "f_lam", "f_psi")


@functools.cache
def takes_v(blocks: tuple[Block, ...]) -> dict[str, bool]:
    """All functions of a system with these blocks by name, and which of them take the velocity."""
    found = {"M": False, "f": True, **{block.name: block.kind.of_velocity for block in blocks}}
    for block in blocks:
        found |= {name: block.kind.of_velocity or of == "bias" for name, of in block.derivatives.items()}
    return found | dict.fromkeys(FORCES, True)


@functools.cache
def matrices(blocks: tuple[Block, ...]) -> set[str]:
    """Which of them give matrices; the others give vectors."""
    derivatives = [(name, of) for block in blocks for name, of in block.derivatives.items()]
    return {"M", *FORCES[1:], *(name for name, of in derivatives if of in ("q", "v"))}


class evaluator:
    """Mark a function for compilation: ``@ga.evaluator``.

    A system whose functions are all marked runs compiled, loop included. The compiled code is kept on disk and found
    again as long as nothing that the function reads has changed. The marked function can be called as before, and
    may use what numba knows: scalars, NumPy arrays, `math` and `numpy` functions, other marked or jitted functions.

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

    def __init__(self, function: Callable[..., Any]) -> None:
        if not isinstance(function, types.FunctionType) and not is_dispatcher(function):
            raise InputError(
                f"ga.evaluator marks functions made by def or lambda, not a {type(function).__name__}: "
                f"a partial, a method or an object with __call__ cannot be compiled; write a function around it"
            )
        self.py_func = getattr(function, "py_func", function)
        self._dispatcher = (None, None)
        functools.update_wrapper(self, self.py_func)

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        return self.py_func(*arguments, **keywords)

    def __reduce__(self) -> str | tuple[Any, ...]:
        """By name, like functions; under its own name a marked function hides the plain one."""
        module = sys.modules.get(self.__module__)
        is_global = getattr(module, self.__qualname__, None) is self
        return self.__qualname__ if is_global else (evaluator, (self.py_func,))

    @property
    def _numba_type_(self):
        """What numba takes a marked function for that is called by compiled code: a jitted function."""
        from numba import types as numba_types

        from genalpha.compiled.fingerprint import fingerprint
        from genalpha.system.compiling import jitted

        # numba freezes the globals that a function reads: another fingerprint asks for another compilation
        content = fingerprint(self.py_func)
        if content is None or content != self._dispatcher[0]:
            self._dispatcher = (content, jitted(self.py_func))
        return numba_types.Dispatcher(self._dispatcher[1])


class Sparse:
    """A matrix function that gives its values on a fixed pattern: ``ga.Sparse(function, rows, cols)``.

    Parameters
    ----------
    function : callable or array_like
        As for a dense matrix, but it returns (or fills) the vector of values; or these values, if they are constant.
    rows, cols : array_like of int
        Where the values belong; an entry may occur once.

    Examples
    --------
    Stiffness of a chain of three springs, on its diagonals only:

    >>> import numpy as np
    >>> import genalpha as ga
    >>> rows, cols = [0, 0, 1, 1], [0, 1, 0, 1]
    >>> K = ga.Sparse([-2.0, 1.0, 1.0, -2.0], rows, cols)
    >>> chain = ga.System(M=np.eye(2), f=lambda t, q, v: np.array([q[1] - 2 * q[0], q[0] - 2 * q[1]]), f_q=K, f_v=0)
    >>> bool(ga.check(chain, 0.0, [0.1, 0.2], [0.0, 0.0]).ok)
    True
    """

    def __init__(self, function: Callable[..., Any] | ArrayLike, rows: ArrayLike, cols: ArrayLike) -> None:
        self.function = function
        self.rows, self.cols = _indices("rows", rows), _indices("cols", cols)
        if self.rows.shape != self.cols.shape or self.rows.ndim != 1:
            raise ShapeError(f"rows {self.rows.shape} and cols {self.cols.shape} of a pattern must be equal vectors")
        entries, times = np.unique(np.stack([self.rows, self.cols]), axis=1, return_counts=True)
        if np.any(times > 1):
            raise InputError(f"a pattern names the entry {tuple(entries[:, np.argmax(times > 1)].tolist())} twice")


def _indices(what: str, values: ArrayLike) -> NDArray[np.int64]:
    array = np.asarray(values)
    if array.size and array.dtype.kind not in "iu":
        raise InputError(f"{what} of a pattern must be integers, not {array.dtype}")
    if np.any(array < 0):
        raise InputError(f"{what} of a pattern must not be negative: {what}[{np.argmax(array < 0)}] = {array.min()}")
    return array.astype(np.int64)


def ignores_time(function: Any) -> bool:
    """Does a function never read its first argument, t? Then nothing needs to be differentiated with respect to it."""
    code = getattr(getattr(function, "py_func", function), "__code__", None)
    if code is None or code.co_argcount == 0 or {"locals", "vars", "eval", "exec"} & set(code.co_names):
        return False
    t = code.co_varnames[0]
    if t in code.co_cellvars:
        return False
    # two names at once, in one instruction, are a tuple
    return not any(i.argval == t or (isinstance(i.argval, tuple) and t in i.argval) for i in dis.get_instructions(code))


def is_dispatcher(function: object) -> bool:
    """Was it jitted by the user?"""
    # numba is not imported to ask: a jitted function has brought it along
    return type(function).__module__.startswith("numba.") and callable(getattr(function, "py_func", None))


def is_compilable(function: object) -> bool:
    """Marked by the user for compilation, or compiled already."""
    return isinstance(function, evaluator) or is_dispatcher(function)


def plain(function: Any) -> Any:
    """The function to call in an interpreted run."""
    return function.py_func if isinstance(function, evaluator) else function


def is_sparse(value: object) -> bool:
    """Is it a scipy.sparse matrix?"""
    # scipy is not imported to ask: a sparse matrix has brought it along
    return type(value).__module__.startswith("scipy.sparse")


def fills_out(function: Any, inplace: bool) -> bool:
    """Does the function fill a last argument instead of returning an array?"""
    signature = _signature(function)
    required = [] if signature is None else [p for p in signature.parameters.values() if _is_required(p)]
    return inplace or bool(required and required[-1].name == "out")


def check_arguments(name: str, function: Any, states: Sequence[str], with_params: bool, inplace: bool) -> None:
    """Refuse a function that cannot be called as the contract calls it: with t, these states, and p."""
    signature = _signature(function)
    if signature is None:
        return
    out = ["out"] if fills_out(function, inplace) else []
    expected = ["t", *states] + ["p"] * with_params + out
    try:
        signature.bind(*expected)
    except TypeError:
        hint = "; with params every function takes p behind its states" if with_params else ""
        hint = hint or ("; a function takes p only if params are given" if "p" in signature.parameters else "")
        raise InputError(
            f"{name} has the arguments {signature}, but it is called as {name}({', '.join(expected)}){hint}"
        ) from None


def _signature(function: Any) -> inspect.Signature | None:
    try:
        return inspect.signature(getattr(function, "py_func", function))
    except (TypeError, ValueError):  # some builtins have none
        return None


def _is_required(parameter: inspect.Parameter) -> bool:
    positional = (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    return parameter.kind in positional and parameter.default is parameter.empty


def real_vector(name: str, value: Any) -> Array:
    """A new vector of finite floats; a number is a vector of one entry."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # an imaginary part is not dropped
            if np.asarray(value).dtype.kind in "bSU":
                raise TypeError
            vector = np.atleast_1d(np.array(value, dtype=float))
    except (TypeError, ValueError, Warning):
        raise InputError(f"{name} must be a vector of real numbers, not {type(value).__name__} {value!r:.60}") from None
    if vector.ndim != 1:
        raise ShapeError(f"{name} has shape {vector.shape}; it must be a vector")
    if not np.all(np.isfinite(vector)):
        worst = int(np.argmin(np.isfinite(vector)))
        raise InputError(f"{name}[{worst}] = {vector[worst]} is not a finite number")
    return vector


def returned(name: str, value: Any, shape: tuple[int, ...], t: float, symbol: str = "t", what: str = "") -> Array:
    """What a function gave at t as a new array of this shape, to the letter; but a number may stand for one entry."""
    try:
        array = np.asarray(value)
    except ValueError:  # lists of different lengths
        array = np.asarray(None)
    if array.dtype.kind not in "iuf":
        given = f"{value!r:.60}" if array.dtype.kind in "OSU" else f"numbers of type {array.dtype}"
        hint = "; is its return statement missing?" if value is None else ""
        raise InputError(f"{name} gave {given} at {symbol} = {t:.9g}, not real numbers{hint}")
    if array.shape != shape and not (array.shape in ((), (1,)) and shape in ((), (1,))):
        what = what or ("a number" if shape == (1,) else str(shape))
        raise ShapeError(f"{name} gave the shape {array.shape} at {symbol} = {t:.9g}, not {what}")
    return np.array(array, dtype=np.float64, order="C").reshape(shape)


def require_finite(name: str, value: ArrayLike, t: float) -> None:
    """Refuse NaN and inf, naming the function and the time."""
    value = np.atleast_1d(value)
    if not np.all(np.isfinite(value)):
        index = np.argwhere(~np.isfinite(value))[0].tolist()
        raise NonFiniteError(
            f"{name} gives {value[tuple(index)]} in entry {index} at t = {t:.9g}; "
            f"look at what it divides by, at square roots and logarithms, and at the state it was called with"
        )

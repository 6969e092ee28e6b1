"""The given functions and constants in normal form: shapes, patterns, and whether they can take complex numbers."""

from __future__ import annotations

import types
import warnings
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from genalpha.errors import CompilationError, DerivativeWarning, InputError, ShapeError, warn
from genalpha.math.differences import copy_to
from genalpha.system import differentiate
from genalpha.system.contract import Pattern, full_pattern
from genalpha.system.functions import (
    FORCES,
    Sparse,
    fills_out,
    is_dispatcher,
    is_sparse,
    matrices,
    plain,
    real_vector,
    require_finite,
    takes_v,
)


@dataclass
class Piece:
    """One user function in normal form, and in plain Python for probing."""

    name: str
    call: Any
    python: Any
    shape: tuple[int, ...]
    pattern: Pattern | None = None
    constant: Any = None

    @property
    def size(self) -> int:
        return self.pattern.size if self.pattern is not None else int(np.prod(self.shape))

    @property
    def is_dense(self) -> bool:
        """Are the values those of all entries, row by row?"""
        return self.pattern is None or self.size == int(np.prod(self.shape))


class Pieces(dict):
    """The pieces of a system by name, found at the initial state (t0, q0, v0) and nearby."""

    def __init__(self, system, t0, q0, v0):
        super().__init__()
        self.system, self.t0 = system, float(real_vector("t0", t0)[0])
        self.q0, self.v0 = real_vector("q0", q0), real_vector("v0", v0)
        if self.q0.size == 0 or self.q0.shape != self.v0.shape:
            raise ShapeError(f"q0 {self.q0.shape} and v0 {self.v0.shape} must be vectors of the same length, 1 or more")
        self.n = self.q0.size
        self.p = np.zeros(1) if system.params is None else real_vector("params", system.params)
        self.params = NO_PARAMS if system.params is None else VECTOR_PARAMS if np.ndim(system.params) else NUMBER_PARAMS
        self.compiled = system.compiled
        self.wrap = _jitted() if self.compiled else differentiate.same
        self.takes_v, self.matrices = takes_v(system.blocks), matrices(system.blocks)
        self.ng = self.nk = 0
        self.notes: list[str] = []
        self.unsafe: dict[tuple[str, bool], bool] = {}

    def take_multipliers(self, ng: int, nk: int):
        """From now on the numbers of constraints are known, and forces may take multipliers."""
        self.ng, self.nk = ng, nk

    def split(self, name: str) -> tuple[int, int] | None:
        """Where v and lam end in the second vector (v, lam, psi) of a force that takes multipliers."""
        if self.system.multipliers_in_f and name in FORCES:
            return self.n, self.n + self.ng
        return None

    def second(self, name: str, v, mu=None):
        """The second vector that the function ``name`` takes: v, or (v, lam, psi); multipliers not given are one."""
        if self.split(name) is None:
            return v
        return np.concatenate([v, np.ones(self.ng + self.nk) if mu is None else mu])

    def add(self, name: str, shape) -> Piece | None:
        """Bring the user's function or constant ``name`` to its normal form; None if it was not given."""
        given = self.system.given(name)
        if given is None:
            return None
        if isinstance(given, Sparse):
            self[name] = self._of_pattern(name, given, shape)
        elif callable(given):
            self[name] = self._of_callable(name, given, shape)
        else:
            self[name] = self._of_constant(name, given, shape)
        if name not in self.matrices:  # slip may have several rows for each contact, one behind the other
            self[name].shape, self[name].pattern = (int(np.prod(self[name].shape)),), None
        return self[name]

    def raw(self, name: str) -> Any:
        """What the function ``name`` returns at the initial state, as it is."""
        given = self.system.given(name)
        form = Form(name, self.takes_v[name], self.params, fills_out(given, self.system.inplace), self.split(name))
        if form.fills:
            count = next(block.count for block in self.system.blocks if block.name == name)
            raise InputError(f"{name} fills its argument out: say how long it is, System(..., {count}=...)")
        function = getattr(given, "py_func", given) if self.compiled else plain(given)
        return first_value(form, function, self.t0, self.q0, self.second(name, self.v0), self.p, (None,))

    def _of_pattern(self, name, given: Sparse, shape) -> Piece:
        outside = (given.rows >= shape[0]) | (given.cols >= shape[1])
        if np.any(outside):
            entry = int(given.rows[np.argmax(outside)]), int(given.cols[np.argmax(outside)])
            raise ShapeError(f"the pattern of {name} has an entry {entry} outside of the shape {shape}")
        pattern = Pattern(given.rows, given.cols)
        if not callable(given.function):
            values = as_array(name, given.function, given.rows.shape).astype(float)
            require_finite(name, values, self.t0)
            return self._constant(name, values, shape, pattern)
        piece = self._of_callable(name, given.function, given.rows.shape)
        piece.shape, piece.pattern = shape, pattern
        return piece

    def _of_callable(self, name, given, shape) -> Piece:
        form = Form(name, self.takes_v[name], self.params, fills_out(given, self.system.inplace), self.split(name))
        if form.fills and None in shape:
            count = next(block.count for block in self.system.blocks if block.name == name)
            raise InputError(f"{name} fills its argument out: say how long it is, System(..., {count}=...)")
        function = plain(given)
        python = getattr(given, "py_func", given) if self.compiled else function
        value = first_value(form, python, self.t0, self.q0, self.second(name, self.v0), self.p, shape)
        if is_sparse(value):
            return self._of_sparse(form, function, shape, value)
        if None in shape:
            shape = (np.size(value),)
        require_finite(name, as_array(name, value, shape, self.t0), self.t0)
        python = interpreted_call(form, python, shape)
        call = compiled_call(form, self._jitted(name, function), shape, self.wrap) if self.compiled else python
        return Piece(name, call, python, shape, full_pattern(*shape) if len(shape) == 2 else None)

    def _jitted(self, name, function):
        if isinstance(function, types.FunctionType) or is_dispatcher(function):
            return self.wrap(function)
        raise CompilationError(
            f"{name} is a {type(function).__name__}, which cannot be compiled; write a function around it, "
            f"or pass compile=False"
        )

    def _of_sparse(self, form, function, shape, value) -> Piece:
        if self.compiled:
            raise CompilationError(
                f"{form.name} returns a scipy.sparse matrix, which cannot be compiled; use ga.Sparse"
            )
        if form.name not in self.matrices:
            raise ShapeError(f"{form.name} returns a scipy.sparse matrix, expected a vector")
        keys, values = sparse_entries(form.name, value, shape, self.t0)
        require_finite(form.name, values, self.t0)
        for q, v in self.nearby():
            try:
                near = first_value(form, function, self.t0, q, self.second(form.name, v), self.p, shape)
            except Exception:  # the state is outside the function's domain and tells nothing
                continue
            keys = np.union1d(keys, sparse_entries(form.name, near, shape, self.t0)[0])
        keys = np.unique(keys)
        if form.name == "M":
            keys = np.union1d(keys, np.arange(shape[0]) * (shape[1] + 1))
        call = sparse_call(form, function, shape, keys)
        return Piece(form.name, call, call, shape, Pattern(*np.divmod(keys, shape[1])))

    def _of_constant(self, name, given, shape) -> Piece:
        if is_sparse(given):
            keys, entries = sparse_entries(name, given, shape)
            require_finite(name, entries, self.t0)
            diagonal = np.arange(shape[0]) * (shape[1] + 1) if name == "M" else keys[:0]
            keys, place = np.unique(np.concatenate([keys, diagonal]), return_inverse=True)
            values = np.bincount(place[: entries.size], weights=entries, minlength=keys.size)
            return self._constant(name, values, shape, Pattern(*np.divmod(keys, shape[1])))
        if np.ndim(given) == 0 and name != "M" and not isinstance(given, str) and given == 0:
            given = np.zeros(shape)
        if name == "M" and np.ndim(given) < 2 and self.n > 1:
            raise ShapeError(f"M has shape {np.shape(given)}, expected {shape}; use np.diag or np.eye")
        value = as_array(name, given, shape).astype(float)
        require_finite(name, value, self.t0)
        if name not in self.matrices:
            return self._constant(name, value.ravel(), shape, None)
        keep = value != 0.0
        if name == "M":
            keep |= np.eye(shape[0], dtype=bool)
        pattern = Pattern(*(index.astype(np.int64) for index in np.nonzero(keep)))
        return self._constant(name, value[pattern.rows, pattern.cols], shape, pattern)

    def _constant(self, name, values, shape, pattern) -> Piece:
        def call(t, q, v, p, out):
            copy_to(values, out)

        return Piece(name, self.wrap(call), call, shape, pattern, constant=values)

    # complex safety

    def nearby(self):
        """Two generic states (q, v) near the initial one, always the same."""
        random = np.random.default_rng(20070610)
        for scale in (1e-3, 1e-1):
            yield tuple(
                x + scale * (size + np.abs(x)) * random.uniform(0.5, 1.0, x.size) * random.choice([-1.0, 1.0], x.size)
                for x, size in zip((self.q0, self.v0), self._sizes(), strict=True)
            )

    def _sizes(self) -> tuple[float, float]:
        """Of q0 and v0; 1 where all is zero."""
        extent = float(np.max(np.abs(self.q0), initial=0.0)) or 1.0
        return extent, float(np.max(np.abs(self.v0), initial=0.0)) or extent

    def is_safe(self, name: str, in_time: bool = False) -> bool:
        """Can the function take complex numbers? Compared with differences at generic states; warned about if not."""
        if in_time and not self.is_safe(name):
            return False
        if (name, in_time) not in self.unsafe:
            safe = all(self._agrees(self[name], in_time, q, v) for q, v in self.nearby())
            self.unsafe[name, in_time] = False
            if not safe:
                self.refuse_complex(name, in_time)
        return not self.unsafe[name, in_time]

    def refuse_complex(self, name: str, in_time: bool = False, reason: str = ""):
        """From now on the derivatives of this function come from differences."""
        self.unsafe[name, in_time] = True
        where = " in t" if in_time else ""
        reason = reason or "max, abs, comparisons, the math module, or a real array filled with complex numbers?"
        note = (
            f"{name} cannot be differentiated by complex step{where} ({reason}): its derivatives{where} come from "
            f"differences; use NumPy's functions, np.zeros(..., dtype=q.dtype) and A.astype(q.dtype) @ q, or give the "
            f"derivatives"
        )
        if note not in self.notes:
            self.notes.append(note)
            warn(note, DerivativeWarning)

    def _agrees(self, piece, in_time, q, v) -> bool:
        """Do the complex step and differences give the same at (q, v)?"""
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # shorter steps for functions that vary fast; one that drops imaginary parts is wrong by all of them
            steps = [differentiate.DIFFERENCE / 30**i for i in range(3)]
            try:
                differences = [self._directional(piece, False, in_time, q, v, step) for step in steps]
            except Exception:
                return True  # the state is outside the function's domain and tells nothing
            if not np.all(np.isfinite(differences)):
                return True
            try:
                exact = self._directional(piece, True, in_time, q, v, steps[0])
            except Exception:
                return False
            value = np.zeros(piece.size)
            piece.python(self.t0, q, self.second(piece.name, v), self.p, value)
        scale = 1e-4 * np.max(np.abs(differences), initial=0.0)
        noise = 100.0 * np.finfo(float).eps * np.max(np.abs(value), initial=0.0)
        misses = [np.max(np.abs(exact - value), initial=0.0) for value in differences]
        return any(miss <= scale + noise / step for miss, step in zip(misses, steps, strict=True))

    def _directional(self, piece, with_complex, in_time, q, v, step):
        """A generic derivative, in (q, v) or in (t, q)."""
        out, v = np.zeros(piece.size), self.second(piece.name, v)
        extent, speed = (min(size, 1.0) for size in self._sizes())  # differences take ways of 1 at least
        dq, dv = extent * np.cos(1.0 + np.arange(q.size)), speed * np.sin(1.0 + np.arange(v.size))
        if in_time:
            along = differentiate.time_derivative(piece.python, with_complex, differentiate.same, step)
            along(self.t0, q, v, dq, self.p, out)
        else:
            along = differentiate.first_derivative(piece.python, with_complex, differentiate.same, step)
            along(self.t0, q, v, dq, dv if self.takes_v[piece.name] else 0.0 * dv, self.p, out)
        return out


def _jitted():
    from genalpha.system.compiling import jitted

    return jitted


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

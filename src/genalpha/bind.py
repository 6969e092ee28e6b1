"""From a `System` of functions to the contract: sizes, patterns, missing derivatives, compilation."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from genalpha import differentiate
from genalpha.contract import EMPTY, Contract, Evaluators, Pattern, full_pattern
from genalpha.errors import CompilationError, DerivativeWarning, InputError, ShapeError
from genalpha.functions import (
    Sparse,
    compiled_call,
    fills_out,
    interpreted_call,
    is_compilable,
    plain,
    require_finite,
    sparse_call,
)
from genalpha.math.differences import add_product, clear, copy_to, negate, put_values
from genalpha.system import TAKES_V, System

MATRICES = {"M", "g_q", "k_v", "k_q", "f_q", "f_v"}


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
        return self.pattern is None or self.size == int(np.prod(self.shape))


def bind(system: System, t0: float, q0, v0) -> Contract:
    """Sizes and patterns from the functions' values at (t0, q0, v0) and nearby; see `System.contract`."""
    return _Binding(system, t0, np.array(q0, dtype=float), np.array(v0, dtype=float)).contract()


class _Binding:
    def __init__(self, system, t0, q0, v0):
        if q0.ndim != 1 or q0.shape != v0.shape:
            raise ShapeError(f"q0 {q0.shape} and v0 {v0.shape} must be vectors of the same length")
        require_finite("q0", q0, t0)
        require_finite("v0", v0, t0)
        self.system, self.t0, self.q0, self.v0, self.n = system, float(t0), q0, v0, q0.size
        self.with_params = system.params is not None
        self.p = np.atleast_1d(np.array(system.params if self.with_params else 0.0, dtype=float))
        self.compiled = system.compiled
        self.wrap = self._njit() if self.compiled else lambda function: function
        self.notes = []
        self.safe = {}
        self.pieces = {}

    @staticmethod
    def _njit():
        from numba import njit

        return njit(error_model="numpy")

    # the given functions

    def piece(self, name: str, shape) -> Piece | None:
        """The user's function or constant ``name`` in normal form, or None if it was not given."""
        given = getattr(self.system, name)
        if given is None:
            return None
        if isinstance(given, Sparse):
            piece = self._of_function(name, given.function, (given.rows.size,))
            self._check_pattern(name, given, shape)
            piece.shape, piece.pattern = shape, Pattern(given.rows, given.cols)
        elif callable(given):
            piece = self._of_callable(name, given, shape)
        else:
            piece = self._of_constant(name, given, shape)
        self.pieces[name] = piece
        return piece

    def _check_pattern(self, name, given, shape):
        if given.rows.size and (given.rows.max() >= shape[0] or given.cols.max() >= shape[1] or given.rows.min() < 0):
            raise ShapeError(f"the pattern of {name} leaves the shape {shape}")

    def _of_callable(self, name, given, shape) -> Piece:
        if fills_out(given, self.system.inplace):
            if None in shape:
                raise InputError(f"{name} fills its argument out: say how long it is, System(..., n{name}=...)")
            return self._of_function(name, given, shape)
        value = self._probe(name, given)
        if _is_sparse(value):
            return self._of_sparse(name, given, shape, value)
        if None in shape and value.ndim == 1:
            shape = value.shape
        if value.shape != shape:
            raise ShapeError(f"{name} returns shape {value.shape}, expected {shape}")
        return self._of_function(name, given, shape)

    def _probe(self, name, given):
        """Value at the initial state."""
        states = [self.t0, self.q0] + [self.v0] * TAKES_V[name] + [self.p] * self.with_params
        try:
            value = plain(given)(*states)
        except Exception as error:
            error.add_note(f"raised by {name} at t = {self.t0:.9g}, the initial state")
            raise
        if not _is_sparse(value):
            value = np.asarray(value)
            require_finite(name, value, self.t0)
        return value

    def _of_function(self, name, given, shape) -> Piece:
        takes_v, fills = TAKES_V[name], fills_out(given, self.system.inplace)
        python = interpreted_call(name, plain(given), takes_v, self.with_params, fills, shape)
        if fills:
            out = np.zeros(int(np.prod(shape)))
            python(self.t0, self.q0, self.v0, self.p, out)
            require_finite(name, out, self.t0)
        call = python
        if self.compiled:
            function = self.wrap(plain(given)) if not _is_jitted(given) else given
            call = compiled_call(function, takes_v, self.with_params, fills, shape, self.wrap)
        pattern = full_pattern(*shape) if name in MATRICES and len(shape) == 2 else None
        return Piece(name, call, python, shape, pattern)

    def _of_sparse(self, name, given, shape, value) -> Piece:
        if self.compiled:
            raise CompilationError(f"{name} returns a scipy.sparse matrix, which cannot be compiled; use ga.Sparse")
        if value.shape != shape:
            raise ShapeError(f"{name} returns shape {value.shape}, expected {shape}")
        keys = _keys(value, shape[1])
        for q, v in self._nearby():
            states = [self.t0, q] + [v] * TAKES_V[name] + [self.p] * self.with_params
            keys = np.union1d(keys, _keys(plain(given)(*states), shape[1]))
        if name == "M":
            keys = np.union1d(keys, np.arange(shape[0]) * (shape[1] + 1))
        call = sparse_call(name, plain(given), TAKES_V[name], self.with_params, keys, shape[1])
        return Piece(name, call, call, shape, Pattern(*np.divmod(keys, shape[1])))

    def _of_constant(self, name, given, shape) -> Piece:
        if _is_sparse(given):
            given = given.toarray()
        value = np.asarray(given, dtype=float)
        if value.ndim == 0 and value == 0.0 and None not in shape:
            value = np.zeros(shape)
        if value.shape != shape:
            raise ShapeError(f"{name} has shape {value.shape}, expected {shape}")
        require_finite(name, value, self.t0)
        values, pattern = value.ravel(), None
        if name in MATRICES:
            keep = value != 0.0
            if name == "M":
                keep |= np.eye(shape[0], dtype=bool)
            pattern = Pattern(*(index.astype(np.int64) for index in np.nonzero(keep)))
            values = value[pattern.rows, pattern.cols]

        def call(t, q, v, p, out):
            copy_to(values, out)

        return Piece(name, self.wrap(call), call, shape, pattern, constant=values)

    # complex safety

    def _nearby(self):
        """Two generic states near the initial one, always the same."""
        random = np.random.default_rng(20070610)
        for scale in (1e-3, 1e-1):
            yield tuple(
                x + scale * (1.0 + np.abs(x)) * random.uniform(0.5, 1.0, x.size) * random.choice([-1.0, 1.0], x.size)
                for x in (self.q0, self.v0)
            )

    def is_safe(self, name: str) -> bool:
        """Can the function take complex numbers? Compared with differences at generic states; warned about if not."""
        if name not in self.safe:
            self.safe[name] = all(self._agrees(self.pieces[name], q, v) for q, v in self._nearby())
            if not self.safe[name]:
                note = (
                    f"{name} cannot be differentiated by complex step (max, abs, comparisons or the math module?): "
                    f"its derivatives come from differences; use NumPy's functions or give the derivatives"
                )
                self.notes.append(note)
                warnings.warn(note, DerivativeWarning, stacklevel=2)
        return self.safe[name]

    def _agrees(self, piece, q, v) -> bool:
        same = lambda function: function  # noqa: E731
        exact, difference = np.zeros(piece.size), np.zeros(piece.size)
        dq = np.cos(1.0 + np.arange(self.n))
        dv = np.sin(1.0 + np.arange(self.n)) if TAKES_V[piece.name] else np.zeros(self.n)
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                differentiate.first_derivative(piece.python, False, same)(self.t0, q, v, dq, dv, self.p, difference)
            except Exception:
                return True  # the state is outside the function's domain and tells nothing
            if not np.all(np.isfinite(difference)):
                return True
            try:
                differentiate.first_derivative(piece.python, True, same)(self.t0, q, v, dq, dv, self.p, exact)
                extra = np.zeros(piece.size)
                differentiate.time_derivative(piece.python, True, same)(self.t0, q, v, dq, self.p, extra)
            except Exception:
                return False
        scale = 1e-6 + np.max(np.abs(difference), initial=0.0)
        return bool(np.max(np.abs(exact - difference), initial=0.0) <= 1e-4 * scale)

    # the evaluators

    def contract(self) -> Contract:
        n, system = self.n, self.system
        M, f = self.piece("M", (n, n)), self.piece("f", (n,))
        g = self.piece("g", (system.ng,))
        k = self.piece("k", (system.nk,))
        ng, nk = (g.shape[0] if g else 0), (k.shape[0] if k else 0)
        for name, shape in (("g_q", (ng, n)), ("g_t", (ng,)), ("g_bias", (ng,)), ("k_v", (nk, n)), ("k_q", (nk, n)),
                            ("k_t", (nk,)), ("f_q", (n, n)), ("f_v", (n, n))):  # fmt: skip
            self.piece(name, shape)
        stiffness, S = self._tangent(M, f, ng, nk, in_velocity=False)
        damping, C = self._tangent(M, f, ng, nk, in_velocity=True)
        position, velocity, everything = self._of_position, self._of_velocity, self._of_everything
        evaluators = Evaluators(
            M=position(M.call), f=velocity(f.call), stiffness=everything(stiffness), damping=everything(damping),
            g=position(g.call if g else None), G=position(self._gradient("g", "g_q", False)),
            g_t=position(self._g_t()), g_bias=velocity(self._g_bias()),
            k=velocity(k.call if k else None), K=velocity(self._gradient("k", "k_v", True)),
            k_bias=velocity(self._k_bias()), update=plus,
        )  # fmt: skip
        if self.compiled:
            evaluators = self._compile(evaluators)
        patterns = {
            "M": M.pattern, "stiffness": S, "damping": C,
            "G": self._pattern("g_q", ng), "K": self._pattern("k_v", nk),
        }  # fmt: skip
        numerical = any(S_.size and name not in self.pieces for S_, name in ((S, "f_q"), (C, "f_v")))
        return Contract(
            nq=n, nv=n, ng=ng, nk=nk, evaluators=evaluators, data=self.p, patterns=patterns,
            names=self._names(ng, nk), compiled=self.compiled, constant_M=M.constant,
            numerical_tangent=numerical, notes=tuple(self.notes), locate=self._locate,
        )  # fmt: skip

    def _pattern(self, name, n_rows) -> Pattern:
        if name in self.pieces:
            return self.pieces[name].pattern
        return full_pattern(n_rows, self.n) if n_rows else EMPTY

    def _names(self, ng, nk):
        names = {"q": self.n, "g": ng, "k": nk}
        given = dict(self.system.names or {})
        for kind, size in names.items():
            if kind in given and len(given[kind]) != size:
                raise InputError(f"names[{kind!r}] has {len(given[kind])} names for {size} entries")
        return {kind: list(given.get(kind, (f"{kind}[{i}]" for i in range(size)))) for kind, size in names.items()}

    def _gradient(self, name, derivative, in_velocity):
        """G or K: given, or by complex step."""
        if derivative in self.pieces:
            return self.pieces[derivative].call
        if name not in self.pieces:
            return None
        along = differentiate.first_derivative(self.pieces[name].call, self.is_safe(name), self.wrap)
        return differentiate.gradient(along, self.wrap, in_velocity)

    def _g_t(self):
        if "g_t" in self.pieces:
            return self.pieces["g_t"].call
        if "g" not in self.pieces:
            return None
        along = differentiate.time_derivative(self.pieces["g"].call, self.is_safe("g"), self.wrap)

        def g_t(t, q, v, p, out):
            along(t, q, v, np.zeros(q.size), p, out)

        return self.wrap(g_t)

    def _g_bias(self):
        if "g_bias" in self.pieces:
            return self.pieces["g_bias"].call
        if "g" not in self.pieces:
            return None
        return differentiate.second_derivative(self.pieces["g"].call, self.is_safe("g"), self.wrap)

    def _k_bias(self):
        """k_q v + k_t: given, or by complex step along (1, v)."""
        if "k" not in self.pieces:
            return None
        along = None
        if "k_q" in self.pieces and "k_t" in self.pieces and self.pieces["k_q"].is_dense:
            k_q, k_t = self.pieces["k_q"].call, self.pieces["k_t"].call

            def k_bias(t, q, v, p, out):
                matrix = np.empty(out.size * v.size)
                k_q(t, q, v, p, matrix)
                k_t(t, q, v, p, out)
                add_product(matrix, v, out)

        else:
            along = differentiate.time_derivative(self.pieces["k"].call, self.is_safe("k"), self.wrap)

            def k_bias(t, q, v, p, out):
                along(t, q, v, v, p, out)

        return self.wrap(k_bias)

    def _tangent(self, M, f, ng, nk, in_velocity):
        """Stiffness or damping: (function of (t, q, v, v̇, mu, p, out), pattern)."""
        given = self.pieces.get("f_v" if in_velocity else "f_q")
        if given is not None and not given.is_dense and self._is_sparse_system():
            # the stiffness of the constraints is left out: it would fill the pattern, and steers the iteration only
            return self._negative(given), given.pattern
        parts = [p for p in self._parts(M, f, given, ng, nk, in_velocity) if p is not None]
        if not parts:
            return None, EMPTY
        parts += [differentiate.no_part(self.wrap)] * (4 - len(parts))
        one, two, three, four = parts

        def tangent(t, q, v, vdot, mu, p, out):
            clear(out)
            one(t, q, v, vdot, mu, p, out)
            two(t, q, v, vdot, mu, p, out)
            three(t, q, v, vdot, mu, p, out)
            four(t, q, v, vdot, mu, p, out)

        return tangent, full_pattern(self.n, self.n)

    def _is_sparse_system(self):
        names = ("M", "g_q", "k_v", "f_q", "f_v")
        function = [self.pieces[name] for name in names if name in self.pieces]
        return any(not piece.is_dense and piece.constant is None for piece in function) or self.n > 100

    def _negative(self, piece):
        call = piece.call

        def tangent(t, q, v, vdot, mu, p, out):
            call(t, q, v, p, out)
            negate(out)

        return tangent

    def _parts(self, M, f, given, ng, nk, in_velocity):
        d, wrap = differentiate, self.wrap
        if not in_velocity and M.constant is None and M.is_dense:
            yield d.mass_part(d.first_derivative(M.call, self.is_safe("M"), wrap), wrap)
        if given is None:
            along = d.first_derivative(f.call, self.is_safe("f"), wrap)
            yield d.force_part(d.gradient(along, wrap, in_velocity), wrap)
        elif given.size:
            yield d.force_part(self._dense_call(given), wrap)
        if ng and not in_velocity and not self._is_sparse_system():
            yield d.constraint_part(self._along_rows("g", "g_q", False), 0, ng, False, wrap)
        if nk and not self._is_sparse_system() and (not in_velocity or "k_v" in self.pieces):
            yield d.constraint_part(self._along_rows("k", "k_v", True), ng, nk, in_velocity, wrap)

    def _dense_call(self, piece):
        if piece.is_dense:
            return piece.call
        call, rows, cols, size, n = piece.call, piece.pattern.rows, piece.pattern.cols, piece.size, self.n

        def dense(t, q, v, p, out):
            values = np.empty(size)
            call(t, q, v, p, values)
            put_values(rows, cols, values, n, out)

        return self.wrap(dense)

    def _along_rows(self, name, derivative, in_velocity):
        """Derivative of G or K along a direction, for the stiffness of the constraint forces."""
        if derivative in self.pieces and self.pieces[derivative].constant is None:
            return differentiate.first_derivative(self.pieces[derivative].call, self.is_safe(derivative), self.wrap)
        return differentiate.forward_derivative(self._gradient(name, derivative, in_velocity), self.wrap)

    # signatures of the contract

    def _of_position(self, call):
        if call is None:
            return nothing_of_position

        def evaluator(t, q, data, out):
            call(t, q, q, data, out)

        return evaluator

    def _of_velocity(self, call):
        if call is None:
            return nothing_of_velocity

        def evaluator(t, q, v, data, out):
            call(t, q, v, data, out)

        return evaluator

    def _of_everything(self, tangent):
        return tangent if tangent is not None else nothing_of_everything

    def _compile(self, evaluators: Evaluators) -> Evaluators:
        from genalpha.jit import compile_closure, fingerprint
        from genalpha.signatures import VECTOR, signatures

        compiled = []
        for name, function, signature in zip(Evaluators._fields, evaluators, signatures(VECTOR), strict=True):
            try:
                compiled.append(compile_closure(function, signature, fingerprint(function)))
            except Exception as error:
                raise CompilationError(
                    f"{name} could not be compiled; numba says:\n{error}\nPass compile=False to run interpreted."
                ) from error
        return Evaluators(*compiled)

    def _locate(self, t, q, v) -> str | None:
        """Name of the first user function that gives NaN or inf at (t, q, v)."""
        for name, piece in self.pieces.items():
            out = np.zeros(piece.size)
            with np.errstate(all="ignore"):
                piece.python(t, q, v, self.p, out)
            if not np.all(np.isfinite(out)):
                return name
        return None


def plus(q0, delta, data, q1):
    """q1 = q0 + Δ: the update of a vector space."""
    np.add(q0, delta, q1)


def nothing_of_position(t, q, data, out):
    """An absent block."""


def nothing_of_velocity(t, q, v, data, out):
    """An absent block."""


def nothing_of_everything(t, q, v, vdot, mu, data, out):
    """An absent block."""


def _is_sparse(value) -> bool:
    # scipy is not imported to ask: a sparse matrix has brought it along
    return type(value).__module__.startswith("scipy.sparse")


def _is_jitted(function) -> bool:
    return is_compilable(function) and plain(function) is function


def _keys(matrix, n_cols):
    matrix = matrix.tocoo()
    return np.unique(matrix.row.astype(np.int64) * n_cols + matrix.col)

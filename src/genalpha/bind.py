"""From a `System` of functions to the contract: evaluators with fixed signatures, missing derivatives, compilation."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import numpy as np

from genalpha import differentiate
from genalpha.contract import EMPTY, Contract, Evaluators, Pattern, full_pattern
from genalpha.errors import CompilationError, InputError, ShapeError
from genalpha.functions import ignores_time
from genalpha.math.differences import add_product, clear, join, put_block, put_values
from genalpha.pieces import Pieces

if TYPE_CHECKING:
    from genalpha.system import System


def bind(system: System, t0: float, q0, v0) -> Contract:
    """Sizes and patterns from the functions' values at (t0, q0, v0) and nearby; see `System.contract`."""
    return Binding(Pieces(system, t0, q0, v0)).contract()


class Binding:
    """The evaluators of the contract, made of the pieces that a user gave."""

    def __init__(self, pieces: Pieces):
        self.pieces, self.wrap, self.n = pieces, pieces.wrap, pieces.n
        system, n = pieces.system, pieces.n
        pieces.add("M", (n, n))
        g, k = pieces.add("g", (system.ng,)), pieces.add("k", (system.nk,))
        gap = pieces.add("gap", (system.nc,))
        self.ng, self.nk, self.nc = (piece.shape[0] if piece else 0 for piece in (g, k, gap))
        pieces.take_multipliers(self.ng, self.nk)
        pieces.add("f", (n,))
        for name, shape in self.shapes().items():
            pieces.add(name, shape)

    def shapes(self):
        """Shapes of the derivatives that users may give."""
        n, ng, nk, nc = self.n, self.ng, self.nk, self.nc
        return {"g_q": (ng, n), "g_t": (ng,), "g_bias": (ng,), "k_v": (nk, n), "k_q": (nk, n), "k_t": (nk,),
                "f_q": (n, n), "f_v": (n, n), "f_lam": (n, ng), "f_psi": (n, nk),
                "gap_q": (nc, n), "gap_t": (nc,), "gap_bias": (nc,)}  # fmt: skip

    def contract(self) -> Contract:
        """Everything, compiled if the system is."""
        pieces = self.pieces
        names = self._names()
        if pieces.compiled:
            from genalpha.compiling import compile_evaluators, find_culprit, remember, remembered

            for refusal in remembered(pieces):
                pieces.refuse_complex(*refusal)
        evaluators, S, C = self._evaluators()
        while pieces.compiled:
            try:
                evaluators = compile_evaluators(evaluators)
                break
            except CompilationError:
                # a function that numba cannot compile for complex numbers gets differences
                culprit = find_culprit(pieces)
                if culprit is None:
                    raise
                pieces.refuse_complex(*culprit)
                remember(pieces, *culprit)
                evaluators, S, C = self._evaluators()
        M = pieces["M"]
        return Contract(
            nq=self.n, nv=self.n, ng=self.ng, nk=self.nk, nc=self.nc, evaluators=evaluators, data=pieces.p,
            patterns={
                "M": M.pattern, "stiffness": S, "damping": C,
                "G": self._pattern("g_q", self.ng), "K": self._pattern("k_v", self.nk),
                "N": self._pattern("gap_q", self.nc),
                "force_mu": full_pattern(self.n, self.ng + self.nk) if self.multipliers_in_f else EMPTY,
            },
            names=names, compiled=pieces.compiled, constant_M=M.constant,
            numerical_tangent=self._differentiates(S, C), flat=True, e=self._restitution(),
            scleronomic=self._rests("g_t", self.ng) and self._rests("gap_t", self.nc),
            multipliers_in_f=self.multipliers_in_f,
            notes=tuple(pieces.notes), locate=self._locate,
        )  # fmt: skip

    @property
    def multipliers_in_f(self) -> bool:
        """Does the force contain the multipliers?"""
        return self.pieces.system.multipliers_in_f

    def _differentiates(self, S, C) -> bool:
        """Are stiffness and damping, as far as there are any, made by numerical differentiation?"""
        given = all(not pattern.size or name in self.pieces for pattern, name in ((S, "f_q"), (C, "f_v")))
        gradients = ((self.ng, "g_q"), (self.nk, "k_v"), (self.nc, "gap_q"))
        rows = any(size and not self._is_constant(name) for size, name in gradients)
        if self.multipliers_in_f:
            return not given or any(size and name not in self.pieces for size, name in self._multipliers())
        return not given or (not self._is_sparse_system() and (rows or self.pieces["M"].constant is None))

    def _multipliers(self):
        """Numbers of multipliers, and the names of the derivatives with respect to them."""
        return ((self.ng, "f_lam"), (self.nk, "f_psi"))

    def _evaluators(self) -> tuple[Evaluators, Pattern, Pattern]:
        """All evaluators in plain Python, and the patterns of stiffness and damping."""
        stiffness, S = self._tangent(in_velocity=False)
        damping, C = self._tangent(in_velocity=True)
        given = {name: piece.call for name, piece in self.pieces.items()}
        evaluators = Evaluators(
            M=_of_position(given["M"]), f=_of_velocity(None if self.multipliers_in_f else given["f"]),
            force=self._of_multipliers(given["f"]), force_mu=self._force_mu(),
            stiffness=stiffness or nothing_of_everything, damping=damping or nothing_of_everything,
            g=_of_position(given.get("g")), G=_of_position(self._gradient("g", "g_q", False)),
            g_t=_of_position(self._rate("g")), g_bias=_of_velocity(self._bias("g")),
            k=_of_velocity(given.get("k")), K=_of_velocity(self._gradient("k", "k_v", True)),
            k_bias=_of_velocity(self._k_bias()),
            gap=_of_position(given.get("gap")), N=_of_position(self._gradient("gap", "gap_q", False)),
            gap_t=_of_position(self._rate("gap")), gap_bias=_of_velocity(self._bias("gap")), update=plus,
            untwist=nothing_to_untwist, twist=nothing_to_twist,
        )  # fmt: skip
        return evaluators, S, C

    def _pattern(self, name, n_rows) -> Pattern:
        if name in self.pieces:
            return self.pieces[name].pattern
        return full_pattern(n_rows, self.n) if n_rows else EMPTY

    def _names(self):
        given = dict(self.pieces.system.names or {})
        sizes = {"q": self.n, "g": self.ng, "k": self.nk, "gap": self.nc}
        for kind, size in sizes.items():
            if kind in given and len(given[kind]) != size:
                raise InputError(f"names[{kind!r}] has {len(given[kind])} names for {size} entries")
        return {kind: list(given.get(kind, (f"{kind}[{i}]" for i in range(size)))) for kind, size in sizes.items()}

    def _restitution(self):
        e = np.asarray(self.pieces.system.e, dtype=float)
        if e.ndim and e.size != self.nc:
            raise ShapeError(f"e has {e.size} entries for {self.nc} contacts; give one number for all, or one for each")
        return np.broadcast_to(e.reshape(-1), self.nc).copy()

    def _rests(self, name, size) -> bool:
        """Is there no such constraint, or does it not depend on time?"""
        return not size or self._is_zero(name) or self._ignores_time(name.removesuffix("_t"))

    def _ignores_time(self, name) -> bool:
        """Is ∂/∂t of a constraint not given, but zero because the constraint never reads t?"""
        return f"{name}_t" not in self.pieces and ignores_time(getattr(self.pieces.system, name))

    # derivatives of the constraints: given, or by complex step

    def _first(self, name):
        """Derivative of a piece along (dq, dv)."""
        return self._best(name, False, differentiate.first_derivative)

    def _matrix(self, name, in_velocity):
        """All derivatives of a piece with respect to q, or to v."""
        columns = functools.partial(differentiate.gradient, in_velocity=in_velocity, first=0, count=self.n)
        return self._best(name, False, columns)

    def _best(self, name, in_time, derivative):
        """A derivative by complex step, or by differences if the function does not bear complex numbers."""
        pieces, call = self.pieces, self.pieces[name].call
        differences = derivative(call, False, self.wrap)
        if not pieces.is_safe(name, in_time):
            return differences
        exact = derivative(call, True, self.wrap)
        if pieces.compiled:
            return exact

        def along(*arguments):
            # a function may show only later that it does not bear complex numbers
            if not pieces.unsafe[name, in_time]:
                try:
                    return exact(*arguments)
                except TypeError:
                    differences(*arguments)  # an exception that real numbers raise too is the user's
                    pieces.refuse_complex(name, in_time)
            differences(*arguments)

        return along

    def _gradient(self, name, derivative, in_velocity):
        """G or K."""
        if derivative in self.pieces:
            return self.pieces[derivative].call
        if name not in self.pieces:
            return None
        return self._matrix(name, in_velocity)

    def _rate(self, name):
        """g_t or gap_t."""
        if f"{name}_t" in self.pieces:
            return self.pieces[f"{name}_t"].call
        if name not in self.pieces or self._ignores_time(name):
            return None
        along = self._best(name, True, differentiate.time_derivative)

        def rate(t, q, v, p, out):
            along(t, q, v, np.zeros(q.size), p, out)

        return self.wrap(rate)

    def _bias(self, name):
        """g_bias or gap_bias."""
        if f"{name}_bias" in self.pieces:
            return self.pieces[f"{name}_bias"].call
        if name not in self.pieces:
            return None
        step = self.second_step(name) if self.pieces.is_safe(name, True) else differentiate.STEP_45
        return self._best(name, True, functools.partial(differentiate.second_derivative, step=step))

    def second_step(self, name) -> float:
        """The step of the complex step at 45 degrees that suits a function."""
        pieces, piece = self.pieces, self.pieces[name]
        states = [(pieces.t0, q, v, pieces.p) for q, v in ((pieces.q0, pieces.v0), *pieces.nearby())]
        with np.errstate(all="ignore"):
            try:
                return differentiate.choose_step(piece.python, states, piece.size)
            except Exception:  # a nearby state is outside of the function's domain
                return differentiate.STEP_45

    def _k_bias(self):
        """k_q v + k_t: given, or by complex step along (1, v)."""
        if "k" not in self.pieces:
            return None
        if "k_q" in self.pieces and "k_t" in self.pieces:
            k_q, k_t = self.pieces["k_q"].call, self.pieces["k_t"].call
            rows, cols, size = *self.pieces["k_q"].pattern, self.pieces["k_q"].size

            def k_bias(t, q, v, p, out):
                values = np.empty(size)
                k_q(t, q, v, p, values)
                k_t(t, q, v, p, out)
                add_product(rows, cols, values, v, out)

        else:
            along = self._best("k", True, differentiate.time_derivative)

            def k_bias(t, q, v, p, out):
                along(t, q, v, v, p, out)

        return self.wrap(k_bias)

    # a force that contains the multipliers

    def _of_multipliers(self, call):
        """The evaluator of a force function that takes (v, lam, psi) in one vector."""
        if not self.multipliers_in_f:
            return nothing_of_multipliers

        def evaluator(t, q, v, mu, data, out):
            call(t, q, join(v, mu), data, out)

        return evaluator

    def _force_mu(self):
        """∂f/∂(lam, psi) as one dense matrix: given, or by complex step."""
        if not self.multipliers_in_f:
            return nothing_of_multipliers
        blocks, n, m, first = [], self.n, self.ng + self.nk, 0
        for size, name in self._multipliers():
            if name in self.pieces:
                blocks.append((self._dense_call(self.pieces[name], size), first, size))
            else:
                columns = functools.partial(differentiate.gradient, in_velocity=True, first=n + first, count=size)
                blocks.append((self._best("f", False, columns), first, size))
            first += size
        (one, at_one, n_one), (two, at_two, n_two) = blocks

        def force_mu(t, q, v, mu, data, out):
            w = join(v, mu)
            if n_one:
                block = np.empty(n * n_one)
                one(t, q, w, data, block)
                put_block(block, n, n_one, at_one, m, out)
            if n_two:
                block = np.empty(n * n_two)
                two(t, q, w, data, block)
                put_block(block, n, n_two, at_two, m, out)

        return force_mu

    def _of_states(self, call):
        """A force function that takes (t, q, v, mu, p, out), whether it depends on mu or not."""
        if self.multipliers_in_f:

            def function(t, q, v, mu, p, out):
                call(t, q, join(v, mu), p, out)

        else:

            def function(t, q, v, mu, p, out):
                call(t, q, v, p, out)

        return self.wrap(function)

    # stiffness and damping

    def _tangent(self, in_velocity):
        """Stiffness or damping: (function of (t, q, v, v̇, mu, p, out), pattern)."""
        given = self.pieces.get("f_v" if in_velocity else "f_q")
        if given is not None and not given.is_dense and self._is_sparse_system():
            # the stiffness of the constraints is left out: it would fill the pattern, and steers the iteration only
            return (differentiate.negative(self._of_states(given.call)), given.pattern) if given.size else (None, EMPTY)
        parts = list(self._parts(given, in_velocity))
        if not parts:
            return None, EMPTY
        parts += [differentiate.no_part(self.wrap)] * (5 - len(parts))
        one, two, three, four, five = parts

        def tangent(t, q, v, vdot, mu, p, out):
            clear(out)
            one(t, q, v, vdot, mu, p, out)
            two(t, q, v, vdot, mu, p, out)
            three(t, q, v, vdot, mu, p, out)
            four(t, q, v, vdot, mu, p, out)
            five(t, q, v, vdot, mu, p, out)

        return tangent, full_pattern(self.n, self.n)

    def _is_sparse_system(self):
        given = [self.pieces[name] for name in ("M", "g_q", "k_v", "gap_q", "f_q", "f_v") if name in self.pieces]
        return any(not piece.is_dense and piece.constant is None for piece in given) or self.n > 100

    def _parts(self, given, in_velocity):
        d, wrap, M, f = differentiate, self.wrap, self.pieces["M"], self.pieces["f"]
        if not in_velocity and M.constant is None and M.is_dense and self._varies("M"):
            yield d.mass_part(self._first("M"), wrap)
        if given is None and f.constant is None:
            yield d.force_part(self._of_states(self._matrix("f", in_velocity)), wrap)
        elif given is not None and given.size:
            yield d.force_part(self._of_states(self._dense_call(given, self.n)), wrap)
        if self._is_sparse_system() or self.multipliers_in_f:
            return
        if self.ng and not in_velocity and not self._is_constant("g_q"):
            yield d.constraint_part(self._along_rows("g", "g_q", False), 0, self.ng, False, wrap)
        if self.nk and (not in_velocity or "k_v" in self.pieces) and not self._is_constant("k_v"):
            yield d.constraint_part(self._along_rows("k", "k_v", True), self.ng, self.nk, in_velocity, wrap)
        if self.nc and not in_velocity and not self._is_constant("gap_q"):
            along = self._along_rows("gap", "gap_q", False)
            yield d.constraint_part(along, self.ng + self.nk, self.nc, False, wrap)

    def _varies(self, name) -> bool:
        """Is the piece different at nearby states? If it only seems constant, the iteration is steered a bit worse."""
        pieces, piece = self.pieces, self.pieces[name]
        values = []
        for q, v in [(pieces.q0, pieces.v0), *pieces.nearby()]:
            values.append(np.zeros(piece.size))
            try:
                piece.python(pieces.t0, q, v, pieces.p, values[-1])
            except Exception:
                return True  # the state is outside the function's domain and tells nothing
        return any(np.any(value != values[0]) for value in values[1:])

    def _is_zero(self, name):
        return self._is_constant(name) and not np.any(self.pieces[name].constant)

    def _is_constant(self, name):
        return name in self.pieces and self.pieces[name].constant is not None

    def _dense_call(self, piece, n):
        """All entries of a matrix with n columns, row by row."""
        if piece.is_dense and piece.constant is None:
            return piece.call
        call, rows, cols, size = piece.call, piece.pattern.rows, piece.pattern.cols, piece.size

        def dense(t, q, v, p, out):
            values = np.empty(size)
            call(t, q, v, p, values)
            put_values(rows, cols, values, n, out)

        return self.wrap(dense)

    def _along_rows(self, name, derivative, in_velocity):
        """Derivative of G or K along a direction, for the stiffness of the constraint forces."""
        if derivative in self.pieces:
            return self._first(derivative)
        return differentiate.forward_derivative(self._gradient(name, derivative, in_velocity), self.wrap)

    def _locate(self, t, q, v, mu=None) -> str | None:
        """Name of the first user function that gives NaN or inf at a state; None if the state itself does."""
        if not (np.all(np.isfinite(q)) and np.all(np.isfinite(v))):
            return None
        for name, piece in self.pieces.items():
            out = np.zeros(piece.size)
            with np.errstate(all="ignore"):
                piece.python(t, q, self.pieces.second(name, v, mu), self.pieces.p, out)
            if not np.all(np.isfinite(out)):
                return name
        return None


# signatures of the contract


def plus(q0, delta, data, q1):
    """q1 = q0 + Δ: the update of a vector space."""
    np.add(q0, delta, q1)


def nothing_to_twist(v, factor, data, out):
    """The tangent operator of a vector space is 1."""


def nothing_to_untwist(delta, data, x):
    """T = 1 in a vector space."""


def nothing_of_position(t, q, data, out):
    """An absent block."""


def nothing_of_velocity(t, q, v, data, out):
    """An absent block."""


def nothing_of_multipliers(t, q, v, mu, data, out):
    """An absent block."""


def nothing_of_everything(t, q, v, vdot, mu, data, out):
    """An absent block."""


def _of_position(call):
    if call is None:
        return nothing_of_position

    def evaluator(t, q, data, out):
        call(t, q, q, data, out)

    return evaluator


def _of_velocity(call):
    if call is None:
        return nothing_of_velocity

    def evaluator(t, q, v, data, out):
        call(t, q, v, data, out)

    return evaluator

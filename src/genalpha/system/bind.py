"""From a `System` of functions to the contract: evaluators with fixed signatures, missing derivatives, compilation."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import numpy as np

from genalpha.errors import CompilationError, InputError, ShapeError
from genalpha.math.differences import add_product, clear, join, put_block, put_values
from genalpha.system import differentiate
from genalpha.system.block import (
    ALL_KINDS,
    BILATERAL,
    HOLONOMIC,
    NONHOLONOMIC,
    SLIP,
    TANGENTIAL,
    UNILATERAL,
    Block,
    Kind,
    stacked,
)
from genalpha.system.contract import EMPTY, Contract, Evaluators, Pattern, full_pattern, stacked_pattern
from genalpha.system.differentiate import (
    chained,
    nothing_of_everything,
    nothing_of_multipliers,
    nothing_to_twist,
    nothing_to_untwist,
    of_position,
    of_velocity,
    plus,
)
from genalpha.system.friction import Friction, names_of_slip
from genalpha.system.functions import ignores_time
from genalpha.system.pieces import Pieces
from genalpha.system.slip import friction_of, require_affine, rows_of_slip

if TYPE_CHECKING:
    from genalpha.system.system import System


def bind(system: System, t0: float, q0, v0) -> Contract:
    """Sizes and patterns from the functions' values at (t0, q0, v0) and nearby; see `System.contract`."""
    return Binding(Pieces(system, t0, q0, v0)).contract()


class Binding:
    """The evaluators of the contract, made of the pieces that a user gave."""

    def __init__(self, pieces: Pieces):
        self.pieces, self.wrap, self.n = pieces, pieces.wrap, pieces.n
        system, n = pieces.system, pieces.n
        pieces.add("M", (n, n))
        for block in system.blocks:
            pieces.add(block.name, self._shape_of(block))
        self.blocks = tuple(block for block in stacked(system.blocks) if block.name in pieces)
        pieces.take_multipliers(self.size(HOLONOMIC), self.size(NONHOLONOMIC))
        pieces.add("f", (n,))
        for name, shape in self.shapes().items():
            pieces.add(name, shape)
        self._names = self._all_names()
        for block in self.blocks:
            if block.kind == TANGENTIAL:
                require_affine(pieces, block.name, self._names[1][block.name])

    def shapes(self):
        """Shapes of the derivatives that users may give."""
        n, found = self.n, {}
        for block in self.blocks:
            rows = self.rows(block)
            found |= {name: (rows, n) if of in ("q", "v") else (rows,) for name, of in block.derivatives.items()}
        if SLIP.name in self.pieces:
            found["slip_t"] = self._shape_of(SLIP)
        return {**found, "f_q": (n, n), "f_v": (n, n), **{name: (n, size) for size, name in self._multipliers()}}

    def rows(self, block: Block) -> int:
        """Number of rows of a block."""
        return self.pieces[block.name].shape[0]

    def size(self, *kinds: Kind) -> int:
        """Number of rows of some kinds."""
        return sum(self.rows(block) for block in self.blocks if block.kind in kinds)

    def contract(self) -> Contract:
        """Everything, compiled if the system is."""
        pieces = self.pieces
        coordinates, names = self._names
        rows = stacked([block.of(names[block.name]) for block in pieces.system.blocks])
        if pieces.compiled:
            from genalpha.system.compiling import compile_evaluators, find_culprit, remember, remembered

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
            nq=self.n, nv=self.n, blocks=rows, evaluators=evaluators, data=pieces.p,
            patterns={
                "M": M.pattern, "stiffness": S, "damping": C,
                **{kind.gradient: self._pattern(kind) for kind in ALL_KINDS},
                "force_mu": full_pattern(self.n, self.size(*BILATERAL)) if self.multipliers_in_f else EMPTY,
            },
            coordinates={"q": coordinates}, compiled=pieces.compiled, constant_M=M.constant,
            numerical_tangent=self._differentiates(S, C), flat=True, e=self._restitution(), friction=self._friction(),
            scleronomic=all(self._rests(block) for block in self.blocks if block.kind.rate),
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
        rows = any(self.rows(block) and not self._is_constant(block.gradient) for block in self._stacked())
        if self.multipliers_in_f:
            return not given or any(size and name not in self.pieces for size, name in self._multipliers())
        return not given or (not self._is_sparse_system() and (rows or self.pieces["M"].constant is None))

    def _multipliers(self):
        """Numbers of multipliers, and the names of the derivatives with respect to them."""
        return ((self.size(HOLONOMIC), "f_lam"), (self.size(NONHOLONOMIC), "f_psi"))

    def _evaluators(self) -> tuple[Evaluators, Pattern, Pattern]:
        """All evaluators in plain Python, and the patterns of stiffness and damping."""
        stiffness, S = self._tangent(in_velocity=False)
        damping, C = self._tangent(in_velocity=True)
        given = {name: piece.call for name, piece in self.pieces.items()}
        evaluators = Evaluators(
            M=of_position(given["M"]), f=of_velocity(None if self.multipliers_in_f else given["f"]),
            force=self._of_multipliers(given["f"]), force_mu=self._force_mu(),
            stiffness=stiffness or nothing_of_everything, damping=damping or nothing_of_everything,
            **self._of_kind(HOLONOMIC), **self._of_kind(NONHOLONOMIC), **self._of_kind(UNILATERAL),
            **self._of_kind(TANGENTIAL),
            update=plus, untwist=nothing_to_untwist, twist=nothing_to_twist,
        )  # fmt: skip
        return evaluators, S, C

    def _of_kind(self, kind: Kind):
        """The evaluators of all rows of a kind: those of its blocks, one behind the other."""
        blocks = [block for block in self.blocks if block.kind == kind]
        rows, entries = [self.rows(block) for block in blocks], [self._pattern_of(block).size for block in blocks]
        of_state = of_velocity if kind.of_velocity else of_position
        values, gradients = [self.pieces[block.name].call for block in blocks], [self._gradient(b) for b in blocks]
        bias = self._velocity_bias if kind.of_velocity else self._bias
        found = {
            kind.value: of_state(chained(values, rows, self.wrap)),
            kind.gradient: of_state(chained(gradients, entries, self.wrap)),
            kind.bias: of_velocity(chained([bias(block) for block in blocks], rows, self.wrap)),
        }
        if kind.rate:
            found[kind.rate] = of_position(chained([self._rate(block) for block in blocks], rows, self.wrap))
        return found

    def _pattern(self, kind: Kind) -> Pattern:
        """That of B for all rows of a kind."""
        return stacked_pattern([(self._pattern_of(b), self.rows(b)) for b in self.blocks if b.kind == kind])

    def _pattern_of(self, block: Block) -> Pattern:
        if block.gradient in self.pieces:
            return self.pieces[block.gradient].pattern
        return full_pattern(self.rows(block), self.n) if self.rows(block) else EMPTY

    def _all_names(self):
        """Names of the coordinates, and of the rows of each block; there are none where it was not given."""
        system, found = self.pieces.system, {}
        given = dict(system.names or {})
        sizes = {block.name: self.rows(block) for block in self.blocks}
        for kind, size in [("q", self.n), *((block.name, sizes.get(block.name, 0)) for block in system.blocks)]:
            if kind in given and len(given[kind]) != size:
                raise InputError(f"names[{kind!r}] has {len(given[kind])} names for {size} entries")
            found[kind] = list(given.get(kind, (f"{kind}[{i}]" for i in range(size))))
        if SLIP.name in self.pieces:
            found["slip"] = names_of_slip(found["gap"], self._width)
        return found.pop("q"), found

    def _restitution(self):
        e, nc = np.asarray(self.pieces.system.e, dtype=float), self.size(UNILATERAL)
        if e.ndim and e.size != nc:
            raise ShapeError(f"e has {e.size} entries for {nc} contacts; give one number for all, or one for each")
        return np.broadcast_to(e.reshape(-1), nc).copy()

    # friction

    def _shape_of(self, block: Block) -> tuple[int | None, ...]:
        """What the function of a block gives; of slip one row for each contact, or several."""
        pieces, count = self.pieces, self.pieces.system.given(block.count)
        if block.name != SLIP.name:
            return (count,)
        nc = pieces["gap"].shape[0]
        return rows_of_slip(None if count is not None else pieces.raw(SLIP.name), nc, count)

    @property
    def _width(self) -> int:
        """Rows of slip of each contact."""
        nc = self.size(UNILATERAL)
        return self.rows(SLIP) // nc if nc and SLIP.name in self.pieces else 0

    def _stacked(self) -> list[Block]:
        """The blocks without those of friction, which stiffness and damping know nothing of."""
        return [block for block in self.blocks if block.kind != TANGENTIAL]

    def _friction(self) -> Friction | None:
        names = self._names[1]
        if not self.size(TANGENTIAL):
            return None
        nd = len(names.get("dry", ()))
        return friction_of(
            self.pieces.system, self.size(UNILATERAL), self._width, nd, names["gap"], names.get("dry", ())
        )

    def _rests(self, block: Block) -> bool:
        """Does a block not depend on time, or has it no rows?"""
        return not self.rows(block) or self._is_zero(f"{block.name}_t") or self._ignores_time(block)

    def _ignores_time(self, block: Block) -> bool:
        """Is ∂/∂t of a block not given, but zero because its function never reads t?"""
        return f"{block.name}_t" not in self.pieces and ignores_time(self.pieces.system.given(block.name))

    # derivatives of the constraints: given, or by complex step

    def _first(self, name):
        """Derivative of a piece along (dq, dv)."""
        return self._best(name, False, differentiate.first_derivative)

    def _matrix(self, name, in_velocity):
        """All derivatives of a piece with respect to q, or to v."""
        columns = functools.partial(differentiate.gradient, in_velocity=in_velocity, first=0, count=self.n)
        return self._best(name, False, columns)

    def _best(self, name, in_time, derivative):
        """A derivative by complex step, or by differences if the function cannot take complex numbers."""
        pieces, call = self.pieces, self.pieces[name].call
        differences = derivative(call, False, self.wrap)
        if not pieces.is_safe(name, in_time):
            return differences
        exact = derivative(call, True, self.wrap)
        if pieces.compiled:
            return exact

        def along(*arguments):
            # a function may show only later that it cannot take complex numbers
            if not pieces.unsafe[name, in_time]:
                try:
                    return exact(*arguments)
                except TypeError:
                    differences(*arguments)  # an exception that real numbers raise too is the user's
                    pieces.refuse_complex(name, in_time)
            differences(*arguments)

        return along

    def _gradient(self, block: Block):
        """B of a block: G, K or N."""
        if block.gradient in self.pieces:
            return self.pieces[block.gradient].call
        return self._matrix(block.name, block.kind.of_velocity)

    def _rate(self, block: Block):
        """∂/∂t of a block, None if it is zero."""
        if f"{block.name}_t" in self.pieces:
            return self.pieces[f"{block.name}_t"].call
        if self._ignores_time(block):
            return None
        along = self._best(block.name, True, differentiate.time_derivative)

        def rate(t, q, v, p, out):
            along(t, q, v, np.zeros(q.size), p, out)

        return self.wrap(rate)

    def _bias(self, block: Block):
        """The second derivative of a block of positions along the motion at constant velocity."""
        name = block.name
        if f"{name}_bias" in self.pieces:
            return self.pieces[f"{name}_bias"].call
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

    def _velocity_bias(self, block: Block):
        """k_q v + k_t of a block of velocities: given, or by complex step along (1, v)."""
        in_q, in_t = (self.pieces.get(f"{block.name}_{variable}") for variable in "qt")
        if in_q is not None and in_t is not None:
            k_q, k_t = in_q.call, in_t.call
            rows, cols, size = *in_q.pattern, in_q.size

            def k_bias(t, q, v, p, out):
                values = np.empty(size)
                k_q(t, q, v, p, values)
                k_t(t, q, v, p, out)
                add_product(rows, cols, values, v, out)

        else:
            along = self._best(block.name, True, differentiate.time_derivative)

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
        blocks, n, m, first = [], self.n, self.size(*BILATERAL), 0
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
        add_all = functools.reduce(functools.partial(differentiate.both_parts, wrap=self.wrap), parts)

        def tangent(t, q, v, vdot, mu, p, out):
            clear(out)
            add_all(t, q, v, vdot, mu, p, out)

        return tangent, full_pattern(self.n, self.n)

    def _is_sparse_system(self):
        names = ("M", *(block.gradient for block in self.blocks), "f_q", "f_v")
        given = [self.pieces[name] for name in names if name in self.pieces]
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
        first = 0
        for block in self._stacked():
            varies = not in_velocity or (block.kind.of_velocity and block.gradient in self.pieces)
            if self.rows(block) and varies and not self._is_constant(block.gradient):
                yield d.constraint_part(self._along_rows(block), first, self.rows(block), in_velocity, wrap)
            first += self.rows(block)

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

    def _along_rows(self, block: Block):
        """Derivative of B along a direction, for the stiffness of the constraint forces."""
        if block.gradient in self.pieces:
            return self._first(block.gradient)
        return differentiate.forward_derivative(self._gradient(block), self.wrap)

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

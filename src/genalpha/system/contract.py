"""The contract: all that a stepper may ask of a mechanical system.

    M v̇ = f + Gᵀ lam + Kᵀ psi + Nᵀ lam_n + Tᵀ lam_t,      g(t, q) = 0,      k(t, q, v) = 0,      gap(t, q) ≥ 0

with Coulomb's law between lam_t and slip(t, q, v), see `genalpha.system.friction`.

Every evaluator writes into its last argument, has a fixed signature and gets the same ``data``:

==================================  ===========================================================================
M(t, q, data, out)                  values of the mass matrix
f(t, q, v, data, out)               force
force(t, q, v, mu, data, out)       force that contains the multipliers, M v̇ = force; instead of f
force_mu(t, q, v, mu, data, out)    values of its derivative with respect to mu
stiffness(t, q, v, v̇, mu, data, out)  values of ∂(M v̇ − f − Gᵀ lam − Kᵀ psi − Nᵀ lam_n)/∂q
damping(t, q, v, v̇, mu, data, out)    values of ∂(− f − Kᵀ psi)/∂v
g, G, g_t (t, q, data, out)         constraint, values of its gradient, ∂g/∂t
g_bias(t, q, v, data, out)          g̈ = G v̇ + g_bias
k, K, k_bias (t, q, v, data, out)   constraint, values of ∂k/∂v, k̇ = K v̇ + k_bias
gap, N, gap_t (t, q, data, out)     gap, values of its gradient, ∂gap/∂t; a gap that is no number asks for other
                                    candidates, where there are such
gap_bias(t, q, v, data, out)        gap̈ = N v̇ + gap_bias
slip, T, slip_bias                  slip velocities, affine in v; values of ∂slip/∂v; the rest of their derivative
(t, q, v, data, out)                T v̇ + slip_bias
update(q0, Δ, data, q1)             q1 = q0 ∘ exp(Δ); q0 + Δ in a vector space
untwist(Δ, data, x)                 x ← T(Δ)⁻¹ x, T the tangent operator of exp; x itself in a vector space
twist(v, factor, data, out)         values of factor M ad(v) are added to those of the damping: M T(h v)⁻¹ − M is
                                    M ad(h v)/2 to first order; nothing in a vector space
==================================  ===========================================================================

Matrices are value vectors on patterns that are fixed at assembly. The stiffness and the damping may be approximate:
they steer Newton's iteration and do not enter the solution. They know nothing of friction.
"""

# pyright: reportMissingTypeStubs=false, reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportReturnType=false

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from genalpha.errors import InputError
from genalpha.inputs import Array, Values
from genalpha.system.block import (
    ACCELERATION,
    BILATERAL,
    BLOCKS,
    HOLONOMIC,
    KIND_OF,
    KINDS,
    NONHOLONOMIC,
    TANGENTIAL,
    UNILATERAL,
    VELOCITY,
    Block,
    Kind,
    stacked,
    within_kind,
)
from genalpha.system.friction import Friction

LENGTH, HALF_LENGTH, ANGLE, QUATERNION = range(4)
"""Kinds of coordinates: lengths, halves of lengths, angles, entries of unit quaternions."""


class Evaluators(NamedTuple):
    """The functions of the contract, in the order in which the compiled loop takes them."""

    M: Any
    f: Any
    force: Any
    force_mu: Any
    stiffness: Any
    damping: Any
    g: Any
    G: Any
    g_t: Any
    g_bias: Any
    k: Any
    K: Any
    k_bias: Any
    gap: Any
    N: Any
    gap_t: Any
    gap_bias: Any
    slip: Any
    T: Any
    slip_bias: Any
    update: Any
    untwist: Any
    twist: Any


class Pattern(NamedTuple):
    """Where the values of a matrix belong."""

    rows: NDArray[np.int64]
    cols: NDArray[np.int64]

    @property
    def size(self) -> int:
        return len(self.rows)

    def dense(self, values: Array, shape: tuple[int, int]) -> NDArray[np.float64]:
        """The matrix as a two-dimensional array."""
        matrix = np.zeros(shape)
        np.add.at(matrix, (self.rows, self.cols), values)
        return matrix

    def sparse(self, values: Array, shape: tuple[int, int]) -> Any:
        """The matrix as a scipy.sparse array, compressed by columns."""
        from scipy.sparse import csc_array

        return csc_array((values, (self.rows, self.cols)), shape=shape)

    def times(self, values: Array, x: Array, n_rows: int) -> NDArray[np.float64]:
        """The product of the matrix with a vector."""
        return np.bincount(self.rows, weights=values * x[self.cols], minlength=n_rows)


def full_pattern(n_rows: int, n_cols: int) -> Pattern:
    """All entries, row by row."""
    rows, cols = np.divmod(np.arange(n_rows * n_cols, dtype=np.int64), max(n_cols, 1))
    return Pattern(rows, cols)


def stacked_pattern(parts: Sequence[tuple[Pattern, int]]) -> Pattern:
    """Patterns with so many rows, one above the other."""
    if len(parts) == 1:
        return parts[0][0]
    first = np.cumsum([0, *(n_rows for _, n_rows in parts)])
    rows = [pattern.rows + before for (pattern, _), before in zip(parts, first[:-1], strict=True)]
    return Pattern(np.concatenate([EMPTY.rows, *rows]), np.concatenate([EMPTY.cols, *(p.cols for p, _ in parts)]))


EMPTY = Pattern(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))


class MechanicalSystem:
    """What `solve` integrates: functions, or an assembled model."""

    blocks: ClassVar[tuple[Block, ...]] = BLOCKS
    multipliers_in_f: bool
    names: Any  # of the entries of q, and of the rows of the blocks

    @property
    def has_contacts(self) -> bool:
        """Are there gaps?"""
        raise NotImplementedError

    @property
    def has_friction(self) -> bool:
        """Are there rows of friction?"""
        return False

    @property
    def compiled(self) -> bool:
        """Does it run compiled?"""
        raise NotImplementedError

    def contract(self, t0: float, q0: Values, v0: Values) -> Contract:
        """The system as the stepper sees it."""
        raise NotImplementedError

    def energies(self, t: Array, q: Array, v: Array) -> NDArray[np.float64]:
        """Kinetic and potential energy (nt, 2) of states (nt, nq), (nt, nv)."""
        raise NotImplementedError

    def results(self, solution: Any) -> Callable[[Any], Any]:
        """What gives ``solution[key]`` for a key; a solution makes it once and keeps it."""
        return partial(self.quantity, solution)

    def quantity(self, solution: Any, key: Any) -> Any:
        """What ``solution[key]`` gives."""
        raise NotImplementedError

    def state(self, name: str, values: Values) -> Any:
        """The vector that users gave as ``name``, q0 or v0; systems that name their coordinates take mappings too."""
        return values


@dataclass(frozen=True)
class Contract:
    """A system as the stepper sees it: sizes, blocks of constraint rows, patterns, evaluators, data."""

    nq: int
    nv: int
    blocks: tuple[Block, ...]  # in the order of their rows; evaluators and patterns are those of all rows of a kind
    evaluators: Evaluators
    data: Any
    patterns: Mapping[str, Pattern]  # M, stiffness, damping, G, K, N, T, force_mu
    coordinates: Mapping[str, Sequence[str]]  # names: q; v where the velocities are not those of q one by one
    compiled: bool
    constant_M: NDArray[np.float64] | None = None
    numerical_tangent: bool = False
    flat: bool = False  # update is a plus
    body_frames: bool = False  # velocities are seen from bodies that turn: N(q1) v0 means nothing
    scleronomic: bool = False  # g_t and gap_t are zero
    e: NDArray[np.float64] | None = None  # coefficients of restitution
    friction: Friction | None = None  # what the rows of slip belong to; None if there are none
    multipliers_in_f: bool = False  # force instead of f
    nodes: NDArray[np.int64] | None = None  # (nv + m,): which unknowns form a node of up to three, see math.blocks
    kinds: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None  # of q and of v; None: not known
    notes: tuple[str, ...] = ()
    locate: Callable[..., str | None] | None = None  # which function gives NaN at (t, q, v)?
    candidates: Any = None  # pairs in the last rows of the gaps, which come and go; see model.candidates
    # what do values (symbol, g, limit, t) of a violated constraint mean? In the parts of an InconsistentInitialState
    describe: Callable[..., tuple[str, str]] | None = None

    def __post_init__(self) -> None:
        if self.blocks != stacked(self.blocks):
            raise InputError(f"blocks {[block.name for block in self.blocks]} are not in the order of their kinds")
        rows = 0 if self.friction is None else self.friction.nt
        if rows != self.nt:
            raise InputError(f"there are {self.nt} rows of slip, but coefficients of friction for {rows}")

    # rows

    def size(self, kind: Kind) -> int:
        """Number of rows of a kind."""
        return sum(len(block) for block in self.blocks if block.kind == kind)

    @cached_property
    def ng(self) -> int:
        """Number of holonomic rows."""
        return self.size(HOLONOMIC)

    @cached_property
    def nk(self) -> int:
        """Number of nonholonomic rows."""
        return self.size(NONHOLONOMIC)

    @cached_property
    def nb(self) -> int:
        """Number of bilateral rows: holonomic, then nonholonomic."""
        return self.ng + self.nk

    @cached_property
    def nc(self) -> int:
        """Number of unilateral rows: contacts."""
        return self.size(UNILATERAL)

    @cached_property
    def m(self) -> int:
        """Number of all constraint rows, without those of friction."""
        return self.nb + self.nc

    @cached_property
    def nt(self) -> int:
        """Number of rows of friction: of contacts, then dry ones."""
        return self.size(TANGENTIAL)

    def of_kind(self, kind: Kind) -> Iterator[tuple[Block, slice]]:
        """The blocks of a kind, and their places among its rows."""
        for block in self.blocks:
            if block.kind == kind:
                yield block, within_kind(self.blocks, block)

    def row_names(self, kinds: Sequence[Kind] = KINDS) -> list[str]:
        """Names of all rows of some kinds."""
        return [name for block in self.blocks if block.kind in kinds for name in block.names]

    @property
    def names(self) -> dict[str, Sequence[str]]:
        """Names of the coordinates, and of the rows of each block."""
        return {**self.coordinates, **{block.name: block.names for block in self.blocks}}

    @property
    def velocity_names(self) -> Sequence[str]:
        """Names of the velocities, and of the rows of the equations of motion."""
        return self.coordinates.get("v", self.coordinates["q"])

    # values

    def evaluate(self, name: str, *arguments: Any) -> NDArray[np.float64]:
        """One evaluator's output in a new array."""
        pattern = self.patterns.get(name)
        out = np.zeros(pattern.size if pattern is not None else self._length(name))
        if out.size == 0:
            return out
        if name == "M" and self.constant_M is not None:
            out[:] = self.constant_M
        else:
            getattr(self.evaluators, name)(*arguments, self.data, out)
        return out

    def matrix(self, name: str, *arguments: Any, sparse: bool = False) -> Any:
        """One evaluator's output as a matrix, dense or scipy.sparse."""
        pattern, shape = self.patterns[name], self._shape(name)
        values = self.evaluate(name, *arguments)
        return pattern.sparse(values, shape) if sparse else pattern.dense(values, shape)

    def times(self, name: str, x: Array, *arguments: Any) -> NDArray[np.float64]:
        """The product of a matrix with a vector."""
        return self.patterns[name].times(self.evaluate(name, *arguments), x, self._shape(name)[0])

    def gradient(self, t: float, q: Array, v: Array, kinds: Sequence[Kind] = KINDS, sparse: bool = False) -> Any:
        """B = (G, K, N), or the rows of some kinds, one above the other."""
        return stack([self.matrix(kind.gradient, t, *kind.state(q, v), sparse=sparse) for kind in kinds])

    def bias(self, t: float, q: Array, v: Array, kinds: Sequence[Kind] = BILATERAL) -> NDArray[np.float64]:
        """What is added to B v̇ in the derivatives of the rows at the acceleration level."""
        return np.concatenate([self.evaluate(kind.bias, t, q, v) for kind in kinds])

    def rate(self, kind: Kind, t: float, q: Array, v: Array) -> NDArray[np.float64]:
        """The rows of a kind at the velocity level: B v + ∂/∂t, or their values."""
        if kind.rate is None:
            return self.evaluate(kind.value, t, q, v)
        return self.times(kind.gradient, v, t, q) + self.drift(kind, t, q, v)

    def drift(self, kind: Kind, t: float, q: Array, v: Array) -> NDArray[np.float64]:
        """The same at rest: ∂/∂t of a row of positions, the value of a row of velocities for v = 0."""
        return self.evaluate(kind.value, t, q, 0.0 * v) if kind.rate is None else self.evaluate(kind.rate, t, q)

    def levels(
        self, kind: Kind, t: float, q: Array, v: Array, vdot: Array | None = None
    ) -> dict[str, NDArray[np.float64]]:
        """The rows of a kind at all its levels; at that of accelerations where v̇ is given."""
        state, pattern, n = kind.state(q, v), self.patterns[kind.gradient], self.size(kind)
        found = {kind.levels[0]: self.evaluate(kind.value, t, *state)}
        if kind.of_velocity and vdot is None:
            return found
        B = self.evaluate(kind.gradient, t, *state)
        if not kind.of_velocity:
            found[VELOCITY] = pattern.times(B, v, n) + self.drift(kind, t, q, v)
        if vdot is not None:
            found[ACCELERATION] = pattern.times(B, vdot, n) + self.evaluate(kind.bias, t, q, v)
        return found

    def _length(self, name: str) -> int:
        """Length of the vector that an evaluator fills."""
        kind = KIND_OF.get(name)
        return self.nv if kind is None else self.size(kind)

    def _shape(self, name: str) -> tuple[int, int]:
        if name == "force_mu":
            return self.nv, self.m
        return self._length(name), self.nv


def stack(matrices: Sequence[Any]) -> Any:
    """Matrices one above the other, dense or scipy.sparse."""
    if len(matrices) == 1:
        return matrices[0]
    if isinstance(matrices[0], np.ndarray):
        return np.vstack(matrices)
    from scipy.sparse import vstack

    return vstack(matrices).tocsc()

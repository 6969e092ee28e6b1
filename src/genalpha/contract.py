"""The contract: all that a stepper may ask of a mechanical system.

    M v̇ = f + Gᵀ lam + Kᵀ psi + Nᵀ lam_n,      g(t, q) = 0,      k(t, q, v) = 0,      gap(t, q) ≥ 0

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
update(q0, Δ, data, q1)             q1 = q0 ∘ exp(Δ); q0 + Δ in a vector space
untwist(Δ, data, x)                 x ← T(Δ)⁻¹ x, T the tangent operator of exp; x itself in a vector space
twist(v, factor, data, out)         values of factor M ad(v) are added to those of the damping: M T(h v)⁻¹ − M is
                                    M ad(h v)/2 to first order; nothing in a vector space
==================================  ===========================================================================

Matrices are value vectors on patterns that are fixed at assembly. The stiffness and the damping may be approximate:
they steer Newton's iteration and do not enter the solution.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

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

    def dense(self, values, shape) -> NDArray[np.float64]:
        """The matrix as a two-dimensional array."""
        matrix = np.zeros(shape)
        np.add.at(matrix, (self.rows, self.cols), values)
        return matrix

    def sparse(self, values, shape):
        """The matrix as a scipy.sparse array, compressed by columns."""
        from scipy.sparse import csc_array

        return csc_array((values, (self.rows, self.cols)), shape=shape)

    def times(self, values, x, n_rows: int) -> NDArray[np.float64]:
        """The product of the matrix with a vector."""
        return np.bincount(self.rows, weights=values * x[self.cols], minlength=n_rows)


def full_pattern(n_rows: int, n_cols: int) -> Pattern:
    """All entries, row by row."""
    rows, cols = np.divmod(np.arange(n_rows * n_cols, dtype=np.int64), max(n_cols, 1))
    return Pattern(rows, cols)


EMPTY = Pattern(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))


class MechanicalSystem:
    """What `solve` integrates: functions, or an assembled model."""

    multipliers_in_f: bool
    names: Any  # of the entries of q, and of the rows of g, k and gap

    @property
    def has_contacts(self) -> bool:
        """Are there gaps?"""
        raise NotImplementedError

    @property
    def compiled(self) -> bool:
        """Does it run compiled?"""
        raise NotImplementedError

    def contract(self, t0: float, q0, v0) -> Contract:
        """The system as the stepper sees it."""
        raise NotImplementedError

    def energies(self, t, q, v) -> NDArray[np.float64]:
        """Kinetic and potential energy (nt, 2) of states (nt, nq), (nt, nv)."""
        raise NotImplementedError

    def results(self, solution) -> Callable[[Any], Any]:
        """What gives ``solution[key]`` for a key; a solution makes it once and keeps it."""
        return partial(self.quantity, solution)

    def quantity(self, solution, key) -> Any:
        """What ``solution[key]`` gives."""
        raise NotImplementedError

    def state(self, name: str, values) -> Any:
        """The vector that users gave as ``name``, q0 or v0; systems that name their coordinates take mappings too."""
        return values


@dataclass(frozen=True)
class Contract:
    """A system as the stepper sees it: sizes, patterns, evaluators, data."""

    nq: int
    nv: int
    ng: int
    nk: int
    nc: int
    evaluators: Evaluators
    data: Any
    patterns: Mapping[str, Pattern]  # M, stiffness, damping, G, K, N, force_mu
    names: Mapping[str, Sequence[str]]  # q, g, k, gap; v where the velocities are not those of q one by one
    compiled: bool
    constant_M: NDArray[np.float64] | None = None
    numerical_tangent: bool = False
    flat: bool = False  # update is a plus
    body_frames: bool = False  # velocities are seen from bodies that turn: N(q1) v0 means nothing
    scleronomic: bool = False  # g_t and gap_t are zero
    e: NDArray[np.float64] | None = None  # coefficients of restitution
    multipliers_in_f: bool = False  # force instead of f
    nodes: NDArray[np.int64] | None = None  # (nv + m,): which unknowns form a node of up to three, see math.blocks
    kinds: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None  # of q and of v; None: not known
    notes: tuple[str, ...] = ()
    locate: Callable[..., str | None] | None = None  # which function gives NaN at (t, q, v)?
    candidates: Any = None  # pairs in the last rows of the gaps, which come and go; see model.candidates
    # what do values (symbol, g, limit, t) of a violated constraint mean? In the parts of an InconsistentInitialState
    describe: Callable[..., tuple[str, str]] | None = None

    @property
    def m(self) -> int:
        """Number of all constraint rows."""
        return self.ng + self.nk + self.nc

    @property
    def velocity_names(self) -> Sequence[str]:
        """Names of the velocities, and of the rows of the equations of motion."""
        return self.names.get("v", self.names["q"])

    def evaluate(self, name: str, *arguments) -> NDArray[np.float64]:
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

    def matrix(self, name: str, *arguments, sparse: bool = False) -> Any:
        """One evaluator's output as a matrix, dense or scipy.sparse."""
        pattern, shape = self.patterns[name], self._shape(name)
        values = self.evaluate(name, *arguments)
        return pattern.sparse(values, shape) if sparse else pattern.dense(values, shape)

    def times(self, name: str, x, *arguments) -> NDArray[np.float64]:
        """The product of a matrix with a vector."""
        return self.patterns[name].times(self.evaluate(name, *arguments), x, self._shape(name)[0])

    def _length(self, name):
        """Length of the vector that an evaluator fills."""
        sizes = {"f": self.nv, "force": self.nv, "g": self.ng, "k": self.nk, "gap": self.nc}
        return sizes[name.removesuffix("_t").removesuffix("_bias")]

    def _shape(self, name):
        if name == "force_mu":
            return self.nv, self.m
        return {"G": self.ng, "K": self.nk, "N": self.nc}.get(name, self.nv), self.nv

"""A system whose functions were generated from SymPy expressions."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportArgumentType=false

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from genalpha.errors import InputError, ShapeError
from genalpha.inputs import Array, Values
from genalpha.symbolic.code import ARGUMENTS, Functions
from genalpha.system.block import KIND_OF, KINDS, TANGENTIAL
from genalpha.system.contract import EMPTY, Contract, Evaluators
from genalpha.system.differentiate import (
    nothing_of_everything,
    nothing_of_multipliers,
    nothing_of_position,
    nothing_of_velocity,
    nothing_to_twist,
    nothing_to_untwist,
)
from genalpha.system.friction import names_of_slip
from genalpha.system.functions import Sparse, evaluator, real_vector, require_finite
from genalpha.system.slip import friction_of
from genalpha.system.system import System, sendable

if TYPE_CHECKING:
    from genalpha.symbolic.equations import Equations
    from genalpha.view.drawing import Drawing

NOTHING = {
    "t, q, p, out": nothing_of_position,
    "t, q, v, p, out": nothing_of_velocity,
    "t, q, v, vdot, mu, p, out": nothing_of_everything,
}
VALUES = ("M", "f", *(kind.value for kind in KINDS))
MATRICES = ("M", "stiffness", "damping", *(kind.gradient for kind in KINDS))


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SymbolicSystem(System):
    """A `System` made by `Equations.system`: exact derivatives, sparse patterns, quantities by symbol.

    It is what `System` is, and can be passed to `solve` and `check`. `with_params` takes some or all parameters by
    symbol or name.

    Examples
    --------
    >>> from sympy import symbols
    >>> from sympy.physics.mechanics import dynamicsymbols
    >>> from genalpha.symbolic import lagrange
    >>> t, x, (m, c) = dynamicsymbols._t, dynamicsymbols("x"), symbols("m c")
    >>> system = lagrange(m * x.diff(t) ** 2 / 2 - c * x**2 / 2, [x]).system({m: 1.0, c: 4.0})
    >>> system.with_params({m: 2.0}).params  # in the order of their names
    array([4., 2.])
    """

    equations: Any = field(repr=False)
    generated: Functions = field(repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        """By its equations: the functions are made again, or found on disk."""
        return _again, (self.equations, np.asarray(self.params).tolist(), self.compile, sendable(self.drawing))

    def with_params(self, params: Values) -> SymbolicSystem:
        """The same system with other parameters, {symbol: value}; those not named stay. Nothing is compiled again."""
        by_symbol = isinstance(params, Mapping)
        vector = self.params if by_symbol else super().with_params(params).params  # in the order of equations.params
        values = dict(zip(self.equations.params, real_vector("params", vector).tolist(), strict=True))
        values |= self.equations.by_symbol(params) if by_symbol else {}
        given = self.equations.friction(values)
        return replace(self, params=self.equations.vector(values), e=self.equations.restitution(values), **given)

    def state(self, name: str, values: Values) -> Any:
        """q0 or v0 as a vector, from {symbol: value}; a vector stays as it is."""
        return self.equations.state(name, values) if isinstance(values, Mapping) else values

    def quantity(self, solution: Any, key: Any) -> Any:
        """Coordinates, velocities, accelerations, or any expression in them, over time."""
        if isinstance(key, str) and key not in map(str, self.equations.q):
            return super().quantity(solution, key)
        return self.equations.evaluate(solution, key)

    def energies(self, t: Array, q: Array, v: Array) -> Array:
        """Kinetic and potential energy (nt, 2)."""
        if self.energy is None:
            raise InputError(
                "the loads of this KanesMethod have no potential energy that SymPy finds; set potential_energy of its "
                "bodies before from_kane"
            )
        return super().energies(t, q, v)

    def contract(self, t0: float, q0: Values, v0: Values) -> Contract:
        """The system as the stepper sees it: the generated functions are its evaluators as they stand."""
        t0, made = float(real_vector("t0", t0)[0]), self.generated
        p = real_vector("params", self.params) if np.size(self.params) else np.zeros(1)
        n = len(self.equations.q)
        self._require_states(n, t0, self.state("q0", q0), self.state("v0", v0), p)
        patterns = {name: made.patterns[name] if made.patterns[name].size else EMPTY for name in MATRICES}
        patterns |= {name: made.patterns.get(name, EMPTY) for name in (TANGENTIAL.gradient, "force_mu")}
        evaluators = self._evaluators()
        if self.compiled:
            from genalpha.system.compiling import compile_evaluators

            evaluators = compile_evaluators(evaluators, arrays=False)
        names = {block.name: self._names_of(block.name, self._length(block.name)) for block in self.blocks}
        friction, nc = None, len(names["gap"])
        if self.slip is not None:
            names["slip"] = names_of_slip(names["gap"], self.equations.width)
            friction = friction_of(self, nc, self.equations.width, 0, names["gap"], ())
        constant_M = self._value("M", t0, np.zeros(n), np.zeros(n), p) if "M" in made.constant else None
        return Contract(
            nq=n, nv=n, blocks=tuple(block.of(names[block.name]) for block in self.blocks), evaluators=evaluators,
            data=p, patterns=patterns, coordinates={"q": self._names_of("q", n)},
            compiled=self.compiled, constant_M=constant_M, flat=True, friction=friction,
            scleronomic={kind.rate for kind in KINDS if kind.rate} <= made.zero,
            e=np.broadcast_to(np.atleast_1d(self.e), nc).astype(float),
            locate=self._locate,
        )  # fmt: skip

    def _evaluators(self) -> Evaluators:
        made = self.generated
        given = {
            name: made.functions[name] if self._length(name) else NOTHING[ARGUMENTS[name]]
            for name in Evaluators._fields
            if name in made.functions
        }
        without_friction = dict.fromkeys((TANGENTIAL.value, TANGENTIAL.gradient, TANGENTIAL.bias), nothing_of_velocity)
        return Evaluators(**without_friction | given | {
            "force": nothing_of_multipliers, "force_mu": nothing_of_multipliers, "update": plus,
            "untwist": nothing_to_untwist, "twist": nothing_to_twist,
        })  # fmt: skip

    def _length(self, name: str) -> int:
        """Number of values that a function fills."""
        pattern = self.generated.patterns.get(name)
        if pattern:
            return pattern.size
        return len(getattr(self.equations, KIND_OF[name].value)) if name in KIND_OF else len(self.equations.q)

    def _names_of(self, kind: str, size: int) -> list[str]:
        return list((self.names or {}).get(kind, (f"{kind}[{i}]" for i in range(size))))

    def _require_states(self, n: int, t0: float, q0: ArrayLike, v0: ArrayLike, p: Array) -> None:
        q0, v0 = real_vector("q0", q0), real_vector("v0", v0)
        for name, x in (("q0", q0), ("v0", v0)):
            if x.size != n:
                symbols = ", ".join(map(str, self.equations.q))
                raise ShapeError(f"{name} has {x.size} entries for the {n} coordinates {symbols}")
        for name in self._values():
            require_finite(name, self._value(name, t0, q0, v0, p), t0)

    def _values(self) -> tuple[str, ...]:
        """The functions that are not derivatives of others."""
        return VALUES if self.slip is None else (*VALUES, TANGENTIAL.value)

    def _value(self, name: str, t: float, q: Array, v: Array, p: Array) -> Array:
        out = np.zeros(self._length(name))
        with np.errstate(all="ignore"):
            try:
                self.generated.functions[name](
                    t, q, *([v] if name == "f" or (name in KIND_OF and KIND_OF[name].of_velocity) else []), p, out
                )
            except ZeroDivisionError:  # Python's own numbers
                out[:] = np.nan
        return out

    def _locate(self, t: float, q: Array, v: Array, mu: Array | None = None) -> str | None:
        """Name of the first function that gives NaN or inf at a state; None if the state itself does."""
        if not (np.all(np.isfinite(q)) and np.all(np.isfinite(v))):
            return None
        p = real_vector("params", self.params)
        wrong = [n for n in self._values() if not np.all(np.isfinite(self._value(n, t, q, v, p)))]
        return wrong[0] if wrong else None


def _again(
    equations: Equations, params: Sequence[float], compile: bool | None, drawing: Drawing | None
) -> SymbolicSystem:
    values = dict(zip(equations.params, params, strict=True))
    return equations.system(values, compile=compile, drawing=drawing)


def plus(q0: Array, delta: Array, data: Array, q1: Array) -> None:
    """q1 = q0 + Δ, entry by entry: in compiled code the vectors are views."""
    for i in range(q0.size):
        q1[i] = q0[i] + delta[i]


def make_system(
    equations: Equations,
    generated: Functions,
    values: Mapping[Any, float],
    compile: bool | None,
    drawing: Drawing | None = None,
) -> SymbolicSystem:
    """The generated functions as those of a `System`, so that everything that reads one can read them."""
    (_, ng, nk, nc), nt = equations.sizes, len(equations.slip)

    def vector(name: str, present: int = True) -> evaluator | None:
        return evaluator(generated.functions[name]) if present else None

    def matrix(name: str, present: int = True) -> Sparse | None:
        return Sparse(evaluator(generated.functions[name]), *generated.patterns[name]) if present else None

    def rate(name: str, present: int) -> evaluator | int | None:
        return 0 if present and name in generated.zero else vector(name, present)

    return SymbolicSystem(
        M=matrix("M"), f=vector("f"),
        g=vector("g", ng), ng=ng or None, g_q=matrix("G", ng), g_t=rate("g_t", ng), g_bias=rate("g_bias", ng),
        k=vector("k", nk), nk=nk or None, k_v=matrix("K", nk),
        gap=vector("gap", nc), nc=nc or None, gap_q=matrix("N", nc), gap_t=rate("gap_t", nc),
        gap_bias=rate("gap_bias", nc), e=equations.restitution(values),
        slip=_by_contact(generated.functions["slip"]) if nt else None, nt=nt or None, slip_v=matrix("T", nt),
        **equations.friction(values),
        energy=generated.functions.get("energy"), names=equations.names, params=equations.vector(values),
        inplace=True, compile=compile, drawing=drawing, equations=equations, generated=generated,
    )  # fmt: skip


def _by_contact(function: Callable[..., None]) -> evaluator:
    """Slip that fills one row for each contact, of a function that fills them one behind the other."""

    @evaluator
    def slip(t: float, q: Array, v: Array, p: Array, out: Array) -> None:
        function(t, q, v, p, out.reshape(-1))

    return slip

"""The object between a Lagrangian and a system: symbols, parameters, printing, and what comes out of a solution."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportMissingTypeStubs=false, reportUnknownLambdaType=false, reportArgumentType=false
# pyright: reportAttributeAccessIssue=false, reportReturnType=false, reportUnknownParameterType=false

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from sympy import Basic, Derivative, Expr, Matrix, Symbol, lambdify, simplify, sympify
from sympy.core.function import AppliedUndef

from genalpha.errors import InputError
from genalpha.symbolic.derive import Letters, Mechanics
from genalpha.system.block import ALL_KINDS, TANGENTIAL
from genalpha.system.friction import names_of_slip

if TYPE_CHECKING:
    from genalpha.symbolic.system import SymbolicSystem


OF_FRICTION = ("slip", "mu", "mu_static", "e_t")
"""The fields of equations that are empty without friction."""


@dataclass(frozen=True, eq=False)
class Equations:
    """Equations of motion M v̇ = f + Gᵀ lam + Kᵀ psi + Nᵀ lam_n + Tᵀ lam_t in SymPy's symbols.

    Made by `lagrange`, `from_lagranges_method` or `from_kane`. ``print`` shows the equations, `system` gives what
    `solve` integrates.

    Attributes
    ----------
    t : Symbol
    q : tuple of functions of t
        The coordinates.
    params : tuple of Symbol
        All other symbols, by name.
    g, k, gap : tuple of expressions
    e : tuple of expressions
        Coefficients of restitution.
    slip, mu, mu_static : tuple of expressions
        Slip velocities of all contacts, as many for each, and their coefficients of friction.
    e_t : tuple of expressions
        Coefficients of tangential restitution.
    M, f : Matrix
        Mass matrix and force. (What is integrated is derived in another, shorter way; see `source`.)
    names : dict
        Names of the coordinates and of the rows of g, k and gap.

    Examples
    --------
    >>> from sympy import symbols
    >>> from sympy.physics.mechanics import dynamicsymbols
    >>> from genalpha.symbolic import lagrange
    >>> t, x, (m, c) = dynamicsymbols._t, dynamicsymbols("x"), symbols("m c")
    >>> equations = lagrange(m * x.diff(t) ** 2 / 2 - c * x**2 / 2, [x])
    >>> equations.M, equations.f, equations.params
    (Matrix([[m]]), Matrix([[-c*x(t)]]), (c, m))
    """

    t: Symbol
    q: tuple[Expr, ...]
    forces: tuple[Expr, ...]  # those that do not follow from L, or all
    L: Expr | None = None
    mass: Matrix | None = None
    g: tuple[Expr, ...] = ()
    k: tuple[Expr, ...] = ()
    gap: tuple[Expr, ...] = ()
    e: tuple[Expr, ...] = ()
    slip: tuple[Expr, ...] = ()
    mu: tuple[Expr, ...] = ()
    mu_static: tuple[Expr, ...] = ()
    e_t: tuple[Expr, ...] = ()
    names: Mapping[str, Sequence[str]] = field(default_factory=dict)
    energy: tuple[Expr, Expr] | None = None  # kinetic and potential, where there is no L that they follow from
    speeds: Mapping[Expr, Expr] = field(default_factory=dict)  # other functions of time, in q and v

    def __post_init__(self) -> None:
        require_functions_of_time(self.q, self.t)
        self._require_known()
        self._require_rows()

    @property
    def sizes(self) -> tuple[int, int, int, int]:
        """Numbers of coordinates, holonomic and nonholonomic constraints, and contacts."""
        return len(self.q), len(self.g), len(self.k), len(self.gap)

    @cached_property
    def v(self) -> tuple[Expr, ...]:
        """Velocities, the derivatives of q."""
        return tuple(Derivative(q, self.t) for q in self.q)

    @cached_property
    def vdot(self) -> tuple[Expr, ...]:
        """Accelerations."""
        return tuple(Derivative(q, (self.t, 2)) for q in self.q)

    @cached_property
    def params(self) -> tuple[Symbol, ...]:
        found = {symbol for expression in self._expressions() for symbol in expression.free_symbols} - {self.t}
        ordered = tuple(sorted(found, key=lambda symbol: (symbol.name, str(symbol.assumptions0))))
        twice = [a.name for a, b in pairwise(ordered) if a.name == b.name]
        if twice:
            raise InputError(f"two symbols are called {twice[0]!r}, with different assumptions; use one of them")
        return ordered

    def _expressions(self) -> list[Expr]:
        first = [self.L] if self.L is not None else list(self.mass)
        return [*first, *self.forces, *self.g, *self.k, *self.gap, *self.e, *self._friction(), *(self.energy or ())]

    def _friction(self) -> list[Expr]:
        return [expression for name in OF_FRICTION for expression in getattr(self, name)]

    def _require_known(self):
        known = {*self.q, *self.v}
        for expression in self._expressions():
            for part in expression.atoms(AppliedUndef, Derivative) - known:
                if isinstance(part, Derivative) and part.expr in self.q:
                    raise InputError(f"{part} occurs: there may be coordinates and their first derivatives only")
                if isinstance(part, AppliedUndef):
                    near = get_close_matches(str(part.func), [str(q.func) for q in self.q], n=1)
                    hint = f"did you mean {near[0]}? Else add" if near else "add"
                    raise InputError(f"{part} is not among the coordinates; {hint} it to q, or put an expression there")

    def _require_rows(self):
        for kind in ALL_KINDS:
            rows, of = getattr(self, kind.value), self.v if kind.of_velocity else self.q
            names = self.names.get(kind.value, ())
            if kind == TANGENTIAL and self.slip:
                names = names_of_slip(self.names.get("gap", ()), self.width)
            for i, row in enumerate(rows):
                name = (*names, *[""] * len(rows))[i] or f"{kind.value}[{i}]"
                if kind == TANGENTIAL and row.is_zero:  # of a contact without friction
                    continue
                if not row.atoms(AppliedUndef, Derivative) & set(of):
                    what = "velocities" if kind.of_velocity else "coordinates"
                    raise InputError(f"{name!r} = {row} does not depend on {what}")
                if not kind.of_velocity and row.atoms(Derivative):
                    raise InputError(
                        f"{name!r} depends on velocities; {kind.value} takes coordinates, k takes velocities"
                    )
                if kind == TANGENTIAL:
                    self._require_affine(name, row)

    def _require_affine(self, name: str, row: Expr):
        """Refuse a slip velocity that is not affine in the velocities."""
        for v in self.v:
            slope = row.diff(v)
            if slope.has(*self.v) and simplify(slope).has(*self.v):
                raise InputError(
                    f"the slip of {name!r} = {row} is not affine in velocities: its derivative with respect to {v} is "
                    f"{slope}; signs, absolute values and norms are up to the law of friction"
                )

    # numbers

    def system(
        self, params: Mapping[Any, float] | None = None, *, compile: bool | None = None, drawing: Any = None
    ) -> SymbolicSystem:
        """The system to integrate.

        Parameters
        ----------
        params : mapping
            Values of all parameters, by symbol or name. They stay parameters: ``system.with_params({m: 2.0})`` changes
            some of them without a new compilation.
        compile : bool, optional
            False: run interpreted.
        drawing : Drawing, optional
            How the system looks in the viewer: `genalpha.view.Drawing`, with places as expressions or functions of
            (t, q).

        Returns
        -------
        SymbolicSystem
            A `System`. `solve` takes q0 and v0 as vectors or as {symbol: value}.
        """
        from genalpha.symbolic.code import generate
        from genalpha.symbolic.system import make_system

        values = self.by_symbol(params or {})
        self.vector(values)  # what is missing is said before the work is done
        return make_system(self, generate(self._mechanics), values, compile, drawing)

    def by_symbol(self, params: Mapping[Any, Any]) -> dict[Symbol, float]:
        """Values with symbols as keys, whether they were given by symbol or by name."""
        known = {symbol.name: symbol for symbol in self.params}
        values = {}
        for key, value in params.items():
            name = key.name if isinstance(key, Symbol) else key
            if name not in known:
                near = get_close_matches(str(name), known, n=1)
                hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(known) or 'none'}"
                raise InputError(f"there is no parameter {name}; {hint}")
            try:
                values[known[name]] = float(value)
            except (TypeError, ValueError):
                raise InputError(f"the parameter {name} = {value!r:.60} is not a number") from None
        return values

    def vector(self, values: Mapping[Symbol, float]) -> np.ndarray:
        """The parameters in their order."""
        missing = [symbol.name for symbol in self.params if symbol not in values]
        if missing:
            one = len(missing) == 1
            raise InputError(
                f"the parameter{'' if one else 's'} {', '.join(missing)} {'has' if one else 'have'} no value; "
                f"pass {{{', '.join(f'{name}: ...' for name in missing)}}} to system, by symbol or name"
            )
        return np.array([values[symbol] for symbol in self.params])

    def restitution(self, values: Mapping[Symbol, float]) -> np.ndarray | float:
        """Coefficients of restitution, for each contact."""
        return np.array([float(e.xreplace(values)) for e in self.e]) if self.e else 0.0

    @property
    def width(self) -> int:
        """Slip velocities of each contact, 0 without friction."""
        return len(self.slip) // len(self.gap) if self.slip else 0

    def friction(self, values: Mapping[Symbol, float]) -> dict[str, np.ndarray]:
        """Coefficients of friction as `System` takes them; none without friction."""
        shapes = {"mu": (-1, self.width), "mu_static": (-1, self.width), "e_t": (-1,)}
        return {
            name: np.array([float(one.xreplace(values)) for one in getattr(self, name)]).reshape(shape)
            for name, shape in shapes.items()
            if getattr(self, name)
        }

    def state(self, name: str, values: Mapping[Any, Any]) -> np.ndarray:
        """The vector q0 or v0 from values by symbol or name; a velocity belongs to x or to x.diff(t)."""
        places = {key: i for i, q in enumerate(self.q) for key in (q, str(q), str(q.func))}
        if name == "v0":
            places |= {key: i for i, v in enumerate(self.v) for key in (v, str(v))}
        unknown = [key for key in values if key not in places]
        if unknown:
            raise InputError(f"{name} has {unknown[0]}, which is not among {', '.join(map(str, self.q))}")
        vector = np.full(len(self.q), np.nan)
        for key, value in values.items():
            vector[places[key]] = value
        missing = [str(q) for q, x in zip(self.q, vector, strict=True) if np.isnan(x)]
        if missing:
            raise InputError(f"{name} has no value for {', '.join(missing)}")
        return vector

    def evaluate(self, solution: Any, key: Any) -> np.ndarray:
        """An expression in t, q, v, v̇ and the parameters, over the times of a solution."""
        if isinstance(key, str):
            key = next(q for q in self.q if key in (str(q), str(q.func)))
        if not isinstance(key, Basic | int | float):  # SymPy evaluates text, inside of lists too
            raise InputError(f"{key!r:.60} is not an expression of SymPy")
        expression = sympify(key).xreplace(self.speeds).doit()
        known = {self.t, *self.q, *self.v, *self.vdot, *self.params}
        strange = (expression.atoms(AppliedUndef, Derivative) | expression.free_symbols) - known
        if strange:
            there = ", ".join(map(str, (*self.q, *self.params)))
            raise InputError(f"{min(map(str, strange))} is not known to this system; there are {there}")
        z = self._letters
        expression = expression.xreplace({**dict(zip(self.vdot, z.vdot, strict=True)), **self._replacements})
        p = np.atleast_1d(solution.system.params).tolist()
        function = lambdify([z.t, z.q, z.v, z.vdot, z.p], expression, "numpy")
        value = function(solution.t, list(solution.q.T), list(solution.v.T), list(solution.vdot.T), p)
        return np.broadcast_to(np.asarray(value, dtype=float), solution.t.shape).copy()

    # symbols of ours

    @cached_property
    def _letters(self) -> Letters:
        n, ng, nk, nc = self.sizes
        return Letters(n, len(self.params), ng + nk + nc)

    @cached_property
    def _replacements(self) -> dict[Expr, Symbol]:
        z = self._letters
        users, ours = (*self.v, *self.q, self.t, *self.params), (*z.v, *z.q, z.t, *z.p)
        return dict(zip(users, ours, strict=True))

    @cached_property
    def _mechanics(self) -> Mechanics:
        def ours(expressions: Iterable[Any]) -> list[Any]:
            return [expression.xreplace(self._replacements) for expression in expressions]

        L = None if self.L is None else ours([self.L])[0]
        M = None if self.mass is None else [ours(self.mass.row(i)) for i in range(self.mass.rows)]
        rows = ours(self.g), ours(self.k), ours(self.gap)
        energy, slip = ours(self.energy or ()), ours(self.slip)
        return Mechanics(self._letters, ours(self.forces), L, M, *rows, energy=energy, slip=slip)

    # closed forms, to read

    @cached_property
    def M(self) -> Matrix:
        if self.L is None:
            return self.mass
        return Matrix([[self.L.diff(a).diff(b) for b in self.v] for a in self.v])

    @cached_property
    def f(self) -> Matrix:
        if self.L is None:
            return Matrix(self.forces)
        rest = dict.fromkeys(self.vdot, 0)
        rows = [
            force + self.L.diff(q) - self.L.diff(v).diff(self.t).xreplace(rest)
            for q, v, force in zip(self.q, self.v, self.forces, strict=True)
        ]
        return Matrix(rows)

    def source(self) -> str:
        """The generated functions as Python text."""
        from genalpha.symbolic.code import generate

        return "\n\n".join(generate(self._mechanics).sources.values())

    def __str__(self) -> str:
        from genalpha.symbolic.show import as_text

        return as_text(self)

    def __repr__(self) -> str:
        n, ng, nk, nc = self.sizes
        return f"Equations(n = {n}, ng = {ng}, nk = {nk}, nc = {nc}, params = {', '.join(map(str, self.params))})"

    def _repr_latex_(self) -> str | None:
        from genalpha.symbolic.show import as_latex

        return as_latex(self)


def require_functions_of_time(q: Sequence[Expr], t: Symbol) -> None:
    """Refuse coordinates that are anything else, and such that occur twice."""
    for item in q:
        if not (isinstance(item, AppliedUndef) and item.args == (t,)):
            raise InputError(
                f"the coordinate {item} is not a function of time; make it with dynamicsymbols({str(item)!r}), "
                f"or Function({str(item)!r})({t})"
            )
    if len(set(q)) < len(q):
        raise InputError(f"a coordinate occurs twice in q = {list(q)}")

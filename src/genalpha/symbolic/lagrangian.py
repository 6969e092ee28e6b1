"""Lagrange's equations from a Lagrangian and what it does not contain."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportMissingTypeStubs=false, reportOperatorIssue=false, reportReturnType=false, reportArgumentType=false

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from sympy import Derivative, Eq, Expr, MatrixBase, S, Symbol, SympifyError, sympify
from sympy.core.function import AppliedUndef

from genalpha.errors import InputError, ShapeError
from genalpha.symbolic.equations import Equations, require_functions_of_time
from genalpha.system.friction import WIDEST

Expression = Expr | float
Conditions = Iterable[Expr | Eq] | Mapping[str, Expr | Eq]
"""Expressions or equations, with or without names."""
Coefficients = Expression | Mapping[str, Any] | Sequence[Any] | None
"""One for all contacts, by the names of their gaps, or one for each."""


def lagrange(
    L: Expression,
    q: Iterable[Expr],
    *,
    g: Conditions = (),
    k: Conditions = (),
    gaps: Conditions = (),
    e: Expression | Sequence[Expression] = 0,
    slips: Conditions = (),
    mu: Coefficients = None,
    mu_static: Coefficients = None,
    e_t: Coefficients = 0,
    forces: Mapping[Any, Expression] | Iterable[Expression] | None = None,
    dissipation: Expression = 0,
) -> Equations:
    """Equations of motion from a Lagrangian  L(t, q, q̇).

        d/dt ∂L/∂q̇ − ∂L/∂q = forces − ∂D/∂q̇ + Gᵀ lam + Kᵀ psi + Nᵀ lam_n + Tᵀ lam_t

    Parameters
    ----------
    L : expression
        Kinetic minus potential energy, in the coordinates, their derivatives, time, and any other symbols, which become
        parameters.
    q : sequence of functions of time
        The coordinates, made by ``dynamicsymbols`` or ``Function("x")(t)``.
    g : sequence of expressions or equations, or {name: expression}
        Holonomic constraints g(t, q) = 0.
    k : likewise
        Nonholonomic constraints k(t, q, q̇) = 0.
    gaps : likewise
        Unilateral constraints gap(t, q) ≥ 0.
    e : number or expression, or one for each gap
        Coefficients of restitution.
    slips : {gap: expression, or (expression, expression)}, or a sequence
        Tangential velocities of contacts with friction, affine in q̇: by the names of the gaps, or one item for each
        gap. One in a plane, two in space, a third one for drilling friction.
    mu, mu_static : number or expression for all, {gap: ...}, or a sequence
        Coefficients of friction; two of a contact are those along its two slip velocities.
    e_t : likewise
        Coefficients of tangential restitution.
    forces : {coordinate: expression} or sequence, optional
        Generalised forces that have no potential.
    dissipation : expression
        Rayleigh's dissipation function D(t, q, q̇), half the power lost to linear dampers: c q̇²/2.

    Returns
    -------
    Equations
        ``print`` shows them; `Equations.system` gives a system to `solve`.

    Examples
    --------
    A pendulum in Cartesian coordinates:

    >>> import genalpha as ga
    >>> from genalpha.symbolic import lagrange
    >>> from sympy import symbols
    >>> from sympy.physics.mechanics import dynamicsymbols
    >>> t, (x, y), (m, l, a) = dynamicsymbols._t, dynamicsymbols("x y"), symbols("m l a")
    >>> pendulum = lagrange(m * (x.diff(t) ** 2 + y.diff(t) ** 2) / 2 - m * a * y, [x, y], g=[x**2 + y**2 - l**2])
    >>> print(pendulum)
    2 coordinates, 1 holonomic constraint; parameters a, l, m
      m*ẍ = 2*lam*x
      m*ÿ = -a*m + 2*lam*y
      0 = -l^2 + x^2 + y^2    (lam)
    >>> system = pendulum.system({m: 1.0, l: 1.0, a: 9.81}, compile=False)
    >>> sol = ga.solve(system, (0.0, 0.1), q0={x: 1.0, y: 0.0}, v0={x: 0.0, y: 0.0}, h=1e-3)
    >>> bool(abs(sol[x.diff(t)] - sol.v[:, 0]).max() == 0.0)
    True
    """
    q = tuple(cast(Expr, _sympified(item)) for item in _sequence("q", q))
    if not q:
        raise InputError("q is empty: a system has at least one coordinate")
    t = _time(q)
    require_functions_of_time(q, t)
    names = {"q": [str(item.func) for item in q]}
    rows = {}
    for kind, given in (("g", g), ("k", k), ("gap", gaps)):
        rows[kind], row_names = _rows(given)
        names |= {kind: row_names} if row_names else {}
    friction = read_friction(names.get("gap", []), len(rows["gap"]), slips, mu, mu_static, e_t)
    applied = list(_forces(forces, q))
    D = _expression(dissipation)
    velocities = [item.diff(t) for item in q]
    total = tuple(force - D.diff(v) for force, v in zip(applied, velocities, strict=True))
    return Equations(
        t=t, q=q, L=_expression(L), forces=total, **rows, e=_restitution(e, len(rows["gap"])), **friction,
        names=names,
    )  # fmt: skip


def _time(q: Sequence[Any]) -> Symbol:
    """What the coordinates are functions of."""
    times = {item.args[0] for item in q if isinstance(item, AppliedUndef) and len(item.args) == 1}
    if len(times) > 1:
        raise InputError(f"the coordinates are functions of different symbols: {', '.join(map(str, times))}")
    return times.pop() if times else Symbol("t")


def _sequence(name: str, given: Any) -> list[Any]:
    try:
        return list(given)
    except TypeError:
        raise InputError(f"{name} must be a sequence of expressions, not {given!r:.60}") from None


def _expression(given: Any) -> Expr:
    """An expression with derivatives of coordinates only; an equation becomes left minus right."""
    given = _sympified(given)
    given = given.lhs - given.rhs if isinstance(given, Eq) else given
    if isinstance(given, MatrixBase):
        if given.shape != (1, 1):
            raise ShapeError(f"one expression is wanted, not a matrix of shape {given.shape}")
        given = given[0, 0]
    unfinished = any(not isinstance(part.expr, AppliedUndef) for part in given.atoms(Derivative))
    return given.doit() if unfinished else given  # doit is slow


def _sympified(given: Any) -> Any:
    """What SymPy makes of an expression, an equation or a number; words are not looked into."""
    try:
        found = None if isinstance(given, str | bytes) else sympify(given)
    except (SympifyError, TypeError):
        found = None
    if not isinstance(found, Expr | Eq | MatrixBase):
        raise InputError(f"{given!r:.60} is not an expression; write it with SymPy's symbols and functions")
    return found


def _rows(given: Any) -> tuple[tuple[Expr, ...], list[str]]:
    """Constraints and their names."""
    if isinstance(given, Mapping):
        return tuple(map(_expression, given.values())), [str(name) for name in given]
    one = isinstance(given, Expr | Eq)
    return tuple(map(_expression, [given] if one else _sequence("constraints", given))), []


def _forces(given: Any, q: Sequence[Any]) -> Iterable[Expr]:
    """One expression for every coordinate."""
    if given is None:
        given = {}
    if isinstance(given, Mapping):
        unknown = [key for key in given if key not in q]
        if unknown:
            raise InputError(f"forces has {unknown[0]}, which is not among the coordinates {', '.join(map(str, q))}")
        given = [given.get(item, 0) for item in q]
    given = _sequence("forces", given)
    if len(given) != len(q):
        raise ShapeError(f"there are {len(given)} forces for {len(q)} coordinates")
    return map(_expression, given)


def _restitution(e: Any, nc: int) -> tuple[Expr, ...]:
    if not nc:
        return ()
    given = list(e) if isinstance(e, Iterable) and not isinstance(e, str | bytes) else [e] * nc
    if len(given) != nc:
        raise ShapeError(f"e has {len(given)} entries for {nc} gaps; give one for all, or one for each")
    return tuple(map(_sympified, given))


def read_friction(
    names: Sequence[str], nc: int, slips: Any, mu: Any, mu_static: Any, e_t: Any
) -> dict[str, tuple[Expr, ...]]:
    """The fields of `Equations` that say what friction there is; a contact without any has slips and mu of zero."""
    given = _by_gap("slips", slips, names, nc)
    rows = [() if one is None else tuple(map(_expression, _several(one))) for one in given]
    width = max(map(len, rows), default=0)
    if not width:
        for name, value in (("mu", mu), ("mu_static", mu_static), ("e_t", e_t)):
            if value is not None and value != 0:
                raise InputError(f"{name} is given but slips are not: friction needs the tangential velocities of gaps")
        return {}
    if width > WIDEST:
        raise ShapeError(f"a contact has {width} slips; it has one in a plane, two in space, three with drilling")
    if mu is None:
        raise InputError("slips are given but mu is not: pass the coefficients of friction")
    found = {
        "slip": tuple(row for own in rows for row in (*own, *[S.Zero] * (width - len(own)))),
        "mu": _coefficients("mu", mu, names, rows, width),
        "e_t": tuple(_sympified(one or 0) for one in _by_gap("e_t", e_t, names, nc, alike=True)),
    }
    if mu_static is not None:
        found["mu_static"] = _coefficients("mu_static", mu_static, names, rows, width, found["mu"])
    return found


def _coefficients(
    what: str,
    given: Any,
    names: Sequence[str],
    rows: Sequence[Sequence[Expr]],
    width: int,
    default: Sequence[Expr] = (),
) -> tuple[Expr, ...]:
    """One for each of ``width`` slips of each gap, 0 where there is no slip; ``default`` where nothing is given."""
    found = []
    for i, (one, own) in enumerate(zip(_by_gap(what, given, names, len(rows), alike=True), rows, strict=True)):
        which = repr(names[i]) if names else f"gap {i}"
        if own and one is None and not default:
            raise InputError(f"{what} of {which} is missing, which has a slip; 0 is none")
        several = default[i * width : i * width + len(own)] if one is None else _several(one)
        if len(several) == 1:
            several = [*several] * len(own)
        if own and len(several) != len(own):
            raise ShapeError(
                f"{what} of {which} has {len(several)} entries for {len(own)} slips; give one, or one for each"
            )
        found += [*map(_sympified, several[: len(own)]), *[S.Zero] * (width - len(own))]
    return tuple(found)


def _by_gap(what: str, given: Any, names: Sequence[str], nc: int, alike: bool = False) -> list[Any]:
    """What is given for each gap, None where nothing is; ``alike``: one thing stands for all."""
    if isinstance(given, Mapping):
        unknown = [str(name) for name in given if name not in names]
        if unknown:
            there = ", ".join(map(repr, names)) or "no names; pass gaps as {name: expression}"
            raise InputError(f"{what} has {unknown[0]!r}, which is not the name of a gap; there are {there}")
        return [given.get(name) for name in names]
    if alike and (given is None or isinstance(given, Expr | int | float)):
        return [given] * nc
    found = [given] if isinstance(given, Expr | Eq) else _sequence(what, given)
    if found and len(found) != nc:
        raise ShapeError(f"{what} has {len(found)} entries for {nc} gaps; give one for each, or by the names of gaps")
    return found or [None] * nc


def _several(given: Any) -> list[Any]:
    return list(given) if isinstance(given, list | tuple | MatrixBase) else [given]

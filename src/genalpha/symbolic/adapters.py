"""From the objects of sympy.physics.mechanics.

SymPy keeps the constraints of `LagrangesMethod` at the velocity level, appends their columns to the mass matrix, and
counts the multipliers with the opposite sign; `KanesMethod` eliminates dependent speeds. Both throw away what holds
a solution on its constraints, so the adapters go back to what the objects were made from.
"""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportMissingTypeStubs=false, reportConstantRedefinition=false, reportUnnecessaryIsInstance=false
# pyright: reportArgumentType=false, reportAttributeAccessIssue=false, reportOperatorIssue=false, reportUnknownParameterType=false
# pyright: reportFunctionMemberAccess=false

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy
from sympy import Add, Derivative, Dummy, Expr, Float, Integral, Matrix, S, cos, expand, integrate, sin, trigsimp

from genalpha.errors import InputError
from genalpha.symbolic.equations import Equations
from genalpha.symbolic.lagrangian import lagrange

MOST_OPERATIONS = 500
"""Up to so many, forces are simplified to find their potential; it takes long."""

if TYPE_CHECKING:
    from sympy.physics.mechanics import KanesMethod, LagrangesMethod


def _made_from(method: KanesMethod | LagrangesMethod, *names: str) -> list[Any]:
    """What a method of SymPy was made from, by the names under which it keeps it.

    SymPy shows neither the Lagrangian nor the constraints of configuration. Its public linearizers have the
    constraints, but they are not made if a force contains the derivative of a given function of time.
    """
    try:
        return [getattr(method, f"_{name}") for name in names]
    except AttributeError as error:
        raise InputError(
            f"SymPy {sympy.__version__} keeps what a {type(method).__name__} was made from under other names "
            f"({error}); use SymPy 1.12 to 1.14"
        ) from error


def from_lagranges_method(method: LagrangesMethod) -> Equations:
    """Equations of motion from a ``sympy.physics.mechanics.LagrangesMethod``.

    Its holonomic constraints become g and hold at position level too, the nonholonomic ones k. The multipliers have the
    sign of this package, M v̇ = f + Gᵀ lam: the opposite of SymPy's.

    Examples
    --------
    >>> from sympy import symbols
    >>> from sympy.physics.mechanics import LagrangesMethod, dynamicsymbols
    >>> from genalpha.symbolic import from_lagranges_method
    >>> t, (x, y), (m, l) = dynamicsymbols._t, dynamicsymbols("x y"), symbols("m l")
    >>> L = m * (x.diff(t) ** 2 + y.diff(t) ** 2) / 2
    >>> from_lagranges_method(LagrangesMethod(L, [x, y], hol_coneqs=[x**2 + y**2 - l**2]))
    Equations(n = 2, ng = 1, nk = 0, nc = 0, params = l, m)
    """
    from sympy.physics.mechanics import LagrangesMethod, Point, dynamicsymbols

    if not isinstance(method, LagrangesMethod):
        raise InputError(f"from_lagranges_method takes a LagrangesMethod, not a {type(method).__name__}")
    q = list(method.q)
    L, g = _made_from(method, "L", "hol_coneqs")  # the public constraints are the derivatives of g, and k
    forces = [0] * len(q)
    for at, vector in method.forcelist or ():
        frame = method.inertial
        velocity = at.vel(frame) if isinstance(at, Point) else at.ang_vel_in(frame)
        for i, x in enumerate(q):
            forces[i] += velocity.diff(x.diff(dynamicsymbols._t), frame).dot(vector)
    return lagrange(L[0], q, g=list(g), k=list(method.coneqs)[len(g) :], forces=forces)


def from_kane(method: KanesMethod) -> Equations:
    """Equations of motion from a ``sympy.physics.mechanics.KanesMethod``.

    Configuration constraints become g and hold at position level too. Velocity constraints become k, except those that
    follow from g. Generalised speeds that are not derivatives of coordinates are expressed by them: the velocities
    of the system are v = q̇, and ``sol[u]`` gives the speeds.

    The kinetic energy is that of the bodies. The potential energy is that of the loads, as far as they depend on
    coordinates alone and have one that SymPy finds, else what the bodies have as ``potential_energy``; without either
    the solution has no energies.

    Examples
    --------
    >>> from sympy import symbols
    >>> from sympy.physics.mechanics import KanesMethod, Particle, Point, ReferenceFrame, dynamicsymbols
    >>> from genalpha.symbolic import from_kane
    >>> x, u, (m, c), N, P = dynamicsymbols("x"), dynamicsymbols("u"), symbols("m c"), ReferenceFrame("N"), Point("P")
    >>> P.set_vel(N, u * N.x)
    >>> kane = KanesMethod(N, [x], [u], kd_eqs=[x.diff() - u])
    >>> _ = kane.kanes_equations([Particle("mass", P, m)], [(P, -c * x * N.x)])
    >>> from_kane(kane).f
    Matrix([[-c*x(t)]])
    """
    from sympy.physics.mechanics import KanesMethod, dynamicsymbols

    if not isinstance(method, KanesMethod):
        raise InputError(f"from_kane takes a KanesMethod, not a {type(method).__name__}")
    bodies, frame, g, *velocity_rows = _complete(method)
    free, applied = _without_constraints(method, frame)
    t, q, u = dynamicsymbols._t, list(method.q), list(method.u)
    rates = Matrix([method.kindiffdict()[x.diff(t)] for x in q])
    # q̇ = A u + b, so that u = A⁻¹ (q̇ − b), and power needs A⁻ᵀ in front of the equations
    A, b = rates.jacobian(u), rates.xreplace(dict.fromkeys(u, 0))
    inverse = A.inv()
    speeds = inverse * (Matrix([x.diff(t) for x in q]) - b)
    to_q = dict(zip(u, speeds, strict=True))
    M, f = free.mass_matrix.xreplace(to_q), free.forcing.xreplace(to_q)
    kinetic = sum(body.kinetic_energy(frame) for body in bodies)
    potential = _potential_of(inverse.T * applied.xreplace(to_q), bodies, q, t)
    unaccelerated = {Derivative(x, (t, 2)): 0 for x in q}
    f = inverse.T * (f - M * speeds.diff(t).xreplace(unaccelerated))
    M = inverse.T * M * inverse
    B, rest = velocity_rows  # B u + rest = 0
    k = [row.xreplace(to_q) for row in B * method.u + rest] if B else []
    return Equations(
        t=t, q=tuple(q), mass=M, forces=tuple(f), g=tuple(g), k=tuple(_independent(list(g), k, q, t)),
        names={"q": [str(x.func) for x in q]}, speeds=to_q,
        energy=None if potential is None else (kinetic.xreplace(to_q), potential),
    )  # fmt: skip


def _without_constraints(method: KanesMethod, frame: Any) -> tuple[KanesMethod, Matrix]:
    """The same bodies and loads with all speeds independent, and the generalised forces of the loads."""
    from sympy.physics.mechanics import KanesMethod

    speeds = [rate - value for rate, value in method.kindiffdict().items()]
    free = KanesMethod(frame, q_ind=list(method.q), u_ind=list(method.u), kd_eqs=speeds)
    applied, _ = free.kanes_equations(method.bodies, method.loads or None)
    return free, Matrix(applied)


def _complete(method: KanesMethod) -> list[Any]:
    """Bodies, frame, configuration constraints, and B and rest of B u + rest = 0; refuses what cannot be taken over."""
    if method.bodies is None:
        raise InputError("this KanesMethod has no bodies yet; call its kanes_equations(bodies, loads) first")
    frame, auxiliary, *rows = _made_from(method, "inertial", "uaux", "f_h", "k_nh", "f_nh")
    if len(auxiliary):
        raise InputError("auxiliary speeds are not supported: constraint forces are multipliers here")
    if len(method.u) != len(method.q):
        raise InputError(
            f"there are {len(method.u)} speeds for {len(method.q)} coordinates; from_kane needs equal numbers"
        )
    return [method.bodies, frame, *rows]


def _potential_of(loads: Matrix, bodies: Sequence[Any], q: Sequence[Expr], t: Expr) -> Expr | None:
    """The potential energy of loads, else that of the bodies; None if there is none."""
    potential = _potential(loads, q, t)
    if potential is None and loads.has(sin, cos) and sum(force.count_ops() for force in loads) < MOST_OPERATIONS:
        potential = _potential(loads.applyfunc(trigsimp), q, t)
    if potential is not None:
        return potential
    energy: Any = sum(body.potential_energy for body in bodies)
    return energy or None


def _potential(forces: Matrix, q: Sequence[Expr], t: Expr) -> Expr | None:
    """V(q) with −∂V/∂q the forces that depend on coordinates alone, coordinate by coordinate; None if none is found."""
    at_rest = dict.fromkeys((x.diff(t) for x in q), 0)
    letters = [Dummy(str(x.func), real=True) for x in q]
    steady = [expand(force.xreplace(at_rest).xreplace(dict(zip(q, letters, strict=True)))) for force in forces]
    steady = [Add(*(term for term in Add.make_args(force) if not term.has(t))) for force in steady]
    V = S.Zero
    for x, force in zip(letters, steady, strict=True):
        V -= integrate(expand(force + V.diff(x)), x, manual=True)
    if V.has(Integral):
        return None
    for values in _generic_values([*letters, *V.free_symbols, *Matrix(steady).free_symbols], 3):
        left = [_number(force + V.diff(x), values) for x, force in zip(letters, steady, strict=True)]
        if max(map(abs, left)) > 1e-9:
            return None
    return V.xreplace(dict(zip(letters, q, strict=True)))


def _generic_values(symbols: Iterable[Any], count: int) -> list[dict[Any, Float]]:
    """Numbers for symbols at which nothing vanishes by chance."""
    random = np.random.default_rng(20070610)
    ordered = sorted(set(symbols), key=str)
    return [{symbol: Float(random.uniform(0.5, 1.5)) for symbol in ordered} for _ in range(count)]


def _number(expression: Expr, values: Mapping[Any, Any]) -> float:
    return float(expression.xreplace(values))


def _independent(g: Sequence[Expr], k: Sequence[Expr], q: Sequence[Expr], t: Expr) -> Sequence[Expr]:
    """The velocity constraints that are no combinations of the derivatives of g, by values at a generic state."""
    if not g:
        return k
    v = [x.diff(t) for x in q]
    values = _generic_values([*q, *v, *(s for row in (*g, *k) for s in row.free_symbols)], 1)[0]

    def row(expression: Expr) -> list[float]:
        """Coefficients of v, and the rest."""
        rest = expression.xreplace(dict.fromkeys(v, 0))
        return [_number(x, values) for x in (*(expression.diff(rate) for rate in v), rest)]

    basis, kept = np.array([row(constraint.diff(t)) for constraint in g]), []
    for constraint in k:
        more = np.vstack([basis, row(constraint)])
        if np.linalg.matrix_rank(more, tol=1e-9) > np.linalg.matrix_rank(basis, tol=1e-9):
            kept.append(constraint)
            basis = more
    return kept

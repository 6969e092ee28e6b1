"""From the objects of sympy.physics.mechanics.

SymPy keeps the constraints of `LagrangesMethod` at the velocity level, appends their columns to the mass matrix, and
counts the multipliers with the opposite sign; `KanesMethod` eliminates dependent speeds. Both throw away what holds
a solution on its constraints, so the adapters go back to what the objects were made from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sympy import Derivative, Float, Matrix

from genalpha.errors import InputError
from genalpha.symbolic.equations import Equations
from genalpha.symbolic.lagrangian import lagrange

if TYPE_CHECKING:
    from sympy.physics.mechanics import KanesMethod, LagrangesMethod


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
    g = list(method._hol_coneqs)  # the public constraints are the derivatives of these, and the nonholonomic ones
    forces = [0] * len(q)
    for at, vector in method.forcelist or ():
        frame = method.inertial
        velocity = at.vel(frame) if isinstance(at, Point) else at.ang_vel_in(frame)
        for i, x in enumerate(q):
            forces[i] += velocity.diff(x.diff(dynamicsymbols._t), frame).dot(vector)
    return lagrange(method._L[0], q, g=g, k=list(method.coneqs)[len(g) :], forces=forces)


def from_kane(method: KanesMethod) -> Equations:
    """Equations of motion from a ``sympy.physics.mechanics.KanesMethod``.

    Configuration constraints become g and hold at position level too. Velocity constraints become k, except those that
    follow from g. Generalised speeds that are not derivatives of coordinates are expressed by them: the velocities
    of the system are v = q̇.

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
    if method.bodies is None:
        raise InputError("this KanesMethod has no bodies yet; call its kanes_equations(bodies, loads) first")
    if len(method._uaux):
        raise InputError("auxiliary speeds are not supported: constraint forces are multipliers here")
    if len(method.u) != len(method.q):
        raise InputError(
            f"there are {len(method.u)} speeds for {len(method.q)} coordinates; from_kane needs equal numbers"
        )
    free = _without_constraints(method)
    t, q, u = dynamicsymbols._t, list(method.q), list(method.u)
    rates = Matrix([method.kindiffdict()[x.diff(t)] for x in q])
    # q̇ = A u + b, so that u = A⁻¹ (q̇ − b), and power needs A⁻ᵀ in front of the equations
    A, b = rates.jacobian(u), rates.xreplace(dict.fromkeys(u, 0))
    inverse = A.inv()
    speeds = inverse * (Matrix([x.diff(t) for x in q]) - b)
    to_q = dict(zip(u, speeds, strict=True))
    M, f = free.mass_matrix.xreplace(to_q), free.forcing.xreplace(to_q)
    rest = {Derivative(x, (t, 2)): 0 for x in q}
    f = inverse.T * (f - M * speeds.diff(t).xreplace(rest))
    M = inverse.T * M * inverse
    g = list(method._f_h)
    k = [row.xreplace(to_q) for row in method._k_nh * method.u + method._f_nh] if method._k_nh else []
    return Equations(
        t=t, q=tuple(q), mass=M, forces=tuple(f), g=tuple(g), k=tuple(_independent(g, k, q, t)),
        names={"q": [str(x.func) for x in q]},
    )  # fmt: skip


def _without_constraints(method: KanesMethod) -> KanesMethod:
    """The same bodies and loads with all speeds independent."""
    from sympy.physics.mechanics import KanesMethod

    speeds = [rate - value for rate, value in method.kindiffdict().items()]
    free = KanesMethod(method._inertial, q_ind=list(method.q), u_ind=list(method.u), kd_eqs=speeds)
    free.kanes_equations(method.bodies, method.loads or None)
    return free


def _independent(g, k, q, t):
    """The velocity constraints that are no combinations of the derivatives of g, by values at a generic state."""
    if not g:
        return k
    v = [x.diff(t) for x in q]
    symbols = sorted({s for row in (*g, *k) for s in row.free_symbols}, key=str)
    random = np.random.default_rng(20070610)
    values = {s: Float(random.uniform(0.5, 1.5)) for s in [*q, *v, *symbols]}

    def row(expression):
        """Coefficients of v, and the rest."""
        rest = expression.xreplace(dict.fromkeys(v, 0))
        return [float(x.xreplace(values)) for x in (*(expression.diff(rate) for rate in v), rest)]

    basis, kept = np.array([row(constraint.diff(t)) for constraint in g]), []
    for constraint in k:
        more = np.vstack([basis, row(constraint)])
        if np.linalg.matrix_rank(more, tol=1e-9) > np.linalg.matrix_rank(basis, tol=1e-9):
            kept.append(constraint)
            basis = more
    return kept

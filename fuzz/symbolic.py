"""Lagrangians with parameters: three of them, derived and compiled once."""

from __future__ import annotations

import functools

from fuzz.describe import ACCELERATION, DAMPER, ONE, L, M

# names of the parameters in the order of p, their dimensions, and those of the coordinates
KINDS = {
    "crane": (("M", "m", "l", "a", "c", "s"), (M, M, L, ACCELERATION, DAMPER, L), (L, ONE)),
    "double": (("m", "n", "l", "r", "a"), (M, M, L, L, ACCELERATION), (ONE, ONE)),
    "wire": (("m", "l", "a"), (M, L, ACCELERATION), (L, L)),
}


@functools.cache
def equations(kind: str):
    """Of one of the kinds, and its coordinates."""
    from sympy import Rational, cos, sin, symbols
    from sympy.physics.mechanics import dynamicsymbols

    from genalpha.symbolic import lagrange

    t, half = dynamicsymbols._t, Rational(1, 2)
    a = symbols("a")
    if kind == "crane":
        x, theta = q = dynamicsymbols("x theta")
        M, m, l, c, s = symbols("M m l c s")
        bob = x + l * sin(theta), -l * cos(theta)
        kinetic = half * M * x.diff(t) ** 2 + half * m * (bob[0].diff(t) ** 2 + bob[1].diff(t) ** 2)
        loss = half * c * x.diff(t) ** 2
        return lagrange(kinetic - m * a * bob[1], list(q), dissipation=loss, gaps={"stop": s - x}, e=0.6), q
    if kind == "double":
        one, two = q = dynamicsymbols("one two")
        m, n, l, r = symbols("m n l r")
        first = l * sin(one), -l * cos(one)
        second = first[0] + r * sin(two), first[1] - r * cos(two)
        kinetic = half * m * sum(x.diff(t) ** 2 for x in first) + half * n * sum(x.diff(t) ** 2 for x in second)
        return lagrange(kinetic - m * a * first[1] - n * a * second[1], list(q)), q
    x, y = q = dynamicsymbols("x y")
    m, l = symbols("m l")
    kinetic = half * m * (x.diff(t) ** 2 + y.diff(t) ** 2)
    return lagrange(kinetic - m * a * y, list(q), g=[y - l * sin(x / l)]), q


def system(kind: str, p):
    """The system with these parameters."""
    from sympy import Symbol

    found, _ = equations(kind)
    return found.system({Symbol(name): value for name, value in zip(KINDS[kind][0], p, strict=True)})

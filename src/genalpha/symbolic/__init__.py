"""Systems from SymPy: a Lagrangian, or the objects of ``sympy.physics.mechanics``.

`lagrange`, `from_lagranges_method` and `from_kane` give `Equations`, which print themselves and make a system:

    equations = lagrange(L, q=[x, y], g=[x**2 + y**2 - l**2])
    sol = ga.solve(equations.system({m: 1, l: 1, a: 9.81}), (0, 10), {x: 1, y: 0}, {x: 0, y: 0}, h=1e-3)
    sol[x], sol[x.diff(t)], sol[m * a * y]
"""

from __future__ import annotations

from importlib.util import find_spec

from genalpha.errors import MissingExtra

if find_spec("sympy") is None:
    raise MissingExtra("systems from SymPy need sympy: pip install 'genalpha[symbolic]'")

from genalpha.symbolic.adapters import from_kane, from_lagranges_method
from genalpha.symbolic.equations import Equations
from genalpha.symbolic.lagrangian import lagrange
from genalpha.symbolic.system import SymbolicSystem

__all__ = ["Equations", "SymbolicSystem", "from_kane", "from_lagranges_method", "lagrange"]

"""The spin-up manoeuvre of Simo and Vu-Quoc: a flexible arm lags behind, then centrifugal forces stretch it."""

import genalpha as ga
from genalpha import problems
from genalpha.problems import spin_up

for elements in (10, 20, 40):
    arm = problems.get("spin_up", elements=elements)
    sol = ga.solve(arm.system(), arm.t_span, arm.q0, arm.v0, arm.method, h=arm.h)
    along, across = spin_up.lag(sol).T
    print(f"{elements:3d} elements: lag {across.min():.4f} m, extension {along[sol.t > 16.0].mean():.3e} m")
print(f"theory of the extension         {spin_up.EXTENSION:.3e} m")

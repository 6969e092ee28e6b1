"""A chain of rods on ball joints: what a step costs, from 1 to 512 bodies."""

import genalpha as ga
from genalpha.problems import chain

method = ga.GeneralizedAlpha(rho_inf=0.8, formulation="P")
print("bodies   µs per step   µs per body")
for bodies in (1, 2, 8, 32, 128, 512):
    model, steps = chain.model(bodies), max(100, 20_000 // bodies)
    sol = ga.solve(model, (0.0, steps * 1e-3), method=method, h=1e-3, save_every=steps)
    cost = sol.stats.seconds / steps * 1e6
    print(f"{bodies:6} {cost:13.1f} {cost / bodies:13.2f}")

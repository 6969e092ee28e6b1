"""The heavy top on two groups: the same motion; on SE(3) formulation P keeps the velocity constraint by itself."""

import genalpha as ga
from genalpha.problems import heavy_top

for group in ("R3xSO3", "SE3"):
    for formulation in ("P", "PVA"):
        method = ga.GeneralizedAlpha(rho_inf=0.9, formulation=formulation)
        sol = ga.solve(heavy_top.model(group), (0.0, 2.0), method=method, h=1e-4)
        x, y, z = sol["top"].position[-1]
        print(f"{group:7} {formulation:4} x(2) = ({x:.6f}, {y:.6f}, {z:.6f})   |ġ| {sol.stats.max_gdot:.0e}")
print("DOP853       x(2) = ({:.6f}, {:.6f}, {:.6f})".format(*heavy_top.AFTER_TWO_SECONDS))

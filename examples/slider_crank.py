"""A slider-crank in the plane: stroke of the piston, forces in the joints."""

import numpy as np

import genalpha as ga
from genalpha.problems import slider_crank

sol = ga.solve(slider_crank.model(), (0.0, 1.0), h=5e-4)

stroke = sol["cylinder"].displacement
print(f"turns of the crank   {sol['main'].angle[-1] / (2 * np.pi):.2f}")
print(f"stroke               {stroke.max() - stroke.min():.4f} m")
for name in ("main", "big_end", "small_end", "cylinder"):
    print(f"largest force        {np.linalg.norm(sol[name].force, axis=1).max():7.1f} N in {name}")

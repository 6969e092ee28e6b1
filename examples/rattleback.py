"""A stone that spins one way only: spun the other way, it rattles and turns back."""

import genalpha as ga
from genalpha.problems import rattleback

for spin in (5.0, -5.0):
    sol = ga.solve(rattleback.model(spin, tilt=0.01), (0.0, 8.0), h=1e-3)
    end = sol["stone"].angular_velocity[-1, 2]
    print(f"spun at {spin:4.1f} rad/s, after 8 s {end:4.1f} rad/s; largest slip {sol.stats.max_k:.0e} m/s")

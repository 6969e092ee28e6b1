"""Four-bar linkages in a row: closed loops, one degree of freedom; every step costs the same per loop."""

import numpy as np

import genalpha as ga
from genalpha.problems import four_bar

for loops in (1, 4, 40):
    sol = ga.solve(four_bar.model(loops), (0.0, 0.5), h=1e-3)
    angles = np.array([sol[f"post{i}"].angle[-1] for i in range(loops + 1)])
    exact = four_bar.make(loops).reference(0.5).q[0, 2]
    print(f"{loops:3} loops: angle {angles[0]:.7f} rad, exact {exact:.7f}; posts differ by {np.ptp(angles):.0e}")

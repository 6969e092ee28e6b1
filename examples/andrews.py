"""Andrews' squeezing mechanism: seven bodies, ten pins, a spring, a torque, and 0.03 s."""

import numpy as np

import genalpha as ga
from genalpha.problems import andrews, andrews_model

for h in (2e-5, 1e-5, 5e-6):
    sol = ga.solve(andrews_model.model(), (0.0, 0.03), h=h)
    error = np.abs(andrews_model.angles(sol.q[-1]) - andrews.PUBLISHED).max()
    print(
        f"h = {h:.0e}: {sol['O'].angle[-1] / (2 * np.pi):.3f} turns of the crank, error of the angles {error:.1e} rad"
    )

"""Energy of the generalized-α family with numerical damping: what never rises, and by how much the rest does.

For M v̇ + K q = 0, any h, and the coefficients of Chung and Hulbert, the integration formulas give in every step

    E = ½ vᵀM v + ½ qᵀK q + ⅛ h² (γ − ½)² aᵀM a + ¼ rᵀM K⁻¹ M r,      r = a − v̇,
    E1 − E0 = −½ (½ − α_m) [r]ᵀM K⁻¹ M [r] − ¼ h² (γ − ½)³ [a]ᵀM [a],      [x] = x1 − x0.

What is added to the energy of mechanics is O((hω)²) of it: by so much that one may rise within a period.
"""

import numpy as np
import pytest

import genalpha as ga
from genalpha.scheme import Coefficients


@pytest.mark.parametrize("rho_inf", [0.0, 0.5, 0.8, 1.0])
def test_linear(rho_inf):
    """Modes from hω = 0.03 to 30, mixed: the energy above falls in every step by just what the formula says."""
    random = np.random.default_rng(3)
    modes = random.uniform(-1.0, 1.0, (4, 4)) + 2.0 * np.eye(4)
    M, K = modes.T @ modes, modes.T @ np.diag([0.03, 0.3, 3.0, 30.0]) ** 2 @ modes
    system = ga.System(M=M, f=lambda t, q, v: -K @ q, f_q=-K, f_v=0)
    method = ga.GeneralizedAlpha(rho_inf=rho_inf, tol=1e-13)
    sol = ga.solve(system, (0.0, 400.0), random.uniform(-1, 1, 4), random.uniform(-1, 1, 4), method, h=1.0)
    c, r, flexible = Coefficients.chung_hulbert(rho_inf), sol.a - sol.vdot, M @ np.linalg.solve(K, M)
    power, damping = c.gamma - 0.5, 0.5 - c.alpha_m

    def norm(x, A):
        return np.einsum("ti,ij,tj->t", x, A, x)

    energy = 0.5 * norm(sol.v, M) + 0.5 * norm(sol.q, K) + power**2 / 8 * norm(sol.a, M) + norm(r, flexible) / 4
    drop = 0.5 * damping * norm(np.diff(r, axis=0), flexible) + power**3 / 4 * norm(np.diff(sol.a, axis=0), M)
    assert np.all(drop >= 0.0)
    assert -np.diff(energy) == pytest.approx(drop, abs=1e-11 * energy[0])  # Newton stops at 1e-13
    assert energy[-1] / energy[0] == pytest.approx(1.0, rel=1e-10) if rho_inf == 1.0 else energy[-1] < 0.999 * energy[0]

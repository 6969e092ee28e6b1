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


def norm(x, A):
    return np.einsum("ti,ij,tj->t", x, A, x)


def energy_of(rho_inf, h, M, K, q, v, a, vdot):
    """The energy E in every step, and by how much it falls from step to step."""
    c, r, flexible = Coefficients.chung_hulbert(rho_inf), a - vdot, M @ np.linalg.solve(K, M)
    power, damping = c.gamma - 0.5, 0.5 - c.alpha_m
    energy = 0.5 * norm(v, M) + 0.5 * norm(q, K) + h**2 * power**2 / 8 * norm(a, M) + norm(r, flexible) / 4
    jump, change = np.diff(r, axis=0), np.diff(a, axis=0)
    return energy, 0.5 * damping * norm(jump, flexible) + h**2 * power**3 / 4 * norm(change, M)


@pytest.mark.parametrize("rho_inf", [0.0, 0.5, 0.8, 1.0])
def test_linear(rho_inf):
    """Modes from hω = 0.03 to 30, mixed: the energy above falls in every step by just what the formula says."""
    random = np.random.default_rng(3)
    modes = random.uniform(-1.0, 1.0, (4, 4)) + 2.0 * np.eye(4)
    M, K = modes.T @ modes, modes.T @ np.diag([0.03, 0.3, 3.0, 30.0]) ** 2 @ modes
    system = ga.System(M=M, f=lambda t, q, v: -K @ q, f_q=-K, f_v=0)
    method = ga.GeneralizedAlpha(rho_inf=rho_inf, tol=1e-13)
    sol = ga.solve(system, (0.0, 400.0), random.uniform(-1, 1, 4), random.uniform(-1, 1, 4), method, h=1.0)
    energy, drop = energy_of(rho_inf, 1.0, M, K, sol.q, sol.v, sol.a, sol.vdot)
    assert np.all(drop >= 0.0)
    assert -np.diff(energy) == pytest.approx(drop, abs=1e-11 * energy[0])  # Newton stops at 1e-13
    assert energy[-1] / energy[0] == pytest.approx(1.0, rel=1e-10) if rho_inf == 1.0 else energy[-1] < 0.999 * energy[0]


@pytest.mark.parametrize("formulation", ["P", "PVA"])
def test_beam(formulation):
    """ρ∞ = 0.8, small vibrations of a cantilever in all modes: the energy falls in each of 20 000 steps."""
    model, section = ga.Model("cantilever", planar=True), ga.Rigidity(EA=50.0, GA=20.0, EI=9.0, mass=1.3, inertia=0.3)
    beam = model.add(ga.Beam("beam", (0.0, 0.0), (1.0, 0.0), section=section, elements=6))
    model.add(ga.Fixed("clamp", model.ground, beam.nodes[0], at=(0.0, 0.0)))
    system, h = model.assemble(), 2e-2
    v0 = 1e-4 * np.random.default_rng(0).uniform(-1.0, 1.0, system.v0.size)
    v0[:3] = 0.0
    method = ga.GeneralizedAlpha(rho_inf=0.8, formulation=formulation, tol=1e-13)
    sol, matrices = ga.solve(system, (0.0, 400.0), system.q0, v0, method, h=h), ga.linearize(system)
    M, K = (A.toarray()[3:, 3:] for A in (matrices.M, matrices.K))
    state = (x[:, 3:] for x in (sol.q - system.q0, sol.v, sol.a, sol.vdot))
    energy, _ = energy_of(0.8, h, M, K, *state)
    assert np.all(np.diff(energy) < -5e-7 * energy[0])
    assert energy[-1] < 0.1 * energy[0]
    assert np.all(sol.energy.sum(axis=1) <= sol.energy[0].sum())

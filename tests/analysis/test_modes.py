"""Linearization: frequencies of beams, mechanisms and functions, damping, large systems."""

import numpy as np
import pytest

import genalpha as ga
from genalpha import problems

STEEL, BAR = ga.Material(E=2.1e11, density=7800.0), ga.Section.rectangle(0.01, 0.01)
WAVES = np.array([1.87510407, 4.69409113, 7.85475744, 10.99554073])  # of cos x cosh x = −1


def theory(n):
    """Frequencies of the slender cantilever of length 1, in Hz."""
    return WAVES[:n] ** 2 * np.sqrt(STEEL.E * BAR.Iz / (STEEL.density * BAR.A)) / (2.0 * np.pi)


def cantilever(elements=16, planar=True, **options):
    model, z = ga.Model("cantilever", planar=planar), () if planar else (0.0,)
    options = {"section": BAR, "material": STEEL, **options}
    beam = model.add(ga.Beam("beam", (0.0, 0.0, *z), (1.0, 0.0, *z), elements=elements, **options))
    model.add(ga.Fixed("root", model.ground, beam.nodes[0], at=(0.0, 0.0, *z)))
    return model


@pytest.mark.parametrize(("mass", "n"), [("consistent", 2), ("lumped", 4)])
@pytest.mark.parametrize("planar", [True, False])
def test_cantilever(mass, n, planar):
    """Within 1 % with 16 elements; in space every frequency comes twice."""
    small = ga.linearize(cantilever(mass=mass, planar=planar))
    twice = 1 if planar else 2
    assert small.frequencies[: twice * n] == pytest.approx(np.repeat(theory(n), twice), rel=1e-2)
    assert small.modes.T @ (small.M @ small.modes) == pytest.approx(np.eye(len(small.frequencies)), abs=1e-8)
    assert np.abs(small.G @ small.modes).max() < 1e-10 * np.abs(small.modes).max()
    assert small.acceleration == 0.0


def test_large_systems():
    """Lanczos' iteration finds what the dense solver finds."""
    few = ga.linearize(cantilever(elements=250), modes=6)
    assert few.modes.shape == (753, 6)
    assert few.frequencies[:4] == pytest.approx(theory(4), rel=5e-3)
    dense = ga.linearize(cantilever(elements=120), modes=6)
    assert few.frequencies == pytest.approx(dense.frequencies, rel=1e-3)


def test_damping():
    """Rayleigh damping: ζ = ½ (α/ω + β ω) in every mode; Kelvin-Voigt is its second part."""
    alpha, beta = 3.0, 2e-5
    small = ga.linearize(cantilever(elements=6, rayleigh=(alpha, beta)))
    omega = np.abs(small.eigenvalues[::2])  # conjugate pairs
    assert omega[:5] == pytest.approx(2.0 * np.pi * small.frequencies[:5], rel=1e-6)
    assert small.damping_ratios[:10:2] == pytest.approx(0.5 * (alpha / omega + beta * omega)[:5], rel=1e-6)
    viscous = ga.linearize(cantilever(elements=6, viscosity=beta))
    assert viscous.damping_ratios[:10:2] == pytest.approx(0.5 * beta * omega[:5], rel=1e-6)


def test_buckling():
    """The lowest frequency vanishes at Euler's load π² EI/(4 L²)."""
    load = np.pi**2 * STEEL.E * BAR.Iz / 4.0
    for share in (0.99, 1.01):
        model = cantilever(elements=16)
        model.add(ga.PointForce("load", model.parts["beam.16"], force=(-share * load, 0.0)))
        pressed = ga.equilibrium(model)
        small = ga.linearize(model, pressed.q[-1])
        assert (small.frequencies[0] > 0.0) == (share < 1.0)
        assert np.all(small.frequencies[1:] > 40.0)
        assert (small.eigenvalues.real.max() > 1.0) == (share > 1.0)


def test_mechanisms():
    """Pendulums swing about their equilibria; forces of joints and loads on a body belong to the stiffness."""
    problem = problems.get("double_pendulum")
    hanging = np.array([0.0, -0.5, -0.5 * np.pi, 0.0, -1.5, -0.5 * np.pi])
    beside = hanging + np.array([0.05, 0.0, 0.1, 0.1, 0.0, 0.0])
    found = ga.equilibrium(problem.system(), beside, load_steps=2)
    assert found.q[-1] == pytest.approx(hanging, abs=1e-9)
    small = ga.linearize(problem.system(), found.q[-1])
    # two equal links: det(9.81 diag(3/2, 1/2) − ω² [[4/3, 1/2], [1/2, 1/3]]) = 0
    mass, stiffness = np.array([[4 / 3, 1 / 2], [1 / 2, 1 / 3]]), 9.81 * np.diag([1.5, 0.5])
    exact = np.sqrt(np.sort(np.linalg.eigvals(np.linalg.solve(mass, stiffness))))
    assert 2.0 * np.pi * small.frequencies == pytest.approx(exact, rel=1e-6)
    model = ga.Model("pendulum", gravity=(0.0, 0.0, -9.81))
    rod = model.add(ga.RigidBody("rod", mass=2.0, inertia=(0.1, 0.1, 0.02), position=(0.0, 0.0, -0.5)))
    model.add(ga.Revolute("pin", model.ground, rod, at=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0)))
    swing = ga.linearize(model)
    exact = np.sqrt(2.0 * 9.81 * 0.5 / (0.1 + 2.0 * 0.25)) / (2.0 * np.pi)
    assert swing.frequencies == pytest.approx([exact], rel=1e-9)
    assert "1 modes of 6 velocities and 5 constraints" in str(swing)
    # a force that follows the rod has no stiffness of its own, one that stays in space stiffens
    for follows, extra in ((False, 5.0 * 1.0), (True, 0.0)):
        pulled = ga.Model("pulled", gravity=(0.0, 0.0, -9.81))
        rod = pulled.add(ga.RigidBody("rod", mass=2.0, inertia=(0.1, 0.1, 0.02), position=(0.0, 0.0, -0.5)))
        pulled.add(ga.Revolute("pin", pulled.ground, rod, at=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0)))
        pulled.add(ga.PointForce("pull", rod, force=(0.0, 0.0, -5.0), on=(0.0, 0.0, -0.5), follows=follows))
        found = ga.linearize(pulled).frequencies[0]
        assert (2.0 * np.pi * found) ** 2 == pytest.approx((2.0 * 9.81 * 0.5 + extra) / 0.6, rel=1e-6)


def test_closed_contacts():
    """A contact that stays closed is a constraint."""
    system = ga.System(
        M=np.eye(2), f=lambda t, q, v: np.array([-4.0 * q[0], -9.0 * q[1] - 1.0]), gap=lambda t, q: q[1:],
        names={"gap": ["floor"]},
    )  # fmt: skip
    assert len(ga.linearize(system, [0.0, 0.0]).frequencies) == 2
    small = ga.linearize(system, [0.0, 0.0], closed=["floor"])
    assert 2.0 * np.pi * small.frequencies == pytest.approx([2.0])
    with pytest.raises(ga.InputError, match="there is no contact 'roof'; there are floor"):
        ga.linearize(system, [0.0, 0.0], closed=["roof"])
    with pytest.raises(ga.InputError, match="modes = 0 must be a positive integer"):
        ga.linearize(system, [0.0, 0.0], modes=0)


def test_slow_modes_of_stiff_structures():
    """A thin ruler: its lowest frequency is 1e-8 of the highest, and no zero; damped by its viscosity, or not."""
    blade, theory = ga.Section.rectangle(height=0.001, width=0.03), 0.8382
    for viscosity in (0.0, 1e-3):
        small = ga.linearize(cantilever(20, section=blade, viscosity=viscosity), modes=3)
        assert small.neutral == 0
        assert small.frequencies[0] == pytest.approx(theory, rel=2e-3)
        omega = 2.0 * np.pi * small.frequencies[:2]
        assert np.abs(small.eigenvalues[:4:2]) == pytest.approx(omega, rel=1e-4)
        assert small.damping_ratios[:4:2] == pytest.approx(0.5 * viscosity * omega, rel=1e-3, abs=1e-9)

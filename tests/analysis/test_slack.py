"""Equilibria that Newton's iteration alone does not find: slack cables, arches that snap through, slender helices."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import root

import genalpha as ga
from genalpha.analysis import balance

ALONG = np.linspace(0.0, 1.0, 11)
STARTS = {
    "V": [(x, -0.8 * min(x, 1.0 - x)) for x in ALONG],
    "sagging": [(x, -1.2 * x * (1.0 - x)) for x in ALONG],
    "arch": [(x, 1.2 * x * (1.0 - x)) for x in ALONG],
    "zigzag": [(x, 0.1 * (i % 2)) for i, x in enumerate(ALONG)],
}


def springs(points, unit=1.0):
    """Masses on springs without force, held at both ends; ``unit``: a metre in the units of the model."""
    points = unit * np.array(points)
    model, before = ga.Model("cable", planar=True, gravity=(0.0, -9.81 * unit)), None
    for i, (a, b) in enumerate(pairwise(points), start=1):
        last = i == len(points) - 1
        end = model.ground if last else model.add(ga.PointMass(f"p{i}", mass=0.05, position=b))
        at = {} if before else {"at_a": a}
        at |= {"at_b": b} if last else {}
        model.add(ga.SpringDamper(f"s{i}", before or model.ground, end, stiffness=1e4, **at))
        before = end
    return model


def links(points):
    """Rigid links with hinges, held at both ends."""
    model, before = ga.Model("chain", planar=True, gravity=(0.0, -9.81)), None
    points = np.array(points)
    for i, (a, b) in enumerate(pairwise(points)):
        length, angle = np.linalg.norm(b - a), np.arctan2(*(b - a)[::-1])
        link = ga.RigidBody(
            f"l{i}", mass=0.1, inertia=0.1 * length**2 / 12.0, position=0.5 * (a + b), orientation=float(angle)
        )
        model.add(link)
        model.add(ga.Revolute(f"j{i}", before or model.ground, link, at=a))
        before = link
    model.add(ga.Revolute("end", model.ground, before, at=points[-1]))
    return model


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e3])
@pytest.mark.parametrize("start", STARTS)
def test_slack_cables(start, unit):
    """Slopes of a cable with equal weights grow by equal steps, mg/H, and it hangs: nothing is unstable."""
    model = springs(STARTS[start], unit)
    q = ga.equilibrium(model).q[-1]
    nodes = np.vstack([[0.0, 0.0], q.reshape(-1, 2), unit * np.array(STARTS[start][-1])])
    slopes = np.divide(*np.diff(nodes, axis=0).T[::-1])
    steps = np.diff(slopes)
    assert steps == pytest.approx(steps.mean(), rel=1e-6)
    assert steps.mean() > 0.0
    assert np.all(np.diff(nodes[:, 0]) > 0.0)
    assert ga.linearize(model, q).eigenvalues.real.max() < 1e-6


def test_slack_chain():
    """The same of rigid links."""
    model = links(STARTS["zigzag"])
    angles = ga.equilibrium(model).q[-1].reshape(-1, 3)[:, 2]
    steps = np.diff(np.tan(angles))
    assert steps == pytest.approx(steps.mean(), rel=1e-6)
    assert steps.mean() > 0.0


@pytest.mark.parametrize("stiffness", [1e-3, 1e-5, 1e-6])
def test_an_arch_snaps_through(stiffness):
    """A cable as an arch ends as one that hangs, however little it resists bending; so does one with a free end."""
    section = ga.Rigidity(EA=1e4, GA=1e4, EI=stiffness, mass=0.5, inertia=1e-6)
    model = ga.Model("arch", planar=True, gravity=(0.0, -9.81))
    arch = model.add(ga.Beam("arch", curve=lambda s: (s, 1.2 * s * (1.0 - s)), elements=16, section=section))
    model.add(ga.Revolute("left", model.ground, arch.nodes[0], at=(0.0, 0.0)))
    model.add(ga.Revolute("right", model.ground, arch.nodes[-1], at=(1.0, 0.0)))
    found = ga.equilibrium(model)
    assert found["arch"].position[-1, 8] == pytest.approx([0.5, -0.297, 0.0], abs=6e-3)
    assert ga.linearize(model, found.q[-1]).eigenvalues.real.max() < 1e-6
    free = ga.Model("free", planar=True, gravity=(0.0, -9.81))
    cable = free.add(ga.Beam("cable", (0.0, 0.0), (1.0, 0.0), elements=8, section=section))
    free.add(ga.Revolute("eye", free.ground, cable.nodes[0], at=(0.0, 0.0)))
    assert ga.equilibrium(free)["cable"].tip[-1] == pytest.approx([0.0, -1.0, 0.0], abs=1e-3)


# a helix of two coils, clamped, with a force at its end

COILS, RISE, MODULUS = 2, 0.5, 1e9
CURVATURE, TORSION = (x / (1.0 + (RISE / (2.0 * np.pi)) ** 2) for x in (1.0, RISE / (2.0 * np.pi)))
LENGTH = COILS * np.hypot(2.0 * np.pi, RISE)


def helix(elements, slenderness, force):
    """The radius is 1 m, the diameter of the wire its length over the slenderness."""
    model, section = ga.Model("helix"), ga.Section.circle(0.5 * LENGTH / slenderness)
    turn = 2.0 * np.pi * COILS
    wire = ga.Beam(
        "wire", curve=lambda s: (np.cos(turn * s), np.sin(turn * s), RISE * COILS * s), elements=elements,
        section=section, material=ga.Material(E=MODULUS, density=1000.0),
    )  # fmt: skip
    model.add(wire)
    model.add(ga.Fixed("root", model.ground, wire.nodes[0], at=wire.points[0]))
    model.add(ga.PointForce("pull", wire.nodes[-1], force=(0.0, 0.0, force)))
    return model


def rod(slenderness, force, tip):
    """Where the end of an inextensible elastic rod is: Kirchhoff's equations, from the end, where no moment acts.

    R' = R u~, u = u₀ + C⁻¹ Rᵀ m, m' = −t × n; the rotation of the end is found so that the root has its own.
    """
    from scipy.spatial.transform import Rotation

    radius = 0.5 * LENGTH / slenderness
    bending, twisting = MODULUS * np.pi * radius**4 / 4.0, MODULUS / 2.6 * np.pi * radius**4 / 2.0
    rest, soft, n = np.array([TORSION, 0.0, CURVATURE]), 1.0 / np.array([twisting, bending, bending]), [0.0, 0.0, force]

    def rate(s, y):
        R, m = y[:9].reshape(3, 3), y[9:12]
        u = rest + soft * (R.T @ m)
        R1 = np.cross(R, u[None, :])  # rows of R u~
        return np.concatenate([R1.ravel(), -np.cross(R[:, 0], n), R[:, 0]])

    def frenet(turn):
        tangent, normal = (
            np.array([-np.sin(turn), np.cos(turn), RISE / (2.0 * np.pi)]),
            -np.array([np.cos(turn), np.sin(turn), 0.0]),
        )
        tangent /= np.linalg.norm(tangent)
        return np.column_stack([tangent, normal, np.cross(tangent, normal)])

    def shoot(theta):
        R = Rotation.from_rotvec(theta).as_matrix() @ frenet(2.0 * np.pi * COILS)
        run = solve_ivp(rate, (LENGTH, 0.0), np.concatenate([R.ravel(), np.zeros(6)]), rtol=1e-10, atol=1e-12)
        return run.y[:, -1]

    def miss(theta):
        return Rotation.from_matrix(shoot(theta)[:9].reshape(3, 3) @ frenet(0.0).T).as_rotvec()

    found = root(miss, tip)
    assert found.success
    return np.array([1.0, 0.0, 0.0]) - shoot(found.x)[12:]


def test_slender_helix(monkeypatch):
    """Slenderness 1e3: the tip of Kirchhoff's rod, the load in the clamp, and matrices by differences at most once."""
    counted = []
    exact = balance.exact_stiffness
    monkeypatch.setattr(balance, "exact_stiffness", lambda *x: counted.append(1) or exact(*x))
    stiffness = MODULUS / 2.6 * (LENGTH / 1e3) ** 4 / (64.0 * COILS)  # of a coil spring
    force, tips = -0.8 * stiffness, []
    for elements in (32, 64):
        found = ga.equilibrium(helix(elements, 1e3, force))
        tips.append(found["wire"].tip[-1])
        assert found["root"].force[-1] == pytest.approx([0.0, 0.0, -force], abs=1e-9 * abs(force))
        assert found["root"].torque[-1] == pytest.approx(
            -np.cross(tips[-1] - [1, 0, 0], [0, 0, force]), rel=1e-7, abs=1e-9
        )
        assert found.iterations < 200
    assert len(counted) <= 2
    from genalpha.math import so3

    start, end = (so3.matrix(x) for x in (ga.equilibrium(helix(64, 1e3, 1e-9 * force)).q[-1, -4:], found.q[-1, -4:]))
    exact_tip = rod(1e3, force, so3.log(so3.quaternion(end @ start.T)))
    assert tips[1] == pytest.approx(exact_tip, abs=1e-2)
    assert (4.0 * tips[1] - tips[0]) / 3.0 == pytest.approx(exact_tip, abs=3e-4)


def test_far_from_the_start():
    """A start that is small beside the solution, and a solution that is small beside the start."""
    for start, load, exact in ((1e-12, 10.0, 2.5), (1e3, 4e-9, 1e-9)):
        system = ga.System(M=np.eye(1), f=lambda t, q, v, load=load: load - 4.0 * q)
        assert ga.equilibrium(system, [start]).q[-1] == pytest.approx([exact], rel=1e-6, abs=1e-12 * start)
    falling = ga.Model("falling", gravity=(0.0, 0.0, -9.81))
    falling.add(ga.PointMass("stone", mass=1.0))
    with pytest.raises(ga.ConvergenceError, match=r"nothing resists a motion of stone\.\w"):
        ga.equilibrium(falling)

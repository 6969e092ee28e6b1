"""The same mechanics by several ways: functions and models, functions of the user's and forces of the library."""

from dataclasses import replace

import numpy as np
import pytest

import genalpha as ga
from genalpha import problems
from genalpha.problems import double_pendulum as planar
from genalpha.problems import pendulum3d

PVA = ga.GeneralizedAlpha()


def double_pendulum_model():
    """Two rods as in problems.double_pendulum."""
    model = ga.Model("double", gravity=(0.0, -planar.GRAVITY), planar=True)
    for i in range(2):
        centre = ((0.5 + i) * planar.LENGTH, 0.0)
        model.add(ga.RigidBody(f"rod{i}", mass=planar.MASS, inertia=planar.INERTIA, position=centre))
    model.add(ga.Revolute("pin", model.ground, "rod0", at=(0.0, 0.0)))
    model.add(ga.Revolute("elbow", "rod0", "rod1", at=(planar.LENGTH, 0.0)))
    return model


@pytest.mark.parametrize(("formulation", "floor"), [("PVA", 1e-12), ("P", 1e-8)])
def test_planar_functions_and_model(formulation, floor):
    """Equal to 1e-12, multipliers included; with P round-off of q over h² is the floor of accelerations."""
    problem, method = problems.get("double_pendulum"), ga.GeneralizedAlpha(formulation=formulation, tol=1e-12)
    one = ga.solve(problem.system(), (0.0, 0.5), problem.q0, problem.v0, method, h=1e-3)
    two = ga.solve(double_pendulum_model(), (0.0, 0.5), method=method, h=1e-3)
    limits = {"q": 1e-12, "v": max(1e-12, 1e-3 * floor), "vdot": floor, "lam": floor}
    for name, limit in limits.items():
        x, y = getattr(one, name), getattr(two, name)
        assert x == pytest.approx(y, abs=limit * (1.0 + np.abs(x).max()))


@pytest.mark.parametrize("formulation", ["P", "PVA"])
def test_spatial_functions_and_model(formulation):
    """Two masses tied together in space: equal to 1e-12. Rotations are compared below, where coordinates differ."""
    M = np.diag([1.0, 1.0, 1.0, 2.0, 2.0, 2.0])
    system = ga.System(
        M=M,
        f=lambda t, q, v: np.array([0.0, 0.0, -9.81, 3.0, 0.0, -2 * 9.81]),
        g=lambda t, q: q[3:] - q[:3],
        f_q=0,
        f_v=0,
    )
    method = ga.GeneralizedAlpha(formulation=formulation)
    one = ga.solve(system, (0.0, 0.3), np.ones(6), np.zeros(6), method, h=1e-3)
    model = ga.Model("tied", gravity=(0.0, 0.0, -9.81))
    model.add(ga.PointMass("a", mass=1.0, position=(1.0, 1.0, 1.0)))
    model.add(ga.PointMass("b", mass=2.0, position=(1.0, 1.0, 1.0)))
    model.add(ga.Spherical("tie", "a", "b", at=(1.0, 1.0, 1.0)))
    model.add(ga.PointForce("push", "b", (3.0, 0.0, 0.0)))
    two = ga.solve(model, (0.0, 0.3), method=method, h=1e-3)
    for name in ("q", "v", "vdot", "lam"):
        assert getattr(one, name) == pytest.approx(getattr(two, name), abs=1e-12)


def spatial_pendulum_functions():
    """The rod of pendulum3d by plain functions, with the rotation vector of the whole motion as coordinates."""
    from genalpha.math import so3

    mass = 0.32
    J = np.diag(1000.0 * ga.Box((0.2, 0.04, 0.04)).inertia)
    inertia = J + mass * 0.01 * np.array([0.0, 1.0, 1.0])  # about the ball joint

    def rates(theta, rate):
        return so3.tangent(theta) @ rate

    def M(t, theta):
        T = so3.tangent(theta)
        return T.T @ np.diag(inertia) @ T

    def f(t, theta, rate):
        T, Omega, d = so3.tangent(theta), rates(theta, rate), 1e-5
        R = so3.matrix(so3.exp(theta))
        Tdot = (so3.tangent(theta + d * rate) - so3.tangent(theta - d * rate)) / (2.0 * d)
        weight = np.cross([0.1, 0.0, 0.0], R.T @ [0.0, 0.0, -9.81 * mass])
        return T.T @ (weight - np.cross(Omega, inertia * Omega) - inertia * (Tdot @ rate))

    return ga.System(M=M, f=f)


@pytest.mark.filterwarnings("ignore::genalpha.errors.DerivativeWarning")
def test_spatial_pendulum_by_rotation_vector():
    """Minimal coordinates by functions and the model converge to the same motion."""
    from genalpha.math import so3

    problem = problems.get("pendulum3d")
    model = ga.solve(problem.system(), (0.0, 0.1), problem.q0, problem.v0, PVA, h=2.5e-4)
    functions = ga.solve(spatial_pendulum_functions(), (0.0, 0.1), np.zeros(3), [0.0, 0.0, 1.0], PVA, h=2.5e-4)
    R = so3.matrix(so3.exp(functions.q[-1]))
    assert model["rod0"].rotation[-1] == pytest.approx(R, abs=1e-6)
    assert model["rod0"].position[-1] == pytest.approx(R @ [0.1, 0.0, 0.0], abs=1e-7)


def falling(group, *forces, planar=False):
    """A body on a spring, with other forces on it."""
    n = 2 if planar else 3
    model = ga.Model("falling", gravity=(0.0, -9.81) if planar else (0.0, 0.0, -9.81), planar=planar)
    more = {} if planar else {"orientation": np.array([0.8, 0.2, -0.4, 0.4]), "group": group}
    inertia, spin = (0.2, 2.0) if planar else ((0.2, 0.3, 0.25), (1.0, -2.0, 0.5))
    model.add(
        ga.RigidBody("body", mass=1.5, inertia=inertia, position=np.arange(1.0, 1.0 + n), angular_velocity=spin, **more)
    )
    model.add(ga.PointMass("mass", mass=0.5, position=-np.ones(n)))
    for force in forces:
        model.add(force)
    # the iteration knows nothing of the derivatives of a user's function: its tolerance is what differs
    sol = ga.solve(model, (0.0, 0.3), method=ga.GeneralizedAlpha(tol=1e-13), h=1e-3)
    return np.hstack([sol["body"].position, sol["body"].rotation.reshape(-1, 9), sol["mass"].position])


@ga.evaluator
def marked_spring(t, states):
    """What SpringDamper does between the centres of mass."""
    line = states.position[1] - states.position[0]
    length = np.sqrt(np.sum(line**2))
    rate = np.sum(line * (states.velocity[1] - states.velocity[0])) / length
    force = (50.0 * (length - 0.7) + 2.0 * rate) * line / length
    out = np.zeros((2, 6))
    out[0, :3] = force
    out[1, :3] = -force
    return out


def plain_spring(t, states):
    """The same in words that numba does not know."""
    (a, b), (u, w) = states.position, states.velocity
    length = float(np.linalg.norm(b - a))
    direction = (b - a) / length
    force = (50.0 * (length - 0.7) + 2.0 * float(direction @ (w - u))) * direction
    return [[*force, 0, 0, 0], [*(-force), 0, 0, 0]]


GROUPS = pytest.mark.parametrize(("group", "planar"), [("R3xSO3", False), ("SE3", False), ("", True)])


@GROUPS
def test_user_forces(group, planar):
    """Marked, plain, and of the library: the same motion."""
    spring = ga.SpringDamper("spring", "body", "mass", stiffness=50.0, damping=2.0, length=0.7)
    exact = falling(group, spring, planar=planar)
    for function in (marked_spring, plain_spring):
        found = falling(group, ga.UserForce("spring", ["body", "mass"], function), planar=planar)
        assert found == pytest.approx(exact, abs=1e-9)


@GROUPS
@pytest.mark.parametrize("follows", [False, True])
def test_loads_of_time(group, planar, follows):
    """A callable that gives a constant is the constant."""
    n = 2 if planar else 3
    force, on = tuple(np.arange(2.0, 2.0 + n)), tuple(0.1 * np.arange(1.0, 1.0 + n))
    torque = 0.7 if planar else (0.3, 0.5, -0.2)
    exact = falling(
        group, ga.PointForce("f", "body", force, on=on, follows=follows),
        ga.Torque("t", "body", torque, follows=follows), planar=planar,
    )  # fmt: skip
    found = falling(
        group, ga.PointForce("f", "body", lambda t: force, on=on, follows=follows),
        ga.Torque("t", "body", lambda t: torque, follows=follows), planar=planar,
    )  # fmt: skip
    assert found == pytest.approx(exact, abs=1e-9)
    assert np.abs(exact - falling(group, planar=planar)).max() > 1e-2


def test_a_force_of_time():
    """m ẍ = sin t, exactly integrated."""
    model = ga.Model("pushed")
    model.add(ga.PointMass("mass", mass=2.0))
    model.add(ga.PointForce("push", "mass", lambda t: (np.sin(t), 0.0, 1.0)))
    sol = ga.solve(model, (0.0, 1.0), h=1e-3)
    assert sol["mass"].position[-1] == pytest.approx([0.5 * (1.0 - np.sin(1.0)), 0.0, 0.25], abs=1e-6)


def test_pendulum3d_is_a_chain_of_one():
    one, two = pendulum3d.make(), replace(problems.get("chain", bodies=1), t_span=(0.0, 1.0))
    runs = [ga.solve(p.system(), (0.0, 0.1), p.q0, p.v0, PVA, h=1e-3).q for p in (one, two)]
    assert np.array_equal(*runs)

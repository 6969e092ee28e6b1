"""Derivatives of forces that users write: they steer the iteration as those of built-in forces do."""

import numpy as np
import pytest

import genalpha as ga

STIFFNESS, DAMPING, LENGTH = 1e4, 20.0, 1.0


def couple(t, states):
    """Forces and torques of all that two bodies have: a spring between points, drag, and a gyroscopic part."""
    out = np.zeros((2, 6))
    arms = [states.rotation[i] @ np.array([0.1, 0.2, 0.0]) for i in (0, 1)]
    r = states.position[1] + arms[1] - states.position[0] - arms[0]
    v = [states.velocity[i] + np.cross(states.angular_velocity[i], arms[i]) for i in (0, 1)]
    force = (50.0 * (1.0 - 0.3 / np.sqrt(r @ r)) + t) * r + 3.0 * (v[1] - v[0])
    for i, sign in ((0, 1.0), (1, -1.0)):
        out[i, :3] = sign * force - 0.1 * states.velocity[i] * np.sqrt(states.velocity[i] @ states.velocity[i])
        out[i, 3:] = np.cross(arms[i], sign * force) + 0.2 * np.cross(states.angular_velocity[i], arms[i])
    return out


def model_of(kind, function=couple, scale=1.0, **options):
    planar = kind == "planar"
    model = ga.Model(kind, planar=planar, gravity=(0.0, -9.81 * scale) if planar else (0.0, 0.0, -9.81 * scale))
    if planar:
        one = ga.RigidBody("one", mass=1.0, inertia=0.1 * scale**2, orientation=0.3)
        two = ga.PointMass("two", mass=1.0, position=(scale, 0.5 * scale))
    else:
        inertia = scale**2 * np.array([0.1, 0.2, 0.25])
        turned = np.array([0.6, 0.0, 0.64, 0.48])
        one = ga.RigidBody("one", mass=1.0, inertia=inertia, orientation=turned, group=kind)
        two = ga.RigidBody("two", mass=2.0, inertia=inertia, position=(scale, 0.5 * scale, 0.0), group=kind)
    bodies = [model.add(one), model.add(two)]
    model.add(ga.UserForce("couple", bodies, function, **options))
    return model


def tangents(system, q, v):
    """Stiffness and damping as they are, and by differences of the force along q ∘ exp(δ)."""
    contract = system.contract(0.0, system.q0, system.v0, compiled=False)
    found = [contract.matrix(name, 0.7, q, v, v, np.zeros(0)) for name in ("stiffness", "damping")]
    exact = [np.zeros_like(matrix) for matrix in found]
    for j, d in enumerate(1e-6 * np.eye(contract.nv)):
        sides = [np.zeros(contract.nq), np.zeros(contract.nq)]
        for sign, side in zip((1.0, -1.0), sides, strict=True):
            contract.evaluators.update(q, sign * d, contract.data, side)
        ahead, behind = (contract.evaluate("f", 0.7, side, v) for side in sides)
        exact[0][:, j] = -(ahead - behind) / 2e-6
        ahead, behind = (contract.evaluate("f", 0.7, q, v + sign * d) for sign in (1.0, -1.0))
        exact[1][:, j] = -(ahead - behind) / 2e-6
    return found, exact


@pytest.mark.parametrize("kind", ["R3xSO3", "SE3", "planar"])
def test_stiffness_and_damping_are_those_of_the_force(kind):
    system = model_of(kind).assemble()
    v = np.cos(1.0 + np.arange(system.v0.size))
    found, exact = tangents(system, system.q0, v)
    # the stiffness of inertia forces is left out: they are those without the force
    plain = model_of(kind, derivative=False).assemble()
    contract = plain.contract(0.0, plain.q0, plain.v0, compiled=False)
    for name, A, B, size in zip(("stiffness", "damping"), found, exact, (60.0, 3.0), strict=True):
        left_out = contract.matrix(name, 0.7, system.q0, v, v, np.zeros(0))
        np.testing.assert_allclose(A - left_out, B - _of_inertia(kind, name, system, v), atol=1e-6 * size)


def _of_inertia(kind, name, system, v):
    """What −∂f/∂(q, v) has without the force of the user's."""
    still = model_of(kind, lambda t, states: np.zeros((2, 6))).assemble()
    return tangents(still, system.q0, v)[1][0 if name == "stiffness" else 1]


@pytest.mark.parametrize("kind", ["R3xSO3", "SE3"])
def test_a_derivative_that_is_given(kind):
    def torque(t, states):
        return np.hstack([-2.0 * states.velocity, np.cross(states.angular_velocity, states.position)])

    def derivative(t, states):
        n = len(states.position)
        by_position, by_velocity = np.zeros((n, 6, n, 6)), np.zeros((n, 6, n, 6))
        for i in range(n):
            w, x = states.angular_velocity[i], states.position[i]
            by_velocity[i, :3, i, :3] = -2.0 * np.eye(3)
            by_velocity[i, 3:, i, 3:] = np.cross(np.eye(3), x).T
            by_position[i, 3:, i, :3] = np.cross(w, np.eye(3)).T
        return by_position, by_velocity

    given = model_of(kind, torque, derivative=derivative).assemble()
    found = model_of(kind, torque).assemble()
    v = np.cos(1.0 + np.arange(given.v0.size))
    for A, B in zip(tangents(given, given.q0, v)[0], tangents(found, given.q0, v)[0], strict=True):
        np.testing.assert_allclose(A, B, atol=1e-8)


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_differences_know_no_units(scale):
    def spring(t, states):
        return np.vstack([np.r_[f, 0, 0, 0] for f in -40.0 * states.position * (1.0 + states.position**2 / scale**2)])

    found, _ = tangents(system := model_of("R3xSO3", spring, scale).assemble(), system.q0, system.v0)
    expected = 40.0 * (1.0 + 3.0 * np.array([1.0, 0.5, 0.0]) ** 2)
    np.testing.assert_allclose(np.diag(found[0])[6:9], expected, rtol=1e-8)


def test_many_bodies_are_not_differentiated_unless_told_to():
    names = [f"body {i}" for i in range(9)]
    assert ga.UserForce("few", names[:8], couple).is_differentiated
    assert not ga.UserForce("many", names, couple).is_differentiated
    assert ga.UserForce("many", names, couple, derivative=True).is_differentiated
    with pytest.raises(ga.InputError, match="derivative must be a function"):
        ga.UserForce("many", names, couple, derivative=3)


def spring(t, states):
    x, v = states.position[0], states.velocity[0]
    length = np.sqrt(x @ x)
    out = np.zeros((1, 6))
    out[0, :3] = -(STIFFNESS * (length - LENGTH) / length + DAMPING * (x @ v) / length**2) * x
    return out


def pendulum(kind):
    model = ga.Model("pendulum", gravity=(0.0, 0.0, -9.81))
    mass = model.add(ga.PointMass("mass", mass=2.0, position=(1.1, 0.0, 0.0)))
    if kind == "built-in":
        model.add(ga.SpringDamper("spring", model.ground, mass, stiffness=STIFFNESS, damping=DAMPING, length=LENGTH))
    else:
        model.add(ga.UserForce("spring", [mass], ga.evaluator(spring) if kind == "marked" else spring))
    return model


@pytest.mark.parametrize(("formulation", "h"), [("PVA", 0.02), ("P", 0.01)])
def test_as_many_iterations_as_with_the_built_in_force(formulation, h):
    """By default: tangents of plain functions were kept over steps, which took 332 iterations instead of 217."""
    method, sols = ga.GeneralizedAlpha(formulation=formulation), {}
    for kind in ("built-in", "marked", "plain"):
        sols[kind] = ga.solve(pendulum(kind), (0.0, 1.0), h=h, method=method)
        assert sols[kind].stats.newton <= sols["built-in"].stats.newton
        np.testing.assert_allclose(sols[kind].q, sols["built-in"].q, atol=1e-8)


def test_tangents_of_many_coordinates_are_kept():
    """Those of two bodies by the interpreter, 48 calls; not if they are given."""
    counts = []
    for derivative in (None, lambda t, states: (np.zeros((2, 6, 2, 6)), np.zeros((2, 6, 2, 6)))):
        counts.append(ga.solve(model_of("R3xSO3", derivative=derivative), (0.0, 0.05), h=1e-3).stats.jacobians)
    assert counts[0] < 5
    assert counts[1] == 50


def test_a_motor_takes_as_many_iterations_as_a_torsion_spring():
    counts = []
    for kind in range(3):
        model = ga.Model("arm", planar=True, gravity=(0.0, -9.81))
        arm = model.add(ga.RigidBody("arm", mass=2.0, inertia=0.2, position=(1.0, 0.0)))
        pin = model.add(ga.Revolute("pin", model.ground, arm, at=(0.0, 0.0)))
        if kind == 0:
            model.add(ga.TorsionSpring("spring", pin, stiffness=1e5, damping=20.0))
        else:
            slopes = (lambda t, angle, rate: (-1e5, -20.0)) if kind == 2 else None
            model.add(ga.Motor("motor", pin, lambda t, angle, rate: -1e5 * angle - 20.0 * rate, derivative=slopes))
        counts.append(ga.solve(model, (0.0, 0.4), h=0.02).stats.newton)
    assert counts[1:] == counts[:1] * 2


def test_statics_and_modes_see_a_force_of_the_users():
    model = ga.Model("mass", gravity=(0.0, 0.0, -9.81))
    mass = model.add(ga.PointMass("mass", mass=2.0, position=(1.0, 0.0, 0.0)))
    model.add(
        ga.UserForce(
            "hold", [mass], lambda t, s: np.hstack([-1e4 * (s.position - [[1.0, 0.0, 0.0]]), np.zeros((1, 3))])
        )
    )
    rest = ga.equilibrium(model)
    np.testing.assert_allclose(rest.q[-1], [1.0, 0.0, -2.0 * 9.81 / 1e4], atol=1e-12)
    np.testing.assert_allclose(
        ga.linearize(model, rest.q[-1]).frequencies, np.sqrt(1e4 / 2.0) / (2.0 * np.pi), rtol=1e-8
    )

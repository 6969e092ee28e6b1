"""Results by name: reactions against hand calculations, coordinates of joints, springs, energies."""

import numpy as np
import pytest

import genalpha as ga

GROUPS = pytest.mark.parametrize("group", ["R3xSO3", "SE3"])


def beam(group, joint, **kinds):
    """A body at rest, 2 m from a joint at (1, 0, 0)."""
    model = ga.Model("beam", gravity=(0.0, 0.0, -10.0))
    model.add(ga.RigidBody("beam", mass=3.0, inertia=(0.1, 1.0, 1.0), position=(3.0, 0.0, 0.0), group=group))
    model.add(joint(model))
    return ga.solve(model, (0.0, 0.01), h=1e-3)


@GROUPS
@pytest.mark.parametrize("ground_is_b", [False, True])
def test_clamped_beam(group, ground_is_b):
    """The wall carries the weight, 30 N, and its moment, 60 N m; reactions are those on b."""
    bodies = ("beam", "ground") if ground_is_b else ("ground", "beam")
    sol = beam(group, lambda model: ga.Fixed("wall", *bodies, at=(1.0, 0.0, 0.0)))
    sign = -1.0 if ground_is_b else 1.0
    n = len(sol.t)
    assert sol["wall"].force == pytest.approx(np.tile([0.0, 0.0, sign * 30.0], (n, 1)), abs=1e-9)
    assert sol["wall"].torque == pytest.approx(np.tile([0.0, sign * -60.0, 0.0], (n, 1)), abs=1e-9)
    assert sol["wall"].lam.shape == (n, 6)


@GROUPS
def test_hinged_beam(group):
    """Let go from the horizontal: the hinge holds m g J/(J + m l²), and no moment about its axis."""
    sol = beam(group, lambda model: ga.Revolute("pin", model.ground, "beam", at=(1.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0)))
    assert sol["pin"].force[0] == pytest.approx([0.0, 0.0, 30.0 * 1.0 / (1.0 + 3.0 * 4.0)], abs=1e-10)
    assert sol["pin"].torque[0] == pytest.approx(np.zeros(3), abs=1e-10)


@GROUPS
def test_slide(group):
    """Along a slope of 30 degrees: a = g/2; the slide carries the rest and the moment of nothing."""
    model = ga.Model("slope", gravity=(0.0, 0.0, -10.0))
    c, s = np.cos(np.pi / 6), np.sin(np.pi / 6)
    model.add(ga.RigidBody("box", mass=2.0, inertia=(1.0, 1.0, 1.0), group=group))
    model.add(ga.Prismatic("slope", model.ground, "box", at=(0.0, 0.0, 0.0), axis=(c, 0.0, -s)))
    sol = ga.solve(model, (0.0, 1.0), h=1e-2)
    assert sol["slope"].displacement[-1] == pytest.approx(0.5 * 5.0, abs=1e-10)
    assert sol["slope"].speed[-1] == pytest.approx(5.0, abs=1e-10)
    assert sol["slope"].force[-1] == pytest.approx(20.0 * c * np.array([s, 0.0, c]), abs=1e-9)
    assert sol["box"].acceleration[-1] == pytest.approx([5.0 * c, 0.0, -5.0 * s], abs=1e-9)


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("planar", [False, True])
def test_angle_counts_turns(sign, planar):
    """Ten turns per second, saved a few times per turn only; the first angle is 0."""
    rate = sign * 2.0 * np.pi * 10.0
    model = ga.Model("wheel", planar=planar)
    if planar:
        model.add(ga.RigidBody("wheel", mass=1.0, inertia=1.0, orientation=0.4, angular_velocity=rate))
        model.add(ga.Revolute("axle", model.ground, "wheel", at=(0.0, 0.0)))
    else:
        axis = np.array([1.0, 2.0, -2.0]) / 3.0
        model.add(ga.RigidBody("wheel", mass=1.0, inertia=(1.0, 1.0, 1.0), angular_velocity=rate * axis))
        model.add(ga.Revolute("axle", model.ground, "wheel", at=(0.0, 0.0, 0.0), axis=axis))
    sol = ga.solve(model, (0.0, 1.0), h=1e-3, save_every=70)
    assert sol["axle"].angle == pytest.approx(rate * sol.t, abs=1e-6)
    assert sol["axle"].rate == pytest.approx(rate * np.ones_like(sol.t), abs=1e-8)
    assert np.array_equal(sol["axle"].angle, sol["axle"].angle)


def test_spring():
    """A mass on a spring: length, tension, energy; both bodies see the same force."""
    model = ga.Model("spring")
    model.add(ga.PointMass("a", mass=1.0))
    model.add(ga.PointMass("b", mass=1.0, position=(2.0, 0.0, 0.0), velocity=(0.5, 0.0, 0.0)))
    model.add(ga.SpringDamper("spring", "a", "b", stiffness=8.0, damping=0.4, length=1.5))
    sol = ga.solve(model, (0.0, 1.0), h=1e-3)
    spring = sol["spring"]
    assert spring.length == pytest.approx(sol["b"].position[:, 0] - sol["a"].position[:, 0])
    assert spring.tension[0] == pytest.approx(8.0 * 0.5 + 0.4 * 0.5)
    assert spring.tension == pytest.approx(sol["a"].acceleration[:, 0], abs=1e-9)
    assert spring.energy == pytest.approx(4.0 * (spring.length - 1.5) ** 2)
    assert sol.energy[:, 1] == pytest.approx(spring.energy)


@GROUPS
def test_energy(group):
    """½ m v² + ½ Ω J Ω, and m g z."""
    model = ga.Model("thrown", gravity=(0.0, 0.0, -9.81))
    J, spin = np.array([0.2, 0.3, 0.4]), np.array([3.0, -1.0, 2.0])
    model.add(
        ga.RigidBody(
            "body", mass=2.0, inertia=J, position=(0.0, 1.0, 2.0), velocity=(1.0, 2.0, 3.0), angular_velocity=spin,
            group=group,
        )
    )  # fmt: skip
    sol = ga.solve(model, (0.0, 0.5), h=1e-3)
    assert sol.energy[0] == pytest.approx([14.0 + 0.5 * J @ spin**2, 2.0 * 9.81 * 2.0])
    total = sol.energy.sum(axis=1)
    assert total == pytest.approx(total[0] * np.ones_like(total), rel=1e-5)
    assert sol["body"].velocity[-1] == pytest.approx([1.0, 2.0, 3.0 - 9.81 * 0.5], abs=1e-4)
    assert sol["body"].point((0.0, 0.0, 0.0)) == pytest.approx(sol["body"].position)


@GROUPS
def test_axes_seen_from_the_bodies(group):
    """axis_a, axis_b and on_a, on_b say the same as axis and at; a slide turns nothing at t0."""
    p = np.array([0.8, 0.2, -0.4, 0.4])
    body = ga.RigidBody("body", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(1.0, 2.0, 3.0), orientation=p, group=group)
    from genalpha.math import so3

    R, axis = so3.matrix(p), np.array([0.0, 0.6, 0.8])
    for joint in (ga.Revolute, ga.Prismatic):
        runs = []
        for where in (
            {"at": (1.0, 0.0, 0.0), "axis": axis},
            {"on_a": (1.0, 0.0, 0.0), "on_b": R.T @ [0.0, -2.0, -3.0], "axis_a": axis, "axis_b": R.T @ axis},
        ):
            model = ga.Model("held", gravity=(1.0, 2.0, -9.81))
            model.add(body)
            model.add(joint("joint", model.ground, body, **where))
            sol = ga.solve(model, (0.0, 0.1), h=1e-3)
            runs.append(sol)
        assert runs[0]["body"].position == pytest.approx(runs[1]["body"].position, abs=1e-10)
        assert runs[0]["body"].rotation == pytest.approx(runs[1]["body"].rotation, abs=1e-10)
        if joint is ga.Revolute:
            assert runs[1]["joint"].angle[0] == pytest.approx(0.0, abs=1e-12)


def test_planar_axes_seen_from_the_bodies():
    model = ga.Model("slot", planar=True, gravity=(0.0, -10.0))
    model.add(ga.RigidBody("box", mass=1.0, inertia=1.0, position=(1.0, 1.0), orientation=0.3))
    axis = np.array([np.cos(0.5), -np.sin(0.5)])
    turned = np.array([np.cos(0.8), -np.sin(0.8)])
    model.add(ga.Prismatic("slot", model.ground, "box", on_a=(1.0, 1.0), on_b=(0.0, 0.0), axis_a=axis, axis_b=turned))
    sol = ga.solve(model, (0.0, 1.0), h=1e-2)
    assert sol["slot"].displacement[-1] == pytest.approx(5.0 * np.sin(0.5), abs=1e-9)
    assert sol["box"].angle == pytest.approx(0.3 * np.ones_like(sol.t), abs=1e-12)


def test_a_point_mass_in_a_plane():
    """A mass on a planar rod, a joint and a spring to it: a point mass may be held and pulled."""
    model = ga.Model("bob", planar=True, gravity=(0.0, -10.0))
    model.add(ga.RigidBody("rod", mass=1e-3, inertia=1e-5, position=(0.5, 0.0)))
    model.add(ga.PointMass("bob", mass=1.0, position=(1.0, 0.0)))
    model.add(ga.Revolute("pin", model.ground, "rod", at=(0.0, 0.0)))
    model.add(ga.Revolute("eye", "rod", "bob", at=(1.0, 0.0)))
    model.add(ga.SpringDamper("spring", model.ground, "bob", stiffness=3.0, length=0.5))
    sol = ga.solve(model, (0.0, 1.0), h=1e-3)
    assert np.linalg.norm(sol["bob"].position, axis=1) == pytest.approx(np.ones(len(sol.t)), abs=1e-12)
    assert sol["spring"].tension == pytest.approx(1.5 * np.ones(len(sol.t)))
    total = sol.energy.sum(axis=1)
    assert total == pytest.approx(0.375 * np.ones_like(total), abs=1e-4)


def test_no_such_results():
    model = ga.Model("m")
    model.add(ga.RigidBody("body", mass=1.0, inertia=(1.0, 1.0, 1.0)))
    model.add(ga.Spherical("ball", model.ground, "body", at=(0.0, 0.0, 0.0)))
    sol = ga.solve(model, (0.0, 0.01), h=1e-2)
    with pytest.raises(ga.InputError, match=r"no part 'bodi' in model 'm'; there are body, ball; did you mean 'body'"):
        sol["bodi"]
    with pytest.raises(ga.InputError, match=r"Spherical 'ball' has no angle; a Revolute has"):
        sol["ball"].angle  # noqa: B018
    with pytest.raises(ga.InputError, match=r"RigidBody 'body' has no angle; its orientation is a quaternion"):
        sol["body"].angle  # noqa: B018

"""Newton's iteration stops alike in all units: a velocity is measured in lengths, an angle by an arm of the model."""

import numpy as np
import pytest

import genalpha as ga
from genalpha.model.model import as_system
from genalpha.step.scales import units

POWERS, TONNES, SMALL, LARGE = (2.0**-7, 2.0**-20, 2.0**4), (1e-3, 1e3, 1.0), (1e6, 1e-6, 1.0), (1e-6, 1e6, 1.0)
STEP, STEPS = 5e-3, 40


def arm(group, scale=(1.0, 1.0, 1.0), shift=0.0):
    """Bodies on a hinge, on a ball joint, on a rod, and a damped spring; kilogram, metre and second in ``scale``."""
    mass, length, time = scale
    model = ga.Model("arm", gravity=(0.0, 0.0, -9.81 * length / time**2))

    def at(*x):
        return length * (np.array(x) + shift)

    places = (0.5, 0.0, 0.0), (1.2, 0.4, 0.0), (1.9, 0.9, 0.6)
    inertias = (0.002, 0.09, 0.09), (0.05, 0.02, 0.04), (0.01, 0.03, 0.02)
    for i, (place, inertia) in enumerate(zip(places, inertias, strict=True)):
        model.add(
            ga.RigidBody(
                f"b{i}", mass=mass * (1.0 - 0.3 * i), position=at(*place), group=group,
                inertia=mass * length**2 * np.array(inertia), orientation=(0.8, 0.0, 0.6, 0.0),
            )
        )  # fmt: skip
    model.add(ga.Revolute("hinge", model.ground, "b0", at=at(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.3)))
    model.add(ga.Spherical("ball", "b0", "b1", at=at(0.9, 0.1, 0.0)))
    model.add(ga.Distance("rod", "b1", "b2", on_b=length * np.array([0.05, 0.1, 0.0])))
    model.add(
        ga.SpringDamper(
            "spring", "b0", "b2", on_b=length * np.array([0.1, 0.0, 0.1]), stiffness=150.0 * mass / time**2,
            damping=4.0 * mass / time,
        )
    )  # fmt: skip
    return model


def solve(method, group, scale=(1.0, 1.0, 1.0)):
    """(positions in metres, iterations)."""
    sol = ga.solve(arm(group, scale), (0.0, STEPS * STEP * scale[2]), method=method, h=STEP * scale[2])
    return np.stack([sol[f"b{i}"].position for i in range(3)]) / scale[1], sol.stats.newton


METHODS = {
    "P": ga.GeneralizedAlpha(formulation="P"),
    "PVA": ga.GeneralizedAlpha(),
    "SOI2": ga.SOI2(rho_inf=0.8),
}


@pytest.mark.parametrize("group", ["R3xSO3", "SE3"])
@pytest.mark.parametrize("name", METHODS)
def test_a_mechanism_in_other_units(name, group):
    """The same matrices steer the iteration: what stiffness is small against is the mass of its own coordinates."""
    here, iterations = solve(METHODS[name], group)
    for scale in (POWERS, TONNES, SMALL, LARGE):
        there, others = solve(METHODS[name], group, scale)
        np.testing.assert_allclose(there, here, rtol=0, atol=1e-12 if scale == POWERS else 1e-10)
        assert abs(others - iterations) <= 1  # one that is nearly there may stop or not


@pytest.mark.parametrize("scale", [TONNES, LARGE])
def test_a_body_that_tumbles(scale):
    """Nothing but its turning wants iterations; beside velocities in large numbers it got one only."""

    def spin(mass, length, time):
        model = ga.Model("body")
        model.add(
            ga.RigidBody(
                "body", mass=mass, inertia=mass * length**2 * np.array([0.1, 0.2, 0.25]),
                velocity=(length / time, 0.0, 0.0), angular_velocity=np.array([1.0, 20.0, 3.0]) / time,
            )
        )  # fmt: skip
        sol = ga.solve(model, (0.0, time), h=5e-3 * time)
        return sol["body"].angular_velocity * time

    np.testing.assert_allclose(spin(*scale), spin(1.0, 1.0, 1.0), rtol=0, atol=1e-9)


@pytest.mark.parametrize("scale", [TONNES, SMALL, LARGE])
def test_a_box_that_falls_on_its_corner(scale):
    def drop(mass, length, time):
        model = ga.Model("box", gravity=(0.0, 0.0, -9.81 * length / time**2))
        box = ga.RigidBody(
            "box", mass=mass, position=(0.0, 0.0, 0.3 * length), angular_velocity=(1.0 / time, 2.0 / time, 0.0),
            inertia=mass * length**2 * np.array([0.004, 0.003, 0.005]),
        )  # fmt: skip
        model.add(box)
        floor = ga.Plane((0.0, 0.0, 0.0), (0.0, 0.0, 1.0))
        for i, corner in enumerate([(0.1, 0.1, -0.1), (-0.1, 0.1, -0.1), (0.1, -0.1, -0.1)]):
            corner = length * np.array(corner)
            model.add(ga.Contact(f"c{i}", box, floor, on_a=corner, radius_a=0.0, restitution=0.4))
        sol = ga.solve(model, (0.0, 0.4 * time), h=2e-3 * time)
        return sol["box"].position / length, sol.stats.newton, len(sol.impacts.time)

    here, there = drop(1.0, 1.0, 1.0), drop(*scale)
    np.testing.assert_allclose(there[0], here[0], rtol=0, atol=1e-2)
    assert here[2] > 2
    assert there[2] == here[2]


@pytest.mark.parametrize("scale", [POWERS, (1.0, 1e3, 1e3), LARGE])
def test_a_capsule_that_hits_with_both_ends(scale):
    """Which contacts carry forces after an impact hung on errors of the iteration: steps cycled, with other ends."""
    here, there = (_capsule(*units) for units in ((1.0, 1.0, 1.0), scale))
    assert here.stats.cycles == there.stats.cycles == 0
    np.testing.assert_allclose(there["b"].rotation, here["b"].rotation, rtol=0, atol=1e-10)
    for name in ("approach", "departure"):
        one, two = getattr(here.impacts, name), getattr(there.impacts, name) / scale[1] * scale[2]
        np.testing.assert_allclose(two, one, rtol=0, atol=1e-10)
    impulse = there.impacts.impulse / (scale[0] * scale[1] / scale[2])
    np.testing.assert_allclose(impulse, here.impacts.impulse, rtol=1e-9)


def _capsule(mass, length, time):
    """A capsule that lies on a floor and begins to turn about one of its ends."""
    model = ga.Model("capsule", gravity=(0.0, 0.0, -9.81 * length / time**2))
    shape = ga.Capsule(radius=0.217 * length, length=0.297 * length)
    body = model.add(
        ga.RigidBody(
            "b", mass=0.458 * mass, inertia=mass * length**2 * np.array([2.6e-4, 1.43e-3, 1.22e-3]), shape=shape,
            position=(0.0, 0.0, 0.217 * length), orientation=(np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0),
            velocity=np.array([-0.2, 0.238, -0.255]) * length / time,
            angular_velocity=np.array([-10.5, 4.76, -0.81]) / time,
        )
    )  # fmt: skip
    model.add(ga.Contact("floor", a=body, b=ga.Plane(point=(0.0, 0.0, 0.0), normal=(0.0, 0.0, 1.0))))
    return ga.solve(model, (0.0, 0.1 * time), method=ga.GeneralizedAlpha(rho_inf=0.5), h=5e-3 * time)


def test_the_arm_of_a_model():
    """The same on both groups and wherever the origin is, and in proportion to the unit of length."""
    found, one = [], (1.0, 1.0, 1.0)
    for group, scale, shift in (("R3xSO3", one, 0.0), ("SE3", one, 0.0), ("SE3", one, 50.0), ("R3xSO3", TONNES, 50.0)):
        system, q0, v0 = as_system(arm(group, scale, shift), None, None)
        of_q, of_v = units(system.contract(0.0, q0, v0), 0.0, q0)
        found.append(of_v[-1] / scale[1])
        assert set(of_v) == {1.0, of_v[-1]}
        assert set(of_q) == {2.0 if group == "SE3" else 1.0, of_v[-1]}
    np.testing.assert_allclose(found, found[0], rtol=1e-2)
    assert 0.3 < found[0] < 1.5


def test_soi2_starts_with_all_its_accelerations():
    """Moments of inertia are not taken for zero beside masses 1e12 times as large in numbers."""
    first = [
        ga.solve(arm("R3xSO3", scale), (0.0, STEP), method=METHODS["SOI2"], h=STEP).a[0]
        for scale in (SMALL, (1.0,) * 3)
    ]
    turning = np.r_[3:6, 9:12, 15:18]
    np.testing.assert_allclose(first[0][turning], first[1][turning], rtol=0, atol=1e-9 * np.abs(first[1]).max())

"""Contacts of models: derivatives, forces, one door against another, results by name, bad input."""

import re
from dataclasses import replace

import numpy as np
import pytest

import genalpha as ga
from genalpha import problems

ONE = ga.RigidBody(
    "one", mass=1.0, inertia=(0.1, 0.2, 0.15), position=(0.3, 0.1, -0.2), orientation=(0.8, 0.2, -0.4, 0.4),
    shape=ga.Sphere(0.1),
)  # fmt: skip
TWO = ga.RigidBody("two", mass=1.0, inertia=(0.1, 0.2, 0.15), position=(1.0, 0.3, 0.1), group="SE3")
BOX = ga.RigidBody("box", shape=ga.Box((0.2, 0.3, 0.4)), density=1000.0, position=(0.1, 0.2, 0.3))
BOB = ga.PointMass("bob", mass=1.0, position=(0.7, 0.7, 0.1))
FLOOR = ga.Plane((0.1, 0.2, -0.3), (1.0, 2.0, 2.0))

SPATIAL = [
    ga.Contact("point-plane", BOB, FLOOR),
    ga.Contact("tip-plane", ONE, FLOOR, on_a=(0.1, -0.2, 0.3)),
    ga.Contact("sphere-plane", ONE, FLOOR),
    ga.Contact("sphere-moving plane", ONE, replace(FLOOR, body=TWO)),
    ga.Contact("box-plane", BOX, FLOOR),
    ga.Contact("box-moving plane", BOX, replace(FLOOR, body=TWO)),
    ga.Contact("sphere-point", ONE, BOB),
    ga.Contact("sphere-sphere", ONE, TWO, on_a=(0.1, 0.2, 0.3), radius_a=0.1, on_b=(-0.1, 0.2, 0.1), radius_b=0.2),
    ga.Contact("sphere-ground", ONE, "ground", on_b=(1.0, 1.0, 1.0), radius_b=0.2),
    ga.Contact("pin-hole", ONE, TWO, on_a=(0.1, 0.2, 0.3), on_b=(-0.1, 0.2, 0.1), radius_b=2.0, inside=True),
]


@pytest.mark.parametrize("part", SPATIAL, ids=lambda part: part.name)
def test_library(part):
    report = ga.check_contribution(part, throw=True)
    assert [finding.name for finding in report.findings] == ["N", "gap_bias", "frame", "action = reaction"]


@pytest.fixture(scope="module")
def plane():
    model = ga.Model("plane", planar=True)
    model.add(ga.RigidBody("one", mass=1.0, inertia=0.1, position=(0.3, 0.1), orientation=0.3, shape=ga.Sphere(0.1)))
    model.add(ga.RigidBody("two", shape=ga.Box((0.4, 0.2, 0.1)), density=1e3, position=(1.3, 0.1), orientation=-0.3))
    model.add(ga.PointMass("bob", mass=1.0, position=(0.5, 0.6), shape=ga.Cylinder(0.1, 0.02)))
    return model


LINE = ga.Plane((0.0, -0.3), (1.0, 2.0))
PLANAR = [
    ga.Contact("disc-line", "bob", LINE),
    ga.Contact("box-line", "two", LINE),
    ga.Contact("disc-moving line", "one", replace(LINE, body="two")),
    ga.Contact("box-moving line", "two", replace(LINE, body="one")),
    ga.Contact("disc-disc", "one", "bob"),
    ga.Contact("rims", "one", "two", on_a=(0.1, 0.2), radius_a=0.1, on_b=(0.0, -0.2)),
    ga.Contact("pin-hole", "one", "two", on_a=(0.1, 0.2), on_b=(0.0, -0.2), radius_b=3.0, inside=True),
]


@pytest.mark.parametrize("part", PLANAR, ids=lambda part: part.name)
def test_planar_library(part, plane):
    assert ga.check_contribution(part, plane, throw=True).ok


def ball(kind, e=0.8):
    """The bouncing ball as a model."""
    planar = kind == "planar"
    up = (0.0, 1.0) if planar else (0.0, 0.0, 1.0)
    common = {"position": 1.1 * np.array(up), "shape": ga.Sphere(0.1), "mass": 1.0}
    model = ga.Model("ball", gravity=-9.81 * np.array(up), planar=planar)
    if kind == "mass":
        model.add(ga.PointMass("ball", **common))
    else:
        group = kind if kind == "SE3" else "R3xSO3"
        model.add(ga.RigidBody("ball", inertia=0.1 if planar else (0.1, 0.1, 0.1), group=group, **common))
    model.add(ga.Contact("floor", "ball", ga.Plane(np.zeros(len(up)), up), restitution=e))
    return model


@pytest.mark.parametrize("kind", ["mass", "R3xSO3", "SE3", "planar"])
def test_one_ball_two_doors(kind):
    """A ball as a model is the ball of functions, to 1e-12."""
    problem = problems.get("bouncing_ball")
    one = ga.solve(problem.system(), problem.t_span, problem.q0, problem.v0, problem.method, h=problem.h)
    two = ga.solve(ball(kind), problem.t_span, method=problem.method, h=problem.h)
    floor = two["floor"]
    assert np.abs(two["ball"].position[:, 1 if kind == "planar" else 2] - 0.1 - one.q[:, 0]).max() < 1e-12
    assert np.abs(floor.gap - one.gap[:, 0]).max() < 1e-12
    assert np.abs(floor.gap_velocity - one.v[:, 0]).max() < 1e-12
    assert np.abs(floor.impulse - one.impulse[:, 0]).max() < 1e-12
    assert np.abs(floor.force - one.contact_force[:, 0]).max() < 1e-12 / problem.h
    assert np.array_equal(floor.impacts.time, one.impacts.time)
    assert floor.intervals == one.contact_intervals[0]
    assert np.allclose(floor.direction[:, 1 if kind == "planar" else 2], 1.0)
    assert np.allclose(np.linalg.norm(floor.position - two["ball"].position, axis=1), 0.1)


def test_box_rests_on_its_corners():
    """A box thrown on the floor comes to rest on a face, with its weight on four corners: one of them is redundant."""
    model = ga.Model("box", gravity=(0.0, 0.0, -9.81))
    box = model.add(
        replace(BOX, position=(0.0, 0.0, 0.5), orientation=(0.9, 0.1, 0.3, 0.3), angular_velocity=(3, 2, 1))
    )
    model.add(ga.Contact("floor", box, ga.Plane(), restitution=0.3))
    sol = ga.solve(model, (0.0, 2.0), h=1e-3)
    energy = sol.energy.sum(axis=1)
    assert np.max(energy - np.minimum.accumulate(energy)) < 1e-4 * energy[0]
    assert sol.stats.penetration < 1e-12
    assert np.sort(sol["floor"].force[-1])[:4] == pytest.approx([0.0] * 4)
    assert sol["floor"].force[-1].sum() == pytest.approx(box.mass_used * 9.81, rel=1e-6)


def test_spheres_exchange_momentum():
    """Two equal spheres off centre: the velocity along the line of centres changes hands, the other one stays."""
    model = ga.Model("billiards")
    for name, x, v in (("a", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0)), ("b", (1.0, 0.1, 0.0), (0.0, 0.0, 0.0))):
        model.add(ga.RigidBody(name, shape=ga.Sphere(0.1), density=1e3, position=x, velocity=v, angular_velocity=x))
    model.add(ga.ContactGroup("all", ["a", "b"], restitution=1.0))
    sol = ga.solve(model, (0.0, 2.0), h=1e-3)
    assert sol["all"].names == ["all.a-b"]
    (t,) = sol["all"].impacts.time
    i = int(np.searchsorted(sol.t, t))
    n = -sol["all"].direction[i]  # from a to b
    before, after = sol["a"].velocity[0], sol["a"].velocity[-1]
    assert np.allclose(after, before - (before @ n) * n, atol=2e-3)  # the normal turns in the step of the impact
    assert np.allclose(after + sol["b"].velocity[-1], before, atol=1e-12)
    assert np.allclose(np.cross(sol["b"].velocity[-1], n), 0.0, atol=1e-12)
    assert np.allclose(sol["b"].angular_velocity[-1], (1.0, 0.1, 0.0), atol=1e-9)


BAD = {
    "restitution = 1.2 must be a number between 0": lambda m: ga.Contact("x", "ball", ga.Plane(), 1.2),
    "body 'ball' cannot hit itself": lambda m: ga.Contact("x", "ball", "ball"),
    "b must be a Plane, a body or its name, not 3": lambda m: ga.Contact("x", "ball", 3),
    "there is no body 'bell' in the model": lambda m: ga.Contact("x", "bell", ga.Plane()),
    "there is no contact of a Cone": lambda m: ga.Contact("x", "cone", ga.Plane()),
    "can hit planes only": lambda m: ga.Contact("x", "box", "ball"),
    "has no shape to touch with": lambda m: ga.Contact("x", "bare", ga.Plane()),
    "are both zero: points never meet": lambda m: ga.Contact("x", "bare", "ball", on_a=(0, 0, 0), radius_b=0.0),
    "does not fit into the 0.05": lambda m: ga.Contact("x", "ball", "bare", radius_b=0.05, inside=True),
    "moves with RigidBody 'box', which cannot hit itself": lambda m: ga.Contact("x", "box", ga.Plane(body="box")),
    "must be 3 finite numbers in a spatial model": lambda m: ga.Contact("x", "ball", ga.Plane((0, 0), (0, 1))),
    "has no length": lambda m: ga.Contact("x", "ball", ga.Plane(normal=(0, 0, 0))),
    "inside has no meaning against a plane": lambda m: ga.Contact("x", "ball", ga.Plane(), inside=True),
    "cannot move with PointMass 'bob'": lambda m: ga.Contact("x", "ball", ga.Plane(body="bob")),
    "a point mass can only touch around itself": lambda m: ga.Contact("x", "bob", ga.Plane(), on_a=(1, 0, 0)),
    "there is nothing to touch; name two bodies or more, or planes": lambda m: ga.ContactGroup("x", ["ball"]),
    "body 'ball' is there twice": lambda m: ga.ContactGroup("x", ["ball", "ball"]),
    "plane 'plane' is there twice": lambda m: ga.ContactGroup("x", ["ball"], [ga.Plane(), ga.Plane()]),
}


@pytest.mark.parametrize("text", BAD)
def test_bad_input(text):
    model = ga.Model("shelf")
    heavy = {"mass": 1.0, "inertia": (1.0, 1.0, 1.0)}
    model.add(ga.RigidBody("ball", shape=ga.Sphere(0.1), position=(0.0, 0.0, 1.0), **heavy))
    model.add(ga.RigidBody("box", shape=ga.Box((0.1, 0.1, 0.1)), position=(1.0, 0.0, 1.0), **heavy))
    model.add(ga.RigidBody("cone", shape=ga.Cone(0.1, 0.1), position=(2.0, 0.0, 1.0), **heavy))
    model.add(ga.RigidBody("bare", position=(3.0, 0.0, 1.0), **heavy))
    model.add(ga.PointMass("bob", mass=1.0, position=(4.0, 0.0, 1.0)))

    def build():
        model.add(BAD[text](model))
        model.assemble()

    with pytest.raises(ga.InputError, match=re.escape(text)) as caught:
        build()
    assert "'x'" in str(caught.value)


def test_penetration_at_t0():
    model = ball("R3xSO3")
    model.add(ga.RigidBody("other", shape=ga.Sphere(0.1), density=1e3, position=(0.0, 0.1, 1.1)))
    model.add(ga.Contact("pair", "ball", "other"))
    with pytest.raises(ga.InconsistentInitialState, match=r"'pair': it penetrates by 0.1 m at t0 = 0, .* of 'ball' or"):
        ga.solve(model, (0.0, 1.0), h=1e-3)
    sol = ga.solve(model, (0.0, 1e-3), h=1e-3, project=True)
    assert sol["pair"].gap[0] == pytest.approx(0.0, abs=1e-12)


def test_methods_without_contacts_refuse():
    with pytest.raises(ga.InputError, match="PVA"):
        ga.solve(ball("mass"), (0.0, 1.0), h=1e-3, method=ga.GeneralizedAlpha(formulation="P"))

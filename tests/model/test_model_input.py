"""Bad input to models: every message says what, where, and what to do."""

import re

import numpy as np
import pytest

import genalpha as ga

GOOD = {"mass": 1.0, "inertia": (1.0, 1.0, 1.0)}


def model_of(*parts, **options):
    model = ga.Model("m", **options)
    for part in parts:
        model.add(part)
    return model


def rod(name="rod", **changes):
    return ga.RigidBody(name, **{**GOOD, **changes})


def test_names():
    model = model_of(rod())
    with pytest.raises(ga.InputError, match=r"two parts called 'rod'; names tell parts apart, give it another one"):
        model.add(rod())
    with pytest.raises(ga.InputError, match=r"two parts called 'ground'"):
        model.add(rod("ground"))
    with pytest.raises(
        ga.InputError, match=r"Spherical 'ball': there is no body 'rodd' in the model; there are ground, rod"
    ):
        model.add(ga.Spherical("ball", "rodd", "ground", at=(0, 0, 0)))
    with pytest.raises(ga.InputError, match=r"body 'rod' is not the one in this model, but another of the same name"):
        model.add(ga.Spherical("ball", rod(), "ground", at=(0, 0, 0)))
    with pytest.raises(ga.InputError, match=r"the name '' must be a word"):
        rod("")
    with pytest.raises(
        ga.InputError, match=r"takes bodies, joints, constraints, forces, beams and contacts, not a str"
    ):
        model.add("rod")  # pyright: ignore
    with pytest.raises(ga.InputError, match=r"PointForce 'push': there is no body 'arm'"):
        model.add(ga.PointForce("push", "arm", (1, 0, 0)))


@pytest.mark.parametrize("a", ["rod", None])
def test_a_body_with_itself(a):
    body = rod()
    with pytest.raises(ga.InputError, match=r"Spherical 'ball' connects a body with itself"):
        model_of(body, ga.Spherical("ball", a or body, body, at=(0, 0, 0)))


@pytest.mark.parametrize("mass", [0.0, -1.0, np.nan, np.inf, "heavy", None])
def test_masses(mass):
    with pytest.raises(ga.InputError, match=r"RigidBody 'rod': mass = .* must be positive and finite; .*Give a mass"):
        rod(mass=mass)
    with pytest.raises(ga.InputError, match=r"PointMass 'bob': mass = .* must be positive and finite"):
        ga.PointMass("bob", mass=mass)


@pytest.mark.parametrize(
    ("inertia", "message"),
    [
        ((1.0, 1.0, 3.0), r"violate the triangle inequality.*Check units, and the point"),
        ((1.0, 1.0, -1.0), r"principal inertias .* must be positive"),
        ((1.0, 1.0), r"must be three finite numbers or a \(3, 3\) matrix"),
        ((1.0, np.nan, 1.0), r"must be three finite numbers"),
        ("round", r"inertia = 'round' must be numbers"),
        ([[1.0, 0.2, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], r"must be symmetric; J - Jᵀ has 0\.2"),
        (
            None,
            r"a body that can turn needs an inertia; give inertia=\.\.\., or a shape, or use a PointMass",
        ),
    ],
)
def test_inertias(inertia, message):
    with pytest.raises(ga.InputError, match=f"RigidBody 'rod': .*{message}"):
        model_of(rod(inertia=inertia)).assemble()


def test_shape_and_density():
    with pytest.raises(ga.InputError, match="a density needs a shape"):
        ga.RigidBody("rod", density=1000.0)
    with pytest.raises(ga.InputError, match="give mass and inertia, or a shape and its density, not both"):
        ga.RigidBody("rod", mass=1.0, shape=ga.Sphere(1.0), density=1000.0)
    with pytest.raises(ga.InputError, match=r"mass = -4.* must be positive"):
        ga.RigidBody("rod", shape=ga.Sphere(1.0), density=-1.0)
    with pytest.raises(ga.InputError, match="shape must be a Box"):
        ga.RigidBody("rod", mass=1.0, shape="ball")  # pyright: ignore
    with pytest.raises(ga.InputError, match="group = 'SO3' must be one of R3xSO3, SE3"):
        rod(group="SO3")


@pytest.mark.parametrize(
    ("field", "value"),
    [("position", (0, np.nan, 0)), ("velocity", (1, 2)), ("angular_velocity", (np.inf, 0, 0)), ("position", "here")],
)
def test_states(field, value):
    with pytest.raises(ga.InputError, match=rf"RigidBody 'rod': {field} = .* must be 3 finite numbers"):
        model_of(rod(**{field: value})).assemble()


def test_orientations():
    with pytest.raises(ga.InputError, match=r"orientation has the length 2; a unit quaternion w, x, y, z has 1"):
        model_of(rod(orientation=(2, 0, 0, 0))).assemble()
    with pytest.raises(ga.InputError, match=r"orientation = .* must be an angle in a planar model"):
        model_of(ga.RigidBody("rod", mass=1.0, inertia=1.0, orientation=(0, 1, 0, 0)), planar=True).assemble()
    with pytest.raises(ga.InputError, match=r"inertia = .* must be a positive number in a planar model"):
        model_of(rod(), planar=True).assemble()
    with pytest.raises(ga.InputError, match=r"gravity = \[0\.0, 0\.0, -9\.81\] must be 2 finite numbers"):
        ga.Model(gravity=(0, 0, -9.81), planar=True)
    with pytest.raises(ga.InputError, match=r'map = .* must be "exponential" or "cayley"'):
        ga.Model(map="euler")
    with pytest.raises(ga.InputError, match="has no bodies; add some"):
        ga.Model().assemble()


def test_joints():
    body = rod()
    with pytest.raises(ga.InputError, match=r"Spherical 'j': say where it is, either by at=\.\.\. .* or by on_a"):
        ga.Spherical("j", "ground", body)
    with pytest.raises(ga.InputError, match=r"Revolute 'j' needs an axis; pass axis="):
        model_of(body, ga.Revolute("j", "ground", body, at=(0, 0, 0))).assemble()
    with pytest.raises(ga.InputError, match=r"Revolute 'j': axis = \(0, 0, 0\) has no length"):
        model_of(body, ga.Revolute("j", "ground", body, at=(0, 0, 0), axis=(0, 0, 0))).assemble()
    with pytest.raises(ga.InputError, match=r"Revolute 'j': give axis=\.\.\. in space, or axis_a"):
        ga.Revolute("j", "ground", body, at=(0, 0, 0), axis_a=(0, 0, 1))
    with pytest.raises(ga.InputError, match=r"Spherical 'j': at = .* must be 3 finite numbers"):
        model_of(body, ga.Spherical("j", "ground", body, at=(0, np.nan, 0))).assemble()
    planar = ga.RigidBody("rod", mass=1.0, inertia=1.0)
    with pytest.raises(ga.InputError, match=r"Spherical 'j' does not exist in planar models"):
        model_of(planar, ga.Spherical("j", "ground", planar, at=(0, 0)), planar=True).assemble()
    bob = ga.PointMass("bob", mass=1.0)
    with pytest.raises(ga.InputError, match=r"the point of PointMass 'bob' is 1 away from it; a point mass can only"):
        model_of(body, bob, ga.Spherical("j", body, bob, at=(1, 0, 0))).assemble()
    with pytest.raises(ga.InputError, match=r"Fixed 'j' holds the direction of PointMass 'bob', which has none"):
        model_of(body, bob, ga.Fixed("j", body, bob, at=(0, 0, 0))).assemble()


def test_points_that_do_not_meet():
    """Which joint, how far, and the option to assemble, which works."""
    body = rod(position=(1.0, 0.0, 0.0))
    pin = ga.Revolute("pin", "ground", body, on_a=(0, 0, 0), on_b=(-1.03, 0, 0.04), axis=(0, 1, 0))
    model = model_of(body, pin)
    message = (
        r"Revolute 'pin': its points are 0\.05 m apart at t0 = 0, which exceeds 1e-08; correct position or "
        r"orientation of 'rod', or pass project=True to assemble the model"
    )
    with pytest.raises(ga.InconsistentInitialState, match=message):
        ga.solve(model, (0.0, 0.1), h=1e-2)
    report = ga.check(model)
    assert not report.ok
    assert report.problems[0].startswith("Revolute 'pin': its points are 0.05 m apart")
    sol = ga.solve(model, (0.0, 0.1), h=1e-2, project=True)
    assert sol["rod"].point((-1.03, 0.0, 0.04)) == pytest.approx(np.zeros((len(sol.t), 3)), abs=1e-12)


def test_axes_that_do_not_meet():
    body = rod()
    pin = ga.Revolute("pin", "ground", body, at=(0, 0, 0), axis_a=(0, 0, 1), axis_b=(0, np.sin(0.1), np.cos(0.1)))
    other = ga.Spherical("ball", "ground", body, on_a=(0, 0, 0), on_b=(0, 0, 1e-3))
    with pytest.raises(
        ga.InconsistentInitialState, match=r"Revolute 'pin': its axes are off by 0\.0998 rad .*1 more joint\)"
    ):
        ga.solve(model_of(body, pin, other), (0.0, 0.1), h=1e-2)


def test_velocities_that_do_not_fit():
    body = rod(position=(1.0, 0.0, 0.0), velocity=(0.0, 0.0, 2.0))
    model = model_of(body, ga.Spherical("ball", "ground", body, at=(0, 0, 0)))
    with pytest.raises(
        ga.InconsistentInitialState, match=r"its points move apart at 2 m/s .*correct velocity or angular_v"
    ):
        ga.solve(model, (0.0, 0.1), h=1e-2)


def test_forces():
    body, bob = rod(), ga.PointMass("bob", mass=1.0)
    with pytest.raises(ga.InputError, match=r"SpringDamper 's': stiffness = -1 must be a finite number, not negative"):
        ga.SpringDamper("s", "ground", body, stiffness=-1)
    with pytest.raises(ga.InputError, match=r"SpringDamper 's': its ends coincide at t0, and it has no direction"):
        model_of(body, ga.SpringDamper("s", "ground", body, stiffness=1.0)).assemble()
    with pytest.raises(ga.InputError, match=r"PointForce 'f' acts on the ground, which does not move; name a body"):
        model_of(body, ga.PointForce("f", "ground", (1, 0, 0))).assemble()
    with pytest.raises(
        ga.InputError, match=r"Torque 't' acts on PointMass 'bob', which does not turn; use a RigidBody"
    ):
        model_of(bob, ga.Torque("t", bob, (1, 0, 0))).assemble()
    with pytest.raises(ga.InputError, match=r"PointForce 'f': force = .* must be 3 finite numbers"):
        model_of(body, ga.PointForce("f", body, (1, 0))).assemble()
    with pytest.raises(ga.InputError, match=r"PointForce 'f': give at or on, not both"):
        model_of(body, ga.PointForce("f", body, (1, 0, 0), at=(0, 0, 0), on=(0, 0, 0))).assemble()
    with pytest.raises(ga.InputError, match=r"UserForce 'u': function must be a function \(t, states\) -> \(n, 6\)"):
        ga.UserForce("u", [body])
    with pytest.raises(ga.InputError, match=r"UserForce 'u': bodies must be a list of bodies or their names"):
        ga.UserForce("u", body, lambda t, s: None)  # pyright: ignore


@pytest.mark.parametrize(
    ("force", "error", "message"),
    [
        (ga.UserForce("u", ["rod"], lambda t, s: np.zeros(6)), ga.ShapeError, r"gave the shape \(6,\) .* not \(1, 6\)"),
        (
            ga.UserForce("u", ["rod"], lambda t, s: np.full((1, 6), np.nan)),
            ga.NonFiniteError,
            "gave NaN or inf at t0 = 0",
        ),
        (ga.PointForce("u", "rod", lambda t: (1.0, 0.0)), ga.ShapeError, r"gave the shape \(2,\) .* not \(3,\)"),
        (ga.Torque("u", "rod", lambda t: 1.0), ga.ShapeError, r"gave the shape \(\) .* not \(3,\)"),
    ],
)
def test_functions(force, error, message):
    with pytest.raises(error, match=rf"{type(force).__name__} 'u': its function {message}"):
        ga.solve(model_of(rod(), force), (0.0, 0.1), h=1e-2)


def test_redundant_loops_are_named():
    """A door on two hinges in line: five rows repeat; the run goes on."""
    body = rod(position=(1.0, 0.0, 0.0))
    hinges = [ga.Revolute(f"hinge{i}", "ground", body, at=(0, 0, i), axis=(0, 0, 1)) for i in (0, 1)]
    model = model_of(body, *hinges)
    text = str(model.assemble())
    assert "mobility      1" in text
    assert re.search(r"redundant     5: hinge\d\.\w+ depends on hinge\d", text)
    assert len(re.findall(r"hinge\d\.\w+ depends on hinge\d\.\w+", text)) == 5
    with pytest.warns(ga.RedundantConstraintsWarning, match="5 of 10 constraint rows depend on the others"):
        sol = ga.solve(model, (0.0, 0.1), h=1e-2)
    assert sol.stats.max_g < 1e-12


def test_check_takes_models():
    """Names of velocities, not of coordinates, in what a singular or negative mass says."""
    model = model_of(rod(), ga.PointMass("bob", mass=1.0))
    report = ga.check(model)
    assert report.ok
    assert report.n == 9
    assert "compiled, as all models do" in str(report)
    assert len(model.assemble().names["v"]) == 9
    assert len(model.assemble().names["q"]) == 10

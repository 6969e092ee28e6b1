"""Models in the viewer: bodies, joints, springs, and their quantities."""

import numpy as np
import pytest

import genalpha as ga
from genalpha.view import Drawing, Line, make_scene
from genalpha.view.model import model_quantities


@pytest.fixture(scope="module")
def crank():
    """A crank on a hinge with a slide behind it that a spring pulls; the rod between them has no shape."""
    model = ga.Model("crank", gravity=(0.0, 0.0, -9.81))
    arm = model.add(ga.RigidBody("arm", shape=ga.Box((0.3, 0.05, 0.05)), density=2000.0, position=(0.15, 0, 0)))
    rod = model.add(ga.RigidBody("rod", mass=1.0, inertia=(0.02, 0.05, 0.05), position=(0.7, 0.0, 0.0)))
    block = model.add(ga.RigidBody("block", shape=ga.Box((0.2, 0.1, 0.1)), density=2000.0, position=(1.1, 0, 0)))
    model.add(ga.Revolute("pin", model.ground, arm, at=(0, 0, 0), axis=(0, 1, 0)))
    model.add(ga.Revolute("elbow", arm, rod, at=(0.3, 0, 0), axis=(0, 1, 0)))
    model.add(ga.Spherical("wrist", rod, block, at=(1.1, 0, 0)))
    model.add(ga.Prismatic("guide", model.ground, block, at=(1.1, 0, 0), axis=(1, 0, 0)))
    model.add(ga.SpringDamper("spring", block, model.ground, at_a=(1.2, 0, 0), at_b=(1.9, 0, 0), stiffness=50.0))
    with pytest.warns(ga.RedundantConstraintsWarning):
        return ga.solve(model, (0.0, 0.5), h=2e-3)


def test_parts(crank):
    scene = make_scene(crank)
    tracks = scene.tracks
    assert scene.title == "crank"
    assert {body.name: body.role for body in tracks.bodies} == {
        "arm": "body", "rod": "body", "block": "body",
        "pin": "joint", "elbow": "joint", "wrist": "joint", "guide": "joint",
    }  # fmt: skip
    assert [line.name for line in tracks.lines] == ["rod to elbow", "rod to wrist", "spring"]
    assert tracks.up == (0.0, 0.0, 1.0)


def test_places(crank):
    bodies = {body.name: body for body in make_scene(crank).tracks.bodies}
    assert np.array_equal(bodies["arm"].position, crank["arm"].position)
    assert np.abs(bodies["wrist"].position - crank["block"].position).max() < 1e-9
    assert np.abs(bodies["elbow"].position - crank["arm"].point((0.15, 0.0, 0.0))).max() < 1e-9


def test_pins_lie_along_their_axes(crank):
    from genalpha.math import so3

    bodies = {body.name: body for body in make_scene(crank).tracks.bodies}
    for name, axis in (("pin", (0, 1, 0)), ("guide", (1, 0, 0))):
        along = so3.matrix(bodies[name].orientation)[:, :, 2]
        assert np.abs(np.abs(along @ axis) - 1.0).max() < 1e-9


def test_springs_reach_from_end_to_end(crank):
    spring = make_scene(crank).tracks.lines[-1]
    a, b = crank["spring"].ends
    assert np.abs(spring.points[:, 0] - a).max() < 1e-12
    assert np.abs(spring.points[:, -1] - b).max() < 1e-12
    assert np.abs(b - [1.9, 0.0, 0.0]).max() < 1e-12
    assert np.linalg.norm(b - a, axis=1) == pytest.approx(crank["spring"].length)


def test_quantities(crank):
    curves = {curve.name: curve.values for curve in model_quantities(crank)}
    assert np.array_equal(curves["angle pin"], crank["pin"].angle)
    assert np.array_equal(curves["displacement guide"], crank["guide"].displacement)
    assert np.array_equal(curves["tension spring"], crank["spring"].tension)
    for name in ("pin", "wrist", "guide"):
        expected = np.linalg.norm(crank[name].force, axis=1)
        assert curves[f"reaction {name}"] == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_traces_and_additions(crank):
    scene = make_scene(crank, Drawing(Line("rail", [(0, 0, 0), (2, 0, 0)])), trace=["block"])
    assert [body.name for body in scene.tracks.bodies if body.trace] == ["block"]
    assert scene.tracks.lines[-1].name == "rail"
    with pytest.raises(ga.InputError, match="there is no body 'blok' in the model; there are arm, rod, block"):
        make_scene(crank, trace=["blok"])


def test_planar_models_are_seen_from_their_front():
    model = ga.Model("planar", gravity=(0.0, -9.81), planar=True)
    bar = ga.RigidBody("bar", mass=1.0, inertia=0.1, position=(0.5, 0), orientation=0.0, velocity=(0, 0),
                       angular_velocity=0.0)  # fmt: skip
    model.add(bar)
    model.add(ga.Revolute("pin", model.ground, bar, at=(0, 0)))
    scene = make_scene(ga.solve(model, (0.0, 0.2), h=1e-2))
    assert scene.tracks.look_from is None
    assert scene.tracks.up == (0.0, 1.0, 0.0)
    assert np.abs(scene.tracks.bodies[0].position[:, 2]).max() == 0.0

"""Friction in the viewer: forces and states of contacts in the packed scene, and curves."""

from dataclasses import replace

import numpy as np
import pytest
from unpack import unpack

import genalpha as ga
from genalpha.problems import friction
from genalpha.view import Contact, Drawing, make_scene, pack, save_video
from genalpha.view.rubbing import OPEN, SLIDES, STICKS, states
from genalpha.view.tracks import ContactTrack


def run(name, t_end, h, drawing=None, **options):
    """A problem with friction, interpreted."""
    problem = friction.MAKERS[name]()
    system = replace(problem.system(), compile=False)
    if drawing is not None:
        system = replace(system, drawing=drawing)
    return ga.solve(system, (0.0, t_end), problem.q0, problem.v0, problem.method, h=h, **options)


@pytest.fixture(scope="module")
def block():
    """3 m/s on a floor with μ = 0.3: it stops after 1.02 s."""
    return run("sliding_block", 1.5, 2e-2)


@pytest.fixture(scope="module")
def box():
    """A box in a plane that slides on its two lower corners; the other two never touch."""
    model = ga.Model("box", planar=True, gravity=(0.0, -9.81))
    shape = ga.Box((0.4, 0.2, 0.1))
    body = model.add(ga.RigidBody("box", shape=shape, density=500.0, position=(0.0, 0.1), velocity=(2.0, 0.0)))
    model.add(ga.Contact("floor", body, ga.Plane((0.0, 0.0), (0.0, 1.0)), friction=0.3))
    return ga.solve(model, (0.0, 1.0), h=1e-2)


def packed(sol, *args, **options):
    return unpack(pack(make_scene(sol, *args, **options)))


def curves(sol):
    return {curve.name: curve for curve in make_scene(sol).quantities}


def test_force_and_state_of_a_block(block):
    found = packed(block)["forces"]["friction"]
    assert found["of"] == [0]
    expected = block.friction_force[:, :1] * [[1.0, 0.0, 0.0]]
    assert np.abs(found["force"][:, 0] - expected).max() < 1e-6
    assert found["force"][10, 0, 0] == pytest.approx(-0.3 * 9.81)
    assert np.array_equal(found["state"][:, 0], np.where(block.sticks[:, 0], STICKS, SLIDES))
    assert set(found["state"].ravel()) == {SLIDES, STICKS}


def test_without_directions_there_are_states_but_no_forces():
    place = Contact("floor", lambda t, q: q, (0.0, 1.0))
    found = packed(run("sliding_block", 0.2, 2e-2, Drawing(place)))["forces"]["friction"]
    assert np.all(found["force"] == 0.0)
    assert np.all(found["state"] == SLIDES)


def test_without_contacts_in_the_drawing_there_is_nothing_to_show():
    found = packed(run("sliding_block", 0.2, 2e-2, Drawing()))
    assert "friction" not in found["forces"]
    assert {"slip floor", "friction force floor"} <= {curve["name"] for curve in found["quantities"]}


def test_directions_of_slips_in_space():
    sol = run("billiard", 0.1, 1e-2)
    found = packed(sol)["forces"]["friction"]["force"][:, 0]
    assert np.abs(found[:, :2] - sol.friction_force[:, 0]).max() < 1e-6
    assert np.all(found[:, 2] == 0.0)
    assert np.linalg.norm(found[5]) == pytest.approx(0.2 * 9.81, rel=1e-6)


def test_directions_need_not_have_length_one(block):
    turned = Drawing(Contact("floor", lambda t, q: q, (0.0, 1.0), slip=lambda t, q: (0.0, 0.0, -2.0)))
    found = packed(run("sliding_block", 0.2, 2e-2, turned))["forces"]["friction"]["force"][:, 0]
    assert found[1] == pytest.approx([0.0, 0.0, 0.3 * 9.81])


@pytest.mark.parametrize(
    ("name", "slip", "text"),
    [
        ("billiard", (1.0, 0.0), r"'table': slip has shape \(2,\); it must be two directions, \(2, 3\)"),
        ("sliding_block", np.eye(3)[:2], r"'floor': slip has shape \(2, 3\); it must be two or three coordinates"),
    ],
)
def test_wrong_directions_are_explained(name, slip, text):
    contact = "table" if name == "billiard" else "floor"
    drawing = Drawing(Contact(contact, (0.0, 0.0), (0.0, 1.0), slip=slip))
    with pytest.raises(ga.InputError, match=text):
        make_scene(run(name, 0.02, 1e-2, drawing))


def test_corners_of_a_model(box):
    found = packed(box)["forces"]
    assert found["friction"]["of"] == [0, 1, 2, 3]
    assert np.abs(found["friction"]["force"] - box["floor"].friction_force).max() < 1e-5
    state = found["friction"]["state"]
    touches = box["floor"].gap[0] < 0.1
    assert touches.sum() == 2
    assert np.all(state[:, ~touches] == OPEN)
    assert np.array_equal(state[:, touches], np.where(box["floor"].sticks[:, touches], STICKS, SLIDES))


def test_few_frames_have_their_own_rows(box):
    """Results by name at some of the rows."""
    scene = make_scene(box, frames=10)
    rows = np.searchsorted(box.t, scene.time)
    assert len(rows) < len(box.t)
    for i, contact in enumerate(scene.tracks.contacts):
        assert np.array_equal(contact.friction, box["floor"].friction_force[rows, i])


def test_curves_of_contacts(box, block):
    found = curves(box)
    assert np.array_equal(found["friction force floor.1"].values, box.friction_force[:, 0])
    assert (found["slip floor.1"].unit, found["friction force floor.1"].unit) == ("m/s", "N")
    assert np.array_equal(curves(block)["slip floor"].values, block.slip[:, 0])
    assert make_scene(block).plots[:2] == ("slip", "friction force")


def test_curves_in_space_are_sizes():
    sol = run("billiard", 0.1, 1e-2)
    assert np.allclose(curves(sol)["slip table"].values, np.linalg.norm(sol.slip[:, 0], axis=1), rtol=1e-14)


def test_a_brake_has_curves_and_no_marks():
    model = ga.Model("brake", planar=True, gravity=(0.0, -9.81))
    rod = model.add(ga.RigidBody("rod", mass=1.0, inertia=0.1, position=(0.5, 0.0)))
    pin = model.add(ga.Revolute("pin", model.ground, rod, at=(0.0, 0.0)))
    model.add(ga.DryFriction("brake", pin, bound=2.0))
    sol = ga.solve(model, (0.0, 0.2), h=1e-2)
    found = curves(sol)
    assert np.array_equal(found["dry force brake"].values, sol["brake"].effort)
    assert np.array_equal(found["dry slip brake"].values, sol["brake"].slip)
    assert (found["dry force brake"].unit, found["dry slip brake"].unit) == ("N m", "rad/s")
    assert "friction" not in packed(sol)["forces"]


def test_a_scene_without_friction_has_no_word_of_it(ball):
    found = packed(ball)
    assert list(found["forces"]) == ["contact", "position", "direction", "size"]
    assert not [
        curve["name"] for curve in found["quantities"] if "slip" in curve["name"] or "friction" in curve["name"]
    ]


def test_what_was_not_saved_is_not_shown():
    sol = run("sliding_block", 0.2, 2e-2, save=["q", "v"])
    assert "friction" not in packed(sol)["forces"]


def test_open_contacts_are_not_marked():
    force, push = np.zeros((4, 3)), np.array([0.0, 1.0, 0.0, 1.0])
    force[2, 0] = 1.0  # of this row the push was not saved
    sticks = np.array([False, False, False, True])
    track = ContactTrack(0, force, force, force, sticks)
    assert states(track, push).tolist() == [OPEN, SLIDES, SLIDES, STICKS]


def test_of_a_pile_the_number_that_sticks_is_plotted(monkeypatch):
    monkeypatch.setattr("genalpha.view.quantities.MOST_CONTACTS", 2)
    sol = run("disc_pile", 0.01, 2e-3)
    assert np.array_equal(curves(sol)["contacts that stick"].values, sol.sticks.sum(axis=1))
    assert "slip floor1" not in curves(sol)


def test_friction_in_a_video(tmp_path, block):
    assert save_video(tmp_path / "block.gif", block, size=(160, 100), fps=2).stat().st_size > 1000

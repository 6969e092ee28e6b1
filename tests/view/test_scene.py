"""Scenes and the document they become: rows, curves, contacts, and numbers that survive."""

import time

import numpy as np
import pytest
from crowd import crowd
from unpack import unpack, unpack_document

import genalpha as ga
from genalpha.view import Drawing, Point, make_page, make_scene, save_html
from genalpha.view.pack import document, pack
from genalpha.view.rows import Excerpt, curve_rows, frame_rows, rows_at
from genalpha.view.tracks import BodyTrack, Tracks


def test_frames_contain_the_impacts(ball):
    rows = frame_rows(ball, 100)
    assert len(rows) < 200
    assert rows[0] == 0
    assert rows[-1] == len(ball.t) - 1
    assert np.isin(ball.impacts.time[:20], ball.t[rows]).all()
    assert np.array_equal(frame_rows(ball, 10**6), np.arange(len(ball.t)))


def test_curves_show_what_alternates():
    """Of a sequence +1, −1, +1, ... evenly spaced rows could show only one sign; pairs of neighbours show both."""
    sol = ga.solve(ga.System(M=np.eye(1), f=lambda t, q, v: 0.0 * q), (0.0, 10.0), [0.0], [1.0], h=1e-3)
    signs = (-1.0) ** np.arange(len(sol.t))
    for most in (400, 1000, 2000):
        chosen = signs[curve_rows(sol, most)]
        assert abs(chosen.mean()) < 0.1
        assert len(chosen) <= most


def test_an_excerpt_is_like_the_whole(ball):
    rows = np.array([0, 7, 300, 900])
    part = Excerpt(ball, rows)
    assert np.array_equal(part.q, ball.q[rows])
    assert np.array_equal(part["y"], ball["y"][rows])
    for found, expected in zip(part.ledger, ball.ledger, strict=True):
        assert np.array_equal(found, expected[rows])


def test_rows_at_times(ball):
    assert np.array_equal(ball.t[rows_at(ball, ball.impacts.time)], ball.impacts.time)
    assert rows_at(ball, np.array([1e9])) == len(ball.t) - 1


def test_a_scene_tells_what_the_solution_knows(ball):
    scene = make_scene(ball, title="Ball")
    curves = {curve.name: curve for curve in scene.quantities}
    assert scene.plots == ("gap", "energy", "contact force")
    assert np.array_equal(curves["gap floor"].values, ball.gap[:, 0])
    assert np.array_equal(curves["numerical loss"].values, ball.ledger.numerical)
    assert scene.contacts == [("floor", ball.contact_intervals[0])]
    assert scene.impacts["time"] == ball.impacts.time.tolist()
    assert "generalized-α PVA, ρ∞ = 0.9, h = 0.005 s, 1000 steps" in scene.subtitle


def test_the_arrow_of_a_force_is_not_that_of_an_impact(ball):
    """The impulse of a step over its length is far above the weight of 9.81 N on the floor."""
    scene = make_scene(ball)
    assert ball.impulse.max() / 0.005 > 100.0
    assert scene.force.max() < 9.82
    assert scene.force[-1, 0] == pytest.approx(9.81, rel=1e-6)


def test_curves_of_round_off_are_not_plotted_at_first():
    """The guide of a falling box has nothing to carry."""
    model = ga.Model("guide", planar=True, gravity=(0.0, -9.81))
    box = model.add(ga.RigidBody("box", mass=2.0, shape=ga.Box((0.2, 0.1, 0.1))))
    model.add(ga.Prismatic("guide", model.ground, box, at=(0.0, 0.0), axis=(0.0, 1.0)))
    scene = make_scene(ga.solve(model, (0.0, 0.1), h=1e-2))
    assert scene.plots == ("displacement", "energy", "constraints")
    assert "reaction guide" in {curve.name for curve in scene.quantities}


def test_without_a_drawing_there_are_curves():
    sol = ga.solve(ga.System(M=np.eye(1), f=lambda t, q, v: -q), (0.0, 1.0), [1.0], [0.0], h=0.01)
    scene = make_scene(sol)
    assert scene.tracks.bodies == []
    assert [curve.name for curve in scene.quantities] == ["q[0]", "v q[0]", "v̇ q[0]"]


def test_numbers_survive(ball):
    scene = make_scene(ball)
    read = unpack(pack(scene))
    names = [body["name"] for body in read["bodies"]]
    position = read["positions"][:, names.index("ball")]
    assert np.abs(position - scene.tracks.bodies[0].position).max() < 2e-6
    assert np.array_equal(read["time"], scene.time)
    assert np.abs(np.linalg.norm(read["orientations"], axis=2) - 1.0).max() < 1e-4
    for curve, found in zip(scene.quantities, read["quantities"], strict=True):
        assert np.abs(found["values"] - curve.values).max() <= 2e-6 * np.abs(curve.values).max()


def test_small_values_of_a_logarithm_survive():
    scene = crowd(2, 50)
    values = np.geomspace(1e-17, 1.0, 50)
    scene.quantities.append(scene.quantities[0]._replace(name="|g|", values=values, log=True))
    found = unpack(pack(scene))["quantities"][1]["values"]
    assert np.abs(found / values - 1.0).max() < 1e-6


def test_turns_survive():
    scene = crowd(30, 500)
    read = unpack(pack(scene))
    expected = np.stack([body.orientation for body in scene.tracks.bodies], axis=1)
    assert np.abs(read["orientations"] - expected).max() < 1e-5


def test_size_and_time_of_a_page(tmp_path):
    """50 bodies and 1000 frames: at most 3 MB and 1 s."""
    model = ga.Model("chain", gravity=(0.0, 0.0, -9.81))
    before = model.ground
    for i in range(50):
        body = ga.RigidBody(f"link {i}", shape=ga.Capsule(0.02, 0.16), density=1000.0, position=(0.2 * i + 0.1, 0, 0))
        model.add(body)
        model.add(ga.Spherical(f"ball {i}", before, body, at=(0.2 * i, 0, 0)))
        before = body
    sol = ga.solve(model, (0.0, 2.0), h=2e-3)
    assert len(sol.t) == 1001
    begin = time.process_time()
    file = save_html(tmp_path / "chain.html", sol)
    assert time.process_time() - begin < 1.0
    assert file.stat().st_size < 3_000_000


def test_bounds_are_those_of_the_turned_shapes():
    """A cylinder along x: as long as it is in x, as thick as it is in y and z."""
    half = np.sqrt(0.5)
    lying = BodyTrack("c", ga.Cylinder(0.1, 2.0), np.zeros((1, 3)), np.array([[half, 0.0, half, 0.0]]))
    low, high = Tracks([lying]).bounds()
    assert high == pytest.approx([1.0, 0.1, 0.1])
    assert low == pytest.approx([-1.0, -0.1, -0.1])
    floor = BodyTrack("f", ga.Box((100.0, 100.0, 0.1)), np.zeros((1, 3)), np.array([[1.0, 0.0, 0.0, 0.0]]), "ground")
    assert Tracks([lying, floor]).bounds()[1] == pytest.approx([1.0, 0.1, 0.1])


def test_pages_need_nothing_from_outside(ball):
    page = make_page([pack(make_scene(ball, title="a </script> & b"))])
    assert "a &lt;/script&gt; &amp; b</title>" in page
    assert page.count("</script>") == 3  # header, arrays, program
    assert "default-src 'none'" in page
    for outside in ('src="http', 'href="http', 'import("http', "url(http"):
        assert outside not in page


def test_two_solutions(pair, tmp_path):
    file = pair[0].save_html(tmp_path / "pair.html", pair[1], labels=("PVV", "PVA"), layout="overlay", plots=["gap"])
    assert '"layout":"overlay"' in file.read_text(encoding="utf-8")
    assert file.read_text(encoding="utf-8").count('"label":"PV') == 2


def test_two_scenes_share_one_block():
    scenes = [crowd(3, 40), crowd(5, 70)]
    read = unpack_document(*document([pack(scene) for scene in scenes]))
    for scene, found in zip(scenes, read, strict=True):
        assert np.array_equal(found["time"], scene.time)
        assert np.array_equal(found["positions"], unpack(pack(scene))["positions"])


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"layout": "above"}, 'layout = \'above\' must be "side" or "overlay"'),
        ({"labels": ("one", "two")}, "one name for each of 1 solutions"),
        ({"frames": 1}, "frames = 1 must be a number of frames, 2 or more"),
        ({"plots": ["height"]}, "no quantity 'height' to plot; there are 'gap'"),
    ],
)
def test_bad_options_are_explained(ball, tmp_path, options, text):
    with pytest.raises(ga.InputError, match=text):
        ball.save_html(tmp_path / "x.html", **options)
    assert not (tmp_path / "x.html").exists()


def test_a_page_that_cannot_be_written(ball, tmp_path):
    with pytest.raises(ga.InputError, match=r"cannot write .*: No such file or directory; choose another folder"):
        ball.save_html(tmp_path / "nowhere" / "x.html")


def test_seven_solutions_are_too_many(ball, tmp_path):
    with pytest.raises(ga.InputError, match="up to 6 compared, not 7"):
        save_html(tmp_path / "x.html", *[ball] * 7)


def test_a_failed_run_is_shown_with_its_message():
    def f(t, q, v):
        return np.array([np.nan if t > 0.5 else 0.0])

    system = ga.System(M=np.eye(1), f=f, drawing=Drawing(Point("p", lambda t, q: (q[0], 0.0))))
    sol = ga.solve(system, (0.0, 1.0), [0.0], [1.0], h=0.01, throw=False)
    scene = make_scene(sol)
    assert "nan" in scene.message.lower()
    assert scene.time[-1] == pytest.approx(0.5)

"""The units of a model in what people read: messages, the page of the motion, summaries, checks."""

import numpy as np
import pytest
from click.testing import CliRunner

import genalpha as ga
from genalpha.cli import main
from genalpha.view import make_scene, pack

MODEL = """
import genalpha as ga

model = ga.Model("drop", gravity=(0.0, -9.81e-3), planar=True, units="mm-kg-ms")
rod = model.add(ga.RigidBody("rod", mass=1.0, shape=ga.Box((100.0, 5.0, 5.0)), position=(50.0, 0.0)))
model.add(ga.Revolute("pin", model.ground, rod, at=(0.0, 0.0)))
model.add(ga.Contact("floor", rod, ga.Plane((0.0, -50.0), (0.0, 1.0)), restitution=0.5))
t_span, h = (0.0, 300.0), 0.5
"""


def model_of(text):
    names = {}
    exec(text, names)
    return names["model"]


def test_messages():
    apart = model_of(MODEL.replace("at=(0.0, 0.0)", "on_a=(0.0, 0.0), on_b=(-40.0, 0.0)"))
    with pytest.raises(ga.InconsistentInitialState, match=r"its points are 10 mm apart"):
        ga.solve(apart, (0.0, 1.0), h=0.5)
    below = model_of(MODEL.replace("(0.0, -50.0)", "(0.0, 1.0)"))
    with pytest.raises(ga.InconsistentInitialState, match=r"it penetrates by 3.5 mm at"):
        ga.solve(below, (0.0, 1.0), h=0.5)


def test_the_page_of_the_motion():
    sol = ga.solve(model_of(MODEL), (0.0, 150.0), h=0.5)
    scene = make_scene(sol)
    assert "h = 0.5 ms" in scene.subtitle
    assert scene.units == {"time": "ms", "impulse": "kN ms", "length": "mm"}
    units = {curve.name: curve.unit for curve in scene.quantities}
    assert units["reaction pin"] == "kN"
    assert units["angle pin"] == "rad"
    assert units["kinetic"] == "J"
    assert units["speed rod"] == "mm/ms"
    assert units["gap floor.1"] == "mm"
    header, _ = pack(scene)
    assert header["units"]["time"] == "ms"
    assert {one["name"]: one["unit"] for one in header["quantities"]} == units


def test_a_system_of_functions_has_no_units_of_length():
    sol = ga.solve(ga.System(M=np.eye(1), f=lambda t, q, v: -q), (0.0, 0.1), [1.0], [0.0], h=0.01)
    scene = make_scene(sol)
    assert scene.units == {"time": "s", "impulse": "N s"}
    assert {curve.unit for curve in scene.quantities} == {""}


def test_check_and_frequencies():
    model = model_of(MODEL)
    assert "ms: begin with h = " in str(ga.check(model))
    hanging = ga.Model("h", gravity=(0.0, -9.81e-3), planar=True, units="mm-kg-ms")
    rod = hanging.add(ga.RigidBody("rod", mass=1.0, shape=ga.Box((5.0, 100.0, 5.0)), position=(0.0, -50.0)))
    hanging.add(ga.Revolute("pin", hanging.ground, rod, at=(0.0, 0.0)))
    assert " 1/ms " in str(ga.linearize(hanging))
    assert "frequency (1/ms)" in ga.linearize(hanging)._repr_html_()
    assert " ms gives it " in str(ga.check(hanging))


def test_command_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "drop.py").write_text(MODEL, encoding="utf-8")
    done = CliRunner().invoke(main, ["run", "drop.py"], env={"COLUMNS": "100"})
    assert done.exit_code == 0, done.output
    for words in ("h = 0.5 ms", "to t = 300 ms", "mm·kN·ms", " J at first", "lost in impacts"):
        assert words in done.output
    assert " s," not in done.output.partition("steps")[2].splitlines()[0]

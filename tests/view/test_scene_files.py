"""Scenes in files."""

import gc
from dataclasses import replace

import h5py
import numpy as np
import pytest
from runs import interpreted

import genalpha as ga
from genalpha import problems
from genalpha.view import Drawing, Point, make_scene, pack, read_scene, save_html, store_scene
from genalpha.view.files import has_scene


@pytest.fixture
def saved(tmp_path, ball):
    store_scene(tmp_path / "run.h5", ball, title="Ball")
    return tmp_path / "run.h5"


def test_a_scene_comes_back(saved, ball):
    packed = pack(make_scene(ball, title="Ball"))
    found = read_scene(saved)
    assert found.arrays == packed.arrays
    assert found.header["title"] == "Ball"
    assert found.header["bodies"] == packed.header["bodies"]


def test_a_file_is_shown_without_its_system(saved, ball, tmp_path):
    """The page of the file is the page of the solution."""
    one = save_html(tmp_path / "one.html", saved).read_text(encoding="utf-8")
    two = save_html(tmp_path / "two.html", ball, title="Ball").read_text(encoding="utf-8")
    assert one == two


def test_files_can_be_compared(saved, tmp_path):
    page = save_html(tmp_path / "pair.html", saved, str(saved), labels=("a", "b"), title="Twice")
    assert '"layout":"side"' in page.read_text(encoding="utf-8")


def page_of(path, what, **options):
    return save_html(path, what, title="Run", **options).read_text(encoding="utf-8")


def test_a_run_leaves_its_scene(tmp_path):
    """The functions of its drawing cannot be imported."""
    sol = interpreted("bouncing_ball", 5e-3, 1.0, out=tmp_path / "run.h5")
    page = page_of(tmp_path / "page.html", sol)
    assert page_of(tmp_path / "page.html", tmp_path / "run.h5") == page
    loaded = ga.load(tmp_path / "run.h5")
    assert loaded.system.drawing is None
    assert page_of(tmp_path / "page.html", loaded) == page
    sol.save(tmp_path / "saved.h5")
    assert page_of(tmp_path / "page.html", tmp_path / "saved.h5") == page
    longer = ga.resume(tmp_path / "run.h5", sol.system, t_end=1.5)
    assert page_of(tmp_path / "page.html", tmp_path / "run.h5") == page_of(tmp_path / "longer.html", longer) != page


def test_a_model_is_drawn_again(tmp_path):
    problem = problems.get("slider_crank")
    sol = ga.solve(problem.system(), (0.0, 0.1), h=1e-2, out=tmp_path / "run.h5")
    assert not has_scene(tmp_path / "run.h5")
    page = page_of(tmp_path / "one.html", sol)
    assert page_of(tmp_path / "two.html", ga.load(tmp_path / "run.h5")) == page
    assert page_of(tmp_path / "two.html", tmp_path / "run.h5") == page


def test_a_run_that_was_killed(tmp_path):
    """It has no scene, unless its drawing can be made again; with its system it can be shown."""

    class Killed(BaseException):
        """Nothing catches it."""

    def end(t):
        raise Killed

    with pytest.raises(Killed):
        interpreted("bouncing_ball", 5e-3, 5.0, out=tmp_path / "run.h5", progress=end)
    gc.collect()  # closes the file, as the end of a process would
    with pytest.raises(ga.InputError, match=r"does not say how its solution looks: .*ga.load\(path, system\).view"):
        save_html(tmp_path / "x.html", tmp_path / "run.h5")
    sol = ga.load(tmp_path / "run.h5", replace(problems.get("bouncing_ball").system(), compile=False))
    assert sol.status == "unfinished"
    assert "ball" in page_of(tmp_path / "x.html", sol)
    drawing = problems.get("bouncing_ball").system().drawing
    assert "ball" in page_of(tmp_path / "x.html", tmp_path / "run.h5", drawing=drawing)


def test_a_drawing_that_fails_loses_no_run(tmp_path):
    system = ga.System(M=np.eye(1), f=lambda t, q, v: -q, drawing=Drawing(Point("p", lambda t, q: 1 / 0)))
    sol = ga.solve(system, (0.0, 0.1), [1.0], [0.0], h=1e-2, out=tmp_path / "run.h5")
    assert ga.load(tmp_path / "run.h5").success
    with pytest.raises(ZeroDivisionError):
        save_html(tmp_path / "x.html", sol)


def test_columns_that_were_not_saved_have_no_curves(tmp_path):
    sol = interpreted("bouncing_ball", 5e-3, 1.0, save=("q",))
    scene = make_scene(sol)
    assert {curve.group for curve in scene.quantities} == {"q"}
    assert scene.force.shape == (len(scene.time), 1)
    assert not scene.force.any()


def test_a_scene_is_replaced(saved, ball):
    store_scene(saved, ball, title="Another", frames=10)
    assert read_scene(saved).header["title"] == "Another"


def test_files_that_cannot_be_shown(tmp_path):
    with pytest.raises(ga.FileError, match=r"there is no file .*none\.h5"):
        save_html(tmp_path / "x.html", tmp_path / "none.h5")
    (tmp_path / "text.h5").write_text("text")
    with pytest.raises(ga.InputError, match="no HDF5 file"):
        read_scene(tmp_path / "text.h5")
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["t"] = np.zeros(3)
    with pytest.raises(ga.InputError, match="does not say how its solution looks: its system has no drawing"):
        read_scene(tmp_path / "other.h5")
    with h5py.File(tmp_path / "other.h5", "r+") as file:
        file["view"] = np.zeros(3)
        file["view"].attrs["format"] = 99
    with pytest.raises(ga.InputError, match="format 99, this version reads 1"):
        read_scene(tmp_path / "other.h5")

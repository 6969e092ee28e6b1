"""Scenes in files."""

import h5py
import numpy as np
import pytest

import genalpha as ga
from genalpha.view import make_scene, pack, read_scene, save_html, store_scene


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


def test_a_scene_is_replaced(saved, ball):
    store_scene(saved, ball, title="Another", frames=10)
    assert read_scene(saved).header["title"] == "Another"


def test_files_that_cannot_be_shown(tmp_path):
    with pytest.raises(ga.InputError, match=r"there is no file .*none\.h5"):
        save_html(tmp_path / "x.html", tmp_path / "none.h5")
    (tmp_path / "text.h5").write_text("text")
    with pytest.raises(ga.InputError, match="no HDF5 file"):
        read_scene(tmp_path / "text.h5")
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["t"] = np.zeros(3)
    with pytest.raises(ga.InputError, match="does not say how its solution looks; load it together with its system"):
        read_scene(tmp_path / "other.h5")
    with h5py.File(tmp_path / "other.h5", "r+") as file:
        file["view"] = np.zeros(3)
        file["view"].attrs["format"] = 99
    with pytest.raises(ga.InputError, match="format 99, this version reads 1"):
        read_scene(tmp_path / "other.h5")

"""Videos and animated pictures."""

import itertools
import shutil

import numpy as np
import pytest
from PIL import Image

import genalpha as ga
from genalpha.model.parts.shapes import Box, Capsule, Cone, Cylinder, Sphere
from genalpha.view.facets import facets


def pictures(path):
    with Image.open(path) as image:
        for i in range(image.n_frames):
            image.seek(i)
            yield np.asarray(image.convert("RGB"), dtype=float)


def depth(picture):
    """How many rows the ball, which has a colour, is below the upper edge."""
    rows, _ = np.nonzero(np.ptp(picture, axis=2) > 30.0)
    return rows.mean()


def test_a_ball_falls_in_the_pictures(ball, tmp_path):
    path = ball.save_video(tmp_path / "ball.gif", fps=20, speed=5.0, size=(320, 240))
    frames = list(pictures(path))
    assert len(frames) == 21
    assert frames[0].shape == (240, 320, 3)
    rows = np.array([depth(frame) for frame in frames])
    assert rows[-1] > rows[0] + 20  # rows count downwards


@pytest.mark.parametrize(
    "shape", [Box((1.0, 2.0, 3.0)), Sphere(0.7), Cylinder(0.5, 2.0), Cone(0.5, 1.0), Capsule(0.3, 1.0)]
)
def test_faces_close_around_the_volume(shape):
    """The divergence theorem: all faces look outwards, and enclose the volume of the shape, if it has many sides."""
    vertices, faces = facets(shape, 96)
    volume = 0.0
    for face in faces:
        a, *others = vertices[list(face)]
        volume += sum(a @ np.cross(b, c) for b, c in itertools.pairwise(others)) / 6.0
    assert volume == pytest.approx(shape.volume, rel=5e-3)


@pytest.mark.parametrize(("name", "options", "words"), [
    ("ball.avi", {}, "ends in .gif"),
    ("ball.gif", {"fps": 0}, "fps = 0 must be a positive number"),
    ("ball.gif", {"speed": 1e-6}, "take a larger speed"),
    ("ball.gif", {"look_from": (0, 0, 0)}, "look_from"),
])  # fmt: skip
def test_wrong_words(ball, tmp_path, name, options, words):
    with pytest.raises(ga.InputError, match=words):
        ball.save_video(tmp_path / name, **options)


def test_without_ffmpeg(ball, tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(ga.MissingExtra, match=r"ffmpeg.*\.gif does not need it"):
        ball.save_video(tmp_path / "ball.mp4")


def test_nothing_to_see(tmp_path):
    system = ga.System(M=np.eye(1), f=lambda t, q, v: -q)
    sol = ga.solve(system, (0.0, 0.1), [1.0], [0.0], h=0.01)
    with pytest.raises(ga.InputError, match="no drawing"):
        sol.save_video(tmp_path / "bare.gif")

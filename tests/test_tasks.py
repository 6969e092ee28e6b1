"""The ten tasks of a new user: each runs, is short, prints what theory says, and all of it is in the picture."""

import re
import runpy
from pathlib import Path

import numpy as np
import pytest

from genalpha.math import so3
from genalpha.view import make_scene, pack
from genalpha.view.tracks import half_size

FOLDER = Path(__file__).parents[1] / "examples" / "tasks"
FIELD = np.tan(np.radians(15.0))  # viewer/src/stage.js: a field of view of 30°
EXACT = "the number that is printed, and behind it that of theory"

# what the first number of the last line but files must be, and how near it must come
NUMBERS = {
    "quick_return": ((np.pi + 2.0 * np.arcsin(0.375)) / (np.pi - 2.0 * np.arcsin(0.375)), 0.01),
    "sweep": (0.0, 2e-5),
    # mm; extrapolated from 2.903 (16 elements, h = 2e-5 s) and 2.914 (32 elements, h = 1e-5 s)
    "flexible_rod": (2.918, 0.02),
    "gearbox": (EXACT, 1e-9),
    "cart": (EXACT, 1e-9),
    "crane": (EXACT, 2e-3),
    "hammer": (EXACT, 1e-3),
    "arm_pd": (EXACT, 1e-4),
    "hopper": (EXACT, 3e-4),
    "stewart": (EXACT, 1e-9),
}


def test_all_are_known():
    assert {path.stem for path in FOLDER.glob("*.py")} == set(NUMBERS)


@pytest.mark.parametrize("name", NUMBERS)
def test_is_short(name):
    assert len((FOLDER / f"{name}.py").read_text(encoding="utf-8").splitlines()) <= 30


@pytest.mark.slow
@pytest.mark.parametrize("name", NUMBERS)
def test_task(name, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    sol = runpy.run_path(str(FOLDER / f"{name}.py"), run_name="__main__")["sol"]
    require_number(name, capsys.readouterr().out)
    page = (tmp_path / f"{name}.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    scene = make_scene(sol)
    shown = {body.name for body in scene.tracks.bodies} | {line.name for line in scene.tracks.lines}
    model = sol.system.model
    hidden = {node.name for part in model.flexibles for node in part.nodes}
    assert {body.name for body in model.bodies} - hidden <= shown
    assert {part.name for part in model.flexibles} <= shown
    for aspect in (0.6, 1.0, 1.6):  # a telephone, a square, a screen
        require_picture(scene, aspect)


def require_number(name, printed):
    value, tolerance = NUMBERS[name]
    line = printed.strip().splitlines()[0]
    numbers = [float(x) for x in re.findall(r"(?<![\w.])\d+\.\d+(?:e-\d+)?", line)]
    if isinstance(value, str):
        value = numbers[-1]
        assert numbers[-2] == pytest.approx(value, rel=tolerance), line
    else:
        assert numbers[-1] == pytest.approx(value, abs=tolerance), line


def require_picture(scene, aspect):
    """Nothing is cut off, and no body is smaller than a few pixels of a picture 600 high."""
    header, _ = pack(scene)
    low, high = map(np.array, header["bounds"])
    back, right, up = camera(header)
    corners = np.array(np.meshgrid(*zip(low, high, strict=True))).reshape(3, -1).T
    center, extent = 0.5 * (low + high), np.max(high - low)
    from_center = corners - center
    side, height = np.abs(from_center @ right) / (FIELD * aspect), np.abs(from_center @ up) / FIELD
    away = 1.06 * max(0.2 * extent, np.max(from_center @ back + np.maximum(side, height))) + 0.02 * extent
    for name, points, size in parts(scene):
        depth = away - (points - center) @ back
        assert depth.min() > 0.01 * extent, f"{name} is behind the camera"
        across = np.abs((points - center) @ right) / (FIELD * aspect * depth)
        along = np.abs((points - center) @ up) / (FIELD * depth)
        assert max(across.max(), along.max()) <= 1.0, f"{name} is cut off"
        if name.endswith(" tip"):  # of a cable: a mark on its end, where a body hangs
            continue
        pixels = 600.0 * size / (2.0 * FIELD * depth.max())
        assert pixels > 4.0, f"{name} has {pixels:.1f} pixels"


def camera(header):
    """(back, right, up) as `home` in viewer/src/stage.js chooses them."""
    up = np.array(header["up"])
    if header["look_from"] is not None:
        back = np.array(header["look_from"])
    else:
        right = np.array([1.0, 0.0, 0.0])
        back = 0.32 * right + 0.26 * up + np.cross(right, up)
    back = back / np.linalg.norm(back)
    right = np.cross(up, back)
    right /= np.linalg.norm(right)
    return back, right, np.cross(back, right)


def parts(scene):
    """(name, points over all frames (n, 3), smallest size that is seen) of all bodies and lines."""
    signs = np.array(np.meshgrid(*[[-1.0, 1.0]] * 3)).reshape(3, -1).T
    for body in scene.tracks.bodies:
        half = half_size(body.shape)
        turned = np.einsum("tij,kj->tki", so3.matrix(body.orientation), signs * half)
        # of round bodies the box around them is larger than they are; the box around them over all turns is not
        reach = np.linalg.norm(half) if body.role == "body" and np.ptp(half) == 0.0 else None
        points = body.position[:, None] + turned * (1.0 if reach is None else half[0] / reach)
        size = 2.0 * np.sort(half)[1]  # seen from its thin side, the longer of two edges
        yield body.name, points.reshape(-1, 3), size if body.role == "body" else np.inf
    for line in scene.tracks.lines:
        yield line.name, line.points.reshape(-1, 3), np.inf


@pytest.mark.slow
def test_a_wall_in_front_is_drawn_by_its_edges():
    """A floor is a plate below, a wall between us and the balls is a frame; each plane is there once."""
    import genalpha as ga

    model = ga.Model("box", gravity=(0.0, 0.0, -9.81))
    balls = [
        model.add(ga.RigidBody(f"ball{i}", shape=ga.Sphere(0.1), density=1e3, position=(0.3 * i, 0.0, 0.2)))
        for i in range(2)
    ]
    for i, ball in enumerate(balls):
        model.add(ga.Contact(f"floor{i}", ball, ga.Plane()))
        model.add(ga.Contact(f"behind{i}", ball, ga.Plane((0.0, 0.5, 0.0), (0.0, -1.0, 0.0))))
        model.add(ga.Contact(f"front{i}", ball, ga.Plane((0.0, -0.5, 0.0), (0.0, 1.0, 0.0))))
    tracks = make_scene(ga.solve(model, (0.0, 0.1), h=1e-2)).tracks
    ground = {body.name: body for body in tracks.bodies if body.role == "ground"}
    seen = {line.name for line in tracks.lines}
    assert len(ground) + len(seen) == 3
    assert "floor0" in ground
    floor = ground["floor0"]
    assert floor.position[0, 2] + 0.5 * floor.shape.size[2] == pytest.approx(0.0, abs=1e-12)
    look = np.array(tracks.look_from)
    assert ("front0" in seen) == (look[1] < 0.0)
    assert ("behind0" in seen) == (look[1] > 0.0)


def test_mass_and_shape_are_enough():
    """The inertia of a body with a mass and a shape is that of the shape, filled evenly."""
    import genalpha as ga

    box = ga.Box((3.0, 2.0, 1.0))
    given, filled = ga.RigidBody("a", mass=12.0, shape=box), ga.RigidBody("b", shape=box, density=2.0)
    for planar in (False, True):
        assert given.inertia_used(planar) == pytest.approx(filled.inertia_used(planar), rel=1e-15)

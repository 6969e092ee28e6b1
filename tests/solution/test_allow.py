"""Functions of a module of the user's: files name them, the caller allows them; and older files."""

import os
import subprocess
import sys
from types import SimpleNamespace

import h5py
import numpy as np
import pytest
from test_dense import top
from test_untrusted_files import put_words

import genalpha as ga
from genalpha.checked import Damaged
from genalpha.solution.files.checkpoint import ARRAYS, Checkpoint, unpack
from genalpha.step import state as steps
from genalpha.step.state import N_COUNTS

CARS = (
    "import numpy as np, genalpha as ga\n"
    "from dataclasses import dataclass\n"
    "from genalpha.view import Body, Drawing, Sphere\n"
    "def f(t, q, v):\n    return -9.0 * q\n"
    "def energy(t, q, v):\n    return 0.5 * v @ v, 4.5 * q @ q\n"
    "def place(t, q):\n    return q[0], 0.0\n"
    "car = ga.System(M=np.eye(1), f=f, energy=energy, drawing=Drawing(Body('car', Sphere(0.1), place)))\n"
)


@pytest.fixture
def cars(tmp_path, monkeypatch):
    """A module, and a file of a run of its system."""
    (tmp_path / "cars").mkdir()
    (tmp_path / "cars" / "__init__.py").write_text("")
    (tmp_path / "cars" / "fast.py").write_text(CARS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("cars", "cars.fast"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    from cars.fast import car  # pyright: ignore

    ga.solve(car, (0.0, 0.5), [1.0], [0.0], h=1e-2, out=tmp_path / "run.h5")
    return car


@pytest.mark.parametrize("allow", [["cars"], ["other", "cars.fast"], "cars"])
def test_what_is_allowed_is_found(cars, allow):
    sol = ga.load("run.h5", allow=allow)
    assert sol.system.f is cars.f
    assert abs(sol.energy.sum(axis=1) - 4.5).max() < 1e-2
    assert ga.resume("run.h5", t_end=1.0, allow=allow).t[-1] == 1.0
    assert ga.view.save_html("x.html", "run.h5", allow=allow).exists()


@pytest.mark.parametrize("allow", [[], ["car"], ["cars.slow"], ["fast"]])
def test_what_is_not_allowed_is_not(cars, allow):
    sol = ga.load("run.h5", allow=allow)
    assert sol.q.shape == (51, 1)
    for action in (lambda: sol.energy, lambda: ga.resume("run.h5", t_end=1.0, allow=allow)):
        with pytest.raises(ga.InputError, match=r"module 'cars.fast', and a file imports nothing .*allow="):
            action()
    np.testing.assert_array_equal(ga.load("run.h5", cars, allow=allow).q, sol.q)


def test_the_command_line_allows_modules_here(cars, tmp_path):
    command = [sys.executable, "-m", "genalpha", "view", "run.h5", "--out", "x.html"]
    environment = {**os.environ, "PYTHONSAFEPATH": "1"}  # as the command that pip installs
    said = [
        subprocess.run([*command, *more], capture_output=True, text=True, env=environment)
        for more in ([], ["--allow", "cars"])
    ]
    assert (said[0].returncode, said[1].returncode) == (2, 0), said[1].stderr
    assert "--allow" in said[0].stdout + said[0].stderr
    assert "x.html" in said[1].stdout


def test_a_module_that_changes_is_noticed(cars, tmp_path, monkeypatch):
    monkeypatch.setattr(cars.f, "__code__", (lambda t, q, v: -4.0 * q).__code__)
    with pytest.raises(ga.InputError, match=r"have changed since run.h5 was written"):
        ga.load("run.h5", allow="cars").energy  # noqa: B018


# ---------------------------------------------------------------- older files


def test_models_of_older_files_are_made_again(tmp_path):
    """Their hashes were computed in another way; to go on with them would be a guess."""
    path = tmp_path / "run.h5"
    whole = ga.solve(top(), (0.0, 0.02), h=1e-3, out=path)
    with h5py.File(path, "r+") as file:
        file.attrs["format_version"] = 2
        put_words(file, lambda w: [w["system"].update(functions="x"), *map(w["system"].pop, ("hashes", "numbers"))])
    for sol in (ga.load(path), ga.load(path, top())):
        np.testing.assert_array_equal(sol["body"].velocity, whole["body"].velocity)
    with pytest.raises(ga.FileError, match="whether its functions are those of this system cannot be told"):
        ga.resume(path, t_end=0.03)


# ---------------------------------------------------------------- states


def state(**changes):
    """(checkpoint, setup, contract) of two rows, with other numbers for some counts or all active sets."""
    arrays = {name: np.zeros((2, 3)) for name in ("Q", "V", "L", "memory", "F", "R")}
    arrays |= {"K": np.zeros((steps.N_K, 2), dtype=int)}
    arrays |= {"S": np.zeros((6, 2), dtype=int), "counts": np.zeros(N_COUNTS, dtype=int), "log": np.zeros((8, 6))}
    setup = SimpleNamespace(arrays=SimpleNamespace(**arrays), scheme=SimpleNamespace(reuse=0))
    parts = {name: arrays[name].astype(float) for name in ARRAYS}
    for name, value in changes.items():
        array = "S" if name == "S" else "K" if name in ("FIRST_T", "WIDTH_T", "LAST_MODE_B") else "counts"
        parts[array][... if name == "S" else getattr(steps, name)] = value
    vector = np.concatenate([part.ravel() for part in parts.values()])
    return Checkpoint({}, np.zeros(0), vector), setup, SimpleNamespace(candidates=None, nv=3)


def test_a_state_is_put_into_its_arrays():
    checkpoint, setup, contract = state(STEPS=7, LOGGED=8, TANGENT_AGE=-1, N_SEEN=40, WORST_PLACE=2, S=1)
    unpack(checkpoint, setup, contract)
    assert setup.arrays.counts[steps.STEPS] == 7
    assert np.all(setup.arrays.S == 1)
    for vector in (checkpoint.arrays[:-1], np.append(checkpoint.arrays, 0.0)):
        with pytest.raises(Damaged, match=r"its state has .* numbers, this system has"):
            unpack(Checkpoint({}, np.zeros(0), vector), setup, contract)


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e300, -7.0, 1e6])
@pytest.mark.parametrize("name", ["LOGGED", "N_SEEN", "WORST_PLACE", "S", "FIRST_T", "WIDTH_T", "LAST_MODE_B"])
def test_indices_in_a_state_are_looked_at(name, value):
    """Compiled code would follow them wherever they lead."""
    with pytest.raises(Damaged):
        unpack(*state(**{name: value}))


def test_pairs_in_a_state_are_looked_at():
    from genalpha.problems import get

    system = get("spheres").system()
    pairs = system.contract(0.0, system.q0, system.v0, compiled=False).candidates
    good, n = pairs.vector(), pairs.count
    pairs.restore(good)
    for place in (1, n, 1 + n, 2 * n):
        for value in (-2.0, 0.5, 1e9, np.nan):
            bad = good.copy()
            bad[place] = value
            with pytest.raises(ValueError, match="pairs in contact"):
                pairs.restore(bad)


@pytest.mark.parametrize(
    "options", [{"rtol": 1e-4}, {"h": [0.1, 0.2, 0.2]}, {"h": lambda t: 0.03 + 0.1 * t}, {"h": 0.07}]
)
def test_schedules_come_back(tmp_path, options):
    """Numbers, counts and flags of all kinds of steps."""
    system = ga.System(M=np.eye(1), f=lambda t, q, v: -q)
    sol = ga.solve(system, (0.0, 0.5), [1.0], [0.0], out=tmp_path / "run.h5", **options)
    found, given = ga.load(tmp_path / "run.h5").origin.schedule, sol.origin.schedule
    for name, value in vars(given).items():
        if not name.startswith("_"):
            np.testing.assert_array_equal(getattr(found, name), value)
            assert type(getattr(found, name)) is type(value)

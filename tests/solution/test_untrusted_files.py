"""Files from strangers: whatever is in them, nothing of it runs, and they are refused with a sentence, soon."""

import contextlib
import json
import shutil
import subprocess
import sys
import time
from dataclasses import replace

import h5py
import numpy as np
import pytest

import genalpha as ga
from genalpha import problems
from genalpha.solution.files.stored import STATISTICS, SYSTEM, checksum
from genalpha.view import Body, Drawing, Sphere, save_html

CAPACITY = 10**13


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    """A file with contacts and events, made of functions of this package."""
    path = tmp_path_factory.mktemp("good") / "run.h5"
    problem = problems.get("bouncing_ball")
    system = replace(problem.system(), compile=False, drawing=Drawing(Body("ball", Sphere(0.1), (0.0, 0.0))))
    ga.solve(system, (0.0, 1.0), problem.q0, problem.v0, problem.method, h=1e-2, events=crossing, out=path)
    return path


def crossing(t, q, v, lam):
    return q[0] - 0.5


@pytest.fixture
def crafted(good, tmp_path):
    """A copy of it."""
    return shutil.copy(good, tmp_path / "crafted.h5")


def refused(action, match=None):
    begin = time.perf_counter()
    with pytest.raises(ga.FileError, match=match) as caught:
        action()
    assert time.perf_counter() - begin < 1.0
    assert 20 < len(str(caught.value)) < 500
    return str(caught.value)


def resume(path):
    return ga.resume(path, t_end=2.0, events=crossing)


def show(sol):
    return repr(sol), sol.q, sol.impacts, sol.contact_intervals, sol.events


def replace_dataset(file, name, **options):
    del file[name]
    file.create_dataset(name, **options)


def put_words(file, change):
    """Change what is said about the system."""
    words = json.loads(bytes(file[SYSTEM][...]))
    change(words)
    replace_dataset(file, SYSTEM, data=np.frombuffer(json.dumps(words).encode(), np.uint8))


def put_origin(file, change):
    words = json.loads(file.attrs["origin"])
    change(words)
    file.attrs["origin"] = json.dumps(words)


def put_state(file, change):
    """Change the newest state of the run, with a checksum that fits."""
    slots = file["checkpoint"][...]
    newest = slots[np.argmax(slots[:, 0])]
    change(newest[1 + len(STATISTICS) : -1])
    newest[-1] = checksum(newest[:-1])
    file["checkpoint"][...] = slots


def elsewhere(file, name, link):
    del file[name]
    file[name] = link


DAMAGES = {
    # shapes and types
    "q with another width": lambda f: replace_dataset(f, "q", data=np.zeros((101, 7))),
    "q as a vector": lambda f: replace_dataset(f, "q", data=np.zeros(101)),
    "q as integers": lambda f: replace_dataset(f, "q", data=np.zeros((101, 1), dtype=int)),
    "q of single precision": lambda f: replace_dataset(f, "q", data=np.zeros((101, 1), dtype="f4")),
    "q as objects": lambda f: replace_dataset(f, "q", data=["x"] * 101, dtype=h5py.string_dtype()),
    "q of lists": lambda f: replace_dataset(f, "q", shape=(101, 1), dtype=h5py.vlen_dtype(float)),
    "too few rows": lambda f: replace_dataset(f, "v", data=np.zeros((50, 1))),
    "no rows at all": lambda f: replace_dataset(f, "v", data=h5py.Empty("f8")),
    "a group in place of a column": lambda f: (f.__delitem__("q"), f.create_group("q")),
    "no q": lambda f: f.__delitem__("q"),
    "no origin": lambda f: f.__delitem__("origin"),
    "no q0": lambda f: f.__delitem__("origin/q0"),
    "no log": lambda f: f.__delitem__("contact_log"),
    "no status": lambda f: f.attrs.__delitem__("status"),
    "no version": lambda f: f.attrs.__delitem__("format_version"),
    "q0 with another size": lambda f: replace_dataset(f, "origin/q0", data=np.zeros(5)),
    "q0 that is not finite": lambda f: replace_dataset(f, "origin/q0", data=np.array([np.nan])),
    "times that go back": lambda f: f["t"].__setitem__(slice(None), np.linspace(1.0, 0.0, 101)),
    "times that are none": lambda f: f["t"].__setitem__(5, np.nan),
    "a log of another width": lambda f: replace_dataset(f, "contact_log", data=np.zeros((3, 5))),
    "a log of strange contacts": lambda f: f["contact_log"].__setitem__((0, 1), 77.0),
    "a log of strange kinds": lambda f: f["contact_log"].__setitem__((0, 2), 9.0),
    "a log that is not finite": lambda f: f["contact_log"].__setitem__((0, 0), np.inf),
    "events of strange functions": lambda f: f["found"].__setitem__((0, 0), 4.0),
    "events of another width": lambda f: replace_dataset(f, "found", data=np.zeros((2, 3))),
    # sizes
    "terabytes": lambda f: replace_dataset(f, "q", shape=(CAPACITY, 1), dtype="f8", chunks=(1024, 1)),
    "terabytes of rows": lambda f: (
        replace_dataset(f, "q", shape=(CAPACITY, 1), dtype="f8", chunks=(1024, 1)),
        f.attrs.__setitem__("n_rows", CAPACITY),
    ),
    "terabytes of words": lambda f: replace_dataset(f, SYSTEM, shape=(CAPACITY,), dtype="u1", chunks=(1024,)),
    "terabytes of state": lambda f: replace_dataset(f, "checkpoint", shape=(2, CAPACITY), dtype="f8", chunks=(1, 1024)),
    "terabytes of log": lambda f: replace_dataset(f, "contact_log", shape=(CAPACITY, 6), dtype="f8", chunks=(9, 6)),
    "what is compressed": lambda f: replace_dataset(f, "q", data=np.zeros((101, 1)), compression="gzip"),
    "a number of rows that is negative": lambda f: f.attrs.__setitem__("n_rows", -5),
    "a number of rows that is none": lambda f: f.attrs.__setitem__("n_rows", np.nan),
    "a number of rows that is text": lambda f: f.attrs.__setitem__("n_rows", "many"),
    "numbers of rows": lambda f: f.attrs.__setitem__("n_rows", np.arange(3)),
    # links
    "a soft link": lambda f: elsewhere(f, "q", h5py.SoftLink("/v")),
    "a link to another file": lambda f: elsewhere(f, "q", h5py.ExternalLink("/etc/passwd", "/q")),
    "an origin in another file": lambda f: elsewhere(f, "origin", h5py.ExternalLink("other.h5", "/origin")),
    "a state in another file": lambda f: elsewhere(f, "checkpoint", h5py.ExternalLink("other.h5", "/checkpoint")),
    "numbers from another file": lambda f: replace_dataset(
        f, "q", shape=(101, 1), dtype="f8", external=[("/etc/passwd", 0, 808)]
    ),
    # words
    "no JSON": lambda f: f.attrs.__setitem__("origin", "{" * 9),
    "a list in place of words": lambda f: f.attrs.__setitem__("origin", "[1, 2]"),
    "too deep": lambda f: replace_dataset(f, SYSTEM, data=np.frombuffer(b"[" * 10**6, np.uint8)),
    "no UTF-8": lambda f: replace_dataset(f, SYSTEM, data=np.frombuffer(b'{"system": "\xff\xfe"}', np.uint8)),
    "half a character": lambda f: put_words(f, lambda w: w["system"].update(what="\ud800")),
    "a width that is negative": lambda f: put_origin(f, lambda w: w["columns"]["widths"].update(q=-1)),
    "a width that is text": lambda f: put_origin(f, lambda w: w["columns"]["widths"].update(q="1")),
    "widths that do not fit": lambda f: put_origin(f, lambda w: w["columns"]["widths"].update(vdot=5)),
    "a column that there is not": lambda f: put_origin(f, lambda w: w["columns"]["widths"].update(x=5)),
    "columns without time": lambda f: put_origin(f, lambda w: w["columns"].update(chosen=["q"])),
    "a method that there is not": lambda f: put_origin(f, lambda w: w["method"].update(name="Popen")),
    "a method of one's own without a name": lambda f: put_origin(f, lambda w: w["method"].update(name="own")),
    "an option that there is not": lambda f: put_origin(f, lambda w: w["method"].update(shell=True)),
    "an option that is wrong": lambda f: put_origin(f, lambda w: w["method"].update(tol="small")),
    "a schedule that there is not": lambda f: put_origin(f, lambda w: w["schedule"].update(name="Popen")),
    "a step that is none": lambda f: put_origin(f, lambda w: w["schedule"].update(h=float("nan"))),
    "steps without end": lambda f: put_origin(f, lambda w: w["schedule"].update(n=10**15)),
    "a time that is text": lambda f: put_origin(f, lambda w: w["schedule"].update(t0="now")),
    "steps that are not there": lambda f: put_origin(f, lambda w: w["schedule"].update(h=None)),
    "a number of events": lambda f: put_origin(f, lambda w: w.update(n_events=-1)),
    "every no step": lambda f: put_origin(f, lambda w: w.update(save_every=0)),
    "sizes of another system": lambda f: put_words(f, lambda w: w["system"].update(nq=5)),
    "names that are none": lambda f: put_words(f, lambda w: w["system"].update(names={"q": 5})),
    "statistics that are none": lambda f: f.attrs.__setitem__("statistics", '{"steps": NaN}'),
    "another format": lambda f: f.attrs.__setitem__("format_version", 99),
    "contacts that open and never closed": lambda f: f["contact_log"].__setitem__((slice(None), 2), 0.0),
    "a state that is cut off": lambda f: replace_dataset(f, "checkpoint", data=np.ones((3, 4))),
    "a state with strange counts": lambda f: put_state(f, lambda x: x.__setitem__(7, np.nan)),
    # systems
    "no system": lambda f: put_words(f, lambda w: w.update(recipe={"nothing": 1})),
    "a system that is a list": lambda f: put_words(f, lambda w: w.update(recipe=[1])),
    "a function that there is not": lambda f: put_words(
        f, lambda w: w["recipe"]["system"].update(f={"function": ["genalpha.problems.oscillator", "nothing"]})
    ),
    "what is imported by a problem": lambda f: put_words(
        f, lambda w: w["recipe"]["system"].update(f={"function": ["genalpha.problems.oscillator", "np"]})
    ),
    "a class that is no part": lambda f: put_words(
        f, lambda w: w.update(recipe={"model": {"options": {}, "parts": [thing("genalpha.model.forces", "dataclass")]}})
    ),
    "a body that is wrong": lambda f: put_words(
        f, lambda w: w.update(recipe={"model": {"options": {}, "parts": [thing("genalpha.model.bodies", "RigidBody")]}})
    ),
    "a beam without end": lambda f: put_words(
        f,
        lambda w: w.update(
            recipe={"model": {"options": {}, "parts": [thing("genalpha.model.parts.beams", "Beam", elements=10**12)]}}
        ),
    ),
    "expressions in functions": lambda f: put_words(f, lambda w: w["recipe"]["system"].update(f={"expression": 1})),
    "a place that is none": lambda f: put_words(
        f, lambda w: w["recipe"]["system"].update(f={"function": ["os; print()", "x"]})
    ),
}  # fmt: skip


def thing(module, name, **fields):
    return {"object": [module, name], "fields": {"name": "x", **fields}}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_files_are_refused(crafted, damage):
    with h5py.File(crafted, "r+") as file:
        DAMAGES[damage](file)
    refused(lambda: show(ga.load(crafted)))
    refused(lambda: show(resume(crafted)))
    refused(lambda: save_html(crafted.with_suffix(".html"), crafted))


def test_the_file_itself_is_good(crafted):
    assert ga.load(crafted).system is not None
    assert resume(crafted).t[-1] == 2.0


@pytest.mark.parametrize("content", [b"", b"\x89HDF\r\n\x1a\n", b"no HDF5 at all" * 100])
def test_other_files_are_refused(tmp_path, content):
    (tmp_path / "x.h5").write_bytes(content)
    refused(lambda: ga.load(tmp_path / "x.h5"))
    refused(lambda: ga.resume(tmp_path / "x.h5"))


def test_bytes_that_are_wrong_anywhere(good, tmp_path):
    """Cut off, or with noise in it, a file is refused, or read as far as it is whole; it never does anything else."""
    data, numbers = good.read_bytes(), np.random.default_rng(0)
    for i in range(60):
        noisy = bytearray(data)
        if i % 3 == 0:
            noisy = noisy[: int(numbers.integers(len(data)))]
        else:
            for place in numbers.integers(len(data), size=4 if i % 3 == 1 else 400):
                noisy[place] = int(numbers.integers(256))
        path = tmp_path / f"{i}.h5"
        path.write_bytes(bytes(noisy))
        with contextlib.suppress(ga.FileError):
            show(ga.load(path))


# ---------------------------------------------------------------- nothing runs

PLACES = {
    "a command": ("object", ["subprocess", "Popen"]),
    "a class": ("object", ["trap", "Trap"]),
    "a function": ("function", ["trap", "spring"]),
    "a module": ("function", ["trap", "os"]),
}


@pytest.mark.parametrize("kind", PLACES)
def test_files_import_nothing_by_themselves(crafted, tmp_path, monkeypatch, kind):
    (tmp_path / "trap.py").write_text(
        "import os, pathlib\nopen('sprung', 'w').close()\n\n\ndef spring(t, q, v, p):\n    return -q\n\n\n"
        "class Trap:\n    def __init__(self, **fields):\n        open('sprung', 'w').close()\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "trap", raising=False)
    what, place = PLACES[kind]
    words = {what: place, "fields": {"args": ["touch", "sprung"], "name": "x"}}
    with h5py.File(crafted, "r+") as file:
        put_words(file, lambda w: w["recipe"]["system"].update(f=words))
    loaded = ga.load(crafted)
    assert loaded.system is None
    with pytest.raises(
        ga.InputError, match=rf'module {place[0]!r}, and a file imports nothing.*allow=\["{place[0]}"\]'
    ):
        loaded.energy  # noqa: B018
    with pytest.raises(ga.InputError, match=rf'ga.resume\(path, allow=\["{place[0]}"\]\)'):
        resume(crafted)
    with pytest.raises(ga.InputError, match=r"needs the system; .*--allow"):
        save_html(tmp_path / "x.html", crafted)
    if kind == "a class":
        command = [sys.executable, "-m", "genalpha", "view", str(crafted), "--out", "x.html"]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 2
        assert "--allow" in done.stderr + done.stdout
    assert not (tmp_path / "sprung").exists()
    if kind == "a function":
        assert "have changed since" in ga.load(crafted, allow=["trap"]).no_system  # it is not the one of the run
        assert (tmp_path / "sprung").exists()
    else:
        refused(lambda: ga.load(crafted, allow=[place[0]]), match="is not a part of a model|there is no function")


def test_allow_is_checked(good):
    for allow in (5, [5], [""], None):
        with pytest.raises(ga.InputError, match="must name modules"):
            ga.load(good, allow=allow)

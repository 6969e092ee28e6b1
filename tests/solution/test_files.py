"""Files: what is written is read; runs go on to the same bits; a process that is killed, a full disk, a file in use."""

import dataclasses
import os
import subprocess
import sys
import time

import h5py
import numpy as np
import pytest

import genalpha as ga
from genalpha import problems
from genalpha.run import run as runs
from genalpha.solution.rows import NAMES

PENDULUM, BOUNCING = problems.get("pendulum"), problems.get("bouncing_pendulum")


def solve(problem=PENDULUM, t_end=0.5, method=None, **options):
    options = options if {"h", "rtol"} & options.keys() else {"h": 1e-3, **options}
    return ga.solve(problem.system(), (0.0, t_end), problem.q0, problem.v0, method or problem.method, **options)


def require_same(one, two):
    """The same bits in everything but the time it took."""
    for name in NAMES:
        np.testing.assert_array_equal(one.rows[name], two.rows[name], err_msg=name)
    for a, b in zip(one.impacts, two.impacts, strict=True):
        np.testing.assert_array_equal(a, b)
    for a, b in zip(one.t_events, two.t_events, strict=True):
        np.testing.assert_array_equal(a, b)
    assert one.contact_intervals == two.contact_intervals
    assert dataclasses.replace(one.stats, seconds=0.0) == dataclasses.replace(two.stats, seconds=0.0)


class Stop(Exception):
    """Ends a run from within."""


def interrupted(monkeypatch, path, problem, method, options, blocks=3):
    """A run that ends after a few blocks of rows."""
    monkeypatch.setattr(runs, "BLOCK_ROWS", 16)
    seen = []

    def progress(t):
        seen.append(t)
        if len(seen) == blocks:
            raise Stop

    with pytest.raises(Stop) as caught:
        solve(problem, 0.5, method, **options, out=path, progress=progress)
    return caught.value


# ---------------------------------------------------------------- reading and writing


def test_a_stream_is_the_solution(tmp_path):
    memory, file = solve(BOUNCING), solve(BOUNCING, out=tmp_path / "run.h5")
    require_same(file, memory)
    loaded = ga.load(tmp_path / "run.h5")
    require_same(loaded, memory)
    assert (loaded.status, loaded.success, loaded.message) == ("done", True, memory.message)
    assert loaded.method == memory.method
    np.testing.assert_allclose(loaded.energy, memory.energy)  # its functions could be imported
    with h5py.File(tmp_path / "run.h5") as file:
        assert file.attrs["genalpha"] == ga.__version__
        assert file.attrs["system"].startswith("System(M, f, g, gap")
        assert file["q"].shape == memory.q.shape


@pytest.mark.parametrize("method", [ga.GeneralizedAlpha(residuals=(1e-9, 1e-12, 1e-11)), ga.MoreauJean(theta=0.7),
                                    ga.GeneralizedAlpha(coefficients=ga.Coefficients.hht(-0.1))])  # fmt: skip
def test_methods_come_back(tmp_path, method):
    solve(BOUNCING, 0.01, method, out=tmp_path / "run.h5")
    assert ga.load(tmp_path / "run.h5").method == method


def test_save_and_export(tmp_path):
    sol = solve()
    sol.save(tmp_path / "run.h5")
    require_same(ga.load(tmp_path / "run.h5"), sol)
    sol.save(tmp_path / "run.npz")
    with np.load(tmp_path / "run.npz") as file:
        np.testing.assert_array_equal(file["lam"], sol.lam)
    sol.save(tmp_path / "run.csv")
    lines = (tmp_path / "run.csv").read_text().splitlines()
    assert lines[0].startswith("t,q.x,q.y,q.θ,v.x")
    np.testing.assert_array_equal(np.array(lines[-1].split(","), float)[:4], [sol.t[-1], *sol.q[-1]])
    with pytest.raises(ga.InputError, match=r"saved as .h5 \(everything\), .npz or .csv"):
        sol.save(tmp_path / "run.mat")


# ---------------------------------------------------------------- to the same bits

CASES = {
    "smooth": (PENDULUM, None, {}),
    "impacts": (BOUNCING, None, {}),
    "thin": (BOUNCING, None, {"save_every": 7}),
    "numerical derivatives": (problems.get("andrews"), None, {}),
    "SOI2": (problems.get("jay_negrut"), None, {}),
    "coupled": (BOUNCING, ga.GeneralizedAlpha(newton="coupled"), {}),
    "events": (BOUNCING, None, {"events": lambda t, q, v, lam: v[0]}),
}


@pytest.mark.parametrize("control", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_runs_go_on_to_the_same_bits(tmp_path, monkeypatch, case, control):
    problem, method, options = CASES[case]
    t_end = min(0.5, problem.t_span[1])
    given = {"events": options["events"]} if "events" in options else {}
    options = {**options, **({"rtol": 1e-5} if control else {"h": t_end / 300.7})}
    whole = solve(problem, t_end, method, **options)
    # a run that had ended, in a file or in memory; its last step was another one
    solve(problem, 0.6123 * t_end, method, **options, out=tmp_path / "run.h5")
    require_same(ga.resume(tmp_path / "run.h5", t_end=t_end, **given), whole)
    solve(problem, 0.6123 * t_end, method, **options).save(tmp_path / "run.h5")
    require_same(ga.resume(tmp_path / "run.h5", t_end=t_end, **given), whole)


@pytest.mark.parametrize(
    "options",
    [
        {"h": 1e-3},
        {"h": 1e-3, "save_every": 5},
        {"h": 1e-3, "t_eval": np.linspace(0.0, 0.4, 37)},
        {"rtol": 1e-5, "h_max": 1e-3},
    ],
)
def test_interrupted_runs_go_on_to_the_same_bits(tmp_path, monkeypatch, options):
    error = interrupted(monkeypatch, tmp_path / "run.h5", BOUNCING, None, options)
    assert error.solution.status == "Stop"
    assert 0.0 < error.solution.t[-1] < 0.5
    require_same(ga.resume(tmp_path / "run.h5"), solve(BOUNCING, 0.5, **options))


def test_a_file_is_replaced_when_there_is_something_to_replace_it_with(tmp_path, monkeypatch):
    """Until then it has another name: there is no moment at which a file of this name cannot be opened."""
    before = solve(t_end=0.1, out=tmp_path / "run.h5")
    monkeypatch.setattr("genalpha.solution.files.write.RunFile.commit", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        solve(t_end=0.2, out=tmp_path / "run.h5")
    require_same(ga.load(tmp_path / "run.h5"), before)


def oscillator(k=4.0):
    return ga.System(M=np.eye(1), f=lambda t, q, v: -k * q)


def test_other_systems_and_versions_are_refused(tmp_path, monkeypatch):
    path = tmp_path / "run.h5"
    ga.solve(oscillator(), (0.0, 1.0), [1.0], [0.0], h=0.01, out=path)
    with pytest.raises(ga.FileError, match="another system: its functions or constants are not those"):
        ga.resume(path, oscillator(5.0), t_end=2.0)
    with pytest.raises(ga.FileError, match=r"another system: M has shape \(2, 2\)"):
        ga.resume(path, ga.System(M=np.eye(2), f=lambda t, q, v: -q), t_end=2.0)
    with pytest.raises(ga.InputError, match="reached t = 1 already; t_end must be larger"):
        ga.resume(path, oscillator(), t_end=0.5)
    with pytest.raises(ga.InputError, match="0 event functions"):
        ga.resume(path, oscillator(), t_end=2.0, events=lambda t, q, v, lam: 1.0)
    monkeypatch.setattr("genalpha._version.__version__", "9.9")
    with pytest.raises(ga.FileError, match=r"written by genalpha .*, this is 9.9: it can be loaded, but not continued"):
        ga.resume(path, oscillator(), t_end=2.0)
    params = [ga.System(M=np.eye(1), f=lambda t, q, v, p: -p[0] * q, params=[p]) for p in (1.0, 2.0)]
    monkeypatch.undo()
    ga.solve(params[0], (0.0, 1.0), [1.0], [0.0], h=0.01, out=path)
    with pytest.raises(ga.FileError, match="its parameters are not those of this one"):
        ga.resume(path, params[1], t_end=2.0)


def test_steps_that_were_given_end_where_they_end(tmp_path):
    path, system = tmp_path / "run.h5", oscillator()
    ga.solve(system, (0.0, 1.0), [1.0], [0.0], h=[0.25] * 4, out=path)
    with pytest.raises(ga.InputError, match="given one by one and end at t = 1"):
        ga.resume(path, system, t_end=2.0)


# ---------------------------------------------------------------- what can go wrong

KILLED = """
import sys
import genalpha as ga
from genalpha import problems
p = problems.get("bouncing_pendulum")
ga.solve(p.system(), (0.0, 200.0), p.q0, p.v0, h=1e-3, out=sys.argv[1])
"""


def test_a_killed_process_leaves_a_file(tmp_path):
    """At three moments; `benchmarks` does it more often."""
    path = tmp_path / "run.h5"
    whole = solve(BOUNCING, 200.0, ga.GeneralizedAlpha(), h=1e-3, save_every=1000)
    for wait in (0.02, 0.1, 0.3):
        path.unlink(missing_ok=True)
        process = subprocess.Popen([sys.executable, "-c", KILLED, str(path)])
        while not path.exists() or path.stat().st_size < 100_000:
            assert process.poll() is None
            time.sleep(0.02)
        time.sleep(wait)
        process.kill()
        process.wait()
        sol = ga.load(path)
        assert sol.status in ("unfinished", "done")
        np.testing.assert_array_equal(sol.q[::1000], whole.q[: (len(sol) + 999) // 1000])
    done = ga.resume(path) if sol.status == "unfinished" else sol
    for name in ("t", "q", "v", "a", "lam", "gap"):
        np.testing.assert_array_equal(getattr(done, name)[::1000], getattr(whole, name))


def limit_file_size(size):
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


@pytest.mark.skipif(sys.platform != "linux", reason="limits the size of files")
def test_a_full_disk_loses_nothing(tmp_path):
    path, whole = tmp_path / "run.h5", solve(t_end=20.0)
    limit_file_size(1_500_000)
    try:
        with pytest.raises(ga.FileError, match=r"the disk is full.*make room, or save less") as caught:
            solve(t_end=20.0, out=path)
        with pytest.raises(ga.FileError, match="the disk is full"):
            whole.save(tmp_path / "other.h5")
    finally:
        limit_file_size(-1)
    partial = caught.value.solution
    n = len(partial)
    assert 4096 < n < 20_000
    np.testing.assert_array_equal(partial.q, whole.q[:n])
    assert os.listdir(tmp_path) == ["run.h5"]
    require_same(ga.resume(path), whole)


def test_a_file_in_use(tmp_path):
    path, sol = tmp_path / "run.h5", solve()
    sol.save(path)
    with h5py.File(path, "r+"):
        code = f"import genalpha as ga; ga.load({str(path)!r})"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert "another process has it open; wait for it" in done.stderr
    require_same(ga.load(path), sol)


def test_files_that_are_not_ours(tmp_path):
    sol = solve(t_end=0.01)
    (tmp_path / "text.h5").write_text("hello")
    with pytest.raises(ga.FileError, match="exists and is not a file of genalpha; choose another name"):
        sol.save(tmp_path / "text.h5")
    with pytest.raises(ga.FileError, match=r"cannot read .*: it is not an HDF5 file"):
        ga.load(tmp_path / "text.h5")
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["x"] = 1.0
    with pytest.raises(ga.FileError, match="is an HDF5 file, but not one of genalpha"):
        ga.load(tmp_path / "other.h5")
    with pytest.raises(ga.FileError, match="there is no file"):
        ga.load(tmp_path / "none.h5")
    with pytest.raises(ga.FileError, match="there is no folder"):
        solve(out=tmp_path / "none" / "run.h5")
    with pytest.raises(ga.FileError, match="it is a folder"):
        solve(out=tmp_path)


@pytest.mark.skipif(not os.path.isdir("/sys/kernel"), reason="needs a folder that nobody may write to")
def test_a_read_only_folder(tmp_path):
    sol = solve(t_end=0.01)
    for attempt in (lambda: sol.save("/sys/kernel/run.h5"), lambda: solve(out="/sys/kernel/run.h5")):
        with pytest.raises(ga.FileError, match=r"cannot write /sys/kernel/run.h5.*: it may not be written there"):
            attempt()


def test_memory_does_not_grow_with_the_steps(tmp_path):
    """The rows of a run that is written are not kept."""
    sol = solve(t_end=5.0, h=1e-4, out=tmp_path / "run.h5")
    assert sol.rows._read == {}
    assert len(sol) == 50_001

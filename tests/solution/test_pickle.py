"""Solutions, systems and exceptions in other processes: what fails there shows itself here."""

import multiprocessing
import pickle
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest
from test_dense import top

import genalpha as ga
from genalpha import errors, problems

EXCEPTIONS = [getattr(errors, name) for name in errors.__all__]


def force(t, q, v):
    return -4.0 * q


def energy(t, q, v):
    return 0.5 * v @ v, 2.0 * q @ q


def wall(t, q, v):
    """Wrong derivatives let Newton's iteration fail."""
    return -1e4 * q / (0.5 - q)


def short_of_fuel(t, q, v):
    return np.array([1.0 / float(max(0.05 - t, 0.0))])


OSCILLATOR = ga.System(M=np.eye(1), f=force, energy=energy)


@ga.evaluator
def marked(t, q, v):
    return -9.0 * q


also_marked = ga.evaluator(force)


def lagrangian():
    from sympy import symbols
    from sympy.physics.mechanics import dynamicsymbols

    from genalpha.symbolic import lagrange

    t, x, (m, c) = dynamicsymbols._t, dynamicsymbols("x"), symbols("m c")
    return lagrange(m * x.diff(t) ** 2 / 2 - c * x**2 / 2, [x]).system({m: 2.0, c: 8.0}, compile=False)


def again(value):
    return pickle.loads(pickle.dumps(value))


def require_same(one, two):
    for name in ("t", "q", "v", "lam"):
        np.testing.assert_array_equal(one.rows[name], two.rows[name])
    assert (one.status, one.message, one.stats, one.method) == (two.status, two.message, two.stats, two.method)


# ---------------------------------------------------------------- one process


@pytest.mark.parametrize("kind", [kind for kind in EXCEPTIONS if issubclass(kind, Exception)])
def test_exceptions_come_back(kind):
    with_solution = issubclass(kind, ga.GenalphaError)
    error = kind("what, where and how far", **({"solution": 5} if with_solution else {}))
    error.add_note("a note")
    found = again(error)
    assert type(found) is kind
    assert (str(found), found.args, found.__notes__) == (str(error), error.args, ["a note"])
    if with_solution:
        assert found.solution == 5


def test_marked_functions_come_back():
    assert again(marked) is marked
    assert again(also_marked).py_func is force
    with pytest.raises((pickle.PicklingError, AttributeError)):
        again(ga.evaluator(lambda t, q, v: -q))


@pytest.mark.parametrize("out", [None, "run.h5"])
def test_solutions_of_functions_come_back(tmp_path, monkeypatch, out):
    monkeypatch.chdir(tmp_path)
    sol = ga.solve(OSCILLATOR, (0.0, 1.0), [1.0], [0.0], h=0.01, out=out)
    found, state, energies = again(sol), sol(0.123), sol.energy
    monkeypatch.chdir("/")
    np.testing.assert_array_equal(found(0.123).q, state.q)
    np.testing.assert_array_equal(found.energy, energies)
    monkeypatch.chdir(tmp_path)
    require_same(found, sol)
    assert len(pickle.dumps(ga.solve(OSCILLATOR, (0.0, 1e3), [1.0], [0.0], h=0.5, save_every=1000))) < 10_000


def test_solutions_of_equations_come_back():
    sol = ga.solve(lagrangian(), (0.0, 1.0), {"x": 1.0}, {"x": 0.0}, h=0.01)
    found = again(sol)
    require_same(found, sol)
    np.testing.assert_array_equal(found["x"], sol["x"])
    np.testing.assert_array_equal(found.energy, sol.energy)


def test_solutions_of_models_come_back_at_once():
    """The system is packed until it is wanted, the compiled functions are not sent at all."""
    sol = ga.solve(top(), (0.0, 0.02), h=1e-3)
    data = pickle.dumps(sol)
    begin = time.process_time()
    found = pickle.loads(data)
    assert time.process_time() - begin < 0.1
    assert "system" not in vars(found)
    require_same(found, sol)
    np.testing.assert_array_equal(found["body"].velocity, sol["body"].velocity)
    np.testing.assert_array_equal(found(0.0123).q, sol(0.0123).q)
    require_same(again(found), sol)


@pytest.mark.parametrize("name", problems.names())
def test_systems_of_the_collection_come_back(name):
    system = problems.get(name).system()
    assert type(again(system)) is type(system)


def test_what_cannot_be_sent_stays():
    sol = ga.solve(ga.System(M=np.eye(1), f=lambda t, q, v: -q), (0.0, 1.0), [1.0], [0.0], h=0.1)
    found = again(sol)
    require_same(found, sol)
    np.testing.assert_array_equal(found(0.55).q, sol(0.55).q)
    with pytest.raises(ga.InputError, match=r"needs the system; it stayed in the process .*<lambda>.*top of a module"):
        found.energy  # noqa: B018
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        found.nothing  # noqa: B018


# ---------------------------------------------------------------- other processes


def fails(kind):
    if kind == "iteration":
        ga.solve(ga.System(M=np.eye(1), f=wall, f_q=0, f_v=0), (0.0, 2.0), [0.3], [0.0], h=5e-2)
    if kind == "lambda":
        ga.solve(
            ga.System(M=np.eye(1), f=lambda t, q, v: wall(t, q, v), f_q=0, f_v=0), (0.0, 2.0), [0.3], [0.0], h=5e-2
        )
    if kind == "foreign":
        ga.solve(ga.System(M=np.eye(1), f=short_of_fuel, f_q=0, f_v=0), (0.0, 1.0), [0.0], [0.0], h=0.01)
    return ga.solve(OSCILLATOR, (0.0, 0.1), [1.0], [0.0], h=0.01)


@pytest.fixture(scope="module")
def worker():
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield pool


@pytest.mark.parametrize(
    ("kind", "error"),
    [("iteration", ga.ConvergenceError), ("lambda", ga.ConvergenceError), ("foreign", ZeroDivisionError)],
)
def test_failures_in_a_worker_show_themselves(worker, kind, error):
    with pytest.raises(error) as caught:
        worker.submit(fails, kind).result(timeout=120)
    assert caught.value.solution.stats.steps >= 1
    assert not caught.value.solution.success
    if kind == "foreign":
        assert "the run had reached t = " in " ".join(caught.value.__notes__)


def test_solutions_come_from_a_worker(worker):
    sol = worker.submit(fails, "nothing").result(timeout=120)
    np.testing.assert_array_equal(sol.energy, fails("nothing").energy)


def test_functions_of_a_script_go_to_workers_and_back(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import numpy as np, genalpha as ga\n"
        "from concurrent.futures import ProcessPoolExecutor\n"
        "def f(t, q, v):\n    return -q\n"
        "def run(c):\n    return ga.solve(ga.System(M=c * np.eye(1), f=f), (0.0, 1.0), [1.0], [0.0], h=0.1)\n"
        "if __name__ == '__main__':\n"
        "    with ProcessPoolExecutor(1) as pool:\n"
        "        print([sol.system.f is f for sol in pool.map(run, (1.0, 2.0))])\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() == "[True, True]", done.stderr

"""A system from functions: what is refused when it is made, and what it knows about itself."""

import functools
import subprocess
import sys

import numba
import numpy as np
import pytest

import genalpha as ga
from genalpha.system.functions import fills_out, is_compilable, plain


def f(t, q, v):
    return -q


def g(t, q):
    return q[:1]


def k(t, q, v):
    return v[:1]


def system(**given):
    return ga.System(**({"M": np.eye(2), "f": f} | given))


class Spring:
    def __init__(self, stiffness):
        self.stiffness = stiffness

    def force(self, t, q, v):
        return -self.stiffness * q

    __call__ = force


# ---------------------------------------------------------------- what is refused

REFUSED = [
    (dict(M=None), "needs a mass matrix M and a force"),
    (dict(f=None), "needs a mass matrix M and a force"),
    (dict(g_q=np.eye(2)), "g_q is given but g is not"),
    (dict(k_v=np.eye(2)), "k_v is given but k is not"),
    (dict(gap_t=0), "gap_t is given but gap is not"),
    (dict(ng=2), "ng is given but g is not"),
    (dict(g=np.zeros(2)), "g must be a function, not a ndarray"),
    (dict(energy=1.0), "energy must be a function"),
    (dict(g=g, ng=-1), "ng = -1 must be a number of constraints"),
    (dict(k=k, nk=1.5), "nk = 1.5 must be a number of constraints"),
    (dict(compile="yes"), "compile = 'yes' must be True, False, or None"),
    (dict(names=["x", "y"]), "must be a mapping with the keys 'q', 'g', 'k' and 'gap'"),
    (dict(names={"lam": ["x"]}), "must be a mapping with the keys 'q', 'g', 'k' and 'gap'"),
    (dict(names={"q": "xy"}), r"names\['q'\] must be a sequence of strings"),
    (dict(names={"q": [1, 2]}), r"names\['q'\] must be a sequence of strings"),
    (dict(g=g, g_t=ga.Sparse(g, [0], [0])), "g_t is a vector; ga.Sparse is for matrices"),
    (dict(f=lambda t, q: q), r"f has the arguments \(t, q\), but it is called as f\(t, q, v\)"),
    (dict(M=lambda t, q, v: q), r"M has the arguments \(t, q, v\), but it is called as M\(t, q\)"),
    (dict(f=lambda t, q, v, p: q), r"called as f\(t, q, v\); a function takes p only if params are given"),
    (dict(f=f, params=[1.0]), r"called as f\(t, q, v, p\); with params every function takes p behind"),
    (dict(f=lambda t, q, v, *, c: q), r"f has the arguments \(t, q, v, \*, c\)"),
    (dict(f=lambda t, q, out: q), r"called as f\(t, q, v, out\)"),
    (dict(inplace=True), r"f has the arguments \(t, q, v\), but it is called as f\(t, q, v, out\)"),
    (dict(energy=lambda q, v: (0, 0)), r"called as energy\(t, q, v\)"),
]


@pytest.mark.parametrize(("given", "message"), REFUSED)
def test_refused_at_once(given, message):
    with pytest.raises(ga.InputError, match=message):
        system(**given)


@pytest.mark.parametrize("params", [{"m": 1.0}, "abc", [1.0, None], 1j, [[1.0], [2.0]], [1.0, np.nan]])
def test_params_must_be_numbers(params):
    with pytest.raises(ga.InputError, match=r"^params"):
        ga.System(M=np.eye(2), f=lambda t, q, v, p: q, params=params)


PATTERNS = [
    (([0, 1], [0]), ga.ShapeError, r"rows \(2,\) and cols \(1,\) of a pattern must be equal vectors"),
    (([0, 0], [1, 1]), ga.InputError, r"names the entry \(0, 1\) twice"),
    (([0.5], [1]), ga.InputError, "rows of a pattern must be integers, not float64"),
    (([0, 1], [1, -1]), ga.InputError, r"cols of a pattern must not be negative: cols\[1\] = -1"),
    (([-2], [0]), ga.InputError, r"rows of a pattern must not be negative: rows\[0\] = -2"),
]


@pytest.mark.parametrize(("pattern", "error", "message"), PATTERNS)
def test_bad_patterns(pattern, error, message):
    with pytest.raises(error, match=message):
        ga.Sparse(f, *pattern)


@pytest.mark.parametrize("function", [functools.partial(f), Spring(1.0), Spring(1.0).force])
def test_only_functions_can_be_marked(function):
    with pytest.raises(ga.InputError, match=f"not a {type(function).__name__}: .* write a function around it"):
        ga.evaluator(function)


def test_the_refusal_is_a_value_error():
    with pytest.raises(ValueError, match="needs a mass matrix"):
        system(f=None)


# ---------------------------------------------------------------- what is accepted

ACCEPTED = [
    f,
    lambda t, q, v: -q,
    lambda t, q, v, c=2.0: -c * q,
    lambda t, q, v, *, c=2.0: -c * q,
    lambda *states: -states[1],
    functools.partial(lambda c, t, q, v: -c * q, 2.0),
    functools.partial(lambda t, q, v, c: -c * q, c=2.0),
    Spring(2.0),
    Spring(2.0).force,
    np.array([0.0, -9.81]),
    [0.0, -9.81],
]


@pytest.mark.parametrize("force", ACCEPTED)
def test_forces_of_all_kinds(force):
    q, v = np.array([1.0, 2.0]), np.zeros(2)
    value = system(f=force).contract(0.0, q, v).evaluate("f", 0.0, q, v)
    np.testing.assert_array_equal(value, force(0.0, q, v) if callable(force) else force)


def test_an_argument_called_out_is_filled():
    assert fills_out(lambda t, q, v, out: None, False)
    assert not fills_out(lambda t, q, v, out=None: q, False)
    assert not fills_out(f, False)
    assert fills_out(lambda t, q, v, result: None, True)


# ---------------------------------------------------------------- what it knows about itself


def test_runs_compiled_if_all_functions_are_marked():
    marked, jitted = ga.evaluator(f), numba.njit(f)
    assert system(f=marked).compiled
    assert system(f=jitted).compiled or numba.config.DISABLE_JIT
    assert not system(f=marked, g=g).compiled
    assert system(f=marked, g=g).unmarked() == ["g"]
    assert system(g=g, compile=True).compiled
    assert not system(f=marked, compile=False).compiled
    assert not system(f=[0.0, 0.0]).compiled
    assert repr(system(f=marked, g=g)) == "System(M, f, g; interpreted)"
    assert plain(marked) is f
    assert is_compilable(marked)


def test_a_marked_function_is_called_as_before():
    marked = ga.evaluator(f)
    np.testing.assert_array_equal(marked(0.0, np.ones(2), v=None), -np.ones(2))
    assert marked.__name__ == "f"


def test_with_params():
    first = ga.System(M=np.eye(1), f=lambda t, q, v, p: -p * q, params=4.0)
    second = first.with_params(9.0)
    assert (first.arguments(), second.arguments()) == ([4.0], [9.0])
    assert second.f is first.f
    with pytest.raises(ga.ShapeError, match=r"params have shape \(1,\), this system takes \(\)"):
        first.with_params([1.0])
    with pytest.raises(ga.InputError, match="made without params"):
        system().with_params([1.0])
    vector = ga.System(M=np.eye(1), f=lambda t, q, v, p: -p[0] * q, params=[4, 2])
    np.testing.assert_array_equal(vector.arguments()[0], [4.0, 2.0])
    assert system().arguments() == []


def test_importing_stays_light():
    heavy = "{'numba', 'scipy', 'sympy', 'matplotlib'}"
    code = f"import sys, genalpha; sys.exit(bool({heavy} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_states_and_quantities_by_name():
    ball = ga.System(
        M=np.eye(2),
        f=lambda t, q, v: np.array([0.0, -9.81]),
        gap=lambda t, q: q[1],
        names={"q": ["x", "y"], "gap": ["floor"]},
    )
    sol = ga.solve(ball, (0.0, 0.1), {"y": 1.0, "x": 2.0}, {"x": 3.0, "y": 0.0}, h=0.01)
    np.testing.assert_array_equal((sol.q[0], sol.v[0]), ([2.0, 1.0], [3.0, 0.0]))
    np.testing.assert_array_equal(sol["y"], sol.q[:, 1])
    np.testing.assert_array_equal(sol["floor"], sol.gap[:, 0])
    with pytest.raises(ga.InputError, match="there is no quantity 'flor' in this solution; did you mean 'floor'"):
        sol["flor"]
    with pytest.raises(ga.InputError, match="q0 has no value for 'y'; the coordinates are called"):
        ga.solve(ball, (0.0, 0.1), {"x": 1.0}, [0.0, 0.0], h=0.01)
    with pytest.raises(ga.InputError, match="v0 has 'z', which is not a coordinate"):
        ga.solve(ball, (0.0, 0.1), [0.0, 1.0], {"x": 1.0, "y": 1.0, "z": 1.0}, h=0.01)

"""What is said when a Lagrangian, a parameter, a state or a quantity is wrong."""

import sys

import numpy as np
import pytest
from sympy import Function, Integral, gamma, sqrt, symbols
from sympy.physics.mechanics import dynamicsymbols

import genalpha as ga
from genalpha.symbolic import lagrange

t = dynamicsymbols._t
x, y, F = dynamicsymbols("x y F")
m, k = symbols("m k")
T = m * x.diff(t) ** 2 / 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"L": T, "q": []}, "q is empty"),
        ({"L": T, "q": x}, r"q must be a sequence of expressions, not x\(t\)"),
        ({"L": T, "q": [m]}, r"the coordinate m is not a function of time; make it with dynamicsymbols\('m'\)"),
        ({"L": T, "q": [x, x]}, "occurs twice"),
        ({"L": T, "q": [x, Function("z")(k)]}, "functions of different symbols"),
        ({"L": T + F * x, "q": [x]}, r"F\(t\) is not among the coordinates; add it to q"),
        ({"L": T * dynamicsymbols("xx"), "q": [x]}, "did you mean x"),
        ({"L": T + x.diff(t, 2) * x, "q": [x]}, r"Derivative\(x\(t\), \(t, 2\)\) occurs"),
        ({"L": T, "q": [x], "g": [k - 1]}, r"'g\[0\]' = k - 1 does not depend on coordinates"),
        ({"L": T, "q": [x], "g": {"slot": x.diff(t) - x}}, "'slot' depends on velocities; g takes coordinates"),
        ({"L": T, "q": [x], "k": {"roll": x - 1}}, "'roll' = x.t. - 1 does not depend on velocities"),
        ({"L": T, "q": [x], "gaps": [x, x + 1], "e": [0.5]}, "e has 1 entries for 2 gaps"),
        ({"L": T, "q": [x], "forces": {y: 1}}, r"forces has y\(t\), which is not among the coordinates x\(t\)"),
        ({"L": T, "q": [x], "forces": [1, 2]}, "2 forces for 1 coordinates"),
    ],
)
def test_lagrange(arguments, message):
    with pytest.raises(ga.InputError, match=message):
        lagrange(arguments.pop("L"), arguments.pop("q"), **arguments)


def test_expressions_without_numbers():
    with pytest.raises(ga.InputError, match="there is no numerical form of"):
        lagrange(T - gamma(x), [x]).system({m: 1.0})
    with pytest.raises(ga.InputError, match="neither a coordinate"):
        lagrange(T - Integral(1 / (1 + k**5), (k, 0, x)), [x]).system({m: 1.0})
    with pytest.raises(ga.InputError, match="the kinetic energy must be quadratic"):
        lagrange(-m * sqrt(1 - x.diff(t) ** 2), [x]).system({m: 1.0})


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({}, r"the parameters k, m have no value; pass \{k: ..., m: ...\} to system"),
        ({m: 1.0}, "the parameter k has no value"),
        ({m: 1.0, k: 1.0, "mass": 2.0}, "there is no parameter mass; there are k, m"),
        ({m: "heavy", k: 1.0}, "the parameter m = 'heavy' is not a number"),
        ({m: 1.0, "kk": 1.0}, r"there is no parameter kk; did you mean k\?"),
    ],
)
def test_parameters(params, message):
    with pytest.raises(ga.InputError, match=message):
        lagrange(T - k * x**2 / 2, [x]).system(params)


def test_two_symbols_of_one_name():
    with pytest.raises(ga.InputError, match="two symbols are called 'm'"):
        lagrange(T + symbols("m", positive=True) * x, [x]).system({"m": 1.0})


def spring():
    return lagrange(T - k * x**2 / 2 + m * y.diff(t) ** 2, [x, y]).system({m: 1.0, k: 4.0}, compile=False)


@pytest.mark.parametrize(
    ("q0", "v0", "message"),
    [
        ({x: 1.0}, [0.0, 0.0], r"q0 has no value for y\(t\)"),
        ({x: 1.0, y: 0.0, "z": 1.0}, [0.0, 0.0], "q0 has z, which is not among"),
        ([1.0], [0.0, 0.0], "q0 has 1 entries for the 2 coordinates x"),
        ([1.0, 0.0], {x: 1.0, m: 2.0}, "v0 has m, which is not among"),
        ([1.0, np.nan], [0.0, 0.0], "not a finite number"),
    ],
)
def test_states(q0, v0, message):
    with pytest.raises(ga.InputError, match=message):
        ga.solve(spring(), (0.0, 0.1), q0, v0, h=0.1)


def test_quantities():
    sol = ga.solve(spring(), (0.0, 0.1), [1.0, 0.0], [0.0, 0.0], h=0.1)
    with pytest.raises(ga.InputError, match=r"F\(t\) is not known to this system; there are x\(t\), y\(t\), k, m"):
        sol[F + x]
    with pytest.raises(ga.InputError, match="is not known"):
        sol[x.diff(t, 3)]
    with pytest.raises(ga.InputError, match=r"no quantity 'w' in this solution; there are 'x', 'y'"):
        sol["w"]
    with pytest.raises(ga.InputError, match="there is no parameter z"):
        sol.system.with_params({"z": 1.0})
    with pytest.raises(ga.ShapeError, match="params have shape"):
        sol.system.with_params([1.0])


def test_not_finite_at_the_initial_state():
    with pytest.raises(ga.NonFiniteError, match=r"f gives (nan|inf|-inf)"):
        ga.solve(lagrange(T + m / x, [x]).system({m: 1.0}, compile=False), (0.0, 1.0), [0.0], [0.0], h=0.1)


@pytest.mark.filterwarnings("ignore:invalid value")
def test_not_finite_midway():
    """A mass that falls into a centre."""
    system = lagrange(T + m * sqrt(x), [x]).system({m: 1.0}, compile=False)
    with pytest.raises(ga.NonFiniteError, match="f gives NaN or inf at t = "):
        ga.solve(system, (0.0, 2.0), [0.5], [-2.0], h=0.01)


def test_without_sympy(monkeypatch):
    for name in [name for name in sys.modules if name.startswith("genalpha.symbolic")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ga.MissingExtra, match=r"pip install 'genalpha\[symbolic\]'"):
        import genalpha.symbolic  # noqa: F401

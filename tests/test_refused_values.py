"""What functions and arguments of the user's must not be: refused at the beginning of a run, and in its middle."""

import numpy as np
import pytest

import genalpha as ga

ZERO = np.zeros(3)


def later(first, then):
    """A function of t, and of more, that gives something else from t = 0.45 on."""
    return lambda t, *states: first if t < 0.45 else then


def run(q0=ZERO, events=None, **functions):
    system = ga.System(**({"M": np.eye(3), "f": lambda t, q, v: -q} | functions))
    return ga.solve(system, (0.0, 1.0), q0, np.zeros(len(q0)), h=0.1, events=events)


def rows(t, q):
    return q[:2]


MIDWAY = [
    ({"f": later(ZERO, np.zeros(1))}, r"f returned shape \(1,\) at t = 0\.[45]"),
    ({"f": later(ZERO, 0.0)}, r"f returned shape \(\) at t = 0\.[45]"),
    ({"f": later(ZERO, ZERO > 1.0)}, r"f returned numbers of type bool at t = 0\.[45]"),
    ({"f": later(ZERO, ZERO + 1j)}, r"f returned numbers of type complex128 at t = 0\.[45]"),
    ({"f": later(ZERO, np.array([1, None, 2]))}, r"f returned array.* at t = 0\.[45]"),
    ({"f": later(ZERO, "words")}, r"f returned 'words' at t = 0\.[45]"),
    ({"M": later(np.eye(3), np.ones((1, 1)))}, r"M returned shape \(1, 1\) at t = 0\.[45]"),
    ({"g": later(np.zeros(2), 0.0), "g_q": np.eye(3)[:2], "g_bias": np.zeros(2)}, r"g returned shape \(\) at t = 0"),
    ({"g": rows, "g_q": later(np.eye(3)[:2], np.ones(3))}, r"g_q returned shape \(3,\) at t = 0"),
    ({"g": rows, "g_bias": later(np.zeros(2), 0.0)}, r"g_bias returned shape \(\) at t = 0"),
    ({"g": rows, "g_t": later(np.zeros(2), 0.0)}, r"g_t returned shape \(\) at t = 0"),
    ({"gap": later(np.ones(2), 1.0), "gap_q": np.eye(3)[:2], "gap_bias": np.zeros(2)}, r"gap returned shape \(\)"),
]


@pytest.mark.filterwarnings("ignore::genalpha.errors.DerivativeWarning")
@pytest.mark.parametrize(("functions", "words"), MIDWAY, ids=[words[:20] for _, words in MIDWAY])
def test_midway(functions, words):
    with pytest.raises(ga.InputError, match=words):
        run(**functions)


EVENTS = [
    (np.nan, ga.NonFiniteError, r"events\[0\] gave NaN at t = 0\.5"),
    (np.ones(2), ga.ShapeError, r"events\[0\] gave the shape \(2,\) at t = 0\.5, not a number"),
    (None, ga.InputError, r"events\[0\] gave None at t = 0\.5"),
    ("a", ga.InputError, r"events\[0\] gave 'a' at t = 0\.5"),
    (1j, ga.InputError, r"events\[0\] gave numbers of type complex128 at t = 0\.5"),
]


@pytest.mark.parametrize(("value", "kind", "words"), EVENTS, ids=[words[-20:] for *_, words in EVENTS])
def test_events(value, kind, words):
    with pytest.raises(kind, match=words):
        run(events=later(1.0, value))


@pytest.mark.parametrize("unit", [1e-12, 1.0, 1e12])
@pytest.mark.parametrize("M", [-np.eye(3), np.diag([1.0, 1.0, -1e-3]), np.ones((3, 3)) - 0.5 * np.eye(3)])
def test_a_negative_mass(M, unit):
    with pytest.raises(ga.SingularMassError, match=r"the mass matrix is negative at t = 0: a motion of 'q\[\d\]'"):
        run(M=unit * M)


def test_a_mass_that_becomes_negative():
    with pytest.raises(ga.SingularMassError, match=r"the mass matrix is negative at t = "):
        run(M=later(np.eye(3), -np.eye(3)))


def test_a_mass_matrix_may_be_negative_where_nothing_moves_and_zero():
    run(M=np.diag([1.0, 1.0, -1.0]), g=lambda t, q: q[2:])
    run(M=np.diag([1.0, 1.0, 0.0]), g=lambda t, q: q[2:])


def test_names_that_are_there_twice():
    with pytest.raises(ga.InputError, match="names has 'a' twice"):
        run(names={"q": ["a", "a", "b"]})
    with pytest.raises(ga.InputError, match="names has 'a' twice"):
        run(g=rows, names={"q": ["a", "b", "c"], "g": ["a", "d"]})
    with pytest.raises(ga.InputError, match="names has an empty name"):
        run(names={"q": ["a", "", "b"]})


def test_names_of_sympy_that_are_there_twice():
    sympy = pytest.importorskip("sympy")
    from genalpha.symbolic import lagrange

    t = sympy.Symbol("t")
    x = sympy.Function("x")(t)
    with pytest.raises(ga.InputError, match="names has 'x' twice"):
        lagrange(x.diff(t) ** 2 / 2, [x], g={"x": x}).system()


@pytest.mark.parametrize("coefficients", [(0.0, 0.0, -0.25, 0.5), (0.0, 0.0, 0.25, -0.5), (0.0, 1.0, 0.25, 1.5)])
@pytest.mark.filterwarnings("ignore::genalpha.errors.OrderWarning")
def test_coefficients_that_make_no_sense(coefficients):
    with pytest.raises(ga.InputError, match=r"beta = -0.25 is neg|gamma = -0.5 is neg|alpha_f = 1 leaves"):
        ga.GeneralizedAlpha(coefficients=ga.Coefficients(*coefficients))
    with pytest.raises(ga.InputError, match="not a finite real number"):
        ga.Coefficients(0.0, True, 0.25, 0.5)


@pytest.mark.parametrize("q0", [[True, False, True], ["1", "2", "3"]])
def test_states_are_numbers(q0):
    with pytest.raises(ga.InputError, match="q0 must be a vector of real numbers"):
        run(q0)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (1.0, r"energy gave the shape \(\) at t = 0\.5, not two, kinetic and potential"),
        ((1.0, 2.0, 3.0), r"energy gave the shape \(3,\) at t = 0\.5"),
        ((1.0, 1j), r"energy gave numbers of type complex128 at t = 0\.5"),
    ],
)
def test_energies(value, words):
    sol = run(energy=later((1.0, 2.0), value))
    with pytest.raises(ga.InputError, match=words):
        _ = sol.energy


def test_a_compiled_function_of_another_size_says_when():
    @ga.evaluator
    def f(t, q, v):
        return -q if t < 0.45 else np.zeros(2)

    system = ga.System(M=np.eye(3), f=f, f_q=-np.eye(3), f_v=0)
    with pytest.raises(ga.ShapeError, match=r"f returned an array of another size .* at t = 0\.[45]"):
        ga.solve(system, (0.0, 1.0), ZERO, ZERO, h=0.1)

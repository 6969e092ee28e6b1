"""Friction in systems from Lagrangians: slips by the names of gaps, derivatives, coefficients, what is refused."""

import pickle

import numpy as np
import pytest
from sympy import Matrix, cos, sin, symbols
from sympy.physics.mechanics import dynamicsymbols

import genalpha as ga
from genalpha.errors import InputError, ShapeError
from genalpha.symbolic import lagrange
from genalpha.symbolic.words import read_equations, write_equations

t, (x, y, a) = dynamicsymbols._t, dynamicsymbols("x y a")
m, r, b, c = symbols("m r b c")
q = [x, y, a]
L = m * (x.diff(t) ** 2 + y.diff(t) ** 2) / 2 + m * r**2 * a.diff(t) ** 2 / 5 - 9.81 * m * y
GAPS = {"floor": y - r * cos(a), "wall": 5 - x}
T, Q, V, VDOT = 0.3, np.array([0.4, 0.7, 1.1]), np.array([0.9, 0.2, -0.5]), np.array([1.3, -0.4, 0.8])
VALUES = {m: 2.0, r: 0.5, b: 0.25, c: 0.3}
SLIP = x.diff(t) + r * cos(a) * a.diff(t) - b * sin(t)


def made(form, compile=False):
    """A system of one of the forms, with values of the parameters that it has."""
    equations = lagrange(L, q, gaps=GAPS, **FORMS[form])
    return equations.system({symbol: VALUES[symbol] for symbol in equations.params}, compile=compile)


def central(function, z, h=1e-6):
    return np.stack([(function(z + h * e) - function(z - h * e)) / (2 * h) for e in np.eye(z.size)], axis=1)


FORMS = {
    "one": dict(slips={"floor": SLIP}, mu={"floor": c}),
    "both": dict(slips={"wall": y.diff(t) + r * a.diff(t), "floor": SLIP}, mu=c, mu_static={"wall": 2 * c}),
    "space": dict(slips={"wall": (y.diff(t), x * a.diff(t))}, mu={"wall": (c, 0.5)}, e_t={"wall": 0.5}),
    "sequence": dict(slips=[SLIP, y.diff(t)], mu=[0.25, c], e_t=[0.0, -1.0]),
}


@pytest.mark.parametrize("compile", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("form", FORMS)
def test_gradient_and_bias(form, compile):
    """T = ∂s/∂v, and ṡ = T v̇ + slip_bias along a parabola, by differences."""
    contract = made(form, compile).contract(T, Q, V)
    T_ = contract.matrix("T", T, Q, V)
    np.testing.assert_allclose(T_, central(lambda v: contract.evaluate("slip", T, Q, v), V), rtol=1e-8, atol=1e-8)

    def slip_at(s):
        return contract.evaluate("slip", T + s, Q + V * s + VDOT * s**2 / 2, V + VDOT * s)

    rate = contract.times("T", VDOT, T, Q, V) + contract.evaluate("slip_bias", T, Q, V)
    np.testing.assert_allclose(rate, (slip_at(1e-5) - slip_at(-1e-5)) / 2e-5, rtol=1e-8, atol=1e-8)
    for name in ("stiffness", "damping", "N"):
        without = lagrange(L, q, gaps=GAPS).system({m: 2.0, r: 0.5}, compile=False).contract(T, Q, V)
        assert contract.patterns[name].size == without.patterns[name].size


def test_elements():
    """By the names of gaps; a contact without friction has slips and coefficients of zero."""
    one, both, space = (made(form).contract(T, Q, V) for form in ("one", "both", "space"))
    assert one.friction.mu.tolist() == [0.3, 0.0]
    assert one.names["slip"] == ["floor", "wall"]
    assert both.friction.mu.tolist() == [0.3, 0.3]
    assert both.friction.static.tolist() == [1.0, 2.0]
    np.testing.assert_allclose(both.evaluate("slip", T, Q, V)[1], V[1] + 0.5 * V[2])
    assert space.friction.mu.tolist() == [0.0, 0.0, 0.3, 0.5]
    assert space.friction.e_t.tolist() == [0.0, 0.5]
    assert space.names["slip"] == ["floor.1", "floor.2", "wall.1", "wall.2"]
    np.testing.assert_allclose(space.evaluate("slip", T, Q, V), [0.0, 0.0, V[1], Q[0] * V[2]])


def test_parameters_change_coefficients():
    """As restitution does; and all of it goes to other processes and into files."""
    system = made("both")
    changed = system.with_params({c: 0.6, b: 1.0})
    assert changed.contract(T, Q, V).friction.mu.tolist() == [0.6, 0.6]
    again = pickle.loads(pickle.dumps(changed)).contract(T, Q, V)
    assert again.friction.mu.tolist() == [0.6, 0.6]
    np.testing.assert_array_equal(again.evaluate("slip", T, Q, V), changed.contract(T, Q, V).evaluate("slip", T, Q, V))
    words = read_equations(write_equations(system.equations))
    assert (words.slip, words.mu, words.mu_static, words.e_t) == (
        system.equations.slip, system.equations.mu, system.equations.mu_static, system.equations.e_t,
    )  # fmt: skip
    assert not {"slip", "mu"} & write_equations(lagrange(L, q, gaps=GAPS)).keys()


@pytest.mark.parametrize("form", FORMS)
def test_check_finds_nothing(form):
    """Derivatives that SymPy makes are those of the functions."""
    report = ga.check(made(form), T, Q, V)
    assert report.problems == ()
    assert not [note for note in report.notes if "slip" in note]
    assert "slip_v" in [derivative.name for derivative in report.derivatives]


def test_equations_are_printed():
    """Friction among the forces, and its law in words."""
    text = str(lagrange(L, q, gaps=GAPS, **FORMS["one"]))
    assert "lam_t0" in text
    assert "slip = b*sin" in text or "slip = " in text
    assert "mu = c" in text


WRONG = [
    (
        dict(slips={"flor": SLIP}, mu=0.3),
        r"slips has 'flor', which is not the name of a gap; there are 'floor', 'wall'",
    ),
    (dict(slips={"floor": SLIP}), "slips are given but mu is not"),
    (dict(mu=0.3), "mu is given but slips are not"),
    (dict(e_t=0.3), "e_t is given but slips are not"),
    (dict(slips={"floor": SLIP}, mu={"wall": 0.3}), "mu of 'floor' is missing, which has a slip"),
    (dict(slips={"floor": SLIP}, mu={"floor": (0.1, 0.2)}), "mu of 'floor' has 2 entries for 1 slips"),
    (dict(slips=[SLIP], mu=0.3), "slips has 1 entries for 2 gaps"),
    (dict(slips={"floor": (SLIP, SLIP, SLIP, SLIP)}, mu=0.3), "a contact has 4 slips"),
    (dict(slips={"floor": x.diff(t) ** 2}, mu=0.3), "the slip of 'floor' = .* is not affine in velocities"),
    (dict(slips={"floor": x}, mu=0.3), "does not depend on velocities"),
    (dict(slips={"floor": "v"}, mu=0.3), "is not an expression"),
]


@pytest.mark.parametrize(("given", "message"), WRONG)
def test_what_is_refused(given, message):
    """Each with a sentence."""
    with pytest.raises((InputError, ShapeError), match=message):
        lagrange(L, q, gaps=GAPS, **given)


def test_affine_only_after_simplification():
    """(v² − w²)/(v + w) is affine."""
    v, w = x.diff(t), y.diff(t)
    equations = lagrange(L, q, gaps=GAPS, slips={"floor": (v**2 - w**2) / (v + w)}, mu=0.3)
    contract = equations.system({m: 2.0, r: 0.5}, compile=False).contract(T, Q, V)
    np.testing.assert_allclose(contract.matrix("T", T, Q, V)[0], [1.0, -1.0, 0.0], atol=1e-12)


def test_numbers_are_looked_at():
    """Where they have values: negative coefficients, and mu_static below mu."""
    with pytest.raises(InputError, match="mu = -1 in entry 0"):
        lagrange(L, q, gaps=GAPS, slips={"floor": SLIP}, mu={"floor": c}).system({**VALUES, c: -1.0}, compile=False)
    low = lagrange(L, q, gaps=GAPS, slips=[SLIP, y.diff(t)], mu=0.3, mu_static=c)
    with pytest.raises(InputError, match=r"mu_static = 0.2 of 'floor' is less than mu = 0.3"):
        low.system({**VALUES, c: 0.2}, compile=False).contract(T, Q, V)


def test_a_matrix_of_slips():
    """SymPy's own vectors."""
    slips = {"floor": Matrix([x.diff(t), a.diff(t)])}
    equations = lagrange(L, q, gaps=GAPS, slips=slips, mu=0.3)
    assert equations.width == 2

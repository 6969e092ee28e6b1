"""Friction of a `System` of functions: rows of slip, their derivatives, forms of functions, and what is refused."""

import pickle
import re

import numpy as np
import pytest

import genalpha as ga
from genalpha.errors import InputError, ShapeError
from genalpha.solution.files.origin import hashes, identity

T, Q, V, VDOT = 0.3, np.array([0.4, 0.7, 1.1]), np.array([0.9, 0.2, -0.5]), np.array([1.3, -0.4, 0.8])
M, ARM, BELT = np.diag([2.0, 2.0, 0.1]), 0.5, 0.25


@ga.evaluator
def f(t, q, v):
    return np.array([0.0, -9.81 * 2.0, 0.0])


@ga.evaluator
def gap(t, q):
    """A lever whose tip is above a floor."""
    return np.array([q[1] - ARM * np.cos(q[2])])


@ga.evaluator
def slip(t, q, v):
    """Its tip on a belt."""
    return np.array([v[0] + ARM * np.cos(q[2]) * v[2] - BELT * np.sin(t)])


@ga.evaluator
def corners(t, q):
    """Two contacts in space; q are places of three coordinates."""
    return np.array([q[2], q[2] + q[1] ** 2])


@ga.evaluator
def sliding(t, q, v):
    """Their slip velocities, one row for each contact."""
    return np.array([[v[0], v[1] + q[0] * v[2]], [v[0] - t * v[1], 2.0 * v[1]]])


@ga.evaluator
def sliding_out(t, q, v, out):
    """The same, into an array."""
    out[0, 0], out[0, 1] = v[0], v[1] + q[0] * v[2]
    out[1, 0], out[1, 1] = v[0] - t * v[1], 2.0 * v[1]


@ga.evaluator
def brake(t, q, v):
    return np.array([v[2] - np.cos(t), v[0] * q[0]])


def lever(**given):
    options = dict(M=M, f=f, gap=gap, slip=slip, mu=0.3, names={"gap": ["floor"]})
    return ga.System(**(options | given))


def box(**given):
    options = dict(M=M, f=f, gap=corners, slip=sliding, mu=0.3, names={"gap": ["left", "right"]})
    return ga.System(**(options | given))


def central(function, x, h=1e-6):
    return np.stack([(function(x + h * e) - function(x - h * e)) / (2 * h) for e in np.eye(x.size)], axis=1)


SYSTEMS = {
    "lever": lever,
    "box": box,
    "box with out": lambda **given: box(slip=sliding_out, nt=4, **given),
    "dry": lambda **given: ga.System(M=M, f=f, dry=brake, dry_bound=2.0, **given),
    "all": lambda **given: box(dry=brake, dry_bound=[2.0, 3.0], **given),
}


@pytest.mark.parametrize("compile", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", SYSTEMS)
def test_gradient_and_bias(name, compile):
    """T = ∂s/∂v, and ṡ = T v̇ + slip_bias along q(t) = Q + V x + v̇ x²/2, by differences."""
    contract = SYSTEMS[name](compile=compile).contract(T, Q, V)
    nt = contract.nt
    assert nt == contract.friction.nt == contract.evaluate("slip", T, Q, V).size > 0
    T_ = contract.matrix("T", T, Q, V)
    np.testing.assert_allclose(T_, central(lambda v: contract.evaluate("slip", T, Q, v), V), rtol=1e-8, atol=1e-8)

    def slip_at(x):
        return contract.evaluate("slip", T + x, Q + V * x + VDOT * x**2 / 2, V + VDOT * x)

    rate = contract.times("T", VDOT, T, Q, V) + contract.evaluate("slip_bias", T, Q, V)
    np.testing.assert_allclose(rate, (slip_at(1e-5) - slip_at(-1e-5)) / 2e-5, rtol=1e-8, atol=1e-8)


def test_elements_and_names():
    """Contacts first, then dry friction; names of slip are those of the contacts."""
    contract = box(mu=[0.3, 0.5], mu_static=[0.6, 0.5], e_t=[0.0, -0.5], dry=brake, dry_bound=[2.0, 3.0]).contract(
        T, Q, V
    )
    friction = contract.friction
    assert contract.names["slip"] == ["left.1", "left.2", "right.1", "right.2"]
    assert contract.names["dry"] == ["dry[0]", "dry[1]"]
    assert friction.contact.tolist() == [0, 1, -1, -1]
    assert friction.first.tolist() == [0, 2, 4, 5, 6]
    assert friction.mu.tolist() == [0.3, 0.3, 0.5, 0.5, 2.0, 3.0]
    assert friction.static.tolist() == [2.0, 1.0, 1.0, 1.0]
    assert friction.e_t.tolist() == [0.0, -0.5, 0.0, 0.0]
    assert (contract.m, contract.nc, contract.nt) == (2, 2, 6)
    assert lever().contract(T, Q, V).names["slip"] == ["floor"]


def test_an_ellipse_and_drilling():
    """Coefficients of each row; an array of shape (2,) belongs to two contacts, or to the two rows of one."""
    assert box(mu=[[0.1, 0.2], [0.3, 0.4]]).contract(T, Q, V).friction.mu.tolist() == [0.1, 0.2, 0.3, 0.4]
    one = lever(slip=lambda t, q, v: v[:2], mu=[0.1, 0.2]).contract(T, Q, V)
    assert one.friction.mu.tolist() == [0.1, 0.2]
    assert one.names["slip"] == ["floor.1", "floor.2"]
    assert lever(slip=lambda t, q, v: v).contract(T, Q, V).names["slip"] == ["floor.1", "floor.2", "floor.drill"]


@pytest.mark.parametrize("form", ["constant", "function", "sparse"])
def test_derivatives_that_are_given(form):
    """As those of k: dense or on a pattern, constant or not."""
    gradient = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0]])
    slip_v = {
        "constant": gradient,
        "function": lambda t, q, v: gradient,
        "sparse": ga.Sparse([1.0, 1.0, 1.0, 2.0], [0, 1, 2, 3], [0, 1, 0, 1]),
    }[form]
    system = box(
        slip=lambda t, q, v: np.array([[v[0], v[1]], [v[0] - t, 2.0 * v[1]]]),
        slip_v=slip_v, slip_q=0, slip_t=lambda t, q, v: [[0.0, 0.0], [-1.0, 0.0]],
    )  # fmt: skip
    contract = system.contract(T, Q, V)
    np.testing.assert_array_equal(contract.matrix("T", T, Q, V), gradient)
    np.testing.assert_array_equal(contract.evaluate("slip_bias", T, Q, V), [0.0, 0.0, -1.0, 0.0])
    assert contract.patterns["T"].size == (12 if form == "function" else 4)


def test_stiffness_knows_nothing_of_friction():
    """The same tangents as without."""
    kinds = {"gap_q": np.eye(3)[2:].repeat(2, axis=0), "gap_t": 0, "gap_bias": 0}
    with_friction = box(gap=lambda t, q: q[[2, 2]], **kinds).contract(T, Q, V)
    without = ga.System(M=M, f=f, gap=lambda t, q: q[[2, 2]], **kinds).contract(T, Q, V)
    for name in ("stiffness", "damping"):
        assert with_friction.patterns[name].size == without.patterns[name].size
    assert with_friction.numerical_tangent == without.numerical_tangent


def test_a_wrong_derivative_is_found():
    """`check` compares with the computed one; what does not slide is noted."""
    report = ga.check(lever(slip_v=[[1.0, 0.0, 0.4]], compile=False), T, Q, V)
    assert re.match(r"slip_v: relative error .* worst in \('floor', 'q\[2\]'\)", report.problems[0])
    assert ga.check(lever(compile=False), T, Q, V).problems == ()


def test_a_report_counts_rows():
    """And small motions of what may stick are not linear."""
    assert "1 contact, 1 row of friction" in str(ga.check(lever(compile=False), T, Q, V))
    assert "2 contacts, 6 rows of friction" in str(ga.check(SYSTEMS["all"](compile=False), T, Q, V))
    with pytest.raises(InputError, match="linearize: the law of friction has no derivative where something sticks"):
        ga.linearize(lever(compile=False), Q)


def test_slip_along_the_normal_is_noted():
    """A slip that is the velocity of the gap itself."""
    report = ga.check(lever(slip=lambda t, q, v: v[1] + ARM * np.sin(q[2]) * v[2], compile=False), T, Q, V)
    assert any("the slip of 'floor' is a multiple of the velocity of its gap" in note for note in report.notes)
    still = ga.check(lever(slip=lambda t, q, v: 0.0 * v[0] - BELT, compile=False), T, Q, V)
    assert any("the slip of 'floor' does not depend on v" in note for note in still.notes)


def law(**given):
    return {"gap": gap, "slip": slip, "mu": 0.3} | given


WRONG = [
    (law(mu=-0.1), r"mu = -0.1 must be a number that is not negative"),
    (law(mu=np.nan), r"mu = nan must"),
    (law(mu=[-0.1]), r"mu = -0.1 must"),
    (law(mu="a lot"), r"mu must be a number or an array of numbers, not 'a lot'"),
    (law(mu=[0.1, 0.2]), r"mu has shape \(2,\) for 1 contacts"),
    (law(mu=None), r"slip is given but mu is not: pass the coefficient of friction"),
    (law(gap=None), r"slip is given but gap is not: .* dry\(t, q, v\) with dry_bound"),
    (law(slip=None), r"mu is given but slip is not"),
    (law(slip=3.0), r"slip must be a function, not a float"),
    (dict(e_t=0.5, gap=gap), r"e_t is given but slip is not"),
    (dict(slip_v=np.eye(3)), r"slip_v is given but slip is not"),
    (law(mu_static=0.2), r"mu_static = 0.2 of 'floor' is less than mu = 0.3"),
    (law(mu_static=np.inf), r"mu_static = inf must"),
    (law(e_t=1.5), r"e_t = 1.5 is not between −1 and 1"),
    (law(e_t=-1.5), r"e_t = -1.5 is not between −1 and 1"),
    (law(e_t=[0.1, 0.2]), r"e_t has 2 entries for 1 contacts"),
    (law(slip=lambda t, q, v: v[:0]), r"slip returned shape \(0,\) for nc = 1 contacts; give one slip velocity"),
    (law(slip=lambda t, q, v: np.zeros(4)), r"slip returned shape \(4,\) for nc = 1 contacts"),
    (law(slip=lambda t, q, v, out: None), r"slip fills its argument out: say how long it is, System\(..., nt=...\)"),
    (law(slip=lambda t, q, v, out: None, nt=7), r"slip has nt = 7 rows for nc = 1 contacts"),
    (law(slip=lambda t, q, v: v[0] ** 2), r"slip is not affine in v: along v \+ x d its entry .floor. is 0.81"),
    (law(slip=lambda t, q, v: np.abs(v[0])), r"slip is not affine in v"),
    (law(slip=lambda t, q, v: np.sign(v[0])), r"slip is not affine in v"),
    (law(slip=lambda t, q, v: np.nan * v[0]), r"slip gives nan in entry \[0\] at t = 0.3"),
    (law(slip=lambda t, q: q[0]), r"slip has the arguments \(t, q\), but it is called as slip\(t, q, v\)"),
    (dict(dry=brake), r"dry is given but dry_bound is not"),
    (dict(dry_bound=2.0), r"dry_bound is given but dry is not"),
    (dict(dry=brake, dry_bound=-2.0), r"dry_bound = -2 must be a number that is not negative: it is the largest"),
    (dict(dry=brake, dry_bound=[1.0, 2.0, 3.0]), r"dry_bound has 3 entries for 2 rows of dry"),
    (dict(dry=lambda t, q, v: v @ v, dry_bound=1.0), r"dry is not affine in v: .* 'dry\[0\]'"),
    (dict(dry=brake, dry_bound=1.0, g=lambda t, q: q[0], multipliers_in_f=True, f=lambda t, q, v, lam, psi: v),
     r"do not go together"),
]  # fmt: skip


@pytest.mark.parametrize(("given", "message"), WRONG)
def test_what_is_refused(given, message):
    """Each with a sentence that one can act on."""
    options = {"M": M, "f": f, "names": {"gap": ["floor"]} if given.get("gap") else None, "compile": False}
    with pytest.raises((InputError, ShapeError, ga.errors.NonFiniteError), match=message):
        ga.System(**(options | given)).contract(T, Q, V)


def test_one_contact_of_several_is_named():
    """Where coefficients differ."""
    with pytest.raises(InputError, match=r"mu_static = 0.4 of 'right' is less than mu = 0.5"):
        box(mu=[0.3, 0.5], mu_static=0.4).contract(T, Q, V)
    with pytest.raises(InputError, match=r"mu = -0.5 of 'right'|mu = -0.5 in entry 1"):
        box(mu=[0.3, -0.5]).contract(T, Q, V)


def test_a_method_that_does_not_take_friction_says_so():
    """And which one does."""
    words = r'friction \(slip, dry\) needs GeneralizedAlpha with formulation "PVA" or "PVV", or MoreauJean'
    with pytest.raises(InputError, match=words):
        ga.solve(
            ga.System(M=M, f=f, dry=brake, dry_bound=1.0, compile=False), (0.0, 0.1), Q, V, h=0.01, method=ga.SOI2()
        )


def test_it_can_be_sent_and_has_an_identity_of_its_own():
    """Pickled with its blocks; files tell its coefficients."""
    system = lever(mu=0.3)
    again = pickle.loads(pickle.dumps(system))
    contract = again.contract(T, Q, V)
    np.testing.assert_array_equal(contract.matrix("T", T, Q, V), system.contract(T, Q, V).matrix("T", T, Q, V))
    assert identity(again, contract)["friction"]["mu"] == [0.3]
    assert hashes(system)["functions"] != hashes(lever(mu=0.4))["functions"]
    assert "friction" not in identity(ga.System(M=M, f=f), ga.System(M=M, f=f, compile=False).contract(T, Q, V))

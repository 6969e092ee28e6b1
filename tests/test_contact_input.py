"""Bad input of contacts: every mistake gets an exception that says which contact, when, and what to do."""

import numpy as np
import pytest

import genalpha as ga


def ball(**given):
    """A unit mass above a floor."""
    system = {
        "M": np.eye(1), "f": lambda t, q, v: np.array([-9.81]), "f_q": 0, "f_v": 0, "e": 0.5,
        "gap": lambda t, q: q[:1], "gap_q": [[1.0]], "gap_t": 0, "gap_bias": 0, "names": {"gap": ["floor"]},
    }  # fmt: skip
    return ga.System(**(system | given))


def particle(**given):
    """A unit mass in the plane, without forces."""
    system = {"M": np.eye(2), "f": np.zeros(2), "gap_q": [[1.0, 0.0]], "names": {"gap": ["floor"], "g": ["drive"]}}
    return ball(**(system | given))


def solve(system, q0=(1.0,), v0=(0.0,), method=None, t_end=2.0, **options):
    return ga.solve(system, (0.0, t_end), q0, v0, method, h=0.01, **options)


RESTITUTION = [
    (1.5, "e = 1.5 is not between 0 and 1: a coefficient of restitution is the departure velocity over"),
    (-0.1, "e = -0.1 is not between 0 and 1"),
    ([1.5], "e = 1.5 of contact 'floor' is not between 0 and 1"),
    ([0.5, -2.0], r"e = -2 of contact gap\[1\] is not between 0 and 1"),
    (np.nan, r"e\[0\] = nan is not a finite number"),
    ("hard", "e must be a vector of real numbers, not str 'hard'"),
    ({"floor": 0.5}, "e must be a vector of real numbers, not dict"),
    (0.5j, "e must be a vector of real numbers"),
    (None, r"e\[0\] = nan|e must be"),
]


@pytest.mark.parametrize(("e", "message"), RESTITUTION)
def test_restitution(e, message):
    with pytest.raises(ga.InputError, match=message):
        ball(e=e)


def test_restitution_of_the_wrong_length():
    with pytest.raises(ga.ShapeError, match="e has 2 entries for 1 contacts; give one number for all, or one for each"):
        solve(ball(e=[0.5, 0.5]))


SHAPES = [
    (dict(gap=lambda t, q: np.eye(2)), r"gap returned shape \(2, 2\) at t = 0"),
    (dict(gap=lambda t, q: q[:1], nc=2), r"gap returned shape \(1,\) at t = 0, expected \(2,\)"),
    (dict(gap_q=[[1.0, 0.0]]), r"gap_q has shape \(1, 2\), expected \(1, 1\)"),
    (dict(gap_bias=lambda t, q, v: np.zeros(2)), r"gap_bias returned shape \(2,\) at t = 0, expected \(1,\)"),
    (dict(gap_t=lambda t, q: np.zeros(3)), r"gap_t returned shape \(3,\) at t = 0, expected \(1,\)"),
    (dict(names={"gap": ["a", "b"]}), r"names\['gap'\] has 2 names for 1 entries"),
    (dict(gap=lambda t, q, out: None), r"gap fills its argument out: say how long it is, System\(..., nc=...\)"),
]


@pytest.mark.parametrize(("given", "message"), SHAPES)
def test_shapes_and_names(given, message):
    with pytest.raises(ga.InputError, match=message):
        solve(ball(**given))


def test_a_gap_must_be_a_function():
    with pytest.raises(ga.InputError, match="gap must be a function, not a list"):
        ball(gap=[1.0])


# ---------------------------------------------------------------- methods


METHODS = [
    *(ga.GeneralizedAlpha(formulation=formulation) for formulation in ("P", "V", "PV", "baumgarte")),
    ga.SOI2(),
]


@pytest.mark.parametrize("method", METHODS, ids=lambda m: getattr(m, "formulation", "SOI2"))
def test_methods_that_know_no_contacts(method):
    with pytest.raises(ga.InputError, match=r'contacts \(gap\) need GeneralizedAlpha with formulation "PVA" or "PVV"'):
        solve(ball(), method=method)


@pytest.mark.parametrize("formulation", ["P", "V", "PV", "baumgarte"])
@pytest.mark.parametrize("strategy", [1, 2])
def test_strategies_belong_to_pva(formulation, strategy):
    """They would give another method under the same name."""
    pendulum = ga.System(M=np.eye(2), f=[0.0, -9.81], g=lambda t, q: q @ q - 1.0)
    method = ga.GeneralizedAlpha(formulation=formulation, strategy=strategy)
    with pytest.raises(ga.InputError, match=f'strategy = {strategy} belongs to formulation "PVA", not "{formulation}"'):
        solve(pendulum, [1.0, 0.0], [0.0, 0.0], method)


def test_multipliers_in_the_force():
    with pytest.raises(ga.InputError, match="gap and multipliers_in_f=True do not go together"):
        particle(f=lambda t, q, v, lam, psi: q, f_q=None, f_v=None, g=lambda t, q: q[:1], multipliers_in_f=True)


OPTIONS = [
    (dict(r=0.0), "r = 0.0 must be 'auto' or a positive number"),
    (dict(r=-1.0), "r = -1.0 must be"),
    (dict(r=np.nan), "r = nan must be"),
    (dict(r="big"), "r = 'big' must be"),
    (dict(strategy=4), "strategy = 4 is not one of 1, 2, 3"),
    (dict(criterion="mine"), "criterion = 'mine' is not one of 'closing', 'printed'"),
    (dict(newton="fast"), "newton = 'fast' is not one of 'auto', 'decoupled', 'coupled'"),
    (dict(residuals=(1.0, 1.0)), r"residuals = \(1.0, 1.0\) must be three positive numbers: force, position, speed"),
    (dict(residuals=(1.0, 0.0, 1.0)), "must be three positive numbers"),
    (dict(residuals=(1.0, np.nan, 1.0)), "must be three positive numbers"),
    (dict(residuals=0.1), "must be three positive numbers"),
    (dict(residuals=("a", "b", "c")), "must be three positive numbers"),
]


@pytest.mark.parametrize(("options", "message"), OPTIONS)
def test_options(options, message):
    with pytest.raises(ga.InputError, match=message):
        ga.GeneralizedAlpha(**options)


# ---------------------------------------------------------------- initial states


def test_a_penetrating_configuration():
    with pytest.raises(
        ga.InconsistentInitialState,
        match=r"'floor': gap = -0.1 at t0 = 0: it penetrates by more than 1e-08; correct q0 or pass project=True",
    ):
        solve(ball(), [-0.1])


def test_several_penetrating_contacts_are_counted():
    two = ball(gap=lambda t, q: np.array([q[0], q[0] - 0.1]), gap_q=[[1.0], [1.0]], names={"gap": ["floor", "rug"]})
    with pytest.raises(ga.InconsistentInitialState, match=r"contact 'rug': gap = -0.2 .*\(and 1 more contacts\)"):
        solve(two, [-0.1])


def test_a_projection_that_is_impossible():
    stuck = particle(g=lambda t, q: q[:1] + 1.0)
    with pytest.raises(
        ga.ContradictoryConstraints, match=r"no position near q0 .* t0 = 0: .* left in '(floor|drive)'; .* contradict"
    ):
        solve(stuck, [-1.0, 0.0], [0.0, 0.0], project=True)


def test_accelerations_that_contradict():
    driven = particle(g=lambda t, q: q[:1] + 0.5 * t * t)
    with pytest.raises(ga.ContradictoryConstraints, match=r"at t = 0: 'drive' and 'floor' depend on each other"):
        solve(driven, [0.0, 0.0], [0.0, 0.0])


# ---------------------------------------------------------------- failures midway


@pytest.mark.parametrize("newton", ["auto", "coupled", "decoupled"])
def test_a_contact_that_fights_a_bilateral_constraint(newton):
    """The drive pulls the particle through the floor at t = 1."""
    driven = particle(g=lambda t, q: q[:1] - 1.0 + t)
    with pytest.raises(ga.StepError) as caught:
        solve(driven, [1.0, 0.0], [-1.0, 0.0], ga.GeneralizedAlpha(newton=newton))
    text = str(caught.value)
    for part in ("to t = 1", "contact 'floor'", "gap", "velocity", "because of 'drive' it cannot move", "remove one"):
        assert part in text
    assert caught.value.solution.t[-1] < 1.005
    assert caught.value.solution.stats.penetration < 1e-8


@pytest.mark.parametrize("height", [0.0, 1.0])
def test_a_gradient_that_vanishes_at_contact(height):
    cubic = ball(gap=lambda t, q: q[:1] ** 3, gap_q=None, gap_t=None, gap_bias=None)
    with pytest.raises(ga.StepError) as caught:
        solve(cubic, [height])
    text = str(caught.value)
    for part in ("contact 'floor'", "t = ", "gradient gap_q vanishes", "write the gap another way"):
        assert part in text


@pytest.mark.parametrize("name", ["gap", "gap_q", "gap_t", "gap_bias"])
def test_nan_midway(name):
    """Also in what only contacts that are far away need."""
    value = {
        "gap": lambda t, q: q[:1] * (np.nan if t > 0.2 else 1.0),
        "gap_q": lambda t, q: np.array([[np.nan if t > 0.2 else 1.0]]),
        "gap_t": lambda t, q: np.array([np.nan if t > 0.2 else 0.0]),
        "gap_bias": lambda t, q, v: np.array([np.nan if t > 0.2 else 0.0]),
    }[name]
    given = {"gap_q": [[1.0]], "gap_t": 0, "gap_bias": 0} | {name: value}
    with pytest.raises(ga.NonFiniteError, match=rf"{name} gives NaN or inf at t = 0.21 \(step 21") as caught:
        solve(ball(**given, f_q=None), method=ga.GeneralizedAlpha(jacobian="reuse"))
    assert caught.value.solution.t[-1] == pytest.approx(0.2)


@pytest.mark.parametrize("name", ["gap", "gap_q", "gap_t", "gap_bias"])
def test_nan_at_first(name):
    value = {"gap_bias": lambda t, q, v: np.array([np.nan])}.get(name, lambda t, q: np.full(1, np.nan))
    with pytest.raises(ga.NonFiniteError, match=rf"{name} gives nan in entry \[0.*\] at t = 0"):
        solve(ball(**{name: value}))


def test_a_computed_derivative_that_is_nan():
    """The gap itself is a number at every time of a step, but not just behind it."""
    edge = ball(
        gap=lambda t, q: q[:1] * (np.nan if np.real(t) > 0.2 else 1.0), gap_q=[[1.0]], gap_t=None, gap_bias=None
    )
    with pytest.raises(ga.NonFiniteError, match=r"gap"), np.errstate(all="ignore"):
        solve(edge)

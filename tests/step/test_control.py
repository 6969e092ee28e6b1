"""Error control: estimates, orders, work, constraints, impacts, failures."""

import dataclasses

import numpy as np
import pytest

import genalpha as ga
from genalpha import problems
from genalpha.run.solve import make_run
from genalpha.step import state
from genalpha.step.schedule import make_control

METHODS = {
    "P": ga.GeneralizedAlpha(formulation="P"), "PV": ga.GeneralizedAlpha(formulation="PV"),
    "PVA": ga.GeneralizedAlpha(), "SOI2": ga.SOI2(),
}  # fmt: skip
TOLERANCES = [1e-3, 1e-4, 1e-5, 1e-6, 1e-7]


def controlled(problem, method=None, t_end=None, **options):
    span = (problem.t_span[0], t_end or problem.t_span[1])
    return ga.solve(problem.system(), span, problem.q0, problem.v0, method or problem.method, **options)


def distances(problem, method, tolerances, t_end=2.0):
    """(RMS errors of the trajectory, solutions) for several tolerances."""
    times = np.linspace(0.0, t_end, 101)
    exact = problem.reference(times)
    runs = [controlled(problem, method, t_end, rtol=rtol, t_eval=times) for rtol in tolerances]
    return np.array([np.sqrt(np.mean((sol.q - exact.q) ** 2)) for sol in runs]), runs


# ---------------------------------------------------------------- estimates


@pytest.mark.parametrize("rho_inf", [0.5, 0.9, 1.0])
@pytest.mark.parametrize("omega", [2.0, 0.5])  # errors of the velocity dominate, errors of the position do
def test_the_estimate_is_the_local_error(rho_inf, omega):
    """Over the oscillator's exact flow from the last state but one; the last step is as long as the one before."""
    t_end = 0.7505
    system = ga.System(M=np.eye(1), f=lambda t, q, v: -(omega**2) * q, f_q=-(omega**2) * np.eye(1), f_v=0)
    control = make_control((0.0, t_end), 1e-6, 1e-30, None, 1e-3, None)
    run = make_run(system, ga.GeneralizedAlpha(rho_inf=rho_inf, start="shifted"), control, [1.0], [2.0])
    run.start([1.0], [2.0], False)
    sol = run.go(True)
    h = sol.t[-1] - sol.t[-2]
    c, s, q, v = np.cos(omega * h), np.sin(omega * h), sol.q[-2, 0], sol.v[-2, 0]
    e_q, e_v = sol.q[-1, 0] - c * q - s / omega * v, sol.v[-1, 0] + omega * s * q - c * v
    size_q, size_v = np.abs(sol.q[-2:]).max(), np.abs(sol.v).max()
    level = int(run.setup.arrays.counts[state.WORST_LEVEL])
    scaled = (abs(e_q) / (1e-6 * size_q), abs(e_v) / (1e-6 * size_v))
    assert level == int(np.argmax(scaled))
    assert run.setup.arrays.memory[state.ERROR] == pytest.approx(scaled[level], rel=0.02)


# ---------------------------------------------------------------- order and work


@pytest.mark.parametrize("name", METHODS)
def test_the_error_follows_the_tolerance_to_two_thirds(name):
    """On the Cartesian pendulum; multipliers are not controlled, but the constraints hold."""
    errors, runs = distances(problems.get("cartesian_pendulum"), METHODS[name], TOLERANCES)
    assert np.polyfit(np.log(TOLERANCES), np.log(errors), 1)[0] == pytest.approx(0.67, abs=0.15)
    assert all(sol.success for sol in runs)
    round_off = 1e-14 if name in ("PV", "PVA") else 1e-10
    assert max(sol.stats.max_g for sol in runs) < round_off
    assert name == "P" or max(sol.stats.max_gdot for sol in runs) < round_off


@pytest.mark.parametrize("name", METHODS)
def test_constraints_hold_whatever_the_tolerance(name):
    """On a fast top, where a tolerance on velocities is a loose one on positions."""
    sol = controlled(problems.get("heavy_top"), METHODS[name], t_end=0.1, rtol=1e-3)
    assert sol.stats.max_g < 1e-10
    assert name == "P" or sol.stats.max_gdot < 1e-10


def test_the_chain_follows_its_tolerance_with_little_work():
    errors, runs = distances(problems.get("chain16"), None, TOLERANCES)
    assert np.polyfit(np.log(TOLERANCES), np.log(errors), 1)[0] == pytest.approx(0.67, abs=0.15)
    assert max(sol.stats.max_g for sol in runs) < 1e-10
    assert max(sol.stats.max_gdot for sol in runs) < 1e-10
    work = np.interp(np.log(1e-3), np.log(errors[::-1]), [sol.stats.evaluations for sol in runs][::-1])
    assert work < 1500


def test_andrews_takes_few_evaluations():
    problem = problems.get("andrews")
    errors, runs = distances(problem, None, [1e-4, 1e-5], t_end=0.03)
    assert errors[0] > 1e-3 > errors[1]
    assert runs[1].stats.evaluations < 500
    assert runs[1].stats.max_g < 1e-14
    assert runs[1].stats.max_gdot < 1e-12


def test_the_published_angles_of_andrews():
    from genalpha.problems.andrews import PUBLISHED

    sol = controlled(problems.get("andrews"), rtol=1e-8)
    np.testing.assert_allclose(sol.q[-1], PUBLISHED, atol=2e-4)
    np.testing.assert_allclose(problems.get("andrews").reference([0.03]).q[0], PUBLISHED, atol=1e-8)


@pytest.mark.agreement
def test_compiled_and_interpreted_runs_agree():
    problem = problems.get("bouncing_pendulum")
    one, two = (
        ga.solve(dataclasses.replace(problem.system(), compile=kind), (0.0, 0.5), problem.q0, problem.v0, rtol=1e-4)
        for kind in (True, False)
    )
    np.testing.assert_allclose(one.t, two.t, rtol=1e-9)
    np.testing.assert_allclose(one.q, two.q, atol=1e-9)
    assert one.stats.rejected_impact == two.stats.rejected_impact > 0


# ---------------------------------------------------------------- impacts


def test_impacts_are_resolved_to_a_tolerance():
    ball = problems.get("bouncing_ball")
    exact = ball.impact_times()[:5]
    late = [np.abs(controlled(ball, rtol=1e-4, impact_tol=tol).impacts.time[:5] - exact).max() for tol in (1e-3, 1e-6)]
    assert late[0] < 1e-2
    assert late[1] < 1e-5


def test_accumulating_impacts_do_not_stall():
    """Infinitely many impacts before t = 4 s: weaker ones allow longer steps."""
    ball = problems.get("bouncing_ball")
    sol = controlled(ball, rtol=1e-4, impact_tol=1e-6)
    assert sol.success
    assert sol.stats.steps < 1000
    assert abs(sol.q[-1, 0]) < 1e-12
    careless = controlled(ball, rtol=1e-4, impact_tol=np.inf)
    assert careless.stats.rejected_impact == 0
    assert careless.stats.steps < 100


# ---------------------------------------------------------------- limits and failures


def test_the_smallest_step_is_an_error_that_names_the_coordinate():
    system = ga.System(M=np.eye(2), f=lambda t, q, v: np.array([0.0, 1e4 * np.sign(np.sin(40.0 * t))]), f_q=0, f_v=0,
                       names={"q": ["calm", "shaken"]})  # fmt: skip
    with pytest.raises(ga.StepError, match=r"h_min = 0.001.*of coordinate 'shaken' dominates") as caught:
        ga.solve(system, (0.0, 1.0), [1.0, 1.0], [0.0, 0.0], rtol=1e-6, h_min=1e-3)
    assert len(caught.value.solution) == 1


def test_the_largest_step():
    sol = controlled(problems.get("oscillator"), rtol=1e-2, h_max=0.01)
    assert np.diff(sol.t).max() <= 0.01 * (1 + 1e-9) * 1.1
    assert sol.t[-1] == problems.get("oscillator").t_span[1]


def test_a_step_that_fails_is_repeated_with_a_shorter_one():
    """A wrong derivative lets Newton's iteration converge in short steps only."""
    system = ga.System(M=np.eye(1), f=lambda t, q, v: -1e4 * q**3, f_q=lambda t, q, v: -1e6 * np.eye(1), f_v=0)
    sol = ga.solve(system, (0.0, 1.0), [1.0], [0.0], ga.GeneralizedAlpha(max_iter=3), rtol=1e-2)
    assert sol.success
    assert sol.stats.rejected_newton > 0


def test_rest_is_no_problem():
    sol = ga.solve(ga.System(M=np.eye(2), f=lambda t, q, v: -q), (0.0, 10.0), [0.0, 0.0], [0.0, 0.0])
    assert sol.success
    assert sol.stats.steps < 100
    np.testing.assert_array_equal(sol.q, 0.0)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"rtol": 0.0}, "rtol = 0.0 must be a positive number"),
        ({"rtol": 2.0}, "rtol = 2 must lie between"),
        ({"atol": "x"}, "atol = 'x' must be a positive number"),
        ({"h_min": 1.0, "h_max": 0.1}, "h_min = 1 is larger than h_max"),
        ({"impact_tol": -1.0}, "impact_tol = -1.0 must be"),
        ({"method": ga.MoreauJean()}, "no error control for MoreauJean; give a step size"),
        ({"method": ga.GeneralizedAlpha(formulation="PVV")}, 'no error control for formulation "PVV"'),
    ],
)
def test_bad_options(options, words):
    problem = problems.get("pendulum")
    method = options.pop("method", None)
    with pytest.raises(ga.InputError, match=words):
        ga.solve(problem.system(), (0.0, 1.0), problem.q0, problem.v0, method, **options)


def test_formulation_p_is_not_followed_astray():
    """P holds positions only: at this tolerance velocities grow from step to step, which no estimate sees."""
    problem = problems.get("slider_crank")
    method = ga.GeneralizedAlpha(rho_inf=0.8, formulation="P")
    with pytest.raises(
        ga.ConvergenceError, match=r"d/dt of '(small_end|big_end|main)\.[xy]' is .* formulation \"PVA\""
    ) as caught:
        ga.solve(problem.system(), problem.t_span, problem.q0, problem.v0, method, rtol=1e-2)
    assert caught.value.solution.t.size > 10
    pva = dataclasses.replace(method, formulation="PVA")
    sol = ga.solve(problem.system(), problem.t_span, problem.q0, problem.v0, pva, rtol=1e-2)
    assert np.abs(sol.v).max() < 20.0


@pytest.mark.parametrize("method", [ga.GeneralizedAlpha(), ga.SOI2()])
def test_what_cannot_move_takes_few_steps_under_forces_of_time(method):
    """Forces and reactions cancel but for round-off, which was the only velocity there was: steps fell to 1e-9 s."""
    model = ga.Model("held", planar=True, gravity=(0.0, -9.81))
    mass = model.add(ga.PointMass("mass", mass=2.57, position=(-0.164, -0.0099)))
    model.add(ga.Revolute("pin", model.ground, mass, at=(-0.164, -0.0099)))
    model.add(ga.PointForce("push", mass, lambda t: np.array([19.9, 15.4]) * np.cos(8.76 * t)))
    sol = ga.solve(model, (0.0, 0.1), method=method, rtol=1e-4, max_steps=100)
    assert np.abs(sol.v).max() < 1e-15

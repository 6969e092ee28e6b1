"""Error control with impacts and with prescribed motions: none is swallowed; and a limit of steps."""

import numpy as np
import pytest

import genalpha as ga
from genalpha.reproduce import impact_times

PERIOD = 0.2
RATE = 2.0 * np.pi / PERIOD


def thrown(v0, rtol=1e-4, e=0.85, **options):
    ball = ga.System(M=np.eye(1), f=lambda t, q, v: np.array([-9.81]), f_q=0, f_v=0, gap=lambda t, q: q, e=e)
    return ga.solve(ball, (0.0, 2.0), [1.0], [v0], rtol=rtol, **options)


def test_a_ball_that_starts_at_rest():
    """Its velocity at the start of a step says nothing about how far it falls in it."""
    found = thrown(0.0).impacts.approach[:3]
    np.testing.assert_allclose(found, -np.sqrt(2.0 * 9.81) * 0.85 ** np.arange(3), rtol=5e-3)


@pytest.mark.parametrize("rtol", impact_times.TOLERANCES)
def test_no_impact_is_swallowed(rtol):
    """A sample of the study of 4000 balls."""
    assert impact_times.swallowed(6, rtol) == 0


def test_an_impact_just_before_the_end():
    """The last step is not stretched to what was rejected before, for ever."""
    ball = ga.System(M=np.eye(1), f=lambda t, q, v: np.array([-9.81]), f_q=0, f_v=0, gap=lambda t, q: q, e=0.85)
    sol = ga.solve(ball, (0.0, 3.0), [1.0], [2.377200120798787], rtol=1e-3)
    assert sol.t[-1] == 3.0
    assert sol.stats.rejected_impact < 200


def test_impact_times_follow_the_closed_form():
    by_travel = [impact_times.late(1e-4, travel) for travel in (1e-3, 1e-5)]
    assert by_travel[0] < 1e-2
    assert by_travel[1] < 1.1e-2 * by_travel[0]
    by_rtol = [impact_times.late(rtol) for rtol in (1e-3, 1e-5)]
    assert by_rtol[1] < 0.1 * by_rtol[0] < 1e-2


def test_bodies_that_fly_through_one_another():
    """Free flight has no error, and a long step would end behind the other disc."""
    discs = ga.System(M=np.eye(2), f=np.zeros(2), gap=lambda t, q: np.sqrt(q @ q)[None] - 0.2, f_q=0, f_v=0, e=1.0)
    sol = ga.solve(discs, (0.0, 200.0), [50.0, 0.0], [-1.0, 0.0])
    assert sol.impacts.time[0] == pytest.approx(49.8, abs=0.2)
    assert sol.v[-1, 0] == pytest.approx(1.0)


def test_a_ball_on_a_shaking_table():
    """It rests, and its motion is prescribed: there is no error at the ends of steps, however long they are."""
    table = ga.System(
        M=np.eye(1), f=lambda t, q, v: np.array([-9.81]), gap=lambda t, q: q - 1e-3 * np.sin(RATE * t), e=0.0
    )
    sol = ga.solve(table, (0.0, 2.0), [0.0], [1e-3 * RATE], rtol=1e-3)
    assert np.diff(sol.t).max() < PERIOD / 10.0
    t = np.linspace(0.0, 2.0, 333)
    between = ga.solve(table, (0.0, 2.0), [0.0], [1e-3 * RATE], rtol=1e-3, t_eval=t).q[:, 0]
    np.testing.assert_allclose(between, 1e-3 * np.sin(RATE * t), atol=3e-6)


@pytest.mark.parametrize("formulation", ["PVA", "P"])
def test_a_prescribed_motion(formulation):
    driven = ga.System(M=np.eye(1), f=np.zeros(1), g=lambda t, q: q - np.sin(RATE * t))
    method = ga.GeneralizedAlpha(formulation=formulation)
    sol = ga.solve(driven, (0.0, 4.0), [0.0], [RATE], method, rtol=1e-3)
    assert np.diff(sol.t).max() < PERIOD / 10.0


def test_a_run_that_takes_too_many_steps(tmp_path):
    system = ga.System(M=np.eye(2), f=lambda t, q, v: np.array([-q[0], -400.0 * q[1]]), names={"q": ["slow", "fast"]})
    options = {"rtol": 1e-4, "out": tmp_path / "run.h5"}
    with pytest.raises(ga.TooManySteps) as caught:
        ga.solve(system, (0.0, 1.0), [1.0, 1.0], [0.0, 0.0], max_steps=40, **options)
    text = str(caught.value)
    for part in ("40 steps were made, max_steps = 40, and t = 1 is not reached", "the step is", "'fast'", "rtol"):
        assert part in text
    assert caught.value.solution.stats.steps == 40
    assert caught.value.solution.t[-1] < 1.0
    again = ga.resume(tmp_path / "run.h5", system, max_steps=5000)
    whole = ga.solve(system, (0.0, 1.0), [1.0, 1.0], [0.0, 0.0], rtol=1e-4)
    np.testing.assert_array_equal(again.t, whole.t)


def test_a_run_that_would_take_for_ever_ends_soon(monkeypatch):
    monkeypatch.setattr("genalpha.run.recover.CRAWL", 200)
    system = ga.System(M=np.eye(1), f=lambda t, q, v: -1e20 * q)
    with pytest.raises(ga.TooManySteps, match=r"so short that \d+e\+\d+ more would be needed"):
        ga.solve(system, (0.0, 1e4), [1.0], [0.0], rtol=1e-4)


@pytest.mark.parametrize("value", [0, -1, 1.5, True, "many"])
def test_limits_that_are_none(value):
    with pytest.raises(ga.InputError, match=r"max_steps = .* must be a positive integer"):
        thrown(0.0, max_steps=value)

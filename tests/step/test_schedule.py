"""The sequence of steps."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import genalpha as ga
from genalpha.step.schedule import make_schedule

repeatable = settings(derandomize=True, deadline=None, max_examples=100)


def everything(schedule):
    return schedule.chunk(0, schedule.n)


# ---------------------------------------------------------------- a number


def test_times_do_not_accumulate():
    times, steps = everything(make_schedule((0.0, 1000.0), 0.1))
    assert len(times) == 10000
    np.testing.assert_array_equal(times[:-1], np.arange(1, 10000) * 0.1)
    assert times[-1] == 1000.0
    assert np.all(steps == 0.1)


def test_the_last_step_is_shortened():
    times, steps = everything(make_schedule((1.0, 2.0), 0.3))
    np.testing.assert_allclose(times, [1.3, 1.6, 1.9, 2.0], rtol=1e-15)
    np.testing.assert_allclose(steps, [0.3, 0.3, 0.3, 0.1], rtol=1e-12)


def test_a_step_longer_than_the_span():
    times, steps = everything(make_schedule((0, 1), 5))
    np.testing.assert_array_equal([times, steps], [[1.0], [1.0]])


@repeatable
@given(st.floats(-10, 10), st.floats(1e-3, 10), st.floats(1e-3, 1.0))
def test_steps_fill_the_span(t0, span, h):
    t1 = t0 + span
    schedule = make_schedule((t0, t1), h)
    times, steps = everything(schedule)
    assert times[-1] == t1
    assert np.all(np.diff(times) > 0.0)
    assert np.all(steps <= h * (1 + 1e-8))
    assert steps.sum() == pytest.approx(t1 - t0, rel=1e-9, abs=1e-14)
    assert schedule.first() == steps[0]


# ---------------------------------------------------------------- sequences and functions


def test_a_sequence():
    times, steps = everything(make_schedule((1.0, 2.0), [0.5, 0.25, 0.25]))
    np.testing.assert_array_equal(times, [1.5, 1.75, 2.0])
    np.testing.assert_array_equal(steps, [0.5, 0.25, 0.25])


def test_a_function():
    times, steps = everything(make_schedule((0.0, 1.0), lambda t: 0.1 + 0.2 * t))
    np.testing.assert_allclose(np.diff([0.0, *times]), steps, rtol=1e-12)
    np.testing.assert_allclose(steps[:-1], 0.1 + 0.2 * np.array([0.0, *times[:-2]]), rtol=1e-12)
    assert times[-1] == 1.0


def test_a_function_leaves_no_sliver():
    assert make_schedule((0.0, 1.0), lambda t: 0.1).n == 10


@pytest.mark.parametrize("h", [0.07, [0.25] * 4, lambda t: 0.1 + t])
@pytest.mark.parametrize("count", [1, 3, 100])
def test_chunks_are_parts_of_the_whole(h, count):
    schedule = make_schedule((0.0, 1.0), h)
    chunks = [schedule.chunk(first, count) for first in range(0, schedule.n, count)]
    for part, whole in zip(zip(*chunks, strict=True), everything(schedule), strict=True):
        np.testing.assert_array_equal(np.concatenate(part), whole)


# ---------------------------------------------------------------- what is refused

SPANS = [
    (1.0, r"t_span = 1.0 must be two numbers"),
    ((0.0, 1.0, 2.0), "must be two numbers"),
    (("a", 1.0), "must be two numbers"),
    ((0.0, 0.0), r"t_span = \(0, 0\): t1 must be larger than t0"),
    ((1.0, 0.5), r"t_span = \(1, 0.5\): t1 must be larger than t0, and both finite"),
    ((0.0, np.inf), "both finite"),
    ((np.nan, 1.0), "both finite"),
]


@pytest.mark.parametrize(("span", "message"), SPANS)
def test_bad_spans(span, message):
    with pytest.raises(ga.InputError, match=message):
        make_schedule(span, 0.1)


STEPS = [
    (None, "give a step size h=...: a number, a sequence of steps, or a function of t"),
    (0.0, "h = 0.0 must be a positive number"),
    (-0.1, "h = -0.1 must be a positive number"),
    (np.nan, "h = nan must be a positive number"),
    (np.inf, "h = inf must be a positive number"),
    ("0.x", "h = '0.x' must be a positive number"),
    (1j, "h = 1j must be a positive number"),
    (1e-20, "h = 1e-20 is too small to advance t = 1"),
    ([0.5, -0.5, 1.0], r"h\[1\] = -0.5 must be a positive number"),
    ([0.5, 0.4], r"the 2 steps in h add up to 0.9, but t1 - t0 = 1; change a step or t_span by 0.1"),
    ([], "the 0 steps in h add up to 0, but t1 - t0 = 1"),
    ([[0.5, 0.5]], r"must be a vector, not an array of shape \(1, 2\)"),
    (lambda t: 0.5 if t < 0.5 else 0.0, r"h\(0.5\) = 0.0 must be a positive number"),
    (lambda t: None, r"h\(0\) = None must be a positive number"),
    (lambda t: 1e-30, r"h\(0\) = 1e-30 is too small to advance"),
]


@pytest.mark.parametrize(("h", "message"), STEPS)
def test_bad_steps(h, message):
    with pytest.raises(ga.InputError, match=message):
        make_schedule((0.0, 1.0), h)


def test_an_exception_in_h_says_where():
    with pytest.raises(ZeroDivisionError) as caught:
        make_schedule((0.0, 1.0), lambda t: 0.5 if t < 0.4 else 1 / 0)
    assert caught.value.__notes__ == ["raised by h at t = 0.5"]

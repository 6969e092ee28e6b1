"""Events: located, directed, terminal; a run that fails behind one; interruption and progress."""

import os
import signal

import numpy as np
import pytest

import genalpha as ga

HEIGHT, WEIGHT = 5.0, 10.0


def fall(events, t_end=3.0, f=None, **options):
    system = ga.System(M=np.eye(1), f=f or (lambda t, q, v: np.array([-WEIGHT])), f_q=0, f_v=0)
    return ga.solve(system, (0.0, t_end), [HEIGHT], [0.0], **(options or {"h": 0.07}), events=events)


def floor(t, q, v, lam):
    return q[0]


def stop_at(value, count=True, direction=0):
    def event(t, q, v, lam):
        return q[0] - value

    event.terminal, event.direction = count, direction
    return event


@pytest.mark.parametrize("options", [{"h": 0.07}, {"rtol": 1e-6}])
def test_the_time_of_an_impact(options):
    sol = fall(floor, **options)
    assert sol.t_events[0] == pytest.approx([np.sqrt(2.0 * HEIGHT / WEIGHT)], abs=1e-12)
    assert sol.events[0].v[0, 0] == pytest.approx(-np.sqrt(2.0 * HEIGHT * WEIGHT), abs=1e-8)
    assert sol.status == "done"


def test_a_terminal_event_ends_the_run():
    sol = fall([lambda t, q, v, lam: v[0] + 3.0, stop_at(0.0)])
    assert (sol.status, sol.success) == ("event", True)
    assert sol.t[-1] == sol.t_events[1][0] == pytest.approx(1.0, abs=1e-12)
    assert abs(sol.q[-1, 0]) < 1e-12
    assert sol.t_events[0] == pytest.approx([0.3])


def test_directions_and_counts():
    def oscillator(event):
        system = ga.System(M=np.eye(1), f=lambda t, q, v: -q, f_q=-np.eye(1), f_v=0)
        return ga.solve(system, (0.0, 20.0), [1.0], [0.0], h=1e-2, events=event)

    both = oscillator(stop_at(0.0, count=0)).t_events[0]
    np.testing.assert_allclose(both, np.pi * (np.arange(6) + 0.5), atol=2e-4)
    rising = oscillator(stop_at(0.0, count=0, direction=1)).t_events[0]
    np.testing.assert_array_equal(rising, both[1::2])
    falling = oscillator(stop_at(0.0, count=2, direction=-1))
    np.testing.assert_array_equal(falling.t_events[0], both[0::2][:2])
    assert falling.t[-1] == both[2]


def test_what_comes_behind_a_terminal_event_does_not_matter():
    """The force is not defined below the floor; steps beyond it were tried, and failed."""

    def force(t, q, v):
        if q[0] < -1.0:
            raise ValueError("below the floor")
        return np.array([-WEIGHT])

    assert fall(stop_at(0.0), f=force).t[-1] == pytest.approx(1.0)
    with pytest.raises(ValueError, match="below the floor"):
        fall(floor, f=force)


def test_events_at_a_jump():
    """A velocity that jumps through zero: at the time of the impact."""
    ball = ga.System(M=np.eye(1), f=lambda t, q, v: np.array([-WEIGHT]), gap=lambda t, q: q, e=0.5)
    sol = ga.solve(ball, (0.0, 1.5), [HEIGHT], [0.0], h=1e-2, events=lambda t, q, v, lam: v[0] + 1e-3)
    up = sol.t_events[0][1]
    assert up == sol.impacts.time[0]


def test_events_and_thin_rows():
    one, two = fall(floor, h=1e-2), fall(floor, h=1e-2, save_every=7)
    np.testing.assert_array_equal(one.t_events[0], two.t_events[0])
    np.testing.assert_array_equal(two.t[:-1], one.t[::7][: len(two) - 1])


@pytest.mark.parametrize(
    ("event", "words"),
    [(3.0, None), ([3.0], r"events\[0\] must be a function"), (stop_at(0.0, count=-1), "terminal"),
     (stop_at(0.0, direction="up"), "direction")],
)  # fmt: skip
def test_bad_events(event, words):
    with pytest.raises((ga.InputError, TypeError), match=words):
        fall(event)


# ---------------------------------------------------------------- Ctrl-C and progress


@pytest.fixture
def interrupts():
    """SIGINT as a shell gives it; test processes may ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interrupts")
def test_an_interrupted_run_gives_what_it_has():
    def force(t, q, v):
        if 0.5 < t < 0.5101:
            os.kill(os.getpid(), signal.SIGINT)
        return np.array([-WEIGHT])

    sol = fall(None, f=force, h=1e-3)
    assert (sol.status, sol.success) == ("interrupted", False)
    assert 0.5 < sol.t[-1] < 3.0
    assert "interrupted at t =" in sol.message
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_line_of_progress():
    from io import StringIO

    from rich.console import Console

    from genalpha.run.progress import Progress

    text = StringIO()
    console = Console(file=text, width=80, force_terminal=True)
    with Progress(True, 0.0, 10.0, 0.0, console=console) as show:
        show(2.5, 2_500_000, 5_000_000, 3)
    for words in ("25%", "t 2.5/10", "steps/s", "x real", "2.0 it/step", "3 rejected"):
        assert words in text.getvalue()
    assert max(map(len, text.getvalue().splitlines())) < 400


def test_progress_calls():
    seen = []
    fall(None, h=1e-3, progress=seen.append)
    assert seen[-1] == 3.0
    assert np.all(np.diff(seen) >= 0.0)

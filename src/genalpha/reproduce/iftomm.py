"""The benchmark library of IFToMM, A01 to A05; A03 is Andrews' mechanism, among the problems of the test set.

The library prints curves and offers files for its five basic problems. What is compared here is computed: closed forms,
or the one to three coordinates that are left when constraints are eliminated by hand, by DOP853 at 1e-13.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from genalpha import problems
from genalpha.errors import RedundantConstraintsWarning
from genalpha.problems import bricard
from genalpha.reproduce.measure import solve_problem
from genalpha.reproduce.study import Study
from genalpha.reproduce.table import Row

H, H_FALL = 1e-4, 1e-3  # the second for loops over 10 s
SWING, LOOPS, FALL, RISE, GRAVITY = 10.0, 2, (1.0, 9.0), (0.25, 0.5), 9.81  # seconds but for four-bars and m/s²


def compute() -> dict[str, Any]:
    """All runs, and what they are compared with."""
    swing = solve_problem(problems.get("cartesian_pendulum", theta0=np.pi), h=H, t_span=(0.0, SWING))
    loops = problems.get("four_bar", loops=LOOPS, t_end=SWING)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RedundantConstraintsWarning)  # that is the point of it
        loop = solve_problem(problems.get("bricard"), h=H_FALL)
    balls = problems.get("governor")
    return {
        "A01": swing,
        "A02": solve_problem(loops, h=H_FALL),
        "A02-begin": solve_problem(loops, h=H, t_span=(0.0, 0.5)),
        "A04": loop,
        "A05": solve_problem(balls, h=H),
        "posts": loops.reference([0.5, SWING]).q[:, 2],
        "corners": bricard.corners(FALL),
        "slider": balls.reference(RISE),
    }


def rows(data) -> list[Row]:
    """Places against those of the references, and energy, which three of them keep."""
    kept = [
        ("A01", "simple pendulum: largest change of energy in 10 s, J", 5e-5, "A01"),
        ("A02", "two four-bars: largest change of energy in 0.5 s, J", 1e-5, "A02-begin"),
        ("A02-10", "two four-bars: largest change of energy in 10 s, J", 2e-3, "A02"),
        ("A04", "Bricard's loop: largest change of energy in 10 s, J", 1e-5, "A04"),
    ]
    return [
        *_places("A01", "simple pendulum: {} at 10 s, m", "xy", _swing(SWING), data["A01"].q[-1], 2e-6),
        *_four_bars((data["A02-begin"], data["A02"]), data["posts"]),
        *_loop(data["A04"], data["corners"]),
        *_governor(data["A05"], data["slider"]),
        *(Row.below(f"{id}-energy", f"{id[:3]}, {what}", limit, _change(data[run])) for id, what, limit, run in kept),
    ]


def _places(id, what, labels, values, ours, tolerance) -> list[Row]:
    return [
        Row.near(f"{id}-{label}", f"{id[:3]}, {what.format(label)}", value, measured, tolerance, 7)
        for label, value, measured in zip(labels, values, ours, strict=True)
    ]


def _swing(t: float) -> tuple[float, float]:
    """Of 1 m, let go from the horizontal: the angle from the vertical is 2 asin(k cd(ω t)), k = sin 45°."""
    from scipy.special import ellipj

    _, cn, dn, _ = ellipj(np.sqrt(GRAVITY) * t, 0.5)
    angle = 2.0 * np.arcsin(np.sqrt(0.5) * cn / dn)
    return -np.sin(angle), -np.cos(angle)


def _four_bars(runs, posts) -> list[Row]:
    """The end B0 of the first post before the linkage folds, and after it has turned over five times."""
    table = []
    for sol, time, angle, tolerance in zip(runs, (0.5, SWING), posts, (1e-6, 1e-4), strict=True):
        values = (np.cos(angle), np.sin(angle))
        ours = sol["post0"].point((0.5, 0.0))[-1, :2]
        table += _places(f"A02-{time:g}", f"two four-bars: {{}} of B0 at {time:g} s, m", "xy", values, ours, tolerance)
    return table


def _loop(sol, corners) -> list[Row]:
    """The corner P3, which is opposite to the fixed rod."""
    point, table = sol["rod2"].point((0.0, 0.0, 0.5)), []
    for time, corner, tolerance in zip(FALL, corners, (2e-6, 1e-5), strict=True):
        what = f"Bricard's loop: {{}} of P3 at {time:g} s, m"
        table += _places(f"A04-{time:g}", what, "xyz", corner[3], point[round(time / H_FALL)], tolerance)
    angles = np.array([sol[f"hinge{i}"].angle for i in range(2)])
    what = "A04, Bricard's loop: largest |cos θ + cos φ + cos θ cos φ|"
    return [*table, Row.below("A04-closure", what, 1e-12, np.abs(bricard.closure(angles)).max())]


def _governor(sol, exact) -> list[Row]:
    """The height of the slider, which is the curve that the benchmark shows, and the speed of the shaft."""
    table = []
    for k, time in enumerate(RISE):
        row, what = round(time / H), f"A05, flyball governor: {{}} at {time:g} s"
        height, speed = sol["slider"].position[row, 2], sol["shaft"].angular_velocity[row, 2]
        table += [
            Row.near(f"A05-{time:g}-s", what.format("height of the slider, m,"), exact.q[k, 9], height, 1e-7, 7),
            Row.near(f"A05-{time:g}-speed", what.format("speed, rad/s,"), exact.v[k, 5], speed, 1e-6, 7),
        ]
    return table


def _change(sol) -> float:
    energy = sol.energy.sum(axis=1)
    return float(np.abs(energy - energy[0]).max())


STUDY = Study(
    name="iftomm",
    title=f"IFToMM benchmarks A01, A02, A04, A05 (PVA, ρ∞ = 0.9, h = {H:g} s, 10 s of A02 and A04 {H_FALL:g} s); "
    "A03 is Andrews' mechanism",
    problems=("cartesian_pendulum", "four_bar", "bricard", "governor"),
    compute=compute,
    rows=rows,
)

"""Impacts under error control: balls that are thrown up, whose impact times are known, and none of which is missed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from genalpha import problems
from genalpha.reproduce.study import Study
from genalpha.reproduce.table import Row
from genalpha.run.solve import solve

HEIGHT, E, GRAVITY, T = 1.0, 0.85, 9.81, 3.0
FASTEST = 4.0  # m/s
BALLS = 4000
TOLERANCES = (1e-3, 1e-4, 1e-5)
TRAVELS = (1e-3, 1e-4, 1e-5, 1e-6)
IMPACTS = 10


def exact_times(v0: float, n: int = IMPACTS) -> NDArray[np.float64]:
    """The first impacts of a ball thrown up with v0: it arrives with v, and flight k lasts 2 e^k v/g."""
    v = np.sqrt(v0**2 + 2.0 * GRAVITY * HEIGHT)
    return (v0 + v) / GRAVITY + np.concatenate([[0.0], np.cumsum(2.0 * v / GRAVITY * E ** np.arange(1, n))])


def late(rtol: float, impact_tol: float | None = None, v0: float = 0.0) -> float:
    """The largest error of the first ten impact times, in s."""
    ball = problems.get("bouncing_ball", height=HEIGHT, e=E, gravity=GRAVITY)
    exact = exact_times(v0)
    sol = solve(ball.system(), (0.0, exact[-1] + 0.1), ball.q0, [v0], rtol=rtol, impact_tol=impact_tol)
    return float(np.abs(sol.impacts.time[:IMPACTS] - exact).max())


def swallowed(balls: int, rtol: float, seed: int = 0) -> int:
    """How many balls of random speeds close a gap of more than ten times the default impact_tol in one step."""
    ball, count = problems.get("bouncing_ball", height=HEIGHT, e=E, gravity=GRAVITY), 0
    system = ball.system()
    for v0 in np.random.default_rng(seed).uniform(0.0, FASTEST, balls):
        sol = solve(system, (0.0, T), ball.q0, [v0], rtol=rtol)
        limit, gap = rtol ** (2.0 / 3.0) * sol.q.max(), sol.gap[:, 0]
        count += int(np.any((gap[:-1] > 10.0 * limit) & (gap[1:] < 1e-6 * limit)))
    return count


def compute() -> dict[str, Any]:
    """Errors of impact times over both tolerances, and the impacts that were missed."""
    return {
        "late": {(rtol, travel): late(rtol, travel) for rtol in (1e-4, 1e-6) for travel in TRAVELS},
        "default": {rtol: late(rtol) for rtol in (1e-3, 1e-4, 1e-5, 1e-6)},
        "swallowed": {rtol: swallowed(BALLS, rtol) for rtol in TOLERANCES},
    }


def rows(data) -> list[Row]:
    """No impact is missed; impact times are as good as the tolerances."""
    table = [
        Row.count(f"swallowed-{rtol:g}", f"{BALLS} balls, rtol = {rtol:g}: balls that miss impacts", 0, count)
        for rtol, count in data["swallowed"].items()
    ]
    table += [
        Row.below(
            f"late-{rtol:g}", f"first ten impacts, rtol = {rtol:g}: largest error, s", 4.0 * rtol ** (2 / 3), error
        )
        for rtol, error in data["default"].items()
    ]
    return table


STUDY = Study(
    name="impact_times",
    title=f"{BALLS} balls thrown up with up to {FASTEST:g} m/s (e = {E}), error control: impacts missed, impact times",
    problems=("bouncing_ball",),
    compute=compute,
    rows=rows,
    by_name=True,
)

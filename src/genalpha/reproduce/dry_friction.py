"""Dry friction: blocks on lines and planes, and balls, beside closed forms and tight integrations."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from genalpha.problems import Problem
from genalpha.problems.friction import blocks, impacts, planes, rolling
from genalpha.reproduce.measure import solve_problem
from genalpha.reproduce.study import Study
from genalpha.reproduce.table import Row

H = 1e-3
LONG_AFTER = 3.0
"""Seconds; the block has stood for two of them."""

IMPACTS = ((0.0, 2.0), (0.0, 8.0), (0.6, 2.0), (0.6, 8.0))
"""e_t and the slip before; e = 0.7 and μ = 0.3 let friction change the slip by 5.355 m/s."""


def near(id: str, what: str, expected: ArrayLike, found: ArrayLike, tolerance: float, digits=7) -> list[Row]:
    """A row for each number, numbered from 1 if there are several."""
    pairs = list(zip(np.ravel(expected), np.ravel(found), strict=True))
    many = len(pairs) > 1
    return [
        Row.near(f"{id}-{i}" if many else id, f"{what}, {i}" if many else what, one, two, tolerance, digits)
        for i, (one, two) in enumerate(pairs, start=1)
    ]


def against(id: str, problem: Problem, sol, tolerance: float, digits=7, radius=1.0) -> list[Row]:
    """Rows for the coordinates and velocities at the end that are not zero; ``radius`` makes lengths of angles."""
    exact, table = problem.reference(sol.t[-1:]), []
    for symbol, values, ours in (("", exact.q[0], sol.q[-1]), ("rate of ", exact.v[0], sol.v[-1])):
        for name, value, found in zip(problem.names["q"], values, ours, strict=True):
            if value != 0.0:
                what = f"{problem.name}: {symbol}{name} at {sol.t[-1]:g} s"
                allowed = tolerance / radius if name.startswith("φ") else tolerance
                table.append(Row.near(f"{id}-{'v' if symbol else 'q'}-{name}", what, value, found, allowed, digits))
    return table


def compute_blocks() -> dict[str, Any]:
    """Runs of blocks on a slope, on a spring, on a belt, on a plane and on a turntable, h = 1 ms."""
    runs = {
        "holds": (blocks.sliding_block(0.5, 0.4, 0.0), 1.0),
        "slides": (blocks.sliding_block(0.5, 0.6, 0.0), 1.0),
        "stops": (blocks.sliding_block(), LONG_AFTER),
        "oscillator": (blocks.friction_oscillator(), 2.0),
        "belt": (blocks.stick_slip(), 6.6),
        "curved": (planes.curved_sliding(), 0.8),
        "turntable": (planes.turntable(), 1.0),
        "turning": (planes.turntable(turning=True, r=0.73), 1.0),
    }
    return {name: (problem, solve_problem(problem, h=H, t_span=(0.0, end))) for name, (problem, end) in runs.items()}


def rows_blocks(data) -> list[Row]:
    """Sticking to round-off, sliding exactly, order 2 where friction turns; a belt lets go up to a step late."""
    _, sol = data["holds"]
    table = near("block-holds-force", "block on a slope that holds, μ = 0.5, θ = 0.4: friction, N", [-3.820193938],
                 sol.friction_force[-1], 1e-9, 10)  # fmt: skip
    table.append(Row.below("block-holds-way", "the same: way in 1 s, m", 1e-9, np.abs(sol.q).max()))
    _, sol = data["slides"]
    table += near("block-slides", "block on a slope that slides, θ = 0.6: velocity after 1 s, m/s", [1.490871473],
                  sol.v[-1, :1], 1e-9, 10)  # fmt: skip
    _, sol = data["stops"]
    table += near("block-stops", "block thrown with 3 m/s: where it stops, m", [1.529051988], sol.q[-1, :1], 4e-7, 10)
    late = sol.t > 2.0
    table.append(Row.below("block-creep", "the same: way from 2 s to 3 s, m", 1e-15, np.ptp(sol.q[late, 0])))
    _, sol = data["oscillator"]
    table += near(
        "oscillator-stops", "oscillator with dry friction: where it stops, m", [-0.0019], sol.q[-1, :1], 2e-5, 4
    )
    _, sol = data["belt"]
    sticks, period = blocks.period(sol)
    late = sol.t > 1.0
    ends = sol.q[late, 0].min(), sol.q[late, 0].max()
    table += near("belt-period", "block on a belt: period, s", [0.648604819424], [period], H, 6)
    table += near("belt-sticks", "the same: time of sticking, s", [0.14715], [sticks], H, 5)
    table += near("belt-range", "the same: ends of its way, m", [-0.000305046818, 0.049355046818], ends, 0.2 * H, 5)
    for name, tolerance in (("curved", 2.0 * H**2), ("turntable", 3.0 * H**2)):
        problem, sol = data[name]
        table += against(name, problem, sol, tolerance)
    table += _rows_turning(data)
    return table


def _rows_turning(data) -> list[Row]:
    """μ g/rate² = 0.73575 m is as far out as a puck can be carried round."""
    _, sol = data["turning"]
    radius = np.hypot(sol.q[:, 0], sol.q[:, 1])
    what = "puck carried round at 0.73 m: largest change of its radius, m"
    table = [Row.below("turning-holds", what, 2e-6, np.abs(radius - 0.73).max())]
    table += near("turning-force", "the same: friction, N", [4.0 * 0.73], [np.linalg.norm(sol.lam_t[-1])], 1e-5)
    return table


def compute_balls() -> dict[str, Any]:
    """Runs of balls that slide, roll, spin, and bounce, h = 1 ms."""
    runs = {
        "backspin": (rolling.backspin(), 1.0),
        "rolls": (rolling.backspin(theta=0.5, speed=0.0, spin=0.0), 1.0),
        "billiard": (rolling.billiard(), 1.0),
        "spins": (rolling.billiard(speed=(0.0, 0.0), omega=(0.0, 0.0, 5.0), drilling=0.01), 1.5),
        "fast": (impacts.superball(0.2, 0.0, 0.0, 0.0, -5.0, 0.9), 1.1),
        "slow": (impacts.superball(0.2, 0.0, 0.0, 0.0, -1.0, 0.9), 1.1),
        "superball": (impacts.superball(gravity=0.0, fall=3.0, height=0.3), 0.2),
    }
    for e_t, slip in IMPACTS:
        runs[f"impact-{e_t:g}-{slip:g}"] = (
            impacts.superball(0.3, 0.7, e_t, slip, 0.0, height=0.3, fall=3.0, gravity=0.0), 0.2,
        )  # fmt: skip
    return {name: (problem, solve_problem(problem, h=H, t_span=(0.0, end))) for name, (problem, end) in runs.items()}


def rows_balls(data) -> list[Row]:
    """Rolling is exact; where a slide ends within a step the error is O(h²); impacts are exact without gravity."""
    table = []
    for name in ("backspin", "billiard"):
        problem, sol = data[name]
        table += against(name, problem, sol, 2e-6, radius=0.1)
    _, sol = data["rolls"]
    down = 9.81 * np.sin(0.5)
    table += near("ball-rolls", "ball on a slope, let go: velocity after 1 s, m/s", [5 / 7 * down], sol.v[-1, :1], 1e-9)
    table += near("ball-rolls-force", "the same: friction, N", [-2 / 7 * down], sol.friction_force[-1], 1e-9)
    _, sol = data["spins"]
    stop = 0.4 * 0.1**2 * 5.0 / (0.2 * 0.01 * 9.81)
    table += near(
        "ball-spins", "ball spinning on the spot: angle when it stops, rad", [2.5 * stop], sol.q[-1, 5:], 1e-5
    )
    table.append(Row.below("ball-spins-still", "the same: rate at last, rad/s", 1e-12, abs(sol.v[-1, 5])))
    for e_t, slip in IMPACTS:
        _, sol = data[f"impact-{e_t:g}-{slip:g}"]
        _, v, spin, _, drag = impacts.struck(-3.0, slip, 0.0, 0.3, 0.7, e_t)
        what = f"impact of a ball, e_t = {e_t:g}, slip {slip:g} m/s before: slip after, m/s"
        id = f"impact-{e_t:g}-{slip:g}"
        table += near(id, what, [v - spin], [sol.v[-1, 0] - 0.1 * sol.v[-1, 2]], 1e-9, 8)
        impulse = np.ravel(sol.impacts.tangential_impulse)[0]
        table += near(f"{id}-impulse", "the same: tangential impulse, N s", [drag], [impulse], 1e-9, 8)
    _, sol = data["superball"]
    table += near("superball", "superball: velocity and r ω after an impact, m/s", [3 / 7, 10 / 7],
                  sol.v[-1, [0, 2]] * [1.0, 0.1], 1e-9, 8)  # fmt: skip
    change = abs(sol.energy[-1].sum() / sol.energy[0].sum() - 1.0)
    table.append(Row.below("superball-energy", "superball: relative change of energy", 1e-12, change))
    for name, x, v in (("fast", -0.871342861304, -10 / 7), ("slow", -0.191899160892, -2 / 7)):
        _, sol = data[name]
        what = f"ball that falls with a {name} spin and stays: x at 1.1 s, m, and velocity, m/s"
        table += near(
            f"ball-stays-{name}", what, [x, v], [sol.q[-1, 0], sol.v[-1, 0]], 5e-3 if name == "fast" else 2e-3
        )
    return table


BLOCKS = Study(
    name="friction_blocks",
    title=f"Dry friction of blocks: slopes, springs, belts, planes, turntables (PVA, ρ∞ = 0.8, h = {H:g} s)",
    problems=("sliding_block", "friction_oscillator", "stick_slip", "curved_sliding", "turntable"),
    compute=compute_blocks,
    rows=rows_blocks,
    by_name=True,
)
BALLS = Study(
    name="friction_balls",
    title=f"Dry friction of balls: sliding, rolling, spinning, bouncing (PVA, ρ∞ = 0.8, h = {H:g} s)",
    problems=("backspin", "billiard", "superball"),
    compute=compute_balls,
    rows=rows_balls,
    by_name=True,
)

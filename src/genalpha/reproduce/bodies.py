"""Bodies that touch, roll and are driven: forces, impacts and motions that are known exactly."""

from __future__ import annotations

from typing import Any

import numpy as np

from genalpha import problems
from genalpha.problems import cam, rattleback, rolling_coin, rolling_slope, touching
from genalpha.reproduce.measure import solve_problem
from genalpha.reproduce.study import Study
from genalpha.reproduce.table import Row
from genalpha.run.solve import solve

H_GLANCE, H_ROCK, BALLS = 2e-5, 2e-4, 5


def compute_touching() -> dict[str, Any]:
    """A pile and a column at rest, and a glancing collision."""
    return {
        "pile": solve(touching.pile(), (0.0, 0.05), h=1e-3),
        "column": solve(touching.column(BALLS), (0.0, 0.05), h=1e-3),
        "glancing": solve(touching.glancing(), (0.0, 0.2), h=H_GLANCE),
    }


def rows_touching(data) -> list[Row]:
    """Forces at rest, velocities after the collision."""
    pile, column, glancing = data["pile"], data["column"]["column"], data["glancing"]
    forces = dict(zip(column.names, column.force[-1], strict=True))
    labels = {"floor": "floor0", "wall": "wall1", "ball": "top2"}
    table = [
        Row.near(
            f"pile-{kind}", f"pile of four balls: force of a {kind}, N", value, pile[labels[kind]].force[-1], 1e-9, 7
        )
        for kind, value in touching.PILE.items()
    ]
    for i in range(BALLS):
        name = f"column.ball{i - 1}-ball{i}" if i else "column.ball0-floor"
        what = f"column of {BALLS} balls: force under ball {i + 1}, N"
        table.append(Row.near(f"column-{i + 1}", what, (BALLS - i) * touching.WEIGHT, forces[name], 1e-9, 6))
    for body, values in zip(("moving", "resting"), touching.velocities_after(), strict=True):
        for axis, value, ours in zip("xy", values, glancing[body].velocity[-1], strict=False):
            what = f"glancing collision: {axis} velocity of the {body} ball, m/s"
            table.append(Row.near(f"glancing-{body}-{axis}", what, value, ours, 2e-4, 5))
    return table


def compute_rolling() -> dict[str, Any]:
    """A coin in a circle, a ball and a disk on a slope, a rattleback that rocks, a cam with its motor."""
    return {
        "coin": solve_problem(problems.get("rolling_coin")),
        "cam": solve_problem(problems.get("cam")),
        "rocking": solve(rattleback.model(0.0, 1e-3, twist=0.0), (0.0, 0.5), h=H_ROCK),
        **{kind: solve(rolling_slope.model(kind), (0.0, 1.0), h=1e-3) for kind in rolling_slope.SHARE},
    }


def rows_rolling(data) -> list[Row]:
    """Places, forces and frequencies."""
    coin, train, table = data["coin"], data["cam"], []
    exact = problems.get("rolling_coin").reference(coin.t[-1]).q[0]
    for axis, value, ours in zip("xyz", exact, coin["coin"].position[-1], strict=False):
        table.append(Row.near(f"coin-{axis}", f"rolling_coin: {axis} of the centre at 4 s, m", value, ours, 1e-4, 6))
    weight = rolling_coin.MASS * rolling_coin.GRAVITY
    table += [
        Row.near("coin-force", "rolling_coin: force that carries it, N", weight, coin["rim"].force[-1, 2], 1e-4, 6),
        Row.below(
            "coin-slip", "rolling_coin: largest velocity of the point that touches, m/s", 1e-12, coin.stats.max_k
        ),
    ]
    for kind in rolling_slope.SHARE:
        way = np.linalg.norm(np.diff(data[kind][kind].position[[0, -1]], axis=0))
        what = f"{kind} on a slope of 30°: acceleration, m/s²"
        table.append(Row.near(f"slope-{kind}", what, rolling_slope.acceleration(kind), 2.0 * way, 1e-10, 7))
    what, omega = "rattleback: frequency of small rocking, rad/s", rattleback.small_frequency()
    table.append(Row.near("rattleback-rocking", what, omega, _frequency(data["rocking"]), 1e-4 * omega, 5))
    torque = np.abs(train["motor"].effort - cam.torque(train.t)).max()
    push = np.abs(train["face"].force[:, 1] + cam.contact_force(train.t)).max()
    return [
        *table,
        Row.below("cam-torque", "cam: largest error of the motor's torque, N m", 1e-8, torque),
        Row.below("cam-force", "cam: largest error of the force on the follower, N", 1e-7, push),
    ]


def _frequency(sol) -> float:
    """ω from the zeros of the rate of rocking."""
    rate = sol["stone"].angular_velocity[:, 0]
    i = np.nonzero(np.diff(np.sign(rate[1:])))[0] + 1
    zeros = sol.t[i] - rate[i] * H_ROCK / (rate[i + 1] - rate[i])
    return float(np.pi / np.diff(zeros).mean())


TOUCHING = Study(
    name="touching",
    title="Spheres that touch: forces in a pile and a column at rest, a glancing collision",
    compute=compute_touching,
    rows=rows_touching,
    by_name=True,
)
ROLLING = Study(
    name="rolling",
    title="Rolling without slipping, and a cam: exact circles, accelerations, frequencies, torques",
    problems=("rolling_coin", "cam", "rattleback"),
    compute=compute_rolling,
    rows=rows_rolling,
    by_name=True,
)

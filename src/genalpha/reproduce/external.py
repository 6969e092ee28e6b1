"""Numbers of others: the test set for initial value problems, the heavy top, the benchmark library of IFToMM.

Published multipliers of Andrews' mechanism have the opposite sign: the test set writes −Gᵀλ.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from genalpha import problems
from genalpha.problems import andrews, andrews_model, car_axis, heavy_top
from genalpha.reproduce.measure import solve_problem
from genalpha.reproduce.study import Study
from genalpha.reproduce.table import Row

LAST = 10**7  # save_every: the last row alone

SPEEDS = (
    0.1139920302151208e4, -0.1424379294994111e4, 0.1103291221937134e2, 0.1929337464421385e2, 0.5735699284790808,
    -0.1929337464421385e2, 0.3231791658026955,
)  # fmt: skip
MULTIPLIERS = (
    0.1991753333731910e3, -0.2975531228015052e2, 0.2306654119098399e2, 0.3145271365475927e2, 0.2264249232082739e2,
    0.1161740700019673e2,
)  # fmt: skip
H_ANDREWS, H_MODEL, H_CAR, H_TOP, H_SWING, H_LOOPS = 1e-6, 2e-6, 2e-5, 1e-5, 1e-4, 1e-4
SWING, LOOPS, GRAVITY = 10.0, 2, 9.81  # seconds, four-bars, m/s²


def compute_test_set() -> dict[str, Any]:
    """The last states of both problems of the test set, and of Andrews' mechanism as a model."""
    model = solve_problem(problems.get("andrews_model"), h=H_MODEL, save_every=LAST)
    return {
        "andrews": solve_problem(problems.get("andrews"), h=H_ANDREWS, save_every=LAST),
        "car": solve_problem(problems.get("car_axis"), h=H_CAR, save_every=LAST),
        "model": andrews_model.angles(model.q[-1]),
    }


def rows_test_set(data) -> list[Row]:
    """All published coordinates, velocities and multipliers."""
    mechanism, car = data["andrews"], data["car"]
    names, axis = problems.get("andrews").names, problems.get("car_axis").names
    groups = [
        ("andrews-q", "andrews: {} at 0.03 s, rad", names["q"], andrews.PUBLISHED, mechanism.q[-1], 1e-6, 8),
        ("andrews-v", "andrews: rate of {} at 0.03 s, rad/s", names["q"], SPEEDS, mechanism.v[-1], 5e-4, 7),
        ("andrews-lam", "andrews: λ of {} at 0.03 s, N", names["g"], MULTIPLIERS, -mechanism.lam[-1], 1e-4, 7),
        ("andrews-model", "andrews_model: {} at 0.03 s, rad", names["q"], andrews.PUBLISHED, data["model"], 1e-5, 7),
        ("car-q", "car_axis: {} at 3 s", axis["q"], car_axis.PUBLISHED[:4], car.q[-1], 5e-7, 8),
        ("car-v", "car_axis: rate of {} at 3 s", axis["q"], car_axis.PUBLISHED[4:8], car.v[-1], 2e-5, 6),
        ("car-lam", "car_axis: λ of {} at 3 s", axis["g"], car_axis.PUBLISHED[8:], car.lam[-1], 1e-7, 6),
    ]
    table = []
    for id, what, labels, published, found, tolerance, digits in groups:
        for i, (label, value, ours) in enumerate(zip(labels, published, found, strict=True), start=1):
            table.append(Row.near(f"{id}-{i}", what.format(label), value, ours, tolerance, digits))
    return table


def compute_heavy_top() -> dict[str, Any]:
    """The position at 2 s on both groups."""
    data = {}
    for group in ("R3xSO3", "SE3"):
        sol = solve_problem(problems.get("heavy_top", group=group), h=H_TOP, t_span=(0.0, 2.0), save_every=LAST)
        data[group] = (sol["top"].position[-1], sol.stats)
    return data


def rows_heavy_top(data) -> list[Row]:
    """Three coordinates per group, and how well the ball joint holds."""
    table = []
    for group, (position, stats) in data.items():
        # on SE(3) the error constant of this motion is 66 times as large; both converge with order 2
        tolerance = 1e-6 if group == "R3xSO3" else 2e-5
        for axis, value, ours in zip("xyz", heavy_top.PUBLISHED, position, strict=True):
            what = f"heavy_top, {group}: {axis} of the centre at 2 s, m"
            table.append(Row.near(f"top-{group}-{axis}", what, value, ours, tolerance, 7))
        table.append(Row.below(f"top-{group}-gddot", f"heavy_top, {group}: largest |g̈|, m/s²", 1e-6, stats.max_gddot))
    return table


def compute_iftomm() -> dict[str, Any]:
    """The simple pendulum (A01) for 10 s, and two loops of the four-bar (A02) until just before they are flat."""
    swing = solve_problem(problems.get("cartesian_pendulum", theta0=np.pi), h=H_SWING, t_span=(0.0, SWING))
    loops = problems.get("four_bar", loops=LOOPS)
    return {"swing": swing, "loops": solve_problem(loops, h=H_LOOPS), "exact": loops.reference(loops.t_span[1])}


def rows_iftomm(data) -> list[Row]:
    """Positions against the exact ones, and energy, which both problems keep."""
    swing, loops, angle = data["swing"], data["loops"], swing_angle(SWING)
    x, y = swing.q[-1]
    end = loops["post0"].point((0.5, 0.0))[-1]
    theta = data["exact"].q[0, 2]
    change = {name: np.abs(sol.energy.sum(axis=1) - sol.energy[0].sum()).max() for name, sol in data.items()
              if name != "exact"}  # fmt: skip
    return [
        Row.near("A01-x", "A01, simple pendulum: x at 10 s, m", -np.sin(angle), x, 2e-6, 7),
        Row.near("A01-y", "A01, simple pendulum: y at 10 s, m", -np.cos(angle), y, 2e-6, 7),
        Row.below("A01-energy", "A01, simple pendulum: largest change of energy in 10 s, J", 5e-5, change["swing"]),
        Row.near("A02-x", "A02, two four-bars: x of B0 at 0.5 s, m", np.cos(theta), end[0], 1e-6, 7),
        Row.near("A02-y", "A02, two four-bars: y of B0 at 0.5 s, m", np.sin(theta), end[1], 1e-6, 7),
        Row.below("A02-energy", "A02, two four-bars: largest change of energy in 0.5 s, J", 1e-5, change["loops"]),
    ]


def swing_angle(t: float) -> float:
    """The angle of a pendulum of 1 m from the vertical, let go from the horizontal: 2 asin(k cd(ω t)), k = sin 45°."""
    from scipy.special import ellipj

    _, cn, dn, _ = ellipj(np.sqrt(GRAVITY) * t, 0.5)
    return float(2.0 * np.arcsin(np.sqrt(0.5) * cn / dn))


TEST_SET = Study(
    name="test_set",
    title=f"Test set for IVP solvers: Andrews' mechanism (h = {H_ANDREWS:g} s; as a model {H_MODEL:g} s), car axis "
    f"(h = {H_CAR:g}); PVA, ρ∞ = 0.9",
    problems=("andrews", "andrews_model", "car_axis"),
    compute=compute_test_set,
    rows=rows_test_set,
)
HEAVY_TOP = Study(
    name="heavy_top",
    title=f"Heavy top: the published position after 2 s (PVA, ρ∞ = 0.9, h = {H_TOP:g} s)",
    problems=("heavy_top",),
    compute=compute_heavy_top,
    rows=rows_heavy_top,
)
IFTOMM = Study(
    name="iftomm",
    title=f"IFToMM benchmarks A01 and A02 (PVA, ρ∞ = 0.9, h = {H_SWING:g} s); A03 is Andrews' mechanism",
    problems=("cartesian_pendulum", "four_bar"),
    compute=compute_iftomm,
    rows=rows_iftomm,
)

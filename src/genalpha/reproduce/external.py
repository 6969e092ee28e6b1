"""Numbers of others: the test set for initial value problems, and the heavy top.

Published multipliers of Andrews' mechanism have the opposite sign: the test set writes −Gᵀλ.
"""

from __future__ import annotations

from typing import Any

from genalpha import problems
from genalpha.problems import andrews, andrews_model, car_axis, heavy_top
from genalpha.reproduce.measure import solve_problem
from genalpha.reproduce.study import Study
from genalpha.reproduce.table import Row

LAST, SECOND = 10**7, 10**5  # save_every: the last row alone; every second of the top

SPEEDS = (
    0.1139920302151208e4, -0.1424379294994111e4, 0.1103291221937134e2, 0.1929337464421385e2, 0.5735699284790808,
    -0.1929337464421385e2, 0.3231791658026955,
)  # fmt: skip
MULTIPLIERS = (
    0.1991753333731910e3, -0.2975531228015052e2, 0.2306654119098399e2, 0.3145271365475927e2, 0.2264249232082739e2,
    0.1161740700019673e2,
)  # fmt: skip
H_ANDREWS, H_MODEL, H_CAR, H_TOP = 1e-6, 2e-6, 2e-5, 1e-5


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
    """The positions at 1 s and 2 s on both groups."""
    data = {}
    for group in ("R3xSO3", "SE3"):
        sol = solve_problem(problems.get("heavy_top", group=group), h=H_TOP, t_span=(0.0, 2.0), save_every=SECOND)
        data[group] = (sol["top"].position, sol.stats)
    return data


def rows_heavy_top(data) -> list[Row]:
    """The positions, and constraints that hold at acceleration level."""
    table = []
    for group, (position, stats) in data.items():
        # on SE(3) the error constant of this motion is 66 times as large; both converge with order 2
        tolerance = 1e-6 if group == "R3xSO3" else 2e-5
        for axis, value, ours in zip("xyz", heavy_top.AFTER_TWO_SECONDS, position[2], strict=True):
            what = f"heavy_top, {group}: {axis} of the centre at 2 s, m"
            table.append(Row.near(f"top-{group}-{axis}", what, value, ours, tolerance, 7))
        table.append(Row.below(f"top-{group}-gddot", f"heavy_top, {group}: largest |g̈|, m/s²", 1e-6, stats.max_gddot))
    position = data["R3xSO3"][0]
    for time, values in heavy_top.KYNEMA.items():
        for axis, value, ours in zip("xyz", values, position[round(time)], strict=True):
            what = f"heavy_top: {axis} of the centre at {time:g} s, m"
            table.append(Row.near(f"top-kynema-{time:g}-{axis}", what, value, ours, 1e-6, 7))
    return table


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
    title=f"Heavy top: the position after 1 and 2 s (PVA, ρ∞ = 0.9, h = {H_TOP:g} s)",
    problems=("heavy_top",),
    compute=compute_heavy_top,
    rows=rows_heavy_top,
)

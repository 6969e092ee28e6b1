"""The bouncing ball: infinitely many impacts in finite time."""

from __future__ import annotations

from typing import Any

import numpy as np

from genalpha import problems
from genalpha.problems.bouncing_ball import accumulation
from genalpha.reproduce.measure import solve_problem
from genalpha.reproduce.study import Study
from genalpha.reproduce.table import Row

HEIGHT, E, GRAVITY = 1.0, 0.8, 9.81
REST = 4.0637  # seconds
T = 4.5
STEPS = (4e-3, 2e-3, 1e-3, 5e-4, 2.5e-4, 1e-4, 5e-5, 2e-5)
SHOWN = 1e-3
N = (1, 5, 10)


def compute() -> dict[str, Any]:
    """Closing times and energies after impacts for smaller and smaller steps, and one run for the figure."""
    problem = problems.get("bouncing_ball", height=HEIGHT, e=E, gravity=GRAVITY)
    runs = [solve_problem(problem, h=h, t_span=(0.0, T), save_every=10**6) for h in STEPS]
    sol = solve_problem(problem, h=SHOWN, t_span=(0.0, T))
    return {
        "closed": np.array([run.contact_intervals[0][-1][0] for run in runs]),
        "energies": [0.5 * run.impacts.departure**2 / (GRAVITY * HEIGHT) for run in runs],
        "exact rest": accumulation(HEIGHT, E, GRAVITY),
        "sol": sol,
        "exact": problem.reference(sol.t),
    }


def rows(data) -> list[Row]:
    """The closing time with the smallest step, its error from step to step, and the energy after some impacts."""
    error = data["exact rest"] - data["closed"]
    table = [
        Row.near("ball-accumulation-exact", "bouncing_ball, exact: impacts accumulate at, s", REST, data["exact rest"],
                 5e-5, 5),
        Row.near("ball-accumulation", f"bouncing_ball, h = {STEPS[-1]:g} s: closed from, s", REST, data["closed"][-1],
                 5e-3, 5),
        *(
            Row.below(f"ball-error-{h:g}", f"bouncing_ball: error of this time, h = {h:g} s over {STEPS[i - 1]:g} s",
                      1.0, abs(error[i] / error[i - 1]))
            for i, h in enumerate(STEPS) if i > 0
        ),
    ]  # fmt: skip
    for n in N:
        what = f"bouncing_ball, h = {STEPS[-1]:g} s: energy after {n} impact{'s' if n > 1 else ''} over e^{2 * n}"
        ratio = data["energies"][-1][n - 1] / E ** (2 * n)
        table.append(Row.near(f"ball-energy-{n}", what, 1.0, ratio, 0.01, 5))
    return table


def draw(data):
    """Height, the error of the closing time over h, and the energy after each impact."""
    from genalpha.style import COLOR, GREY, new_figure, ramp, slope_triangle

    figure, ((height, closing, energy),) = new_figure(
        1, 3, (13.5, 4.2), "Bouncing ball, e = 0.8, let go from 1 m, ρ∞ = 0.9, PVA", width_ratios=(1.3, 1.0, 1.0)
    )
    sol, error = data["sol"], data["exact rest"] - data["closed"]
    height.plot(sol.t, data["exact"].q[:, 0], color="#c8c8c8", lw=4.5, label="exact")
    height.plot(sol.t, sol.q[:, 0], color=COLOR["PVA"], lw=1.2, label=f"h = {SHOWN:g} s")
    height.axvline(data["exact rest"], color=GREY, lw=0.9, ls="--")
    height.annotate("accumulation \nat 4.0637 s ", (data["exact rest"], 0.62), ha="right", color=GREY)
    height.set(xlabel="t  (s)", ylabel="height  (m)", xlim=(0, T), ylim=(0, None), title="motion")
    height.legend(loc="upper right", bbox_to_anchor=(0.88, 1.0))
    closing.loglog(STEPS, error, "o-", color=COLOR["PVA"], ms=5, mfc="white")
    slope_triangle(closing, 1e-4, 0.4 * error[5], 1)
    closing.set(xlabel="h  (s)", ylabel="too early by  (s)", title="when it comes to rest")
    chosen = [0, 2, 4, 7]
    for i, color in zip(chosen, ramp(len(chosen)), strict=True):
        values = data["energies"][i]
        energy.semilogy(np.arange(1, values.size + 1), values, ".-", ms=4, lw=0.9, color=color, label=f"{STEPS[i]:g} s")
    n = np.arange(0, 41)
    energy.semilogy(n, E ** (2.0 * n), color="#c8c8c8", lw=4.5, zorder=1, label="e²ⁿ")
    energy.set(xlabel="impacts n", title="energy after impact n over the first", xlim=(0, 40), ylim=(1e-8, 2))
    energy.legend(title="h", alignment="left", loc="lower left")
    return figure


STUDY = Study(
    name="bouncing_ball",
    title="Bouncing ball (e = 0.8, let go from 1 m, g = 9.81 m/s², ρ∞ = 0.9): accumulation of impacts, energy",
    problems=("bouncing_ball",),
    compute=compute,
    rows=rows,
    figures={"bouncing-ball": draw},
)

"""Brüls et al., section 6.1: the bouncing pendulum, figures 5 to 8."""

from __future__ import annotations

from typing import Any

import numpy as np

from genalpha import problems
from genalpha.method import GeneralizedAlpha
from genalpha.reproduce.contacts import (
    alternating_part,
    exact_impacts,
    label_time,
    lines,
    total_energy,
    unconverged,
)
from genalpha.reproduce.measure import solve_problem
from genalpha.reproduce.study import Study
from genalpha.reproduce.table import Row
from genalpha.solution.levels import levels

# the paper's two methods are "printed" and "PVV"
METHODS: dict[str, dict[str, Any]] = {
    "PVA": {},
    "printed": {"criterion": "printed"},
    "strategy 2": {"strategy": 2},
    "PVV": {"formulation": "PVV"},
}
LABEL = {
    "PVA": "PVA",
    "printed": "PVA as printed",
    "strategy 2": "PVA, strategy 2",
    "PVV": "PVV",
}
HITS = (0.35119, 0.94474, 1.44342, 1.85830, 2.20005)
CLOSED = {"PVA": 3.545, "printed": 3.647, "strategy 2": 3.545, "PVV": 3.545}
ACCUMULATION = 3.6302
LATER = 300  # steps after the first impact
FIRST_IMPACT, END = (0.33, 0.45), (3.4, 3.8)  # zooms, seconds


def compute() -> dict[str, Any]:
    """All methods with ρ∞ = 0.9, and the paper's two with ρ∞ = 1."""
    problem = problems.get("bouncing_pendulum")

    def run(rho_inf, name):
        return solve_problem(problem, GeneralizedAlpha(rho_inf=rho_inf, **METHODS[name]))

    runs = {name: run(0.9, name) for name in METHODS}
    return {
        "runs": runs,
        "undamped": {name: run(1.0, name) for name in METHODS},
        "gddot": {name: levels(runs[name]).gddot[:, 0] for name in ("printed", "PVV")},
        "gain": {name: np.diff(total_energy(sol)).max() for name, sol in runs.items()},
        "accumulation": exact_impacts(problem)[-1],
    }


def rows(data) -> list[Row]:
    """Impacts, closing times, constraints, forces at rest, energy, oscillations."""
    runs = data["runs"]
    return [
        *(
            Row.near(f"002-6.1-impact-{i}", f"bouncing_pendulum, PVA: impact {i}, s", time, found, 7e-3, 5)
            for i, (time, found) in enumerate(zip(HITS, runs["PVA"].impacts.time, strict=False), start=1)
        ),
        *(row for name in METHODS for row in _rows_of_run(data, name)),
        Row.near("002-6.1-accumulation", "bouncing_pendulum, exact: impacts accumulate at, s", ACCUMULATION,
                 data["accumulation"], 5e-5, 5),
        Row.below("002-6.1-gain", "bouncing_pendulum, PVA: largest gain of energy in a step, J", 1e-4,
                  data["gain"]["PVA"]),
        Row.near("002-6.1-gain-printed", "bouncing_pendulum, PVA as printed: gain of energy in a step, J", 1.4e-2,
                 data["gain"]["printed"], 1e-3),
        *_rows_undamped(data),
    ]  # fmt: skip


def _rows_of_run(data, name):
    """Impacts, when the contact closes for good, how well constraints are kept, and the reaction at rest."""
    sol, who, id = data["runs"][name], f"bouncing_pendulum, {LABEL[name]}", f"002-6.1-{name}".replace(" ", "-")
    h = sol.t[1] - sol.t[0]
    reaction = sol.lam[-1, 0] + sol.Lam[-1, 0] / h
    if name != "PVA":
        off = np.abs(sol.impacts.time[: len(HITS)] - HITS).max()
        yield Row.below(f"{id}-impacts", f"{who}: first five impacts off by, s", 7e-3, off)
    yield Row.near(f"{id}-closed", f"{who}: closed from, s", CLOSED[name], sol.contact_intervals[0][-1][0], 5e-3, 4)
    yield Row.below(f"{id}-penetration", f"{who}: deepest penetration, m", 1e-11, sol.stats.penetration)
    yield Row.below(f"{id}-g", f"{who}: largest |g|, m", 1e-10, sol.stats.max_g)
    yield Row.below(f"{id}-gdot", f"{who}: largest |ġ|, m/s", 1e-10, sol.stats.max_gdot)
    if name != "PVV":
        yield Row.below(f"{id}-gddot", f"{who}: largest |g̈|, m/s²", 1e-7, sol.stats.max_gddot)
    yield Row.count(f"{id}-unconverged", f"{who}: unconverged steps", 0, unconverged(sol))
    yield Row.near(f"{id}-reaction", f"{who}: λ₁ + Λ₁/h at rest, N", -10.0, reaction, 1e-4, 6)


def _rows_undamped(data):
    """The part of λ1 that changes its sign from step to step, some time after the first impact."""
    for name, sol in data["undamped"].items():
        k = np.searchsorted(sol.t, sol.impacts.time[0] - 1e-9) + LATER
        part = alternating_part(sol.lam[:, 0], k)
        what = f"bouncing_pendulum, {LABEL[name]}, ρ∞ = 1: alternating part of λ₁, {LATER} steps after impact 1, N"
        id = f"002-6.1-alternating-{name}".replace(" ", "-")
        yield Row.above(id, what, 1.0, part) if name == "PVV" else Row.below(id, what, 1e-3, part)


def _paper(runs):
    """The paper's two methods under its names."""
    return {"PVV": runs["PVV"], "PVA": runs["printed"]}


def draw_gap(data):
    """Figure 5: the gap and its velocity."""
    from genalpha.style import new_figure

    figure, axes = new_figure(1, 2, (10.5, 3.9), _title("fig. 5"))
    runs = _paper(data["runs"])
    t = {name: sol.t for name, sol in runs.items()}
    lines(axes[0, 0], t, {name: sol.gap[:, 0] for name, sol in runs.items()}, broad=True)
    lines(axes[0, 1], t, {name: sol.v[:, 0] for name, sol in runs.items()}, broad=True)
    axes[0, 0].set(ylabel="g₃  (m)", title="gap", ylim=(0, None))
    axes[0, 1].set(ylabel="ġ₃  (m/s)", title="its velocity")
    axes[0, 0].legend()
    label_time(axes)
    return figure


def draw_levels(data):
    """Figure 6: the bilateral constraint at acceleration level and its multiplier; all, and the first impact."""
    from genalpha.style import new_figure

    figure, axes = new_figure(2, 2, (10.5, 6.2), _title("fig. 6"))
    runs = _paper(data["runs"])
    t = {name: sol.t for name, sol in runs.items()}
    for (left, right), values in zip(
        axes, (_paper(data["gddot"]), {name: sol.lam[:, 0] for name, sol in runs.items()}), strict=True
    ):
        lines(left, t, values)
        lines(right, t, values, FIRST_IMPACT, marker=".", ms=4)
    axes[0, 0].set(ylabel="g̈₁  (m/s²)", title="whole interval")
    axes[0, 1].set(title="first impact, one marker per step")
    axes[1, 0].set_ylabel("λ₁  (N)")
    axes[0, 0].legend(loc="lower right")
    label_time(axes)
    return figure


def draw_impulse(data):
    """Figure 7: the relative impulse of the bilateral constraint, whole and at the end, and the total reaction."""
    from genalpha.style import COLOR, new_figure

    figure, axes = new_figure(1, 3, (13.5, 3.9), _title("fig. 7"))
    whole, end, total = axes[0]
    runs = _paper(data["runs"])
    t = {name: sol.t for name, sol in runs.items()}
    values = {name: sol.Lam[:, 0] for name, sol in runs.items()}
    lines(whole, t, values)
    lines(end, t, values, END, marker=".", ms=2.5)
    for name in ("printed", "PVV"):
        begin = data["runs"][name].contact_intervals[0][-1][0]
        label = "PVV" if name == "PVV" else "PVA"
        end.axvline(begin, color=COLOR[label], lw=0.8, ls="--")
        end.annotate(f" {begin:.3f} s", (begin, 0.003), color=COLOR[label], fontsize=8, va="center")
    h = runs["PVA"].t[1]
    lines(total, t, {name: sol.lam[:, 0] + sol.Lam[:, 0] / h for name, sol in runs.items()}, END)
    whole.set(ylabel="Λ₁  (N s)", title="relative impulse, whole interval")
    end.set(ylabel="Λ₁  (N s)", title="end phase; dashed: closed for good", ylim=(-0.016, 0.004))
    total.set(ylabel="λ₁ + Λ₁/h  (N)", title="total reaction, end phase", ylim=(-24, 2))
    whole.legend(loc="lower right")
    label_time(axes)
    return figure


def draw_undamped(data):
    """Figure 8: the multiplier without numerical dissipation; all, and the first impact."""
    from genalpha.style import new_figure

    figure, axes = new_figure(1, 2, (10.5, 3.9), _title("fig. 8", "ρ∞ = 1"))
    runs = _paper(data["undamped"])
    t, values = ({name: column(sol) for name, sol in runs.items()} for column in (lambda s: s.t, lambda s: s.lam[:, 0]))
    lines(axes[0, 0], t, values)
    lines(axes[0, 1], t, values, FIRST_IMPACT, marker=".", ms=4)
    axes[0, 0].set(ylabel="λ₁  (N)", title="whole interval")
    axes[0, 1].set(title="first impact, one marker per step")
    axes[0, 0].legend(loc="lower right")
    label_time(axes)
    return figure


def _title(figure, rho="ρ∞ = 0.9"):
    return f"Bouncing pendulum, h = 1e-3 s, {rho}, criterion as printed (Brüls, Acary, Cardona 2018, {figure})"


STUDY = Study(
    name="bouncing_pendulum",
    title="Bouncing pendulum (Brüls, Acary, Cardona 2018, section 6.1; e = 0.8, h = 1e-3 s, ρ∞ = 0.9)",
    problems=("bouncing_pendulum",),
    compute=compute,
    rows=rows,
    figures={
        "002-figure-5": draw_gap,
        "002-figure-6": draw_levels,
        "002-figure-7": draw_impulse,
        "002-figure-8": draw_undamped,
    },
)

"""Brüls et al., section 6.3: the elastic bar, figures 14 to 16."""

from __future__ import annotations

from typing import Any

from genalpha import problems
from genalpha.method import GeneralizedAlpha
from genalpha.reproduce.contacts import label_time, lines, mean_push, total_energy
from genalpha.reproduce.measure import solve_problem
from genalpha.reproduce.study import Study
from genalpha.reproduce.table import Row

RHO_INF = 0.8
RESIDUALS = (0.1, 1e-5, 1e-3)  # N, m, m/s: with these the paper's numbers of iterations come out
METHODS: dict[str, dict[str, Any]] = {"PVA": {}, "PVV": {"formulation": "PVV"}}
# Algorithm 1 alone, as in the paper
COUNTED = {name: {**more, "newton": "decoupled", "max_iter": 60} for name, more in METHODS.items()}
SOLVES = {"PVA": 0.80, "PVV": 2.94}
CONTACT = (0.500, 1.170)  # seconds
PERIOD = 2.0 / 3.0  # seconds, of the continuous bar
WINDOW = (0.55, 1.1)  # seconds: away from the first and the last steps of the contact
ENERGY = 497.4  # J at the end
ZOOM = (0.48, 0.62)


def compute() -> dict[str, Any]:
    """Both methods with tight tolerances; with those of the paper, how many linear systems they solve."""
    problem = problems.get("bar")

    def run(**options):
        return solve_problem(problem, GeneralizedAlpha(rho_inf=RHO_INF, **options))

    runs = {name: run(**options) for name, options in METHODS.items()}
    counted = {name: run(**options, residuals=RESIDUALS).stats for name, options in COUNTED.items()}
    return {
        "runs": runs,
        "energy": {name: total_energy(sol) for name, sol in runs.items()},
        "solves": {name: stats.newton / stats.steps for name, stats in counted.items()},
        "coupled": {
            name: run(**options, newton="coupled", residuals=RESIDUALS).stats.most_newton
            for name, options in METHODS.items()
        },
        "exact": (problem.contact_intervals[0][0], problem.contact_force),
    }


def rows(data) -> list[Row]:
    """Contact, force, energy, iterations."""
    table = []
    for name, sol in data["runs"].items():
        who, id, intervals = f"bar, {name}", f"002-6.3-{name}", sol.contact_intervals[0]
        inside = (sol.t > WINDOW[0]) & (sol.t < WINDOW[1])
        force = sol.contact_force[inside, 0].mean()
        table += [
            Row.near(f"{id}-contact-begin", f"{who}: contact from, s", CONTACT[0], intervals[0][0], 4e-3, 4),
            Row.near(f"{id}-contact-end", f"{who}: contact to, s", CONTACT[1], intervals[0][1], 4e-3, 4),
            Row.near(f"{id}-period", f"{who}: contact for, s", PERIOD, intervals[0][1] - intervals[0][0], 4e-3, 4),
            Row.count(f"{id}-contacts", f"{who}: intervals of contact", 1, len(intervals)),
            Row.near(f"{id}-force", f"{who}: mean force in [{WINDOW[0]:g}, {WINDOW[1]:g}] s, N", 300.0, force, 0.2, 6),
            Row.near(f"{id}-energy", f"{who}: energy at 2.5 s, J", ENERGY, data["energy"][name][-1], 0.1, 4),
            Row.near(f"{id}-solves", f"{who}, Algorithm 1: linear solves per step", SOLVES[name],
                     data["solves"][name], 0.03),
        ]  # fmt: skip
    for name in METHODS:
        what = f"bar, {name}, coupled Newton: most iterations in a step"
        table.append(Row.below(f"002-6.3-{name}-coupled", what, 3, data["coupled"][name]))
    return table


def draw_gap(data):
    """Figure 14: the gap and its velocity."""
    from genalpha.style import new_figure

    figure, axes = new_figure(1, 2, (10.5, 3.9), _title("fig. 14"))
    runs = data["runs"]
    lines(axes[0, 0], _times(runs), {name: sol.gap[:, 0] for name, sol in runs.items()}, broad=True)
    lines(axes[0, 1], _times(runs), {name: -sol.v[:, -1] for name, sol in runs.items()}, broad=True)
    axes[0, 0].set(ylabel="gap  (m)", title="gap", ylim=(-0.3, None))
    axes[0, 1].set(ylabel="its velocity  (m/s)", title="its velocity")
    axes[0, 0].legend(loc="upper center")
    label_time(axes)
    return figure


def draw_force(data):
    """Figure 15: the force Λ*/h; all, and after the impact. Grey: the continuous bar."""
    from genalpha.style import new_figure

    figure, axes = new_figure(1, 2, (10.5, 3.9), _title("fig. 15"))
    runs, ((begin, end), force) = data["runs"], data["exact"]
    for panel, zoom in zip(axes[0], (None, ZOOM), strict=True):
        panel.plot([0, begin, begin, end, end, 2.5], [0, 0, force, force, 0, 0], color="#c8c8c8", lw=5,
                   label="continuous bar", zorder=1)  # fmt: skip
        marker = {} if zoom is None else {"marker": ".", "ms": 5}
        lines(panel, _times(runs), {name: mean_push(sol) for name, sol in runs.items()}, zoom, True, **marker)
    axes[0, 0].set(ylabel="Λ*/h  (N)", title="whole interval")
    axes[0, 1].set(title="after the impact, one marker per step")
    axes[0, 0].legend(loc="upper right")
    label_time(axes)
    return figure


def draw_energy(data):
    """Figure 16: the energy."""
    from genalpha.style import new_figure

    figure, axes = new_figure(1, 1, (6.4, 4.2), "Elastic bar (Brüls, Acary, Cardona 2018, fig. 16)")
    lines(axes[0, 0], _times(data["runs"]), data["energy"], broad=True)
    axes[0, 0].set(ylabel="energy  (J)", ylim=(495, 500.5), title="200 elements, e = 0, h = 2e-3 s, ρ∞ = 0.8")
    axes[0, 0].legend()
    label_time(axes)
    return figure


def _times(runs):
    return {name: sol.t for name, sol in runs.items()}


def _title(figure):
    return f"Elastic bar, 200 elements, h = 2e-3 s, ρ∞ = 0.8 (Brüls, Acary, Cardona 2018, {figure})"


STUDY = Study(
    name="bar",
    title="Elastic bar (Brüls, Acary, Cardona 2018, section 6.3; 200 elements, e = 0, h = 2e-3 s, ρ∞ = 0.8; "
    "iterations are counted with residuals below 0.1 N, 1e-5 m, 1e-3 m/s)",
    problems=("bar",),
    compute=compute,
    rows=rows,
    figures={"002-figure-14": draw_gap, "002-figure-15": draw_force, "002-figure-16": draw_energy},
)

"""Newton's cradle: what the law of restitution says about balls that touch, and about balls set apart."""

from __future__ import annotations

from typing import Any

import numpy as np

from genalpha import problems
from genalpha.reproduce.contacts import total_energy
from genalpha.reproduce.measure import solve_problem
from genalpha.reproduce.study import Study
from genalpha.reproduce.table import Row

APART = {"touching": 0.0, "set apart": 0.05}  # m
LEAVE = {"touching": (-1 / 3, 2 / 3, 2 / 3), "set apart": (0.0, 0.0, 1.0)}  # over the velocity of the first


def compute() -> dict[str, Any]:
    """Three balls that touch, and three that do not, with steps of 1 ms."""
    return {name: solve_problem(problems.get("cradle", apart=apart), h=1e-3) for name, apart in APART.items()}


def rows(data) -> list[Row]:
    """The velocities of the balls at the end, and energy."""
    table = []
    for name, sol in data.items():
        id = f"cradle-{name}".replace(" ", "-")
        for i, (expected, found) in enumerate(zip(LEAVE[name], sol.v[-1], strict=True), start=1):
            what = f"cradle, three balls {name}: velocity of ball {i} at last, over v0"
            table.append(Row.near(f"{id}-{i}", what, expected, found, 1e-10, 4))
        change = np.abs(np.diff(total_energy(sol))).max()
        table.append(Row.below(f"{id}-energy", f"cradle, three balls {name}: change of energy, J", 1e-12, change))
    return table


def draw(data):
    """Positions over time."""
    from genalpha.style import new_figure, ramp

    figure, axes = new_figure(1, 2, (10.5, 4.2), "Newton's cradle, three balls, e = 1", sharey=True)
    for panel, (name, sol) in zip(axes[0], data.items(), strict=True):
        for i, color in enumerate(ramp(3)):
            center = sol.q[:, i]
            panel.fill_between(sol.t, center - 0.05, center + 0.05, color=color, alpha=0.25, lw=0)
            panel.plot(sol.t, center, color=color, label=f"ball {i + 1}: {_fraction(sol.v[-1, i])} v₀ at last")
        for t in sol.impacts.time:
            panel.axvline(t, color="#999999", lw=0.7, ls=":", zorder=0)
        panel.set(title=f"{name}", xlabel="t  (s)", xlim=(0, sol.t[-1]))
        panel.legend(loc="upper left")
    axes[0, 0].set_ylabel("position, shaded: the ball  (m)")
    return figure


def _fraction(x):
    return {-1: "−1/3", 0: "0", 2: "2/3", 3: "1"}[round(3 * x)]


STUDY = Study(
    name="cradle",
    title="Newton's cradle (e = 1): touching balls are hit at once and follow Newton's law, others pass the impact on",
    problems=("cradle",),
    compute=compute,
    rows=rows,
    figures={"cradle": draw},
)

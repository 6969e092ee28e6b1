"""Dymore, section 4.1: with scaled constraints the condition number does not depend on the step size."""

from __future__ import annotations

from typing import Any

import numpy as np

from genalpha import problems
from genalpha.method import GeneralizedAlpha
from genalpha.reproduce.measure import condition_number
from genalpha.reproduce.study import Study
from genalpha.reproduce.table import Row

RHO_INF = 0.9
STEPS = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6)


def compute() -> dict[str, Any]:
    """Condition numbers of the index-3 matrix of the pendulum, with and without scaling."""
    pendulum = problems.get("pendulum")
    data = {}
    for name, scaling in (("scaled", True), ("unscaled", False)):
        method = GeneralizedAlpha(rho_inf=RHO_INF, formulation="P", scaling=scaling)
        data[name] = np.array([condition_number(pendulum, h, method) for h in STEPS])
    return data


def rows(data) -> list[Row]:
    """34 at every step size."""
    return [
        Row.near(f"004-condition-{h:.0e}", f"pendulum, P: condition number, h = {h:.0e} s", 34.0, value, 1.0, 4)
        for h, value in zip(STEPS, data["scaled"], strict=True)
    ]


def draw(data):
    """Condition number over h."""
    from genalpha.style import COLOR, GREY, new_figure

    figure, ((axes,),) = new_figure(1, 1, (5.6, 3.9), "Index-3 matrix of the pendulum (Dymore manual, sec. 4.1)")
    axes.loglog(STEPS, data["unscaled"], "o--", color=GREY, ms=4.5, label="unscaled, (20)")
    axes.loglog(STEPS, data["scaled"], "o-", color=COLOR["P"], ms=4.5, label="scaled, (24)")
    axes.set(xlabel="h  (s)", ylabel="condition number", ylim=(1, None))
    axes.legend(loc="upper right")
    return figure


STUDY = Study(
    name="conditioning",
    title="Pendulum: condition number of the scaled index-3 matrix (Dymore manual, section 4.1; ρ∞ = 0.9)",
    problems=("pendulum",),
    compute=compute,
    rows=rows,
    figures={"condition-number": draw},
)

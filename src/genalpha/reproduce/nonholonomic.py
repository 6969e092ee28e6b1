"""Jay, section 7: SOI2 with nonholonomic constraints, figures 7.1 and 7.2."""

from __future__ import annotations

from typing import Any

import numpy as np

from genalpha import problems
from genalpha.method import SOI2
from genalpha.reproduce.measure import SYMBOL, convergence_at_the_end, solve_problem
from genalpha.reproduce.study import Study
from genalpha.reproduce.table import Row

RHO_INF = 0.2
LARGEST, HALVINGS = 1 / 20, 4  # of (7.1), to h = 1/320
LARGEST_DISK, HALVINGS_DISK = 0.1, 5  # of (7.2), to h = 1/320
BETWEEN = 2  # of (7.2): from h = 0.025 to 0.0125


def compute() -> dict[str, Any]:
    """Errors of both problems at the end, the constraint of the disk, and the energy of its reference."""
    jay, disk = problems.get("jay"), problems.get("rolling_disk")
    data: dict[str, Any] = {"jay": convergence_at_the_end(jay, SOI2(rho_inf=RHO_INF), LARGEST, HALVINGS)}
    for rho_inf in (RHO_INF, 1.0):
        data[f"disk {rho_inf}"] = convergence_at_the_end(disk, SOI2(rho_inf=rho_inf), LARGEST_DISK, HALVINGS_DISK)
        data[f"k {rho_inf}"] = solve_problem(disk, SOI2(rho_inf=rho_inf), h=0.0125).stats.max_k
    t = np.linspace(*disk.t_span, 101)
    exact = disk.reference(t)
    energy = np.array([sum(disk.energy(*state)) for state in zip(t, exact.q, exact.v, strict=True)])
    return {**data, "energy": np.abs(energy - energy[0]).max()}


def rows(data) -> list[Row]:
    """Orders, the constraint, the energy of the reference."""
    table = [
        Row.above(f"003-7.1-order-{name}", f"jay: order of {SYMBOL[name]}", 1.95, data["jay"].orders(name)[-1])
        for name in ("q", "v", "a", "psi")
    ]
    for name in ("q", "v", "psi"):
        order = data["disk 1.0"].orders(name)[BETWEEN]
        what = f"rolling_disk, ρ∞ = 1: order of {SYMBOL[name]} from h = 0.025 to 0.0125"
        table.append(Row.between(f"003-7.2-order-{name}", what, 1.95, 2.05, order))
    for rho_inf in (RHO_INF, 1.0):
        what = f"rolling_disk, ρ∞ = {rho_inf:g}: largest |k|"
        table.append(Row.below(f"003-7.2-k-{rho_inf:g}", what, 1e-12, data[f"k {rho_inf}"]))
    what = "rolling_disk: change of energy of the reference, J"
    return [*table, Row.below("003-7.2-energy", what, 1e-10, data["energy"])]


def draw_jay(data):
    """Figure 7.1."""
    from genalpha.reproduce.loglog import draw_errors, ticks
    from genalpha.style import new_figure

    figure, ((axes,),) = new_figure(1, 1, (6.4, 5.0), "Test problem (7.1), constant steps (Jay 2011, fig. 7.1)")
    draw_errors(axes, data["jay"])
    ticks(axes, data["jay"].h)
    axes.set_ylabel("error at t = 1, 2-norm")
    axes.set_title(f"SOI2, ρ∞ = {RHO_INF}")
    return figure


def draw_disk(data):
    """Figure 7.2 as printed, and without dissipation."""
    from genalpha.reproduce.loglog import draw_errors, ticks
    from genalpha.style import new_figure

    figure, (panels,) = new_figure(1, 2, (10.5, 5.0), "Rolling disk (7.2), f₄ corrected (Jay 2011, fig. 7.2)",
                                   sharey=True)  # fmt: skip
    for axes, rho_inf in zip(panels, (RHO_INF, 1.0), strict=True):
        result = data[f"disk {rho_inf}"]
        draw_errors(axes, result, ("q", "v", "psi"))
        ticks(axes, result.h)
        axes.set_title(f"SOI2, ρ∞ = {rho_inf:g}" + (", as in the paper" if rho_inf == RHO_INF else ""))
    panels[0].set_ylabel("error at t = 10, 2-norm")
    return figure


STUDY = Study(
    name="nonholonomic",
    title="SOI2 with nonholonomic constraints (Jay 2011, section 7; constant steps, errors at the end, orders of "
    "(7.1) between h = 1/160 and 1/320)",
    problems=("jay", "rolling_disk"),
    compute=compute,
    rows=rows,
    figures={"003-figure-7-1": draw_jay, "003-figure-7-2": draw_disk},
)

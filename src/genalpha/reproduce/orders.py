"""Orders of convergence of q, v, λ and ψ, for every problem of the collection."""

from __future__ import annotations

from genalpha import problems
from genalpha.method import GeneralizedAlpha
from genalpha.reproduce.measure import QUANTITIES, SYMBOL, Convergence, convergence
from genalpha.reproduce.study import Study
from genalpha.reproduce.table import Row

RHO_INF = 0.9
FORMULATIONS = ("P", "PVA")
LARGEST_STEP = {
    "oscillator": 2e-2,
    "pendulum": 4e-3,
    "cartesian_pendulum": 8e-3,
    "double_pendulum": 4e-3,
    "chain16": 2e-3,
    "skate": 2e-2,
}


def compute() -> dict[tuple[str, str], Convergence]:
    """Errors by problem and formulation."""
    data = {}
    for name, h in LARGEST_STEP.items():
        problem = problems.get(name)
        for formulation in FORMULATIONS if name != "oscillator" else ("PVA",):
            method = GeneralizedAlpha(rho_inf=RHO_INF, formulation=formulation)
            data[name, formulation] = convergence(problem, method, h)
    return data


def rows(data) -> list[Row]:
    """One row per problem, formulation and quantity: order 2.00 ± 0.05."""
    table = []
    for (name, formulation), result in data.items():
        for quantity in result.errors:
            id = f"order-{name}-{formulation}-{quantity}"
            what = f"{name}, {formulation}: order of {SYMBOL[quantity]}"
            if (name, formulation, quantity) == ("skate", "P", "psi"):
                # the velocity level meets the multiplier of this motion to third order; round-off ends it soon
                table.append(Row.above(id, what + " (three here)", 1.95, result.order(quantity, 0, 3)))
            else:
                table.append(Row.near(id, what, 2.0, result.order(quantity), 0.05, 4))
    return table


def draw(data):
    """A panel per problem: relative errors over h."""
    from genalpha.style import COLOR, new_figure, slope_triangle

    marker = {"q": "o", "v": "s", "lam": "D", "psi": "^"}
    figure, axes = new_figure(
        2, 3, (11.5, 7.2), f"Convergence: errors on the second half of the interval, ρ∞ = {RHO_INF}"
    )
    for panel, name in zip(axes.flat, LARGEST_STEP, strict=True):
        for formulation in FORMULATIONS:
            if (name, formulation) not in data:
                continue
            h, errors = data[name, formulation]
            # P broad and hollow below, PVA slim and full above it: both are seen where they agree
            look = {"ms": 6.5, "lw": 2.2, "mfc": "white"} if formulation == "P" else {"ms": 3.6, "lw": 1.0}
            for quantity, error in errors.items():
                panel.loglog(1e3 * h, error, marker[quantity] + "-", color=COLOR[formulation], **look)
        smallest = min(data[name, "PVA"].errors[quantity][-2] for quantity in data[name, "PVA"].errors)
        slope_triangle(panel, 1e3 * h[-2], 0.3 * smallest)
        panel.set_title(problems.get(name).title)
        panel.set_xticks(1e3 * h, [f"{1e3 * step:g}" for step in h])
        panel.minorticks_off()
    _legend(axes[0, 0], marker)
    for panel in axes[1]:
        panel.set_xlabel("h  (ms)")
    for panel in axes[:, 0]:
        panel.set_ylabel("relative error")
    return figure


def _legend(panel, marker):
    from matplotlib.lines import Line2D

    from genalpha.style import COLOR, GREY

    handles = [Line2D([], [], color=COLOR[name], label=name, lw=2) for name in FORMULATIONS]
    handles += [
        Line2D([], [], color=GREY, marker=marker[name], ls="", ms=4.5, label=SYMBOL[name]) for name in QUANTITIES
    ]
    panel.legend(handles=handles, ncols=3, loc="upper left", columnspacing=1.0, handlelength=1.2)


STUDY = Study(
    name="orders",
    title="Orders of convergence (fit to the three smallest steps, errors on the second half of the interval)",
    problems=tuple(LARGEST_STEP),
    compute=compute,
    rows=rows,
    figures={"convergence": draw},
)

"""Jay and Negrut, section 8: SOI2 with alternating steps, figures 1 and 2, and the error of the first step."""

from __future__ import annotations

from typing import Any

import numpy as np

from genalpha import problems
from genalpha.method import SOI2
from genalpha.reproduce.measure import SYMBOL, Convergence, convergence_at_the_end, solve_problem
from genalpha.reproduce.study import Study
from genalpha.reproduce.table import Row

RHO_INF = 0.2
PATTERN = (1 / 3, 2 / 3)
LARGEST, HALVINGS = 1 / 20, 4  # to h = 1/320
FIRST_STEPS = 1 / np.array([40.0, 80.0, 160.0])

# errors at h = 1/160 with (15) and (16)
PUBLISHED = {"q": 1.734e-5, "v": 1.759e-5, "a": 4.507e-5, "lam": 4.844e-6, "psi": 1.054e-6}


def compute() -> dict[str, Any]:
    """Errors at t = 1 with and without (15), (16), and of a after one step with both starts."""
    problem = problems.get("jay_negrut")

    def run(adjust):
        return convergence_at_the_end(problem, SOI2(rho_inf=RHO_INF, adjust=adjust), LARGEST, HALVINGS, PATTERN)

    starts = {start: first_step(problem, SOI2(rho_inf=RHO_INF, start=start)) for start in ("a0", "lunk-simeon")}
    return {"adjusted": run(True), "unadjusted": run(False), "starts": starts}


def first_step(problem, method) -> Convergence:
    """Error of a after one step, at t1 + (α_m − α_f) h."""
    t0, shift = problem.t_span[0], method.coefficients_used.shift
    errors = []
    for h in FIRST_STEPS:
        sol = solve_problem(problem, method, t_span=(t0, t0 + h), h=h)
        errors.append(np.linalg.norm(sol.a[-1] - problem.reference(t0 + (1.0 + shift) * h).vdot[0]))
    return Convergence(FIRST_STEPS, {"a": np.array(errors)})


def rows(data) -> list[Row]:
    """Orders between h = 1/160 and 1/320, errors at h = 1/160, orders of the first a."""
    adjusted, unadjusted = data["adjusted"], data["unadjusted"]
    table = []
    for name, symbol in SYMBOL.items():
        order = adjusted.orders(name)[-1]
        table.append(Row.above(f"001-1-order-{name}", f"jay_negrut: order of {symbol}", 1.95, order))
    for name, value in PUBLISHED.items():
        what = f"jay_negrut, h = 1/160: error of {SYMBOL[name]}"
        table.append(Row.near(f"001-1-error-{name}", what, value, adjusted.errors[name][-2], 0.01 * value, 4))
    for name, symbol in SYMBOL.items():
        id, what = f"001-2-order-{name}", f"jay_negrut without (15), (16): order of {symbol}"
        order = unadjusted.orders(name)[-1]
        table.append(Row.above(id, what, 1.95, order) if name in "qv" else Row.between(id, what, 0.9, 1.15, order))
    a0, implicit = (data["starts"][start].orders("a") for start in ("a0", "lunk-simeon"))
    table.append(Row.near("001-start-a0", "jay_negrut, one step from a0: order of a", 1.0, a0[-1], 0.1))
    table.append(Row.above("001-start-10", "jay_negrut, one step from (10): order of a", 1.9, implicit.min()))
    return table


def draw_adjusted(data):
    """Figure 1: second order with (15) and (16)."""
    return _draw(data["adjusted"], "1", "with (15) and (16)", (2,))


def draw_unadjusted(data):
    """Figure 2: a, λ and ψ are first order without them."""
    return _draw(data["unadjusted"], "2", "without (15) and (16)", (1, 2))


def _draw(result, number, what, slopes):
    from genalpha.reproduce.loglog import draw_errors, ticks
    from genalpha.style import new_figure

    title = f"Steps h/3, 2h/3 {what} (Jay, Negrut 2007, fig. {number})"
    figure, ((axes,),) = new_figure(1, 1, (6.4, 5.0), title)
    draw_errors(axes, result, slopes=slopes)
    ticks(axes, result.h)
    axes.set_ylabel("error at t = 1, 2-norm")
    axes.set_title(f"SOI2, ρ∞ = {RHO_INF}")
    return figure


STUDY = Study(
    name="soi2",
    title="SOI2 with steps h/3, 2h/3 (Jay, Negrut 2007, section 8; ρ∞ = 0.2, errors at t = 1, orders between "
    "h = 1/160 and 1/320)",
    problems=("jay_negrut",),
    compute=compute,
    rows=rows,
    figures={"001-figure-1": draw_adjusted, "001-figure-2": draw_unadjusted},
)

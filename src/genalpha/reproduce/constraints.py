"""Brüls et al., section 5: the constraints of the pendulum at three levels, figures 2 and 3."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from genalpha import problems
from genalpha.method import GeneralizedAlpha
from genalpha.reproduce.measure import Convergence, solve_problem
from genalpha.reproduce.study import Study
from genalpha.reproduce.table import Row
from genalpha.solution.levels import Levels, levels
from genalpha.solution.solution import Solution

FORMULATIONS = ("P", "V", "PV", "PVA")
RHO_INF = 0.9
ZOOM = 0.1  # seconds
HALVINGS = 3  # from h = 2e-3 s
ANGLE = {"theta": ("q", 2, "θ"), "omega": ("v", 2, "ω"), "lam": ("lam", slice(None), "λ")}


class Run(NamedTuple):
    """A solution and its constraints."""

    sol: Solution
    levels: Levels


def compute() -> dict[str, Any]:
    """All formulations, from consistent accelerations (fig. 2) and from v̇0 = a0 = 0 (fig. 3), and their orders.

    The paper calls the first oscillations of V and PV in fig. 2 O(h²). With its own start a0 = v̇(0) they are O(h); they
    are O(h²) with a0 = v̇((α_m − α_f) h), which is ``start="shifted"``.
    """
    pendulum = problems.get("pendulum")
    data: dict[str, Any] = {"consistent": {}, "disturbed": {}, "orders": {}}
    for formulation in FORMULATIONS:
        method = GeneralizedAlpha(rho_inf=RHO_INF, formulation=formulation)
        for start, vdot0 in (("consistent", None), ("disturbed", np.zeros(3))):
            sol = solve_problem(pendulum, method, vdot0=vdot0)
            data[start][formulation] = Run(sol, levels(sol))
        data["orders"][formulation] = angle_convergence(pendulum, method)
    return data


def angle_convergence(pendulum, method) -> Convergence:
    """Largest errors of θ, ω and λ on the second half of the interval, for h = 2e-3 s and smaller steps."""
    t0, t1 = pendulum.t_span
    t = np.linspace(t0, t1, round((t1 - t0) / pendulum.h) + 1)
    late = t.size // 2
    exact = pendulum.reference(t[late:])
    h = pendulum.h / 2.0 ** np.arange(HALVINGS + 1)
    errors = {name: np.empty(h.size) for name in ANGLE}
    for i, step in enumerate(h):
        sol = solve_problem(pendulum, method, h=step, save_every=2**i)
        for name, (quantity, column, _) in ANGLE.items():
            difference = getattr(sol, quantity)[late:] - getattr(exact, quantity)
            errors[name][i] = np.abs(difference[:, column]).max()
    return Convergence(h, errors)


def rows(data) -> list[Row]:
    """The largest |g|, |ġ|, |g̈| of any step, the size of the oscillations, and orders."""
    consistent = {name: run.sol.stats for name, run in data["consistent"].items()}
    disturbed = {name: run.sol.stats for name, run in data["disturbed"].items()}
    P, V, PVA, PVA0 = consistent["P"], consistent["V"], consistent["PVA"], disturbed["PVA"]
    start = "from v̇0 = a0 = 0"
    return [
        Row.below("002-P-g", "pendulum, P: largest |g|, m", 1e-13, P.max_g),
        Row.between("002-V-g", "pendulum, V: largest |g|, m", 5e-5, 7e-5, V.max_g),
        Row.below("002-V-gdot", "pendulum, V: largest |ġ|, m/s", 1e-13, V.max_gdot),
        Row.below("002-PV-g", "pendulum, PV: largest |g|, m", 1e-12, consistent["PV"].max_g),
        Row.below("002-PV-gdot", "pendulum, PV: largest |ġ|, m/s", 1e-12, consistent["PV"].max_gdot),
        Row.below("002-PVA-g", "pendulum, PVA: largest |g|, m", 1e-12, PVA.max_g),
        Row.below("002-PVA-gdot", "pendulum, PVA: largest |ġ|, m/s", 1e-12, PVA.max_gdot),
        Row.below("002-PVA-gddot", "pendulum, PVA: largest |g̈|, m/s²", 1e-8, PVA.max_gddot),
        Row.below("002-PVA-g-disturbed", f"pendulum {start}, PVA: largest |g|, m", 1e-12, PVA0.max_g),
        Row.below("002-PVA-gdot-disturbed", f"pendulum {start}, PVA: largest |ġ|, m/s", 1e-12, PVA0.max_gdot),
        Row.below("002-PVA-gddot-disturbed", f"pendulum {start}, PVA: largest |g̈|, m/s²", 1e-8, PVA0.max_gddot),
        *(
            Row.near(f"002-{name}-gddot-disturbed", f"pendulum {start}, {name}: largest |g̈|, m/s²", 86.0,
                     disturbed[name].max_gddot, 1.0)
            for name in ("P", "V", "PV")
        ),
        *(
            Row.near(f"002-{formulation}-order-{name}", f"pendulum, {formulation}: order of {symbol}", 2.0,
                     result.order(name), 0.05, 4)
            for formulation, result in data["orders"].items()
            for name, (_, _, symbol) in ANGLE.items()
        ),
    ]  # fmt: skip


def draw_consistent(data):
    """Figure 2: g, ġ and g̈ from consistent accelerations; the whole interval and the first steps."""
    from genalpha.style import new_figure

    figure, axes = new_figure(
        3, 2, (10.5, 8.6), "Pendulum from consistent accelerations (Brüls, Acary, Cardona 2018, fig. 2)"
    )
    labels = (("g₁  (m)", "g"), ("ġ₁  (m/s)", "gdot"), ("g̈₁  (m/s²)", "gddot"))
    for (left, right), (label, level) in zip(axes, labels, strict=True):
        for name, run in data["consistent"].items():
            values = getattr(run.levels, level)[:, 0]
            _full(left, name, run.sol.t, values)
            # as in the paper, P would hide the others in the zoom of the accelerations
            if not (level == "gddot" and name == "P"):
                _zoom(right, name, run.sol.t, values)
        left.set_ylabel(label)
    axes[2, 1].annotate("P not shown", (0.98, 0.94), xycoords="axes fraction", ha="right", va="top", color="#777777")
    _finish(figure, axes)
    return figure


def draw_disturbed(data):
    """Figure 3: g̈ and λ from v̇0 = a0 = 0; the whole interval and the first steps."""
    from genalpha.style import new_figure

    figure, axes = new_figure(2, 2, (10.5, 6.2), "Pendulum from v̇₀ = a₀ = 0 (Brüls, Acary, Cardona 2018, fig. 3)")
    for name, run in data["disturbed"].items():
        # the first state is the disturbance itself, the same for all
        t = run.sol.t[1:]
        for (left, right), values in zip(axes, (run.levels.gddot[1:, 0], run.sol.lam[1:, 0]), strict=True):
            _full(left, name, t, values)
            _zoom(right, name, t, values)
    axes[0, 0].set_ylabel("g̈₁  (m/s²)")
    axes[1, 0].set_ylabel("λ₁  (N)")
    _finish(figure, axes)
    return figure


def _full(axes, name, t, values):
    from genalpha.style import COLOR

    axes.plot(t, values, color=COLOR[name], lw=2.0 if name == "PVA" else 1.0, zorder=3 if name == "PVA" else 2)


def _zoom(axes, name, t, values):
    from genalpha.style import COLOR, MARKER

    first = t <= ZOOM + 1e-9
    axes.plot(t[first], values[first], MARKER[name], color=COLOR[name], ms=3.6, mew=0.8,
              mfc=COLOR[name] if name == "PVA" else "none")  # fmt: skip


def _finish(figure, axes):
    """Titles, time axes, and one legend for all panels."""
    from matplotlib.lines import Line2D

    from genalpha.style import COLOR, MARKER

    handles = [
        Line2D(
            [],
            [],
            color=COLOR[name],
            marker=MARKER[name],
            ms=4,
            mfc=COLOR[name] if name == "PVA" else "none",
            label=name,
        )
        for name in FORMULATIONS
    ]
    axes[0, 0].set_title("whole interval")
    axes[0, 1].set_title("first steps, one marker per step")
    figure.legend(handles=handles, ncols=4, loc="upper right", columnspacing=1.4, handlelength=1.6, borderaxespad=0.2)
    for left, right in axes:
        left.ticklabel_format(axis="y", scilimits=(-2, 3), useMathText=True)
        right.ticklabel_format(axis="y", scilimits=(-2, 3), useMathText=True)
        left.set_xlim(0, 2)
        right.set_xlim(-0.002, ZOOM + 0.002)
    for panel in axes[-1]:
        panel.set_xlabel("t  (s)")


STUDY = Study(
    name="constraints",
    title="Pendulum: constraints (Brüls, Acary, Cardona 2018, section 5; ρ∞ = 0.9, h = 2e-3 s, T = 2 s)",
    problems=("pendulum",),
    compute=compute,
    rows=rows,
    figures={"002-figure-2": draw_consistent, "002-figure-3": draw_disturbed},
)

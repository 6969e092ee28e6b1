"""Orders of convergence with contacts: second between impacts and in lasting contact, first through impacts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from genalpha import problems
from genalpha.method import GeneralizedAlpha
from genalpha.problems import cartesian_pendulum as circle
from genalpha.reproduce.graphs import exact_graph, graph_distance
from genalpha.reproduce.measure import SYMBOL, Convergence, solve_problem
from genalpha.reproduce.study import Study
from genalpha.reproduce.table import Row
from genalpha.system.functions import evaluator

METHODS = {"PVA": GeneralizedAlpha(rho_inf=0.9), "PVV": GeneralizedAlpha(rho_inf=0.9, formulation="PVV")}
SMOOTH_STEPS = 4e-3 / 2.0 ** np.arange(5)
FLIGHT = (0.5, 0.9)  # seconds, between the first impact and the second
SLIDE = 0.8  # seconds, and the angles from the horizontal and its rate at the beginning
START = {"theta0": -1.3, "omega0": 2.0}
THROUGH = {"bouncing_ball": 2.5, "bouncing_pendulum": 2.4}  # seconds, four and five impacts
LARGEST_STEP, OCTAVES, PER_OCTAVE = 4e-3, 5, 8


@evaluator
def gap(t, q, p, out):
    """A ball in a circular bowl: (L² − x² − y²)/2 ≥ 0."""
    out[0] = 0.5 * (p[0] ** 2 - q[0] ** 2 - q[1] ** 2)


@evaluator
def gap_q(t, q, p, out):
    """N = −(x, y)."""
    out[0, 0] = -q[0]
    out[0, 1] = -q[1]


@evaluator
def gap_bias(t, q, v, p, out):
    """The rest of the second time derivative of the gap."""
    out[0] = -(v[0] ** 2) - v[1] ** 2


def bowl():
    """The pendulum in Cartesian coordinates with a bowl in place of its rod: the contact stays closed."""
    system = replace(
        circle.make().system(), g=None, ng=None, g_q=None, g_t=None, g_bias=None, names=None,
        gap=gap, nc=1, gap_q=gap_q, gap_t=0, gap_bias=gap_bias, e=0.0,
    )  # fmt: skip
    return replace(circle.make(**START), system=lambda: system, t_span=(0.0, SLIDE))


def compute() -> dict[str, Any]:
    """Errors in flight and in lasting contact, and graph distances through impacts, by method."""
    data: dict[str, Any] = {}
    for name, method in METHODS.items():
        data["flight", name] = in_flight(method)
        data["contact", name] = in_contact(method)
    for name, t1 in THROUGH.items():
        data["impacts", name] = through_impacts(problems.get(name), t1)
    return data


def in_flight(method) -> Convergence:
    """Largest errors of θ, ω and λ of the bouncing pendulum after its first impact.

    Against the exact motion from the computed state at the beginning of the flight: what the impact itself did wrong is
    no part of it. λ counts on the second half, as disturbances of PVV decay by rho_inf per step.
    """
    problem, (t0, t1) = problems.get("bouncing_pendulum"), FLIGHT
    errors = {name: [] for name in ("q", "v", "lam")}
    for h in SMOOTH_STEPS:
        sol = solve_problem(problem, method, h=h, t_span=(0.0, t1))
        first = round(t0 / h)
        theta, omega, lam = swing(sol.t[first:], sol.q[first, 2], sol.v[first, 2], problem.system().params)
        errors["q"].append(np.abs(sol.q[first:, 2] - theta).max())
        errors["v"].append(np.abs(sol.v[first:, 2] - omega).max())
        errors["lam"].append(np.abs(sol.lam[first:] - lam)[theta.size // 2 :].max())
    return Convergence(SMOOTH_STEPS, {name: np.array(values) for name, values in errors.items()})


def swing(t, theta0, omega0, params):
    """θ, ω and λ of the free pendulum of Brüls et al. at times t from a given state, by DOP853 at 1e-13."""
    from scipy.integrate import solve_ivp

    L, m, J, gravity, _ = params

    def acceleration(theta):
        return m * L * gravity * np.cos(theta) / (m * L**2 + J)

    theta, omega = solve_ivp(
        lambda _, y: (y[1], acceleration(y[0])), (t[0], t[-1]), (theta0, omega0), "DOP853", t, rtol=1e-13, atol=1e-13
    ).y
    c, s, alpha = L * np.cos(theta), L * np.sin(theta), acceleration(theta)
    lam = m * np.stack([-s * alpha - c * omega**2, c * alpha - s * omega**2 - gravity], axis=1)
    return theta, omega, lam


def in_contact(method) -> Convergence:
    """Largest errors of q, v and the force Λ*/h of a ball that slides in a bowl; the force is that of the step."""
    problem = bowl()
    errors = {name: [] for name in ("q", "v", "lam")}
    for h in SMOOTH_STEPS:
        sol = solve_problem(problem, method, h=h)
        exact, middle = problem.reference(sol.t), problem.reference(sol.t[1:] - 0.5 * h)
        late = sol.t.size // 2
        errors["q"].append(np.abs(sol.q - exact.q).max())
        errors["v"].append(np.abs(sol.v - exact.v).max())
        errors["lam"].append(np.abs(sol.contact_force[1:] + middle.lam)[late:].max())
    return Convergence(SMOOTH_STEPS, {name: np.array(values) for name, values in errors.items()})


def through_impacts(problem, t1) -> Convergence:
    """Graph distances of q and v from the exact motion through several impacts, for many step sizes; PVA.

    Time is over t1, values over the largest one.
    """
    graphs = {name: exact_graph(problem, name, 0, t1) for name in ("q", "v")}
    steps = LARGEST_STEP / 2.0 ** (np.arange(OCTAVES * PER_OCTAVE) / PER_OCTAVE)
    errors = {name: np.empty(steps.size) for name in graphs}
    for i, h in enumerate(steps):
        sol = solve_problem(problem, METHODS["PVA"], t_span=(0.0, t1), h=h)
        for name, graph in graphs.items():
            size = np.array([t1, np.abs(graph[:, 1]).max()])
            found = np.stack([sol.t, getattr(sol, name)[:, 0]], axis=1)
            errors[name][i] = graph_distance(found / size, graph / size)
    return Convergence(steps, errors)


def octaves(result: Convergence) -> Convergence:
    """Geometric means over octaves of step sizes.

    Where in its step an impact falls is a matter of chance, and so is a part of the error at a single step size.
    """

    def mean(x):
        return np.exp(np.log(x).reshape(-1, PER_OCTAVE).mean(axis=1))

    return Convergence(mean(result.h), {name: mean(errors) for name, errors in result.errors.items()})


def rows(data) -> list[Row]:
    """Order 2 of everything between impacts and in contact, but 1 in contact with PVV; order 1 through impacts."""
    table = []
    where = {"flight": "bouncing_pendulum between two impacts", "contact": "ball sliding in a bowl"}
    for (place, name), result in data.items():
        if place == "impacts":
            for quantity in result.errors:
                what = f"{name} through impacts: order of {quantity} in the L1 graph distance"
                order = octaves(result).order(quantity, 0)
                table.append(Row.between(f"order-impacts-{name}-{quantity}", what, 0.8, 1.2, order))
            continue
        # PVV leaves the closed contact to the first-order part of the scheme
        expected = 1.0 if (place, name) == ("contact", "PVV") else 2.0
        for quantity in result.errors:
            symbol = "contact force" if (place, quantity) == ("contact", "lam") else SYMBOL[quantity]
            id, what = f"order-{place}-{name}-{quantity}", f"{where[place]}, {name}: order of {symbol}"
            table.append(Row.near(id, what, expected, result.order(quantity), 0.05, 4))
    return table


def draw(data):
    """Errors in flight, in lasting contact, and through impacts over h."""
    from genalpha.style import new_figure

    figure, (panels,) = new_figure(1, 3, (13.0, 4.6), "Orders with contacts, ρ∞ = 0.9")
    for place, panel in zip(("flight", "contact"), panels, strict=False):
        _draw_smooth(panel, data, place)
    panels[0].set(title="Pendulum between two impacts", ylabel="largest error")
    panels[1].set(title="Ball sliding in a bowl, contact closed")
    _draw_impacts(panels[2], data)
    return figure


def _draw_smooth(panel, data, place):
    from genalpha.reproduce.loglog import MARKER
    from genalpha.style import COLOR, slope_triangle

    for name in METHODS:
        h, errors = data[place, name]
        for quantity, error in errors.items():
            symbol = "force" if (place, quantity) == ("contact", "lam") else SYMBOL[quantity]
            look = {"ms": 8.0, "lw": 2.2} if name == "PVV" else {"ms": 5.0, "lw": 1.1}
            panel.loglog(h, error, "-", marker=MARKER[quantity], color=COLOR[name], mfc="none", mew=1.2,
                         label=f"{symbol}, {name}", **look)  # fmt: skip
    lowest = data[place, "PVA"].errors["q"]
    slope_triangle(panel, h[2], 0.35 * lowest[2], 2)
    if place == "contact":
        slope_triangle(panel, h[3], 3.0 * data[place, "PVV"].errors["lam"][3], 1)
    _finish(panel)


def _draw_impacts(panel, data):
    from genalpha.reproduce.loglog import MARKER
    from genalpha.style import slope_triangle

    color = {"bouncing_ball": "#009e73", "bouncing_pendulum": "#7a3e9d"}
    for name in THROUGH:
        for quantity, error in data["impacts", name].errors.items():
            mean = octaves(data["impacts", name])
            panel.loglog(data["impacts", name].h, error, ".", color=color[name], ms=4, alpha=0.45)
            panel.loglog(mean.h, mean.errors[quantity], "-", marker=MARKER[quantity], color=color[name], mfc="white",
                         ms=6.5, label=f"{quantity}, {problems.get(name).title.lower()}")  # fmt: skip
    lowest = octaves(data["impacts", "bouncing_ball"])
    slope_triangle(panel, lowest.h[-2], 0.3 * lowest.errors["q"][-2], 1)
    panel.set(title="Through impacts, PVA: dots one h, lines octaves", ylabel="L1 graph distance, relative")
    _finish(panel)


def _finish(panel):
    panel.set_xlabel("h  (ms)")
    steps = [h for h in (1.25e-4, *SMOOTH_STEPS[::-1]) if h > panel.get_xlim()[0]]
    panel.set_xticks(steps, [f"{1e3 * h:g}" for h in steps])
    panel.minorticks_off()
    panel.legend(loc="upper left", fontsize=8, ncols=2, columnspacing=1.0, handlelength=1.8)
    low, high = panel.get_ylim()
    panel.set_ylim(low, high * (high / low) ** 0.3)  # room for the legend


STUDY = Study(
    name="impact_orders",
    title="Orders with contacts: in smooth phases, and through impacts in the L1 graph distance (ρ∞ = 0.9; fits)",
    problems=("bouncing_ball", "bouncing_pendulum"),
    compute=compute,
    rows=rows,
    figures={"impact-orders": draw},
)

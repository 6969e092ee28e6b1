"""Orders with dry friction: second where it slides and where it sticks, of q, v and both contact forces."""

from __future__ import annotations

import numpy as np

from genalpha.problems import Problem
from genalpha.problems.friction import blocks, planes, rods
from genalpha.reproduce.measure import Convergence, solve_problem
from genalpha.reproduce.study import Study
from genalpha.reproduce.table import Row

QUANTITIES = {"q": "q", "v": "v", "lam_n": "λn", "lam_t": "λt"}
HALVINGS = 4
EXACT = 1e-11
"""Relative errors below this are round-off, and have no order."""


def cases() -> dict[str, tuple[Problem, float, float]]:
    """Problems with the end of the smooth motion and the largest step."""
    return {
        "sliding in a plane": (rods.ladder(), 0.5, 1e-2),
        "curved sliding in space": (planes.curved_sliding(), 0.8, 1e-2),
        "sliding on a turntable": (planes.turntable(), 1.0, 1e-2),
        "carried round by a turntable": (planes.turntable(turning=True, r=0.7), 1.0, 1e-2),
        "rod about an end that sticks": (rods.painleve(1.2, 1.0, (0.0, 0.0, 0.0)), 0.25, 1e-2),
        "spring with friction, to the first turn": (blocks.friction_oscillator(x0=0.1), 0.3, 5e-3),
    }


def convergence(problem: Problem, end: float, h: float) -> Convergence:
    """Largest errors over the second half, at the times of the largest step, over the largest values there."""
    n = round(end / h)
    half = n // 2
    steps = end / n / 2.0 ** np.arange(HALVINGS + 1)
    exact = problem.reference(np.linspace(0.0, end, n + 1)[half:])
    errors = {name: np.empty(steps.size) for name in QUANTITIES}
    for i, step in enumerate(steps):
        sol = solve_problem(problem, h=step, t_span=(0.0, end), save_every=2**i)
        for name in QUANTITIES:
            value, found = getattr(exact, name), getattr(sol, name)[half:]
            errors[name][i] = np.abs(found.reshape(value.shape) - value).max() / np.abs(value).max()
    return Convergence(steps, errors)


def compute() -> dict[str, Convergence]:
    """Errors of all cases."""
    return {name: convergence(*case) for name, case in cases().items()}


def rows(data) -> list[Row]:
    """Order 2 of everything that is not exact."""
    table = []
    for number, (name, result) in enumerate(data.items(), start=1):
        for quantity, symbol in QUANTITIES.items():
            id, error = f"order-friction-{number}-{quantity}", result.errors[quantity]
            if error.max() < EXACT:
                table.append(Row.below(id, f"{name}: relative error of {symbol}", EXACT, error.max()))
            else:
                table.append(Row.near(id, f"{name}: order of {symbol}", 2.0, result.order(quantity), 0.1, 4))
    return table


def draw(data):
    """Errors over h."""
    from genalpha.reproduce.loglog import MARKER
    from genalpha.style import new_figure, slope_triangle

    figure, axes = new_figure(2, 3, (13.0, 7.6), "Orders with dry friction, PVA, ρ∞ = 0.8")
    for panel, (name, result) in zip(np.ravel(axes), data.items(), strict=True):
        for quantity, symbol in QUANTITIES.items():
            if result.errors[quantity].max() >= EXACT:
                marker = MARKER.get(quantity, "s")
                panel.loglog(1e3 * result.h, result.errors[quantity], "-", marker=marker, label=symbol, mfc="none")
        slope_triangle(panel, 1e3 * result.h[2], 0.3 * min(e[2] for e in result.errors.values() if e[2] > EXACT), 2)
        panel.set(title=name[0].upper() + name[1:], xlabel="h  (ms)")
        panel.legend()
    for row in axes:
        row[0].set_ylabel("relative error")
    return figure


STUDY = Study(
    name="friction_orders",
    title="Orders with dry friction: 2 of positions, velocities and both contact forces (PVA, ρ∞ = 0.8; fits)",
    problems=("ladder", "curved_sliding", "turntable", "painleve", "friction_oscillator"),
    compute=compute,
    rows=rows,
    figures={"friction-orders": draw},
    by_name=True,
)

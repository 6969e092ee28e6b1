"""Dry friction of rods, piles and toys: jamming, holding, rocking, and a woodpecker."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from genalpha.analysis.holds import holds
from genalpha.errors import EnergyWarning
from genalpha.problems.friction import guide, piles, rods, tippe, toys
from genalpha.reproduce.dry_friction import against, near
from genalpha.reproduce.measure import solve_problem
from genalpha.reproduce.study import Study
from genalpha.reproduce.table import Row

H, FINE = 1e-3, 5e-4
JUST = (1.001, 0.999)
"""Of a limit: above it holds, below it slides."""


def compute_rods() -> dict[str, Any]:
    """Runs of blocks on corners and of rods."""
    runs = {
        "slides": (rods.rocking_block(0.4, 0.2, 0.3, 0.0, 0.45), 0.5, H),
        "rocks": (rods.rocking_block(), 0.95, FINE),
        "ladder": (rods.ladder(), 0.7, H),
        "smooth": (rods.ladder(1.0, 0.0, 0.0), 0.5, H),
        "jam": (rods.painleve(), 0.3, FINE),
        "kane": (rods.painleve(0.9, 0.6, (0.5, -1.0, 0.0), 0.9), 2e-6, 1e-6),
    }
    limit = np.arctan((1.0 - 0.2 * 0.1) / (2.0 * 0.2) * np.array(JUST))
    for factor, phi in zip(JUST, limit, strict=True):
        runs[f"ladder {factor:g}"] = (rods.ladder(phi), 0.5, H)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EnergyWarning)  # Kane's rod is here for that
        return {name: (case, solve_problem(case, h=h, t_span=(0.0, end))) for name, (case, end, h) in runs.items()}


def rows_rods(data) -> list[Row]:
    """Impacts are felt at the end of their step: order 1 there, order 2 elsewhere."""
    _, sol = data["slides"]
    table = near("box-slides", "box on a slope that slides: x at 0.5 s, m", [0.202124508426], sol.q[-1, :1], 1e-9)
    table += near(
        "box-forces", "the same: forces at its corners, N", [3.754189081, 5.079196993], sol.contact_force[-1], 1e-8
    )
    _, sol = data["rocks"]
    hits = sol.impacts.time[np.concatenate([[True], np.diff(sol.impacts.time) > 0.05])]
    exact = [0.258040640057, 0.635676845909, 0.93259987416]
    table += near("rocking-impacts", "rocking block: time of impact, s", exact, hits[:3], 10 * FINE, 5)
    what = "the same: rate after the first impact over that before"
    table += near("rocking-rate", what, [0.85], [_rate(sol, hits[0])], 10 * FINE, 4)
    _, sol = data["ladder"]
    at = round(0.5 / H)
    table += near("ladder-angle", "ladder: angle at 0.5 s, rad", [0.766888538106], sol.q[at, 2:], 1e-6)
    table += near("ladder-rate", "ladder: its rate, rad/s", [-1.109042456039], sol.v[at, 2:], 4e-6)
    for name, time in (("ladder", 0.678864066762), ("smooth", 0.431257297524)):
        _, sol = data[name]
        leaves = sol.contact_intervals[1][-1][1]
        what = f"ladder, {'with' if name == 'ladder' else 'without'} friction: it leaves the wall at, s"
        table += near(f"ladder-leaves-{name}", what, [time], [leaves], 2 * H, 4)
    for factor in JUST:
        problem, sol = data[f"ladder {factor:g}"]
        moved = np.abs(sol.q[-1] - problem.q0).max()
        what = f"ladder at {factor:g} of the limit of tan φ: it has moved in 0.5 s by, m"
        id = "ladder-holds" if factor > 1.0 else "ladder-slides"
        table.append(Row.below(id, what, 1e-9, moved) if factor > 1.0 else Row.above(id, what, 1e-5, moved))
    return table + _rows_jam(data)


def _rate(sol, hit) -> float:
    """Rate after the impact that is felt at a time over the rate before, carried on to that time."""
    i = int(np.searchsorted(sol.t, hit - 1e-9))
    return float(sol.v[i, 2] / (2.0 * sol.v[i - 1, 2] - sol.v[i - 2, 2]))


def _rows_jam(data) -> list[Row]:
    _, sol = data["jam"]
    exact = [-1.593165191, 1.022959605, 1.893309716]
    table = near("painleve-jump", "Painlevé's rod: velocities after the first step", exact, sol.v[1], 20 * FINE, 5)
    table += near("painleve-angle", "the same: angle at 0.3 s, rad", [1.437882085], sol.q[-1, 2:], 2 * FINE, 6)
    _, sol = data["kane"]
    exact = [0.923966830, 0.166785062, -1.179541796]
    table += near("kane-velocities", "Kane's rod: velocities after the impact", exact, sol.v[1], 5e-5, 6)
    gain = sol.energy[1].sum() - sol.energy[0].sum()
    table += near(
        "kane-energy", "the same: energy that Newton's law with friction gains, J", [0.047652454], [gain], 5e-5, 5
    )
    return table


def compute_piles() -> dict[str, Any]:
    """Piles and a belt just above and just below their limits."""
    data: dict[str, Any] = {}
    for factor in JUST:
        between, floor = factor * piles.LIMITS["between"], factor * piles.LIMITS["floor"]
        cases = {
            "between": piles.disc_pile(2, between, 0.3),
            "floor": piles.disc_pile(2, 0.5, floor),
            "three rows": piles.disc_pile(3, factor * piles.TRIANGLES[3]),
            "belt": piles.capstan(ratio=1.0 / factor),
        }
        for name, problem in cases.items():
            sol = solve_problem(problem, h=2e-3, t_span=(0.0, 0.5))
            data[name, factor] = problem, sol, holds(problem.system(), problem.q0)
    data["light"] = holds((pile := piles.disc_pile(2, 0.3)).system(), pile.q0)
    return data


WHAT = {
    "between": "three discs, μ = {} tan 15° between them",
    "floor": "three discs, μ = {} tan 15°/3 on the floor",
    "three rows": "six discs, μ = {} of the least that can hold",
    "belt": "belt around a drum, the largest pull over {}",
}


def rows_piles(data) -> list[Row]:
    """What can hold holds, what cannot does not; forces of three discs."""
    table = []
    forces, friction = data["light"].lam_n / 9.81, np.abs(data["light"].lam_t) / 9.81
    table += near(
        "pile-forces", "three discs: force on the floor and between discs, m g", [1.5, 0.5], forces[[0, 3]], 1e-9
    )
    table += near("pile-friction", "the same: friction, m g", [0.133974596], friction[3:4], 1e-9, 9)
    ratio = piles.belt_ratio(0.3, 8, np.pi)
    for name, what in WHAT.items():
        for factor in JUST:
            problem, sol, found = data[name, factor]
            needs = piles.belt_friction(ratio / factor, 8, np.pi) / 0.3 if name == "belt" else 1.0 / factor
            moved, words, id = np.abs(sol.q[-1] - problem.q0).max(), what.format(factor), f"hold-{name}-{factor:g}"
            id = id.replace(" ", "-")
            title = f"{words}: it takes this part of the friction that there is"
            table += near(f"{id}-factor", title, [needs], [found.margin], 2e-6)
            words = f"{words}: moved in 0.5 s by, m"
            table.append(Row.below(id, words, 1e-9, moved) if factor > 1.0 else Row.above(id, words, 1e-5, moved))
    table += near(
        "belt-ratio", "belt of 8 links around half a drum, μ = 0.3: ratio of pulls", [2.601049711], [ratio], 1e-8, 10
    )
    return table


def compute_toys() -> dict[str, Any]:
    """The woodpecker for 1 s with steps of 10 µs, a slider in a wide guide with 1 µs, a tippe top with 0.1 ms."""
    bird, slider, top = toys.woodpecker(), guide.slider_with_play(), tippe.tippe_top()
    return {
        "bird": (bird, solve_problem(bird, h=1e-5, save_every=10)),
        "slider": (slider, solve_problem(slider, h=1e-6, t_span=(0.0, 0.005), save_every=100)),
        "top": (top, solve_problem(top, h=1e-4, t_span=(0.0, 1.45))),
    }


def rows_toys(data) -> list[Row]:
    """Order 1 through impacts."""
    _, sol = data["bird"]
    at = round(0.1 / 1e-4)
    table = near("woodpecker-0.1", "woodpecker: y, φM, φS at 0.1 s", [-0.00705933034, 0.02072476904, 0.00752887681],
                 sol.q[at], 5e-5, 5)  # fmt: skip
    period, drop = toys.cycle(sol)
    table += near("woodpecker-period", "woodpecker: period, s", [toys.PERIOD], [period], 5e-4 * toys.PERIOD, 6)
    table += near(
        "woodpecker-drop", "woodpecker: it comes down in each by, m", [toys.DROP], [drop], 2e-3 * toys.DROP, 5
    )
    slider, sol = data["slider"]
    table += against("slider", slider, sol, 2e-6)[:2]
    hits = sol.impacts.time
    table += near(
        "slider-impact", "slider in a wide guide: time of the first double impact, s", [0.0026925028], hits[:1], 1e-6
    )
    _, sol = data["top"]
    angle = tippe.inclination(sol.q)
    at = np.searchsorted(sol.t, [0.5 - 1e-9, 1.0 - 1e-9])
    table += near(
        "tippe-angle", "tippe top: inclination at 0.5 s and 1 s, rad", [0.518010146, 1.572591417], angle[at], 5e-5
    )
    table += near("tippe-place", "the same: x and y at 1 s, m", [-0.07497617, 0.01754425], sol.q[at[1], :2], 5e-6)
    stem = sol.t[1:][np.diff(sol.gap[:, 1] <= 1e-9)][:1]
    table += near("tippe-stem", "the same: time when the stem touches, s", [tippe.TOUCHES], stem, 2e-4)
    return table


RODS = Study(
    name="friction_rods",
    title=f"Dry friction of rods and blocks on corners (PVA, ρ∞ = 0.8, h = {H:g} s; with impacts {FINE:g} s)",
    problems=("ladder", "rocking_block", "painleve"),
    compute=compute_rods,
    rows=rows_rods,
    by_name=True,
)
PILES = Study(
    name="friction_piles",
    title="What friction can hold: just above and just below the limit (PVA, ρ∞ = 0.8, h = 2e-3 s)",
    problems=("disc_pile", "capstan"),
    compute=compute_piles,
    rows=rows_piles,
    by_name=True,
)
TOYS = Study(
    name="friction_toys",
    title="The woodpecker (h = 1e-5 s), a slider in a wide guide (1e-6 s), the tippe top (1e-4 s); PVA, ρ∞ = 0.8",
    problems=("woodpecker", "slider_with_play", "tippe_top"),
    compute=compute_toys,
    rows=rows_toys,
    by_name=True,
)

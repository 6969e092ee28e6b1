"""Two problems as pictures: the falling chain, and the path of the skate."""

from __future__ import annotations

from typing import Any

import numpy as np

from genalpha import problems
from genalpha.problems.chain16 import HALF, LENGTH
from genalpha.reproduce.measure import solve_problem
from genalpha.reproduce.study import Study
from genalpha.reproduce.table import Row

FRAMES = 21


def compute_chain() -> dict[str, Any]:
    """The chain with PVA, its joints at some times, its reference and its energy."""
    problem = problems.get("chain16")
    sol = solve_problem(problem)
    return {"sol": sol, "joints": joints(sol.q), "reference": problem.reference(sol.t), "energy": sol.energy}


def joints(q):
    """Points of the chain from the pin to its end: (nt, links + 1, 2)."""
    link = q.reshape(len(q), -1, 3)
    ends = link[..., :2] + HALF * np.stack([np.cos(link[..., 2]), np.sin(link[..., 2])], axis=-1)
    return np.concatenate([np.zeros((len(q), 1, 2)), ends], axis=1)


def rows_chain(data) -> list[Row]:
    """All three levels hold in the sparse path too."""
    stats = data["sol"].stats
    return [
        Row.below("chain16-PVA-g", "chain16, PVA: largest |g|, m", 1e-12, stats.max_g),
        Row.below("chain16-PVA-gdot", "chain16, PVA: largest |ġ|, m/s", 1e-10, stats.max_gdot),
        Row.below("chain16-PVA-gddot", "chain16, PVA: largest |g̈|, m/s²", 1e-8, stats.max_gddot),
    ]


def draw_chain(data):
    """Configurations over time, and the force on the pin against the reference."""
    from genalpha.style import COLOR, INK, new_figure, ramp

    sol, points = data["sol"], data["joints"]
    figure, ((left, right),) = new_figure(1, 2, (11.5, 4.4), "Chain of 16 links, let go from the horizontal",
                                          width_ratios=(1.5, 1.0))  # fmt: skip
    chosen = np.linspace(0, len(sol.t) - 1, FRAMES).round().astype(int)
    left.plot(points[:, -1, 0], points[:, -1, 1], color="#cccccc", lw=0.8, zorder=1)
    for index, color in zip(chosen, ramp(FRAMES), strict=True):
        left.plot(*points[index].T, "-", color=color, lw=1.6, marker="o", ms=2.2, solid_joinstyle="round")
    left.plot(0, 0, "^", color=INK, ms=8, zorder=4)
    left.set(aspect="equal", xlabel="x  (m)", ylabel="y  (m)", title=f"every {sol.t[chosen[1]]:.1f} s, light to dark")
    span = LENGTH * (points.shape[1] - 1)
    left.set(xlim=(-1.03 * span, 1.06 * span), ylim=(-1.05 * span, 0.15 * span))
    for row, symbol, style in ((0, "λ₁", "-"), (1, "λ₂", "--")):
        right.plot(sol.t, data["reference"].lam[:, row], color="#bbbbbb", lw=4.0, solid_capstyle="round")
        right.plot(sol.t, sol.lam[:, row], style, color=COLOR["PVA"], lw=1.2, label=f"{symbol}, PVA")
    right.plot([], [], color="#bbbbbb", lw=4.0, label="reference")
    right.set(xlabel="t  (s)", ylabel="force of the pin  (N)", xlim=(0, sol.t[-1]), title="multipliers of the pin")
    right.legend(loc="upper left")
    return figure


def compute_skate() -> dict[str, Any]:
    """The skate with PVA, and its exact solution."""
    problem = problems.get("skate")
    sol = solve_problem(problem)
    return {"sol": sol, "exact": problem.reference(sol.t)}


def rows_skate(data) -> list[Row]:
    """The nonholonomic constraint holds to round-off."""
    return [Row.below("skate-PVA-k", "skate, PVA: largest |k|, m/s", 1e-12, data["sol"].stats.max_k)]


def draw_skate(data):
    """The path with the edge on it, and the multiplier, both with the exact solution."""
    from genalpha.style import COLOR, INK, new_figure

    sol, exact = data["sol"], data["exact"]
    figure, (path, force) = new_figure(2, 1, (9.0, 4.8), "Skate on a slope, spinning with ω = 2 rad/s",
                                       height_ratios=(0.62, 1.0))  # fmt: skip
    path, force = path[0], force[0]
    path.plot(exact.q[:, 1], exact.q[:, 0], color="#c8c8c8", lw=5.0, solid_capstyle="round", label="exact")
    path.plot(sol.q[:, 1], sol.q[:, 0], color=COLOR["PVA"], lw=1.4, label="PVA")
    for x, y, angle in sol.q[:: len(sol.t) // 40]:
        edge = 0.08 * np.array([np.cos(angle), np.sin(angle)])
        path.plot(
            [y - edge[1], y + edge[1]], [x - edge[0], x + edge[0]], color=INK, lw=2.2, solid_capstyle="round", zorder=3
        )
    path.set(aspect="equal", xlabel="y, across the slope  (m)", ylabel="x, downhill  (m)")
    path.set_ylim(0.8, -0.2)
    force.plot(sol.t, exact.psi[:, 0], color="#c8c8c8", lw=5.0, solid_capstyle="round", label="exact")
    force.plot(sol.t, sol.psi[:, 0], color=COLOR["PVA"], lw=1.4, label="PVA")
    force.set(xlabel="t  (s)", ylabel="ψ  (N)", xlim=(0, sol.t[-1]))
    force.legend(loc="lower right")
    return figure


CHAIN = Study(
    name="chain16",
    title="Chain of 16 links: constraints (PVA, h = 1e-3 s, sparse)",
    problems=("chain16",),
    compute=compute_chain,
    rows=rows_chain,
    figures={"chain16": draw_chain},
)

SKATE = Study(
    name="skate",
    title="Skate on a slope: nonholonomic constraint (PVA, h = 5e-3 s)",
    problems=("skate",),
    compute=compute_skate,
    rows=rows_skate,
    figures={"skate": draw_skate},
)

"""Dymore, section 2: spectral radius, period elongation and algorithmic damping, figures 1 to 3."""

from __future__ import annotations

from typing import Any

import numpy as np

from genalpha.reproduce.study import Study
from genalpha.reproduce.table import Row
from genalpha.scheme import Coefficients

RHO_INF = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
H_OVER_T = 0.1
RADIUS = (0.9697081665, 0.9869730299, 0.9955697113, 0.9989833905, 0.9999044214, 1.0)
ELONGATION = {0.0: 0.1232057196, 1.0: 0.0320749106}


def compute() -> dict[str, Any]:
    """The three curves for six values of ρ∞: arrays (6, n) over h/T."""
    schemes = [Coefficients.chung_hulbert(rho) for rho in RHO_INF]
    log, linear = np.logspace(-2, 3, 501), np.linspace(1e-3, 0.4, 400)
    return {
        "log": log,
        "linear": linear,
        "radius": np.array([c.spectral_radius(log) for c in schemes]),
        "elongation": np.array([c.period_elongation(linear) for c in schemes]),
        "damping": np.array([c.algorithmic_damping(linear) for c in schemes]),
    }


def rows(data) -> list[Row]:
    """The values at h/T = 0.1."""
    at = f"ρ∞ = {{:g}}, h/T = {H_OVER_T:g}"
    table = [
        Row.near(
            f"004-radius-{rho:g}",
            f"spectral radius, {at.format(rho)}",
            value,
            Coefficients.chung_hulbert(rho).spectral_radius(H_OVER_T),
            1e-8,
            10,
        )
        for rho, value in zip(RHO_INF, RADIUS, strict=True)
    ]
    table += [
        Row.near(
            f"004-elongation-{rho:g}",
            f"period elongation, {at.format(rho)}",
            value,
            Coefficients.chung_hulbert(rho).period_elongation(H_OVER_T),
            1e-8,
            10,
        )
        for rho, value in ELONGATION.items()
    ]
    # Dymore: "for ρ∞ = 1.0 ... the scheme presents no algorithmic damping"
    undamped = np.abs(data["damping"][-1]).max()
    table.append(Row.below("004-damping-1", "largest algorithmic damping, ρ∞ = 1, h/T ≤ 0.4", 1e-12, undamped))
    return table


def draw(data):
    """Figures 1 to 3 side by side."""
    from genalpha.style import new_figure, ramp

    figure, ((radius, elongation, damping),) = new_figure(
        1, 3, (12.5, 3.9), "The generalized-α scheme (Dymore manual, figs. 1-3)"
    )
    for i, (rho, color) in enumerate(zip(RHO_INF, ramp(len(RHO_INF)), strict=True)):
        radius.semilogx(data["log"], data["radius"][i], color=color)
        radius.annotate(f"{rho:.1f}", (1e3, data["radius"][i, -1]), (4, 0), textcoords="offset points", va="center",
                        color=color, annotation_clip=False)  # fmt: skip
        elongation.plot(data["linear"], data["elongation"][i], color=color)
        damping.plot(data["linear"], data["damping"][i], color=color, label=f"{rho:.1f}")
    radius.set(title="Spectral radius ρ", xlim=(1e-2, 1e3), ylim=(0, 1.05), xlabel="h / T")
    elongation.set(title="Period elongation (T̄ − T) / T", xlabel="h / T", xlim=(0, 0.4), ylim=(0, None))
    damping.set(title="Algorithmic damping ζ̄", xlabel="h / T", xlim=(0, 0.4), ylim=(-0.005, None))
    radius.annotate("ρ∞", (1e3, 1.05), (4, 3), textcoords="offset points", annotation_clip=False)
    damping.legend(title="ρ∞", loc="upper left", alignment="left")
    return figure


STUDY = Study(
    name="spectral",
    title="Coefficients: spectral radius, period elongation, algorithmic damping (Dymore manual, section 2)",
    compute=compute,
    rows=rows,
    figures={"004-figures-1-3": draw},
)

"""Errors over step sizes as Jay and Negrut and Jay draw them: log-log, one marker per quantity, slope triangles."""

from __future__ import annotations

import numpy as np

from genalpha.reproduce.measure import SYMBOL, Convergence

# (6, 2, 0) is an asterisk
MARKER = {"q": "s", "v": "o", "a": "x", "lam": "+", "psi": (6, 2, 0)}
COLOR = {"q": "#0072b2", "v": "#009e73", "a": "#d55e00", "lam": "#cc79a7", "psi": "#b8860b"}
SIZE = {"q": 6.0, "v": 6.0, "a": 6.5, "lam": 8.0, "psi": 8.0}


def draw_errors(axes, result: Convergence, quantities=None, slopes=(2,)) -> None:
    """Lines with markers, a triangle for each slope, and a legend."""
    quantities = quantities or tuple(result.errors)
    for name in quantities:
        axes.loglog(result.h, result.errors[name], "-", marker=MARKER[name], color=COLOR[name], lw=1.1, mew=1.2,
                    ms=SIZE[name], mfc="none", label=SYMBOL[name])  # fmt: skip
    for slope in slopes:
        _triangle(axes, result, quantities, slope, below=slope == max(slopes))
    axes.set_xlabel("h")
    axes.grid(which="minor", visible=False)
    axes.legend(loc="upper left" if len(slopes) == 1 else "lower right", handlelength=2.2)


def _triangle(axes, result, quantities, slope, below):
    """A triangle below all curves in the middle, or above all of them on the left."""
    from genalpha.style import slope_triangle

    errors = np.array([result.errors[name] for name in quantities])
    if below:
        middle = len(result.h) // 2
        slope_triangle(axes, result.h[middle], 0.35 * errors[:, middle].min(), slope)
    else:
        slope_triangle(axes, result.h[-2], 1.3 * errors[:, -3].max(), slope)


def ticks(axes, h) -> None:
    """Step sizes as fractions 1/n where they are such, else as numbers."""
    fractions = np.allclose(1.0 / h, np.round(1.0 / h))
    axes.set_xticks(h, [f"1/{round(1 / step)}" if fractions else f"{step:g}" for step in h])
    axes.minorticks_off()

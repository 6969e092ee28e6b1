"""Errors over step sizes as papers 001 and 003 draw them: log-log, one marker per quantity, slope triangles."""

from __future__ import annotations

import numpy as np

from genalpha.reproduce.measure import SYMBOL, Convergence

MARKER = {"q": "s", "v": "o", "a": "x", "lam": "+", "psi": "*"}
COLOR = {"q": "#0072b2", "v": "#009e73", "a": "#d55e00", "lam": "#cc79a7", "psi": "#b8860b"}
SIZE = {"s": 6.0, "o": 6.0, "x": 6.5, "+": 8.0, "*": 8.5}


def draw_errors(axes, result: Convergence, quantities=None, slopes=(2,), text=None) -> None:
    """Lines with markers, a triangle for each slope, and a legend; ``text`` replaces the words of the legend."""
    quantities = quantities or tuple(result.errors)
    text = text or {name: SYMBOL[name] for name in quantities}
    for name in quantities:
        axes.loglog(result.h, result.errors[name], "-", marker=MARKER[name], color=COLOR[name], lw=1.1, mew=1.2,
                    ms=SIZE[MARKER[name]], mfc="none", label=text[name])  # fmt: skip
    for slope in slopes:
        _triangle(axes, result, quantities, slope, below=slope == max(slopes))
    axes.set_xlabel("h")
    axes.grid(which="minor", visible=False)
    axes.legend(loc="upper left" if len(slopes) == 1 else "lower right", handlelength=2.2)


def _triangle(axes, result, quantities, slope, below):
    """A triangle below all curves, or above all of them."""
    from genalpha.reproduce.style import slope_triangle

    errors = np.array([result.errors[name] for name in quantities])
    middle = len(result.h) // 2
    h = result.h[middle]
    slope_triangle(axes, h, 0.35 * errors[:, middle].min() if below else 1.6 * errors[:, middle].max(), slope)


def ticks(axes, h) -> None:
    """Step sizes as fractions 1/n where they are such, else as numbers."""
    fractions = np.allclose(1.0 / h, np.round(1.0 / h))
    axes.set_xticks(h, [f"1/{round(1 / step)}" if fractions else f"{step:g}" for step in h])
    axes.minorticks_off()

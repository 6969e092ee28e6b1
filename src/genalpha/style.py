"""How figures look: one colour per formulation, one style everywhere, matplotlib only when it is needed."""

from __future__ import annotations

import functools
import io
from contextlib import contextmanager

import numpy as np

from genalpha.errors import MissingExtra

COLOR = {"P": "#d55e00", "V": "#e0a100", "PV": "#009e73", "PVA": "#0072b2", "PVV": "#c1272d"}
MARKER = {"P": "o", "V": "^", "PV": "s", "PVA": "D", "PVV": "v"}
INK, GREY, PALE = "#222222", "#777777", "#dddddd"

_RC = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": GREY,
    "axes.labelcolor": INK,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#ececec",
    "grid.linewidth": 0.7,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "text.color": INK,
    "lines.linewidth": 1.4,
    "legend.frameon": False,
    "savefig.dpi": 150,
}


def require_matplotlib() -> None:
    """Say which extra to install if matplotlib is missing."""
    from importlib.util import find_spec

    if find_spec("matplotlib") is None:
        raise MissingExtra("figures need matplotlib: pip install 'genalpha[plot]'")


@contextmanager
def style():
    """The style of all figures, for drawing and for saving."""
    require_matplotlib()
    import matplotlib

    with matplotlib.rc_context(_RC):
        yield


@functools.cache
def figure_class() -> type:
    """Figures that belong to no window, and that notebooks show by themselves, whatever backend there is."""
    from matplotlib.figure import Figure

    class ShownFigure(Figure):
        def _repr_png_(self) -> bytes:
            """The picture, for notebooks."""
            stream = io.BytesIO()
            self.savefig(stream, format="png", dpi=100)
            return stream.getvalue()

    return ShownFigure


def new_figure(n_rows: int, n_cols: int, size, title: str = "", **options):
    """(figure, axes (n_rows, n_cols)) that belongs to no window."""
    figure = figure_class()(figsize=size, layout="constrained")
    if title:
        figure.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")
    return figure, figure.subplots(n_rows, n_cols, squeeze=False, **options)


def ramp(n: int):
    """n colours of an ordered quantity, light to dark."""
    from matplotlib import colormaps

    return colormaps["viridis_r"](np.linspace(0.12, 1.0, n))


def slope_triangle(axes, h, error, order: int = 2) -> None:
    """A triangle of the given slope with its corner at (h, error), in log-log axes."""
    x = np.array([h, 2.0 * h])
    y = error * (x / h) ** order
    axes.plot([x[0], x[1], x[1], x[0]], [y[0], y[0], y[1], y[0]], color=GREY, lw=0.9)
    axes.annotate(str(order), (x[1], np.sqrt(y[0] * y[1])), (4, 0), textcoords="offset points", va="center", color=GREY)

"""Figures that show themselves where they are the last line of a cell, whatever backend there is."""

from __future__ import annotations

import io

from matplotlib.figure import Figure


class ShownFigure(Figure):
    """A figure that belongs to no window, and that notebooks show by itself."""

    def _repr_png_(self) -> bytes:
        """The picture, for notebooks."""
        stream = io.BytesIO()
        self.savefig(stream, format="png", dpi=100)
        return stream.getvalue()

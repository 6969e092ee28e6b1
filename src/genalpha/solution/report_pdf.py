"""A report as a PDF of pages of A4, by matplotlib."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

from genalpha.solution.plot import drawn
from genalpha.solution.report_content import Grid, Report, Section, is_word, split
from genalpha.style import GREY, INK, PALE, style

if TYPE_CHECKING:
    from genalpha.solution.solution import Solution

WIDTH, HEIGHT = 8.27, 11.69
"""Of a page, in inches."""
LEFT, RIGHT, TOP, BOTTOM = 0.9, 0.8, 0.9, 0.8
LINE = 0.185
PANELS = 5
BLUE = "#0072b2"
EM = 0.0735
"""The mean width of a letter of a table."""


def _rule(y: float, right: float, color: str, width: float) -> Any:
    """A line from the left margin."""
    from matplotlib.lines import Line2D

    return Line2D([LEFT / WIDTH, right / WIDTH], [y / HEIGHT, y / HEIGHT], color=color, lw=width)


class Pages:
    """Words and tables from top to bottom, on as many pages as they take."""

    def __init__(self, pdf: Any, report: Report):
        self.pdf, self.report, self.count = pdf, report, 0
        self.figure: Any = None
        self.y = 0.0

    def turn(self) -> None:
        """Begin a new page."""
        from matplotlib.figure import Figure

        self.close()
        self.figure = Figure(figsize=(WIDTH, HEIGHT))
        self.y = HEIGHT - TOP

    def close(self) -> None:
        """Write the page that is open."""
        if self.figure is not None:
            self.put(self.figure)
            self.figure = None

    def put(self, figure: Any) -> None:
        """Write a figure as a page, with its number."""
        self.count += 1
        figure.text(LEFT / WIDTH, 0.45 / HEIGHT, self.report.title, fontsize=7.5, color=GREY)
        figure.text(1.0 - RIGHT / WIDTH, 0.45 / HEIGHT, str(self.count), fontsize=7.5, color=GREY, ha="right")
        self.pdf.savefig(figure)

    def need(self, height: float) -> None:
        """Turn the page if there is not so much room."""
        if self.figure is None or self.y - height < BOTTOM:
            self.turn()

    def text(self, x: float, words: str, **options: Any) -> None:
        """Words at a distance from the left, at the present line."""
        self.figure.text((LEFT + x) / WIDTH, self.y / HEIGHT, words, va="baseline", **options)

    def rule(self, color: str, width: float, x1: float | None = None) -> None:
        """A line across the page."""
        right = WIDTH - RIGHT if x1 is None else LEFT + x1
        self.figure.add_artist(_rule(self.y - 0.06, right, color, width))

    def heading(self, words: str, room: float = 1.2) -> None:
        self.need(room)
        self.y -= 0.25
        self.text(0.0, words, fontsize=12, fontweight="bold", color=INK)
        self.rule(BLUE, 1.4)
        self.y -= 0.32

    def lines(self, words: str, columns: int = 100, **options: Any) -> None:
        for line in textwrap.wrap(words, columns) or [""]:
            self.need(LINE)
            self.text(0.0, line, fontsize=8.5, **options)
            self.y -= LINE

    def printed(self, words: str) -> None:
        """Words as they are, in letters of one width."""
        for line in words.splitlines():
            indent = " " * 16
            for part in textwrap.wrap(line, 96, subsequent_indent=indent, drop_whitespace=False) or [""]:
                self.need(LINE)
                self.text(0.0, part, fontsize=7.5, family="DejaVu Sans Mono")
                self.y -= 0.15
        self.y -= 0.12

    def grid(self, grid: Grid) -> None:
        n = len(grid.headings)
        words = [is_word(grid, i) for i in range(n)]
        widths = [EM * max(len(row[i]) for row in (grid.headings, *grid.rows)) + 0.22 for i in range(n)]
        scale = min(1.0, (WIDTH - LEFT - RIGHT) / sum(widths))
        ends = [scale * sum(widths[: i + 1]) for i in range(n)]
        size = 8.0 * max(0.6, scale)

        def put(cells: tuple[str, ...], **options: Any) -> None:
            for i, cell in enumerate(cells):
                x = (ends[i] - scale * widths[i]) if words[i] else ends[i] - 0.15 * scale
                self.text(x, cell, fontsize=size, ha="left" if words[i] else "right", **options)

        def head() -> None:
            put(grid.headings, color=GREY)
            self.rule(GREY, 0.7, ends[-1])
            self.y -= LINE + 0.04

        self.need(4 * LINE)
        head()
        for row in grid.rows:
            if self.y - LINE < BOTTOM:
                self.turn()
                head()
            put(row)
            self.rule(PALE, 0.4, ends[-1])
            self.y -= LINE
        self.y -= 0.16


def write_pdf(solution: Solution, report: Report, path: Path) -> None:
    """Write it."""
    from matplotlib.backends.backend_pdf import PdfPages

    about = {"Title": report.title, "Creator": report.subtitle}
    with style(), PdfPages(path, metadata=about) as pdf:
        pages = Pages(pdf, report)
        pages.turn()
        pages.text(0.0, report.title, fontsize=18, fontweight="bold")
        pages.y -= 0.28
        pages.lines(report.subtitle, color=GREY)
        pages.y -= 0.15
        for label, value in report.facts:
            for i, line in enumerate(textwrap.wrap(value, 85) or [""]):
                pages.need(LINE)
                pages.text(0.0, label if i == 0 else "", fontsize=8.5, color=GREY)
                pages.text(1.0, line, fontsize=8.5)
                pages.y -= LINE
        for section in report.sections:
            _section(solution, pages, section)
        pages.close()


def _section(solution: Solution, pages: Pages, section: Section) -> None:
    if section.panels:
        pages.close()
        for panels in split(section.panels, PANELS):
            pages.put(_page(solution, section.title, panels))
        return
    pages.heading(section.title)
    for sentence in section.sentences:
        pages.lines(sentence)
        pages.y -= 0.08
    if section.printed:
        pages.printed(section.printed)
    for grid in section.grids:
        pages.grid(grid)


def _page(solution: Solution, title: str, panels: list) -> Any:
    """Panels on a page of their own."""
    figure = drawn(solution, panels, (WIDTH, HEIGHT))
    room = HEIGHT - TOP - BOTTOM - 0.3
    height = min(room, 1.95 * len(panels))
    low = HEIGHT - TOP - 0.3 - height
    layout: Any = figure.get_layout_engine()  # the constrained one
    layout.set(rect=(LEFT / WIDTH - 0.05, low / HEIGHT, 1.0 - (LEFT + RIGHT) / WIDTH + 0.06, height / HEIGHT))
    figure.text(LEFT / WIDTH, (HEIGHT - TOP) / HEIGHT, title, fontsize=12, fontweight="bold", color=INK)
    figure.add_artist(_rule(HEIGHT - TOP - 0.06, WIDTH - RIGHT, BLUE, 1.4))
    return figure

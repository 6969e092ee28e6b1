"""A report as one HTML file that needs nothing else."""

from __future__ import annotations

import base64
import io
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from genalpha.solution.plot import drawn
from genalpha.solution.report_content import Grid, Report, Section, is_word, split

if TYPE_CHECKING:
    from genalpha.solution.solution import Solution

PANELS = 4
"""In one figure."""

CSS = """
:root { color-scheme: light; }
body { font: 15px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; color: #222; background: #fff;
       max-width: 54rem; margin: 2.5rem auto; padding: 0 1.5rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .2rem; }
h2 { font-size: 1.2rem; margin: 2.4rem 0 .6rem; padding-bottom: .2rem; border-bottom: 2px solid #0072b2; }
.about { color: #666; margin: 0 0 1.4rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1.2rem; margin: 0; }
dt { color: #666; } dd { margin: 0; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; margin: .8rem 0 1.2rem; font-variant-numeric: tabular-nums; font-size: .92rem; }
th { text-align: right; font-weight: 600; color: #555; border-bottom: 1px solid #999; padding: .2rem .8rem; }
td { text-align: right; padding: .16rem .8rem; border-bottom: 1px solid #eee; white-space: nowrap; }
th.word, td.word { text-align: left; }
th:first-child, td:first-child { padding-left: 0; }
pre { background: #f6f7f8; padding: .8rem 1rem; overflow-x: auto; font-size: .85rem; line-height: 1.4; }
img { width: 100%; height: auto; display: block; margin: .6rem 0; }
@media print { body { margin: 0; max-width: none; font-size: 11px; } h2 { break-after: avoid; }
  img, tr { break-inside: avoid; } pre { white-space: pre-wrap; } }
"""


def write_html(solution: Solution, report: Report, path: Path) -> None:
    """Write it."""
    facts = "".join(f"<dt>{escape(label)}</dt><dd>{escape(value)}</dd>" for label, value in report.facts)
    sections = "".join(_section(solution, one) for one in report.sections)
    title = escape(report.title)
    path.write_text(
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{CSS}</style></head><body>'
        f'<h1>{title}</h1><p class="about">{escape(report.subtitle)}</p><dl>{facts}</dl>{sections}</body></html>\n',
        encoding="utf-8",
    )


def _section(solution: Solution, section: Section) -> str:
    parts = [f"<section><h2>{escape(section.title)}</h2>"]
    parts += [f"<p>{escape(sentence)}</p>" for sentence in section.sentences]
    if section.printed:
        parts.append(f"<pre>{escape(section.printed)}</pre>")
    parts += [_grid(grid) for grid in section.grids]
    for panels in split(section.panels, PANELS):
        parts.append(_image(solution, panels))
    return "".join([*parts, "</section>"])


def _grid(grid: Grid) -> str:
    kinds = [' class="word"' if is_word(grid, i) else "" for i in range(len(grid.headings))]
    head = "".join(f"<th{kind}>{escape(cell)}</th>" for kind, cell in zip(kinds, grid.headings, strict=True))
    rows = (
        "<tr>" + "".join(f"<td{kind}>{escape(cell)}</td>" for kind, cell in zip(kinds, row, strict=True)) + "</tr>"
        for row in grid.rows
    )
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'


def _image(solution: Solution, panels: list) -> str:
    figure = drawn(solution, panels, (8.0, 0.3 + 2.1 * len(panels)))
    titles = "; ".join(axis.get_title(loc="left") for axis in figure.axes)
    stream = io.BytesIO()
    figure.savefig(stream, format="svg", metadata={"Date": None})
    data = base64.b64encode(stream.getvalue()).decode("ascii")
    return f'<img alt="{escape(titles, quote=True)}" src="data:image/svg+xml;base64,{data}">'

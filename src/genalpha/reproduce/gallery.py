"""The gallery: every problem as a moving picture, with its figures and the measured values, in one page."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable
from importlib import resources
from pathlib import Path
from typing import NamedTuple

from genalpha import problems
from genalpha.method import GeneralizedAlpha
from genalpha.problems import Problem
from genalpha.reproduce.measure import solve_problem
from genalpha.reproduce.study import Result
from genalpha.reproduce.table import Row
from genalpha.view import save_html

FOLDER = "motion"

PAIR = ("PVV", "PVA")
COMPARED = {"bouncing_pendulum": ("gap", "λ pin.x", "constraints")}
"""Problems that are shown with both methods too, and what is plotted then."""

SAVE_EVERY = {"flexible_pendulum": 20}


class Entry(NamedTuple):
    """One item of the gallery: a page with a motion, what it is, and what belongs to it."""

    name: str
    title: str
    text: str
    source: str
    page: Path
    figures: list[str]
    sections: list[tuple[str, list[Row]]]


def write(results: Iterable[Result], folder: Path | str, report: Callable[[str], None] | None = None) -> Path:
    """Solve every problem, write its page, and ``index.html`` that shows them all; gives the path of the latter.

    ``report`` is called with the name of each problem before it begins.
    """
    folder = Path(folder)
    (folder / FOLDER).mkdir(parents=True, exist_ok=True)
    results, entries = list(results), []
    for problem in problems.all():
        if report is not None:
            report(problem.name)
        entries.append(_entry(problem, results, folder))
        if problem.name in COMPARED:
            entries.append(_comparison(problem, folder))
    path = folder / "index.html"
    path.write_text(_page(entries, results, folder), encoding="utf-8")
    return path


def _entry(problem: Problem, results: list[Result], folder: Path) -> Entry:
    sol = solve_problem(problem, save_every=SAVE_EVERY.get(problem.name, 1))
    page = save_html(folder / FOLDER / f"{problem.name}.html", sol, title=problem.title)
    own = [result for result in results if problem.name in result.study.problems]
    figures = _drawn([result for result in own if len(result.study.problems) == 1], folder)
    sections = [(result.study.title, _rows_of(problem, result)) for result in own]
    sections = [(title, rows) for title, rows in sections if rows]
    return Entry(problem.name, problem.title, problem.summary, problem.source, page, figures, sections)


def _comparison(problem: Problem, folder: Path) -> Entry:
    """PVV against PVA: the older method beside the one that holds accelerations too."""
    runs = [solve_problem(problem, GeneralizedAlpha(rho_inf=0.9, formulation=name)) for name in PAIR]
    name, title = f"{problem.name}_compared", f"{problem.title}, {' and '.join(PAIR)}"
    page = folder / FOLDER / f"{name}.html"
    save_html(page, *runs, title=title, labels=PAIR, plots=COMPARED[problem.name])
    text = "Two methods side by side: PVV oscillates in the accelerations after every impact, PVA does not."
    return Entry(name, title, text, problem.source, page, [], [])


def _drawn(results: Iterable[Result], folder: Path) -> list[str]:
    """The figures of these studies that are there: without matplotlib there are none."""
    names = [name for result in results for name in result.study.figures]
    return [name for name in names if (folder / f"{name}.png").exists()]


def _rows_of(problem: Problem, result: Result) -> list[Row]:
    """The rows of a study that are about one problem: all of them if it has no other."""
    if len(result.study.problems) == 1:
        return result.rows
    return [row for row in result.rows if row.what.startswith((f"{problem.name},", f"{problem.name}:"))]


def _page(entries: list[Entry], results: list[Result], folder: Path) -> str:
    """The page from its template: a list on the left, the chosen problem on the right."""
    rows = [row for result in results for row in result.rows]
    verdict = f"{sum(row.ok for row in rows)} of {len(rows)} measured values as required"
    general = _drawn([result for result in results if len(result.study.problems) != 1], folder)
    template = resources.files("genalpha.reproduce").joinpath("gallery.html").read_text(encoding="utf-8")
    parts = {
        "<!--menu-->": "".join(_menu(entry) for entry in entries),
        "<!--articles-->": "".join(_article(entry) for entry in entries),
        "<!--table-->": "".join(_table(result.study.title, result.rows) for result in results if result.rows),
        "<!--figures-->": "".join(map(_figure, general)),
        "<!--verdict-->": html.escape(verdict),
    }
    for mark, text in parts.items():
        template = template.replace(mark, text)
    return template


def _menu(entry: Entry) -> str:
    return f'<a href="#{entry.name}"><b>{html.escape(entry.title)}</b></a>'


def _article(entry: Entry) -> str:
    address = f"{FOLDER}/{entry.page.name}"
    return (
        f'<article data-name="{entry.name}" data-page="{address}" hidden>'
        f"<header><h2>{html.escape(entry.title)}</h2><p>{html.escape(entry.text)}</p></header>"
        f'<div class="motion"></div>'
        f'<p class="source">{html.escape(entry.source)} · <a href="{address}">open on its own page</a></p>'
        f'<div class="figures">{"".join(map(_figure, entry.figures))}</div>'
        f"{''.join(_table(title, rows) for title, rows in entry.sections)}"
        f"</article>"
    )


def _figure(name: str) -> str:
    text = html.escape(name)
    return f'<a href="{text}.png"><img src="{text}.png" alt="{text}" loading="lazy"></a>'


def _table(title: str, rows: list[Row]) -> str:
    return (
        f"<section><h3>{html.escape(title)}</h3><table><thead><tr><th></th><th>what</th><th>required</th>"
        f"<th>measured</th><th></th></tr></thead><tbody>{''.join(map(_row, rows))}</tbody></table></section>"
    )


def _row(row: Row) -> str:
    _, what, required, measured, tolerance = map(html.escape, row.cells)
    mark = '<td class="ok">✓</td>' if row.ok else '<td class="off">✗</td>'
    return (
        f"<tr>{mark}<td>{what}</td><td class='n'>{required}</td><td class='n'>{measured}</td>"
        f"<td class='n faint'>{tolerance}</td></tr>"
    )

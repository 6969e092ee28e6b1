"""Commands about the collection: ``list``, ``convergence``, ``reproduce``, ``verify``."""

from __future__ import annotations

import time
from pathlib import Path

import click

from genalpha.cli.console import compiling, duration, make_console
from genalpha.cli.run import METHOD
from genalpha.cli.target import TargetName
from genalpha.errors import MissingExtra

OUT = click.Path(file_okay=False, path_type=Path)
WIDE = 100
"""Columns of a terminal that has room for all that is known of a problem."""


@click.command("list")
def list_problems() -> None:
    """List the problems of the collection.

    A wide terminal shows more of each.
    """
    from rich.table import Table

    from genalpha import problems

    console = make_console()
    wide = console.width >= WIDE
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("name", no_wrap=True, style="bold cyan")
    table.add_column("what")
    for heading in ("n", "g", "k", "gap", *(("T (s)", "h (s)") if wide else ())):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("ref.", no_wrap=True)
    for problem in problems.all():
        counts = [str(len(problem.names.get(kind, ())) or "–") for kind in ("g", "k", "gap")]
        times = (f"{problem.t_span[1]:g}", f"{problem.h:g}") if wide else ()
        cells = (problem.title, str(problem.q0.size), *counts, *times, _kind_of_reference(problem))
        table.add_row(problem.name, *cells)
    console.print(table, highlight=False)
    console.print(
        "\n[dim]n coordinates; g holonomic and k nonholonomic constraints; gap: contacts\n"
        "ref.: reference solution, exact or tight;[/] genalpha run NAME [dim]solves one[/]"
    )


def _kind_of_reference(problem):
    if not problem.has_reference:
        return "–"
    return "exact" if problem.reference_is == "exact" else "tight"


@click.command(short_help="Show the orders of convergence of a problem.")
@click.argument("name", type=TargetName())
@click.option(
    "--method", type=METHOD, help="Levels at which constraints hold, or another scheme.  [default: the problem's]"
)
@click.option("--rho-inf", type=float, help="Spectral radius at infinity, 0 to 1.  [default: the problem's]")
@click.option("--h", "h", type=float, help="Largest step size in s.  [default: four times the problem's]")
@click.option("--levels", type=click.IntRange(2, 12), default=5, show_default=True, help="Step sizes h, h/2, h/4, ...")
@click.option("--out", type=OUT, default=Path("out"), show_default=True, help="Folder for the figure.")
def convergence(name: str, method: str | None, rho_inf: float | None, h: float | None, levels: int, out: Path) -> None:
    """Solve the problem NAME with smaller and smaller steps and show the orders of convergence.

    Errors are those on the second half of the interval, over the largest value there. A figure is drawn if matplotlib
    is installed.
    """
    from genalpha import problems
    from genalpha.reproduce import methods, orders_of

    problem = problems.get(name)
    orders_of.require_orders(problem)
    chosen = methods.choose(problem.method, method, rho_inf)
    console = make_console()
    console.print(f"[bold]{problem.title}[/]  {methods.describe(chosen)}\n[dim]{problem.source}[/]", highlight=False)
    with compiling(console):
        result = orders_of.measure(problem, chosen, 4.0 * problem.h if h is None else h, levels)
    console.print(_order_table(result), highlight=False)
    console.print(f"[dim]relative errors on the second half of the interval, against: {problem.reference_is}[/]")
    try:
        file = orders_of.draw(problem, chosen, result, out)
    except MissingExtra as missing:
        console.print(f"[dim]no figure: {missing}[/]", highlight=False)
    else:
        console.print(f"wrote  {file}", highlight=False)


def _order_table(result):
    """Errors and orders, one row per step size."""
    from rich.table import Table

    from genalpha.reproduce.measure import SYMBOL

    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("h (s)", justify="right", no_wrap=True)
    for quantity in result.errors:
        table.add_column(f"{SYMBOL[quantity]:<7}order", no_wrap=True)
    orders = {quantity: ["", *(f"{order:.2f}" for order in result.orders(quantity))] for quantity in result.errors}
    for i, h in enumerate(result.h):
        cells = [f"{errors[i]:.1e} [cyan]{orders[quantity][i]}[/]" for quantity, errors in result.errors.items()]
        table.add_row(f"{h:.3g}", *cells)
    return table


@click.command(short_help="Measure published results again.")
@click.argument("names", nargs=-1)
@click.option("--out", type=OUT, default=Path("out"), show_default=True, help="Folder for tables and figures.")
def reproduce(names: tuple[str, ...], out: Path) -> None:
    """Measure published results again; write a table and figures.

    NAMES are studies, all if none is given: spectral, constraints, soi2, nonholonomic, orders, conditioning, chain16,
    skate; with impacts: bouncing_ball, bouncing_pendulum, flexible_pendulum, bar, cradle, impact_orders; numbers of
    others: test_set, heavy_top, iftomm; and, if named: beams, touching, rolling, impact_times. The exit code is 1 if a
    measured value is not as required.
    """
    from genalpha import reproduce as studies

    console, begin = make_console(), time.perf_counter()
    with compiling(console, "functions are compiled in the first run and kept on disk"):
        results = studies.measure(names, lambda study: _announce(console, study))
    for result in results:
        _print_rows(console, result)
    rows = [row for result in results for row in result.rows]
    files = studies.write_tables(results, out)
    try:
        files += studies.draw(results, out)
    finally:
        console.print("\nwrote  " + "\n       ".join(map(str, files)), highlight=False)
    if not names:
        with console.status("[dim]the gallery: every problem in motion[/]"):
            gallery = studies.write_gallery(results, out)
        console.print(f"       {gallery}  [dim]the gallery: open it in a browser[/]", highlight=False)
    _conclude(console, rows, begin)


@click.command(short_help="Compare with published and exact numbers.")
@click.argument("names", nargs=-1)
@click.option("--out", type=OUT, default=Path("out"), show_default=True, help="Folder for the tables.")
def verify(names: tuple[str, ...], out: Path) -> None:
    """Measure again every number that has a source outside this package; write verification.md, .csv and .json.

    Printed numbers and statements, closed forms, and what was computed by other means, beside ours, with error,
    tolerance and settings. NAMES are studies, all if none is given. The exit code is 1 if a row leaves its tolerance.
    """
    from genalpha.reproduce import verify as sourced

    console, begin = make_console(), time.perf_counter()
    with compiling(console, "functions are compiled in the first run and kept on disk"):
        rows = sourced.measure(names, lambda study: _announce(console, study))
    _print_sourced(console, rows)
    files = sourced.write(rows, out)
    console.print("\nwrote  " + "\n       ".join(map(str, files)), highlight=False)
    _conclude(console, [verified.row for verified in rows], begin)


def _conclude(console, rows, begin):
    """The verdict; exit code 1 if a row is not as required."""
    failed = [row.id for row in rows if not row.ok]
    verdict = (
        f"[red]{len(failed)} of {len(rows)} values not as required: {', '.join(failed)}[/]"
        if failed
        else f"[green]all {len(rows)} values as required[/]"
    )
    console.print(f"\n{verdict}  [dim]{duration(time.perf_counter() - begin)}[/]", highlight=False)
    if failed:
        raise SystemExit(1)


def _print_sourced(console, rows):
    """A table for each source."""
    from itertools import groupby

    from rich.markup import escape
    from rich.table import Table

    for source, group in groupby(rows, key=lambda verified: verified.source):
        table = Table(box=None, pad_edge=False, header_style="dim")
        table.add_column("")
        table.add_column("what")
        for heading in (source.kind, "ours", "error"):
            table.add_column(heading, justify="right", no_wrap=True)
        for verified in group:
            record = verified.record
            mark = "[green]✓[/]" if record["ok"] else "[red]✗[/]"
            table.add_row(mark, *(escape(str(record[name])) for name in ("what", "value", "ours", "error")))
        console.print(f"\n[bold]{escape(source.text)}[/]  [dim]{escape(source.settings)}[/]", highlight=False)
        console.print(table, highlight=False)


def _announce(console, study):
    solved = f"  [dim]solving {', '.join(study.problems)}[/]" if study.problems else ""
    console.print(f"[bold cyan]{study.name}[/]{solved}", highlight=False)


def _print_rows(console, result):
    """The rows of one study."""
    from rich.markup import escape
    from rich.table import Table

    if not result.rows:
        return
    table = Table(box=None, pad_edge=False)
    for heading, justify in (
        ("", "left"),
        ("what", "left"),
        ("required", "right"),
        ("measured", "right"),
        ("", "left"),
    ):
        table.add_column(heading, justify=justify, header_style="dim")
    for row in result.rows:
        _, what, required, measured, tolerance = row.cells
        table.add_row("[green]✓[/]" if row.ok else "[red]✗[/]", what, required, measured, tolerance)
    console.print(f"\n[bold]{escape(result.study.title)}[/]", highlight=False)
    console.print(table, highlight=False)

"""The command line: ``genalpha list``, ``run``, ``convergence``, ``reproduce``."""

from __future__ import annotations

import logging
import time
from contextlib import contextmanager
from pathlib import Path

import click

from genalpha._version import __version__
from genalpha.errors import GenalphaError, InputError, MissingExtra

MAX_ROWS = 4000
SHOWN = 4  # impacts and intervals
METHOD = click.Choice(["P", "V", "PV", "PVA", "PVV", "baumgarte", "soi2", "moreau"], case_sensitive=False)
OUT = click.Path(file_okay=False, path_type=Path)


class _Failure(click.ClickException):
    """An error of ours as one readable message; exit code 2."""

    exit_code = 2


class _Group(click.Group):
    """Turns errors of this package into messages, unless --debug asks for the trace."""

    def invoke(self, ctx):
        try:
            return super().invoke(ctx)
        except GenalphaError as error:
            if ctx.params.get("debug"):
                raise
            raise _Failure(str(error)) from error


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="genalpha")
@click.option("--debug", is_flag=True, help="Show the trace of an error.")
def main(debug: bool) -> None:
    """Generalized-α time integration of mechanical systems with constraints and impacts.

    Runs the problems of the collection and reproduces published results.
    """


@main.command("list")
def list_problems() -> None:
    """List the problems of the collection."""
    from rich.table import Table

    from genalpha import problems

    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("name", no_wrap=True, style="bold cyan")
    table.add_column("what")
    for heading in ("n", "g", "k", "gap", "T (s)", "h (s)"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("ref.", no_wrap=True)
    for problem in problems.all():
        names = problem.names
        table.add_row(
            problem.name,
            problem.title,
            str(problem.q0.size),
            str(len(names.get("g", ())) or "–"),
            str(len(names.get("k", ())) or "–"),
            str(len(names.get("gap", ())) or "–"),
            f"{problem.t_span[1]:g}",
            f"{problem.h:g}",
            _kind_of_reference(problem),
        )
    console = _console()
    console.print(table, highlight=False)
    console.print(
        "\n[dim]n coordinates; g holonomic and k nonholonomic constraints; gap: contacts with impacts;\n"
        "ref.: reference solution, exact or tight;[/] genalpha run NAME [dim]solves one[/]"
    )


def _kind_of_reference(problem):
    if not problem.has_reference:
        return "–"
    return "exact" if problem.reference_is == "exact" else "tight"


@main.command()
@click.argument("name")
@click.option("--h", "h", type=float, help="Step size in s.  [default: the problem's]")
@click.option("--t-end", type=float, help="End of the interval in s.  [default: the problem's]")
@click.option("--rho-inf", type=float, help="Spectral radius at infinity, 0 to 1.  [default: the problem's]")
@click.option(
    "--method",
    "--formulation",
    "method",
    type=METHOD,
    help="Levels at which constraints hold, or another scheme.  [default: the problem's]",
)
@click.option("--strategy", type=click.IntRange(1, 3), help="What the smooth motion of PVA knows of.  [default: 3]")
@click.option(
    "--criterion",
    type=click.Choice(["closing", "printed"]),
    help="When PVA takes a contact into the smooth motion.  [default: closing]",
)
@click.option("--interpreted", is_flag=True, help="Run in plain Python, without compilation.")
def run(
    name: str,
    h: float | None,
    t_end: float | None,
    rho_inf: float | None,
    method: str | None,
    strategy: int | None,
    criterion: str | None,
    interpreted: bool,
) -> None:
    """Solve the problem NAME and compare it with its reference, if it has one."""
    from dataclasses import replace

    from genalpha import problems
    from genalpha.driver import solve
    from genalpha.reproduce import methods
    from genalpha.schedule import make_schedule
    from genalpha.system import System

    problem = problems.get(name)
    chosen = methods.choose(problem.method, method, rho_inf, strategy=strategy, criterion=criterion)
    h = problem.h if h is None else h
    t_span = (problem.t_span[0], problem.t_span[1] if t_end is None else t_end)
    system = problem.system()
    if interpreted:
        if not isinstance(system, System):
            raise InputError(f"{name} is a model of bodies and joints; models run compiled, leave out --interpreted")
        system = replace(system, compile=False)
    console = _console()
    steps = make_schedule(t_span, h).n
    console.print(f"[bold]{problem.title}[/]\n[dim]{problem.source}[/]", highlight=False)
    if not interpreted:
        with _compiling(console):
            solve(system, (t_span[0], t_span[0] + h), problem.q0, problem.v0, chosen, h=h)
    options = {"h": h, "save_every": max(1, steps // MAX_ROWS), "progress": console.is_terminal}
    sol = solve(system, t_span, problem.q0, problem.v0, chosen, **options)
    _summarise(console, problem, sol, h, t_span[1] - t_span[0])


def _summarise(console, problem, sol, h, duration):
    """What a run did and how good it was."""
    from rich.table import Table

    from genalpha.reproduce.methods import describe

    stats = sol.stats
    seconds = max(stats.seconds, 1e-9)
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="dim")
    table.add_column()
    way = "compiled" if sol.system.compiled else "interpreted"
    table.add_row("method", f"{describe(sol.method)}, h = {h:g} s, {way}")
    table.add_row(
        "steps", f"{stats.steps}  to t = {sol.t[-1]:g} s, {stats.newton / stats.steps:.2f} Newton iterations each"
    )
    table.add_row(
        "time",
        f"{_duration(seconds)}  {1e6 * seconds / stats.steps:.3g} µs per step, {duration / seconds:.3g} × real time",
    )
    for label, text in _quality(problem, sol):
        table.add_row(label, text)
    console.print(table, highlight=False)


def _quality(problem, sol):
    """Constraints, contacts, errors and energy of a solution: pairs of label and text."""
    stats = sol.stats
    if sol.lam.shape[1]:
        yield "constraints", f"|g| {stats.max_g:.1e}   |ġ| {stats.max_gdot:.1e}   |g̈| {stats.max_gddot:.1e}"
    if sol.psi.shape[1]:
        yield "nonholonomic", f"|k| {stats.max_k:.1e}"
    if problem.has_contacts:
        yield from _contacts(problem, sol)
    if problem.has_reference:
        yield "mean error" if problem.has_contacts else "error", _errors(problem, sol)
        yield "against", f"[dim]{problem.reference_is}[/]"
    else:
        yield "reference", f"[dim]{problem.reference_is}[/]"
    if sol.system.has_energy:
        yield "energy", _energy(problem, sol)


def _contacts(problem, sol):
    """Impacts, intervals of contact, and how well gaps are kept."""
    stats, impacts = sol.stats, sol.impacts
    if impacts.time.size:
        first = ", ".join(f"{t:.6g}" for t in impacts.time[:SHOWN])
        more = ", …" if impacts.time.size > SHOWN else ""
        yield "impacts", f"{impacts.time.size}  at t = {first}{more} s"
    else:
        yield "impacts", "none"
    for name, intervals in zip(problem.names["gap"], sol.contact_intervals, strict=True):
        text = ", ".join(f"[{begin:.6g}, {end:.6g}]" for begin, end in intervals[:SHOWN])
        more = f", …  {len(intervals)} intervals" if len(intervals) > SHOWN else ""
        yield f"{name} closed", f"{text}{more}".replace("[", "\\[") or "at no time but in impacts"
    yield "penetration", f"{_size(stats.penetration)} m   gap × impulse {_size(stats.complementarity)} m·N·s"


def _errors(problem, sol):
    """The largest errors; with impacts the means over time, as a jump that comes a step late is off by all of it."""
    import numpy as np

    exact = problem.reference(sol.t)
    pairs = (("q", sol.q, exact.q), ("v", sol.v, exact.v), ("λ", sol.lam, exact.lam), ("ψ", sol.psi, exact.psi))
    measure = np.mean if problem.has_contacts else np.max
    return "   ".join(f"{symbol} {measure(np.abs(x - y)):.1e}" for symbol, x, y in pairs if x.shape[1])


def _energy(problem, sol):
    """Drift of the energy, or its first and last value and where the rest has gone."""
    import numpy as np

    ledger = sol.ledger
    total = ledger.kinetic + ledger.potential
    if problem.conserves_energy:
        size = np.abs([ledger.kinetic, ledger.potential]).max()
        return f"drift {np.abs(total - total[0]).max():.1e} J of {size:.3g} J"
    first, last = (0.0 if abs(x) < 1e-14 * np.abs(total).max() else x for x in (total[0], total[-1]))
    text = f"{first:.4g} J at first, {last:.4g} J at last"
    if not problem.has_contacts:
        return text
    return f"{text}; {ledger.impacts[-1]:.4g} J lost in impacts, {ledger.numerical[-1]:.1e} J numerically"


@main.command()
@click.argument("name")
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
    console = _console()
    console.print(f"[bold]{problem.title}[/]  {methods.describe(chosen)}\n[dim]{problem.source}[/]", highlight=False)
    with _compiling(console):
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


@main.command()
@click.argument("names", nargs=-1)
@click.option("--out", type=OUT, default=Path("out"), show_default=True, help="Folder for tables and figures.")
def reproduce(names: tuple[str, ...], out: Path) -> None:
    """Measure published results again; write a table and figures.

    NAMES are studies, all if none is given: spectral, constraints, soi2, nonholonomic, orders, conditioning, chain16,
    skate; with impacts: bouncing_ball, bouncing_pendulum, flexible_pendulum, bar, cradle, impact_orders. The exit code
    is 1 if a measured value is not as required.
    """
    from genalpha import reproduce as studies

    console, begin = _console(), time.perf_counter()
    with _compiling(console, "functions are compiled in the first run and kept on disk"):
        results = studies.measure(names, lambda study: _announce(console, study))
    for result in results:
        _print_rows(console, result)
    rows = [row for result in results for row in result.rows]
    failed = [row.id for row in rows if not row.ok]
    files = studies.write_tables(results, out)
    try:
        files += studies.draw(results, out)
    finally:
        console.print("\nwrote  " + "\n       ".join(map(str, files)), highlight=False)
    verdict = (
        f"[red]{len(failed)} of {len(rows)} values not as required[/]"
        if failed
        else f"[green]all {len(rows)} values as required[/]"
    )
    console.print(f"\n{verdict}  [dim]{_duration(time.perf_counter() - begin)}[/]", highlight=False)
    if failed:
        raise SystemExit(1)


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


@contextmanager
def _compiling(console, note: str = ""):
    """Say what is compiled meanwhile, so that nobody waits without knowing why."""
    handler = _Lines(console)
    logger = logging.getLogger("genalpha")
    logger.addHandler(handler)
    try:
        with console.status(f"[dim]{note or 'loading compiled functions, or compiling them in the first run'}[/]"):
            yield
    finally:
        logger.removeHandler(handler)


class _Lines(logging.Handler):
    """Messages of the package as dim lines."""

    def __init__(self, console):
        super().__init__()
        self.console = console

    def emit(self, record):
        self.console.print(f"[dim]{record.getMessage()}[/]", highlight=False)


def _console():
    from rich.console import Console

    return Console()


def _size(number: float) -> str:
    return f"{number:.1e}" if number else "0"


def _duration(seconds: float) -> str:
    return f"{seconds:.3g} s" if seconds >= 1.0 else f"{1e3 * seconds:.3g} ms"

"""``genalpha run``: solve a problem or a file, with progress, and say how it went."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from genalpha.cli.console import compiling, make_console
from genalpha.cli.failures import partial_solution
from genalpha.cli.target import TargetName
from genalpha.errors import InputError
from genalpha.method import NAMES

MAX_ROWS = 4000
METHOD = click.Choice(NAMES, case_sensitive=False)


@click.command(short_help="Solve a problem or a Python file.")
@click.argument("target", type=TargetName())
@click.option("--h", "h", type=float, help="Step size in s.  [default: the target's]")
@click.option("--t-end", type=float, help="End of the interval in s.  [default: the target's]")
@click.option("--rho-inf", type=float, help="Spectral radius at infinity, 0 to 1.  [default: the target's]")
@click.option(
    "--method",
    "--formulation",
    "method",
    type=METHOD,
    help="Levels at which constraints hold, or another scheme.  [default: the target's]",
)
@click.option("--strategy", type=click.IntRange(1, 3), help="What the smooth motion of PVA knows of.  [default: 3]")
@click.option(
    "--criterion",
    type=click.Choice(["closing", "printed"]),
    help="When PVA takes a contact into the smooth motion.  [default: closing]",
)
@click.option("--project", is_flag=True, help="Move the initial state onto the constraints first.")
@click.option("--interpreted", is_flag=True, help="Run in plain Python, without compilation.")
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), help="Write all rows to this HDF5 file; 'view' shows it."
)
@click.option("--plot", type=click.Path(dir_okay=False, path_type=Path), help="Draw the solution into this file.")
def run(
    target: str,
    h: float | None,
    t_end: float | None,
    rho_inf: float | None,
    method: str | None,
    strategy: int | None,
    criterion: str | None,
    project: bool,
    interpreted: bool,
    out: Path | None,
    plot: Path | None,
) -> None:
    """Solve TARGET: a problem of the collection, or a Python file that defines 'model' or 'system'.

    A file may also define q0, v0, t_span, h and method; a system needs q0 and v0. The result of a problem is compared
    with its reference, if it has one.
    """
    from genalpha.cli.summary import summarise
    from genalpha.cli.target import find

    found, console = find(target), make_console()
    chosen = choose_method(found, method, rho_inf, strategy=strategy, criterion=criterion)
    console.print(f"[bold]{found.title}[/]\n[dim]{found.source}[/]" if found.source else f"[bold]{found.title}[/]",
                  highlight=False)  # fmt: skip
    system = _interpreted(found) if interpreted else found.system
    arguments = {**found.state, "method": chosen, "h": found.settings.get("h") if h is None else h, "project": project}
    try:
        sol = solve_shown(console, system, found.span(t_end), arguments, out)
    except Exception as error:
        partial = partial_solution(error)
        if partial is not None and partial.stats.steps:
            summarise(console, found, partial)
        raise
    summarise(console, found, sol)
    if out is not None:
        console.print(f"wrote  {out}", highlight=False)
    if plot is not None:
        save_figure(console, sol, plot, found.title)


def choose_method(found, name: str | None, rho_inf: float | None, **options):
    """The target's method, or another one by its name, with these options."""
    from genalpha.method import default_method
    from genalpha.reproduce import methods

    default = found.settings.get("method") or default_method(found.system.multipliers_in_f)
    return methods.choose(default, name, rho_inf, **options)


def solve_shown(console, system, t_span, arguments: dict[str, Any], out: Path | None = None):
    """The solution, with words while code is compiled and a bar while steps are made.

    Of a long run some rows are kept, unless all go to a file.
    """
    from genalpha.run.solve import solve
    from genalpha.step.schedule import make_schedule

    h, t0 = arguments["h"], t_span[0]
    steps = make_schedule(t_span, h).n if h is not None else 0
    if system.compiled and isinstance(h, float):
        with compiling(console):
            solve(system, (t0, t0 + h), **arguments)
    save_every = max(1, steps // MAX_ROWS) if out is None else 1
    return solve(system, t_span, **arguments, save_every=save_every, out=out, progress=console.is_terminal)


def _interpreted(found):
    from genalpha.system.system import System

    if not isinstance(found.system, System):
        raise InputError("models always run compiled; --interpreted is for systems of functions")
    return replace(found.system, compile=False)


def save_figure(console, sol, path: Path, title: str) -> None:
    """Draw a solution into a file."""
    figure = sol.plot(title=title)
    try:
        figure.savefig(path)
    except (OSError, ValueError) as error:
        raise InputError(f"the figure cannot be written to {path}: {error}") from error
    console.print(f"wrote  {path}", highlight=False)

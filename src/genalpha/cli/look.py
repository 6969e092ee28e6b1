"""``genalpha check``, ``bench`` and ``view``: before a run, how fast, and what it looks like."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import click

from genalpha.cli.console import compiling, make_console
from genalpha.cli.run import METHOD, choose_method, solve_shown
from genalpha.errors import InputError, MissingExtra


@click.command(short_help="Look a problem or a Python file over before a run.")
@click.argument("target")
def check(target: str) -> None:
    """Look TARGET over before a run: a problem of the collection or a Python file, as for 'run'.

    Reports sizes, constraint ranks and redundancy, degrees of freedom, the consistency of the initial state, errors of
    given derivatives, the fastest frequency, and a step size that suits it. The exit code is 1 if there are problems.
    """
    from rich.markup import escape

    from genalpha.check import check as look_over
    from genalpha.cli.target import find

    found, console = find(target), make_console()
    t0 = found.settings.get("t_span", (0.0, 0.0))[0]
    with compiling(console):
        report = look_over(found.system, t0, **found.state)
    console.print(f"[bold]{escape(found.title)}[/]", highlight=False)
    for line in str(report).splitlines():
        style = "red" if "PROBLEM" in line else "green" if line.strip() == "ok" else None
        console.print(escape(line), style=style, highlight=False, soft_wrap=True)
    if not report.ok:
        raise SystemExit(1)


@click.command(short_help="Measure the time per step.")
@click.argument("targets", nargs=-1, required=True)
@click.option("--h", "h", type=float, help="Step size in s.  [default: the target's]")
@click.option("--method", type=METHOD, help="Another method than the target's.")
@click.option("--steps", type=click.IntRange(1), default=10_000, show_default=True, help="Steps of each run.")
@click.option("--repeats", type=click.IntRange(1), default=5, show_default=True, help="Runs of each target.")
def bench(targets: tuple[str, ...], h: float | None, method: str | None, steps: int, repeats: int) -> None:
    """Measure the CPU time per step of TARGETS: problems of the collection or Python files, as for 'run'.

    Shown are the smallest and the largest of several runs, compilation excluded. 'make bench' measures all that the
    project promises.
    """
    from rich.table import Table

    from genalpha.cli.target import find
    from genalpha.cli.timing import time_steps
    from genalpha.reproduce.methods import describe

    console = make_console()
    table = Table(box=None, pad_edge=False, header_style="dim")
    for heading, justify in (("target", "left"), ("method", "left"), ("h (s)", "right"), ("µs per step", "right"),
                             ("most", "right"), ("Newton", "right")):  # fmt: skip
        table.add_column(heading, justify=justify)
    for target in targets:
        found = find(target)
        step = found.settings.get("h") if h is None else h
        if not isinstance(step, float):
            raise InputError(f"{found.title}: with which step size? Pass --h, or define h in the file")
        chosen = choose_method(found, method, None)
        with compiling(console):
            times, sol = time_steps(found, chosen, step, steps, repeats)
        table.add_row(found.title, describe(chosen), f"{step:g}", f"{min(times):.3g}", f"{max(times):.3g}",
                      f"{sol.stats.newton / sol.stats.steps:.2f}")  # fmt: skip
    console.print(table, highlight=False)


@click.command(short_help="Show the motion in the browser.")
@click.argument("target")
@click.option("--h", "h", type=float, help="Step size in s.  [default: the target's]")
@click.option("--t-end", type=float, help="End of the interval in s.  [default: the target's]")
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), help="Write an HTML file instead of showing it."
)
def view(target: str, h: float | None, t_end: float | None, out: Path | None) -> None:
    """Solve TARGET, as 'run' does, and show its motion in the browser."""
    from genalpha.cli.target import find

    found, console = find(target), make_console()
    if find_spec("genalpha.view") is None:
        raise MissingExtra(
            "the viewer (genalpha.view) is not part of this installation; 'run --plot FILE' draws curves"
        )
    step = found.settings.get("h") if h is None else h
    arguments = {**found.state, "method": choose_method(found, None, None), "h": step}
    sol = solve_shown(console, found.system, found.span(t_end), arguments)
    if out is not None:
        console.print(f"wrote  {sol.save_html(out, title=found.title)}", highlight=False)
        return
    shown = sol.view(title=found.title)
    console.print(f"{shown.url}  [dim]Ctrl-C ends[/]", highlight=False)
    shown.wait()

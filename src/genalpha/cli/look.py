"""``genalpha check``, ``bench`` and ``view``: before a run, how fast, and what it looks like."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from genalpha.cli.console import compiling, make_console, wrapped
from genalpha.cli.run import METHOD, choose_method, solve_shown
from genalpha.cli.target import TargetName
from genalpha.errors import InputError, MissingExtra

VIDEOS = (".gif", ".mp4", ".webm", ".mov")


@click.command(short_help="Look a problem or a Python file over before a run.")
@click.argument("target", type=TargetName())
def check(target: str) -> None:
    """Look TARGET over before a run: a problem of the collection or a Python file, as for 'run'.

    Reports sizes, constraint ranks and redundancy, degrees of freedom, the consistency of the initial state, errors of
    given derivatives, the fastest frequency, and a step size that suits it. The exit code is 1 if there are problems.
    """
    from rich.markup import escape

    from genalpha.analysis.check import check as look_over
    from genalpha.cli.target import find

    found, console = find(target), make_console()
    t0 = found.settings.get("t_span", (0.0, 0.0))[0]
    with compiling(console):
        report = look_over(found.system, t0, **found.state)
    console.print(f"[bold]{escape(found.title)}[/]", highlight=False)
    for line in str(report).splitlines():
        style = "red" if "PROBLEM" in line else "green" if line.strip() == "ok" else None
        console.print(escape(wrapped(line, console.file)), style=style, highlight=False, soft_wrap=True)
    if not report.ok:
        raise SystemExit(1)


@click.command(short_help="Measure the time per step.")
@click.argument("targets", type=TargetName(), nargs=-1, required=True)
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


@click.command(short_help="Show a motion in the browser.")
@click.argument("targets", type=TargetName(), nargs=-1, required=True)
@click.option("--h", "h", type=float, help="Step size in s.  [default: the target's]")
@click.option("--t-end", type=float, help="End of the interval in s.  [default: the target's]")
@click.option("--system", "of", help="The problem or Python file that made a result file which cannot show itself.")
@click.option(
    "--allow", multiple=True, metavar="MODULE", help="A module that result files may import functions from: it runs."
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write a file instead of showing it: .html, or .gif, .mp4, .webm of the first target.",
)
def view(
    targets: tuple[str, ...],
    h: float | None,
    t_end: float | None,
    of: str | None,
    allow: tuple[str, ...],
    out: Path | None,
) -> None:
    """Show the motion of TARGETS in the browser: a result file, up to six of them to compare, or what 'run' takes.

    Result files (.h5) are written by 'run --out' and by solve(..., out=...); a run that was killed is shown as far as
    it came. A problem or a Python file is solved first.
    """
    if find_spec("genalpha.view") is None:
        raise MissingExtra(
            "the viewer (genalpha.view) is not part of this installation; 'run --plot FILE' draws curves"
        )
    from genalpha.solution.files.read import load
    from genalpha.view import open_view, save_html, save_video

    console = make_console()
    if all(Path(target).suffix in (".h5", ".hdf5") for target in targets):
        shown, title = _results(targets, of), " and ".join(Path(target).name for target in targets)
    elif len(targets) == 1:
        shown, title = _solved(console, targets[0], h, t_end)
    else:
        raise InputError("result files (.h5) can be compared; problems and Python files are shown one by one")
    if allow:
        sys.path.insert(0, "")  # modules are looked for here, too
    labels = [Path(target).stem for target in targets] if len(targets) > 1 else None
    options: dict[str, Any] = {"title": title, "labels": labels, "allow": allow}
    if out is not None and out.suffix.lower() in VIDEOS:
        sol = load(shown[0], allow=allow) if isinstance(shown[0], str) else shown[0]
        console.print(f"wrote  {save_video(out, sol, title=title)}", highlight=False)
        return
    if out is not None:
        console.print(f"wrote  {save_html(out, *shown, **options)}", highlight=False)
        return
    page = open_view(*shown, **options)
    console.print(f"{page.url}  [dim]Ctrl-C ends[/]", highlight=False, soft_wrap=True)
    page.wait()


def _results(paths, of: str | None) -> list:
    """Result files; as solutions with their system, if it is given."""
    from genalpha.cli.target import find
    from genalpha.solution.files.read import load

    if of is None:
        return list(paths)
    system = find(of).system
    return [load(path, system) for path in paths]


def _solved(console, target: str, h: float | None, t_end: float | None):
    """(solutions, title) of a problem or a Python file."""
    from genalpha.cli.target import find

    found = find(target)
    step = found.settings.get("h") if h is None else h
    arguments = {**found.state, "method": choose_method(found, None, None), "h": step}
    return [solve_shown(console, found.system, found.span(t_end), arguments)], found.title

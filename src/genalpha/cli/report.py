"""``genalpha report``: what a run gave, as a file that one can hand in."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from genalpha.cli.console import compiling, make_console


@click.command(short_help="Write a report on a result file.")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The report, .html or .pdf.  [default: FILE, ending with .html]",
)
@click.option("--title", default="", help="Its title.  [default: the name of the model]")
@click.option("--system", "of", help="The problem or Python file that made FILE, if it cannot be made again from it.")
@click.option("--allow", multiple=True, metavar="MODULE", help="A module that FILE may import functions from: it runs.")
def report(file: Path, out: Path | None, title: str, of: str | None, allow: tuple[str, ...]) -> None:
    """Write a report on FILE, a result of 'run --out' (.h5): the model, figures, peaks of joint forces, how well
    constraints hold, where energy went, impacts.

    The ending of --out says what it becomes: .html, one file that needs nothing else, or .pdf.
    """
    from genalpha.cli.target import find
    from genalpha.solution.files.read import load

    console = make_console()
    if allow:
        sys.path.insert(0, "")  # modules are looked for here, too
    solution = load(file, find(of).system) if of is not None else load(file, allow=allow)
    with compiling(console):
        written = solution.save_report(file.with_suffix(".html") if out is None else out, title or "")
    console.print(f"wrote  {written}", highlight=False, soft_wrap=True)

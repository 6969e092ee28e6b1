"""The command line: ``genalpha list``, ``new``, ``run``, ``check``, ``convergence``, ``reproduce``, ``verify``,
``bench``, ``view``, ``report``, ``completion``.

Exit codes: 0 all is well; 1 a result is not as required, or a check found problems; 2 the input is wrong; 3 a run
failed midway.
"""

from __future__ import annotations

import click

from genalpha._version import __version__
from genalpha.cli.begin import completion, new
from genalpha.cli.failures import Group
from genalpha.cli.look import bench, check, view
from genalpha.cli.report import report
from genalpha.cli.run import run
from genalpha.cli.studies import convergence, list_problems, reproduce, verify

__all__ = ["main"]


@click.group(
    cls=Group,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 all is well; 1 a result is not as required, or a check found problems; 2 the input is wrong; "
    "3 a run failed midway.",
)
@click.version_option(__version__, prog_name="genalpha")
@click.option("--debug", is_flag=True, help="Show the trace of an error.")
def main(debug: bool) -> None:
    """Simulate mechanisms and structures in motion: multibody dynamics with constraints and impacts.

    Runs a Python file that defines a model or a system, or a problem of the collection; checks it first; reproduces
    published results.
    """


for command in (list_problems, new, run, check, convergence, reproduce, verify, bench, view, report, completion):
    main.add_command(command)

"""How commands end when something is wrong: one readable message and an exit code."""

from __future__ import annotations

import sys
import traceback
import warnings
from pathlib import Path

import click

from genalpha.cli.console import wrapped
from genalpha.errors import GenalphaError, InconsistentInitialState

INPUT, RUN = 2, 3
PACKAGE = str(Path(__file__).parent.parent)


class Failure(click.ClickException):
    """A message without a trace."""

    def __init__(self, message: str, exit_code: int = INPUT):
        super().__init__(message)
        self.exit_code = exit_code

    def show(self, file=None):
        """The message, without a word that is broken."""
        stream = file or sys.stderr
        lines = f"Error: {self.format_message()}".splitlines()
        click.echo("\n".join(wrapped(line, stream) for line in lines), file=stream)


class Group(click.Group):
    """Turns exceptions into messages, unless --debug asks for the trace; warnings become lines of their own."""

    def invoke(self, ctx):
        with warnings.catch_warnings():
            if not ctx.params.get("debug"):
                warnings.showwarning = _each_once()
                warnings.simplefilter("ignore")
                for category in (UserWarning, RuntimeWarning):
                    warnings.simplefilter("default", category)
            try:
                return super().invoke(ctx)
            except GenalphaError as error:
                if ctx.params.get("debug"):
                    raise
                told = error.told("use --project") if isinstance(error, InconsistentInitialState) else str(error)
                raise Failure(told, code(error)) from error
            except (click.ClickException, click.exceptions.Exit, click.Abort):
                raise
            except Exception as error:
                if ctx.params.get("debug"):
                    raise
                message = f"{where(error)}{type(error).__name__}: {error}; --debug shows the trace"
                raise Failure(message, code(error)) from error


def code(error: Exception) -> int:
    """The exit code: did a run begin before it failed?"""
    return INPUT if partial_solution(error) is None else RUN


def partial_solution(error: Exception):
    """What a run had computed before this exception ended it, if one had begun."""
    return getattr(error, "solution", None)  # runs add it to exceptions of user functions too


def where(error: BaseException) -> str:
    """The last line of the user's that an exception went through, "file.py, line 7, in f: "."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [f for f in frames if not f.filename.startswith((PACKAGE, "<")) and "site-packages" not in f.filename]
    own = [f for f in own if Path(f.filename).suffix == ".py" and "lib/python" not in f.filename]
    if not own:
        return ""
    place = "" if own[-1].name == "<module>" else f", in {own[-1].name}"
    return f"{Path(own[-1].filename).name}, line {own[-1].lineno}{place}: "


def _each_once():
    """Shows a warning as one line, and never again in this command, which may solve a system several times."""
    seen = set()

    def show(message, category, filename, lineno, file=None, line=None):
        if str(message) not in seen:
            seen.add(str(message))
            click.secho(wrapped(f"warning: {message}", sys.stderr), fg="yellow", err=True)

    return show

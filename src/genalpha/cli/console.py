"""What the commands share: a console, words while code is compiled, numbers as text."""

from __future__ import annotations

import logging
import shutil
import textwrap
from contextlib import contextmanager
from typing import TextIO


def make_console():
    from rich.console import Console

    return Console()


@contextmanager
def compiling(console, note: str = ""):
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


def wrapped(text: str, stream: TextIO) -> str:
    """A line that breaks between words where the terminal ends, further lines indented; whole in files and pipes."""
    if not stream.isatty():
        return text
    indent = len(text) - len(text.lstrip()) + 2
    width = max(shutil.get_terminal_size().columns, 40)
    return textwrap.fill(text, width, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False)


def size(number: float) -> str:
    """A small number that may be zero."""
    return f"{number:.1e}" if number else "0"


def duration(seconds: float) -> str:
    """A time with a unit that suits it."""
    if seconds >= 1.0:
        return f"{seconds:.3g} s"
    return f"{1e3 * seconds:.3g} ms" if seconds >= 1e-3 else f"{1e6 * seconds:.3g} µs"

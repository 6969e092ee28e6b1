"""Between chunks: progress, shown to a callable or as a line in the terminal; Ctrl-C."""

from __future__ import annotations

import importlib
import signal
import sys
import threading
import time
from typing import Any


class Progress:
    """A context that gives a function of (t, steps, newton, rejected); it is called between chunks of steps.

    Parameters
    ----------
    wanted : bool or callable
        True shows a line; a callable is called with t; False is silent.
    t0, t1 : float
        Span of the run.
    t, steps : float, int
        Where a run that is resumed begins, and how many steps were made before.
    console : rich.console.Console, optional
        Where to show the line.
    """

    def __init__(self, wanted, t0: float, t1: float, t: float, steps: int = 0, console=None):
        self.wanted, self.t0, self.t1, self.t, self.steps, self.console = wanted, t0, t1, t, steps, console
        self.bar: Any = None
        self.begin = 0.0

    def __enter__(self):
        if callable(self.wanted):
            return lambda t, *_: self.wanted(t)
        if not self.wanted:
            return lambda *_: None
        if self.console is None and in_notebook():
            self.bar = Line()
            self.task, self.begin = 0, time.perf_counter()
            return self._show
        from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        self.bar = Bar(
            BarColumn(bar_width=6), TaskProgressColumn(), TextColumn("{task.description}"), TimeRemainingColumn(),
            transient=True, console=self.console, refresh_per_second=8,
        )  # fmt: skip
        self.bar.start()
        self.task = self.bar.add_task("", total=self.t1 - self.t0)
        self.begin = time.perf_counter()
        return self._show

    def _show(self, t, steps, newton, rejected):
        elapsed = max(time.perf_counter() - self.begin, 1e-9)
        rate, speed = (steps - self.steps) / elapsed, (t - self.t) / elapsed
        words = describe(t, self.t1, rate, speed, newton / max(steps, 1), rejected)
        self.bar.update(self.task, completed=t - self.t0, description=words)

    def __exit__(self, *error):
        if self.bar is not None:
            self.bar.stop()


def in_notebook() -> bool:
    """Is this the kernel of a notebook?"""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and hasattr(shell, "kernel")


class Line:
    """A line in the output of a notebook's cell, which is empty in the end: words that were printed before stay."""

    def __init__(self):
        show = importlib.import_module("IPython.display")  # there is one in a notebook
        self.html: Any = show.HTML
        self.handle: Any = show.display(self.html(""), display_id=True)
        self.shown = 0.0

    def update(self, task, completed, description):
        """Show the words, not more often than eyes can follow."""
        now = time.perf_counter()
        if now - self.shown > 0.2:
            self.shown = now
            self.handle.update(self.html(f"<code>{description}</code>"))

    def stop(self):
        """Leave nothing behind."""
        self.handle.update(self.html(""))


def describe(t, t1, rate, speed, newton, rejected) -> str:
    """The words of the line: t of t1, steps per second, times real time, iterations per step, rejected steps.

    With the bar and the time that is left they fit into 80 columns.
    """
    words = [f"t {t:.4g}/{t1:.4g}", f"{_short(rate)} steps/s", f"{_short(speed)}x real", f"{newton:.1f} it/step"]
    if rejected:
        words.append(f"{rejected} rejected")
    return "  ".join(words)


def _short(x: float) -> str:
    """Three digits, with k and M."""
    for limit, unit, name in ((1e6, 1e6, "M"), (1e3, 1e3, "k")):
        if x >= limit:
            return f"{x / unit:.3g}{name}"
    return f"{x:.3g}"


class Interrupts:
    """Ctrl-C is remembered until a chunk is done; a second one interrupts at once."""

    wanted = False

    def __enter__(self):
        self.before = None
        if threading.current_thread() is threading.main_thread():
            self.before = signal.getsignal(signal.SIGINT)
            if self.before is signal.default_int_handler:
                signal.signal(signal.SIGINT, self._remember)
        return self

    def _remember(self, number, frame):
        if self.wanted:
            raise KeyboardInterrupt
        self.wanted = True

    def __exit__(self, *error):
        if self.before is signal.default_int_handler:
            signal.signal(signal.SIGINT, self.before)

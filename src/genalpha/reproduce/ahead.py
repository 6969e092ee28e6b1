"""Compilation ahead: while the first studies run, a second process compiles what the later ones need."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable

from genalpha import problems
from genalpha.step.integrator import Impact, Soi2

INTEGRATORS = (Soi2, Impact)
"""Whose loops studies need besides the first one's, in the order in which they are compiled."""


@contextlib.contextmanager
def compiling_ahead(chosen: Iterable[str]):
    """Meanwhile compile the loops, and the functions of the named problems, last ones first."""
    from genalpha.compiled.jit import another_process
    from genalpha.step.loop import is_compiled, loop_of

    if all(is_compiled(loop_of(kind)) for kind in INTEGRATORS):
        yield
        return
    with another_process(f"from genalpha.reproduce.ahead import compile_all; compile_all({list(chosen)!r})"):
        yield


def compile_all(chosen: Iterable[str]):
    """Loops and functions, stored on disk."""
    from genalpha.step.loop import compiled_entry, loop_of

    for kind in INTEGRATORS:
        compiled_entry(loop_of(kind))
    for name in reversed(list(chosen)):
        problem = problems.get(name)
        problem.system().contract(problem.t_span[0], problem.q0, problem.v0)

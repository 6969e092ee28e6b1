"""Orders of convergence of one problem with one method: what ``genalpha convergence`` shows."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from genalpha.errors import InputError
from genalpha.method import SOI2, GeneralizedAlpha
from genalpha.problems import Problem
from genalpha.reproduce.measure import WITH_A, Convergence, convergence
from genalpha.reproduce.methods import describe


def require_orders(problem: Problem) -> None:
    """Refuse a problem whose solution is not known, or jumps."""
    if not problem.has_reference:
        raise InputError(f"problem {problem.name!r} has no reference solution to converge to")
    if problem.has_contacts:
        raise InputError(
            f"problem {problem.name!r} has impacts: velocities jump, and their largest error does not tend to zero; "
            f"'genalpha reproduce impact_orders' measures orders between impacts and through them"
        )


def measure(problem: Problem, method: GeneralizedAlpha | SOI2, h: float, levels: int) -> Convergence:
    """Errors of q, v, a and the multipliers for so many step sizes h, h/2, h/4, ...

    Raises
    ------
    InputError
        If h is no step size for the interval of the problem, if its solution is not known, or has impacts.
    """
    require_orders(problem)
    duration = problem.t_span[1] - problem.t_span[0]
    if not 0.0 < h <= 0.25 * duration:
        raise InputError(
            f"h = {h!r} must be positive and at most a quarter of the problem's interval of {duration:g} s"
        )
    return convergence(problem, method, h, levels - 1, WITH_A)


def draw(problem: Problem, method: GeneralizedAlpha | SOI2, result: Convergence, folder: Path | str) -> Path:
    """Draw the errors over the step sizes as PNG; gives its path.

    Raises
    ------
    MissingExtra
        If matplotlib is not installed.
    """
    from genalpha.reproduce.loglog import draw_errors, ticks
    from genalpha.style import new_figure, style

    with style():
        figure, ((axes,),) = new_figure(1, 1, (6.4, 5.0), problem.title)
        draw_errors(axes, result)
        ticks(axes, result.h)
        axes.set(title=describe(method), xlabel="h  (s)", ylabel="relative error on the second half of the interval")
        lowest = min(np.min(errors) for errors in result.errors.values())
        axes.set_ylim(bottom=0.3 * lowest)
        path = Path(folder) / f"convergence-{problem.name}-{method.name}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path)
    return path

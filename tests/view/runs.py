"""Runs for the tests of the viewer; interpreted, so that nothing is compiled for them."""

from dataclasses import replace

import genalpha as ga
from genalpha import problems


def interpreted(name, h, t_end, **options):
    """A problem of the collection, interpreted, with a step and an end of its own."""
    problem = problems.get(name)
    system = replace(problem.system(), compile=False)
    method = options.pop("method", problem.method)
    return ga.solve(system, (0.0, t_end), problem.q0, problem.v0, method, h=h, **options)

"""A stack of spheres that falls into a box: CPU time per step, how it grows, and what the run must keep to."""

import time

import numpy as np

import genalpha as ga
from genalpha import problems
from genalpha.problems.spheres import RADIUS

REPETITIONS = 3


def fall(problem, system):
    """(ms of CPU time per step, solution) of a whole run."""
    begin = time.process_time()
    sol = ga.solve(system, problem.t_span, method=problem.method, h=problem.h)
    return (time.process_time() - begin) / sol.stats.steps * 1e3, sol


def spheres():
    """100 spheres, and how the time grows to 500; rows (what, minimum, maximum, unit, bar, goal)."""
    times = {}
    for n, width, repetitions in ((100, 5, REPETITIONS), (500, 11, 1)):  # four layers each
        problem = problems.get("spheres", n=n, width=width)
        system = problem.system()
        ga.solve(system, (0.0, 2.0 * problem.h), method=problem.method, h=problem.h)
        found = [fall(problem, system) for _ in range(repetitions)]
        times[n], sol = [elapsed for elapsed, _ in found], found[-1][1]
        energy = sol.energy.sum(axis=1)
        rise = np.max(energy - np.minimum.accumulate(energy)) / energy[0]
        yield f"{n} spheres", min(times[n]), max(times[n]), "ms/step", 2.0 if n == 100 else None, None
        yield f"{n} spheres: deepest penetration over radius", *[sol.stats.penetration / RADIUS] * 2, "", 1e-10, None
        yield f"{n} spheres: largest rise of energy over the initial one", rise, rise, "", 1e-6, None
        yield f"{n} spheres: steps that had to be divided", *[sol.stats.retries] * 2, "", None, None
    growth = np.log(min(times[500]) / min(times[100])) / np.log(5.0)
    yield "spheres: power of n that the time grows with, 100 to 500", growth, growth, "", 1.3, None

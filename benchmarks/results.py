"""Results by name against the solve that they belong to."""

import dataclasses
import time

import genalpha as ga
from genalpha.problems import chain

REPETITIONS = 7


def results(bodies=8, n_steps=5000):
    """CPU time of reading force and torque of all joints of a chain, over that of its solve; in turns."""
    problem = chain.make(bodies)
    system, solve_times, read_times = problem.system(), [], []
    sol = ga.solve(system, (0.0, 0.01), method=problem.method, h=problem.h)
    read(sol, bodies)
    for _ in range(REPETITIONS):
        begin = time.process_time()
        sol = ga.solve(system, (0.0, n_steps * problem.h), method=problem.method, h=problem.h)
        solved = time.process_time()
        read(dataclasses.replace(sol), bodies)
        read_times.append(time.process_time() - solved)
        solve_times.append(solved - begin)
    low, high = min(read_times) / min(solve_times), max(read_times) / min(solve_times)
    yield f"chain of {bodies}, {n_steps} steps: force and torque of all joints over its solve", low, high, "", 0.2, None


def read(sol, bodies):
    """What a user asks for, name by name."""
    for i in range(bodies):
        _ = sol[f"ball{i}"].force
        _ = sol[f"ball{i}"].torque

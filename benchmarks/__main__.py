"""``make bench``: every speed that the project promises, measured in one go.

CPU time, interleaved, minima over repetitions with the spread beside them; written to ``out/bench.md`` as well.
"""

import dataclasses
import os
import platform
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np

import genalpha as ga
from genalpha import problems
from genalpha.problems import double_pendulum

REPETITIONS = 7
OUT = Path("out/bench.md")


def cpu_per_step(system, problem, method, n_steps, h=1e-3):
    """µs of CPU time per step, everything between the call of `solve` and its return included."""
    begin = time.process_time()
    ga.solve(system, (0.0, n_steps * h), problem.q0, problem.v0, method, h=h)
    return (time.process_time() - begin) / n_steps * 1e6


def user_functions():
    """6 coordinates and 4 constraints from user functions: the planar double pendulum.

    The evaluators come with derivatives; the plain NumPy functions M, f and g come without any.
    """
    problem = problems.get("double_pendulum")
    interpreted = dataclasses.replace(problem.system(), compile=False)
    cases = {
        ("evaluators, PVA", 3.0, 1.5): (problem.system(), ga.GeneralizedAlpha(), 100_000),
        ("evaluators, P", 3.0, 1.5): (problem.system(), ga.GeneralizedAlpha(formulation="P"), 100_000),
        ("evaluators, interpreted, PVA", None, None): (interpreted, ga.GeneralizedAlpha(), 2000),
        ("plain NumPy, PVA", 300.0, 100.0): (double_pendulum.plain_system(), ga.GeneralizedAlpha(), 2000),
        ("plain NumPy, P", 300.0, 100.0): (double_pendulum.plain_system(), ga.GeneralizedAlpha(formulation="P"), 2000),
    }
    for system, method, _ in cases.values():
        cpu_per_step(system, problem, method, 20)
    times = {case: [] for case in cases}
    for _ in range(REPETITIONS):
        for case, (system, method, n_steps) in cases.items():
            times[case].append(cpu_per_step(system, problem, method, n_steps))
    for (what, bar, goal), values in times.items():
        yield f"double pendulum, {what}", min(values), max(values), "µs/step", bar, goal


def other_problems():
    """For orientation; no bar."""
    for name, n_steps in (("oscillator", 50_000), ("pendulum", 50_000), ("skate", 50_000), ("chain16", 2_000)):
        problem = problems.get(name)
        cpu_per_step(problem.system(), problem, problem.method, 20)
        values = [cpu_per_step(problem.system(), problem, problem.method, n_steps) for _ in range(REPETITIONS)]
        yield f"{name}, evaluators, PVA", min(values), max(values), "µs/step", None, None


SOLVE = """
from genalpha import problems
import genalpha as ga
p = problems.get("pendulum")
ga.solve(p.system(), (0.0, 0.1), p.q0, p.v0, p.method, h=1e-3)
"""


def process_seconds(code, **environment):
    """Wall-clock seconds of a new Python process."""
    begin = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, **environment}, capture_output=True)
    return time.perf_counter() - begin


def start():
    """Import, warm and cold start, each in a new process."""
    bare = [process_seconds("import numpy") for _ in range(REPETITIONS)]
    ours = [process_seconds("import genalpha") for _ in range(REPETITIONS)]
    yield "import genalpha beyond numpy", min(ours) - min(bare), max(ours) - min(bare), "s", 0.15, None
    process_seconds(SOLVE)
    warm = [process_seconds(SOLVE) - min(bare) for _ in range(REPETITIONS)]
    yield "warm compiled solve, numba's import included", min(warm), max(warm), "s", 1.0, None
    cold = []
    for _ in range(2):
        with tempfile.TemporaryDirectory() as folder:
            cold.append(process_seconds(SOLVE, NUMBA_CACHE_DIR=folder))
    yield "cold compiled solve", min(cold), max(cold), "s", 30.0, 15.0


def machine():
    cpu = platform.processor() or platform.machine()
    if Path("/proc/cpuinfo").exists():
        lines = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
        cpu = lines[0].split(":")[1].strip() if lines else cpu
    packages = ", ".join(f"{name} {version(name)}" for name in ("genalpha", "numpy", "scipy", "numba"))
    return f"{cpu}, {os.cpu_count()} cores; Python {platform.python_version()}; {packages}"


def main():
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    rows = ["| what | minimum | maximum | unit | bar | goal | |", "|---|---|---|---|---|---|---|"]
    print(machine(), rows[0], rows[1], sep="\n", flush=True)
    for section in (user_functions, other_problems, start):
        for what, low, high, unit, bar, goal in section():
            verdict = "" if bar is None else "goal" if goal and low <= goal else "ok" if low <= bar else "MISSED"
            numbers = " | ".join("" if x is None else f"{x:g}" for x in (bar, goal))
            rows.append(f"| {what} | {low:.3g} | {high:.3g} | {unit} | {numbers} | {verdict} |")
            print(rows[-1], flush=True)
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text("\n".join([f"# Benchmarks\n\n{machine()}\n", *rows, ""]))
    print(f"written to {OUT}")


if __name__ == "__main__":
    np.seterr(all="raise")
    main()

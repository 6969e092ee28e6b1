"""``make bench``: every speed that the project promises, measured in one go.

CPU time, interleaved, minima over repetitions with the spread beside them; written to ``out/bench.md`` as well, or to
``--out FILE``. Names of sections as arguments run only those: ``python -m benchmarks against_exudyn``.
``python -m benchmarks guard BASE`` compares two checkouts: see `benchmarks.guard`.
"""

import argparse
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
from benchmarks import beams, driver, guard, results, rigid, rubbing, spheres
from genalpha import problems
from genalpha.problems import double_pendulum, lagrangians

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
    plain = double_pendulum.plain_system()
    pva, p = ga.GeneralizedAlpha(), ga.GeneralizedAlpha(formulation="P")
    yield from minima({
        ("double pendulum, evaluators, PVA", 3.0, 1.5): (problem.system(), problem, pva, 100_000, 1e-3),
        ("double pendulum, evaluators, P", 3.0, 1.5): (problem.system(), problem, p, 100_000, 1e-3),
        ("double pendulum, evaluators, interpreted, PVA", None, None): (interpreted, problem, pva, 2000, 1e-3),
        ("double pendulum, plain NumPy, PVA", 300.0, 100.0): (plain, problem, pva, 2000, 1e-3),
        ("double pendulum, plain NumPy, P", 300.0, 100.0): (plain, problem, p, 2000, 1e-3),
    })  # fmt: skip


def minima(cases):
    """Rows of cases {(what, bar, goal): (system, problem, method, steps, h)}, measured in turns."""
    for system, problem, method, _, h in cases.values():
        cpu_per_step(system, problem, method, 20, h)
    times = {case: [] for case in cases}
    for _ in range(REPETITIONS):
        for case, arguments in cases.items():
            times[case].append(cpu_per_step(*arguments))
    for (what, bar, goal), values in times.items():
        yield what, min(values), max(values), "µs/step", bar, goal


def soi2():
    """The test problem of Jay and Negrut (2007), section 8."""
    problem = problems.get("jay_negrut")
    yield from minima(
        {("SOI2, Jay and Negrut sec. 8", 5.0, None): (problem.system(), problem, problem.method, 100_000, 1e-5)}
    )


def contacts():
    """Impacts: the bouncing pendulum and the elastic bar of Brüls, Acary and Cardona (2018), section 6."""
    pendulum, bar = problems.get("bouncing_pendulum"), problems.get("bar")
    plain = dataclasses.replace(pendulum.system(), compile=False)
    method = ga.GeneralizedAlpha(rho_inf=0.8)
    yield from minima({
        ("bouncing pendulum, compiled", 5.0, 2.4): (pendulum.system(), pendulum, ga.GeneralizedAlpha(), 50_000, 1e-3),
        ("bouncing pendulum, interpreted", 1000.0, None): (plain, pendulum, ga.GeneralizedAlpha(), 2000, 1e-3),
        ("bar of 200 elements", 50.0, 25.0): (bar.system(), bar, method, 12_500, 2e-3),
        ("bouncing pendulum, Moreau-Jean", None, None): (pendulum.system(), pendulum, ga.MoreauJean(), 50_000, 1e-3),
    })  # fmt: skip


def friction():
    """Contacts that slide and stick, over contacts without friction."""
    yield from rubbing.ratios(cpu_per_step)


def other_problems():
    """For orientation; no bar."""
    sizes = (("oscillator", 50_000), ("pendulum", 50_000), ("skate", 50_000), ("chain16", 2_000))
    found = [(name, problems.get(name), n_steps) for name, n_steps in sizes]
    yield from minima({
        (f"{name}, evaluators, PVA", None, None): (problem.system(), problem, problem.method, n_steps, 1e-3)
        for name, problem, n_steps in found
    })  # fmt: skip


DOUBLE, CHAIN = (2,), (16, 0.25, 0.25)  # arguments of lagrangians.links

DERIVE = """
import time
import genalpha.symbolic
from genalpha.problems import lagrangians
begin = time.process_time()
system = lagrangians.{form}{arguments}.system()
n = len(system.equations.q)
system.contract(0.0, [0.1] * n, [0.0] * n)
print(time.process_time() - begin)
"""

SOLVE_SYMBOLIC = """
import genalpha as ga
from genalpha.problems import lagrangians
system = lagrangians.links{arguments}.system()
n = len(system.equations.q)
ga.solve(system, (0.0, 0.1), [0.0] * n, [0.0] * n, h=1e-3)
"""


def symbolic():
    """The double pendulum and the chain of 16 links from their Lagrangians, in angles and in absolute coordinates."""
    pva = ga.GeneralizedAlpha()
    cases = {}
    for what, name, arguments, bar, n_steps in (
        ("double pendulum", "double_pendulum", DOUBLE, 3.0, 100_000), ("chain16", "chain16", CHAIN, 100.0, 2_000)
    ):  # fmt: skip
        joints = problems.get(name)
        angles = dataclasses.replace(joints, q0=joints.q0[2::3], v0=joints.v0[2::3])
        one, two = lagrangians.links(*arguments).system(), lagrangians.jointed_links(*arguments).system()
        cases |= {
            (f"{what} from SymPy, angles", bar, None): (one, angles, pva, n_steps, 1e-3),
            (f"{what} from SymPy, joints", None, None): (two, joints, pva, n_steps, 1e-3),
        }
    yield from minima(cases)
    for what, arguments, bar in (("double pendulum", DOUBLE, 5.0), ("chain16", CHAIN, 60.0)):
        for form in ("links", "jointed_links"):
            kind = {"links": "angles", "jointed_links": "joints"}[form]
            with tempfile.TemporaryDirectory() as folder:
                code = DERIVE.format(form=form, arguments=arguments)
                first, again = (float(process_output(code, NUMBA_CACHE_DIR=folder)) for _ in range(2))
            yield f"{what} from SymPy, {kind}: derivation and compilation", first, first, "s", bar, None
            yield f"{what} from SymPy, {kind}: the same from disk", again, again, "s", 1.0, None
    bare = min(process_cpu("import numpy, sympy.physics.mechanics") for _ in range(REPETITIONS))
    for what, arguments in (("double pendulum", DOUBLE), ("chain16", CHAIN)):
        code = SOLVE_SYMBOLIC.format(arguments=arguments)
        process_cpu(code)
        warm = [process_cpu(code) - bare for _ in range(REPETITIONS)]
        yield f"{what} from SymPy: second start beyond numpy and sympy", min(warm), max(warm), "s", 1.0, None


SOLVE = """
from genalpha import problems
import genalpha as ga
p = problems.get("pendulum")
ga.solve(p.system(), (0.0, 0.1), p.q0, p.v0, p.method, h=1e-3)
"""


SOLVE_MODEL = """
import genalpha as ga
model = ga.Model(gravity=(0.0, 0.0, -9.81))
arm = model.add(ga.RigidBody("arm", mass=2.0, inertia=(0.05, 0.05, 0.01), position=(0.5, 0.0, 0.0)))
model.add(ga.Spherical("pivot", model.ground, arm, at=(0.0, 0.0, 0.0)))
ga.solve(model, (0.0, 0.1), h=1e-3)
"""


def process_seconds(code, **environment):
    """Wall-clock seconds of a new Python process."""
    begin = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, **environment}, capture_output=True)
    return time.perf_counter() - begin


def process_cpu(code):
    """Seconds of CPU time of a new Python process, which is what it takes on a machine that does nothing else."""
    return float(process_output(code + "\nimport time; print(time.process_time())").split()[-1])


def process_output(code, **environment):
    """What a new Python process prints."""
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, env={**os.environ, **environment}, capture_output=True, text=True
    )
    return done.stdout


def start():
    """Import, warm and cold start, each in a new process."""
    bare = [process_seconds("import numpy") for _ in range(REPETITIONS)]
    ours = [process_seconds("import genalpha") for _ in range(REPETITIONS)]
    yield "import genalpha beyond numpy", min(ours) - min(bare), max(ours) - min(bare), "s", 0.15, None
    words = "import sys; sys.argv = ['genalpha', '--help']; from genalpha.cli import main; main()"
    helped = [process_seconds(words) for _ in range(REPETITIONS)]
    yield "genalpha --help", min(helped), max(helped), "s", 0.4, None
    for what, code, bar, goal in (("compiled solve", SOLVE, 30.0, 15.0), ("solve of a model", SOLVE_MODEL, 40.0, 20.0)):
        process_seconds(code)
        warm = [process_seconds(code) - min(bare) for _ in range(REPETITIONS)]
        yield f"warm {what}, numba's import included", min(warm), max(warm), "s", 1.0, None
        cold = []
        for _ in range(2):
            with tempfile.TemporaryDirectory() as folder:
                cold.append(process_seconds(code, NUMBA_CACHE_DIR=folder))
        yield f"cold {what}", min(cold), max(cold), "s", bar, goal


def machine():
    cpu = platform.processor() or platform.machine()
    if Path("/proc/cpuinfo").exists():
        lines = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
        cpu = lines[0].split(":")[1].strip() if lines else cpu
    packages = ", ".join(f"{name} {version(name)}" for name in ("genalpha", "numpy", "scipy", "numba", "exudyn"))
    return f"{cpu}, {os.cpu_count()} cores; Python {platform.python_version()}; {packages}"


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure speeds.")
    parser.add_argument("sections", nargs="*", help="all if none is named")
    parser.add_argument("--out", type=Path, default=OUT, help="file for the table [%(default)s]")
    arguments = parser.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    rows = ["| what | minimum | maximum | unit | bar | goal | |", "|---|---|---|---|---|---|---|"]
    print(machine(), rows[0], rows[1], sep="\n", flush=True)
    sections = (
        user_functions, soi2, contacts, friction, spheres.spheres, rigid.against_exudyn, rigid.growth,
        beams.beams, beams.beam_growth, symbolic, other_problems, results.results,
        driver.work, driver.streaming, driver.killed, start,
    )  # fmt: skip
    names = [section.__name__ for section in sections]
    unknown = [name for name in arguments.sections if name not in names]
    if unknown:
        parser.error(f"no section {', '.join(unknown)}; there are {', '.join(names)}")
    for section in sections:
        if arguments.sections and section.__name__ not in arguments.sections:
            continue
        for what, low, high, unit, bar, goal, *floor in section():
            reaches = (lambda limit, low=low: low >= limit) if any(floor) else (lambda limit, low=low: low <= limit)
            verdict = "" if bar is None else "goal" if goal and reaches(goal) else "ok" if reaches(bar) else "MISSED"
            numbers = " | ".join("" if x is None else f"{x:g}" for x in (bar, goal))
            rows.append(f"| {what} | {low:.3g} | {high:.3g} | {unit} | {numbers} | {verdict} |")
            print(rows[-1], flush=True)
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_text("\n".join([f"{machine()}\n", *rows, ""]), encoding="utf-8")
    print(f"written to {arguments.out}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["guard"]:
        sys.exit(guard.main(sys.argv[2:]))
    np.seterr(all="raise", under="ignore")
    main()

"""Error control against Radau IIA of scipy_dae, and files: work at equal error, streaming, killed processes."""

import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import genalpha as ga
from genalpha import problems

ERROR = 1e-3
"""RMS error of the trajectory at which work is compared."""


def rms(q, exact):
    return float(np.sqrt(np.mean((q - exact) ** 2)))


class Ours:
    """Error control with the default method."""

    def __init__(self, problem, t_end, times, exact):
        self.problem, self.span, self.times, self.exact = problem, (0.0, t_end), times, exact
        self.system = problem.system()

    def run(self, rtol):
        p = self.problem
        self.solution = ga.solve(self.system, self.span, p.q0, p.v0, rtol=rtol, t_eval=self.times)
        return rms(self.solution.q, self.exact)


class Radau:
    """scipy_dae on the stabilised form of index 2 with multipliers as derivatives (its README), functions jitted.

    q̇ = v + Gᵀ μ̇,   M v̇ = f + Gᵀ λ̇,   G v = 0,   g = 0
    """

    def __init__(self, problem, t_end, times, exact):

        self.span, self.times, self.exact = (0.0, t_end), times, exact
        system = problem.system()
        contract = system.contract(0.0, problem.q0, problem.v0)
        n, m, call, data = contract.nv, contract.ng, contract.evaluators, contract.data
        G, rows, cols = contract.patterns["G"], contract.patterns["M"].rows, contract.patterns["M"].cols
        values, gradient, force = np.zeros(len(rows)), np.zeros(G.size), np.zeros(n)
        constant = contract.constant_M

        def fun(t, y, yp):
            q, v = y[:n], y[n : 2 * n]
            q, v = np.ascontiguousarray(q), np.ascontiguousarray(v)
            out, residual = np.zeros(2 * n + 2 * m), np.zeros(m)
            if constant is None:
                call.M(t, q, data, values)
            mass = values if constant is None else constant
            call.f(t, q, v, data, force)
            call.G(t, q, data, gradient)
            call.g(t, q, data, residual)
            lam, mu = yp[2 * n : 2 * n + m], yp[2 * n + m :]
            out[:n] = yp[:n] - v - np.bincount(G.cols, gradient * mu[G.rows], n)
            out[n : 2 * n] = np.bincount(rows, mass * yp[n : 2 * n][cols], n) - force
            out[n : 2 * n] -= np.bincount(G.cols, gradient * lam[G.rows], n)
            out[2 * n : 2 * n + m] = np.bincount(G.rows, gradient * v[G.cols], m)
            out[2 * n + m :] = residual
            return out

        start = ga.consistent_initial_state(system, 0.0, problem.q0, problem.v0)
        self.y0 = np.concatenate([problem.q0, problem.v0, np.zeros(2 * m)])
        self.yp0 = np.concatenate([problem.v0, start.vdot, start.lam, np.zeros(m)])
        self.fun, self.n = fun, n

    def run(self, rtol):
        from scipy_dae.integrate import solve_dae

        sol = solve_dae(self.fun, self.span, self.y0, self.yp0, method="Radau", t_eval=self.times, rtol=rtol, atol=rtol)
        return rms(sol.y[: self.n].T, self.exact) if sol.success else np.inf


def tolerance(solver):
    """The largest tolerance with which the error is reached."""
    for rtol in 10.0 ** -np.arange(2.0, 9.0, 0.25):
        if solver.run(rtol) <= ERROR:
            return rtol
    return 1e-9


def work():
    """Evaluations of the forces, and CPU time over that of Radau at equal error, interleaved."""
    for name, t_end, bar in (("andrews", 0.03, 1000), ("chain16", 2.0, 1500)):
        problem, times = problems.get(name), np.linspace(0.0, t_end, 101)
        exact = problem.reference(times).q
        ours, radau = Ours(problem, t_end, times, exact), Radau(problem, t_end, times, exact)
        found = {solver: tolerance(solver) for solver in (ours, radau)}
        ours.run(found[ours])
        evaluations = ours.solution.stats.evaluations
        yield f"{name}: force evaluations for an RMS error of {ERROR:g}", evaluations, evaluations, "", bar, None
        spent = {ours: [], radau: []}
        for _ in range(3):
            for solver, values in spent.items():
                begin = time.process_time()
                solver.run(found[solver])
                values.append(time.process_time() - begin)
        least, most = min(spent[ours]) / min(spent[radau]), max(spent[ours]) / min(spent[radau])
        yield f"{name}: CPU time over that of scipy_dae's Radau at equal error", least, most, "", 1 / 3, 0.1
        stats = ours.solution.stats
        worst = max(stats.max_g, stats.max_gdot)
        yield f"{name}: largest violation of g = 0 and ġ = 0", worst, worst, "", 1e-10, None


@ga.evaluator
def springs(t, q, v, out):
    """Twelve oscillators."""
    for i in range(q.size):
        out[i] = -4.0 * q[i]


STREAMED = """
from benchmarks.driver import stream
print(*stream({n_steps}, {n}))
"""


def streaming(n_steps=1_000_000, n=12):
    """Rows of 49 numbers to a file: CPU time, integration included, and memory of a process that does nothing else."""
    code = STREAMED.format(n_steps=n_steps, n=n)
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    low, high, memory = map(float, done.stdout.split()[-3:])
    yield "1e6 steps x 49 columns to a file: CPU time for 100 MB", low, high, "s", 1.0, None
    yield "resident memory of its process", memory, memory, "MB", 400.0, None


def stream(n_steps, n):
    """Smallest and largest seconds for 100 MB, and MB of resident memory."""
    system = ga.System(M=np.eye(n), f=springs, f_q=-4.0 * np.eye(n), f_v=0)
    q0, v0 = np.linspace(1.0, 2.0, n), np.zeros(n)
    ga.solve(system, (0.0, 0.1), q0, v0, h=1e-3)
    seconds = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(3):
            begin = time.process_time()
            ga.solve(system, (0.0, n_steps * 1e-3), q0, v0, h=1e-3, out=Path(folder) / "run.h5")
            seconds.append(time.process_time() - begin)
    size = 8e-6 * n_steps * (4 * n + 1)
    return min(seconds) / size * 100, max(seconds) / size * 100, largest_memory()


def largest_memory():
    """MB that this process has had at most; what `resource` says counts that of the process that started it as well."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    return next(float(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmHWM")) / 1e3


KILLED = """
import sys
import genalpha as ga
from genalpha import problems
p = problems.get("bouncing_pendulum")
say = lambda t: print(t, flush=True)
ga.solve(p.system(), (0.0, 10.0), p.q0, p.v0, h=1e-5, out=sys.argv[1], progress=say)
"""


def kill(path, seconds):
    """Start the run, kill it so many seconds after its file has appeared; the last time that it has reported."""
    path.unlink(missing_ok=True)
    process = subprocess.Popen([sys.executable, "-c", KILLED, str(path)], stdout=subprocess.PIPE, text=True)
    while not path.exists() and process.poll() is None:
        time.sleep(0.001)
    time.sleep(seconds)
    process.kill()
    if process.wait() > 0:
        raise RuntimeError("the run ended by itself, with an exception")
    lines = process.communicate()[0].split("\n")[:-1]  # the last one may be cut off
    return float(lines[-1]) if lines else 0.0


def killed(times=20, h=1e-5):
    """A run of 1e6 steps, killed at random moments: files that do not open, rows lost, runs that end in other bits.

    A run reports a block when it is in the file; what is lost beyond is the block that was being made.
    """
    problem = problems.get("bouncing_pendulum")
    with tempfile.TemporaryDirectory() as folder:
        whole_file, path = Path(folder) / "whole.h5", Path(folder) / "run.h5"
        whole = ga.solve(problem.system(), (0.0, 10.0), problem.q0, problem.v0, h=h, out=whole_file)
        closed, lost, other = 0, 0, 0
        for _ in range(times):
            reported = kill(path, random.uniform(0.0, 1.1 * whole.stats.seconds))
            try:
                sol = ga.load(path)
            except ga.FileError as error:
                print(error)
                closed += 1
                continue
            lost = max(lost, round((reported - sol.t_last) / h))
            done = sol if sol.success else ga.resume(path)
            names = ("t", "q", "v", "vdot", "a", "lam", "gap", "impulse")
            other += not all(np.array_equal(getattr(done, name), getattr(whole, name)) for name in names)
    what = f"{times} runs of 1e6 steps killed at random: "
    yield f"{what}files that do not open", closed, closed, "", 0.0, None
    yield f"{what}rows lost at most, besides the block being made", lost, lost, "", 0.0, None
    yield f"{what}runs that do not end in the same bits", other, other, "", 0.0, None

"""Rigid models against Exudyn, and against themselves as they grow.

Both integrate the same mechanism with index-3 constraints, ρ∞ = 0.8 and h = 1 ms in one process, in turns, and the
smallest CPU time counts. Exudyn gets every tolerance of `peer.TOLERANCES`; its time is the shortest of them all (those
that a first look finds a quarter slower are left out). What the iterations leave over, the *solver error*, is the
distance of the last body from where the same scheme puts it with a tight tolerance, after 0.2 s. Ours gets the loosest
tolerance whose solver error is not larger than that of Exudyn's fastest run. Neither watches ġ and g̈ in index-3 runs
(ours can).
"""

import time

import numpy as np

import genalpha as ga
from genalpha import problems

H, RHO_INF = 1e-3, 0.8
TIGHT = (1e-11, 1e-10, 1e-9)  # the first that converges
TOLERANCES = (1e-8, 1e-7, 1e-6, 1e-5)
GROWTH_STEPS = 1000
ERROR_STEPS = 200  # later the motion is chaotic

PARAMETER = {"chain": "bodies", "four_bar": "loops"}

# (what, problem, its size, steps, rounds, bar, goal): a second of motion at least, a chain begins slowly; many short
# runs rather than few long ones where that allows it, because the clock of a shared machine changes within seconds
CASES = (
    ("3D pendulum", "chain", 1, 20_000, 12, 8.0, 12.0),
    ("chain of 2", "chain", 2, 12_000, 12, 12.0, 20.0),
    ("chain of 8", "chain", 8, 2000, 12, 20.0, 30.0),
    ("chain of 32", "chain", 32, 1000, 12, 20.0, 30.0),
    ("chain of 128", "chain", 128, 1000, 6, 20.0, 30.0),
    ("chain of 512", "chain", 512, 1000, 3, 25.0, 40.0),
    ("four-bar x1", "four_bar", 1, 12_000, 12, 12.0, 15.0),
    ("four-bar x4", "four_bar", 4, 3000, 12, 12.0, 15.0),
    ("four-bar x40", "four_bar", 40, 1000, 10, 12.0, 15.0),
)
ROUNDS = 12  # of chains and beams that grow


def ours(system, n_steps, formulation, tol=1e-8):
    """(seconds of CPU time, where the last body is)."""
    method = ga.GeneralizedAlpha(rho_inf=RHO_INF, formulation=formulation, tol=tol, watch="enforced")
    begin = time.process_time()
    solution = ga.solve(system, (0.0, n_steps * H), method=method, h=H, save_every=n_steps)
    return time.process_time() - begin, solution[system.model.bodies[-1].name].position[-1]


class Times:
    """µs per step of one program, and where it puts the last body: what a run takes beyond a run of one step."""

    def __init__(self, run, n_steps):
        self.run, self.n_steps, self.times = run, n_steps, []
        self.short = min(run(1)[0] for _ in range(3))

    def measure(self):
        elapsed, self.position = self.run(self.n_steps)
        self.short = min(self.short, self.run(1)[0])
        self.times.append(elapsed)

    @property
    def best(self):
        return (min(self.times) - self.short) / (self.n_steps - 1) * 1e6

    @property
    def worst(self):
        return (max(self.times) - self.short) / (self.n_steps - 1) * 1e6


def against_exudyn():
    """Rows (what, minimum, maximum, unit, bar, goal, floor): Exudyn's time over ours, and PVA's time over that of P."""
    from benchmarks import peer

    for what, name, size, n_steps, rounds, bar, goal in CASES:
        system, build = (
            problems.get(name, **{PARAMETER[name]: size}).system(),
            {"chain": peer.chain, "four_bar": peer.four_bar}[name],
        )

        def exudyn(tolerance, build=build, size=size):
            return lambda n: peer.run(lambda: build(size), n, H, RHO_INF, tolerance, sparse=size > 2)

        def genalpha(formulation, tolerance, system=system):
            return lambda n: ours(system, n, formulation, tolerance)

        theirs = quick_ones({tolerance: Times(exudyn(tolerance), n_steps) for tolerance in peer.TOLERANCES})
        errors, own = solver_errors(exudyn, theirs), solver_errors(lambda t: genalpha("P", t), TOLERANCES)
        fastest = min(theirs, key=lambda t: theirs[t].best)
        tolerance = max(t for t in TOLERANCES if own[t] <= errors[fastest] or t == min(TOLERANCES))
        mine = {formulation: Times(genalpha(formulation, tolerance), n_steps) for formulation in ("P", "PVA")}
        for _ in range(rounds):
            for times in (*theirs.values(), *mine.values()):
                times.measure()
        fastest = min(theirs, key=lambda t: theirs[t].best)
        peer_time, p, pva = theirs[fastest], mine["P"], mine["PVA"]
        remark = f"{peer_time.best:.3g} / {p.best:.3g} µs, solver error {errors[fastest]:.0e} / {own[tolerance]:.0e}"
        ratio, lowest = peer_time.best / p.best, peer_time.best / p.worst
        yield f"{what}: Exudyn / ours, {remark}", ratio, lowest, "x", bar, goal, True
        yield f"{what}: PVA / P, {pva.best:.3g} µs", pva.best / p.best, pva.worst / p.worst, "", 2.5, 1.7, False


def quick_ones(runs):
    """Those of the runs that may be the fastest: a first look leaves out what takes a quarter more."""
    for times in runs.values():
        times.measure()
    least = min(times.best for times in runs.values())
    return {key: times for key, times in runs.items() if times.best <= 1.25 * least}


def solver_errors(run_with, tolerances):
    """{tolerance: distance of the last body from where the tightest tolerance puts it, after ERROR_STEPS steps}."""

    def position(tolerance):
        try:
            return run_with(tolerance)(ERROR_STEPS)[1]
        except Exception:  # Exudyn does not converge to every tolerance
            return None

    tight = next((found for t in TIGHT if (found := position(t)) is not None), np.nan)
    positions = {t: position(t) for t in tolerances}
    return {t: np.nan if x is None else float(np.abs(x - tight).max()) for t, x in positions.items()}


def growth():
    """µs per body and step of chains, formulation P."""
    chains = {n: problems.get("chain", bodies=n).system() for n in (32, 128, 512, 2048, 4096)}
    yield from grow(chains, GROWTH_STEPS, 1e-8, ("chain of {}, per body", "chains of {} ... {}, per body"))


def grow(systems, n_steps, tol, words):
    """Rows of µs per unit and step, for {units: system}, and of the largest over the smallest.

    All go through the same motion, in turns, small ones more often; what they take to be set up is not counted. Memory
    is shared with whoever else is on the machine: the minimum of many turns is what counts.
    """
    method = ga.GeneralizedAlpha(rho_inf=RHO_INF, formulation="P", tol=tol, watch="enforced")
    found = {n: [] for n in systems}
    for _ in range(ROUNDS):
        for n, system in systems.items():
            for _ in range(max(1, 1024 // n)):
                solution = ga.solve(system, (0.0, n_steps * H), method=method, h=H, save_every=n_steps)
                found[n].append(solution.stats.seconds / n_steps / n * 1e6)
    for n, times in found.items():
        yield words[0].format(n), min(times), max(times), "µs/step", None, None, False
    best = [min(times) for times in found.values()]
    what = words[1].format(min(found), max(found)) + ": largest / smallest"
    yield what, max(best) / min(best), max(best) / min(best), "", 1.3, None, False

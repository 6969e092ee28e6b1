"""Rigid models against Exudyn, and against themselves as they grow.

Both integrate the same mechanism with index-3 constraints, ρ∞ = 0.8 and h = 1 ms in one process, in turns, and the
smallest CPU time counts. Exudyn gets every tolerance of `peer.TOLERANCES`; its time is the shortest of them all. What
the iterations leave over, the *solver error*, is the distance of the last body from where the same scheme puts it with
a tight tolerance, after 0.2 s. Ours gets the loosest tolerance whose solver error is not larger than that of Exudyn's
fastest run. Neither watches ġ and g̈ in index-3 runs (ours can).
"""

import time

import numpy as np

import genalpha as ga
from genalpha import problems

H, RHO_INF, TIGHT = 1e-3, 0.8, 1e-11
TOLERANCES = (1e-8, 1e-7, 1e-6, 1e-5)
ERROR_STEPS = 200  # later the motion is chaotic

PARAMETER = {"chain": "bodies", "four_bar": "loops"}

# (what, problem, its size, steps, repetitions, bar, goal)
CASES = (
    ("3D pendulum", "chain", 1, 30_000, 5, 8.0, 12.0),
    ("chain of 2", "chain", 2, 20_000, 5, 12.0, 20.0),
    ("chain of 8", "chain", 8, 4000, 5, 20.0, 30.0),
    ("chain of 32", "chain", 32, 1000, 5, 20.0, 30.0),
    ("chain of 128", "chain", 128, 300, 4, 20.0, 30.0),
    ("chain of 512", "chain", 512, 120, 3, 25.0, 40.0),
    ("four-bar x1", "four_bar", 1, 20_000, 5, 12.0, 15.0),
    ("four-bar x4", "four_bar", 4, 5000, 5, 12.0, 15.0),
    ("four-bar x40", "four_bar", 40, 600, 4, 12.0, 15.0),
)


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

    def measured(self):
        """A first look."""
        self.measure()
        return self.best

    @property
    def best(self):
        return (min(self.times) - self.short) / (self.n_steps - 1) * 1e6

    @property
    def worst(self):
        return (max(self.times) - self.short) / (self.n_steps - 1) * 1e6


def against_exudyn():
    """Rows (what, minimum, maximum, unit, bar, goal, floor): Exudyn's time over ours, and PVA's time over that of P."""
    from benchmarks import peer

    for what, name, size, n_steps, repetitions, bar, goal in CASES:
        system, build = (
            problems.get(name, **{PARAMETER[name]: size}).system(),
            {"chain": peer.chain, "four_bar": peer.four_bar}[name],
        )

        def exudyn(tolerance, build=build, size=size):
            return lambda n: peer.run(lambda: build(size), n, H, RHO_INF, tolerance, sparse=size > 2)

        def genalpha(formulation, tolerance, system=system):
            return lambda n: ours(system, n, formulation, tolerance)

        theirs = {tolerance: Times(exudyn(tolerance), n_steps) for tolerance in peer.TOLERANCES}
        errors = {t: distance(exudyn(t), exudyn(TIGHT)) for t in peer.TOLERANCES}
        fastest = min(peer.TOLERANCES, key=lambda t: Times(exudyn(t), n_steps).measured())
        own = {t: distance(genalpha("P", t), genalpha("P", TIGHT)) for t in TOLERANCES}
        tolerance = max(t for t in TOLERANCES if own[t] <= errors[fastest] or t == min(TOLERANCES))
        mine = {formulation: Times(genalpha(formulation, tolerance), n_steps) for formulation in ("P", "PVA")}
        for _ in range(repetitions):
            for times in (*theirs.values(), *mine.values()):
                times.measure()
        fastest = min(theirs, key=lambda t: theirs[t].best)
        peer_time, p, pva = theirs[fastest], mine["P"], mine["PVA"]
        remark = f"{peer_time.best:.3g} / {p.best:.3g} µs, solver error {errors[fastest]:.0e} / {own[tolerance]:.0e}"
        ratio, lowest = peer_time.best / p.best, peer_time.best / p.worst
        yield f"{what}: Exudyn / ours, {remark}", ratio, lowest, "x", bar, goal, True
        yield f"{what}: PVA / P, {pva.best:.3g} µs", pva.best / p.best, pva.worst / p.worst, "", 2.5, 1.7, False


def distance(run, tight):
    """Between where two runs of ERROR_STEPS steps put the last body."""
    try:
        return float(np.abs(run(ERROR_STEPS)[1] - tight(ERROR_STEPS)[1]).max())
    except Exception:  # Exudyn does not converge to every tolerance
        return float("nan")


def growth():
    """µs per body and step of chains, formulation P."""
    found = {}
    for n, n_steps in ((32, 2000), (128, 500), (512, 150), (2048, 60), (4096, 40)):
        system = problems.get("chain", bodies=n).system()
        times = Times(lambda k, system=system: ours(system, k, "P"), n_steps)
        for _ in range(4):
            times.measure()
        found[n] = times.best / n
        yield f"chain of {n}, per body", found[n], times.worst / n, "µs/step", None, None, False
    ratio = max(found.values()) / min(found.values())
    yield "chains of 32 ... 4096, per body: largest / smallest", ratio, ratio, "", 1.3, None, False

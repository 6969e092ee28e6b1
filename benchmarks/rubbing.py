"""Contacts with friction against the same contacts without, step by step."""

import dataclasses

import genalpha as ga
from genalpha import problems

WITHOUT = {"slip": None, "nt": None, "slip_v": None, "slip_q": None, "slip_t": None, "mu": None, "mu_static": None}


def ratios(measure, repetitions=9):
    """CPU time per step of what slides and sticks over that of the contact without friction; in turns.

    Parameters
    ----------
    measure : callable (system, problem, method, steps, h)
        CPU time per step, µs.
    """
    method = ga.GeneralizedAlpha(rho_inf=0.8)
    for name, other, h, bar, goal in (
        ("sliding_block", None, 1e-5, 2.0, 1.5),
        ("stick_slip", None, 1e-4, 2.0, 1.5),
        ("woodpecker", "bouncing_pendulum", 1e-4, 4.0, None),
    ):
        problem = problems.get(name)
        base = problem if other is None else problems.get(other)
        plain = dataclasses.replace(problem.system(), **WITHOUT) if other is None else base.system()
        cases = [
            (problem.system(), problem, method, 50_000, h),
            (plain, base, method, 50_000, h if other is None else 1e-3),
        ]
        for case in cases:
            measure(*case[:3], 20, case[4])
        times = [[measure(*case) for case in cases] for _ in range(repetitions)]
        rubbing, smooth = (min(column) for column in zip(*times, strict=True))
        most = max(row[0] for row in times)
        what = f"{name} over {other or 'the same without friction'}"
        yield what, rubbing / smooth, most / smooth, "", bar, goal

"""CPU time per step."""

from __future__ import annotations

import time


def time_steps(target, method, h: float, steps: int, repeats: int):
    """(µs per step of each run, the last solution); a first run of a few steps compiles or loads what is needed."""
    from genalpha.run.solve import solve

    t0 = target.settings.get("t_span", (0.0, 0.0))[0]
    options = {**target.state, "method": method, "h": h, "save_every": steps}
    sol = solve(target.system, (t0, t0 + 2 * h), **options)
    times = []
    for _ in range(repeats):
        begin = time.process_time()
        sol = solve(target.system, (t0, t0 + steps * h), **options)
        times.append(1e6 * (time.process_time() - begin) / steps)
    return times, sol

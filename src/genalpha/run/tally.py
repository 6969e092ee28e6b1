"""Counts of a run: from its arrays to `Statistics`."""

from __future__ import annotations

import math

from genalpha.solution.statistics import Statistics
from genalpha.step import state


def statistics_of(run) -> Statistics:
    """What a run has counted so far."""
    counts, memory, scheme = run.setup.arrays.counts, run.setup.arrays.memory, run.setup.scheme
    watched = scheme.watch or scheme.level != state.POSITION
    return Statistics(
        steps=int(counts[state.STEPS]),
        newton=int(counts[state.NEWTON]),
        most_newton=int(counts[state.MOST_NEWTON]),
        evaluations=int(counts[state.EVALUATIONS]),
        jacobians=int(counts[state.JACOBIANS]),
        factorisations=int(counts[state.FACTORISATIONS]),
        rejected_error=int(counts[state.REJECTED_ERROR]),
        rejected_newton=int(counts[state.REJECTED_NEWTON]),
        rejected_impact=int(counts[state.REJECTED_IMPACT]),
        rescues=run.rescues,
        stagnated=int(counts[state.STAGNATED]),
        max_g=float(memory[state.WORST_G]),
        max_gdot=float(memory[state.WORST_GDOT]) if watched else math.nan,
        max_gddot=float(memory[state.WORST_GDDOT]) if watched else math.nan,
        max_k=float(memory[state.WORST_K]),
        penetration=max(0.0, -float(memory[state.WORST_GAP])) if run.contract.nc else 0.0,
        complementarity=float(memory[state.WORST_PRODUCT]),
        coupled=int(counts[state.COUPLED]),
        cycles=int(counts[state.CYCLES]),
        retries=run.retries,
        seconds=run.seconds,
    )

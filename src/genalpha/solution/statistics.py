"""What a run counts, and the extremes that it has seen."""

from __future__ import annotations

import math
from dataclasses import dataclass

from genalpha.step import state


@dataclass(frozen=True)
class Statistics:
    """Counts and extremes of a run; the extremes are over every step, saved or not.

    Attributes
    ----------
    steps, newton, most_newton, evaluations, jacobians, factorisations : int
        Steps made, Newton iterations in all and at most in one step, evaluations of the forces, evaluations of
        stiffness and damping, factorised matrices; the work of rejected steps is in all but the first.
    rejected_error, rejected_newton, rejected_impact : int
        Steps that error control has rejected: for their errors, because the iteration or its active sets did not
        settle, for an impact in too long a step.
    rescues : int
        Steps that SuperLU had to take over.
    stagnated : int
        Steps accepted at round-off before the tolerance was reached.
    max_g, max_gdot, max_gddot, max_k : float
        Largest |g|, |ġ|, |g̈| and |k|.
    penetration : float
        Depth of the deepest penetration of a contact, 0 if there was none.
    complementarity : float
        Largest |gap| times impulse of a contact that counts as closed.
    coupled, cycles, retries : int
        Iterations of the coupled kind, active sets that came back and were resolved, steps that were divided or moved.
    seconds : float
        Wall-clock time of the integration, without compilation.

    Examples
    --------
    >>> import numpy as np
    >>> import genalpha as ga
    >>> pendulum = ga.System(
    ...     M=np.eye(2), f=lambda t, q, v: np.array([0.0, -9.81]), g=lambda t, q: np.array([q @ q - 1.0])
    ... )
    >>> stats = ga.solve(pendulum, (0.0, 1.0), [1.0, 0.0], [0.0, 0.0], h=0.01).stats
    >>> stats.steps, stats.max_g < 1e-12, stats.max_gddot < 1e-10
    (100, True, True)
    """

    steps: int = 0
    newton: int = 0
    most_newton: int = 0
    evaluations: int = 0
    jacobians: int = 0
    factorisations: int = 0
    rejected_error: int = 0
    rejected_newton: int = 0
    rejected_impact: int = 0
    rescues: int = 0
    stagnated: int = 0
    max_g: float = 0.0
    max_gdot: float = 0.0
    max_gddot: float = 0.0
    max_k: float = 0.0
    penetration: float = 0.0
    complementarity: float = 0.0
    coupled: int = 0
    cycles: int = 0
    retries: int = 0
    seconds: float = 0.0


def statistics_of(arrays: state.Arrays, scheme: state.Scheme, rescues: int, retries: int, seconds: float) -> Statistics:
    """What a run has counted so far, from its arrays; what is counted outside of the loop is given."""
    counts, memory, worst_gap = arrays.counts, arrays.memory, float(arrays.memory[state.WORST_GAP])
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
        rescues=rescues,
        stagnated=int(counts[state.STAGNATED]),
        max_g=float(memory[state.WORST_G]),
        max_gdot=float(memory[state.WORST_GDOT]) if watched else math.nan,
        max_gddot=float(memory[state.WORST_GDDOT]) if watched else math.nan,
        max_k=float(memory[state.WORST_K]),
        penetration=max(0.0, -worst_gap),
        complementarity=float(memory[state.WORST_PRODUCT]),
        coupled=int(counts[state.COUPLED]),
        cycles=int(counts[state.CYCLES]),
        retries=retries,
        seconds=seconds,
    )

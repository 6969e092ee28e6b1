"""When a Newton iteration has settled."""

from __future__ import annotations

from genalpha.compiled.jit import step
from genalpha.step.kernels import largest_of_two, largest_product
from genalpha.step.state import (
    G_UNIT,
    POSITION,
    Q0,
    Q1,
    Q_UNIT,
    ROWS,
    STAGNATED,
    TANGENT_AGE,
    V0,
    V1,
    V_UNIT,
)
from genalpha.step.values import EPSILON

LATE, WILD = 5, 1e6
"""From this iteration on an iterate counts as so many times what the step began with at most."""


@step
def judge(sizes, scheme, arrays, stride, progress, newton):
    """Has the iteration settled? Gives (settled, contraction, a new tangent is wanted).

    It stops on the predicted error, the last correction times the contraction, measured at the velocity level; the
    contraction comes from this step, or in a first iteration from those before, and is not below a floor. A way d of
    the positions leaves g = O(d²), so it must also be short enough for that to be round-off; or g is that all the same,
    as for points that are held.
    """
    iteration, scale, before, contraction, floor = progress
    error, to_velocity = newton.error, stride.to_velocity
    Q, V, L, counts, ng = arrays.Q, arrays.V, arrays.L, arrays.counts, sizes.ng
    extent, speed = largest_of_two(Q, Q1, Q_UNIT, V, V1, V_UNIT)
    if iteration >= LATE:
        # the round-off of iterates that have run away excuses nothing
        first, _ = largest_of_two(Q, Q0, Q_UNIT, V, V0, V_UNIT)
        if scale > 0.0 and first > 0.0:
            extent, speed = min(extent, WILD * (first + stride.h * scale)), min(speed, WILD * scale)
    tolerance = scheme.tol * scale + 8.0 * EPSILON * (to_velocity * extent + speed)
    refresh = False
    if iteration > 0:
        rate = error / before if before > 0.0 else 0.0
        contraction = max(rate / (1.0 - rate), floor) if rate < 1.0 else 1e300
        refresh = rate > 0.1 and ((scheme.reuse == 1 and counts[TANGENT_AGE] > 0) or iteration > 3)
        if rate > 0.5 and error <= 1e3 * tolerance:
            # round-off inside the forces keeps the corrections from falling further
            counts[STAGNATED] += 1
            contraction = 0.0
    short = ng + sizes.m - sizes.nb == 0 or scheme.polish == 1 or newton.way <= 1e-7 * extent
    if not short and scheme.level == POSITION:
        short = largest_product(L[ROWS], L[G_UNIT], ng) <= 1e-14 * extent
    tiny = error <= min(tolerance, 1e-9 * scale + 8.0 * EPSILON * (to_velocity * extent + speed))
    return tiny or (short and min(contraction, 1.0) * error <= tolerance), contraction, refresh

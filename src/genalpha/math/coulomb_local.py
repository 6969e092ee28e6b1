"""One contact alone: its exact solutions in every mode, with the forces of all others as they are.

Slip with the direction d has P_t = -ρ d, and with the rows of the contact alone

    ρ (a_nn - a_nt·d) = m,      y_t = g + ρ (a_tn - A_tt d) = λ d,      λ ≥ 0

where m and g are what ρ = 0 leaves. With D = a_nn - a_nt·d, the unknown t = λ D has the sign of D, and

    (t I + H) d = h,      |d| = 1,      H = m A_tt + g a_ntᵀ,      h = a_nn g + m a_tn

It is one scalar equation in a plane as in space, and with drilling. Its root of largest |t| is the one without a
paradox; roots with D < 0 are slip in which friction jams the contact (Painlevé), and often there is none.
"""

from __future__ import annotations

import numpy as np

from genalpha.compiled.jit import leaf, step
from genalpha.math.coulomb_newton import correct, put_y, shift, size_of, violations
from genalpha.math.coulomb_tables import (
    BEGIN,
    DIRECTION,
    DISK,
    GIVEN,
    GRIP,
    JUMP,
    LAW,
    MODE,
    NORMAL,
    OPEN,
    SLIP,
    SPAN,
    STICK,
    TOTAL,
)

POINTS, RATIO = 40, 0.75
"""Where a change of sign is looked for: so many points, each that part of the one before, and 0."""

HALVINGS = 100

RIGHT, TOWARDS, DIRECTIONS = 9, 12, 15
"""Where h, d and the solutions begin behind H, in `Problem.local`."""

MOST = 6
"""Solutions of slip that are looked at."""


@leaf
def sweep(problem, guess, sweeps, tolerance):
    """Solve one element after the other, with the forces of all others as they are, in the first mode that holds.

    Gives how many have none in the last sweep.

    Parameters
    ----------
    problem : Problem
        p, y, modes and directions follow.
    guess : int
        The mode that is tried before stick, slip and open; -1 for none.
    sweeps : int
    tolerance : float
    """
    slack, failed = 0.0, 0
    for turn in range(sweeps * problem.n_el):
        e = turn % problem.n_el
        if e == 0:
            put_y(problem)
            slack, failed = tolerance * size_of(problem), 0
        found, span = False, np.int64(problem.numbers[e, SPAN])
        for attempt in range(5):
            mode = guess if attempt == 0 else (OPEN if attempt == 4 else attempt)  # STICK, SLIP, TOTAL
            count = put_directions(problem, e, mode) if not found and mode >= 0 else 0
            for k in range(count):
                for a in range(0 if found else span):
                    problem.numbers[e, DIRECTION + a] = problem.local[DIRECTIONS + 3 * k + a]
                if not found:
                    correct(problem, e, e + 1, False)
                    miss, wrong = violations(problem, e, False)
                    found = miss <= slack and wrong <= slack
        failed += 0 if found else 1
    return failed


@step
def put_directions(problem, e, mode):
    """Put the mode, and the directions of its slip into `Problem.local`, those of largest |t| first.

    Gives their number: 1 without slip or where the direction is given, 0 if the law has no such mode.
    """
    q, span, law = problem.local, np.int64(problem.numbers[e, SPAN]), problem.elements[e, LAW]
    if (mode == OPEN and problem.elements[e, NORMAL] < 0) or (mode == STICK and law == GIVEN and span > 0):
        return 0
    if (mode >= SLIP and span == 0) or (mode == TOTAL and law != JUMP):
        return 0
    problem.elements[e, MODE] = mode
    for a in range(span):
        q[DIRECTIONS + a] = problem.numbers[e, DIRECTION + a]
        q[DIRECTIONS + 3 + a] = -problem.numbers[e, DIRECTION + a]
    if mode < SLIP or law == GIVEN:
        return 1
    return 2 if span == 1 else put_roots(problem, e, q)


@step
def put_roots(problem, e, q):
    """The directions of slip in space; gives their number."""
    put_equation(problem, e, q)
    found, t, above = 0, 0.0, 0.0
    for k in range(2 * POINTS):
        if k % POINTS == 0:
            t = 1.0 if k == 0 else -1.0
            above = steepness(q, t)
        low = t * RATIO if (k + 1) % POINTS > 0 else 0.0
        below = steepness(q, low)
        for side in range(2):  # the determinant may change its sign between two roots
            level = 1.0 - 2.0 * side
            if (above >= level) != (below >= level) and found < MOST:
                refine(q, level, low, t, below - level, above - level)
                for a in range(np.int64(problem.numbers[e, SPAN])):
                    q[DIRECTIONS + 3 * found + a] = q[TOWARDS + a]
                found += 1
        t, above = low, below
    return found


@step
def put_equation(problem, e, q):
    """H and h, divided by a bound of |t|, with ones on the diagonal beyond the width."""
    numbers, p, y, W = problem.numbers, problem.p, problem.y, problem.W
    i, span = np.int64(numbers[e, BEGIN]), np.int64(numbers[e, SPAN])
    part = 1.0 if problem.elements[e, LAW] == DISK or problem.elements[e, MODE] == TOTAL else 0.0
    for j in range(i, i + 1 + span):
        base = problem.base[j]
        shift(problem, j, -p[j] - part * (max(base, 0.0) if j == i else base))
    m, size = -y[i], 0.0
    for a in range(3):
        row = (i + 1 + a) * problem.m
        inside = a < span
        q[RIGHT + a] = (W[i * problem.m + i] * y[i + 1 + a] + m * W[row + i]) / numbers[e, GRIP] if inside else 0.0
        size += abs(q[RIGHT + a])
        for b in range(3):
            inside = a < span and b < span
            q[3 * a + b] = m * W[row + i + 1 + b] + y[i + 1 + a] * W[i * problem.m + i + 1 + b] if inside else 0.0
            size += abs(q[3 * a + b])
    for k in range(RIGHT + 3):
        q[k] /= size if size > 0.0 else 1.0
    if span < 3:
        q[8] = 1.0


@leaf
def steepness(q, t):
    """1/|d| of t by Cramer's rule, with the sign of the determinant; puts d, of length one."""
    a, b, c, d, e, f, g, h, i = q[0] + t, q[1], q[2], q[3], q[4] + t, q[5], q[6], q[7], q[8]
    if i != 1.0:
        i += t
    x, y, z = q[RIGHT], q[RIGHT + 1], q[RIGHT + 2]
    u = x * (e * i - f * h) + y * (h * c - i * b) + z * (b * f - c * e)
    v = x * (f * g - d * i) + y * (i * a - g * c) + z * (c * d - a * f)
    w = x * (d * h - e * g) + y * (g * b - h * a) + z * (a * e - b * d)
    determinant = a * (e * i - f * h) + b * (f * g - d * i) + c * (d * h - e * g)
    length = np.sqrt(u * u + v * v + w * w)
    if length == 0.0:
        return 1e300
    sign = 1.0 / length if determinant >= 0.0 else -1.0 / length
    q[TOWARDS], q[TOWARDS + 1], q[TOWARDS + 2] = u * sign, v * sign, w * sign
    return determinant / length


@step
def refine(q, level, low, high, below, above):
    """The direction at the root between two t, by regula falsi that keeps no end for long (Illinois)."""
    for _ in range(HALVINGS):
        t = (low * above - high * below) / (above - below)
        value = steepness(q, t) - level
        if abs(value) <= 4e-16 or abs(high - low) <= 1e-16 * abs(high):
            break
        if (value >= 0.0) == (above >= 0.0):
            high, above, below = t, value, 0.5 * below
        else:
            low, below, above = t, value, 0.5 * above

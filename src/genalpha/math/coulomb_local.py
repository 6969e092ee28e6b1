"""One contact alone: its exact solutions in every mode, with the forces of all others as they are.

Slip with the direction d has P_t = -ρ d, and with the rows of the contact alone

    ρ (a_nn - a_nt·d) = m,      y_t = g + ρ (a_tn - A_tt d) = λ d,      λ ≥ 0

where m and g are constants. With D = a_nn - a_nt·d, the unknown t = λ D has the sign of D, and

    (t I + H) d = h,      |d| = 1,      H = m A_tt + g a_ntᵀ,      h = a_nn g + m a_tn

It is one scalar equation in a plane as in space, and with drilling. Its root of largest |t| is the one without a
paradox; roots with D < 0 are slip in which friction jams the contact (Painlevé), and often there is none.
"""

from __future__ import annotations

import numpy as np

from genalpha.compiled.jit import leaf, step
from genalpha.math.coulomb_tables import (
    DIRECTION,
    DISK,
    FIRST,
    FORCE,
    FREE,
    FREE_Y,
    GIVEN,
    JUMP,
    KAPPA,
    LAW,
    MATRIX,
    NORMAL,
    OPEN,
    RADIUS,
    RIGHT,
    SHIFTED,
    SLIP,
    STICK,
    TOTAL,
    TOWARDS,
    WIDTH,
)
from genalpha.math.least import least_norm

TINY = 1e-14
"""A divisor over its terms that counts as zero."""

POINTS, RATIO = 10, 0.2
"""Where a change of sign is looked for: so many points, each that part of the one before, and 0."""

HALVINGS = 100


@leaf
def solve_alone(problem, e, guess, slack):
    """The forces of element e if all others stay: the guessed mode (-1: none), stick, slip, open.

    p and y follow, and the direction of slip. Gives the mode, -1 if none is consistent: then nothing changes.

    Parameters
    ----------
    problem : Problem
    e : int
    guess : int
    slack : float
        What counts as zero, a root of an energy.
    """
    isolate(problem, e)
    for attempt in range(5):
        mode = guess if attempt == 0 else (STICK, SLIP, TOTAL, OPEN)[attempt - 1]
        if mode >= 0 and is_consistent(problem, e, mode, slack):
            put_forces(problem, e)
            return mode
    return -1


@step
def isolate(problem, e):
    """y of the element without its own forces, and its forces."""
    W, p, y, local, elements = problem.W, problem.p, problem.y, problem.local, problem.elements
    first = elements[e, FIRST] - 1
    begin = 0 if elements[e, NORMAL] >= 0 else 1
    for a in range(begin, elements[e, WIDTH] + 1):
        i = elements[e, NORMAL] if a == 0 else first + a
        value = y[i]
        for b in range(begin, elements[e, WIDTH] + 1):
            j = elements[e, NORMAL] if b == 0 else first + b
            value -= W[i, j] * p[j]
        local[FREE_Y + a] = value


@step
def put_forces(problem, e):
    """The forces found become those of the element; y follows."""
    W, p, y, local, elements = problem.W, problem.p, problem.y, problem.local, problem.elements
    for a in range(0 if elements[e, NORMAL] >= 0 else 1, elements[e, WIDTH] + 1):
        j = elements[e, NORMAL] if a == 0 else elements[e, FIRST] - 1 + a
        change = local[FORCE + a] - p[j]
        p[j] = local[FORCE + a]
        if change != 0.0:
            for i in range(problem.n):
                y[i] += W[j, i] * change


@step
def is_consistent(problem, e, mode, slack):
    """Do the laws hold in this mode? Its forces are in `Problem.local` then."""
    normal, width, law = problem.elements[e, NORMAL], problem.elements[e, WIDTH], problem.elements[e, LAW]
    if mode == OPEN:
        for a in range(width + 1):
            problem.local[FORCE + a] = 0.0
        return normal >= 0 and problem.local[FREE_Y] >= -slack * problem.scale[normal]
    if width == 0 or law == FREE:
        return mode == STICK and press_alone(problem, e, slack)
    if mode == STICK:
        return law != GIVEN and stick_alone(problem, e, slack)
    if mode == TOTAL:
        return law == JUMP and slip_alone(problem, e, True, slack)
    return slip_alone(problem, e, law == DISK, slack)


@step
def presses(problem, normal, force, slack):
    return (force + problem.base[normal]) * problem.scale[normal] >= -slack


@step
def press_alone(problem, e, slack):
    """Closed without friction."""
    local, normal = problem.local, problem.elements[e, NORMAL]
    for a in range(problem.elements[e, WIDTH] + 1):
        local[FORCE + a] = 0.0
    if normal < 0:
        return True
    stiff = problem.W[normal, normal]
    if stiff > 0.0:
        local[FORCE] = -local[FREE_Y] / stiff
    elif abs(local[FREE_Y]) > slack * problem.scale[normal]:
        return False
    return presses(problem, normal, local[FORCE], slack)


@step
def stick_alone(problem, e, slack):
    """No slip: a correction of the forces, the shortest where the rows of the contact depend on one another."""
    elements, p, y, scale, local = problem.elements, problem.p, problem.y, problem.scale, problem.local
    normal, first, width = elements[e, NORMAL], elements[e, FIRST], elements[e, WIDTH]
    begin = 0 if normal >= 0 else 1
    size = width + 1 - begin
    for a in range(size):
        i = normal if a + begin == 0 else first + a + begin - 1
        problem.rest[a] = -y[i] / scale[i]
        for b in range(size):
            j = normal if b + begin == 0 else first + b + begin - 1
            problem.matrix[b * size + a] = problem.W[i, j] / (scale[i] * scale[j])
    least_norm(size, problem.matrix, problem.rest, problem.rest[size:])
    pull = 0.0
    for a in range(begin, width + 1):
        j = normal if a == 0 else first + a - 1
        local[FORCE + a] = p[j] + problem.rest[a - begin] / scale[j]
        if a > 0:
            pull += (local[FORCE + a] + problem.base[j]) ** 2
    for a in range(begin, width + 1):
        i = normal if a == 0 else first + a - 1
        left = local[FREE_Y + a]
        for b in range(begin, width + 1):
            j = normal if b == 0 else first + b - 1
            left += problem.W[i, j] * local[FORCE + b]
        if abs(left) > slack * scale[i]:
            return False
    radius = problem.numbers[e, RADIUS]
    if normal >= 0:
        if not presses(problem, normal, local[FORCE], slack):
            return False
        radius = local[FORCE] + max(problem.base[normal], 0.0)
    return (np.sqrt(pull) - problem.numbers[e, KAPPA] * radius) * scale[first] <= slack


@step
def slip_alone(problem, e, total, slack):
    """Slip; without the base in its law if it is not ``total``."""
    m, stiff = put_slip(problem, e, total)
    if problem.elements[e, LAW] == GIVEN:
        for a in range(3):
            problem.local[TOWARDS + a] = problem.numbers[e, DIRECTION + a]
        return slips_so(problem, e, total, m, stiff, slack)
    if problem.elements[e, WIDTH] == 1:
        sign = -1.0 if problem.numbers[e, DIRECTION] < 0.0 else 1.0
        for attempt in range(2):
            problem.local[TOWARDS] = sign if attempt == 0 else -sign
            if slips_so(problem, e, total, m, stiff, slack):
                return True
        return False
    for side in range(2):
        if seek_direction(problem, e, total, m, stiff, slack, 1.0 - 2.0 * side):
            return True
    return False


@step
def put_slip(problem, e, total):
    """g; gives m and a_nn. A dry element has m = ρ and a_nn = 1."""
    W, base, local, elements = problem.W, problem.base, problem.local, problem.elements
    normal, first, width = elements[e, NORMAL], elements[e, FIRST], elements[e, WIDTH]
    smooth = max(base[normal], 0.0) if total and normal >= 0 else 0.0
    for a in range(width):
        value = local[FREE_Y + 1 + a]
        if total:
            for b in range(width):
                value -= W[first + a, first + b] * base[first + b]
        if normal >= 0:
            value -= W[first + a, normal] * smooth
        local[SHIFTED + a] = value
    if normal < 0:
        return (problem.numbers[e, RADIUS] if total or elements[e, LAW] == GIVEN else 0.0), 1.0
    m = W[normal, normal] * smooth - local[FREE_Y]
    if total:
        for b in range(width):
            m += W[normal, first + b] * base[first + b]
    return m, W[normal, normal]


@step
def slips_so(problem, e, total, m, stiff, slack):
    """The forces of slip in the direction in `Problem.local`; are they consistent?"""
    W, base, local, scale, elements = problem.W, problem.base, problem.local, problem.scale, problem.elements
    normal, first, width, law = elements[e, NORMAL], elements[e, FIRST], elements[e, WIDTH], elements[e, LAW]
    rho = m
    if normal >= 0:
        divisor, terms = stiff, stiff
        for a in range(width):
            divisor -= W[normal, first + a] * local[TOWARDS + a]
            terms += abs(W[normal, first + a])
        if abs(divisor) <= TINY * terms:
            return False
        rho = m / divisor
        local[FORCE] = rho - (max(base[normal], 0.0) if total else 0.0)
        if not presses(problem, normal, local[FORCE], slack):
            return False
    along, pull = 0.0, 0.0
    for a in range(width):
        speed = local[SHIFTED + a]
        if normal >= 0:
            speed += rho * W[first + a, normal]
        for b in range(width):
            speed -= rho * W[first + a, first + b] * local[TOWARDS + b]
        along += speed * local[TOWARDS + a]
        force = -rho * local[TOWARDS + a] - (base[first + a] if total else 0.0)
        pull += (force + base[first + a]) * local[TOWARDS + a]
        local[FORCE + 1 + a] = force
    if law != GIVEN:
        if along < -slack * scale[first] or (not total and pull * scale[first] > slack):
            return False
        for a in range(width):
            problem.numbers[e, DIRECTION + a] = local[TOWARDS + a]
    return True


@step
def seek_direction(problem, e, total, m, stiff, slack, sign):
    """Roots t of one sign of |d| = 1 from the largest on, until one is consistent."""
    size = put_equation(problem, e, m, stiff)
    if size == 0.0:  # no slip and no forces
        problem.local[TOWARDS] = 1.0
        return sign > 0.0 and slips_so(problem, e, total, m, stiff, slack)
    high, above = sign * size, steepness(problem.local, sign * size) - 1.0
    for k in range(POINTS):
        low = high * RATIO if k < POINTS - 1 else 0.0
        below = steepness(problem.local, low) - 1.0
        if (above >= 0.0) != (below >= 0.0) or above == 0.0:
            t = refine(problem.local, low, high, below, above)
            steepness(problem.local, t)
            if slips_so(problem, e, total, m, stiff, slack):
                return True
        high, above = low, below
    return False


@step
def put_equation(problem, e, m, stiff):
    """H and h, with ones on the diagonal beyond the width; gives a bound of |t|."""
    W, local, elements = problem.W, problem.local, problem.elements
    normal, first, width = elements[e, NORMAL], elements[e, FIRST], elements[e, WIDTH]
    size = 0.0
    for a in range(3):
        local[RIGHT + a] = 0.0
        for b in range(3):
            local[MATRIX + 3 * a + b] = 0.0
    for a in range(width):
        local[RIGHT + a] = stiff * local[SHIFTED + a]
        for b in range(width):
            local[MATRIX + 3 * a + b] = m * W[first + a, first + b]
        if normal >= 0:
            local[RIGHT + a] += m * W[first + a, normal]
            for b in range(width):
                local[MATRIX + 3 * a + b] += local[SHIFTED + a] * W[normal, first + b]
        size += abs(local[RIGHT + a])
        for b in range(width):
            size += abs(local[MATRIX + 3 * a + b])
    if size > 0.0:  # other units, so that t ≤ 1, and a third row may be that of 1
        for a in range(3):
            local[RIGHT + a] /= size
            for b in range(3):
                local[MATRIX + 3 * a + b] /= size
        return 1.0
    return size


@step
def steepness(local, t):
    """1/|d| of t, by Cramer's rule; d itself, of length one, is in `TOWARDS`."""
    a, b, c = local[MATRIX] + t, local[MATRIX + 1], local[MATRIX + 2]
    d, e, f = local[MATRIX + 3], local[MATRIX + 4] + t, local[MATRIX + 5]
    g, h, i = local[MATRIX + 6], local[MATRIX + 7], local[MATRIX + 8] + t
    if i == t:  # no third row
        i = 1.0
    x, y, z = local[RIGHT], local[RIGHT + 1], local[RIGHT + 2]
    u = x * (e * i - f * h) + y * (h * c - i * b) + z * (b * f - c * e)
    v = x * (f * g - d * i) + y * (i * a - g * c) + z * (c * d - a * f)
    w = x * (d * h - e * g) + y * (g * b - h * a) + z * (a * e - b * d)
    determinant = a * (e * i - f * h) + b * (f * g - d * i) + c * (d * h - e * g)
    length = np.sqrt(u * u + v * v + w * w)
    if length == 0.0:
        return 1e300
    sign = 1.0 / length if determinant >= 0.0 else -1.0 / length
    local[TOWARDS], local[TOWARDS + 1], local[TOWARDS + 2] = u * sign, v * sign, w * sign
    return abs(determinant) / length


@step
def refine(local, low, high, below, above):
    """The root between two t, by regula falsi that keeps no end for long (Illinois)."""
    t = high
    for _ in range(HALVINGS):
        if above == below:
            break
        t = (low * above - high * below) / (above - below)
        value = steepness(local, t) - 1.0
        if abs(value) <= 4e-16 or abs(high - low) <= 1e-16 * abs(high):
            break
        if (value >= 0.0) == (above >= 0.0):
            high, above = t, value
            below *= 0.5
        else:
            low, below = t, value
            above *= 0.5
    return t

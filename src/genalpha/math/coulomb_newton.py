"""Contacts in given modes: linear systems for their forces, and what tells whether the modes are right.

Slip solves P_t = ρ z/|z|, z = P_t - r y_t, the projection of z on the disk of the pressure ρ of now, and takes its
derivative with ρ among the unknowns: the linearisation of Alart and Curnier (Computer Methods in Applied Mechanics and
Engineering 92, 1991), which is not symmetric. With modes that change by their inequalities it is the semismooth Newton
method of Acary and Brogliato (Numerical Methods for Nonsmooth Dynamical Systems, 2008, chapter 13).
"""

from __future__ import annotations

import numpy as np

from genalpha.compiled.jit import leaf, step
from genalpha.math.coulomb_tables import (
    BEGIN,
    DIRECTION,
    DISK,
    GIVEN,
    GRIP,
    KAPPA,
    LAW,
    MODE,
    NORMAL,
    OPEN,
    RADIUS,
    SLIP,
    SPAN,
    STICK,
    TOTAL,
)
from genalpha.math.least import least_norm

MOST = 40
"""Corrections of an attempt."""

BEYOND = 1e150
"""A violation of forces that have run away."""

GROWTH = 1e7
"""Forces that are so much larger than y0 and base are no answer: beside them the laws without y0 would do."""

PATIENCE = 3
"""Corrections that do not bring the equations closer, before modes are changed all the same."""


@leaf
def solve_together(problem, tolerance, switches):
    """Correct p until all laws hold; gives (largest violation, corrections, size of what it is compared with).

    Parameters
    ----------
    problem : Problem
        p, y and modes are the guess, and the answer.
    tolerance : float
    switches : int
        How often modes may change.
    """
    fewest, waits, iteration = 1e300, 0, 0
    put_y(problem)
    while True:
        size, miss, wrong = judge(problem)
        misfit = max(miss, wrong)
        if misfit <= tolerance or iteration >= MOST or not misfit < BEYOND:
            return misfit, iteration, size
        fewest, waits = (miss, 0) if miss < 0.5 * fewest else (fewest, waits + 1)
        if miss <= max(tolerance, 0.01 * wrong) or waits >= PATIENCE:
            if switches == 0 or not review(problem, tolerance * size):
                return misfit, iteration, size
            switches, fewest, waits = switches - 1, 1e300, 0
        correct(problem, 0, problem.n_el, True)
        iteration += 1


@leaf
def put_y(problem):
    """y of p."""
    for i in range(problem.m):
        problem.y[i] = problem.y0[i]
    for i in range(problem.m):
        force, problem.p[i] = problem.p[i], 0.0
        shift(problem, i, force)


@leaf
def size_of(problem):
    """What violations are compared with: the largest of y0, base and W p."""
    size = problem.kept[problem.m + problem.n_el]
    for i in range(problem.m):
        size = max(size, abs(problem.y[i] - problem.y0[i]))
    return size if size > 0.0 else 1.0


@step
def judge(problem):
    """(size, miss, wrong): how far equations and inequalities of the modes are from holding, over the size.

    Forces that grow without bound, where modes have no solution, hold nothing.
    """
    size, miss, wrong = size_of(problem), 0.0, 0.0
    for e in range(problem.n_el):
        one, other = violations(problem, e, True)
        problem.rest[e] = other
        miss, wrong = max(miss, one), max(wrong, other)
    if not is_bounded(problem):
        return 1.0, BEYOND, BEYOND
    return size, miss / size, wrong / size


@leaf
def is_bounded(problem):
    """Are all forces numbers, and of the size of y0, base and bounds? Comparisons say nothing about others."""
    total, size = 0.0, problem.kept[problem.m + problem.n_el]
    for e in range(problem.n_el):
        if problem.elements[e, NORMAL] < 0:
            size = max(size, problem.numbers[e, RADIUS] * problem.scale[np.int64(problem.numbers[e, BEGIN])])
    for i in range(problem.m):
        total += abs(problem.p[i]) + abs(problem.y[i] - problem.y0[i])
    return total <= GROWTH * size


@leaf
def violations(problem, e, turning):
    """How far the equations of an element are from holding, and its inequalities."""
    p, y, base, numbers, mode = problem.p, problem.y, problem.base, problem.numbers, problem.elements[e, MODE]
    i, span = np.int64(numbers[e, BEGIN]), np.int64(numbers[e, SPAN])
    part, rho, _ = slide(problem, e, turning)
    miss, wrong = (abs(p[i]), -y[i]) if mode == OPEN else (abs(y[i]), -p[i] - base[i])
    square, along, pull = 0.0, 0.0, 0.0
    for a in range(span):
        j, towards = i + 1 + a, numbers[e, DIRECTION + a]
        total = p[j] + base[j]
        square += total * total
        along += y[j] * towards
        pull += total * towards
        if mode == OPEN or mode == STICK:
            miss = max(miss, abs(p[j] if mode == OPEN else y[j]))
        else:
            miss = max(miss, abs(p[j] + part * base[j] + rho * towards))
    if span > 0 and mode == STICK:
        wrong = max(wrong, np.sqrt(square) - numbers[e, KAPPA] * rho)
    elif span > 0 and mode != OPEN and problem.elements[e, LAW] != GIVEN:
        wrong = max(wrong, -along, pull if part == 0.0 else wrong)
    return miss, wrong


@step
def slide(problem, e, turning):
    """(1 if friction is bounded with the base, 0 if without; bound; |z|). Turns the direction of slip to -z/|z|.

    In a plane, and by the law GIVEN, it stays.
    """
    p, base, numbers, law = problem.p, problem.base, problem.numbers, problem.elements[e, LAW]
    i, span, mode = np.int64(numbers[e, BEGIN]), np.int64(numbers[e, SPAN]), problem.elements[e, MODE]
    part = 1.0 if law == DISK or mode == TOTAL or mode == STICK else 0.0
    rho = numbers[e, GRIP] * (p[i] + part * max(base[i], 0.0))
    if not turning or span < 2 or law == GIVEN or mode < SLIP:
        return part, rho, 0.0
    square = 0.0
    for j in range(i + 1, i + 1 + span):
        square += (p[j] + part * base[j] - problem.y[j] / span) ** 2
    length = np.sqrt(square)
    for a in range(span if length > 0.0 else 0):
        j = i + 1 + a
        numbers[e, DIRECTION + a] = (problem.y[j] / span - p[j] - part * base[j]) / length
    return part, rho, length


@step
def review(problem, slack):
    """Change the modes whose inequalities `judge` has found not to hold; gives their number."""
    elements, changes = problem.elements, 0
    for e in range(problem.n_el):
        if not problem.rest[e] > slack:
            continue
        i, mode = np.int64(problem.numbers[e, BEGIN]), elements[e, MODE]
        changes += 1
        if mode != OPEN and -problem.p[i] - problem.base[i] > slack:
            elements[e, MODE] = OPEN
        elif mode == STICK or (elements[e, LAW] == GIVEN and problem.numbers[e, SPAN] > 0.0):
            elements[e, MODE] = SLIP
            if elements[e, LAW] != GIVEN:
                problem.numbers[e, DIRECTION] = -1.0 if problem.p[i + 1] + problem.base[i + 1] > 0.0 else 1.0
        else:
            elements[e, MODE] = STICK
    return changes


@leaf
def correct(problem, begin, end, turning):
    """One correction of the elements from begin to end, the shortest where they depend on one another.

    The direction of slip is an unknown if it is ``turning``.
    """
    where, rest, size, row = problem.where, problem.rest, 0, 0
    for e in range(begin, end):
        first = np.int64(problem.numbers[e, BEGIN])
        for i in range(first, first + 1 + np.int64(problem.numbers[e, SPAN])):
            if problem.elements[e, MODE] == OPEN:
                shift(problem, i, -problem.p[i])
            else:
                where[size] = i
                size += 1
    for k in range(size * size):
        problem.matrix[k] = 0.0
    for e in range(begin, end):
        if problem.elements[e, MODE] != OPEN:
            row = put_rows(problem, e, row, size, turning)
    least_norm(size, problem.matrix, rest, rest[size:])
    for k in range(size):
        shift(problem, where[k], rest[k])


@leaf
def shift(problem, i, change):
    """Change one force; y follows."""
    y, W, m = problem.y, problem.W, problem.m
    if change != 0.0:
        problem.p[i] += change
        for j in range(m):
            y[j] += W[j * m + i] * change


@step
def put_rows(problem, e, row, size, turning):
    """The equations of an element that is closed; gives the next row."""
    m, W, where, matrix, rest = problem.m, problem.W, problem.where, problem.matrix, problem.rest
    i, span = np.int64(problem.numbers[e, BEGIN]), np.int64(problem.numbers[e, SPAN])
    for a in range(1 + span if problem.elements[e, MODE] == STICK else 1):
        for k in range(size):
            matrix[k * size + row + a] = W[(i + a) * m + where[k]]
        rest[row + a] = -problem.y[i + a]
    if problem.elements[e, MODE] == STICK:
        return row + 1 + span
    part, rho, length = slide(problem, e, turning)
    factor = min(max(rho / length, -1.0 + part), 1.0) if length > 0.0 else 0.0
    d = problem.numbers[e, DIRECTION:]
    for a in range(span):
        j, here = i + 1 + a, row + 1 + a
        rest[here] = -(problem.p[j] + part * problem.base[j] + rho * d[a])
        matrix[row * size + here] += problem.numbers[e, GRIP] * d[a]
        for b in range(span):
            same = 1.0 if a == b else 0.0
            turned = factor * (same - d[a] * d[b])
            matrix[(row + 1 + b) * size + here] += same - turned
            for k in range(size if factor != 0.0 else 0):
                matrix[k * size + here] += turned * W[(i + 1 + b) * m + where[k]] / span
    return row + 1 + span

"""All contacts at once in given modes: Newton's iteration, and what tells whether the modes are right.

Slip solves P_t = ρ z/|z|, z = P_t - r y_t, the projection of z on the disk of the pressure ρ of now, and takes its
derivative with ρ among the unknowns: the linearisation of Alart and Curnier (Computer Methods in Applied Mechanics and
Engineering 92, 1991), which is not symmetric. With modes that change by their inequalities it is the semismooth Newton
method of Acary and Brogliato (Numerical Methods for Nonsmooth Dynamical Systems, 2008, chapter 13).
"""

from __future__ import annotations

import numpy as np

from genalpha.compiled.jit import leaf, step
from genalpha.math.coulomb_tables import (
    DIRECTION,
    FIRST,
    FREE,
    GIVEN,
    JUMP,
    KAPPA,
    LAW,
    MODE,
    NORMAL,
    OPEN,
    SLIP,
    STICK,
    WIDTH,
    friction_is_total,
    pressure,
)
from genalpha.math.least import least_norm

MOST = 40
"""Corrections of an attempt."""

PATIENCE = 3
"""Corrections that do not bring the equations closer, before modes are changed all the same."""


@leaf
def solve_together(problem, tolerance, switches):
    """Correct p until all laws hold; gives (largest violation, corrections).

    Parameters
    ----------
    problem : Problem
        p, y and modes are the guess, and the answer.
    tolerance : float
    switches : int
        How often modes may change.
    """
    fewest, waits, iteration = 1e300, 0, 0
    while True:
        size, miss, wrong = judge(problem)
        misfit = max(miss, wrong)
        if misfit <= tolerance or iteration >= MOST or not misfit < 1e300:
            return misfit, iteration
        fewest, waits = (miss, 0) if miss < 0.5 * fewest else (fewest, waits + 1)
        if miss <= max(tolerance, 0.01 * wrong) or waits >= PATIENCE:
            if switches == 0 or not review(problem, tolerance * size):
                return misfit, iteration
            switches, fewest, waits = switches - 1, 1e300, 0
        correct(problem)
        iteration += 1


@step
def put_y(problem):
    """y of p."""
    for i in range(problem.n):
        problem.y[i] = problem.y0[i]
    for j in range(problem.n):
        if problem.p[j] != 0.0:
            for i in range(problem.n):
                problem.y[i] += problem.W[j, i] * problem.p[j]


@step
def size_of(problem):
    """What violations are compared with, a root of an energy: the largest of y0, W p and the base."""
    size = 0.0
    for i in range(problem.n):
        scale = problem.scale[i]
        size = max(size, abs(problem.y0[i]) / scale, abs(problem.y[i] - problem.y0[i]) / scale)
        size = max(size, abs(problem.base[i]) * scale)
    return size if size > 0.0 else 1.0


@step
def judge(problem):
    """(size, miss, wrong): how far equations and inequalities of the modes are from holding, over the size."""
    size = size_of(problem)
    miss, wrong = 0.0, 0.0
    for e in range(problem.n_el):
        one, other = violations(problem, e)
        miss = max(miss, one)
        wrong = max(wrong, other)
    return size, miss / size, wrong / size


@step
def violations(problem, e):
    """How far the equations of an element are from holding, and its inequalities. Puts the direction of slip."""
    elements, p, y, scale = problem.elements, problem.p, problem.y, problem.scale
    normal, first, width = elements[e, NORMAL], elements[e, FIRST], elements[e, WIDTH]
    law, mode = elements[e, LAW], elements[e, MODE]
    miss, wrong = 0.0, -1e300
    if normal >= 0 and mode != OPEN:
        miss, wrong = abs(y[normal]) / scale[normal], -(p[normal] + problem.base[normal]) * scale[normal]
    elif normal >= 0:
        miss, wrong = abs(p[normal]) * scale[normal], -y[normal] / scale[normal]
    if width == 0:
        return miss, wrong
    if mode == OPEN or law == FREE:
        for i in range(first, first + width):
            miss = max(miss, abs(p[i]) * scale[i])
        return miss, wrong
    if mode == STICK:
        for i in range(first, first + width):
            miss = max(miss, abs(y[i]) / scale[i])
        return miss, max(wrong, beyond_cone(problem, e) * scale[first])
    total = friction_is_total(law, mode)
    turn(problem, e, total)
    rho, along, pull = pressure(problem, e, total), 0.0, 0.0
    for a in range(width):
        towards, force = problem.numbers[e, DIRECTION + a], p[first + a]
        bounded = force + (problem.base[first + a] if total else 0.0)
        miss = max(miss, abs(bounded + rho * towards) * scale[first])
        along += y[first + a] * towards
        pull += (force + problem.base[first + a]) * towards
    if law != GIVEN:
        wrong = max(wrong, -along / scale[first])
    if law == JUMP and not total:
        wrong = max(wrong, pull * scale[first])
    return miss, wrong


@step
def beyond_cone(problem, e):
    """How far the force of an element that sticks is beyond its bound."""
    first, square = problem.elements[e, FIRST], 0.0
    for i in range(first, first + problem.elements[e, WIDTH]):
        square += (problem.p[i] + problem.base[i]) ** 2
    return np.sqrt(square) - problem.numbers[e, KAPPA] * pressure(problem, e, True)


@step
def turn(problem, e, total):
    """The direction of slip, -z/|z|; gives |z|. In a plane, and by the law GIVEN, it stays."""
    elements, numbers = problem.elements, problem.numbers
    first, width = elements[e, FIRST], elements[e, WIDTH]
    if width == 1 or elements[e, LAW] == GIVEN:
        return 1.0
    r = 1.0 / (width * problem.scale[first] ** 2)
    square = 0.0
    for a in range(width):
        force = problem.p[first + a] + (problem.base[first + a] if total else 0.0)
        square += (force - r * problem.y[first + a]) ** 2
    if square > 0.0:
        for a in range(width):
            force = problem.p[first + a] + (problem.base[first + a] if total else 0.0)
            numbers[e, DIRECTION + a] = (r * problem.y[first + a] - force) / np.sqrt(square)
    return np.sqrt(square)


@step
def review(problem, slack):
    """Change the modes whose inequalities do not hold; gives their number."""
    elements, scale = problem.elements, problem.scale
    changes = 0
    for e in range(problem.n_el):
        if not violations(problem, e)[1] > slack:
            continue
        changes += 1
        normal, first, mode = elements[e, NORMAL], elements[e, FIRST], elements[e, MODE]
        if mode == OPEN:
            elements[e, MODE] = SLIP if elements[e, LAW] == GIVEN else STICK
        elif normal >= 0 and -(problem.p[normal] + problem.base[normal]) * scale[normal] > slack:
            elements[e, MODE] = OPEN
        elif mode == STICK:
            elements[e, MODE] = SLIP
            problem.numbers[e, DIRECTION] = -1.0 if problem.p[first] + problem.base[first] > 0.0 else 1.0
        else:
            elements[e, MODE] = STICK
    return changes


@step
def correct(problem):
    """One correction, the shortest where contacts depend on one another."""
    p, scale, where, rest = problem.p, problem.scale, problem.where, problem.rest
    size = put_unknowns(problem)
    for k in range(size * size):
        problem.matrix[k] = 0.0
    row = 0
    for e in range(problem.n_el):
        row = put_rows(problem, e, row, size)
    least_norm(size, problem.matrix, rest, rest[size:])
    for k in range(size):
        i = np.int64(where[k])
        p[i] += rest[k] / scale[i]
    put_y(problem)


@step
def put_unknowns(problem):
    """List the unknowns of what is closed; the forces of what is not vanish. Gives their number."""
    elements, size = problem.elements, 0
    for e in range(problem.n_el):
        normal, first, width = elements[e, NORMAL], elements[e, FIRST], elements[e, WIDTH]
        closed = elements[e, MODE] != OPEN
        if normal >= 0 and closed:
            problem.where[size] = normal
            size += 1
        elif normal >= 0:
            problem.p[normal] = 0.0
        rubs = closed and elements[e, LAW] != FREE
        for i in range(first, first + width):
            if rubs:
                problem.where[size] = i
                size += 1
            else:
                problem.p[i] = 0.0
    put_y(problem)
    return size


@step
def put_rows(problem, e, row, size):
    """The equations of an element in the order of `put_unknowns`; gives the next row."""
    elements = problem.elements
    normal, first, width = elements[e, NORMAL], elements[e, FIRST], elements[e, WIDTH]
    law, mode = elements[e, LAW], elements[e, MODE]
    if normal >= 0 and mode != OPEN:
        put_row_of_y(problem, normal, row, size)
        row += 1
    if mode == OPEN or law == FREE:
        return row
    for a in range(width):
        if mode == STICK:
            put_row_of_y(problem, first + a, row + a, size)
        else:
            put_row_of_slip(problem, e, a, row, size)
    return row + width


@step
def put_row_of_y(problem, i, row, size):
    """y_i = 0."""
    scale = problem.scale
    for k in range(size):
        j = np.int64(problem.where[k])
        problem.matrix[k * size + row] = problem.W[i, j] / (scale[i] * scale[j])
    problem.rest[row] = -problem.y[i] / scale[i]


@step
def put_row_of_slip(problem, e, a, row, size):
    """Component a of P_t + ρ d = 0; ``row`` is that of the first component, behind that of the normal force."""
    elements, matrix, scale, W = problem.elements, problem.matrix, problem.scale, problem.W
    normal, first, width, law = elements[e, NORMAL], elements[e, FIRST], elements[e, WIDTH], elements[e, LAW]
    total = friction_is_total(law, elements[e, MODE])
    length, rho = turn(problem, e, total), pressure(problem, e, total)
    d = problem.numbers[e, DIRECTION:]
    i, here = first + a, row + a
    force = problem.p[i] + (problem.base[i] if total else 0.0)
    problem.rest[here] = -(force + rho * d[a]) * scale[i]
    matrix[here * size + here] = 1.0
    if normal >= 0:
        matrix[(row - 1) * size + here] = d[a] * scale[i] / scale[normal]
    if width == 1 or law == GIVEN or length == 0.0:
        return
    share = min(max(rho / length, 0.0 if total else -1.0), 1.0)
    for b in range(width):
        turned = share * ((1.0 if a == b else 0.0) - d[a] * d[b])
        matrix[(row + b) * size + here] -= turned
        for k in range(size):
            j = np.int64(problem.where[k])
            matrix[k * size + here] += turned * W[first + b, j] / (width * scale[first] * scale[j])

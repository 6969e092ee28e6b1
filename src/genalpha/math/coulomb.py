"""Dense contact problems with Coulomb's friction at one level: forces p, and what they make, y = y0 + W p.

W is symmetric and positive semidefinite, and singular where contacts depend on one another. Tangential rows carry their
coefficient of friction, so that all cones have the radius 1. The order of attempts is

1. Newton's iteration on the guessed modes, which may change a few times (`coulomb_newton`);
2. sweeps of exact solutions of one contact after the other (`coulomb_local`), nonsmooth Gauss-Seidel as in Acary and
   Brogliato (Numerical Methods for Nonsmooth Dynamical Systems, 2008, chapter 13), and Newton's iteration on the modes
   that they find, every now and then.

An answer holds to round-off: it comes from a linear system. The disk is never replaced by a convex cone of forces, so
contacts that slide do not part.
"""

from __future__ import annotations

import numpy as np

from genalpha.compiled.jit import step, stored_leaf
from genalpha.math.coulomb_local import solve_alone
from genalpha.math.coulomb_newton import judge, put_y, size_of, solve_together
from genalpha.math.coulomb_tables import (
    DIRECTION,
    DISK,
    FIRST,
    FREE,
    GIVEN,
    LAW,
    MODE,
    N_LOCAL,
    NO_SOLUTION,
    NORMAL,
    NOT_SOLVED,
    OPEN,
    SLIP,
    SOLVED,
    STICK,
    TOTAL,
    WIDTH,
    Problem,
)

SWITCHES = 8
"""How often Newton's iteration changes modes."""

BATCH = 10
"""Sweeps before Newton's iteration is tried again; then twice as many."""


def work_size(n: int, n_el: int) -> int:
    """Length of the work space of `solve_coulomb` for so many unknowns and elements, or fewer."""
    matrix = max(n * n, 16)
    return matrix + 8 * max(n, 4) + n_el + N_LOCAL


@stored_leaf
def solve_coulomb(n, n_el, W, y0, base, p, elements, numbers, work, tolerance, sweeps):
    """Forces of contacts that push, stick and slip.

    Parameters
    ----------
    n, n_el : int
        Unknowns and elements; the arrays may be longer.
    W : ndarray (n, n)
    y0, base : ndarray (n,)
        y without forces; the part of forces that is known, P = p + base.
    p : ndarray (n,)
        The guess, and the answer.
    elements : ndarray of int64 (n_el, N_ELEMENT)
        See `coulomb_tables`. The mode is the guess, and the answer.
    numbers : ndarray (n_el, N_NUMBER)
        The direction of slip is the guess, and the answer.
    work : ndarray
        Of `work_size`.
    tolerance : float
        Of all laws, over the size of y0, W p and base, in roots of energy: 1e-12.
    sweeps : int
        At most so many.

    Returns
    -------
    status : int
        SOLVED, NOT_SOLVED, or NO_SOLUTION: some contact has none with the forces that the others have (Painlevé).
    misfit : float
        The largest violation.
    iterations, sweeps : int
        Linear systems solved, sweeps made.

    Notes
    -----
    Contact with ρ = p_n + max(base_n, 0), dry element with ρ = RADIUS:

    ======= ====================================================================
    OPEN    p = 0, y_n ≥ 0
    closed  y_n = 0, p_n + base_n ≥ 0
    STICK   y_t = 0, |P_t| ≤ KAPPA ρ; a contact without tangential rows or of the law FREE, if it is closed
    SLIP    DISK: P_t = -ρ d with d = y_t/|y_t|
            JUMP: p_t = -p_n d (dry: 0), and P_t does not drive; as DISK if neither this nor STICK is consistent
            GIVEN: p_t = -p_n d (dry: -ρ d) with the given d
    ======= ====================================================================
    """
    problem = problem_of(n, n_el, W, y0, base, p, elements, numbers, work)
    prepare(problem)
    iterations, used = 0, 0
    if n_el == 1:
        used = sweep(problem, elements[0, MODE], tolerance) * 0
    misfit, iterations = solve_together(problem, tolerance, SWITCHES)
    failed, batch = 0, BATCH
    while not misfit <= tolerance and used < sweeps:
        failed = 0
        for _ in range(min(batch, sweeps - used)):
            failed = sweep(problem, -1, tolerance)
            used += 1
        keep(problem, True)
        misfit, count = solve_together(problem, tolerance, SWITCHES)
        iterations += count
        batch *= 2
        if not misfit <= tolerance:
            keep(problem, False)
    if not misfit <= tolerance:
        put_y(problem)
        _, miss, wrong = judge(problem)
        misfit = max(miss, wrong)
    name_modes(problem, tolerance)
    if misfit <= tolerance:
        return SOLVED, misfit, iterations, used
    return (NO_SOLUTION if failed else NOT_SOLVED), misfit, iterations, used


@step
def problem_of(n, n_el, W, y0, base, p, elements, numbers, work):
    """Arrays in the work space."""
    n_rest = max(n, 4)
    a = max(n * n, 16)
    b = a + 4 * n_rest
    c = b + N_LOCAL
    d = c + n + n_el
    return Problem(n, n_el, W, y0, base, p, elements, numbers, work[d : d + n], work[d + n : d + 2 * n], work[c:d],
                   work[d + 2 * n : d + 3 * n], work[b:c], work[:a], work[a:b])  # fmt: skip


@step
def prepare(problem):
    """Scales, modes and directions that the laws allow, and y."""
    elements, numbers, scale, W = problem.elements, problem.numbers, problem.scale, problem.W
    largest = 0.0
    for i in range(problem.n):
        scale[i] = max(W[i, i], 0.0)
        largest = max(largest, scale[i])
    for i in range(problem.n):  # rows without effect get the scale of others
        scale[i] = np.sqrt(scale[i] if scale[i] > 0.0 else largest if largest > 0.0 else 1.0)
    put_y(problem)
    for e in range(problem.n_el):
        first, width, law = elements[e, FIRST], elements[e, WIDTH], elements[e, LAW]
        size = 0.0
        for i in range(first, first + width):
            size = max(size, scale[i])
        for i in range(first, first + width):
            scale[i] = size
        if elements[e, NORMAL] >= 0 and elements[e, MODE] == OPEN:
            continue
        if width == 0 or law == FREE:
            elements[e, MODE] = STICK
        elif law == GIVEN:
            elements[e, MODE] = SLIP
        elif elements[e, MODE] == OPEN:
            elements[e, MODE] = STICK
        if width == 1 and law != GIVEN:
            towards = numbers[e, DIRECTION] if numbers[e, DIRECTION] != 0.0 else problem.y[first]
            numbers[e, DIRECTION] = -1.0 if towards < 0.0 else 1.0


@step
def sweep(problem, guess, tolerance):
    """Solve one element after the other; gives how many have no solution."""
    slack, failed = tolerance * size_of(problem), 0
    for e in range(problem.n_el):
        mode = solve_alone(problem, e, guess, slack)
        if mode >= 0:
            problem.elements[e, MODE] = mode
        else:
            failed += 1
    return failed


@step
def name_modes(problem, tolerance):
    """Slip with the base of the law JUMP is SLIP, and slip without a speed STICK."""
    elements, slack = problem.elements, tolerance * size_of(problem)
    for e in range(problem.n_el):
        first, square = elements[e, FIRST], 0.0
        if elements[e, MODE] == SLIP and elements[e, LAW] == DISK:
            for i in range(first, first + elements[e, WIDTH]):
                square += (problem.y[i] / problem.scale[i]) ** 2
            if square <= slack * slack:
                elements[e, MODE] = STICK
        elif elements[e, MODE] == TOTAL:
            elements[e, MODE] = SLIP


@step
def keep(problem, store):
    """Store forces and modes, or take the stored ones."""
    for i in range(problem.n):
        if store:
            problem.kept[i] = problem.p[i]
        else:
            problem.p[i] = problem.kept[i]
    for e in range(problem.n_el):
        if store:
            problem.kept[problem.n + e] = problem.elements[e, MODE]
        else:
            problem.elements[e, MODE] = np.int64(problem.kept[problem.n + e])
    if not store:
        put_y(problem)

"""Dense contact problems with Coulomb's friction at one level: forces p, and what they make, y = y0 + W p.

W is positive semidefinite, and singular where contacts depend on one another; gyroscopic forces, which the matrices of
a step contain, make it not quite symmetric. Tangential rows carry their coefficient of friction, so that all cones have
the radius 1. The order of attempts is

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
from genalpha.compiled.views import viewed
from genalpha.math.coulomb_local import sweep
from genalpha.math.coulomb_newton import is_bounded, put_y, solve_together
from genalpha.math.coulomb_tables import (
    BEGIN,
    DIRECTION,
    DISK,
    FIRST,
    FREE,
    GIVEN,
    GRIP,
    LAW,
    MODE,
    NO_SOLUTION,
    NORMAL,
    NOT_SOLVED,
    OPEN,
    RADIUS,
    SLIP,
    SOLVED,
    SPAN,
    STICK,
    TOTAL,
    WIDTH,
    Problem,
)

SWITCHES = 8
"""How often Newton's iteration changes modes."""

GUESSES = (-1, OPEN, SLIP, TOTAL)
"""What batches of sweeps try first, where a contact has several solutions."""

BATCH = 10
"""Sweeps before Newton's iteration is tried again; then twice as many."""

N_LOCAL = 33


def work_size(n: int, n_el: int) -> int:
    """Length of the work space of `solve_coulomb` for so many unknowns and elements, or fewer."""
    m = n + n_el
    return 2 * m * m + 12 * m + n_el + N_LOCAL + 1


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
    W, y0, base, p, work = viewed(W), viewed(y0), viewed(base), viewed(p), viewed(work)
    elements, numbers = viewed(elements), viewed(numbers)
    problem = gather(n_el, W, y0, base, p, elements, numbers, work)
    iterations, used, batch, tries = 0, 0, BATCH, 0
    guess, count = (elements[0, MODE], 1) if n_el == 1 else (-1, 0)
    put_y(problem)
    while True:
        failed = sweep(problem, guess, count, tolerance)
        if not is_bounded(problem):
            forget(problem)
        keep(problem, True)
        misfit, more, size = solve_together(problem, tolerance, SWITCHES)
        iterations += more
        if misfit <= tolerance or used >= sweeps:
            break
        keep(problem, False)
        guess, tries = GUESSES[tries % 4], tries + 1
        count, batch = min(batch, sweeps - used), 2 * batch
        used += count
    if not is_bounded(problem):
        keep(problem, False)
        put_y(problem)
    scatter(problem, p, tolerance * size)
    if misfit <= tolerance:
        return SOLVED, misfit, iterations, used
    return (NO_SOLUTION if failed else NOT_SOLVED), misfit, iterations, used


@step
def gather(n_el, W, y0, base, p, elements, numbers, work):
    """The problem in roots of energy, and modes and directions that its laws allow."""
    m, largest, size = 0, 0.0, 0.0
    for e in range(n_el):
        normal, first, width = elements[e, NORMAL], elements[e, FIRST], elements[e, WIDTH]
        numbers[e, BEGIN], numbers[e, SPAN] = m, 0 if elements[e, LAW] == FREE else width
        m += 1 + np.int64(numbers[e, SPAN])
        for a in range(width + 1):
            if a > 0 or normal >= 0:
                i = normal if a == 0 else first + a - 1
                largest = max(largest, W[i, i])
    problem = parts(m, n_el, elements, numbers, work)
    source = problem.where
    for e in range(n_el):
        put_scales(problem, e, W, largest if largest > 0.0 else 1.0)
    for k in range(m):
        i, scale = source[k], problem.scale[k]
        if i >= 0:
            problem.y0[k], problem.base[k], problem.p[k] = y0[i] / scale, base[i] * scale, p[i] * scale
            size = max(size, abs(problem.y0[k]), abs(problem.base[k]))
        for l in range(m):
            j = source[l]
            problem.W[k * m + l] = (1.0 if k == l else 0.0) if i < 0 or j < 0 else W[i, j] / scale / problem.scale[l]
    problem.kept[m + n_el] = size
    for e in range(n_el):
        allow(problem, e)
    return problem


@step
def parts(m, n_el, elements, numbers, work):
    """Arrays in the work space."""
    a = m * m
    b = 2 * a + 4 * m
    c, d = b + N_LOCAL, b + N_LOCAL + 5 * m
    return Problem(
        m, n_el, work[:a], work[c : c + m], work[c + m : c + 2 * m], work[c + 2 * m : c + 3 * m],
        work[c + 3 * m : c + 4 * m], elements, numbers, work[c + 4 * m : d], work[d : d + m + n_el + 1],
        work[d + m + n_el + 1 : d + 2 * m + n_el + 1].view(np.int64), work[a : 2 * a], work[b : b + N_LOCAL],
        work[2 * a : b],
    )  # fmt: skip


@step
def put_scales(problem, e, W, instead):
    """Scales of the rows of an element, ``instead`` for rows without effect, and where they come from."""
    elements, numbers, scale, source = problem.elements, problem.numbers, problem.scale, problem.where
    normal, first, begin = elements[e, NORMAL], elements[e, FIRST], np.int64(numbers[e, BEGIN])
    size, span = 0.0, np.int64(numbers[e, SPAN])
    for a in range(span):
        source[begin + 1 + a] = first + a
        size = max(size, W[first + a, first + a])
    size = np.sqrt(size if size > 0.0 else instead)
    for k in range(begin, begin + 1 + span):
        scale[k] = size
    source[begin] = normal
    if normal >= 0:
        scale[begin] = np.sqrt(W[normal, normal] if W[normal, normal] > 0.0 else instead)
    else:  # pressed by the bound
        given = 1.0 if elements[e, LAW] == GIVEN else 0.0
        force = numbers[e, RADIUS] * size
        problem.y0[begin], problem.base[begin] = -given * force, force - given * force
        problem.p[begin] = given * force
    numbers[e, GRIP] = size / scale[begin]


@step
def allow(problem, e):
    """A mode and a direction of slip that the law of the element knows."""
    elements, numbers, law = problem.elements, problem.numbers, problem.elements[e, LAW]
    if numbers[e, SPAN] == 1.0 and law != GIVEN:
        towards = numbers[e, DIRECTION]
        if towards == 0.0:
            towards = problem.y0[np.int64(numbers[e, BEGIN]) + 1]
        numbers[e, DIRECTION] = -1.0 if towards < 0.0 else 1.0
    if elements[e, MODE] == OPEN and elements[e, NORMAL] >= 0:
        return
    if numbers[e, SPAN] == 0.0:
        elements[e, MODE] = STICK
    elif law == GIVEN:
        elements[e, MODE] = SLIP
    elif elements[e, MODE] == OPEN:
        elements[e, MODE] = STICK


@step
def scatter(problem, p, slack):
    """Forces in the order and units of the caller; names of modes: slip with base is SLIP, without a speed STICK."""
    elements, numbers = problem.elements, problem.numbers
    for e in range(problem.n_el):
        normal, first, mode, square = elements[e, NORMAL], elements[e, FIRST], elements[e, MODE], 0.0
        begin, span = np.int64(numbers[e, BEGIN]), np.int64(numbers[e, SPAN])
        if normal >= 0:
            p[normal] = problem.p[begin] / problem.scale[begin]
        for a in range(elements[e, WIDTH]):
            p[first + a] = problem.p[begin + 1 + a] / problem.scale[begin + 1 + a] if a < span else 0.0
            square += problem.y[begin + 1 + a] ** 2 if a < span else 0.0
        if mode == SLIP and elements[e, LAW] == DISK and square <= slack * slack:
            elements[e, MODE] = STICK
        elif mode == TOTAL:
            elements[e, MODE] = SLIP


@step
def forget(problem):
    """Begin again without forces, where sweeps have run away."""
    for i in range(problem.m):
        problem.p[i] = 0.0


@step
def keep(problem, store):
    """Store forces and modes, or take the stored ones."""
    kept, p, elements, m = problem.kept, problem.p, problem.elements, problem.m
    if store:
        for i in range(m):
            kept[i] = p[i]
        for e in range(problem.n_el):
            kept[m + e] = elements[e, MODE]
    else:
        for i in range(m):
            p[i] = kept[i]
        for e in range(problem.n_el):
            elements[e, MODE] = np.int64(kept[m + e])

"""What the dense solver of contacts with Coulomb friction reads and writes: columns, modes, laws, one problem."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from genalpha.compiled.jit import step

NORMAL, FIRST, WIDTH, LAW, MODE = range(5)
"""Columns of elements, int64: unknown of the normal force (-1: dry friction), first tangential unknown, how many there
are (0 to 3), law, mode."""

N_ELEMENT = 5

RADIUS, KAPPA, DIRECTION = range(3)
"""Columns of numbers, float64: bound of dry friction, static over kinetic coefficient, first of three components of the
direction of slip."""

N_NUMBER = 8

DISK, JUMP, GIVEN, FREE = range(4)
"""Laws: Coulomb; Coulomb, but slip without the base; slip along the given direction; no friction."""

OPEN, STICK, SLIP, TOTAL = range(4)
"""Modes. TOTAL is slip of the law JUMP with the base, for want of a consistent mode; it leaves the solver as SLIP."""

SOLVED, NOT_SOLVED, NO_SOLUTION = range(3)
"""Status of an answer."""

FREE_Y, FORCE, TOWARDS, MATRIX, RIGHT, SHIFTED = 0, 4, 8, 11, 20, 23
"""Where the vectors of a local problem begin in `Problem.local`: y without own forces (4), forces (4), direction (3),
matrix (9) and right-hand side (3) of the equation of slip, y with the smooth part alone (3)."""

N_LOCAL = 26


class Problem(NamedTuple):
    """One contact problem, y = y0 + W p."""

    n: int
    n_el: int
    W: np.ndarray
    y0: np.ndarray
    base: np.ndarray
    p: np.ndarray
    elements: np.ndarray
    numbers: np.ndarray
    y: np.ndarray
    """(n,) of the p of now."""
    scale: np.ndarray
    """(n,) √diag(W), one for the tangential rows of an element: y/scale and p·scale are roots of an energy."""
    kept: np.ndarray
    """(n + n_el,) p and modes to come back to."""
    where: np.ndarray
    """(n,) unknowns of Newton's matrix."""
    local: np.ndarray
    matrix: np.ndarray
    """(n², ) by columns."""
    rest: np.ndarray
    """(4 n,) right-hand side, and what the least squares need."""


@step
def friction_is_total(law, mode):
    """Is the sum of force and base bound, and not the force alone?"""
    return law == DISK or mode == TOTAL


@step
def pressure(problem, e, total):
    """ρ, with which friction is bounded; without base if it is not ``total``."""
    normal = problem.elements[e, NORMAL]
    if normal >= 0:
        return problem.p[normal] + (max(problem.base[normal], 0.0) if total else 0.0)
    return problem.numbers[e, RADIUS] if total or problem.elements[e, LAW] == GIVEN else 0.0

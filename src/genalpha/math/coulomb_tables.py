"""What the dense solver of contacts with Coulomb friction reads and writes: columns, modes, laws, one problem."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

NORMAL, FIRST, WIDTH, LAW, MODE = range(5)
"""Columns of elements, int64: unknown of the normal force (-1: dry friction), first tangential unknown, how many there
are (0 to 3), law, mode."""

N_ELEMENT = 5

RADIUS, KAPPA, DIRECTION = range(3)
"""Columns of numbers, float64: bound of dry friction, static over kinetic coefficient, first of three components of the
direction of slip."""

BEGIN, SPAN, GRIP = 5, 6, 7
"""Columns of numbers that the solver fills: where the element begins in `Problem`, its tangential unknowns that have
friction, and the radius of its cone there."""

N_NUMBER = 8

DISK, JUMP, GIVEN, FREE = range(4)
"""Laws: Coulomb; Coulomb, but slip without the base; slip along the given direction; no friction."""

OPEN, STICK, SLIP, TOTAL = range(4)
"""Modes. TOTAL is slip of the law JUMP with the base, for want of a consistent mode; it leaves the solver as SLIP."""

SOLVED, NOT_SOLVED, NO_SOLUTION = range(3)
"""Status of an answer."""


class Problem(NamedTuple):
    """One contact problem, y = y0 + W p, in roots of energy: y over √diag(W), and p times it.

    The m unknowns are in the order of elements, a normal one first, then the tangential ones with friction. A dry
    element gets a contact that nothing else touches, pressed by its bound.
    """

    m: int
    n_el: int
    W: np.ndarray
    """(m², )"""
    y0: np.ndarray
    base: np.ndarray
    p: np.ndarray
    y: np.ndarray
    elements: np.ndarray
    numbers: np.ndarray
    scale: np.ndarray
    """(m,) √diag(W), one for the tangential rows of an element."""
    kept: np.ndarray
    """(m + n_el + 1,) p and modes to come back to; the size of y0 and base."""
    where: np.ndarray
    """(m,) unknowns of a linear system, int64."""
    matrix: np.ndarray
    """(m², ) by columns."""
    local: np.ndarray
    """(33,) the equation of slip of one element in space, and directions."""
    rest: np.ndarray
    """(4 m,) right-hand side, and what the least squares need."""

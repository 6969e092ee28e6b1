"""What the linear algebra and those who call it agree on."""

from __future__ import annotations

OK, SINGULAR = 0, 1
"""Status of a factorisation or a solution: done, or a pivot is negligible."""

SOLUTION, RHS, RESIDUAL, SCRATCH = range(4)
"""Rows of X: what is solved for, in place of the right-hand side; a copy of that side; the residual; work space."""

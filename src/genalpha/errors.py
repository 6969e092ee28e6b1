"""Exceptions and warnings of genalpha.

Everything raised on purpose descends from `GenalphaError`, everything warned about from `GenalphaWarning`::

    Exception
    └── GenalphaError                       carries .solution (None unless a run had begun)
        ├── InputError (ValueError)         an argument is wrong
        │   └── ShapeError                  ... its shape is
        ├── NonFiniteError                  a user function returned NaN or inf
        ├── SingularMassError               the mass matrix cannot be inverted where it must be
        ├── InconsistentInitialState        q0, v0 violate the constraints
        ├── ContradictoryConstraints        no motion satisfies the constraints
        ├── StepError                       a run failed midway
        │   └── ConvergenceError            ... because the iteration of a step did not converge
        ├── FileError (OSError)             a file cannot be written or read, or does not fit
        ├── CompilationError                functions could not be compiled
        └── MissingExtra (ImportError)      an optional dependency is not installed

    UserWarning
    └── GenalphaWarning
        ├── OrderWarning                    the scheme is of lower order than expected
        ├── RedundantConstraintsWarning     some constraints repeat others
        └── DerivativeWarning               a derivative is less accurate than it could be, or looks wrong
"""

from __future__ import annotations

from typing import Any

__all__ = [
    "CompilationError",
    "ContradictoryConstraints",
    "ConvergenceError",
    "DerivativeWarning",
    "FileError",
    "GenalphaError",
    "GenalphaWarning",
    "InconsistentInitialState",
    "InputError",
    "MissingExtra",
    "NonFiniteError",
    "OrderWarning",
    "RedundantConstraintsWarning",
    "ShapeError",
    "SingularMassError",
    "StepError",
]


class GenalphaError(Exception):
    """Root of all exceptions raised on purpose.

    Parameters
    ----------
    *args
        The message: what, where, how far, what to do.
    solution : Solution, optional
        What was computed before the failure.

    Attributes
    ----------
    solution : Solution or None
        The partial solution, if a run had begun.
    """

    def __init__(self, *args: object, solution: Any = None) -> None:
        super().__init__(*args)
        self.solution = solution


class InputError(GenalphaError, ValueError):
    """An argument has a value that is not allowed."""


class ShapeError(InputError):
    """An array, given or returned by a user function, has the wrong shape."""


class NonFiniteError(GenalphaError):
    """A user function returned NaN or inf; the message says which one and at which t."""


class SingularMassError(GenalphaError):
    """The mass matrix, or its restriction to the motions the constraints allow, is singular."""


class InconsistentInitialState(GenalphaError):
    """The initial configuration or velocity violates the constraints."""


class ContradictoryConstraints(GenalphaError):
    """The constraints exclude each other: no motion satisfies all of them."""


class StepError(GenalphaError):
    """A run failed midway; `solution` holds the steps that were accepted."""


class ConvergenceError(StepError):
    """The iteration of a step did not converge."""


class FileError(GenalphaError, OSError):
    """A file cannot be written or read, or was made by another system or version; no rows in memory are lost."""


class CompilationError(GenalphaError):
    """Functions that were to be compiled could not be."""


class MissingExtra(GenalphaError, ImportError):
    """An optional dependency is not installed; the message names the extra to install."""


class GenalphaWarning(UserWarning):
    """Root of all warnings."""


class OrderWarning(GenalphaWarning):
    """The scheme is of lower order than the second one can expect."""


class RedundantConstraintsWarning(GenalphaWarning):
    """Some constraints repeat others: the motion is unique, their multipliers are not."""


class DerivativeWarning(GenalphaWarning):
    """A derivative is found with less accuracy than possible, or the given one looks wrong."""

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
        │   ├── ConvergenceError            ... because the iteration of a step did not converge
        │   ├── SingularityError            ... because it has come to a state that no step leaves
        │   └── TooManySteps                ... because it would take more steps than allowed
        ├── FileError (OSError)             a file cannot be written or read, or does not fit
        ├── CompilationError                functions could not be compiled
        └── MissingExtra (ImportError)      an optional dependency is not installed

    UserWarning
    └── GenalphaWarning
        ├── OrderWarning                    the scheme is of lower order than expected
        ├── RedundantConstraintsWarning     some constraints repeat others
        ├── EnergyWarning                   impacts have made energy
        ├── DerivativeWarning               a derivative is less accurate than it could be, or looks wrong
        └── UnsteadyWarning                 small motions about a state have no constant coefficients
"""

from __future__ import annotations

import sys
import warnings
from typing import Any

__all__ = [
    "CompilationError",
    "ContradictoryConstraints",
    "ConvergenceError",
    "DerivativeWarning",
    "EnergyWarning",
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
    "SingularityError",
    "StepError",
    "TooManySteps",
    "UnsteadyWarning",
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

    Examples
    --------
    >>> import genalpha as ga
    >>> try:
    ...     ga.SOI2(tol=-1.0)
    ... except ga.GenalphaError as error:
    ...     print(error, error.solution)
    tol = -1.0 must lie between 0 and 1; 1e-10 is the default None
    """

    def __init__(self, *args: object, solution: Any = None) -> None:
        super().__init__(*args)
        self.solution = solution


class InputError(GenalphaError, ValueError):
    """An argument has a value that is not allowed.

    Examples
    --------
    >>> import genalpha as ga
    >>> ga.GeneralizedAlpha(rho_inf=2.0)
    Traceback (most recent call last):
    ...
    genalpha.errors.InputError: rho_inf = 2.0 is outside the allowed range [0, 1] (0: highest, 1: no dissipation)
    """


class ShapeError(InputError):
    """An array, given or returned by a user function, has the wrong shape.

    Examples
    --------
    >>> import numpy as np
    >>> import genalpha as ga
    >>> oscillator = ga.System(M=np.eye(1), f=lambda t, q, v: -q)
    >>> ga.solve(oscillator, (0.0, 1.0), [1.0, 2.0], [0.0], h=0.1)
    Traceback (most recent call last):
    ...
    genalpha.errors.ShapeError: q0 (2,) and v0 (1,) must be vectors of the same length, 1 or more
    """

    def __str__(self) -> str:
        # compiled code has no words for a time: it gives it as a second argument
        message, *t = self.args or ("",)
        return f"{message} at t = {t[0]:.9g}" if t else str(message)


class NonFiniteError(GenalphaError):
    """A user function returned NaN or inf; the message says which one and at which t.

    Examples
    --------
    >>> import numpy as np
    >>> import genalpha as ga
    >>> shrinking = ga.System(M=np.eye(1), f=lambda t, q, v: np.array([np.sqrt(complex(0.5 - t)).real / (0.5 - t > 0)]))
    >>> try:
    ...     with np.errstate(all="ignore"):
    ...         ga.solve(shrinking, (0.0, 1.0), [0.0], [0.0], h=0.1)
    ... except ga.NonFiniteError as error:
    ...     print(str(error)[:30], error.solution.t[-1].round(2))
    f gives NaN or inf at t = 0.5  0.4
    """


class SingularMassError(GenalphaError):
    """The mass matrix, or its restriction to the motions the constraints allow, is singular.

    Examples
    --------
    >>> import numpy as np
    >>> import genalpha as ga
    >>> massless = ga.System(M=np.zeros((1, 1)), f=lambda t, q, v: -q)
    >>> ga.solve(massless, (0.0, 1.0), [1.0], [0.0], h=0.1)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    genalpha.errors.SingularMassError: the mass matrix is singular at t = 0: a motion of 'q[0]' ...
    """


class InconsistentInitialState(GenalphaError):
    """The initial configuration or velocity violates the constraints.

    Parameters
    ----------
    before, after : str
        The message around the words that say how the state is moved onto the constraints; or the whole message alone.

    Examples
    --------
    >>> import numpy as np
    >>> import genalpha as ga
    >>> bead = ga.System(M=np.eye(2), f=np.array([0.0, -9.81]), g=lambda t, q: np.array([q[0]]))
    >>> ga.solve(bead, (0.0, 1.0), [0.1, 0.0], [0.0, 0.0], h=0.1)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    genalpha.errors.InconsistentInitialState: constraint 'g[0]': |g| = 0.1 exceeds ...; correct q0 or pass project=True
    >>> ga.solve(bead, (0.0, 1.0), [0.1, 0.0], [0.0, 0.0], h=0.1, project=True).q[0, 0]
    np.float64(0.0)
    """

    def told(self, remedy: str = "pass project=True") -> str:
        """The message, with what to do where it is read."""
        return remedy.join(map(str, self.args))

    def __str__(self) -> str:
        return self.told()


class ContradictoryConstraints(GenalphaError):
    """The constraints exclude each other: no motion satisfies all of them.

    Examples
    --------
    >>> import numpy as np
    >>> import genalpha as ga
    >>> torn = ga.System(M=np.eye(1), f=np.zeros(1), g=lambda t, q: np.array([q[0] - t**2, q[0]]))
    >>> ga.solve(torn, (0.0, 1.0), [0.0], [0.0], h=0.1)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    genalpha.errors.ContradictoryConstraints: the constraints contradict one another at t = 0: ...
    """


class StepError(GenalphaError):
    """A run failed midway; `solution` holds the steps that were accepted.

    Examples
    --------
    >>> import numpy as np
    >>> import genalpha as ga
    >>> cliff = ga.System(M=np.eye(1), f=lambda t, q, v: -1e4 * q / (0.5 - q), f_q=0, f_v=0)  # f_q is wrong
    >>> try:
    ...     ga.solve(cliff, (0.0, 2.0), [0.3], [0.0], h=5e-2)
    ... except ga.StepError as error:
    ...     print(type(error).__name__, error.solution.stats.steps)
    ConvergenceError 1
    """


class ConvergenceError(StepError):
    """The iteration of a step did not converge.

    Examples
    --------
    >>> import numpy as np
    >>> import genalpha as ga
    >>> cliff = ga.System(M=np.eye(1), f=lambda t, q, v: -1e4 * q / (0.5 - q), f_q=0, f_v=0)  # f_q is wrong
    >>> sol = ga.solve(cliff, (0.0, 2.0), [0.3], [0.0], h=5e-2, throw=False)
    >>> sol.success, sol.status
    (False, 'ConvergenceError')
    """


class SingularityError(StepError):
    """A run has come to a state that no step leaves, however short; the message says when, and what is singular there.

    Examples
    --------
    >>> import numpy as np
    >>> import genalpha as ga
    >>> rod = lambda t, q: np.array([q @ q - 1.0, q[1] - t])  # its end is pulled beyond its reach
    >>> pulled = ga.System(M=np.eye(2), f=np.zeros(2), g=rod)
    >>> with np.errstate(all="ignore"):
    ...     sol = ga.solve(pulled, (0.0, 2.0), [1.0, 0.0], [0.0, 1.0], throw=False)
    >>> sol.status, sol.t[-1].round(3)
    ('SingularityError', np.float64(1.0))
    """


class TooManySteps(StepError):
    """Error control has made ``max_steps`` steps; the message says where, how long they are, and what keeps them short.

    Examples
    --------
    >>> import numpy as np
    >>> import genalpha as ga
    >>> oscillator = ga.System(M=np.eye(1), f=lambda t, q, v: -4.0 * q)
    >>> sol = ga.solve(oscillator, (0.0, 10.0), [1.0], [0.0], max_steps=50, throw=False)
    >>> sol.status, sol.stats.steps
    ('TooManySteps', 50)
    """


class FileError(GenalphaError, OSError):
    """A file cannot be written or read, or was made by another system or version; no rows in memory are lost.

    Examples
    --------
    >>> import genalpha as ga
    >>> ga.load("nothing.h5")
    Traceback (most recent call last):
    ...
    genalpha.errors.FileError: there is no file nothing.h5
    """


class CompilationError(GenalphaError):
    """Functions that were to be compiled could not be.

    Examples
    --------
    >>> import genalpha as ga
    >>> import scipy.sparse
    >>> mass = ga.evaluator(lambda t, q: scipy.sparse.eye_array(2))
    >>> springs = ga.System(M=mass, f=ga.evaluator(lambda t, q, v: -q))
    >>> ga.solve(springs, (0.0, 1.0), [1.0, 0.0], [0.0, 0.0], h=0.1)
    Traceback (most recent call last):
    ...
    genalpha.errors.CompilationError: M returns a scipy.sparse matrix, which cannot be compiled; use ga.Sparse
    """


class MissingExtra(GenalphaError, ImportError):
    """An optional dependency is not installed; the message names the extra to install.

    Examples
    --------
    >>> import genalpha as ga
    >>> issubclass(ga.MissingExtra, ImportError)
    True
    """


class GenalphaWarning(UserWarning):
    """Root of all warnings.

    Examples
    --------
    >>> import genalpha as ga
    >>> issubclass(ga.DerivativeWarning, ga.GenalphaWarning)
    True
    """


class OrderWarning(GenalphaWarning):
    """The scheme is of lower order than the second one can expect.

    Examples
    --------
    >>> import warnings
    >>> import genalpha as ga
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     scheme = ga.Coefficients(alpha_m=0.0, alpha_f=0.0, beta=0.25, gamma=0.6)
    >>> str(caught[0].message)[:27]
    'gamma = 0.6 differs by 0.1 '
    """


class RedundantConstraintsWarning(GenalphaWarning):
    """Some constraints repeat others: the motion is unique, their multipliers are not.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> import genalpha as ga
    >>> twice = ga.System(M=np.eye(1), f=np.ones(1), g=lambda t, q: np.array([q[0], 2.0 * q[0]]))
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     sol = ga.solve(twice, (0.0, 1.0), [0.0], [0.0], h=0.1)
    >>> str(caught[0].message)[:46], sol.lam[-1].round(6)
    ('1 of 2 constraint rows depend on the others (g', array([-0.5 , -0.25]))
    """


class EnergyWarning(GenalphaWarning):
    """Impacts with friction have made energy: Newton's law of impact can do that, as Kane has shown.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> import genalpha as ga
    >>> rod = ga.System(  # of length 2; its lower end hits the floor
    ...     M=np.diag([1.0, 1.0, 1.0 / 3.0]),
    ...     f=lambda t, q, v: np.zeros(3),
    ...     e=0.9,
    ...     mu=0.6,
    ...     gap=lambda t, q: q[1:2] - np.sin(q[2:]),
    ...     slip=lambda t, q, v: v[:1] + np.sin(q[2:]) * v[2:],
    ... )
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     sol = ga.solve(rod, (0.0, 0.01), [0.0, np.sin(0.9), 0.9], [0.5, -1.0, 0.0], h=1e-3)
    >>> caught[0].category
    <class 'genalpha.errors.EnergyWarning'>
    """


class DerivativeWarning(GenalphaWarning):
    """A derivative is found with less accuracy than possible, or the given one looks wrong.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> import genalpha as ga
    >>> bumper = ga.System(M=np.eye(1), f=lambda t, q, v: -abs(q) * q)
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     sol = ga.solve(bumper, (0.0, 1.0), [1.0], [0.0], h=0.1)
    >>> [warning.category.__name__ for warning in caught]
    ['DerivativeWarning']
    """


class UnsteadyWarning(GenalphaWarning):
    """Matrices of small motions change along the motion, so that their eigenvalues are not those of the motion.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> import genalpha as ga
    >>> pendulum = ga.System(M=np.eye(1), f=lambda t, q, v: -9.81 * np.sin(q))
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     small = ga.linearize(pendulum, [1.0], [2.0])
    >>> str(caught[0].message)[:51]
    'linearize: the matrices change along the motion, by'
    """


def warn(text: str, category: type[GenalphaWarning]) -> None:
    """Warn at the line of the user's that led here."""
    package = __name__.partition(".")[0]
    frame, level = sys._getframe(1), 2  # pyright: ignore[reportPrivateUsage]
    # by the names of modules: the __init__ of a dataclass has no file
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        frame, level = frame.f_back, level + 1
    warnings.warn(text, category, stacklevel=level)

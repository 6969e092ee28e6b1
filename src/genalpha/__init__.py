"""genalpha: generalized-α time integration of mechanical systems with constraints."""

from genalpha._version import __version__
from genalpha.check import check
from genalpha.driver import consistent_initial_state, load, resume, solve
from genalpha.errors import (
    CompilationError,
    ContradictoryConstraints,
    ConvergenceError,
    DerivativeWarning,
    FileError,
    GenalphaError,
    GenalphaWarning,
    InconsistentInitialState,
    InputError,
    MissingExtra,
    NonFiniteError,
    OrderWarning,
    RedundantConstraintsWarning,
    ShapeError,
    SingularMassError,
    StepError,
)
from genalpha.functions import Sparse, evaluator
from genalpha.method import SOI2, GeneralizedAlpha, MoreauJean
from genalpha.scheme import Coefficients
from genalpha.solution import Solution, Statistics
from genalpha.system import System

__all__ = [
    "SOI2",
    "Coefficients",
    "CompilationError",
    "ContradictoryConstraints",
    "ConvergenceError",
    "DerivativeWarning",
    "FileError",
    "GenalphaError",
    "GenalphaWarning",
    "GeneralizedAlpha",
    "InconsistentInitialState",
    "InputError",
    "MissingExtra",
    "MoreauJean",
    "NonFiniteError",
    "OrderWarning",
    "RedundantConstraintsWarning",
    "ShapeError",
    "SingularMassError",
    "Solution",
    "Sparse",
    "Statistics",
    "StepError",
    "System",
    "__version__",
    "check",
    "consistent_initial_state",
    "evaluator",
    "load",
    "resume",
    "solve",
]

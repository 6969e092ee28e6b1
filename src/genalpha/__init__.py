"""genalpha: generalized-α time integration of mechanical systems with constraints."""

from typing import TYPE_CHECKING

from genalpha._version import __version__
from genalpha.analysis.check import check
from genalpha.analysis.holds import Holding, holds
from genalpha.analysis.modes import Linearization, linearize
from genalpha.analysis.statics import Equilibrium, equilibrium
from genalpha.errors import (
    CompilationError,
    ContradictoryConstraints,
    ConvergenceError,
    DerivativeWarning,
    EnergyWarning,
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
    SingularityError,
    SingularMassError,
    StepError,
    TooManySteps,
    UnsteadyWarning,
)
from genalpha.method import SOI2, GeneralizedAlpha, MoreauJean
from genalpha.model.check import ContributionReport, check_contribution
from genalpha.model.model import Model
from genalpha.model.parts.beams import Bar, Beam
from genalpha.model.parts.bodies import PointMass, RigidBody
from genalpha.model.parts.contacts import Contact, ContactGroup, Plane
from genalpha.model.parts.couplings import Coupling, Drive, Gear, PointDrive
from genalpha.model.parts.forces import (
    Bushing,
    Motor,
    PointForce,
    SpringDamper,
    States,
    Torque,
    TorsionSpring,
    UserForce,
)
from genalpha.model.parts.friction import DryFriction
from genalpha.model.parts.joints import (
    Cylindrical,
    Distance,
    Fixed,
    Joint,
    Planar,
    PointOnLine,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
)
from genalpha.model.parts.rolling import KnifeEdge, RollingDisk, RollingEllipsoid, RollingSphere
from genalpha.model.parts.sections import Material, Rigidity, Section
from genalpha.model.parts.shapes import Box, Capsule, Cone, Cylinder, Mesh, Sphere, along
from genalpha.run.solve import consistent_initial_state, resume, solve
from genalpha.scheme import Coefficients
from genalpha.solution.files.read import load
from genalpha.solution.solution import Solution
from genalpha.solution.statistics import Statistics
from genalpha.system.functions import Sparse, evaluator
from genalpha.system.system import System

if TYPE_CHECKING:
    from genalpha import view


def __getattr__(name: str):
    if name == "view":  # loaded when something is drawn
        import importlib

        return importlib.import_module("genalpha.view")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "SOI2",
    "Bar",
    "Beam",
    "Box",
    "Bushing",
    "Capsule",
    "Coefficients",
    "CompilationError",
    "Cone",
    "Contact",
    "ContactGroup",
    "ContradictoryConstraints",
    "ContributionReport",
    "ConvergenceError",
    "Coupling",
    "Cylinder",
    "Cylindrical",
    "DerivativeWarning",
    "Distance",
    "Drive",
    "DryFriction",
    "EnergyWarning",
    "Equilibrium",
    "FileError",
    "Fixed",
    "Gear",
    "GenalphaError",
    "GenalphaWarning",
    "GeneralizedAlpha",
    "Holding",
    "InconsistentInitialState",
    "InputError",
    "Joint",
    "KnifeEdge",
    "Linearization",
    "Material",
    "Mesh",
    "MissingExtra",
    "Model",
    "MoreauJean",
    "Motor",
    "NonFiniteError",
    "OrderWarning",
    "Planar",
    "Plane",
    "PointDrive",
    "PointForce",
    "PointMass",
    "PointOnLine",
    "Prismatic",
    "RedundantConstraintsWarning",
    "Revolute",
    "RigidBody",
    "Rigidity",
    "RollingDisk",
    "RollingEllipsoid",
    "RollingSphere",
    "Section",
    "ShapeError",
    "SingularMassError",
    "SingularityError",
    "Solution",
    "Sparse",
    "Sphere",
    "Spherical",
    "SpringDamper",
    "States",
    "Statistics",
    "StepError",
    "System",
    "TooManySteps",
    "Torque",
    "TorsionSpring",
    "Universal",
    "UnsteadyWarning",
    "UserForce",
    "__version__",
    "along",
    "check",
    "check_contribution",
    "consistent_initial_state",
    "equilibrium",
    "evaluator",
    "holds",
    "linearize",
    "load",
    "resume",
    "solve",
    "view",
]

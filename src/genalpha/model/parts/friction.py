"""Dry friction in joints: of a given size, whatever presses."""

# pyright: reportUnnecessaryIsInstance=false

from __future__ import annotations

from dataclasses import dataclass

from genalpha.model.parts.bodies import Part
from genalpha.model.parts.coefficients import require_coefficient
from genalpha.model.parts.couplings import require_joint
from genalpha.model.parts.joints import Joint


@dataclass(frozen=True, eq=False)
class DryFriction(Part):
    """Dry friction in a joint: it holds what a force or torque of the size ``bound`` can hold, and slides against it.

    The force does not depend on how the joint is loaded: a brake, a tight seal, a bearing with a given friction torque.
    A contact has friction in proportion to what presses, see `Contact`.

    Parameters
    ----------
    name : str
    joint : Joint or str
        A Revolute, Prismatic, PointOnLine; of a Cylindrical ``"name.angle"`` or ``"name.displacement"``, each of which
        may have dry friction of its own.
    bound : float
        The largest torque in N m about the axis, or force in N along it.

    Notes
    -----
    Results: ``effort``, the torque (N m) or force (N) on the coordinate, ``torque`` and ``force`` (nt, 3) on b;
    ``slip``, the rate of the coordinate; ``sticks``; ``friction_work`` (J).

    Examples
    --------
    >>> import genalpha as ga
    >>> model = ga.Model("one body", gravity=(0.0, 0.0, -9.81))
    >>> rod = model.add(ga.RigidBody("rod", mass=1.0, inertia=(0.01, 0.1, 0.1), position=(0.5, 0.0, 0.0)))
    >>> pin = model.add(ga.Revolute("pin", model.ground, rod, at=(0, 0, 0), axis=(0, 1, 0)))
    >>> brake = model.add(ga.DryFriction("brake", pin, bound=2.0))
    >>> brake.bound  # N m
    2.0
    """

    joint: Joint | str = ""
    bound: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        require_joint(self, self.joint)
        require_coefficient(self, "bound", self.bound)

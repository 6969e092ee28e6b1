"""The spin-up manoeuvre of Simo and Vu-Quoc: a slender beam is brought to a constant speed of rotation."""

from __future__ import annotations

import numpy as np

from genalpha.method import GeneralizedAlpha
from genalpha.model.model import Model
from genalpha.model.parts.beams import Beam
from genalpha.model.parts.bodies import RigidBody
from genalpha.model.parts.forces import Torque
from genalpha.model.parts.joints import Fixed, Revolute
from genalpha.model.parts.sections import Rigidity
from genalpha.problems.problem import Problem, no_reference
from genalpha.system.functions import evaluator

LENGTH, SPEED, RAMP = 10.0, 6.0, 15.0
SECTION = Rigidity(EA=2.8e7, GA=1e7, GJ=1.4e4, EI=1.4e4, mass=1.2, inertia=6e-4)

EXTENSION = SECTION.mass * SPEED**2 * LENGTH**3 / (3.0 * SECTION.EA)
"""Of the beam at constant speed, 5.14e-4, to first order: the integral of the centrifugal force over EA."""

LAG, LAG_AT = 0.57404, 6.769
"""Largest lag of the tip and its time, by another program: Exudyn 1.13.6, 32 planar elements with consistent mass, the
angle prescribed, h = 2.5e-3 (with twice the step .57411, with 8 elements .57313)."""

PRINTED = {"shortening": (0.019, 6.7), "lag": (0.575, 6.85), "rotation": (4.424, 6.7), "extension": (5.14e-4, None)}
"""Peaks and their times: the arm's tip along and across the hub's axis in metres, its section against the hub in
degrees; and the extension at constant speed. Targets of Ansys' verification problem VM258 (its input ships with
PyMAPDL), which reads them off figure 6 of Simo and Vu-Quoc 1988."""

FLYWHEEL = 1e7
"""Inertia of the hub, which the arm (400 kg m²) hardly slows down; a torque of FLYWHEEL ψ̈ drives it."""


@evaluator
def torque(t):
    """FLYWHEEL ψ̈, with the angle ψ = Ω/T (t²/2 + (T/2π)² (cos(2πt/T) − 1)) up to T, and constant speed from then on."""
    return FLYWHEEL * SPEED / RAMP * (1.0 - np.cos(2.0 * np.pi * t / RAMP)) if t < RAMP else 0.0


@evaluator
def torque_in_space(t):
    """The same, as a vector."""
    return np.array([0.0, 0.0, torque(t)])


def lag(sol) -> np.ndarray:
    """Displacements (nt, 2) of the tip, along and across the axis of the hub that the arm lies on at t0."""
    R, tip = sol["hub"].rotation, sol["arm"].tip
    return np.einsum("tji,tj->ti", R, tip)[:, :2] - (LENGTH, 0.0)


def rotation(sol) -> np.ndarray:
    """Angles (nt,) between the sections at both ends of the arm, in degrees."""
    root, tip = sol["arm"].orientation[:, 0], sol["arm"].orientation[:, -1]
    return np.degrees(2.0 * np.arccos(np.minimum(np.abs(np.sum(root * tip, axis=1)), 1.0)))


def make(elements: int = 10, planar: bool = True, group: str = "R3xSO3") -> Problem:
    """The beam with the numbers of the paper, in a plane or in space; it is clamped to a heavy hub, which is driven."""
    z = () if planar else (0.0,)
    model = Model("spin-up", planar=planar)
    arm = model.add(
        Beam("arm", (0.0, 0.0, *z), (LENGTH, 0.0, *z), elements=elements, section=SECTION, group=group)
    )  # fmt: skip
    hub = model.add(RigidBody("hub", mass=1.0, inertia=FLYWHEEL if planar else (FLYWHEEL,) * 3))
    axis = None if planar else (0.0, 0.0, 1.0)
    model.add(Revolute("bearing", model.ground, hub, at=(0.0, 0.0, *z), axis=axis))
    model.add(Fixed("clamp", hub, arm.nodes[0], at=(0.0, 0.0, *z)))
    model.add(Torque("drive", hub, torque=torque if planar else torque_in_space))
    system = model.assemble()
    return Problem(
        name="spin_up",
        title=f"Spin-up manoeuvre, {elements} elements",
        summary="A slender beam is brought to a constant speed of rotation: it lags behind, then centrifugal forces "
        "straighten and stretch it.",
        source="J. C. Simo, L. Vu-Quoc, On the dynamics of flexible beams under large overall motions: the plane case, "
        "J. Appl. Mech. 53 (1986) 849-863, part II; in space Comput. Methods Appl. Mech. Eng. 66 (1988) 125-161",
        system=lambda: system,
        q0=system.q0,
        v0=system.v0,
        t_span=(0.0, 20.0),
        h=5e-3,
        method=GeneralizedAlpha(rho_inf=0.8),
        reference=no_reference,
        reference_is="none; known are the largest lag, 0.575, and the extension at constant speed, 5.14e-4 (paper)",
        conserves_energy=False,
    )

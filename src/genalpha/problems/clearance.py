"""A slider-crank whose piston pin has play in the rod: a clearance joint, the wear of every old engine."""

from __future__ import annotations

import numpy as np

from genalpha.errors import InputError
from genalpha.method import GeneralizedAlpha
from genalpha.model.model import Model
from genalpha.model.parts.contacts import Contact
from genalpha.problems.problem import Problem, no_reference
from genalpha.problems.slider_crank import ROD, engine_without_small_end

PIN = 0.02


def model(clearance: float, e: float) -> Model:
    """``crank``, ``rod`` and ``piston``; the contact ``bearing`` is the pin of the piston in the eye of the rod."""
    engine = engine_without_small_end("clearance")
    engine.add(
        Contact(
            "bearing", "piston", "rod", restitution=e, on_a=(0.0, 0.0), radius_a=PIN, on_b=(0.5 * ROD, 0.0),
            radius_b=PIN + clearance, inside=True,
        )
    )  # fmt: skip
    return engine


def make(clearance: float = 5e-4, e: float = 0.46) -> Problem:
    """The slider-crank, with a pin that is loose in its eye by ``clearance`` and bounces off its rim; no friction.

    The pin never leaves the eye. As the clearance goes to zero, the motion becomes that of "slider_crank".
    """
    if not clearance > 0.0:
        raise InputError(f"clearance = {clearance!r} must be positive; without play it is the problem slider_crank")
    system = model(clearance, e).assemble()
    return Problem(
        name="clearance",
        title="Slider-crank with a clearance joint",
        summary="A piston pin with play in the rod's eye: a disc inside a disc, with impacts and long sliding contact.",
        source="after P. Flores, H. M. Lankarani, Contact Force Models for Multibody Dynamics, 2016; numbers of ours",
        system=lambda: system,
        q0=system.q0,
        v0=system.v0,
        t_span=(0.0, 1.0),
        h=1e-4,
        method=GeneralizedAlpha(rho_inf=0.8),
        reference=no_reference,
        reference_is="none; in the limit of no clearance the slider-crank",
        conserves_energy=False,
    )


def play(sol) -> np.ndarray:
    """How far the pin is from the middle of its eye (nt,)."""
    eye = sol["rod"].point((0.5 * ROD, 0.0))
    return np.linalg.norm(sol["piston"].position - eye, axis=1)

"""Results of dry friction in joints."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from genalpha.inputs import Array
from genalpha.model.results.joints import RATE, JointForceResult
from genalpha.model.results.slips import SlipRows


@dataclass(frozen=True)
class DryFrictionResult(JointForceResult):
    """Dry friction in a joint.

    Attributes
    ----------
    coordinate, rate, slip : ndarray (nt,)
        Of its joint; the slip is the rate as the scheme has it.
    effort : ndarray (nt,)
        Torque or force on the coordinate: the mean over the step that ends here, without impacts.
    force, torque : ndarray (nt, 3)
        The same as vectors, on body b of the joint, at the joint, in space.
    sticks : ndarray of bool (nt,)
    power : ndarray (nt,)
        What it gives to the motion; never positive but for the mean.
    friction_work : ndarray (nt,)
        Since t0; negative.
    friction_impulse : ndarray (nt,)
        On the coordinate, since the row before, impacts included.
    """

    @property
    def _rows(self) -> SlipRows:
        return SlipRows(self.system, self.solution)

    @property
    def effort(self) -> Array:
        return self._rows.dry("mean", self.name)

    @property
    def slip(self) -> Array:
        return self._rows.dry("slip", self.name)

    @property
    def sticks(self) -> NDArray[np.bool_]:
        return self._rows.dry("sticks", self.name) > 0.0

    @property
    def friction_work(self) -> Array:
        return self._rows.dry("work", self.name)

    @property
    def friction_impulse(self) -> Array:
        return self._rows.dry("impulse", self.name)

    def main(self) -> tuple[str, ...]:
        return "effort", "slip", "sticks"

    def dimension(self, quantity: str) -> str | tuple[str, ...]:
        if quantity == "slip":
            return RATE[self._coordinate]
        if quantity == "friction_impulse":  # a torque times time has no name of its own
            return "impulse" if self._coordinate == "displacement" else ""
        return super().dimension(quantity)

"""Slip and friction of contacts as vectors in space, from the rows of slip that a solution has."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from genalpha.inputs import Array
from genalpha.model.columns import FLAT
from genalpha.model.places import rotations
from genalpha.system.friction import FrictionColumns

if TYPE_CHECKING:
    from genalpha.model.system import ModelSystem
    from genalpha.model.tables.contacts import Touch
    from genalpha.model.tables.friction import Rub


def tangents(rub: Rub, touch: Touch, q: Array, normal: Array, planar: bool) -> Array:
    """Axes of the rows of slip in space (nt, 2, 3) at states q (nt, nq); ``normal`` (nt, 3) pushes a."""
    if rub.kind == FLAT:
        return rub.tangents @ np.swapaxes(rotations(touch.b, q, planar), 1, 2)
    if planar:
        aside = np.stack([normal[:, 1], -normal[:, 0], 0.0 * normal[:, 0]], axis=1)
        return np.stack([aside, np.zeros_like(aside)], axis=1)
    along = normal @ rub.tangents.T / np.maximum(1.0 + normal @ rub.normal, 1e-24)[:, None]
    return rub.tangents - along[:, :, None] * (rub.normal + normal)[:, None, :]


@dataclass(frozen=True)
class SlipRows:
    """The columns of friction of a solution.

    Attributes
    ----------
    system : ModelSystem
    solution : object
        Has the raw results of friction.
    """

    system: ModelSystem = field(repr=False)
    solution: Any = field(repr=False)

    @cached_property
    def _columns(self) -> FrictionColumns:
        friction = self.system.assembly.slips.friction()
        return FrictionColumns(0, 0) if friction is None else FrictionColumns(friction.nt, friction.ne)

    @cached_property
    def _elements(self) -> dict[int, int]:
        """The element of friction of each gap that has one."""
        return {row: e for e, row in enumerate(self.system.assembly.slips.rubs)}

    def rub(self, gap: int) -> Rub | None:
        """How the contact of a gap rubs."""
        return self.system.assembly.slips.rubs.get(gap)

    def rows(self, name: str, gap: int) -> Array:
        """``slip``, ``force``, ``mean`` or ``impulse`` (nt, rows) of the contact of a gap with friction."""
        rub = self.system.assembly.slips.rubs[gap]
        return self.solution.friction[:, getattr(self._columns, name)][:, rub.first : rub.first + rub.rows]

    def element(self, name: str, gap: int) -> Array:
        """``sticks`` or ``work`` (nt,)."""
        return self.solution.friction[:, getattr(self._columns, name)][:, self._elements[gap]]

    def dry(self, name: str, part: str) -> Array:
        """The same (nt,), or one of `rows`, of dry friction in a joint."""
        slips = self.system.assembly.slips
        first = len(slips.rubs) if name in ("sticks", "work") else len(slips.names)
        return self.solution.friction[:, getattr(self._columns, name)][:, first + slips.dry_rows[part]]

    def vectors(self, name: str, gap: int, touch: Touch, normal: Array) -> Array:
        """Rows of slip, forces or impulses of a contact as vectors in space (nt, 3); zero without friction."""
        rub, planar = self.rub(gap), self.system.model.planar
        if rub is None:
            return np.zeros_like(normal)
        found = self.rows(name, gap)[:, :2]
        axes = tangents(rub, touch, self.solution.q, normal, planar)[:, : found.shape[1]]
        return np.einsum("tj,tji->ti", found, axes)

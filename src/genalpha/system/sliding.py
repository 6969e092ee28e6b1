"""What the raw results of friction say: slip, forces and sticking, by contact and by row of dry friction."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from genalpha.errors import InputError
from genalpha.system.friction import Friction, FrictionColumns

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Sliding:
    """Rows of raw results, time first, and what they are of.

    What belongs to contacts has the shape (nt, nc), and (nt, nc, 2) or (nt, nc, 3) where a contact has more than one
    row of slip. Contacts without friction have no force and do not stick, and their slip is not known (NaN).

    Attributes
    ----------
    friction : Friction
    nc : int
        Number of contacts, with friction and without.
    raw : ndarray (nt, width)
        See `FrictionColumns`.
    """

    friction: Friction
    nc: int
    raw: Array

    @property
    def columns(self) -> FrictionColumns:
        """Where things are in a raw row."""
        return FrictionColumns(self.friction.nt, self.friction.ne)

    @property
    def lam_t(self) -> Array:
        """Forces of the smooth motion (nt, rows), of contacts, then dry ones."""
        return self.raw[:, self.columns.force]

    @property
    def slip(self) -> Array:
        """Slip velocities of contacts."""
        return self._by_contact(self.raw[:, self.columns.slip], np.nan)

    @property
    def force(self) -> Array:
        """Mean forces of the step that ends here, without impacts."""
        return self._by_contact(self.raw[:, self.columns.mean], 0.0)

    @property
    def impulse(self) -> Array:
        """Tangential impulses of everything since the row before."""
        return self._by_contact(self.raw[:, self.columns.impulse], 0.0)

    @property
    def sticks(self) -> NDArray[np.bool_]:
        """Which contacts stick (nt, nc)."""
        return self._by_element(self.raw[:, self.columns.sticks]) > 0.5

    @property
    def work(self) -> Array:
        """Work of friction since the beginning, negative where it dissipates (nt, nc)."""
        return self._by_element(self.raw[:, self.columns.work])

    @property
    def dry_force(self) -> Array:
        """Mean forces of dry friction (nt, nd)."""
        return self._of_dry(self.raw[:, self.columns.mean])

    @property
    def dry_slip(self) -> Array:
        """Velocities of rows of dry friction (nt, nd)."""
        return self._of_dry(self.raw[:, self.columns.slip])

    @property
    def dry_sticks(self) -> NDArray[np.bool_]:
        """Which of them stick (nt, nd)."""
        self._require_dry()
        return self.raw[:, self.columns.sticks][:, self.friction.is_dry] > 0.5

    def margin(self, normal: Array) -> Array:
        """How much more friction force each contact could hold (nt, nc), μ N − |F|, from mean normal forces (nt, nc).

        Where it sticks μ is mu_static. Of an ellipse μ is the larger one, and |F| is what it is along this axis.
        """
        self._require_contacts()
        friction, pressed = self.friction, self._pressed
        scaled = self.raw[:, self.columns.mean][:, : friction.first[pressed]]
        mu = friction.mu[: friction.first[pressed]]
        scaled = np.divide(scaled, mu, out=np.zeros_like(scaled), where=mu > 0.0)
        size = np.sqrt(np.add.reduceat(scaled**2, friction.first[:pressed], axis=1))
        ratio = np.where(self.raw[:, self.columns.sticks][:, :pressed] > 0.5, friction.static[:pressed], 1.0)
        largest = np.maximum.reduceat(mu, friction.first[:pressed])
        found = np.zeros((len(self.raw), self.nc))
        contacts = friction.contact[:pressed]
        found[:, contacts] = largest * (ratio * normal[:, contacts] - size)
        return found

    @property
    def _pressed(self) -> int:
        """Number of elements that are contacts; they come first."""
        return self.friction.ne - self.friction.nd

    def _by_contact(self, rows: Array, missing: float) -> Array:
        self._require_contacts()
        pressed, first = self._pressed, self.friction.first
        widths, n = self.friction.widths[:pressed], int(first[pressed])
        found = np.full((len(rows), self.nc, int(widths.max())), missing)
        place = np.arange(n) - np.repeat(first[:pressed], widths)
        found[:, np.repeat(self.friction.contact[:pressed], widths), place] = rows[:, :n]
        return found[:, :, 0] if found.shape[2] == 1 else found

    def _by_element(self, values: Array) -> Array:
        self._require_contacts()
        found = np.zeros((len(values), self.nc))
        found[:, self.friction.contact[: self._pressed]] = values[:, : self._pressed]
        return found

    def _of_dry(self, rows: Array) -> Array:
        self._require_dry()
        return rows[:, self.friction.first[self._pressed] :]

    def _require_contacts(self) -> None:
        if not self._pressed:
            raise InputError(
                "no contact of this system has friction, only dry friction with bounds of its own: "
                "dry_slip, dry_force, dry_sticks, lam_t"
            )

    def _require_dry(self) -> None:
        if not self.friction.nd:
            raise InputError(
                "this system has no dry friction, only that of contacts: slip, friction_force, sticks, lam_t"
            )


def tangential_impulses(friction: Friction | None, columns: Array) -> Array:
    """Those of impacts (n,), or (n, rows of slip), from three columns of the log; zeros without friction."""
    pressed = np.zeros(0) if friction is None else friction.widths[~friction.is_dry]
    width = int(np.max(pressed, initial=1))
    return columns[:, 0] if width == 1 else columns[:, :width]

"""Friction in the viewer: forces along the surfaces, what sticks and what slides, and curves of both."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from genalpha.solution.rows import FRICTION
from genalpha.system.sliding import Sliding
from genalpha.view.tracks import Array, ContactTrack

if TYPE_CHECKING:
    from genalpha.system.friction import Friction

OPEN, SLIDES, STICKS = 0, 1, 2
"""States of a contact with friction, as the page has them."""


def elements_of(sol) -> Friction | None:
    """What slides or sticks in a solution; None without friction, where it was not saved, and of an equilibrium."""
    origin = getattr(sol, "origin", None)
    return origin.friction if origin is not None and FRICTION in origin.columns.chosen else None


def sliding_of(sol) -> Sliding | None:
    """What the raw results of friction say, likewise."""
    friction = elements_of(sol)
    return None if friction is None else Sliding(friction, sol.origin.columns.widths["gap"], sol.friction)


def on_contact(sliding: Sliding | None, row: int) -> tuple[Array, NDArray[np.bool_]] | None:
    """Friction forces (nf, 1 or 2) along the slips of a contact, without drilling, and whether it sticks (nf,)."""
    element = -1 if sliding is None else int(sliding.friction.of_contact(sliding.nc)[row])
    if sliding is None or element < 0:
        return None
    return _of_element(sliding, "mean", element), sliding.raw[:, sliding.columns.sticks][:, element] > 0.5


def _of_element(sliding: Sliding, name: str, element: int) -> Array:
    """Rows of an element, those of drilling left out."""
    return sliding.raw[:, getattr(sliding.columns, name)][:, sliding.friction.rows(element)][:, :2]


def states(contact: ContactTrack, push: Array) -> NDArray[np.uint32]:
    """Is a contact open, does it slide or stick (nf,)? ``push`` (nf,) is the force that presses."""
    sticks, force = contact.sticks, contact.friction
    if sticks is None or force is None:
        return np.zeros(push.shape, dtype=np.uint32)
    acts = (push > 0.0) | np.any(force != 0.0, axis=1)
    return np.where(sticks, STICKS, np.where(acts, SLIDES, OPEN)).astype(np.uint32)


def contact_curves(sliding: Sliding, name: str) -> Iterator[tuple[int, Array]]:
    """(contact, values) of "slip" or "mean" of each contact with friction: signed along a line, else the size."""
    for element, contact in enumerate(sliding.friction.contact.tolist()):
        if contact >= 0:
            rows = _of_element(sliding, name, element)
            yield contact, rows[:, 0] if rows.shape[1] == 1 else np.linalg.norm(rows, axis=1)


def dry_curves(sliding: Sliding, name: str) -> Iterator[tuple[int, Array]]:
    """(number, values) of the same of each row of dry friction."""
    for i, element in enumerate(np.nonzero(sliding.friction.is_dry)[0].tolist()):
        yield i, _of_element(sliding, name, element)[:, 0]

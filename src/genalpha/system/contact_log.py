"""The log of contact events: its columns, the kinds of events, how rows are written and read.

A run writes events as rows of numbers, in the order in which they happen; files and solutions keep them as they are.
It needs numpy alone, so that those who only read a solution need no compiler.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from genalpha.errors import FileError

# columns
LOG_TIME = 0  # end of the step, or its beginning for a contact that opened
LOG_CONTACT = 1  # which contact
LOG_KIND = 2  # what happened, one of the kinds below
LOG_BEFORE = 3  # velocity of the gap before, as the law of impact counts it
LOG_AFTER = 4  # velocity of the gap after the step
LOG_IMPULSE = 5  # of an impact; else all the impulse of the step
LOG_TANGENT = 6  # tangential impulse of an impact, up to three rows of slip
N_LOG = 9
N_FRICTIONLESS = 6
"""Columns in files of systems without friction."""
LOG_KEY = LOG_BEFORE
"""Of events ASSIGNED, which have no velocities: the pair that is in the slot from now on; negative: none."""

# kinds
OPENED = 0  # the contact has left the set B
CLOSED = 1  # the contact has entered the set B
IMPACT = 2  # its velocity has jumped
ASSIGNED = 3  # another pair of bodies has come into its slot
GAINED = (
    4  # the impacts of the step have made energy, as much as LOG_IMPULSE says; the contact is the one that made most
)
KINDS = (OPENED, CLOSED, IMPACT, ASSIGNED, GAINED)


def put_event(
    log: Any, n: int, t: float, contact: int, kind: int, approach: float, departure: float, impulse: float
) -> None:
    """Write row n of the log; `accept_contacts` compiles it."""
    log[n, LOG_TIME] = t
    log[n, LOG_CONTACT] = contact
    log[n, LOG_KIND] = kind
    log[n, LOG_BEFORE] = approach
    log[n, LOG_AFTER] = departure
    log[n, LOG_IMPULSE] = impulse


def put_tangent(log: Any, n: int, a: float, b: float, c: float) -> None:
    """Write the tangential impulse of the impact in row n; rows of slip that there are not are 0."""
    log[n, LOG_TANGENT] = a
    log[n, LOG_TANGENT + 1] = b
    log[n, LOG_TANGENT + 2] = c


def widened(log: NDArray[np.float64]) -> NDArray[np.float64]:
    """A log without friction, which has fewer columns in files, as (n, N_LOG)."""
    return np.pad(log, ((0, 0), (0, N_LOG - log.shape[1])))


def assignments(t: float, contacts: Sequence[int] | NDArray[np.int64], keys: ArrayLike) -> NDArray[np.float64]:
    """Rows (n, N_LOG) that say which pairs, by their keys, are in the slots of ``contacts`` from t on."""
    log = np.zeros((len(contacts), N_LOG))
    log[:, LOG_TIME], log[:, LOG_CONTACT], log[:, LOG_KIND], log[:, LOG_KEY] = t, contacts, ASSIGNED, keys
    return log


def of_kind(log: NDArray[np.float64], *kinds: int) -> NDArray[np.float64]:
    """The rows of these kinds."""
    return log[np.isin(log[:, LOG_KIND], kinds)]


def contacts_of(log: NDArray[np.float64]) -> NDArray[np.int64]:
    """The contact of each row."""
    return log[:, LOG_CONTACT].astype(np.int64)


def is_sound(log: NDArray[np.float64], nc: int) -> bool:
    """Do all rows name contacts and kinds that there are?"""
    contact = log[:, LOG_CONTACT]
    known = (contact >= 0) & (contact < nc) & (contact == np.floor(contact)) & np.isin(log[:, LOG_KIND], KINDS)
    return bool(np.all(np.isfinite(log)) and np.all(known))


def closed_intervals(
    log: NDArray[np.float64], nc: int, t0: float, first: float, t1: float, closed_at_start: Sequence[int]
) -> tuple[list[tuple[float, float]], ...]:
    """The intervals [(begin, end), ...] in which each of nc contacts stayed closed, between t0 and t1.

    ``first`` is the end of the first step. A contact that is closed for one step only has bounced: that is an impact
    and no interval.
    """
    intervals: list[list[tuple[float, float]]] = []
    log = of_kind(log, OPENED, CLOSED)
    for contact in range(nc):
        own = log[log[:, LOG_CONTACT] == contact]
        begins, ends = (own[own[:, LOG_KIND] == kind, LOG_TIME].tolist() for kind in (CLOSED, OPENED))
        if begins and begins[0] == first and closed_at_start[contact]:  # it did not open and come back
            begins[0] = t0
        if len(ends) > len(begins):
            raise FileError(f"the contact events are damaged: contact {contact} opens more often than it closes")
        ends += [t1] * (len(begins) - len(ends))
        intervals.append([(float(a), float(b)) for a, b in zip(begins, ends, strict=True) if b > a])
    return tuple(intervals)

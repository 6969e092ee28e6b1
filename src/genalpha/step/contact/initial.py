"""Accelerations, contact forces and friction at one state: Coulomb's law at the level of accelerations."""

# all of this is asked of contracts with friction only
# pyright: reportOptionalMemberAccess=false

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from genalpha.errors import ContradictoryConstraints
from genalpha.math.coulomb import solve_coulomb, work_size
from genalpha.math.coulomb_tables import (
    DIRECTION,
    DISK,
    FIRST,
    FREE,
    GIVEN,
    KAPPA,
    LAW,
    MODE,
    N_ELEMENT,
    N_NUMBER,
    NORMAL,
    OPEN,
    RADIUS,
    SLIP,
    SOLVED,
    STICK,
    WIDTH,
)
from genalpha.step.consistency import TOLERANCE, Forces, accelerations, closed_contacts, solve_rows
from genalpha.step.scales import scales
from genalpha.system.block import TANGENTIAL, UNILATERAL
from genalpha.system.contract import Contract

ACCURACY, SWEEPS = 1e-12, 2000
"""Of forces, relative; sweeps over all contacts at most."""


class Rows(NamedTuple):
    """The rows of a contact problem: elements of `math.coulomb`, and the places of its unknowns."""

    elements: NDArray[np.int64]
    numbers: NDArray[np.float64]
    contacts: NDArray[np.int64]  # the contact of each normal row
    slips: NDArray[np.int64]  # the row of slip of each tangential row
    normal: NDArray[np.int64]  # unknowns that are contact forces
    tangential: NDArray[np.int64]  # and friction


def resting(contract: Contract, t: float, q, v) -> NDArray[np.bool_]:
    """Which elements of friction do not slide at a state (ne,), whether they are closed or not."""
    friction = contract.friction
    s, size = contract.evaluate("slip", t, q, v), scales(contract, t, q, v)
    limits = TOLERANCE * (
        size.of_rows(contract, "T", size.v, t, q, v) + np.abs(contract.drift(TANGENTIAL, t, q, v))
    )  # fmt: skip
    slides = (np.abs(s) > limits) & (friction.mu > 0.0)
    return ~np.logical_or.reduceat(slides, friction.first[:-1])


def with_friction(contract: Contract, t: float, q, v, closed=None, rests=None) -> Forces:
    """Accelerations with friction at a state that satisfies the constraints.

    Parameters
    ----------
    closed : ndarray of bool (nc,), optional
        Contacts that may press; those that touch and do not part by default.
    rests : ndarray of bool (ne,), optional
        Elements that do not slide; `resting` by default.
    """
    friction = contract.friction
    closed = closed_contacts(contract, t, q, v) if closed is None else closed
    rests = resting(contract, t, q, v) if rests is None else rests
    scale = np.where(np.repeat(friction.is_dry, friction.widths), 1.0, friction.mu)
    rows = _rows(contract, closed, rests, scale * contract.evaluate("slip", t, q, v))
    J = np.zeros((rows.normal.size + rows.tangential.size, contract.nv))
    J[rows.normal] = contract.matrix("N", t, q)[rows.contacts]
    J[rows.tangential] = (scale[:, None] * contract.matrix("T", t, q, v))[rows.slips]
    bias = np.zeros(len(J))
    bias[rows.normal] = contract.bias(t, q, v, [UNILATERAL])[rows.contacts]
    bias[rows.tangential] = (scale * contract.bias(t, q, v, [TANGENTIAL]))[rows.slips]
    free = accelerations(contract, t, q, v)
    moves = np.array([solve_rows(contract, t, q, v, row, np.zeros(contract.nb)).x for row in J]).reshape(J.shape)
    force = _solve(J @ moves.T, J @ free[0] + bias, rows, t)
    vdot, mu, redundant = accelerations(contract, t, q, v, push=force @ J)
    mu[contract.nb + rows.contacts] = force[rows.normal]
    lam_t = np.zeros(contract.nt)
    lam_t[rows.slips] = scale[rows.slips] * force[rows.tangential]
    return Forces(vdot, mu, lam_t, _sticking(contract, closed, rests, rows), redundant)


def _rows(contract: Contract, closed, rests, slip) -> Rows:
    """The problem's rows: closed contacts with their friction, then dry friction."""
    friction, elements, numbers = contract.friction, [], []
    contacts, slips, normal, tangential = [], [], [], []
    of = friction.of_contact(contract.nc)
    for contact, element in [*((i, of[i]) for i in np.nonzero(closed)[0]), *((-1, e) for e in _dry(friction))]:
        n = len(normal) + len(tangential)
        entry, number = np.full(N_ELEMENT, -1, dtype=np.int64), np.zeros(N_NUMBER)
        if contact >= 0:
            entry[NORMAL] = n
            normal.append(n)
            contacts.append(contact)
            n += 1
        own = np.arange(*friction.first[element : element + 2]) if element >= 0 else np.zeros(0, dtype=np.int64)
        own = own if np.any(friction.mu[own] > 0.0) else own[:0]
        entry[FIRST], entry[WIDTH], entry[LAW], entry[MODE] = n, own.size, FREE, STICK
        number[KAPPA] = 1.0
        if own.size:
            s = slip[own]
            entry[LAW], entry[MODE] = (DISK, STICK) if rests[element] else (GIVEN, SLIP)
            number[RADIUS] = friction.mu[own[0]] if contact < 0 else 0.0
            number[KAPPA] = friction.static[element]
            if not rests[element]:
                number[DIRECTION : DIRECTION + own.size] = s / np.linalg.norm(s)
        slips += own.tolist()
        tangential += range(n, n + own.size)
        elements.append(entry)
        numbers.append(number)
    lists = (np.array(x, dtype=np.int64) for x in (contacts, slips, normal, tangential))
    return Rows(
        np.array(elements, dtype=np.int64).reshape(-1, N_ELEMENT), np.array(numbers).reshape(-1, N_NUMBER), *lists
    )  # fmt: skip


def _dry(friction):
    return np.nonzero(friction.is_dry)[0].tolist()


def _solve(D, rest, rows: Rows, t: float) -> NDArray[np.float64]:
    """The forces; refuses a state for which there are none."""
    n, n_el = len(D), len(rows.elements)
    force = np.zeros(n)
    if not n:
        return force
    with np.errstate(all="ignore"):  # as compiled code: forces that overflow are no solution, not a warning
        status, misfit, *_ = solve_coulomb(
            n, n_el, np.ascontiguousarray(D), np.ascontiguousarray(rest), np.zeros(n), force, rows.elements,
            rows.numbers, np.zeros(work_size(n, n_el)), ACCURACY, SWEEPS,
        )  # fmt: skip
    if status != SOLVED and not misfit <= TOLERANCE:
        raise ContradictoryConstraints(
            f"no forces of contact and friction keep the contacts closed or open at t = {t:.9g}: Coulomb's law has no "
            f"solution there (Painlevé's paradox), or walls close in; change q0 or v0, or a coefficient of friction"
        )
    return force


def _sticking(contract: Contract, closed, rests, rows: Rows) -> NDArray[np.bool_]:
    """Which elements of friction are closed and stick."""
    friction = contract.friction
    sticks = np.zeros(friction.ne, dtype=bool)
    where = {contact: k for k, contact in enumerate(np.nonzero(closed)[0])}
    n_closed = len(where)
    for element, contact in enumerate(friction.contact):
        k = where.get(contact) if contact >= 0 else n_closed + _dry(friction).index(element)
        if k is not None and rests[element] and rows.elements[k, MODE] not in (OPEN, SLIP):
            sticks[element] = True
    return sticks

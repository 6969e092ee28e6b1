"""Saddle-point matrices whose last rows change their columns: contacts that come and go among free bodies.

The matrix is that of `step.newton`, with *base* unknowns (velocities, rows of joints, rows of other contacts) first and
rows of contacts, *slots*, last. A slot has the same number of entries whatever bodies it holds. The base has a plan of
its own, by blocks. The bodies in slots are free: in the base their translations have nothing but their masses, on the
diagonal. (On SE(3) h m Ω~ comes to that. A contact then moves bodies by the diagonal of A⁻¹ alone, which steers.)

    [ A  Bᵀ ] [x]   [f]
    [ B  0  ] [y] = [g]        D y = B A⁻¹ f − g,   D = B A⁻¹ Bᵀ,   x = A⁻¹ (f − Bᵀ y)

Only active slots enter D, the Delassus matrix; which ones is looked up in every factorisation, where the diagonal entry
of an inactive slot is positive. D is regularised, because piles have more contacts than they need, factorised as
L Δ Lᵀ (up-looking, after Davis's LDL). So the solution is off by ε over the small eigenvalues of D; Newton's iteration,
which adds corrections up, does not mind.

The plan is ``[kind, n, size, base unknowns, base storage, slots, entries per slot, entries of D, entries of L, section
offsets ..., sections ...]`` with

======== ==========================================================================
inverse  storage of the diagonal of each base unknown
column   base unknown of each entry of the slots; as many as the base has: none
order    slots in the order of elimination
plan     of the base
======== ==========================================================================

Values are stored as base, entries of B, of Bᵀ, diagonal of the slots, then D, L, and work space; integers that change
with the active slots lie in ``pivots``.
"""

from __future__ import annotations

import numpy as np

from genalpha.compiled.jit import leaf
from genalpha.math.blocks import factorise_blocks, substitute_blocks
from genalpha.math.interface import OK, SINGULAR
from genalpha.math.plan import CONTACTS, Elimination, pack

KIND, ORDER, SIZE, BASE, BASE_SIZE, SLOTS, WIDTH, N_D, N_L, INVERSE, COLUMN, TURN, PLAN = range(13)

EPSILON = 1e-11
"""What is added to the diagonal of D, over its largest entry."""

ENTRIES_D, ENTRIES_L = 24, 80
"""Room for entries of D and L, for each slot."""


def slot_elimination(base: Elimination, n_base: int, n_slots: int, width: int, columns, order) -> Elimination:
    """A base elimination and slots behind it.

    Parameters
    ----------
    base : Elimination
        By blocks.
    n_base, n_slots, width : int
    columns : array of int (n_slots, width)
        Base unknowns of the entries, ``n_base`` where there is none.
    order : array of int (n_slots,)
        Slots in the order of elimination.
    """
    every = np.arange(n_base)
    entries, n_d, n_l = n_slots * width, ENTRIES_D * n_slots, ENTRIES_L * n_slots
    size = base.size + 2 * entries + n_slots + n_d + n_l + 2 * n_slots + 1
    head = [CONTACTS, n_base + n_slots, size, n_base, base.size, n_slots, width, n_d, n_l]
    plan = pack(head, [base.position(every, every), np.ravel(columns), order, base.plan])
    return Elimination(plan, base.position)


def integers(plan) -> int:
    """How many integers a factorisation keeps."""
    n, base = int(plan[SLOTS]), int(plan[BASE])
    return 2 + 7 * (n + 1) + base + 1 + 2 * n + int(plan[N_D]) + int(plan[N_L])


def slot_places(plan) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Storage of the entries of B, of Bᵀ and of the diagonal."""
    n, entries = int(plan[SLOTS]), int(plan[SLOTS]) * int(plan[WIDTH])
    first = int(plan[BASE_SIZE])
    return first + np.arange(entries), first + entries + np.arange(entries), first + 2 * entries + np.arange(n)


def stored_values(plan) -> int:
    """Values of a matrix: base, B, Bᵀ and diagonal."""
    n = int(plan[SLOTS])
    return int(plan[BASE_SIZE]) + (2 * int(plan[WIDTH]) + 1) * n


def put_slots(plan, columns, order):
    """Other bodies in the slots."""
    for section, values in ((COLUMN, np.ravel(columns)), (TURN, order)):
        plan[int(plan[section]) : int(plan[section]) + len(values)] = values


@leaf
def floats(plan):
    """Where D, L, the diagonal Δ and the solution begin in the storage."""
    n, w = np.int64(plan[SLOTS]), np.int64(plan[WIDTH])
    d = np.int64(plan[BASE_SIZE]) + 2 * n * w + n
    l = d + np.int64(plan[N_D])
    delta = l + np.int64(plan[N_L])
    return d, l, delta, delta + n


@leaf
def tables(plan):
    """Where the integer tables begin in ``pivots``: active slots, pointers of D and L, lengths of the columns of L,
    parents, flags, stack; first and next contact of a body; rows of D and of L."""
    n, base = np.int64(plan[SLOTS]), np.int64(plan[BASE])
    heads = 2 + 7 * (n + 1)
    nexts = heads + base + 1
    d_row = nexts + 2 * n
    return (
        2,
        n + 3,
        2 * n + 4,
        3 * n + 5,
        4 * n + 6,
        5 * n + 7,
        6 * n + 8,
        heads,
        nexts,
        d_row,
        d_row + np.int64(plan[N_D]),
    )


@leaf
def factorise_slots(plan, A, pivots):
    """The base, and D of the active slots. pivots[0] = 1 if the factors of the base have grown suspiciously."""
    status = factorise_blocks(plan[np.int64(plan[PLAN]) :], A, pivots)
    if status != OK:
        return status
    largest = assemble(plan, A, pivots)
    if largest < 0.0 or not count(plan, pivots):
        return SINGULAR
    return decompose(plan, A, pivots, EPSILON * largest)


@leaf
def assemble(plan, A, pivots):
    """D of the active slots, above its diagonal and on it; gives its largest diagonal entry, −1 if there is no room."""
    n, w, base = np.int64(plan[SLOTS]), np.int64(plan[WIDTH]), np.int64(plan[BASE])
    half, entries, first = w // 2, n * w, np.int64(plan[BASE_SIZE])
    inverse, column, turn = np.int64(plan[INVERSE]), np.int64(plan[COLUMN]), np.int64(plan[TURN])
    d, _, delta, _ = floats(plan)
    active, d_ptr, _, _, _, _, _, heads, nexts, d_row, _ = tables(plan)
    for c in range(base + 1):
        pivots[heads + c] = -1
    k, p, largest = 0, 0, 0.0
    for t in range(n):
        slot = np.int64(plan[turn + t])
        if A[first + 2 * entries + slot] > 0.0:
            continue
        pivots[active + k], pivots[d_ptr + k] = slot, p
        diagonal = -A[first + 2 * entries + slot]
        for side in range(2):
            e = slot * w + side * half
            body = np.int64(plan[column + e])
            if body == base:
                continue
            for j in range(half):
                m = A[np.int64(plan[inverse + body + j])]
                diagonal += A[first + e + j] * m * A[first + entries + e + j]
            other = pivots[heads + body]
            while other >= 0:  # contacts before this one on the same body
                o = pivots[active + other // 2] * w + (other % 2) * half
                value = 0.0
                for j in range(half):
                    m = A[np.int64(plan[inverse + body + j])]
                    value += A[first + e + j] * m * A[first + entries + o + j]
                if p >= np.int64(plan[N_D]):
                    return -1.0
                pivots[d_row + p] = other // 2
                A[d + p] = value
                p += 1
                other = pivots[nexts + other]
        for side in range(2):
            body = np.int64(plan[column + slot * w + side * half])
            if body < base:
                pivots[nexts + 2 * k + side] = pivots[heads + body]
                pivots[heads + body] = 2 * k + side
        A[delta + k] = diagonal
        largest = max(largest, diagonal)
        k += 1
    pivots[1] = k
    pivots[d_ptr + k] = p
    return largest


@leaf
def count(plan, pivots):
    """The elimination tree of D, and the pointers of L; False if there is no room."""
    _, d_ptr, l_ptr, lengths, parents, flags, _, _, _, d_row, _ = tables(plan)
    n = pivots[1]
    for k in range(n):
        pivots[parents + k], pivots[flags + k], pivots[lengths + k] = -1, k, 0
        for p in range(pivots[d_ptr + k], pivots[d_ptr + k + 1]):
            i = pivots[d_row + p]
            while pivots[flags + i] != k:
                if pivots[parents + i] == -1:
                    pivots[parents + i] = k
                pivots[lengths + i] += 1
                pivots[flags + i] = k
                i = pivots[parents + i]
    total = 0
    for k in range(n):
        pivots[l_ptr + k] = total
        total += pivots[lengths + k]
    return total <= np.int64(plan[N_L])


@leaf
def decompose(plan, A, pivots, epsilon):
    """D + ε = L Δ Lᵀ, row by row; Δ⁻¹ in the place of Δ."""
    d, l, delta, y = floats(plan)
    _, d_ptr, l_ptr, lengths, parents, flags, stack, _, _, d_row, l_row = tables(plan)
    n = pivots[1]
    for k in range(n):
        pivots[lengths + k], pivots[flags + k] = 0, k
        A[y + k] = 0.0
        top = n
        for p in range(pivots[d_ptr + k], pivots[d_ptr + k + 1]):
            i, depth = pivots[d_row + p], 0
            A[y + i] += A[d + p]
            while pivots[flags + i] != k:
                pivots[stack + depth] = i
                depth += 1
                pivots[flags + i] = k
                i = pivots[parents + i]
            while depth > 0:
                top -= 1
                depth -= 1
                pivots[stack + top] = pivots[stack + depth]
        pivot = A[delta + k] + epsilon
        for s in range(top, n):
            i = pivots[stack + s]
            value = A[y + i]
            A[y + i] = 0.0
            begin = pivots[l_ptr + i]
            end = begin + pivots[lengths + i]
            for p in range(begin, end):
                A[y + pivots[l_row + p]] -= A[l + p] * value
            factor = value * A[delta + i]
            pivot -= factor * value
            pivots[l_row + end] = k
            A[l + end] = factor
            pivots[lengths + i] += 1
        if not pivot > 0.0:
            pivot = epsilon  # round-off
        if not pivot > 0.0:
            return SINGULAR
        A[delta + k] = 1.0 / pivot
    return OK


@leaf
def substitute_slots(plan, A, pivots, b):
    """Solve with the factors of `factorise_slots`; the solution replaces b."""
    substitute_blocks(plan[np.int64(plan[PLAN]) :], A, b)
    n, w, base = pivots[1], np.int64(plan[WIDTH]), np.int64(plan[BASE])
    if n == 0:
        return
    half, entries, first = w // 2, np.int64(plan[SLOTS]) * w, np.int64(plan[BASE_SIZE])
    inverse, column = np.int64(plan[INVERSE]), np.int64(plan[COLUMN])
    _, _, _, y = floats(plan)
    active = 2
    for k in range(n):  # B A⁻¹ f − g
        slot = pivots[active + k]
        value = -b[base + slot]
        for side in range(2):
            e = slot * w + side * half
            body = np.int64(plan[column + e])
            if body < base:
                for j in range(half):
                    value += A[first + e + j] * b[body + j]
        A[y + k] = value
    solve_decomposed(plan, A, pivots)
    for k in range(n):  # the bodies move by A⁻¹ Bᵀ y
        slot, value = pivots[active + k], A[y + k]
        b[base + slot] = value
        for side in range(2):
            e = slot * w + side * half
            body = np.int64(plan[column + e])
            if body < base:
                for j in range(half):
                    b[body + j] -= A[np.int64(plan[inverse + body + j])] * A[first + entries + e + j] * value


@leaf
def solve_decomposed(plan, A, pivots):
    """x ← (L Δ Lᵀ)⁻¹ x, in the work space."""
    _, l, delta, x = floats(plan)
    _, _, l_ptr, lengths, _, _, _, _, _, _, l_row = tables(plan)
    n = pivots[1]
    for k in range(n):
        value = A[x + k]
        begin = pivots[l_ptr + k]
        for p in range(begin, begin + pivots[lengths + k]):
            A[x + pivots[l_row + p]] -= A[l + p] * value
    for k in range(n):
        A[x + k] *= A[delta + k]
    for k in range(n - 1, -1, -1):
        value = A[x + k]
        begin = pivots[l_ptr + k]
        for p in range(begin, begin + pivots[lengths + k]):
            value -= A[l + p] * A[x + pivots[l_row + p]]
        A[x + k] = value

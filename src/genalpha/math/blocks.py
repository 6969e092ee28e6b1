"""LU of matrices whose unknowns come in nodes of up to three: positions, rotations, planar bodies, rows of joints.

The pattern of the nodes is factorised symbolically as in `plan`, and every entry of it is a block of three columns
of four numbers, padded with zeros where a node has fewer unknowns (and with ones on the diagonal). Blocks cost one
index for 27 multiply-adds, where the scalar factorisation looks up three for each, and a processor does the four
numbers of a column at once.

Nodes whose blocks have entries on their diagonals only, as the positions of bodies often do, are *light*: they are
eliminated first, and of each of their blocks one column is stored, its diagonal. No two of them are coupled.

Values are stored as

    diagonal blocks (inverted), L blocks pivot by pivot, U blocks row by row, one vector of work space

so that substitutions read no more than they need. The plan is ``[kind, n, size, nodes, light nodes, columns, pads,
section offsets ..., sections ...]``, where blocks are named by their first columns, with

======== ==========================================================================
place    of each unknown in the padded vector
pads     storage of the ones on the diagonal
lower    per pivot: pointer to the blocks of L
lrow     their rows
lever    1 if they lie between a body and rows of constraints
upper    per row: pointer to the blocks of U
ucol     their columns
ops      per pivot: pointer to the updates (i, j) −= (i, p) (p, j)
opa      block (i, p);  opb, opc likewise
======== ==========================================================================
"""

from __future__ import annotations

import itertools

import numpy as np

from genalpha.compiled.jit import leaf, plain
from genalpha.compiled.lanes import put_columns, subtract_columns, times
from genalpha.compiled.reference import as_matrix
from genalpha.math.interface import OK, SINGULAR
from genalpha.math.plan import BLOCK, Elimination, fill, from_all_ends, in_their_order, operations_of, pack

KIND, ORDER, SIZE, NODES, N_LIGHT, N_COLUMNS, N_PADS = range(7)
PLACE, PADS, LOWER, LROW, IS_LEVER, UPPER, UCOL, OPS, OPA, OPB, OPC = range(7, 18)

GROWTH = 1e4
"""Multipliers of this size in a factorisation without pivoting call for a look at the residual."""

CANCELLED = 1e-6
"""A determinant below this part of the product of the diagonal has lost digits that an elimination keeps."""

MORE_UPDATES = 1.02
"""How many times the updates of another order one may take that goes through memory forwards."""

LEVER = 1e-3
"""Those between constraints and bodies count less: rows have a scale of their own, and forces stand over moments."""


def block_elimination(n: int, rows, cols, n_first: int, nodes) -> Elimination:
    """Static block LU of a pattern.

    Parameters
    ----------
    n, n_first : int
        Unknowns, and how many of them are eliminated before the others; no node holds some of both.
    rows, cols : array of int
        The pattern.
    nodes : array of int (n,)
        Which node an unknown belongs to, numbered from 0 in the order of the unknowns.
    """
    nodes = np.asarray(nodes)
    n_nodes = int(nodes[-1]) + 1
    local = np.arange(n) - np.searchsorted(nodes, nodes)
    pairs = np.unique(nodes[rows] * n_nodes + nodes[cols])
    first = int(nodes[n_first - 1]) + 1 if n_first else 0
    light = _light(n_nodes, nodes[rows], nodes[cols], local[rows] != local[cols], first)
    group = np.where(light, 0, np.where(np.arange(n_nodes) < first, 1, 2))
    perm, (below, right) = _eliminated(n_nodes, *np.divmod(pairs, n_nodes), group.tolist())
    n_light, kinds = int(np.sum(light)), group[np.argsort(perm)]
    where, n_columns, sections = _storage(n_light, below, right, kinds)
    used = np.bincount(nodes)
    pads = [
        _entry(where, n_light, perm[node], perm[node], k, k) for node in range(n_nodes) for k in range(used[node], 3)
    ]
    place = 4 * perm[nodes] + local
    head = [BLOCK, n, 4 * n_columns + 4 * n_nodes, n_nodes, n_light, n_columns, len(pads)]
    plan = pack(head, [place, pads, *sections, *operations_of(n_nodes, below, right, where)])

    def position(rows, cols):
        i, j = perm[nodes[rows]].tolist(), perm[nodes[cols]].tolist()
        entries = zip(i, j, local[rows].tolist(), local[cols].tolist(), strict=True)
        return np.array([_entry(where, n_light, *entry, head[2]) for entry in entries], dtype=np.int64)

    return Elimination(plan, position)


def _eliminated(n, rows, cols, group):
    """New index of each node, and the rows below and columns right of each pivot.

    What would be eliminated backwards, as a beam is that is held at its first node, is eliminated forwards if that
    takes hardly more updates: matrices are made forwards, and processors fetch ahead from memory where all goes in one
    direction.
    """
    perm = from_all_ends(n, rows, cols, group)
    below, right = fill(n, perm[rows], perm[cols])
    bodies = perm[np.array(group) < 2]
    if bodies.size > 2 and np.corrcoef(bodies, np.arange(bodies.size))[0, 1] < -0.9:
        forwards = in_their_order(n, rows, cols, group)
        candidate = fill(n, forwards[rows], forwards[cols])
        if _updates(*candidate) <= MORE_UPDATES * _updates(below, right):
            return forwards, candidate
    return perm, (below, right)


def _updates(below, right):
    return sum(len(i) * len(j) for i, j in zip(below, right, strict=True))


def light_columns(plan) -> np.ndarray:
    """The columns of light nodes."""
    n_light, lower, upper, _, l_first, u_first = (int(x) for x in plain(offsets)(plan))
    counts = n_light, int(plan[lower + n_light]), int(plan[upper + n_light])
    return np.concatenate([first + np.arange(n) for first, n in zip((0, l_first, u_first), counts, strict=True)])


def _light(n, node_rows, node_cols, off_diagonal, n_first):
    """Which nodes have diagonal blocks only, and are not coupled to such a node before them."""
    light = np.arange(n) < n_first
    light[node_rows[off_diagonal]] = light[node_cols[off_diagonal]] = False
    between = light[node_rows] & light[node_cols] & (node_rows != node_cols)
    for i, j in np.sort(np.stack([node_rows, node_cols], axis=1)[between], axis=1).tolist():
        light[j] &= not light[i]
    return light


def _storage(n_light, below, right, kinds):
    """First columns of all blocks, how many there are, and the sections that say where they are."""
    n, where, column = len(below), {}, 0
    lower, lrow, lever, upper, ucol = [0], [], [], [0], []
    for p in range(n):
        lrow += sorted(below[p])
        lever += [int(kinds[p] == 1 and kinds[i] == 2) for i in sorted(below[p])]
        lower.append(len(lrow))
        ucol += sorted(right[p])
        upper.append(len(ucol))
    diagonal = ((p, p) for p in range(n))
    left = ((i, p) for p in range(n) for i in sorted(below[p]))
    above = ((p, j) for p in range(n) for j in sorted(right[p]))
    for block in itertools.chain(diagonal, left, above):
        where[block] = column
        column += 1 if min(block) < n_light else 3
    return where, column, [lower, lrow, lever, upper, ucol]


def _entry(where, n_light, i, j, row, col, outside=-1):
    """Storage of an entry of block (i, j)."""
    column = where.get((i, j), -1)
    if column < 0:
        return outside
    return 4 * column + row if min(i, j) < n_light else 4 * (column + col) + row


@leaf
def offsets(plan):
    """Light nodes, pointers to L and U, all nodes, and the first columns of L and of U."""
    n, n_light = np.int64(plan[NODES]), np.int64(plan[N_LIGHT])
    lower, upper = np.int64(plan[LOWER]), np.int64(plan[UPPER])
    l_first = 3 * n - 2 * n_light
    u_first = l_first + 3 * np.int64(plan[lower + n]) - 2 * np.int64(plan[lower + n_light])
    return n_light, lower, upper, n, l_first, u_first


@leaf
def split(C, own):
    """The block at column ``own`` of C into L U, unknown by unknown, inverse pivots on the diagonal; C[own, 3] says so.

    For blocks that are nearly singular, as rows that depend on others make them: the errors of an inverse would go in
    all directions, and those of a substitution go where the block is singular, which all others do not see.
    """
    for p in range(3):
        if not abs(C[own + p, p]) > 1e-100:
            return SINGULAR
        C[own + p, p] = 1.0 / C[own + p, p]
        for i in range(p + 1, 3):
            C[own + p, i] *= C[own + p, p]
            for j in range(p + 1, 3):
                C[own + j, i] -= C[own + p, i] * C[own + j, p]
    C[own, 3] = 1.0
    return OK


@leaf
def divide(C, k, own):
    """The block at column k ← itself times the inverse of a block that is split; gives the sum of squares."""
    total = 0.0
    for n in range(3):
        x = C[k, n] * C[own, 0]
        y = (C[k + 1, n] - x * C[own + 1, 0]) * C[own + 1, 1]
        z = (C[k + 2, n] - x * C[own + 2, 0] - y * C[own + 2, 1]) * C[own + 2, 2]
        y -= z * C[own + 1, 2]
        x -= y * C[own, 1] + z * C[own, 2]
        C[k, n], C[k + 1, n], C[k + 2, n] = x, y, z
        total += x * x + y * y + z * z
    return total


@leaf
def substitute_split(C, own, y, p):
    """y[p] ← the inverse of a block that is split times y[p]."""
    u = y[p, 0]
    v = y[p, 1] - C[own, 1] * u
    w = (y[p, 2] - C[own, 2] * u - C[own + 1, 2] * v) * C[own + 2, 2]
    v = (v - C[own + 2, 1] * w) * C[own + 1, 1]
    u = (u - C[own + 1, 0] * v - C[own + 2, 0] * w) * C[own, 0]
    y[p, 0], y[p, 1], y[p, 2] = u, v, w


@leaf
def factorise_blocks(plan, A, pivots):
    """L U by blocks in place, without pivoting. pivots[0] = 1 if the factors have grown suspiciously."""
    n_light, lower, _, n, l_first, _ = offsets(plan)
    lever = np.int64(plan[IS_LEVER])
    ops, pads = np.int64(plan[OPS]), np.int64(plan[PADS])
    opa, opb, opc = np.int64(plan[OPA]), np.int64(plan[OPB]), np.int64(plan[OPC])
    C, growth = as_matrix(A, np.int64(plan[N_COLUMNS]), 4), 0.0
    for k in range(np.int64(plan[N_PADS])):
        A[plan[pads + k]] = 1.0
    for k in range(C.shape[0] * 4, C.shape[0] * 4 + 4 * n):
        A[k] = 0.0  # work space: what overflows leaves NaN in places of padding
    for p in range(n_light):
        if not abs(C[p, 0] * C[p, 1] * C[p, 2]) > 1e-300:
            return SINGULAR
        a, e, i = 1.0 / C[p, 0], 1.0 / C[p, 1], 1.0 / C[p, 2]
        C[p, 0], C[p, 1], C[p, 2] = a, e, i
        for k in range(l_first + np.int64(plan[lower + p]), l_first + np.int64(plan[lower + p + 1])):
            u, v, w = C[k, 0] * a, C[k, 1] * e, C[k, 2] * i
            C[k, 0], C[k, 1], C[k, 2] = u, v, w
            growth = max(growth, u * u + v * v + w * w)
        for o in range(np.int64(plan[ops + p]), np.int64(plan[ops + p + 1])):
            j, k, m = plan[opa + o], plan[opb + o], np.int64(plan[opc + o])
            C[m, 0] -= C[j, 0] * C[k, 0]
            C[m + 1, 1] -= C[j, 1] * C[k, 1]
            C[m + 2, 2] -= C[j, 2] * C[k, 2]
    l_first -= 2 * np.int64(plan[lower + n_light])
    for p in range(n_light, n):
        # the inverse of the diagonal block, columns (a, d, g), (b, e, h), (c, f, i)
        own = 3 * p - 2 * n_light
        a, d, g, b, e, h, c, f, i = (
            C[own, 0], C[own, 1], C[own, 2], C[own + 1, 0], C[own + 1, 1], C[own + 1, 2],
            C[own + 2, 0], C[own + 2, 1], C[own + 2, 2],
        )  # fmt: skip
        u, v, w = e * i - f * h, f * g - d * i, d * h - e * g
        determinant = a * u + b * v + c * w
        if abs(determinant) > CANCELLED * abs(a * e * i) + 1e-300:
            s = 1.0 / determinant
            a, b, c, d, e, f, g, h, i = (
                u * s, (c * h - b * i) * s, (b * f - c * e) * s, v * s, (a * i - c * g) * s, (c * d - a * f) * s,
                w * s, (b * g - a * h) * s, (a * e - b * d) * s,
            )  # fmt: skip
            C[own, 0], C[own, 1], C[own, 2] = a, d, g
            C[own + 1, 0], C[own + 1, 1], C[own + 1, 2] = b, e, h
            C[own + 2, 0], C[own + 2, 1], C[own + 2, 2] = c, f, i
            C[own, 3] = 0.0
            for k in range(np.int64(plan[lower + p]), np.int64(plan[lower + p + 1])):
                size = times(C, l_first + 3 * k, (a, d, g, b, e, h, c, f, i))
                growth = max(growth, LEVER * LEVER * size if plan[lever + k] else size)
        elif split(C, own) == OK:
            for k in range(np.int64(plan[lower + p]), np.int64(plan[lower + p + 1])):
                size = divide(C, l_first + 3 * k, own)
                growth = max(growth, LEVER * LEVER * size if plan[lever + k] else size)
        else:
            return SINGULAR
        for o in range(np.int64(plan[ops + p]), np.int64(plan[ops + p + 1])):
            j, k, m = plan[opa + o], np.int64(plan[opb + o]), np.int64(plan[opc + o])
            subtract_columns(C, m, C, j, C[k, 0], C[k, 1], C[k, 2])
            subtract_columns(C, m + 1, C, j, C[k + 1, 0], C[k + 1, 1], C[k + 1, 2])
            subtract_columns(C, m + 2, C, j, C[k + 2, 0], C[k + 2, 1], C[k + 2, 2])
    pivots[0] = 0 if growth < GROWTH * GROWTH else 1
    return OK


@leaf
def substitute_blocks(plan, A, b):
    """Solve with the factors of `factorise_blocks`; the solution replaces b."""
    n_light, lower, upper, n, l_first, u_first = offsets(plan)
    n_columns, lrow, ucol = np.int64(plan[N_COLUMNS]), np.int64(plan[LROW]), np.int64(plan[UCOL])
    place, l_light, u_light = np.int64(plan[PLACE]), l_first, u_first
    l_first -= 2 * np.int64(plan[lower + n_light])
    u_first -= 2 * np.int64(plan[upper + n_light])
    C = as_matrix(A, n_columns, 4)
    work = A[4 * n_columns : 4 * n_columns + 4 * n]
    y = as_matrix(work, n, 4)
    # the places of padding hold zeros, and nothing else is ever written there
    for k in range(np.int64(plan[ORDER])):
        work[plan[place + k]] = b[k]
    for p in range(n_light):
        u, v, w = y[p, 0], y[p, 1], y[p, 2]
        for o in range(np.int64(plan[lower + p]), np.int64(plan[lower + p + 1])):
            i, k = plan[lrow + o], l_light + o
            y[i, 0] -= C[k, 0] * u
            y[i, 1] -= C[k, 1] * v
            y[i, 2] -= C[k, 2] * w
    for p in range(n_light, n):
        u, v, w = y[p, 0], y[p, 1], y[p, 2]
        for o in range(np.int64(plan[lower + p]), np.int64(plan[lower + p + 1])):
            subtract_columns(y, plan[lrow + o], C, l_first + 3 * o, u, v, w)
    for p in range(n - 1, n_light - 1, -1):
        for o in range(np.int64(plan[upper + p]), np.int64(plan[upper + p + 1])):
            j = plan[ucol + o]
            subtract_columns(y, p, C, u_first + 3 * o, y[j, 0], y[j, 1], y[j, 2])
        own = 3 * p - 2 * n_light
        if C[own, 3] == 0.0:
            put_columns(y, p, C, own, y[p, 0], y[p, 1], y[p, 2])
        else:
            substitute_split(C, own, y, p)
    for p in range(n_light):
        u, v, w = y[p, 0], y[p, 1], y[p, 2]
        for o in range(np.int64(plan[upper + p]), np.int64(plan[upper + p + 1])):
            j, k = plan[ucol + o], u_light + o
            u -= C[k, 0] * y[j, 0]
            v -= C[k, 1] * y[j, 1]
            w -= C[k, 2] * y[j, 2]
        y[p, 0], y[p, 1], y[p, 2] = C[p, 0] * u, C[p, 1] * v, C[p, 2] * w
    for k in range(np.int64(plan[ORDER])):
        b[k] = work[plan[place + k]]

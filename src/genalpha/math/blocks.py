"""LU of matrices whose unknowns come in nodes of up to three: positions, rotations, planar bodies, rows of joints.

The pattern of the nodes is factorised symbolically as in `symbolic`, and every entry of it is a block of three columns
of four numbers, padded with zeros where a node has fewer unknowns (and with ones on the diagonal). Blocks cost one
index for 27 multiply-adds, where the scalar factorisation looks up three for each, and a processor does the four
numbers of a column at once. Values are stored as

    diagonal blocks (inverted), L blocks pivot by pivot, U blocks row by row, one vector of work space

Nodes whose blocks have entries on their diagonals only, as the positions of bodies often do, are *light*: they cost a
third or less.

and the plan is ``[kind, n, size, nodes, L blocks, section offsets ..., sections ...]`` with

======== ==========================================================================
place    of each unknown in the padded vector
pads     storage of the ones on the diagonal, as many as n_pads says
group    per pivot: 0 if it is light, 1 a body, 2 rows of constraints
lower    per pivot: pointer to the blocks of L
lrow     their rows
upper    per row: pointer to the blocks of U
ucol     their columns
ops      per pivot: pointer to the updates (i, j) −= (i, p) (p, j)
opa      block (i, p);  opb, opc likewise
======== ==========================================================================
"""

from __future__ import annotations

import numpy as np

from genalpha.jit import leaf
from genalpha.math.lanes import put_columns, subtract_columns, times
from genalpha.math.symbolic import BLOCK, Elimination, fill, from_all_ends, operations_of, pack
from genalpha.reference import as_matrix

KIND, ORDER, SIZE, NODES, N_LOWER, N_PADS, PLACE, PADS, GROUP, LOWER, LROW, UPPER, UCOL, OPS, OPA, OPB, OPC = range(17)

OK, SINGULAR = 0, 1
GROWTH = 1e4
"""Multipliers of this size in a factorisation without pivoting call for a look at the residual."""

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
    group = np.where(light, 0, np.where(np.arange(n_nodes) < first, 1, 2)).tolist()
    perm = from_all_ends(n_nodes, *np.divmod(pairs, n_nodes), group)
    below, right = fill(n_nodes, *(perm[index] for index in np.divmod(pairs, n_nodes)))
    where, sections = _storage(n_nodes, below, right)
    n_blocks = len(where)
    used = np.bincount(nodes)
    pads = [12 * perm[node] + 5 * k for node in range(n_nodes) for k in range(used[node], 3)]
    place = 4 * perm[nodes] + local
    head = [BLOCK, n, 12 * n_blocks + 4 * n_nodes, n_nodes, sum(map(len, below)), len(pads)]
    groups = np.array(group)[np.argsort(perm)]
    plan = pack(head, [place, pads, groups, *sections, *operations_of(n_nodes, below, right, where)])

    def position(rows, cols):
        i, j = perm[nodes[rows]].tolist(), perm[nodes[cols]].tolist()
        blocks = np.array([where.get(pair, -1) for pair in zip(i, j, strict=True)], dtype=np.int64)
        return np.where(blocks < 0, head[2], 12 * blocks + 4 * local[cols] + local[rows])

    return Elimination(plan, position)


def _light(n, node_rows, node_cols, off_diagonal, n_first):
    """Which nodes have diagonal blocks only. They are eliminated first, and so they keep them."""
    light = np.arange(n) < n_first
    light[node_rows[off_diagonal]] = light[node_cols[off_diagonal]] = False
    return light


def _storage(n, below, right):
    """Numbers of all blocks, and the sections that the substitutions read."""
    where = {(p, p): p for p in range(n)}
    lower, lrow, upper, ucol = [0], [], [0], []
    for p in range(n):
        for i in sorted(below[p]):
            where[i, p] = len(where)
            lrow.append(i)
        lower.append(len(lrow))
    for p in range(n):
        for j in sorted(right[p]):
            where[p, j] = len(where)
            ucol.append(j)
        upper.append(len(ucol))
    return where, [lower, lrow, upper, ucol]


@leaf
def factorise_blocks(plan, A, pivots):
    """L U by blocks in place, without pivoting. pivots[0] = 1 if the factors have grown suspiciously."""
    n, n_lower = np.int64(plan[NODES]), np.int64(plan[N_LOWER])
    lower, lrow, group = np.int64(plan[LOWER]), np.int64(plan[LROW]), np.int64(plan[GROUP])
    ops, pads = np.int64(plan[OPS]), np.int64(plan[PADS])
    opa, opb, opc = np.int64(plan[OPA]), np.int64(plan[OPB]), np.int64(plan[OPC])
    n_blocks = n + n_lower + np.int64(plan[np.int64(plan[UPPER]) + n])
    B = as_matrix(A, n_blocks, 12)
    C, growth = as_matrix(A, 3 * n_blocks, 4), 0.0
    for k in range(np.int64(plan[N_PADS])):
        A[plan[pads + k]] = 1.0
    for p in range(n):
        first, last = np.int64(plan[lower + p]), np.int64(plan[lower + p + 1])
        if plan[group + p] == 0:
            if not abs(B[p, 0] * B[p, 5] * B[p, 10]) > 1e-300:
                return SINGULAR
            a, e, i = 1.0 / B[p, 0], 1.0 / B[p, 5], 1.0 / B[p, 10]
            B[p, 0], B[p, 5], B[p, 10] = a, e, i
            for k in range(n + first, n + last):
                u, v, w = B[k, 0] * a, B[k, 5] * e, B[k, 10] * i
                B[k, 0], B[k, 5], B[k, 10] = u, v, w
                growth = max(growth, u * u + v * v + w * w)
            for o in range(np.int64(plan[ops + p]), np.int64(plan[ops + p + 1])):
                j, k, m = plan[opa + o], plan[opb + o], plan[opc + o]
                B[m, 0] -= B[j, 0] * B[k, 0]
                B[m, 5] -= B[j, 5] * B[k, 5]
                B[m, 10] -= B[j, 10] * B[k, 10]
            continue
        # the inverse of the diagonal block, columns (a, d, g), (b, e, h), (c, f, i)
        a, d, g, b, e, h, c, f, i = (
            B[p, 0], B[p, 1], B[p, 2], B[p, 4], B[p, 5], B[p, 6], B[p, 8], B[p, 9], B[p, 10]
        )  # fmt: skip
        u, v, w = e * i - f * h, f * g - d * i, d * h - e * g
        determinant = a * u + b * v + c * w
        if not abs(determinant) > 1e-300:
            return SINGULAR
        s = 1.0 / determinant
        a, b, c, d, e, f, g, h, i = (
            u * s, (c * h - b * i) * s, (b * f - c * e) * s, v * s, (a * i - c * g) * s, (c * d - a * f) * s,
            w * s, (b * g - a * h) * s, (a * e - b * d) * s,
        )  # fmt: skip
        B[p, 0], B[p, 1], B[p, 2], B[p, 4], B[p, 5], B[p, 6], B[p, 8], B[p, 9], B[p, 10] = a, d, g, b, e, h, c, f, i
        for k in range(first, last):
            size = times(B, n + k, (a, d, g, b, e, h, c, f, i))
            lever = plan[group + p] == 1 and plan[group + np.int64(plan[lrow + k])] == 2
            growth = max(growth, LEVER * LEVER * size if lever else size)
        for o in range(np.int64(plan[ops + p]), np.int64(plan[ops + p + 1])):
            j, k, m = plan[opa + o], plan[opb + o], 3 * np.int64(plan[opc + o])
            subtract_columns(C, m, B, j, B[k, 0], B[k, 1], B[k, 2])
            subtract_columns(C, m + 1, B, j, B[k, 4], B[k, 5], B[k, 6])
            subtract_columns(C, m + 2, B, j, B[k, 8], B[k, 9], B[k, 10])
    pivots[0] = 0 if growth < GROWTH * GROWTH else 1
    return OK


@leaf
def substitute_blocks(plan, A, b):
    """Solve with the factors of `factorise_blocks`; the solution replaces b."""
    n, n_lower = np.int64(plan[NODES]), np.int64(plan[N_LOWER])
    lower, lrow, upper = np.int64(plan[LOWER]), np.int64(plan[LROW]), np.int64(plan[UPPER])
    ucol, place, group = np.int64(plan[UCOL]), np.int64(plan[PLACE]), np.int64(plan[GROUP])
    n_blocks = n + n_lower + np.int64(plan[upper + n])
    B = as_matrix(A, n_blocks, 12)
    work = A[12 * n_blocks : 12 * n_blocks + 4 * n]
    y = as_matrix(work, n, 4)
    # the places of padding hold zeros, and nothing else is ever written there
    for k in range(np.int64(plan[ORDER])):
        work[plan[place + k]] = b[k]
    for p in range(n):
        u, v, w = y[p, 0], y[p, 1], y[p, 2]
        first, last = np.int64(plan[lower + p]), np.int64(plan[lower + p + 1])
        if plan[group + p] == 0:
            for o in range(first, last):
                i, k = plan[lrow + o], n + o
                y[i, 0] -= B[k, 0] * u
                y[i, 1] -= B[k, 5] * v
                y[i, 2] -= B[k, 10] * w
            continue
        for o in range(first, last):
            subtract_columns(y, plan[lrow + o], B, n + o, u, v, w)
    for p in range(n - 1, -1, -1):
        first, last = np.int64(plan[upper + p]), np.int64(plan[upper + p + 1])
        if plan[group + p] == 0:
            u, v, w = y[p, 0], y[p, 1], y[p, 2]
            for o in range(first, last):
                j, k = plan[ucol + o], n + n_lower + o
                u -= B[k, 0] * y[j, 0]
                v -= B[k, 5] * y[j, 1]
                w -= B[k, 10] * y[j, 2]
            y[p, 0], y[p, 1], y[p, 2] = B[p, 0] * u, B[p, 5] * v, B[p, 10] * w
            continue
        for o in range(first, last):
            j = plan[ucol + o]
            subtract_columns(y, p, B, n + n_lower + o, y[j, 0], y[j, 1], y[j, 2])
        put_columns(y, p, B, p, y[p, 0], y[p, 1], y[p, 2])
    for k in range(np.int64(plan[ORDER])):
        b[k] = work[plan[place + k]]

"""LU of matrices whose unknowns come in nodes of up to three: positions, rotations, planar bodies, rows of joints.

The pattern of the nodes is factorised symbolically as in `symbolic`, and every entry of it is a block of nine numbers,
padded with zeros where a node has fewer unknowns (and with ones on the diagonal). Blocks cost one index for 27
multiply-adds, where the scalar factorisation looks up three for each. Values are stored as

    diagonal blocks (inverted), L blocks pivot by pivot, U blocks row by row, one vector of work space

and the plan is ``[kind, n, size, nodes, L blocks, section offsets ..., sections ...]`` with

======== ==========================================================================
place    of each unknown in the padded vector
pads     storage of the ones on the diagonal, as many as n_pads says
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
from genalpha.math.symbolic import BLOCK, Elimination, fill, minimum_degree, operations_of, pack
from genalpha.reference import as_matrix

KIND, ORDER, SIZE, NODES, N_LOWER, N_PADS, PLACE, PADS, LOWER, LROW, UPPER, UCOL, OPS, OPA, OPB, OPC = range(16)

OK, SINGULAR = 0, 1
GROWTH = 1e4
"""Multipliers of this size in a factorisation without pivoting call for a look at the residual."""


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
    perm = minimum_degree(n_nodes, *np.divmod(pairs, n_nodes), first)
    below, right = fill(n_nodes, *(perm[index] for index in np.divmod(pairs, n_nodes)))
    where, sections = _storage(n_nodes, below, right)
    n_blocks = len(where)
    used = np.bincount(nodes)
    pads = [9 * perm[node] + 4 * k for node in range(n_nodes) for k in range(used[node], 3)]
    place = 3 * perm[nodes] + local
    head = [BLOCK, n, 9 * n_blocks + 3 * n_nodes, n_nodes, sum(map(len, below)), len(pads)]
    plan = pack(head, [place, pads, *sections, *operations_of(n_nodes, below, right, where)])

    def position(rows, cols):
        i, j = perm[nodes[rows]].tolist(), perm[nodes[cols]].tolist()
        blocks = np.array([where.get(pair, -1) for pair in zip(i, j, strict=True)], dtype=np.int64)
        return np.where(blocks < 0, head[2], 9 * blocks + 3 * local[rows] + local[cols])

    return Elimination(plan, position)


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
    lower, ops, pads = np.int64(plan[LOWER]), np.int64(plan[OPS]), np.int64(plan[PADS])
    opa, opb, opc = np.int64(plan[OPA]), np.int64(plan[OPB]), np.int64(plan[OPC])
    n_blocks = n + n_lower + np.int64(plan[np.int64(plan[UPPER]) + n])
    B = as_matrix(A, n_blocks, 9)
    growth = 0.0
    for k in range(np.int64(plan[N_PADS])):
        A[plan[pads + k]] = 1.0
    for p in range(n):
        a, b, c, d, e, f, g, h, i = (
            B[p, 0], B[p, 1], B[p, 2], B[p, 3], B[p, 4], B[p, 5], B[p, 6], B[p, 7], B[p, 8]
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
        B[p, 0], B[p, 1], B[p, 2], B[p, 3], B[p, 4], B[p, 5], B[p, 6], B[p, 7], B[p, 8] = a, b, c, d, e, f, g, h, i
        for o in range(np.int64(plan[lower + p]), np.int64(plan[lower + p + 1])):
            k = n + o
            for r in range(0, 9, 3):
                x, y, z = B[k, r], B[k, r + 1], B[k, r + 2]
                u, v, w = x * a + y * d + z * g, x * b + y * e + z * h, x * c + y * f + z * i
                B[k, r], B[k, r + 1], B[k, r + 2] = u, v, w
                growth = max(growth, abs(u), abs(v), abs(w))
        for o in range(np.int64(plan[ops + p]), np.int64(plan[ops + p + 1])):
            j, k, l = plan[opa + o], plan[opb + o], plan[opc + o]
            for r in range(0, 9, 3):
                x, y, z = B[j, r], B[j, r + 1], B[j, r + 2]
                B[l, r] -= x * B[k, 0] + y * B[k, 3] + z * B[k, 6]
                B[l, r + 1] -= x * B[k, 1] + y * B[k, 4] + z * B[k, 7]
                B[l, r + 2] -= x * B[k, 2] + y * B[k, 5] + z * B[k, 8]
    pivots[0] = 0 if growth < GROWTH else 1
    return OK


@leaf
def substitute_blocks(plan, A, b):
    """Solve with the factors of `factorise_blocks`; the solution replaces b."""
    n, n_lower = np.int64(plan[NODES]), np.int64(plan[N_LOWER])
    lower, lrow, upper = np.int64(plan[LOWER]), np.int64(plan[LROW]), np.int64(plan[UPPER])
    ucol, place = np.int64(plan[UCOL]), np.int64(plan[PLACE])
    n_blocks = n + n_lower + np.int64(plan[upper + n])
    B = as_matrix(A, n_blocks, 9)
    work = A[9 * n_blocks : 9 * n_blocks + 3 * n]
    y = as_matrix(work, n, 3)
    for k in range(3 * n):
        work[k] = 0.0
    for k in range(np.int64(plan[ORDER])):
        work[plan[place + k]] = b[k]
    for p in range(n):
        u, v, w = y[p, 0], y[p, 1], y[p, 2]
        for o in range(np.int64(plan[lower + p]), np.int64(plan[lower + p + 1])):
            i, k = plan[lrow + o], n + o
            y[i, 0] -= B[k, 0] * u + B[k, 1] * v + B[k, 2] * w
            y[i, 1] -= B[k, 3] * u + B[k, 4] * v + B[k, 5] * w
            y[i, 2] -= B[k, 6] * u + B[k, 7] * v + B[k, 8] * w
    for p in range(n - 1, -1, -1):
        u, v, w = y[p, 0], y[p, 1], y[p, 2]
        for o in range(np.int64(plan[upper + p]), np.int64(plan[upper + p + 1])):
            j, k = plan[ucol + o], n + n_lower + o
            u -= B[k, 0] * y[j, 0] + B[k, 1] * y[j, 1] + B[k, 2] * y[j, 2]
            v -= B[k, 3] * y[j, 0] + B[k, 4] * y[j, 1] + B[k, 5] * y[j, 2]
            w -= B[k, 6] * y[j, 0] + B[k, 7] * y[j, 1] + B[k, 8] * y[j, 2]
        y[p, 0] = B[p, 0] * u + B[p, 1] * v + B[p, 2] * w
        y[p, 1] = B[p, 3] * u + B[p, 4] * v + B[p, 5] * w
        y[p, 2] = B[p, 6] * u + B[p, 7] * v + B[p, 8] * w
    for k in range(np.int64(plan[ORDER])):
        b[k] = work[plan[place + k]]

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
light    per pivot: 1 if its blocks are diagonal
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

KIND, ORDER, SIZE, NODES, N_LOWER, N_PADS, PLACE, PADS, LIGHT, LOWER, LROW, UPPER, UCOL, OPS, OPA, OPB, OPC = range(17)

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
    pads = [12 * perm[node] + 5 * k for node in range(n_nodes) for k in range(used[node], 3)]
    place = 4 * perm[nodes] + local
    head = [BLOCK, n, 12 * n_blocks + 4 * n_nodes, n_nodes, sum(map(len, below)), len(pads)]
    light = _light(n_nodes, perm, nodes[rows], nodes[cols], local[rows] != local[cols], below)
    plan = pack(head, [place, pads, light, *sections, *operations_of(n_nodes, below, right, where)])

    def position(rows, cols):
        i, j = perm[nodes[rows]].tolist(), perm[nodes[cols]].tolist()
        blocks = np.array([where.get(pair, -1) for pair in zip(i, j, strict=True)], dtype=np.int64)
        return np.where(blocks < 0, head[2], 12 * blocks + 4 * local[cols] + local[rows])

    return Elimination(plan, position)


def _light(n, perm, node_rows, node_cols, off_diagonal, below):
    """Which nodes have diagonal blocks only, fill-in included."""
    heavy = np.zeros(n, dtype=bool)
    heavy[perm[node_rows[off_diagonal]]] = heavy[perm[node_cols[off_diagonal]]] = True
    # a heavy pivot fills the blocks between its neighbours, and what touches one of them is no longer light
    light = ~heavy
    for p in range(n):
        if not light[p]:
            for i in below[p]:
                light[i] = False
    # a light pivot with a heavy neighbour has a diagonal block there: it was in the pattern
    return light.astype(np.int64)


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
    lower, ops, pads, light = np.int64(plan[LOWER]), np.int64(plan[OPS]), np.int64(plan[PADS]), np.int64(plan[LIGHT])
    opa, opb, opc = np.int64(plan[OPA]), np.int64(plan[OPB]), np.int64(plan[OPC])
    n_blocks = n + n_lower + np.int64(plan[np.int64(plan[UPPER]) + n])
    B = as_matrix(A, n_blocks, 12)
    g0, g1, g2, g3 = 0.0, 0.0, 0.0, 0.0
    for k in range(np.int64(plan[N_PADS])):
        A[plan[pads + k]] = 1.0
    for p in range(n):
        first, last = np.int64(plan[lower + p]), np.int64(plan[lower + p + 1])
        if plan[light + p]:
            if not abs(B[p, 0] * B[p, 5] * B[p, 10]) > 1e-300:
                return SINGULAR
            a, e, i = 1.0 / B[p, 0], 1.0 / B[p, 5], 1.0 / B[p, 10]
            B[p, 0], B[p, 5], B[p, 10] = a, e, i
            for k in range(n + first, n + last):
                u, v, w = B[k, 0] * a, B[k, 5] * e, B[k, 10] * i
                B[k, 0], B[k, 5], B[k, 10] = u, v, w
                g0, g1, g2 = g0 + u * u, g1 + v * v, g2 + w * w
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
        for k in range(n + first, n + last):
            x0, x1, x2, x3 = B[k, 0], B[k, 1], B[k, 2], B[k, 3]
            y0, y1, y2, y3 = B[k, 4], B[k, 5], B[k, 6], B[k, 7]
            z0, z1, z2, z3 = B[k, 8], B[k, 9], B[k, 10], B[k, 11]
            u0, u1, u2, u3 = (
                x0 * a + y0 * d + z0 * g, x1 * a + y1 * d + z1 * g, x2 * a + y2 * d + z2 * g, x3 * a + y3 * d + z3 * g
            )  # fmt: skip
            v0, v1, v2, v3 = (
                x0 * b + y0 * e + z0 * h, x1 * b + y1 * e + z1 * h, x2 * b + y2 * e + z2 * h, x3 * b + y3 * e + z3 * h
            )  # fmt: skip
            w0, w1, w2, w3 = (
                x0 * c + y0 * f + z0 * i, x1 * c + y1 * f + z1 * i, x2 * c + y2 * f + z2 * i, x3 * c + y3 * f + z3 * i
            )  # fmt: skip
            B[k, 0], B[k, 1], B[k, 2], B[k, 3] = u0, u1, u2, u3
            B[k, 4], B[k, 5], B[k, 6], B[k, 7] = v0, v1, v2, v3
            B[k, 8], B[k, 9], B[k, 10], B[k, 11] = w0, w1, w2, w3
            g0, g1, g2, g3 = (
                g0 + (u0 * u0 + v0 * v0 + w0 * w0), g1 + (u1 * u1 + v1 * v1 + w1 * w1),
                g2 + (u2 * u2 + v2 * v2 + w2 * w2), g3 + (u3 * u3 + v3 * v3 + w3 * w3),
            )  # fmt: skip
        for o in range(np.int64(plan[ops + p]), np.int64(plan[ops + p + 1])):
            j, k, m = plan[opa + o], plan[opb + o], plan[opc + o]
            x0, x1, x2, x3 = B[j, 0], B[j, 1], B[j, 2], B[j, 3]
            y0, y1, y2, y3 = B[j, 4], B[j, 5], B[j, 6], B[j, 7]
            z0, z1, z2, z3 = B[j, 8], B[j, 9], B[j, 10], B[j, 11]
            for r in range(0, 12, 4):
                u, v, w = B[k, r], B[k, r + 1], B[k, r + 2]
                u0, u1, u2, u3 = (
                    B[m, r] - (x0 * u + y0 * v + z0 * w), B[m, r + 1] - (x1 * u + y1 * v + z1 * w),
                    B[m, r + 2] - (x2 * u + y2 * v + z2 * w), B[m, r + 3] - (x3 * u + y3 * v + z3 * w),
                )  # fmt: skip
                B[m, r], B[m, r + 1], B[m, r + 2], B[m, r + 3] = u0, u1, u2, u3
    pivots[0] = 0 if max(max(g0, g1), max(g2, g3)) < GROWTH * GROWTH else 1
    return OK


@leaf
def substitute_blocks(plan, A, b):
    """Solve with the factors of `factorise_blocks`; the solution replaces b."""
    n, n_lower = np.int64(plan[NODES]), np.int64(plan[N_LOWER])
    lower, lrow, upper = np.int64(plan[LOWER]), np.int64(plan[LROW]), np.int64(plan[UPPER])
    ucol, place, light = np.int64(plan[UCOL]), np.int64(plan[PLACE]), np.int64(plan[LIGHT])
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
        if plan[light + p]:
            for o in range(first, last):
                i, k = plan[lrow + o], n + o
                y[i, 0] -= B[k, 0] * u
                y[i, 1] -= B[k, 5] * v
                y[i, 2] -= B[k, 10] * w
            continue
        for o in range(first, last):
            i, k = plan[lrow + o], n + o
            u0, u1, u2, u3 = (
                y[i, 0] - (B[k, 0] * u + B[k, 4] * v + B[k, 8] * w),
                y[i, 1] - (B[k, 1] * u + B[k, 5] * v + B[k, 9] * w),
                y[i, 2] - (B[k, 2] * u + B[k, 6] * v + B[k, 10] * w),
                y[i, 3] - (B[k, 3] * u + B[k, 7] * v + B[k, 11] * w),
            )
            y[i, 0], y[i, 1], y[i, 2], y[i, 3] = u0, u1, u2, u3
    for p in range(n - 1, -1, -1):
        u0, u1, u2, u3 = y[p, 0], y[p, 1], y[p, 2], y[p, 3]
        first, last = np.int64(plan[upper + p]), np.int64(plan[upper + p + 1])
        if plan[light + p]:
            for o in range(first, last):
                j, k = plan[ucol + o], n + n_lower + o
                u0 -= B[k, 0] * y[j, 0]
                u1 -= B[k, 5] * y[j, 1]
                u2 -= B[k, 10] * y[j, 2]
            y[p, 0], y[p, 1], y[p, 2] = B[p, 0] * u0, B[p, 5] * u1, B[p, 10] * u2
            continue
        for o in range(first, last):
            j, k = plan[ucol + o], n + n_lower + o
            u, v, w = y[j, 0], y[j, 1], y[j, 2]
            u0, u1, u2, u3 = (
                u0 - (B[k, 0] * u + B[k, 4] * v + B[k, 8] * w), u1 - (B[k, 1] * u + B[k, 5] * v + B[k, 9] * w),
                u2 - (B[k, 2] * u + B[k, 6] * v + B[k, 10] * w), u3 - (B[k, 3] * u + B[k, 7] * v + B[k, 11] * w),
            )  # fmt: skip
        u, v, w = u0, u1, u2
        u0, u1, u2, u3 = (
            B[p, 0] * u + B[p, 4] * v + B[p, 8] * w, B[p, 1] * u + B[p, 5] * v + B[p, 9] * w,
            B[p, 2] * u + B[p, 6] * v + B[p, 10] * w, B[p, 3] * u + B[p, 7] * v + B[p, 11] * w,
        )  # fmt: skip
        y[p, 0], y[p, 1], y[p, 2], y[p, 3] = u0, u1, u2, u3
    for k in range(np.int64(plan[ORDER])):
        b[k] = work[plan[place + k]]

"""The first measurement of the compiled core: cold and warm start, entry cost, µs per step.

Run ``python -m benchmarks.spike`` twice, the first time with an empty cache: ``NUMBA_CACHE_DIR=$(mktemp -d)``.
A chain of planar pendulum links in Cartesian coordinates, PVA, by hand-written evaluators of the contract.
"""

import time

import numpy as np
from numba import njit, types

T0 = time.perf_counter()

from genalpha.jit import compile_closure  # noqa: E402
from genalpha.math.symbolic import dense_elimination, static_elimination  # noqa: E402
from genalpha.signatures import VECTOR, signatures  # noqa: E402
from genalpha.step.entry import compiled_entry  # noqa: E402
from genalpha.step.state import (  # noqa: E402
    ACCELERATION, CONTRACTION, N_COUNTS, N_L, N_MATRICES, N_MEMORY, N_Q, N_V, N_X, TANGENT_AGE,
    Arrays, Record, Scheme, Sizes,
)  # fmt: skip

M_, J_, L_, A_ = 1.0, 0.1, 1.0, 10.0


def link_ends(q, i):
    th = q[3 * i + 2]
    return np.cos(th), np.sin(th)


# rows 2i, 2i+1: end of link i-1 = start of link i; centre at L/2


@njit
def mass(t, q, p, out):
    for i in range(q.size // 3):
        out[3 * i] = M_
        out[3 * i + 1] = M_
        out[3 * i + 2] = J_


@njit
def force(t, q, v, p, out):
    out[:] = 0.0
    for i in range(q.size // 3):
        out[3 * i + 1] = -M_ * A_


@njit
def stiffness(t, q, v, vdot, mu, p, out):
    h = L_ / 2
    for i in range(q.size // 3):
        c, s = np.cos(q[3 * i + 2]), np.sin(q[3 * i + 2])
        # − d(Gᵀλ)/dθ: start of link i in rows 2i (sign +), its end in rows 2i+2 (sign −)
        lx, ly = mu[2 * i], mu[2 * i + 1]
        total = h * (c * lx + s * ly)
        if 2 * i + 2 < mu.size:
            total += h * (c * mu[2 * i + 2] + s * mu[2 * i + 3])
        out[i] = -total


@njit
def nothing_all(t, q, v, vdot, mu, p, out):
    return


@njit
def g(t, q, p, out):
    h = L_ / 2
    x, y = 0.0, 0.0
    for i in range(q.size // 3):
        c, s = np.cos(q[3 * i + 2]), np.sin(q[3 * i + 2])
        out[2 * i] = q[3 * i] - h * c - x
        out[2 * i + 1] = q[3 * i + 1] - h * s - y
        x, y = q[3 * i] + h * c, q[3 * i + 1] + h * s


@njit
def G(t, q, p, out):
    h = L_ / 2
    e = 0
    for i in range(q.size // 3):
        c, s = np.cos(q[3 * i + 2]), np.sin(q[3 * i + 2])
        out[e], out[e + 1], out[e + 2], out[e + 3] = 1.0, h * s, 1.0, -h * c
        e += 4
        if i > 0:
            c, s = np.cos(q[3 * i - 1]), np.sin(q[3 * i - 1])
            out[e], out[e + 1], out[e + 2], out[e + 3] = -1.0, h * s, -1.0, -h * c
            e += 4


@njit
def g_t(t, q, p, out):
    out[:] = 0.0


@njit
def g_bias(t, q, v, p, out):
    h = L_ / 2
    x, y = 0.0, 0.0
    for i in range(q.size // 3):
        c, s, w = np.cos(q[3 * i + 2]), np.sin(q[3 * i + 2]), v[3 * i + 2]
        out[2 * i] = h * c * w * w - x
        out[2 * i + 1] = h * s * w * w - y
        x, y = -h * c * w * w, -h * s * w * w


@njit
def nothing_v(t, q, v, p, out):
    return


@njit
def plus(q0, delta, p, q1):
    for i in range(q1.size):
        q1[i] = q0[i] + delta[i]


def pattern(n):
    rows, cols = [], []
    for i in range(n):
        rows += [2 * i, 2 * i, 2 * i + 1, 2 * i + 1]
        cols += [3 * i, 3 * i + 2, 3 * i + 1, 3 * i + 2]
        if i > 0:
            rows += [2 * i, 2 * i, 2 * i + 1, 2 * i + 1]
            cols += [3 * i - 3, 3 * i - 1, 3 * i - 2, 3 * i - 1]
    return np.array(rows), np.array(cols)


def build(n_links, rho=0.9):
    n, m = 3 * n_links, 2 * n_links
    size = n + m
    br, bc = pattern(n_links)
    sr = np.arange(n_links) * 3 + 2
    unique = np.unique(np.concatenate([np.arange(size) * (size + 1), (br + n) * size + bc, bc * size + br + n]))
    rows, cols = unique // size, unique % size
    elimination = dense_elimination(size) if size <= 20 else static_elimination(size, rows, cols, n)
    at = elimination.position
    diagonal = np.arange(n)
    T = np.concatenate(
        [
            [diagonal, diagonal, at(diagonal, diagonal), 0 * diagonal],
            [sr, sr, at(sr, sr), 0 * sr],
            [br, bc, at(br + n, bc), at(bc, br + n)],
            [rows, cols, at(rows, cols), 0 * rows],
        ],
        axis=1,
    ).astype(np.int64)
    end_M, end_S, end_B = n, n + n_links, n + n_links + br.size
    am, af = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
    gamma = 0.5 + af - am
    scheme = Scheme(am, af, 0.25 * (gamma + 0.5) ** 2, gamma, 1e-10, 20, ACCELERATION, 1, 1, 1, 0, 0, 0)
    z = np.zeros
    arrays = Arrays(
        Q=z((N_Q, n)), V=z((N_V, n)), L=z((N_L, m)), X=z((N_X, size)), J=z(end_B),
        A=z((2 * N_MATRICES, elimination.size)), memory=z(N_MEMORY), counts=z(N_COUNTS, np.int64),
        pivots=z((N_MATRICES, size), np.int64), T=T, plan=elimination.plan, pairs=z((3, 0), np.int64),
    )  # fmt: skip
    arrays.Q[0, 0::3] = np.arange(n_links) * L_ + L_ / 2
    arrays.counts[TANGENT_AGE] = -1
    arrays.memory[CONTRACTION] = 1.0
    arrays.J[:end_M] = np.tile([M_, M_, J_], n_links)
    return Sizes(n, m, 0, end_M, end_S, end_S, end_B, end_B, 1), scheme, arrays


def main():
    start = time.perf_counter()
    entry = compiled_entry(np.zeros(0))
    print(f"entry ready after {time.perf_counter() - start:.2f} s")
    functions = (mass, force, stiffness, nothing_all, g, G, g_t, g_bias, nothing_v, nothing_v, nothing_v, plus)
    functions = [compile_closure(f.py_func, s, "spike") for f, s in zip(functions, signatures(VECTOR), strict=True)]
    print(f"evaluators ready after {time.perf_counter() - start:.2f} s, {time.perf_counter() - T0:.2f} s since numba")
    for n_links in (1, 8):
        best = np.inf
        for _ in range(5):
            sizes, scheme, arrays = build(n_links)
            h, steps = 1e-3, 2000 if n_links > 1 else 10000
            m, n = sizes.ng, sizes.nv
            record = Record(*(np.zeros((steps, k)) if k else np.zeros(steps) for k in (0, n, n, n, n, m)))
            times = h * np.arange(1, steps + 1)
            begin = time.process_time()
            out = entry(
                *functions, 0, np.zeros(0), sizes, scheme, arrays,
                times, np.full(steps, h), 1, record, 0,
            )  # fmt: skip
            best = min(best, time.process_time() - begin)
        print(n_links, "links:", out, f"{best / steps * 1e6:.2f} µs per step", "worst g ġ g̈ k", arrays.memory[3:7])
        print("   newton per step", arrays.counts[1] / steps, "counts", arrays.counts)
        begin = time.perf_counter()
        for _ in range(200):
            entry(
                *functions, 0, np.zeros(0), sizes, scheme, arrays,
                times[:0], times[:0], 1, record, 0,
            )  # fmt: skip
        print(f"   entry {(time.perf_counter() - begin) / 200 * 1e6:.0f} µs")


if __name__ == "__main__":
    main()

"""Three by three matrices as tuples of nine numbers, row by row, so that compiled code keeps them in registers."""

from __future__ import annotations

from genalpha.compiled.jit import leaf


@leaf
def dot(A, B):
    """A B."""
    return (
        A[0] * B[0] + A[1] * B[3] + A[2] * B[6],
        A[0] * B[1] + A[1] * B[4] + A[2] * B[7],
        A[0] * B[2] + A[1] * B[5] + A[2] * B[8],
        A[3] * B[0] + A[4] * B[3] + A[5] * B[6],
        A[3] * B[1] + A[4] * B[4] + A[5] * B[7],
        A[3] * B[2] + A[4] * B[5] + A[5] * B[8],
        A[6] * B[0] + A[7] * B[3] + A[8] * B[6],
        A[6] * B[1] + A[7] * B[4] + A[8] * B[7],
        A[6] * B[2] + A[7] * B[5] + A[8] * B[8],
    )


@leaf
def transposed(A):
    """Aᵀ."""
    return A[0], A[3], A[6], A[1], A[4], A[7], A[2], A[5], A[8]


@leaf
def plus(A, B, factor):
    """A + factor B."""
    return (
        A[0] + factor * B[0], A[1] + factor * B[1], A[2] + factor * B[2],
        A[3] + factor * B[3], A[4] + factor * B[4], A[5] + factor * B[5],
        A[6] + factor * B[6], A[7] + factor * B[7], A[8] + factor * B[8],
    )  # fmt: skip


@leaf
def crossed(x, y, z, A):
    """(x, y, z)~ A."""
    return (
        y * A[6] - z * A[3], y * A[7] - z * A[4], y * A[8] - z * A[5],
        z * A[0] - x * A[6], z * A[1] - x * A[7], z * A[2] - x * A[8],
        x * A[3] - y * A[0], x * A[4] - y * A[1], x * A[5] - y * A[2],
    )  # fmt: skip


@leaf
def before_cross(A, x, y, z):
    """A (x, y, z)~."""
    return (
        A[1] * z - A[2] * y, A[2] * x - A[0] * z, A[0] * y - A[1] * x,
        A[4] * z - A[5] * y, A[5] * x - A[3] * z, A[3] * y - A[4] * x,
        A[7] * z - A[8] * y, A[8] * x - A[6] * z, A[6] * y - A[7] * x,
    )  # fmt: skip


@leaf
def put(out, i, A, factor):
    """out[i:i+9] += factor A."""
    out[i] += factor * A[0]
    out[i + 1] += factor * A[1]
    out[i + 2] += factor * A[2]
    out[i + 3] += factor * A[3]
    out[i + 4] += factor * A[4]
    out[i + 5] += factor * A[5]
    out[i + 6] += factor * A[6]
    out[i + 7] += factor * A[7]
    out[i + 8] += factor * A[8]


@leaf
def write(out, i, A, factor):
    """out[i:i+9] = factor A."""
    out[i] = factor * A[0]
    out[i + 1] = factor * A[1]
    out[i + 2] = factor * A[2]
    out[i + 3] = factor * A[3]
    out[i + 4] = factor * A[4]
    out[i + 5] = factor * A[5]
    out[i + 6] = factor * A[6]
    out[i + 7] = factor * A[7]
    out[i + 8] = factor * A[8]


@leaf
def put3(out, i, x, y, z):
    """out[i:i+3] = (x, y, z)."""
    out[i] = x
    out[i + 1] = y
    out[i + 2] = z


@leaf
def add_stiffness(out, i, factor, a, b, c, x, y, z):
    """out[i:i+9] += factor (a, b, c)~ (x, y, z)~, the block of what turns with a body."""
    dot = a * x + b * y + c * z
    out[i] += factor * (x * a - dot)
    out[i + 1] += factor * x * b
    out[i + 2] += factor * x * c
    out[i + 3] += factor * y * a
    out[i + 4] += factor * (y * b - dot)
    out[i + 5] += factor * y * c
    out[i + 6] += factor * z * a
    out[i + 7] += factor * z * b
    out[i + 8] += factor * (z * c - dot)

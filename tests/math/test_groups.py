"""Rotations and motions: maps, tangent operators, normalisation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genalpha.math import se3, so3

KINDS = pytest.mark.parametrize("kind", [so3.EXPONENTIAL, so3.CAYLEY], ids=["exponential", "cayley"])

number = st.floats(-2.0, 2.0, allow_nan=False)
vectors = st.tuples(number, number, number).map(np.array)
sizes = st.sampled_from([1e-9, 1e-4, 0.1, 0.49, 0.51, 1.0, 1.5])
rotation_vectors = st.builds(lambda x, size: size * x, vectors, sizes)

fixed = settings(derandomize=True, deadline=None, max_examples=60)


def skew(x):
    return np.cross(np.eye(3), x)


@fixed
@given(rotation_vectors)
def test_log_is_the_inverse_of_exp(theta):
    angle = np.linalg.norm(theta)
    if angle < np.pi - 1e-6:
        assert so3.log(so3.exp(theta)) == pytest.approx(theta, abs=1e-14)
    elif angle > np.pi + 1e-6:
        # the shorter way round
        assert so3.log(so3.exp(theta)) == pytest.approx(theta * (1.0 - 2.0 * np.pi / angle), abs=1e-13)


@fixed
@given(st.builds(lambda x, n: n * x, vectors, st.integers(1, 8)))
def test_angles_beyond_pi(theta):
    """exp(θ) is the rotation by |θ| about θ, however large: two halves make a whole."""
    half = so3.exp(0.5 * theta)
    assert so3.multiply(half, half) == pytest.approx(so3.exp(theta), abs=2e-15)
    R, angle = so3.matrix(so3.exp(theta)), np.linalg.norm(theta)
    assert R @ theta == pytest.approx(theta, abs=1e-14 * (1.0 + angle))
    assert np.trace(R) == pytest.approx(1.0 + 2.0 * np.cos(angle), abs=1e-14)
    assert R.T @ R == pytest.approx(np.eye(3), abs=1e-14)


@fixed
@given(vectors, vectors)
def test_matrix_and_quaternion(theta, other):
    p, r = so3.exp(theta), so3.exp(other)
    assert so3.matrix(so3.multiply(p, r)) == pytest.approx(so3.matrix(p) @ so3.matrix(r), abs=1e-14)
    back = so3.quaternion(so3.matrix(p))
    assert back * np.sign(back @ p) == pytest.approx(p, abs=1e-14)


@fixed
@given(rotation_vectors, vectors)
def test_log_of_motions(theta, u):
    angle = np.linalg.norm(theta)
    if angle < 3.0:
        motion = np.concatenate([u, theta])
        assert se3.log(se3.exp(motion)) == pytest.approx(motion, abs=1e-12)


@KINDS
@fixed
@given(theta=rotation_vectors, direction=vectors)
def test_tangent_operator(kind, theta, direction):
    """Rᵀ δR = (T δθ)~, by differences of fourth order."""
    d = 1e-3
    R = [so3.matrix(so3.exp(theta + k * d * direction, kind)) for k in (-2, -1, 1, 2)]
    rate = (R[0] - 8.0 * R[1] + 8.0 * R[2] - R[3]) / (12.0 * d)
    exact = skew(so3.tangent(theta, kind) @ direction)
    assert so3.matrix(so3.exp(theta, kind)).T @ rate == pytest.approx(exact, abs=1e-9)


@KINDS
@fixed
@given(theta=rotation_vectors, u=vectors, direction=vectors, more=vectors)
def test_tangent_operator_of_motions(kind, theta, u, direction, more):
    """x' = R T_u and Rᵀ R' = T_θ~ of a motion (x, R) = exp(u, θ)."""
    motion, change, d = np.concatenate([u, theta]), np.concatenate([more, direction]), 1e-3
    poses = [se3.unpack(se3.exp(motion + k * d * change, kind)) for k in (-2, -1, 0, 1, 2)]
    weights = np.array([1.0, -8.0, 0.0, 8.0, -1.0]) / (12.0 * d)
    x, R = (np.array(values) for values in ([pose[0] for pose in poses], [so3.matrix(pose[1]) for pose in poses]))
    T = se3.tangent(motion, kind) @ change
    assert R[2].T @ (weights @ x) == pytest.approx(T[:3], abs=1e-8)
    assert R[2].T @ np.tensordot(weights, R, 1) == pytest.approx(skew(T[3:]), abs=1e-8)


def test_series_meet_the_functions():
    """Near zero the functions of the angle come from series; where they change over they agree to round-off."""
    for function in (so3.half_angle, so3.inverse_slope, se3.half_angle_slopes):
        below, above = (np.array(function(so3.NEAR * (1.0 + side * 1e-12))) for side in (-1.0, 1.0))
        assert below == pytest.approx(above, rel=3e-12)


@KINDS
def test_normalisation_changes_nothing(kind):
    """One Newton correction per step: never above 1e-15; without it |p| stays within 1e-12 of 1 for 1e6 steps."""
    kept, plain, largest = walk(kind, 1_000_000)
    assert largest <= 1e-15
    assert abs(np.linalg.norm(plain) - 1.0) <= 1e-12
    assert abs(np.linalg.norm(kept) - 1.0) <= 1e-15
    assert kept == pytest.approx(plain, abs=1e-9)


def walk(kind, n):
    """n turns from the unit quaternion, normalised and plain; and the largest correction."""
    from numba import njit

    turn, increment, product = so3.turn, so3.increment, so3.product

    @njit(error_model="numpy")
    def run(kind, n):
        kept, plain, largest = np.array([1.0, 0.0, 0.0, 0.0]), np.array([1.0, 0.0, 0.0, 0.0]), 0.0
        for k in range(n):
            x, y, z = 0.1 * np.sin(0.3 * k), 0.15 * np.cos(0.7 * k), 0.12 * np.sin(1.1 * k + 1.0)
            e, f, g, h = increment(kind, x, y, z)
            a, b, c, d = product(kept[0], kept[1], kept[2], kept[3], e, f, g, h)
            turn(kind, kept, 0, x, y, z, kept, 0)
            change = max(max(abs(kept[0] - a), abs(kept[1] - b)), max(abs(kept[2] - c), abs(kept[3] - d)))
            largest = max(largest, change)
            a, b, c, d = product(plain[0], plain[1], plain[2], plain[3], e, f, g, h)
            plain[0], plain[1], plain[2], plain[3] = a, b, c, d
        return kept, plain, largest

    return run(kind, n)


def test_motions_are_brought_back():
    """A dual quaternion that is off by d comes back to |p| = 1 and p · d = 0 with an error of d²."""
    pd = se3.exp([1.0, -0.5, 0.3, 0.4, 0.2, -0.9])
    pd = pd + 1e-5 * np.array([1.0, -2.0, 0.5, 1.5, -0.3, 1.2, 0.7, -1.1])
    out = np.zeros(8)
    se3.carry(so3.EXPONENTIAL, pd, 0, (0.0,) * 6, out, 0)
    assert np.linalg.norm(out[:4]) == pytest.approx(1.0, abs=1e-8)
    assert out[:4] @ out[4:] == pytest.approx(0.0, abs=1e-8)
    assert abs(pd[:4] @ pd[4:]) > 1e-6

"""The evaluators of models: one set of compiled functions for all of them."""

from __future__ import annotations

from genalpha.contract import Evaluators
from genalpha.jit import leaf
from genalpha.model.loads import load_force, spring_force, spring_matrix
from genalpha.model.motion import inertia_damping, inertia_force, untwist_all, update, weight_stiffness
from genalpha.model.planar import (
    angle_bias,
    angle_gradient,
    angle_rows,
    pin_bias,
    pin_gradient,
    pin_rows,
    pin_stiffness,
    slot_bias,
    slot_gradient,
    slot_rows,
    slot_stiffness,
)
from genalpha.model.rows import (
    dot_bias,
    dot_gradient,
    dot_rows,
    dot_stiffness,
    point_bias,
    point_gradient,
    point_rows,
    point_stiffness,
    slide_bias,
    slide_gradient,
    slide_rows,
    slide_stiffness,
)


@leaf
def clear(out):
    """out = 0."""
    for i in range(out.size):
        out[i] = 0.0


def f(t, q, v, data, out):
    """Forces of inertia, weights, springs, loads."""
    inertia_force(q, v, data, out)
    spring_force(q, v, data, out)
    load_force(q, data, out)


def stiffness(t, q, v, vdot, mu, data, out):
    """Of weights, springs, and constraint forces."""
    clear(out)
    weight_stiffness(q, data, out)
    spring_matrix(q, v, data, False, out)
    point_stiffness(q, mu, data, out)
    dot_stiffness(q, mu, data, out)
    slide_stiffness(q, mu, data, out)
    pin_stiffness(q, mu, data, out)
    slot_stiffness(q, mu, data, out)


def damping(t, q, v, vdot, mu, data, out):
    """Of inertia forces and springs."""
    clear(out)
    inertia_damping(v, data, out)
    spring_matrix(q, v, data, True, out)


def g(t, q, data, out):
    """All rows of joints."""
    point_rows(q, data, out)
    dot_rows(q, data, out)
    slide_rows(q, data, out)
    pin_rows(q, data, out)
    angle_rows(q, data, out)
    slot_rows(q, data, out)


def G(t, q, data, out):
    """Their gradient."""
    point_gradient(q, data, out)
    dot_gradient(q, data, out)
    slide_gradient(q, data, out)
    pin_gradient(q, data, out)
    angle_gradient(data, out)
    slot_gradient(q, data, out)


def g_bias(t, q, v, data, out):
    """What is quadratic in velocities of their second derivative."""
    point_bias(q, v, data, out)
    dot_bias(q, v, data, out)
    slide_bias(q, v, data, out)
    pin_bias(q, v, data, out)
    angle_bias(data, out)
    slot_bias(q, v, data, out)


def update_all(q0, delta, data, q1):
    """q1 = q0 ∘ exp(Δ)."""
    update(q0, delta, data, q1)


def untwist(delta, data, x):
    """x ← T(Δ)⁻¹ x."""
    untwist_all(delta, data, x)


def of_position(t, q, data, out):
    """An absent block."""


def of_velocity(t, q, v, data, out):
    """An absent block."""


def of_multipliers(t, q, v, mu, data, out):
    """An absent block."""


EVALUATORS = Evaluators(
    M=of_position, f=f, force=of_multipliers, force_mu=of_multipliers, stiffness=stiffness, damping=damping,
    g=g, G=G, g_t=of_position, g_bias=g_bias, k=of_velocity, K=of_velocity, k_bias=of_velocity,
    gap=of_position, N=of_position, gap_t=of_position, gap_bias=of_velocity, update=update_all, untwist=untwist,
)  # fmt: skip

"""What travels between the phases of a step, by value; and the numbers of a step of the generalized-α family."""

from __future__ import annotations

from typing import NamedTuple

from genalpha.compiled.jit import step
from genalpha.step.state import (
    ACCELERATION,
    HISTORY,
    POSITION,
    ROW_SCALE,
    SHARED,
    STEP_SIZE,
    STEPS,
)

EPSILON = 2.220446049250313e-16


class Stride(NamedTuple):
    """The numbers of a step that all its iterations share."""

    t1: float  # its end
    h: float  # its size
    slope: float  # D of a first step after 001 (10), else 0
    lag: float  # h over that of the step before; 0 in a first step
    ratio: float  # the same where something is extrapolated, else 0
    c7: float  # ∂v1/∂v̇1
    c8: float  # ∂q1/∂v̇1
    c9: float  # ∂a1/∂v̇1; κ of SOI2
    to_velocity: float  # c7/c8, which makes velocities of positions


class Scaling(NamedTuple):
    """How the matrices of an iteration are made."""

    r: float  # the factor of Bᵀ, and of B in the corrections
    r_row: float  # the factor of B in the dynamics
    shared: bool  # one matrix serves for the dynamics and the corrections


class Newton(NamedTuple):
    """What one Newton iteration has done."""

    status: int
    error: float  # its largest change, as a velocity
    way: float  # its largest change of the positions, in lengths


class Progress(NamedTuple):
    """What is known of an iteration when it is judged."""

    iteration: int
    scale: float  # the speed that errors are relative to
    before: float  # error of the iteration before
    contraction: float  # as far as it was measured in this step, or in those before
    floor: float  # what a contraction is not trusted to be below


class Keys(NamedTuple):
    """The sets with which the matrices of a pile are factorised, as numbers; 0: none."""

    dynamics: int
    velocity: int
    position: int


class Course(NamedTuple):
    """What one iteration of the nonsmooth method hands on to the next."""

    iteration: int
    scale: float  # the speed that errors are relative to
    before: float  # error of the iteration before
    contraction: float
    refresh: bool  # a new tangent is wanted
    settled: bool  # corrections are small enough
    unsteady: bool  # sets have changed in this step, or Algorithm 1 has handed over
    coupled: bool  # all unknowns at once
    polished: int  # iterations since it has settled
    stage: int  # how far cycles of the sets had to be resolved, see `sets`
    waking: int  # changes that `piles` has made to the sets
    keys: Keys


class Sets(NamedTuple):
    """The active sets of an iteration."""

    changes: int  # contacts that have changed; −1 if a gap is no number
    stage: int
    released: float  # the largest multiplier that was set to zero, as a force


class Solved(NamedTuple):
    """What one iteration on the contact problem has done, whichever way it was solved."""

    status: int
    error: float  # its largest change, as a velocity
    way: float  # its largest change of the positions, in lengths
    waking: int
    keys: Keys


class Span(NamedTuple):
    """Where the rows of contacts and of slip are."""

    end_K: int  # values of N in J, from here
    end_B: int  # to here
    end_F: int  # values of T̂, from here to the end
    nb: int  # the first contact among the rows of constraints
    nc: int  # how many there are


class Problem(NamedTuple):
    """What has become of the contact problem of a level."""

    status: int  # of the linear algebra
    failed: int  # 0, or why there is no solution, one of `math.coulomb`
    misfit: float  # by how much its laws are missed, relative


class Turn(NamedTuple):
    """What one iteration of the method with friction hands on to the next."""

    iteration: int
    scale: float  # the speed that errors are relative to
    before: float  # error of the iteration before
    contraction: float
    refresh: bool  # a new tangent is wanted
    settled: bool  # corrections are small enough, and no contact has changed
    unsteady: bool  # contacts have changed in this step
    changes: int  # so many times
    barred: bool  # no contact at the acceleration level for the rest of the step


class Levels(NamedTuple):
    """What one iteration on all levels has done."""

    status: int
    error: float  # its largest change, as a velocity
    way: float  # its largest change of the positions, in lengths
    changes: int  # contacts that have changed
    barred: bool  # the acceleration level has no solution


@step
def stride_of(scheme, memory, counts, t1, h, extrapolates):
    """The numbers of a step: its ends, and the derivatives c7, c8, c9 of v1, q1 and a1 with respect to v̇1."""
    slope = start_slope(scheme, counts)
    c9 = (1.0 - scheme.alpha_f - scheme.alpha_m * slope) / (1.0 - scheme.alpha_m)
    c8 = h * h * ((0.5 - scheme.beta) * slope + scheme.beta * c9)
    c7 = h * ((1.0 - scheme.gamma) * slope + scheme.gamma * c9)
    lag = h / memory[STEP_SIZE] if counts[STEPS] > 0 else 0.0
    ratio = lag if extrapolates and counts[HISTORY] > 0 else 0.0
    return Stride(t1, h, slope, lag, ratio, c7, c8, c9, c7 / c8 if c8 > 0.0 else 1.0 / h)


@step
def start_slope(scheme, counts):
    """D = α_m − α_f in a first step started by 001 (10), where a0 = (1 − D) v̇0 + D v̇1; else 0."""
    if scheme.lunk_simeon and counts[STEPS] == 0:
        return scheme.alpha_m - scheme.alpha_f
    return 0.0


@step
def scaling_of(scheme, memory, stride):
    """How matrices are made, as `choose_matrices` has left it."""
    r = memory[ROW_SCALE]
    r_row = r if scheme.scaling else level_factor(scheme, stride.c7, stride.c8)
    return Scaling(r, r_row, memory[SHARED] > 0.0)


@step
def level_factor(scheme, c7, c8):
    """Derivative of a constraint at the level of the formulation with respect to v̇, over B."""
    if scheme.level == POSITION:
        return c8
    if scheme.level == ACCELERATION:
        return 1.0
    return c7

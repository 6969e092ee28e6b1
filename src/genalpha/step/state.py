"""What a step reads and writes, packed into few arrays, and the names of their rows.

A call in compiled code costs the more the more arrays travel with it, so the vectors of a step are rows of three
matrices, all matrix values lie in one vector, and the integer tables are three:

- ``Q`` (3, nq): configurations; ``V`` (.., nv): velocities and accelerations; ``L`` (.., m): rows of constraints
- ``X`` (.., nv + m): right-hand sides of linear systems, and sizes of rows
- ``J`` (nnz): the values of M, S, C, B, F one after the other (F = ∂f/∂μ of a force that contains the multipliers);
  ``T`` (3, nnz): row and column of each, and 9 where a block begins
- ``Z`` (4, ..): the entries among them that are put into an iteration matrix: place in J, storage in the matrix,
  storage of the transposed entry, row; and the diagonal ones
- ``A`` (6, size + 1): three factorised matrices and their exact values; ``E`` (3, ..): row, column and storage of all
  their entries

- ``S`` (6, m): active sets; ``log``: contact events
- ``Y``, ``A3``, ``X3``, ``pivots3``, ``plan3``: the coupled system of 3 (nv + m) unknowns, made when it is wanted

The constraint rows are stacked: first the holonomic ones (ng), then the nonholonomic ones (nk), then the gaps (nc),
m in all. mu = (lam, psi, lam_n) are their multipliers, B = (G, K, N) their velocity gradient.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

# rows of Q: inside a step, 0 is old and 1 is new; weights by which coordinates of different kind compare, and how many
# lengths their units are worth, see `scales`
Q0, Q1, Q_WEIGHT, Q_UNIT, N_Q = range(5)
# rows of V; the first nine are part of the state
V0, VDOT0, A_0, A_BEFORE, MISS, U0, U_BEFORE, W0, W_BEFORE = range(9)
A_HERE, V1, VDOT1, A_1, U, W, DELTA, LINE, KNOWN, V_TILDE, MA_1 = range(9, 20)
# ... and so are the largest speed and the largest value so far of each coordinate, by which errors are measured, and
# the weights and units of velocities
V_LARGEST, Q_LARGEST, V_WEIGHT, V_UNIT, N_V = range(20, 25)
# rows of L; the first twelve are part of the state: η, velocities, effective masses and restitution of contacts, the
# impulse since the last saved row, the steps in which it was closed without an impact, and the force of the last step
MU0, NU0, NU_BEFORE, LAM0, LAM_BEFORE, ETA0, RATE0, MASS, RESTITUTION, IMPULSE, CALM, FORCE0 = range(12)
MU1, NU, LAM, ROWS, BIAS, G_T, ETA_HERE, ETA1, GAP, RATE, RATE_DOT, STAR = range(12, 24)
# ... of the law of impact: the velocity of a gap before, what it is to be after, and how that depends on the smooth one
APPROACH, REBOUND, YIELD = range(24, 27)
# of error control: gaps at the old point (part of the state), what a row counts relative to, its velocity at some time,
# and the part of it that a step does not see; how many lengths a unit of g is worth
GAP0, REACH, PROBE, UNSEEN, G_UNIT, N_L = range(27, 33)
# rows of V and L that SOI2 uses for other vectors: M a, the force, ã − a; the multipliers μ̃ − μ (they are part of the
# state where those are), and scratch
MA_0, MA_BEFORE, F0, D0, D_BEFORE = MISS, U0, U_BEFORE, W0, W_BEFORE
MA_HERE, D, F1 = U, W, LINE
TILDE0, TILDE, MU_BEFORE = NU0, NU, NU_BEFORE
# rows of X: solution, right-hand side, residual, scratch; of each matrix the factors of its rows and of its columns,
# which begin with zero if it is factorised as it stands; the sizes of the terms of g
SOLUTION, RHS, RESIDUAL, SCRATCH, LEFT, RIGHT, TERMS, N_X = 0, 1, 2, 3, 4, 7, 10, 11
# rows of A and pivots: the matrices of the dynamics, of the velocity and of the position corrections; A also has each
# of them as it was before it was factorised, and what a constant mass matrix contributes to all of them
DYNAMICS, VELOCITY_MATRIX, POSITION_MATRIX, N_MATRICES = range(4)
CONSTANT_MASS, N_A = 2 * N_MATRICES, 2 * N_MATRICES + 1

# rows of S: the active sets C, B, A at the acceleration, velocity and position level (by the matrix that uses them),
# and those of the step before
LAST_STEP, N_S = 3, 6
# columns of the log of contact events, and its kinds
LOG_TIME, LOG_CONTACT, LOG_KIND, LOG_BEFORE, LOG_AFTER, LOG_IMPULSE, N_LOG = range(7)
OPENED, CLOSED, IMPACT = range(3)

# memory, floats
TIME, STEP_SIZE, CONTRACTION, ROW_SCALE, SHARED, WORST_G, WORST_GDOT, WORST_GDDOT, WORST_K = range(9)
LARGEST_SPEED, LARGEST_EXTENT, WORST_GAP, WORST_PRODUCT = range(9, 13)
# of error control: the size of the next step, the scaled errors of this step and of the one before, the largest mean
# size of the positions so far, and what angles add to the square of that
NEXT_STEP, ERROR, ERROR_BEFORE, LARGEST_MEAN, TURNS, N_MEMORY = range(13, 19)
# counts, integers; the last ones hold the patterns of active sets that were seen in a step
STEPS, NEWTON, JACOBIANS, FACTORISATIONS, HISTORY, TANGENT_AGE, REGULARISED, STAGNATED = range(8)
MOST_NEWTON, LOGGED, COUPLED, CYCLES, EVALUATIONS, KEEP_EXACT = range(8, 14)
# of error control: steps rejected, and why; the coordinate with the largest error, and what that is an error of
REJECTED_ERROR, REJECTED_NEWTON, REJECTED_IMPACT, WORST_PLACE, WORST_LEVEL = range(14, 19)
N_SEEN, SEEN = range(19, 21)
MAX_SEEN = 40
N_COUNTS = SEEN + MAX_SEEN

# status of a step
OK, SINGULAR, NOT_CONVERGED, NOT_FINITE, COUPLED_WANTED, LOG_FULL, ONCE_MORE = range(7)
# ... with error control: to be made again, to be started again, too small, and the next one reaches the end
REJECTED, RESTART, TOO_SMALL, ENDING = range(7, 11)

# what the largest error is one of: a position, a velocity, or the prescribed motion of a row
OF_POSITION, OF_VELOCITY, OF_ROW = range(3)

# the level at which the multipliers enforce the constraints
POSITION, VELOCITY, ACCELERATION = range(3)


class Sizes(NamedTuple):
    """Sizes of the system, and the ends of the sections of J and of Z."""

    nv: int
    ng: int
    nb: int  # bilateral rows, ng + nk
    m: int  # all rows
    slots: int  # the last rows, whose pairs come and go
    stored: int  # values of a matrix before it is factorised
    end_M: int
    end_S: int
    end_C: int
    end_G: int
    end_K: int
    end_B: int
    end_F: int
    put_M: int
    put_alone: int  # blocks of the stiffness that are the first to reach a block without masses
    put_onto: int  # and with masses
    put_S_blocks: int  # further ones
    put_S: int
    put_C_blocks: int
    put_C: int
    put_B: int
    put_F: int
    put_zeros: int  # from here on, a matrix that is made and not added up
    put_masses: int
    put_stiff: int  # blocks that stiffness begins
    put_B_blocks: int
    put_B_rest: int
    diagonal: int  # diagonal entries of M, S and C
    diagonal_M: int
    diagonal_S: int
    diagonal_C: int
    constant_M: int
    flat: int
    scleronomic: int
    multipliers_in_f: int
    body_frames: int  # velocities are seen from bodies that turn


class Scheme(NamedTuple):
    """Numbers and switches that compiled code reads; an `Integrator` gives those that are its own.

    Fields are numbers of the type that they are declared with: compiled code is made for these types.
    """

    # all schemes
    max_iter: int = 20  # iterations after which a step has failed
    tol: float = 1e-10  # of Newton's iteration: predicted error of the velocities over the largest velocity
    reuse: int = 0  # evaluate stiffness and damping when convergence slows down only, not in every step
    level: int = VELOCITY  # at which μ enforces the constraints; what `monitor` and `judge` find evaluated
    watch: int = 1  # keep the largest |ġ| and |g̈| at the level POSITION too
    # rows of constraints in the iteration matrix, `newton`
    scaling: int = 1  # times the factor r of 004 (22)-(23), or 1
    row_mass: float = 1.0  # weight of the masses in r
    explicit: int = 0  # nothing but masses in r
    augmented: int = 0  # with the penalty of 004 (16); level POSITION
    # the generalized-α family and SOI2
    alpha_m: float = 0.0
    alpha_f: float = 0.0
    beta: float = 0.0
    gamma: float = 0.0
    correct_position: int = 0  # positions are corrected by U
    correct_velocity: int = 0  # velocities are corrected by W; SOI2: there are d and μ̃ − μ
    # alpha and impact
    lunk_simeon: int = 0  # the first step finds a0, 001 (10)
    baumgarte: int = 0  # 002 (71) instead of a level
    rate_velocity: float = 0.0  # its α, 1/s
    rate_position: float = 0.0  # its β, 1/s
    # contacts: `impact`, `law`, `contacts`
    strategy: int = 3  # what the smooth motion knows of, 002 sec. 3.2: all, bilateral constraints (2), nothing (1)
    closing: int = 1  # (57) and not while it opens, and impacts that make no energy; not the letter of the paper
    r: float = 0.0  # factor of the activation rules (55)-(57), a mass; 0: the effective mass of each contact
    coupled: int = 0  # semismooth Newton iteration from the start
    hand_over: int = 0  # and where Algorithm 1 stalls
    by_residual: int = 0  # stop by these residuals and not by tol:
    tol_force: float = 0.0
    tol_position: float = 0.0
    tol_velocity: float = 0.0
    # SOI2
    adjust: int = 1  # move a and M a to the new step size, 001 (15)-(16)
    # Moreau-Jean
    theta: float = 0.0  # in (0, 1]; 0: not this scheme
    # schemes of one's own: whatever their options need
    own_a: float = 0.0
    own_b: float = 0.0
    own_c: float = 0.0
    # error control, from `Control.numbers`
    controlled: int = 0  # is there error control?
    rtol: float = 0.0
    atol: float = 0.0
    h_min: float = 0.0
    h_max: float = 0.0
    impact_tol: float = 0.0  # travel of contacts in a step in which they close; negative: relative
    pace: float = 0.0  # time in which the motion is expected to change
    spread: float = 0.0  # how far the size of a coordinate may be above its own values
    timed: int = 0  # forces or constraints depend on time
    polish: int = 0  # constraints to round-off, whatever the tolerance


class Arrays(NamedTuple):
    """All memory of a run; the state and the scratch space of a step."""

    Q: np.ndarray
    V: np.ndarray
    L: np.ndarray
    X: np.ndarray
    J: np.ndarray
    A: np.ndarray
    memory: np.ndarray
    counts: np.ndarray
    pivots: np.ndarray
    T: np.ndarray
    Z: np.ndarray
    E: np.ndarray
    plan: np.ndarray
    pairs: np.ndarray
    S: np.ndarray
    log: np.ndarray
    Y: np.ndarray
    A3: np.ndarray
    X3: np.ndarray
    pivots3: np.ndarray
    plan3: np.ndarray


class Record(NamedTuple):
    """Rows of the solution, time first."""

    t: np.ndarray
    q: np.ndarray
    v: np.ndarray
    vdot: np.ndarray
    a: np.ndarray
    mu: np.ndarray
    Lam: np.ndarray  # relative impulses of all rows, of runs with active sets
    contact: np.ndarray  # gaps, forces, impulses

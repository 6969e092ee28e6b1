"""What a step reads and writes, line by line: the rows of all arrays, what they mean, who fills them and when.

A call in compiled code costs the more the more arrays travel with it, so the vectors of a step are rows of a few
matrices, all matrix values lie in one vector, and the integer tables are three:

- ``Q`` (N_Q, nq): configurations; ``V`` (N_V, nv): velocities and accelerations; ``L`` (N_L, m): rows of constraints
- ``X`` (N_X, nv + m): right-hand sides of linear systems, and sizes of rows
- ``J`` (nnz): the values of M, S, C, B, F one after the other (F = ∂f/∂μ of a force that contains the multipliers);
  ``T`` (3, nnz): row and column of each, and 9 where a block begins
- ``Z`` (4, ..): the entries among them that are put into an iteration matrix: place in J, storage in the matrix,
  storage of the transposed entry, row; and the diagonal ones
- ``A`` (N_A, size + 1): three factorised matrices and their exact values; ``E`` (3, ..): row, column and storage of all
  their entries
- ``S`` (N_S, m): active sets; ``log`` (.., N_LOG): contact events, see `contact_log`
- ``memory`` (N_MEMORY,): numbers, and ``counts`` (N_COUNTS,): integers, that are kept from step to step
- ``Y``, ``A3``, ``X3``, ``pivots3``, ``plan3``: the coupled system of 3 (nv + m) unknowns, made when it is wanted

Runs with friction have more, which are empty without it:

- ``F`` (N_F, nt): rows of slip and their forces; ``R`` (N_R, ne) numbers and ``K`` (N_K, ne) integers of elements. An
  element is what sticks or slides as one: every contact is one, with or without friction, then come the dry ones
- the contact problem of one level, in the numbering of its rows, see `contact.problem`: ``C`` columns P Jᵀ, ``D`` their
  matrix J P Jᵀ, ``P`` vectors, ``places`` which rows they are, ``elements`` and ``numbers`` of `math.coulomb`, ``work``

The constraint rows are stacked: first the holonomic ones (ng), then the nonholonomic ones (nk), then the gaps (nc),
m in all. μ = (lam, psi, lam_n) are their multipliers, B = (G, K, N) their velocity gradient.

Inside a step, 0 is old and 1 is new. A row is given as: its number, what it is (in a unit, where it has one of its
own), and who fills it, or when. What is *kept* is the state of a run: checkpoints hold these arrays as they are, so
numbers of rows are part of the file format. Sections say which rows are kept and which are work of one step.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from genalpha.math import interface

# Q (N_Q, nq): configurations
# --- kept
Q0 = 0  # q at the old point; accept
# --- work of a step
Q1 = 1  # q at the new point, q0 ∘ exp(Δ); move, and the corrections of positions
# --- error control, and tolerances of Newton's iteration: kept, filled at t0 by `start`
Q_WEIGHT = 2  # weights by which coordinates of different kind compare, see `scales`; 0 for angles
Q_UNIT = 3  # how many lengths the unit of a coordinate is worth
N_Q = 4

# V (N_V, nv): velocities and accelerations
# --- kept
V0 = 0  # v at the old point; accept
VDOT0 = 1  # v̇ at the old point; accept
A_0 = 2  # algorithmic acceleration a at the old point; accept
A_BEFORE = 3  # a at the old point of the step before; accept
MISS = 4  # v̇1 − LINE of the step before: what extrapolation along a line missed; accept
U0 = 5  # U of the step before; accept_corrections
U_BEFORE = 6  # U of the step before that; accept_corrections
W0 = 7  # W of the step before; accept_corrections
W_BEFORE = 8  # W of the step before that; accept_corrections
# --- work of a step
A_HERE = 9  # a0 moved to this step size, or its known part in a first step after 001 (10); predict
V1 = 10  # v at the new point (65k); move, and the corrections of velocities
VDOT1 = 11  # v̇ at the new point; predict, then Newton's iteration
A_1 = 12  # a at the new point (65l); move
U = 13  # correction of the positions (65d); predict_corrections, then Newton's iteration
W = 14  # correction of the velocities, their jump (65g); predict_corrections, then Newton's iteration
DELTA = 15  # Δ with q1 = q0 ∘ exp(Δ); move, and the corrections of positions
LINE = 16  # v̇1 extrapolated along a line; predict
KNOWN = 17  # SOI2: the part of (14d, e) that is known before the step; MoreauJean: the force at the θ-point
V_TILDE = 18  # velocity without jumps, v1 − W (PVV); ṽ1 of SOI2; v_θ of MoreauJean
MA_1 = 19  # M a1, of SOI2 only; its finish
# --- error control: kept; V_UNIT is for tolerances of Newton's iteration too
V_LARGEST = 20  # largest speed so far of each coordinate; keep_largest
Q_LARGEST = 21  # largest value so far of each coordinate of a flat space; keep_largest
V_WEIGHT = 22  # weights by which velocities of different kind compare; `start`
V_UNIT = 23  # how many lengths the unit of a velocity is worth; `start`
N_V = 24

# L (N_L, m): rows of constraints. Capital Λ is BIG_LAM, because λ is among the μ.
# --- kept
MU0 = 0  # μ at the old point; accept
NU0 = 1  # ν of the step before; accept_corrections
NU_BEFORE = 2  # ν of the step before that; accept_corrections
BIG_LAM0 = 3  # Λ of the step before; accept_corrections
BIG_LAM_BEFORE = 4  # Λ of the step before that; accept_corrections
ETA0 = 5  # η at the old point: to λ what a is to v̇ (64); accept_contacts
RATE0 = 6  # velocity of a gap at the old point; accept_contacts
MASS = 7  # effective mass 1/(N P Nᵀ) of a contact; weigh_contacts, for pairs that come and go `setup`
RESTITUTION = 8  # coefficient e of a contact; `setup`
IMPULSE = 9  # Λ* summed up since the last saved row; accept_contacts, zeroed by write_row
CALM = 10  # steps in which a contact was closed without an impact; accept_contacts
FORCE0 = 11  # mean contact force of the last step, without impacts; accept_contacts
# --- work of a step
MU1 = 12  # μ at the new point (65a); predict, then Newton's iteration
NU = 13  # ν, multipliers of the positions (65d); predict_corrections, then Newton's iteration
BIG_LAM = 14  # Λ, multipliers of the velocities (65g); as ν. In MoreauJean the whole impulse P
ROWS = 15  # values of the rows of one level; whoever solves that level next. `cut_tails` keeps a set there for a moment
BIAS = 16  # what g̈, k̇ and g̈ap are without v̇1; evaluate_dynamics, evaluate_gaps. `monitor` makes it g̈
G_T = 17  # g_t and gap_t at the new point; evaluate_rows, evaluate_all_rows
ETA_HERE = 18  # η0 moved to this step size; smooth_multipliers
ETA1 = 19  # η at the new point (65o); smooth_multipliers, freed of its tail by cut_tails
GAP = 20  # gaps at the new point, of the old one once a step is accepted; evaluate_gaps, correct_position
RATE = 21  # velocity of a gap, N v1 + gap_t; contact_rates
RATE_DOT = 22  # acceleration of a gap, N v̇1 + gap_bias; contact_rates
STAR = 23  # Λ*, all the impulse of a contact in this step (65m); total_impulses. `slots` guesses ν* there
# --- law of impact, see `contact.residuals`
APPROACH = 24  # velocity of a gap before an impact, as the law counts it
REBOUND = 25  # u1, what it is to be after it
YIELD = 26  # −∂u1/∂ũ
# --- error control
GAP0 = 27  # gaps at the old point, kept; keep_gaps
REACH = 28  # what the value of a row counts relative to; measure_rows
PROBE = 29  # g_t, k and gap_t at some time within the step; evaluate_prescribed
UNSEEN = 30  # the part of these that a step does not see; unseen
G_UNIT = 31  # how many lengths a unit of g is worth, or of k times a time, kept; `start`
N_L = 32

# Rows that SOI2 uses for vectors of its own. It has neither U, W nor contacts, so these rows would lie idle; its own
# vectors are kept where those are kept, and with rows of their own all other schemes would carry and store them.
MA_0 = MISS  # kept: M a at the old point
MA_BEFORE = U0  # kept: M a at the old point of the step before
F0 = U_BEFORE  # kept: the force with all constraint forces at the old point
D0 = W0  # kept: d = ã − a of the step before
D_BEFORE = W_BEFORE  # kept: d of the step before that
MA_HERE = U  # M a at the old point, moved to this step size
D = W  # d = ã − a1
F1 = LINE  # the force at the new point
TILDE0 = NU0  # kept: μ̃ − μ of the step before
TILDE = NU  # μ̃ − μ1
MU_BEFORE = NU_BEFORE  # kept: μ at the old point of the step before

# X (N_X, nv + m): vectors of linear systems, unknowns first, then rows. All work, but for the terms
SOLUTION = interface.SOLUTION  # right-hand side, then the solution; the force, before its residual is made of it
RHS = interface.RHS  # copy of the right-hand side, and of a residual that must not be lost
RESIDUAL = interface.RESIDUAL  # right-hand side minus matrix times solution; solve_refined
SCRATCH = interface.SCRATCH  # work space of substitutions, rates_of_terms, put_masses, put_compliances, divide_by_mass
LEFT = 4  # 3 rows, one per matrix: factors of its rows; they begin with zero if it is factorised as it stands
RIGHT = 7  # 3 rows, one per matrix: factors of its columns; equilibrate
TERMS = 10  # sizes of the terms of g, kept, of which regularised rows may be some part; `start`
N_X = 11

# A (N_A, size + 1) and pivots (N_MATRICES, ..): the matrices of an iteration, see `newton`
DYNAMICS = 0  # of (65a, b), for Δv̇ and Δμ; build_dynamics
VELOCITY_MATRIX = 1  # of the corrections of velocities (65g, h); build_correction
POSITION_MATRIX = 2  # of the corrections of positions (65d, e); build_correction
EXACT = 3  # 3 rows: each of them as it was before it was factorised, if counts[KEEP_EXACT]; factorise
CONSTANT_MASS = 6  # what a constant mass matrix contributes to all of them; `setup`
N_A = 7
N_MATRICES = EXACT

# S (N_S, m): active sets, 1 for the rows that are in. Bilateral rows are put in once, by `setup`; contacts are chosen
# in every iteration, A ⊇ B ⊇ C (55)-(57). The matrix of a level is made with the rows of its set: S[matrix] is its set.
# --- work of a step
SET_C = DYNAMICS  # pressing, acceleration level: carries a force λ, and g̈ap = 0; choose_sets, `piles`
SET_B = VELOCITY_MATRIX  # closed, velocity level: has an impulse Λ, and departs as the law says; choose_sets, `piles`
SET_A = POSITION_MATRIX  # touching, position level: gap = 0, by way of ν; choose_sets, `piles`
# --- kept
LAST_C = 3  # the set C of the step before; accept_contacts
LAST_B = 4  # the set B of the step before; accept_contacts
LAST_A = 5  # the set A of the step before; accept_contacts
N_S = 6
N_SETS, LAST_STEP = 3, LAST_C
"""S[LAST_STEP + k] is what S[k] was in the step before, k < N_SETS."""

# F (N_F, nt): rows of slip. They are scaled: ŝ = μ s and T̂ = μ T, so that |λ̂t| ≤ λn is the cone and λt = μ λ̂t; rows
# of dry friction are as they are. T̂ is the last section of J.
# --- kept
LAM_T0 = 0  # λ̂t at the old point; accept_friction
ETA_T0 = 1  # to λ̂t what a is to v̇; accept_friction
SLIP0 = 2  # ŝ at the old point; accept_friction
IMPULSE_T = 3  # impulses summed up since the last saved row; accept_friction, zeroed by write_friction
FORCE_T0 = 4  # mean force of the last step, without impacts; accept_friction
DIRECTION_B = 5  # direction of slip at the velocity level; keep_modes
DIRECTION_C = 6  # and at the acceleration level; keep_modes
MU_T = 7  # μ of each row, 1 for dry friction; `setup`
PLAIN_SLIP0 = 8  # s itself at the old point, also where μ = 0; accept_friction
# --- work of a step
LAM_T1 = 9  # λ̂t at the new point; begin_friction, then the iteration
BIG_LAM_T = 10  # Λ̂t, multipliers of the velocities; as LAM_T1. In MoreauJean the whole impulse P̂t
ETA_T_HERE = 11  # η̂t0 moved to this step size; smooth_friction
ETA_T1 = 12  # η̂t at the new point; smooth_friction
PLAIN_SLIP = 13  # s at the new point; evaluate_slip
SLIP = 14  # ŝ at the new point; evaluate_slip
BIAS_T = 15  # what its derivative is without v̇1; evaluate_slip_bias
ROWS_T = 16  # rows of one level; whoever solves it next
STAR_T = 17  # all the impulse of a row in this step; total_friction
N_F = 18

# R (N_R, ne): numbers of elements
STATIC = 0  # μ_static/μ; `setup`
TANGENTIAL_E = 1  # coefficient of tangential restitution; `setup`
BOUND = 2  # of a dry element: the force it holds at most; `setup`
WORK = 3  # of its friction since t0, kept; accept_friction
DRAG = 4  # what a unit of its friction gives its slip, T̂ P T̂ᵀ, kept; keep_drag
GATE = 5  # its coefficient of restitution in this step, 0 where nothing hits; open_gates
N_R = 6

# K (N_K, ne): integers of elements
FIRST_T = 0  # its first row in F; `setup`
WIDTH_T = 1  # how many it has, 0 without friction; `setup`
# --- kept
STUCK = 2  # it stuck at the old point; accept_friction
LAST_MODE_B = 3  # its mode at the velocity level, one of `math.coulomb`, in the step before; accept_friction
LAST_MODE_C = 4  # and at the acceleration level
# --- work of a step
MODE_B = 5  # at the velocity level; keep_modes
MODE_C = 6  # at the acceleration level; keep_modes
TOTAL = 7  # 1 if the law holds for all the impulse and not for its jump alone; open_gates, watch_reversals
HIDDEN = 8  # 3 rows: sets of contacts while matrices are made without them; hide_sets
N_K = 11

# P (N_P, nc + nt): vectors of the contact problem of a level
Y0 = 0  # rows without its unknowns; put_known
BASE = 1  # impulses that the smooth motion has; put_base
UNKNOWN = 2  # the multipliers; solve_coulomb
BEFORE = 3  # as they were; put_known
N_P = 4

# places (N_PLACES, nc + nt): which rows it has. A row of all is a contact, or nc + a row of F.
PLACE = 0  # of a row of all: its number in the problem, −1 if it is not there; number_rows
ROW = 1  # of a row of the problem: its number among all; number_rows
ELEMENT = 2  # of an element of the problem: its number among all; number_rows
MADE = 3  # of a column that is there: the row of all that it is of; solve_problem
OF_FRICTION = 4  # of an element of `Contract.friction`: its number among all; `setup`
N_PLACES = 5

# memory (N_MEMORY,): numbers, kept
TIME = 0  # t of the old point; accept
STEP_SIZE = 1  # h of the step before; accept
CONTRACTION = 2  # by which Newton's iteration contracts, as far as it is trusted; advance
ROW_SCALE = 3  # r, the factor of constraint rows (004 (22)); choose_matrices
SHARED = 4  # 1 if one matrix serves for the dynamics and the corrections; choose_matrices
WORST_G = 5  # largest |g| of any step; monitor
WORST_GDOT = 6  # largest |ġ|; monitor
WORST_GDDOT = 7  # largest |g̈|; monitor
WORST_K = 8  # largest |k|; monitor
LARGEST_SPEED = 9  # in lengths per time; runs with contacts, advance
LARGEST_EXTENT = 10  # largest coordinate, in lengths; runs with contacts, advance
WORST_GAP = 11  # least gap of any step; accept_contacts
WORST_PRODUCT = 12  # largest |gap Λ*| of a closed contact; accept_contacts
# --- error control
NEXT_STEP = 13  # size of the next step; control
ERROR = 14  # scaled error of this step, 1 is allowed; control
ERROR_BEFORE = 15  # that of the last step that was accepted; control
LARGEST_MEAN = 16  # largest mean size of the positions; keep_largest
TURNS = 17  # what angles add to the square of that; `start`
# --- formulation P
FORCE_PER_CHANGE = 18  # constraint forces that a change of velocities by one leaves wrong; forces_settle
N_MEMORY = 19

# counts (N_COUNTS,): integers, kept
STEPS = 0  # steps made; accept
NEWTON = 1  # Newton iterations; advance
JACOBIANS = 2  # stiffness and damping evaluated; evaluate_tangent
FACTORISATIONS = 3  # matrices factorised; factorise
HISTORY = 4  # steps since anything happened over which nothing is extrapolated; accept
TANGENT_AGE = 5  # steps since stiffness and damping were evaluated, −1 if they never were; accept
REGULARISED = 6  # 1 if constraint rows depend on one another; `run`, `recover`
STAGNATED = 7  # iterations that ended at the round-off of the forces; judge
MOST_NEWTON = 8  # most iterations of a step; the loop
LOGGED = 9  # events in the log that nobody has taken yet; accept_contacts
COUPLED = 10  # coupled Newton iterations; solve_coupled
CYCLES = 11  # sets that came back within a step; resolve_cycle
EVALUATIONS = 12  # evaluations of the force; evaluate_dynamics
KEEP_EXACT = 13  # 1 if the exact values of matrices are kept, A[EXACT]; factorise
# --- error control
REJECTED_ERROR = 14  # steps rejected because of their error; control
REJECTED_NEWTON = 15  # steps rejected because the iteration failed; `recover`
REJECTED_IMPACT = 16  # steps rejected because a gap closed from too far; control
WORST_PLACE = 17  # coordinate or row with the largest error; control
WORST_LEVEL = 18  # what that is an error of, OF_POSITION, OF_VELOCITY or OF_ROW; control
# --- patterns of active sets that were seen in this step
N_SEEN = 19  # how many; seen_before
SEEN = 20  # MAX_SEEN rows: a number for each; seen_before
MAX_SEEN = 40
# --- friction
COLUMNS = 60  # columns of the contact problem that are there, 0 if rows or matrices have changed since; solve_problem
COLUMNS_OF = 61  # and the matrix that they are of; solve_problem
N_COUNTS = 62

# status of a step
OK, SINGULAR = interface.OK, interface.SINGULAR
NOT_CONVERGED, NOT_FINITE, COUPLED_WANTED, LOG_FULL, ONCE_MORE = range(2, 7)
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
    end_T: int
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
    nt: int  # rows of slip
    ne: int  # elements: contacts, then dry friction; 0 without friction


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
    # contacts: `impact`, `contact.residuals`, `contact.kernels`
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
    F: np.ndarray
    R: np.ndarray
    K: np.ndarray
    C: np.ndarray
    D: np.ndarray
    P: np.ndarray
    places: np.ndarray
    elements: np.ndarray
    numbers: np.ndarray
    work: np.ndarray


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
    friction: np.ndarray  # see `system.friction.FrictionColumns`

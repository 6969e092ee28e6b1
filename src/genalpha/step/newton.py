"""The linear problems of a Newton iteration: saddle-point matrices, their solution, redundant rows.

Every matrix of the family has the form of 004 (24)

    [ M̂     r Bᵀ ]      M̂ = M + c7 C + c8 S       dynamics
    [ r B     0  ]      M̂ = M                     corrections

with unknowns (Δ, −Δμ/r): symmetric where M̂ is, and of a condition number that does not depend on h.
"""

from __future__ import annotations

from genalpha.compiled.jit import step
from genalpha.math.linear import (
    add_products,
    copy_stretches,
    equilibrate,
    factorise_with,
    mean_diagonal,
    put_blocks,
    put_onto,
    put_row_blocks,
    put_row_entries,
    relax,
    residual,
    scale,
    scatter,
    scatter_blocks,
    scatter_rows,
    settle_rows,
    substitute_with,
    zero_stretches,
)
from genalpha.math.plan import DENSE, KIND
from genalpha.step.kernels import (
    add_row,
    copy_rows,
    largest_of_two,
    largest_product,
    multiply_rows,
    put_multipliers,
    subtract_multipliers,
    zero,
    zero_first,
)
from genalpha.step.state import (
    CONSTANT_MASS,
    EXACT,
    FACTORISATIONS,
    G_UNIT,
    KEEP_EXACT,
    LEFT,
    OK,
    ONCE_MORE,
    POSITION,
    POSITION_MATRIX,
    Q0,
    Q1,
    Q_UNIT,
    REGULARISED,
    RESIDUAL,
    RHS,
    RIGHT,
    ROWS,
    SINGULAR,
    SOLUTION,
    STAGNATED,
    TANGENT_AGE,
    V0,
    V1,
    V_UNIT,
)
from genalpha.step.values import EPSILON

RELAXATION, RELAXATION_OF_CONTACTS = 1e-10, 1e-7
"""What is subtracted on the diagonal of equilibrated constraint rows, see `relaxation`."""


@step
def row_scale(sizes, scheme, arrays, c7, c8):
    """The factor r = c8 s of 004 (22)-(23): a mean of the diagonal of the iteration matrix."""
    if not scheme.scaling:
        return 1.0
    Z, J = arrays.Z, arrays.J
    mass = mean_diagonal(Z, J, sizes.diagonal, sizes.diagonal_M, sizes.nv)
    stiffness = mean_diagonal(Z, J, sizes.diagonal_M, sizes.diagonal_S, sizes.nv)
    damping = mean_diagonal(Z, J, sizes.diagonal_S, sizes.diagonal_C, sizes.nv)
    if scheme.explicit:
        return mass
    return scheme.row_mass * mass + c7 * damping + c8 * stiffness


@step
def build_dynamics(linear, sizes, scheme, arrays, matrix, stride, scaling):
    """Factorise the matrix of (65a, b)."""
    status = put_dynamics(linear, sizes, scheme, arrays, matrix, stride, scaling)
    if status == ONCE_MORE:
        status = put_dynamics(linear, sizes, scheme, arrays, matrix, stride, scaling)
    return status


@step
def put_dynamics(linear, sizes, scheme, arrays, matrix, stride, scaling):
    """Its values, and its factors."""
    Z, J, A, c7, c8 = arrays.Z, arrays.J, arrays.A, stride.c7, stride.c8
    r, r_row = scaling.r, scaling.r_row
    if not scheme.augmented and is_made(sizes, arrays, matrix):
        make_matrix(sizes, arrays, matrix, r_row, r)
        put_blocks(Z, J, sizes.put_M, sizes.put_alone, c8, A, matrix)
        put_onto(Z, J, sizes.put_alone, sizes.put_onto, c8, A, matrix, CONSTANT_MASS)
    else:
        put_mass(sizes, arrays, matrix)
        put_rows_and_forces(sizes, arrays, matrix, r_row, r)
        scatter_blocks(Z, J, sizes.put_M, sizes.put_onto, c8, A, matrix)
    scatter_blocks(Z, J, sizes.put_onto, sizes.put_S_blocks, c8, A, matrix)
    scatter(Z, J, sizes.put_S_blocks, sizes.put_S, c8, A, matrix)
    scatter_blocks(Z, J, sizes.put_S, sizes.put_C_blocks, c7, A, matrix)
    scatter(Z, J, sizes.put_C_blocks, sizes.put_C, c7, A, matrix)
    if sizes.m > sizes.nb:
        settle_rows(arrays.E, arrays.S, A, matrix)
    if scheme.augmented:
        add_products(arrays.pairs, J, r, A, matrix)
    return factorise(linear, sizes, arrays, matrix)


@step
def is_made(sizes, arrays, matrix):
    """Can a matrix be made in one pass, and not added up? Not if constraint rows may be inactive."""
    return sizes.put_B_rest > sizes.put_F and sizes.m == sizes.nb and (sizes.nb == 0 or arrays.S[matrix, 0] == 1)


@step
def make_matrix(sizes, arrays, matrix, r_row, r):
    """Masses, rows and zeros, but not the blocks that the stiffness begins."""
    Z, J, A = arrays.Z, arrays.J, arrays.A
    zero_stretches(Z, sizes.put_F, sizes.put_zeros, A, matrix)
    copy_stretches(Z, sizes.put_zeros, sizes.put_masses, A, matrix, CONSTANT_MASS)
    put_row_blocks(Z, J, sizes.put_stiff, sizes.put_B_blocks, r_row, r, A, matrix)
    put_row_entries(Z, J, sizes.put_B_blocks, sizes.put_B_rest, r_row, r, A, matrix)


@step
def put_mass(sizes, arrays, matrix):
    """The mass matrix, and zeros elsewhere."""
    A = arrays.A
    if sizes.constant_M:
        copy_rows(A, CONSTANT_MASS, matrix, sizes.stored)
        return
    zero(A, matrix, sizes.stored)
    scatter(arrays.Z, arrays.J, 0, sizes.put_M, 1.0, A, matrix)


@step
def build_correction(linear, sizes, arrays, matrix, r):
    """Factorise the matrix of (65d, e) or (65g, h), with the rows of S[matrix]."""
    status = put_correction(linear, sizes, arrays, matrix, r)
    if status == ONCE_MORE:
        status = put_correction(linear, sizes, arrays, matrix, r)
    return status


@step
def put_correction(linear, sizes, arrays, matrix, r):
    """Its values, and its factors."""
    if matrix != POSITION_MATRIX and is_made(sizes, arrays, matrix):
        make_matrix(sizes, arrays, matrix, r, r)
        copy_stretches(arrays.Z, sizes.put_masses, sizes.put_stiff, arrays.A, matrix, CONSTANT_MASS)
    else:
        put_mass(sizes, arrays, matrix)
        put_rows_and_forces(sizes, arrays, matrix, r, r)
    if sizes.m > sizes.nb or matrix == POSITION_MATRIX:
        settle_rows(arrays.E, arrays.S, arrays.A, matrix)
    return factorise(linear, sizes, arrays, matrix)


@step
def put_rows_and_forces(sizes, arrays, matrix, r_row, r):
    """The active rows of r_row B, and r times their transpose; or r ∂f/∂μ if the force contains the multipliers."""
    Z, J, A = arrays.Z, arrays.J, arrays.A
    r_transposed = 0.0 if sizes.multipliers_in_f else r
    scatter_rows(Z, J, sizes.put_C, sizes.put_B, arrays.S, r_row, r_transposed, A, matrix)
    if sizes.multipliers_in_f:
        scatter(Z, J, sizes.put_B, sizes.put_F, r, A, matrix)


@step
def factorise(linear, sizes, arrays, matrix):
    """Factorise; where rows depend on others, the equilibrated and relaxed matrix.

    Factors that have grown suspiciously need the exact matrix, for residuals, and so does the diagnosis of a singular
    one: then the values are wanted ONCE_MORE, and from now on they are kept, and what is factorised has no units.
    """
    X, A, counts = arrays.X, arrays.A, arrays.counts
    keep = counts[REGULARISED] or counts[KEEP_EXACT]
    X[LEFT + matrix, 0] = 0.0
    if keep:
        copy_rows(A, matrix, EXACT + matrix, sizes.stored)
        equilibrate(
            arrays.T, arrays.J, arrays.E, sizes.end_M, sizes.nv, X[LEFT + matrix], X[RIGHT + matrix], A, matrix
        )  # fmt: skip
    if counts[REGULARISED]:
        relax(arrays.E, sizes.m, relaxation(sizes), A, matrix)
    counts[FACTORISATIONS] += 1
    status = factorise_with(linear, arrays.plan, A, matrix, arrays.pivots)
    doubtful = status != OK or (arrays.plan[KIND] != DENSE and arrays.pivots[matrix, 0] == 1)
    if doubtful and not keep:
        counts[KEEP_EXACT] = 1
        return ONCE_MORE
    return status


@step
def relaxation(sizes):
    """ε, what is subtracted on the diagonal of equilibrated constraint rows of which some depend on others.

    It lies below the compliance of a linkage that is about to fold, and above round-off. Forces of contacts decide
    which of them are active: they are wanted smooth at once, and not only after `shorten_multipliers`.
    """
    return RELAXATION if sizes.m == sizes.nb else RELAXATION_OF_CONTACTS


@step
def solve(linear, sizes, arrays, matrix, check):
    """X[SOLUTION] ← A⁻¹ X[SOLUTION]; refined if rows are regularised, or if ``check`` and the factors look bad."""
    X, A, pivots, plan = arrays.X, arrays.A, arrays.pivots, arrays.plan
    if X[LEFT + matrix, 0] == 0.0:
        substitute_with(linear, plan, A, matrix, pivots, X, SOLUTION)
        return OK
    suspicious = check and plan[KIND] != DENSE and pivots[matrix, 0] == 1
    regularised = arrays.counts[REGULARISED] == 1
    if not suspicious and not regularised:
        substitute_scaled(linear, X, A, pivots, plan, matrix, SOLUTION)
        return OK
    return solve_refined(linear, X, A, pivots, plan, arrays.E, matrix, regularised)


@step
def substitute_scaled(linear, X, A, pivots, plan, matrix, x):
    """X[x] ← A⁻¹ X[x] with the factors of the equilibrated matrix."""
    scale(X[LEFT + matrix], X, x)
    substitute_with(linear, plan, A, matrix, pivots, X, x)
    scale(X[RIGHT + matrix], X, x)


@step
def solve_refined(linear, X, A, pivots, plan, E, matrix, regularised):
    """X[SOLUTION] ← A⁻¹ X[SOLUTION], refined with the exact matrix until the residual no longer falls."""
    enough = 1e-14 if regularised else 1e-10
    copy_rows(X, SOLUTION, RHS, X.shape[1])
    substitute_scaled(linear, X, A, pivots, plan, matrix, SOLUTION)
    before, size = residual(E, A, EXACT + matrix, X[LEFT + matrix], X)
    for _ in range(10):
        if before <= enough * size:
            break
        substitute_scaled(linear, X, A, pivots, plan, matrix, RESIDUAL)
        add_row(X, RESIDUAL, SOLUTION)
        now, size = residual(E, A, EXACT + matrix, X[LEFT + matrix], X)
        if not now <= 0.5 * before:
            before = min(now, before)
            break
        before = now
    # regularised rows may contradict one another within round-off; if they do more than that, Newton will not converge
    return OK if regularised or before <= 1e-6 * size else SINGULAR


@step
def shorten_multipliers(linear, sizes, arrays, matrix, row):
    """Take from the multipliers L[row] what exerts no force, Bᵀμ = 0: those of minimum norm are left.

    The norm is that of the equilibrated rows: every multiplier counts by the force that its row exerts, measured by
    the masses that it acts on, Σ μᵢ² (B diag(M)⁻¹ Bᵀ)ᵢᵢ.
    The relaxed matrix gives P = ε (S + ε)⁻¹, S = B M⁻¹ Bᵀ: it keeps what exerts no force and leaves ε/σ of what belongs
    to an eigenvalue σ. The factors 1 − 3 P² + 2 P³ are zero and one there, to second order, so that neither round-off
    in P nor ε matters.
    """
    X, n = arrays.X, sizes.nv
    put_multipliers(arrays.L, row, X[RIGHT + matrix], X, n)
    for power in range(3):
        if power == 2:
            copy_rows(X, SOLUTION, RHS, X.shape[1])
        zero_first(X, n)
        multiply_rows(X, n, -relaxation(sizes))
        substitute_with(linear, arrays.plan, arrays.A, matrix, arrays.pivots, X, SOLUTION)
    subtract_multipliers(X, RHS, 3.0, n, X[RIGHT + matrix], arrays.L, row)
    subtract_multipliers(X, SOLUTION, -2.0, n, X[RIGHT + matrix], arrays.L, row)


STALLED, SLOW = 1e3, 30.0
"""What may be left over the tolerance: by round-off inside the forces, and by an iteration that may not go on."""


@step
def has_stalled(excess, rate, was, last):
    """Does round-off inside the forces keep the corrections from falling further? ``excess``: over the tolerance.

    Corrections that fell fast, or grew, fall no longer: ``was`` is the contraction before. Those that grow may be of an
    iteration that diverges slowly, and wait for the next one. One that is slow from its begin is not there yet.
    """
    stops = 0.5 < rate < 1.0 and (was < 0.25 or was >= 1e300)
    return (stops and excess <= STALLED) or (rate > 0.5 and last and excess <= SLOW)


LATE, WILD = 5, 1e6
"""From this iteration on an iterate counts as so many times what the step began with at most."""


@step
def judge(sizes, scheme, arrays, stride, progress, newton):
    """Has the iteration settled? Gives (settled, contraction, a new tangent is wanted).

    It stops on the predicted error, the last correction times the contraction, measured at the velocity level; the
    contraction comes from this step, or in a first iteration from those before, and is not below a floor. A way d of
    the positions leaves g = O(d²), so it must also be short enough for that to be round-off; or g is that all the same,
    as for points that are held.
    """
    iteration, scale, before, contraction, floor = progress
    error, to_velocity = newton.error, stride.to_velocity
    Q, V, L, counts, ng = arrays.Q, arrays.V, arrays.L, arrays.counts, sizes.ng
    extent, speed = largest_of_two(Q, Q1, Q_UNIT, V, V1, V_UNIT)
    if iteration >= LATE:
        # the round-off of iterates that have run away excuses nothing
        first, _ = largest_of_two(Q, Q0, Q_UNIT, V, V0, V_UNIT)
        if scale > 0.0 and first > 0.0:
            extent, speed = min(extent, WILD * (first + stride.h * scale)), min(speed, WILD * scale)
    tolerance = scheme.tol * scale + 8.0 * EPSILON * (to_velocity * extent + speed)
    refresh = False
    if iteration > 0:
        rate = error / before if before > 0.0 else 0.0
        was, contraction = contraction, max(rate / (1.0 - rate), floor) if rate < 1.0 else 1e300
        refresh = rate > 0.1 and ((scheme.reuse == 1 and counts[TANGENT_AGE] > 0) or iteration > 3)
        if has_stalled(error / tolerance if tolerance > 0.0 else 1e300, rate, was, iteration + 1 == scheme.max_iter):
            counts[STAGNATED] += 1
            contraction = 0.0
    short = ng + sizes.m - sizes.nb == 0 or scheme.polish == 1 or newton.way <= 1e-7 * extent
    if not short and scheme.level == POSITION:
        short = largest_product(L[ROWS], L[G_UNIT], ng) <= 1e-14 * extent
    tiny = error <= min(tolerance, 1e-9 * scale + 8.0 * EPSILON * (to_velocity * extent + speed))
    return tiny or (short and min(contraction, 1.0) * error <= tolerance), contraction, refresh

"""Small motions about a state: matrices, eigenfrequencies, mode shapes, damping, stability."""

# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownParameterType=false, reportUnnecessaryIsInstance=false, reportArgumentType=false, reportAttributeAccessIssue=false

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from genalpha.analysis.spectrum import (
    Reduced,
    Roots,
    all_roots,
    by_size,
    drift,
    lowest_modes,
    lowest_roots,
    null_space,
    reduced,
    with_unit_mass,
)
from genalpha.analysis.statics import at_rest
from genalpha.analysis.tangents import contract_of
from genalpha.analysis.variation import SmallMotion, Variation, read_frame
from genalpha.errors import InputError, UnsteadyWarning, warn
from genalpha.inputs import Values
from genalpha.model.model import Model, units_in
from genalpha.model.system import ModelSystem
from genalpha.model.units import SI, Units
from genalpha.notebook import table
from genalpha.system.block import UNILATERAL
from genalpha.system.contract import Contract, MechanicalSystem
from genalpha.system.functions import real_vector

Array = NDArray[np.float64]
Shapes = NDArray[Any]
"""Columns of numbers that may be complex."""

DENSE = 700
"""Up to so many velocities all modes are found; above, the lowest ones by an iteration."""

FEW = 20
"""So many, if it is not said how many."""

STEADY = 1e-5
"""Largest drift of matrices that count as constants."""


@dataclass(frozen=True, eq=False)
class Linearization:
    """M z̈ + C ż + K z = Gᵀ δλ + k_vᵀ δψ with G z = 0 and k_v ż + k_q z = 0, small motions about a state.

    z is an increment along the group, as v is, in axes that do not turn with the bodies: at t they are those of v, and
    then they stay as they are in space, or turn with the ``frame`` of `linearize`. The page on theory derives it.

    Attributes
    ----------
    M, C, K : scipy.sparse array (nv, nv)
        Mass, damping with gyroscopic terms, and stiffness with that of loads, of constraint forces and of the motion.
    G : scipy.sparse array (m, nv)
        Gradients of holonomic constraints, and of closed contacts.
    k_v, k_q : scipy.sparse array (nk, nv)
        Derivatives of nonholonomic constraints, which hold ż and leave z free.
    frequencies : ndarray (n,)
        In Hz, or in 1/ms if the model counts in ms; lowest first. At rest: without damping, one for each degree of
        freedom, 0 where the stiffness is not positive. About a moving state, and in large systems whose stiffness is
        not symmetric: Im λ/2π of the eigenvalues that oscillate, with damping and gyroscopic terms.
    modes : ndarray (nv, n)
        Their shapes z, φᴴ M φ = 1; complex about a moving state.
    eigenvalues : ndarray (2n,) of complex
        All roots λ of motions e^{λt}, with damping: first those that are zero, then by size; of conjugate ones that
        with positive imaginary part comes first. Nonholonomic rows take one root each. If so many ``modes`` are wanted,
        or of large systems: the zeros, and the 2 modes lowest roots.
    neutral : int
        How many are exactly zero: displacements that nothing resists, and speeds that change nothing else (where a
        bicycle is, where it heads, how fast it goes). ``eigenvalues[neutral:]`` are the others.
    damping_ratios : ndarray
        −Re λ/|λ| of the eigenvalues; 0 of zeros.
    acceleration : float
        Largest |v̇| at the state; at an equilibrium it is zero.
    drift : float
        How much the matrices change, relatively, in the time in which small motions change by their own size. Only if
        it is zero, to about 1e-7, do motions e^{λt} exist.

    Examples
    --------
    >>> import numpy as np
    >>> import genalpha as ga
    >>> oscillator = ga.System(M=np.eye(1), f=lambda t, q, v: -((2.0 * np.pi) ** 2) * q)
    >>> ga.linearize(oscillator, [0.0]).frequencies.round(9)
    array([1.])
    """

    M: Any
    C: Any
    K: Any
    G: Any
    k_v: Any
    k_q: Any
    frequencies: Array
    modes: NDArray[Any]
    eigenvalues: NDArray[np.complex128]
    neutral: int
    damping_ratios: Array
    acceleration: float
    drift: float
    names: tuple[str, ...]
    units: Units = SI

    def _repr_html_(self) -> str:
        """A table of modes, in a notebook."""
        rows = [
            (i, f"{frequency:.6g}", self.names[int(np.argmax(np.abs(mode)))])
            for i, (frequency, mode) in enumerate(zip(self.frequencies[:12], self.modes.T, strict=False), start=1)
        ]
        return table(
            rows, ("mode", f"frequency ({self.units.of('frequency')})", "largest in"), str(self).partition("\n")[0]
        )

    def __str__(self) -> str:
        rows = self.G.shape[0] + self.k_v.shape[0]
        hertz = self.units.of("frequency")
        lines = [f"{len(self.frequencies)} modes of {self.M.shape[0]} velocities and {rows} constraints"]
        for i, (frequency, mode) in enumerate(zip(self.frequencies[:12], self.modes.T, strict=False), start=1):
            lines.append(f"  {i:3d}  {frequency:12.6g} {hertz}   largest in {self.names[int(np.argmax(np.abs(mode)))]}")
        return "\n".join(lines)


def linearize(
    system: MechanicalSystem | Model,
    q0: Values | None = None,
    v0: Values | None = None,
    *,
    t: float = 0.0,
    modes: int | None = None,
    closed: Sequence[int | str] = (),
    frame: ArrayLike | None = None,
) -> Linearization:
    """Small motions about a state, at rest or in steady motion, with the constraints eliminated.

    Parameters
    ----------
    system : System or Model
    q0, v0 : array_like, optional
        The state, which satisfies the constraints; by default that of the bodies of a model, and v0 = 0 for functions.
        See `equilibrium`.
    t : float
    modes : int, optional
        How many are wanted; by default all, or the 20 lowest of large systems (more than 700 velocities).
    closed : sequence of int or str
        Contacts that stay closed.
    frame : array_like (3,), optional
        Angular velocity in rad/s, in space, of the axes in which small motions are seen; a number in planar models. By
        default they do not turn: right for round bodies that spin, wheels and rotors, on what does not turn. For what
        turns as a whole take its angular velocity. Frequencies of round bodies differ by the speed of the frame.

    Returns
    -------
    Linearization

    Warns
    -----
    UnsteadyWarning
        If matrices change as the motion goes on: then eigenvalues say nothing about growth or decay.

    Examples
    --------
    >>> import numpy as np
    >>> import genalpha as ga
    >>> oscillator = ga.System(M=np.eye(1), f=lambda t, q, v: -4.0 * q - 0.4 * v)
    >>> small = ga.linearize(oscillator, [0.0], [0.0])
    >>> print(round(2 * np.pi * small.frequencies[0], 9), small.damping_ratios.round(9))
    2.0 [0.1 0.1]

    A bicycle without hands at 5 m/s: it weaves, falls over slowly, or rather does not, and its wheel falls in line.

    >>> from genalpha.problems import bicycle
    >>> small = ga.linearize(bicycle.model(speed=5.0))
    >>> print(small.neutral, small.eigenvalues[small.neutral :].round(3).tolist())
    6 [(-0.323+0j), (-0.775+4.465j), (-0.775-4.465j), (-14.078+0j)]
    """
    system, q, v = _state(system, q0, v0)
    contract = contract_of(system, float(t), q, v)
    if contract.multipliers_in_f:
        raise InputError("linearize: forces that contain the multipliers are not supported")
    if contract.nt:
        raise InputError(
            "linearize: the law of friction has no derivative where something sticks or begins to slide; leave it out, "
            "and hold what sticks by constraints"
        )
    if modes is not None and not (isinstance(modes, int | np.integer) and modes >= 1):
        raise InputError(f"modes = {modes!r} must be a positive integer")
    rows = np.zeros(contract.nc, dtype=bool)
    rows[[_contact(contract, which) for which in closed]] = True
    variation = Variation(system, contract, float(t), q, v, rows, read_frame(system, frame))
    motion, names = variation.matrices(), tuple(contract.velocity_names)
    moving = frame is not None or bool(np.any(v)) or (len(names) > DENSE and not _is_symmetric(motion.K))
    solve = _of_moving if moving else _at_rest
    roots, frequencies, shapes, change = solve(variation, motion, names, modes)
    with np.errstate(invalid="ignore", divide="ignore"):
        ratios = np.where(np.abs(roots.values) > 0.0, -roots.values.real / np.abs(roots.values), 0.0)
    return Linearization(
        *motion[:6], frequencies, shapes, roots.values, roots.zeros, ratios,
        float(np.max(np.abs(variation.vdot), initial=0.0)), change, names, units_in(system),
    )  # fmt: skip


def _state(
    system: MechanicalSystem | Model, q0: Values | None, v0: Values | None
) -> tuple[MechanicalSystem, Array, Array]:
    """The system and its state; functions begin at rest."""
    system, q, v = at_rest(system, q0)
    if v0 is not None:
        v = real_vector("v0", system.state("v0", v0))
    elif isinstance(system, ModelSystem):
        v = system.v0.copy()
    return system, q, v


def _contact(contract: Contract, which: int | str) -> int:
    names = contract.row_names([UNILATERAL])
    if isinstance(which, str):
        if which not in names:
            raise InputError(f"closed: there is no contact {which!r}; there are {', '.join(names) or 'none'}")
        return names.index(which)
    if not 0 <= which < contract.nc:
        raise InputError(f"closed: contact {which!r} must lie between 0 and {contract.nc - 1}")
    return int(which)


def _of_moving(
    variation: Variation, motion: SmallMotion, names: Sequence[str], modes: int | None
) -> tuple[Roots, Array, Shapes, float]:
    """(roots, frequencies, shapes, drift) about a moving state: what oscillates."""
    if len(names) > DENSE:
        roots = lowest_roots(motion, 2 * (modes or FEW))
        Z = with_unit_mass(motion.M, _span(roots.shapes), names)
        bases = Reduced(Z, null_space(motion.k_v @ Z))
    else:
        bases = reduced(motion, names)
        roots = _lowest(all_roots(motion, bases), modes)
    change = drift(variation, motion, bases)
    if change > STEADY:
        warn(
            f"linearize: the matrices change along the motion, by {change:.1g} of their size while small motions "
            f"change by their own: eigenvalues of this moment say nothing about growth or decay. Choose a steady "
            f"state, or for what turns as a whole its angular velocity as frame=...",
            UnsteadyWarning,
        )
    upper = np.nonzero(roots.values.imag > 0.0)[0]
    upper = upper[np.argsort(roots.values[upper].imag)]
    shapes = roots.shapes[:, upper]
    sizes = np.sqrt(np.sum(np.conj(shapes) * (motion.M @ shapes), axis=0).real)
    return roots, roots.values[upper].imag / (2.0 * np.pi), shapes / sizes, change


def _span(shapes: Shapes) -> Array:
    """An orthonormal basis of real and imaginary parts."""
    U, sizes, _ = np.linalg.svd(np.hstack([shapes.real, shapes.imag]), full_matrices=False)
    return U[:, sizes > 1e-8 * sizes[0]]


def _lowest(roots: Roots, modes: int | None) -> Roots:
    """The zeros, and the lowest roots of so many modes; conjugate ones stay together."""
    if modes is None:
        return roots
    n = min(roots.zeros + 2 * modes, len(roots.values))
    if n < len(roots.values) and roots.values[n - 1].imag > 0.0:
        n += 1
    return Roots(roots.values[:n], roots.shapes[:, :n], roots.zeros)


def _at_rest(
    variation: Variation, motion: SmallMotion, names: Sequence[str], modes: int | None
) -> tuple[Roots, Array, Shapes, float]:
    """(roots, frequencies, shapes, drift) at rest: frequencies are those without damping."""
    damped = motion.C.nnz and np.max(np.abs(motion.C.data)) > 0.0
    if len(names) > DENSE:
        omega2, shapes = lowest_modes(motion, modes or FEW)
        bases = None
    else:
        bases = reduced(motion, names)
        omega2, shapes = _all_modes(motion.K, bases.Z @ bases.U)
    if not damped:
        held = 0 if bases is None else bases.Z.shape[1] - bases.U.shape[1]
        roots = _undamped(motion, omega2, shapes, held)
    elif bases is None:
        roots = lowest_roots(motion, 2 * (modes or FEW))
    else:
        roots = all_roots(motion, bases)
    n = len(omega2) if modes is None else min(modes, len(omega2))
    frequencies = np.sqrt(omega2[:n].astype(complex)).real / (2.0 * np.pi)
    return _lowest(roots, modes), frequencies, shapes[:, :n], 0.0


def _is_symmetric(K: Any) -> bool:
    """Loads that follow a body have a stiffness that is not."""
    return not K.shape[0] or abs(K - K.T).max() <= 1e-6 * abs(K).max()


def _all_modes(K: Any, Z: Array) -> tuple[Any, Any]:
    """ω² and shapes of motions Z with ZᵀMZ = 1; for a stiffness that is not symmetric, complex ones if need be."""
    k = Z.T @ (K @ Z)
    if _is_symmetric(k):
        omega2, shapes = np.linalg.eigh(0.5 * (k + k.T))
    else:
        omega2, shapes = np.linalg.eig(k)
        order = np.argsort(omega2.real)
        omega2, shapes = omega2[order], shapes[:, order]
    return omega2, Z @ shapes


def _undamped(motion: SmallMotion, omega2: Array, shapes: Shapes, held: int) -> Roots:
    """Roots ±√(−ω²), and as many zeros as nonholonomic rows hold positions."""
    noise = np.max(abs(shapes).T @ (motion.noise[1] @ abs(shapes)), initial=0.0)
    still = np.abs(omega2) <= 1e-16 * np.max(np.abs(omega2), initial=0.0) + noise
    zeros = 2 * int(np.sum(still)) + held
    upper = np.sqrt(-omega2[~still].astype(complex) + 0.0)
    upper = np.where(upper.imag < 0.0, -upper, upper)
    values, others = np.concatenate([upper, -upper]) + 0.0, np.hstack([shapes[:, ~still]] * 2)
    order = by_size(values)
    none = np.zeros((len(shapes), zeros))
    return Roots(np.concatenate([np.zeros(zeros), values[order]]), np.hstack([none, others[:, order]]), zeros)

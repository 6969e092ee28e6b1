"""Small motions about a state: matrices, eigenfrequencies, mode shapes, damping."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genalpha.contract import Contract, MechanicalSystem
from genalpha.errors import InputError
from genalpha.functions import real_vector
from genalpha.model.model import Model
from genalpha.statics import at_rest
from genalpha.step.initial import accelerations
from genalpha.tangents import exact_matrices

Array = NDArray[np.float64]

DENSE = 700
"""Up to so many velocities all modes are found; above, the lowest ones by an iteration."""

DAMPED = 300
"""Up to so many motions that the constraints allow, damped modes are exact; above, combinations of undamped ones."""


@dataclass(frozen=True, eq=False)
class Linearization:
    """M δv̇ + C δv + K δq = Gᵀ δλ, G δq = 0 about a state; δq is an increment along the group, as v is.

    Attributes
    ----------
    M, C, K : scipy.sparse array (nv, nv)
        Mass, damping (with gyroscopic terms, where v ≠ 0) and stiffness, with those of loads and constraint forces.
    G : scipy.sparse array (m, nv)
        Gradients of all constraints, and of closed contacts.
    frequencies : ndarray (n,)
        Without damping, in Hz, lowest first; 0 where the stiffness is not positive.
    modes : ndarray (nv, n)
        Their shapes, φᵀ M φ = 1.
    eigenvalues : ndarray (n,) of complex
        With damping, of motions e^{λt}, by their size; those with positive imaginary part, and real ones.
    damping_ratios : ndarray (n,)
        −Re λ/|λ| of the eigenvalues.
    acceleration : float
        Largest |v̇| at the state; at an equilibrium it is zero.

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
    frequencies: Array
    modes: Array
    eigenvalues: NDArray[np.complex128]
    damping_ratios: Array
    acceleration: float
    names: tuple[str, ...]

    def __str__(self) -> str:
        lines = [f"{len(self.frequencies)} modes of {self.M.shape[0]} velocities and {self.G.shape[0]} constraints"]
        for i, (frequency, mode) in enumerate(zip(self.frequencies[:12], self.modes.T, strict=False), start=1):
            lines.append(f"  {i:3d}  {frequency:12.6g} Hz   largest in {self.names[int(np.argmax(np.abs(mode)))]}")
        return "\n".join(lines)


def linearize(
    system: MechanicalSystem | Model, q0=None, v0=None, *, t: float = 0.0, modes: int | None = None, closed=()
) -> Linearization:
    """Small motions about a state, with the constraints eliminated: M δv̇ + C δv + K δq = Gᵀ δλ, G δq = 0.

    Parameters
    ----------
    system : System or Model
    q0, v0 : array_like, optional
        The state; by default the configuration of the bodies of a model, at rest. See `equilibrium`.
    t : float
    modes : int, optional
        How many are wanted; by default all, or the 20 lowest of large systems (more than 700 velocities).
    closed : sequence of int or str
        Contacts that stay closed.

    Returns
    -------
    Linearization

    Examples
    --------
    >>> import numpy as np
    >>> import genalpha as ga
    >>> oscillator = ga.System(M=np.eye(1), f=lambda t, q, v: -4.0 * q - 0.4 * v)
    >>> small = ga.linearize(oscillator, [0.0], [0.0])
    >>> print(round(2 * np.pi * small.frequencies[0], 9), small.damping_ratios.round(9))
    2.0 [0.1]
    """
    system, q, v = at_rest(system, q0)
    if v0 is not None:
        v = real_vector("v0", system.state("v0", v0))
    contract = system.contract(float(t), q, v)
    if contract.multipliers_in_f:
        raise InputError("linearize: forces that contain the multipliers are not supported")
    if modes is not None and not (isinstance(modes, int | np.integer) and modes >= 1):
        raise InputError(f"modes = {modes!r} must be a positive integer")
    rows = np.zeros(contract.nc, dtype=bool)
    rows[[_contact(contract, which) for which in closed]] = True
    vdot, mu, _ = accelerations(contract, float(t), q, v, rows)
    K, C = exact_matrices(contract, float(t), q, v, np.zeros(contract.nv), mu)
    M = contract.matrix("M", float(t), q, sparse=True)
    G = _gradients(contract, float(t), q, v, rows)
    if contract.nv <= DENSE:
        omega2, shapes = _all_modes(M, K, G, modes)
    else:
        omega2, shapes = _lowest_modes(M, K, G, 20 if modes is None else int(modes))
    eigenvalues = _damped(M, C, K, G, shapes, omega2)[: len(omega2)]
    with np.errstate(invalid="ignore", divide="ignore"):
        ratios = np.where(np.abs(eigenvalues) > 0.0, -eigenvalues.real / np.abs(eigenvalues), 0.0)
    frequencies = np.sqrt(np.maximum(omega2, 0.0)) / (2.0 * np.pi)
    largest = float(np.max(np.abs(vdot), initial=0.0))
    names = tuple(contract.velocity_names)
    return Linearization(M, C, K, G, frequencies, shapes, eigenvalues, ratios, largest, names)


def _contact(contract: Contract, which) -> int:
    names = list(contract.names["gap"])
    if isinstance(which, str):
        if which not in names:
            raise InputError(f"closed: there is no contact {which!r}; there are {', '.join(names) or 'none'}")
        return names.index(which)
    if not 0 <= which < contract.nc:
        raise InputError(f"closed: contact {which!r} must lie between 0 and {contract.nc - 1}")
    return int(which)


def _gradients(contract: Contract, t, q, v, closed):
    from scipy.sparse import vstack

    G, K = contract.matrix("G", t, q, sparse=True), contract.matrix("K", t, q, v, sparse=True)
    return vstack([G, K, contract.matrix("N", t, q, sparse=True).tocsr()[np.nonzero(closed)[0]]]).tocsc()


def _null_space(G) -> Array:
    """Motions (nv, n) that the constraints allow, orthonormal."""
    n = G.shape[1]
    if G.shape[0] == 0:
        return np.eye(n)
    from scipy.linalg import qr

    dense = G.toarray()
    norms = np.linalg.norm(dense, axis=1)
    factors: Any = qr((dense / np.where(norms > 0.0, norms, 1.0)[:, None]).T, pivoting=True)
    Q, R, _ = factors
    rank = int(np.sum(np.abs(np.diag(R)) > 1e-6))
    return Q[:, rank:]


def _all_modes(M, K, G, modes):
    """ω² and shapes from dense matrices; for a stiffness that is not symmetric, by its real eigenvalues."""
    from scipy.linalg import eig, eigh

    Z = _null_space(G)
    m, k = Z.T @ (M @ Z), Z.T @ (K @ Z)
    m = 0.5 * (m + m.T)
    if np.max(np.abs(k - k.T), initial=0.0) <= 1e-6 * np.max(np.abs(k), initial=0.0):
        found: Any = eigh(0.5 * (k + k.T), m)
        omega2, shapes = found
    else:
        found = eig(k, m)
        order = np.argsort(found[0].real)
        omega2, shapes = found[0].real[order], found[1].real[:, order]
        shapes = shapes / np.sqrt(np.einsum("im,ij,jm->m", shapes, m, shapes))
    n = len(omega2) if modes is None else min(modes, len(omega2))
    return omega2[:n], (Z @ shapes)[:, :n]


def _lowest_modes(M, K, G, modes):
    """The lowest ω² and shapes by Lanczos' iteration with the inverse of [K − σM, Gᵀ; G, 0]."""
    from scipy.sparse import block_array, csc_array
    from scipy.sparse.linalg import LinearOperator, eigsh, splu

    n, m = K.shape[0], G.shape[0]
    K = (0.5 * (K + K.T)).tocsc()
    # below the lowest ω², but not by so much that modes crowd together
    shift = -1e-3 * float(np.median(np.abs(K.diagonal()) / M.diagonal())) * 1e-6
    size = float(np.mean(np.abs(K.diagonal()))) or 1.0
    corner = csc_array((m, m)) if m == 0 else -1e-12 * size * csc_array(np.eye(m))
    lu = splu(block_array([[K - shift * M, size * G.T], [size * G, corner]], format="csc"))
    zeros = np.zeros(m)
    inverse = LinearOperator((n, n), matvec=lambda x: lu.solve(np.concatenate([x, zeros]))[:n])  # pyright: ignore
    start = inverse @ (M @ np.random.default_rng(3).standard_normal(n))
    found: Any = eigsh(K, k=min(modes, n - m - 1), M=M, sigma=shift, OPinv=inverse, v0=start)
    order = np.argsort(found[0])
    return found[0][order], found[1][:, order]


def _damped(M, C, K, G, shapes, omega2):
    """Eigenvalues with damping, by size, one of each conjugate pair."""
    if C.nnz == 0 or not np.max(np.abs(C.data)) > 0.0:
        return np.sqrt(-omega2.astype(complex)) + 0.0
    Z = _null_space(G) if M.shape[0] <= DAMPED else shapes
    m, c, k = (Z.T @ (A @ Z) for A in (M, C, K))
    n = len(m)
    inverse = np.linalg.inv(m)
    first = np.block([[np.zeros((n, n)), np.eye(n)], [-inverse @ k, -inverse @ c]])
    found = np.linalg.eigvals(first)
    found = found[found.imag >= 0.0]
    return found[np.argsort(np.abs(found))]

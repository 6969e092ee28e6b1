"""The equations of small motions about a state, which may move.

An increment along the group, q ∘ exp(η), changes with the velocity as δv = η̇ + ad(v) η: seen from a body that turns,
even an increment that stays in space turns. Small motions are therefore written in axes that are those of the
velocities at t, and then do not turn with the bodies but stay as they are in space, or turn with a frame that the user
names. With z the increment in these axes, η̇ and δv̇ become

    δv = ż + A z,      δv̇ = z̈ + (A − W) ż − W A z,      A = ad(v) − W,

where W is the rate at which axes of bodies turn in the frame, and  r = M v̇ − f − Bᵀμ  gives

    M z̈ + C ż + K z = Gᵀ δλ + k_vᵀ δψ,      G z = 0,      k_v ż + k_q z = 0.

Where the bodies that turn are round, or all of them turn with the frame, these matrices are constants, and motions
e^{λt} solve the equations. Nonholonomic rows hold velocities only.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from genalpha.analysis.tangents import Residual, exact_matrices, turning, velocity_slopes
from genalpha.errors import InconsistentInitialState, InputError
from genalpha.model.system import ModelSystem
from genalpha.step.consistency import accelerations, violations
from genalpha.system.contract import Contract

Array = NDArray[np.float64]


class SmallMotion(NamedTuple):
    """M z̈ + C ż + K z = Gᵀδλ + k_vᵀδψ, G z = 0, k_v ż + k_q z = 0, as scipy.sparse arrays.

    Attributes
    ----------
    M, C, K : (nv, nv)
    G : (m, nv)
        Holonomic constraints, and contacts that stay closed.
    k_v, k_q : (nk, nv)
        Nonholonomic constraints.
    noise : (nv, nv) pair
        How far C and K may be off, where they are found by differences.
    """

    M: Any
    C: Any
    K: Any
    G: Any
    k_v: Any
    k_q: Any
    noise: tuple[Any, Any]


class Variation:
    """Small motions about (t, q, v), and about what follows it."""

    def __init__(self, system, contract: Contract, t: float, q, v, closed, frame):
        self.system, self.contract, self.closed, self.frame = system, contract, closed, frame
        self.t, self.q, self.v = t, q, v
        self.angles = turning(system)
        _refuse_violations(contract, t, q, v)
        self.W, self.A = turns(system, q, v, frame)
        self.vdot, self.mu, _ = accelerations(contract, t, q, v, closed)

    def matrices(self) -> SmallMotion:
        """At the state itself."""
        return self._matrices(self.t, self.q, self.v, self.vdot, self.mu, self.A, self.W)

    def later(self, time: float) -> SmallMotion:
        """A little later, or earlier, in the same axes of the frame."""
        delta = time * self.v + 0.5 * time**2 * self.vdot
        q = Residual(self.contract, self.t, self.q, self.v, self.vdot, self.mu).moved(delta)
        t, v = self.t + time, self.v + time * self.vdot
        vdot, mu, _ = accelerations(self.contract, t, q, v, self.closed)
        W, A = turns(self.system, q, v, self.frame)
        then, S = self._matrices(t, q, v, vdot, mu, A, W), _turned(time * self.W)
        M, C, K = (S @ matrix @ S.T for matrix in then[:3])
        return then._replace(M=M, C=C, K=K, G=then.G @ S.T, k_v=then.k_v @ S.T, k_q=then.k_q @ S.T)

    def _matrices(self, t, q, v, vdot, mu, A, W) -> SmallMotion:
        from scipy.sparse import csc_array, vstack

        c = self.contract
        tangents = exact_matrices(c, t, q, v, vdot, mu, self.angles)
        M, K_v = c.matrix("M", t, q, sparse=True), c.matrix("K", t, q, v, sparse=True)
        contacts = c.matrix("N", t, q, sparse=True).tocsr()[np.nonzero(self.closed)[0]]
        C = tangents.C - M @ W
        return SmallMotion(
            M=M, C=(C + M @ A).tocsc(), K=(tangents.K + C @ A).tocsc(),
            G=vstack([c.matrix("G", t, q, sparse=True), contacts]).tocsc(),
            k_v=K_v, k_q=csc_array(velocity_slopes(c, t, q, v, self.angles)) + K_v @ A,
            noise=(tangents.C_noise, tangents.K_noise),
        )  # fmt: skip


def _refuse_violations(contract: Contract, t, q, v):
    """Small motions about a state that the constraints forbid mean nothing."""
    for off in violations(contract, t, q, v):
        size = np.abs(off.values)
        if np.any(size > off.limits):
            worst = int(np.argmax(size - off.limits))
            raise InconsistentInitialState(
                f"linearize: constraint {off.block.names[worst]!r}: |{off.symbol}| = {size[worst]:.3g} exceeds "
                f"{off.limits[worst]:.1g} at t = {t:.9g}; "
                f"correct {off.correct}, or take one that `ga.consistent_initial_state` has projected"
            )


def read_frame(system, frame) -> Array | None:
    """The angular velocity of the frame, (3,); None: it does not turn."""
    if frame is None:
        return None
    if not isinstance(system, ModelSystem):
        raise InputError("linearize: a frame turns bodies; for a system of functions leave it out")
    try:
        omega = np.array(frame, dtype=float).reshape(-1)
    except (TypeError, ValueError):
        omega = np.zeros(0)
    wanted = 1 if system.model.planar else 3
    if omega.shape != (wanted,) or not np.all(np.isfinite(omega)):
        what = "a number" if wanted == 1 else "three numbers"
        raise InputError(f"linearize: frame = {frame!r:.60} must be its angular velocity in rad/s, {what}")
    return np.concatenate([np.zeros(3 - wanted), omega])


def turns(system, q, v, frame):
    """W and A (nv, nv) of the module's docstring."""
    from scipy.sparse import coo_array

    n = len(v)
    entries: tuple[list, list] = ([], [])
    if isinstance(system, ModelSystem):
        omega = np.zeros(3) if frame is None else frame
        blocks = _planar_blocks if system.model.planar else _blocks
        for place in system.assembly.places.values():
            if place.nv and (np.any(omega) or np.any(v[place.v : place.v + place.nv])):
                for found, more in zip(entries, blocks(place, q, v, omega), strict=True):
                    found += more
    matrices = []
    for found in entries:
        shapes = [(np.indices(block.shape) + np.array([[[row]], [[col]]])).reshape(2, -1) for row, col, block in found]
        places = np.hstack([np.zeros((2, 0), dtype=np.int64), *shapes])
        values = np.concatenate([np.zeros(0), *(block.ravel() for _, _, block in found)])
        matrices.append(coo_array((values, (places[0], places[1])), shape=(n, n)).tocsc())
    return tuple(matrices)


def _blocks(place, q, v, omega):
    """(row, column, block) of W and of A of a body in space."""
    x, r = place.v, place.v + 3
    if not place.turns:
        return [(x, x, -_cross(omega))], [(x, x, _cross(omega))]
    from genalpha.math import so3

    R = so3.matrix(q[place.r : place.r + 4])
    seen, spin = R.T @ omega, v[r : r + 3]
    W, A = [(r, r, _cross(spin - seen))], [(r, r, _cross(seen))]
    if place.on_se3:
        W.append((x, x, _cross(spin - seen)))
        A += [(x, x, _cross(seen)), (x, r, _cross(v[x:r]))]
    else:
        W.append((x, x, -_cross(omega)))
        A.append((x, x, _cross(omega)))
    return W, A


def _planar_blocks(place, q, v, omega):
    """The same in a plane: positions turn in the frame, angles do not."""
    turn = _cross(omega)[:2, :2]
    return [(place.v, place.v, -turn)], [(place.v, place.v, turn)]


def _cross(a) -> Array:
    """The matrix a~ of a × b."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def _turned(W):
    """exp(W) of a small W, by its series."""
    from scipy.sparse import eye_array

    total = term = eye_array(W.shape[0], format="csc")
    for k in range(1, 6):
        term = term @ W / k
        total = total + term
    return total.tocsc()

"""What a run gives back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genalpha.errors import InputError


@dataclass(frozen=True)
class Statistics:
    """Counts and extremes of a run; the extremes are over every step, saved or not.

    Attributes
    ----------
    steps, newton, jacobians, factorisations : int
        Steps made, Newton iterations, evaluations of stiffness and damping, factorised matrices.
    rescues : int
        Steps that SuperLU had to take over.
    stagnated : int
        Steps accepted at round-off before the tolerance was reached.
    max_g, max_gdot, max_gddot, max_k : float
        Largest |g|, |ġ|, |g̈| and |k|.
    seconds : float
        Wall-clock time of the integration, without compilation.
    """

    steps: int = 0
    newton: int = 0
    jacobians: int = 0
    factorisations: int = 0
    rescues: int = 0
    stagnated: int = 0
    max_g: float = 0.0
    max_gdot: float = 0.0
    max_gddot: float = 0.0
    max_k: float = 0.0
    seconds: float = 0.0


@dataclass(frozen=True, eq=False)
class Solution:
    """A trajectory, time first.

    Attributes
    ----------
    t : ndarray (nt,)
    q, v, vdot, a : ndarray (nt, n)
        Configuration, velocity, acceleration, algorithmic acceleration (which belongs to t + (α_m − α_f) h).
    lam : ndarray (nt, ng)
    psi : ndarray (nt, nk)
        Multipliers of g and k.
    success : bool
    status : str
        "done", or the name of the exception that ended the run.
    message : str
    stats : Statistics
    system, method : the arguments of `solve`
    """

    t: NDArray[np.float64]
    q: NDArray[np.float64]
    v: NDArray[np.float64]
    vdot: NDArray[np.float64]
    a: NDArray[np.float64]
    lam: NDArray[np.float64]
    psi: NDArray[np.float64]
    success: bool
    status: str
    message: str
    stats: Statistics
    system: Any = field(repr=False)
    method: Any = field(repr=False)

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        span = f"t = {self.t[0]:.6g} .. {self.t[-1]:.6g}, " if len(self.t) else ""
        return f"Solution({self.status}: {span}{self.stats.steps} steps, {len(self.t)} rows, n = {self.q.shape[1]})"

    @property
    def energy(self) -> NDArray[np.float64]:
        """Kinetic and potential energy, (nt, 2), from the system's ``energy`` function."""
        function = self.system.energy
        if function is None:
            raise InputError("this system has no energy function; pass energy=... to System")
        p = self.system.arguments()
        rows = zip(self.t, self.q, self.v, strict=True)
        return np.array([function(t, q, v, *p) for t, q, v in rows], dtype=float).reshape(-1, 2)

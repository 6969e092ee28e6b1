"""What a problem of the collection is made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from genalpha.errors import InputError
from genalpha.method import SOI2, GeneralizedAlpha
from genalpha.system.contract import MechanicalSystem


class Reference(NamedTuple):
    """The solution of a problem at given times, time first.

    Attributes
    ----------
    q, v : ndarray (nt, n)
    lam : ndarray (nt, ng)
    psi : ndarray (nt, nk)
    vdot : ndarray (nt, n), or None where it is not known (with impacts)
    lam_n, lam_t : ndarray (nt, nc), (nt, rows of slip), or None where they are not given
        Forces of contacts and of friction.

    Examples
    --------
    >>> from genalpha import problems
    >>> problems.get("skate").reference([0.0, 1.0]).q.shape
    (2, 3)
    """

    q: NDArray[np.float64]
    v: NDArray[np.float64]
    lam: NDArray[np.float64]
    psi: NDArray[np.float64]
    vdot: NDArray[np.float64] | None = None
    lam_n: NDArray[np.float64] | None = None
    lam_t: NDArray[np.float64] | None = None


def no_reference(t: ArrayLike) -> Reference:
    """In place of a reference solution that nobody knows."""
    raise InputError("this problem has no reference solution; compare two step sizes, or other known values")


@dataclass(frozen=True, kw_only=True, eq=False)
class Problem:
    """A mechanical system with its initial state, what it is solved with, and its solution.

    Attributes
    ----------
    name, title, summary : str
        The name in the collection, a heading, one sentence.
    source : str
        Citation, with section and equation numbers.
    system : callable () -> System or ModelSystem
        Builds the system; all its functions are marked with `evaluator`, so that it runs compiled.
    q0, v0 : ndarray (n,)
        Initial state; it satisfies the constraints.
    t_span : (float, float)
    h : float
        A step size that suits the problem.
    method : GeneralizedAlpha or SOI2
        A method that suits the problem.
    reference : callable t -> Reference, or `no_reference`
        The solution at times t (nt,), in any order; exact or by far more accurate than a run. With impacts: after them.
    reference_is : str
        Where the reference comes from.
    conserves_energy : bool
        Does the exact solution keep the sum of kinetic and potential energy?
    impact_times : callable () -> ndarray, or None
        The times of all impacts in t_span, if they are known.
    contact_intervals : sequence
        For each contact the intervals (from, to) in which it stays closed, if they are known.
    contact_force : float, optional
        The force in these intervals, if it is constant and known.

    Examples
    --------
    >>> import genalpha as ga
    >>> from genalpha import problems
    >>> skate = problems.get("skate")
    >>> sol = ga.solve(skate.system(), skate.t_span, skate.q0, skate.v0, skate.method, h=skate.h)  # doctest: +SKIP
    >>> abs(sol.psi - skate.reference(sol.t).psi).max()  # doctest: +SKIP
    """

    name: str
    title: str
    summary: str
    source: str
    system: Callable[[], MechanicalSystem]
    q0: NDArray[np.float64]
    v0: NDArray[np.float64]
    t_span: tuple[float, float]
    h: float
    method: GeneralizedAlpha | SOI2
    reference: Callable[[ArrayLike], Reference]
    reference_is: str
    conserves_energy: bool = True
    impact_times: Callable[[], NDArray[np.float64]] | None = None
    contact_intervals: Sequence[Sequence[tuple[float, float]]] = ()
    contact_force: float | None = None

    @property
    def names(self) -> Mapping[str, Sequence[str]]:
        """Names of the entries of ``q``, and of the rows of ``g``, ``k`` and ``gap`` if there are any."""
        return self.system().names or {}

    @property
    def has_reference(self) -> bool:
        """Is the solution known?"""
        return self.reference is not no_reference

    @property
    def has_contacts(self) -> bool:
        """Are there gaps, so that impacts may happen?"""
        return self.system().has_contacts

    def energy(self, t: float, q: ArrayLike, v: ArrayLike) -> tuple[float, float]:
        """Kinetic and potential energy of one state."""
        kinetic, potential = self.system().energies(np.array([t]), np.array([q]), np.array([v]))[0]
        return float(kinetic), float(potential)

    def __repr__(self) -> str:
        return f"Problem({self.name}: {self.title}, n = {self.q0.size})"

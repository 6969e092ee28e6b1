"""Bodies: what has mass."""

# pyright: reportUnnecessaryIsInstance=false, reportConstantRedefinition=false

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from genalpha.errors import GenalphaWarning, InputError, warn
from genalpha.inputs import finite
from genalpha.model.parts.shapes import Shape

GROUPS = ("R3xSO3", "SE3")

ROUNDED = 1e-3
"""Largest excess of a principal inertia over the sum of the others that is taken for rounding."""


@dataclass(frozen=True)
class Part:
    """Anything with a name that is added to a model."""

    name: str

    def __post_init__(self) -> None:
        if not (isinstance(self.name, str) and self.name.strip()):
            raise InputError(f"{type(self).__name__}: the name {self.name!r} must be a word")

    @property
    def title(self) -> str:
        """For messages."""
        return f"{type(self).__name__} {self.name!r}"

    def vector(self, field: str, length: int) -> NDArray[np.float64]:
        """A field as a vector of this length."""
        value = finite(getattr(self, field))
        value = np.zeros(0) if value is None else value.reshape(-1)
        if value.shape != (length,):
            what = f"{length} finite numbers" if length > 1 else "a finite number"
            raise InputError(f"{self.title}: {field} = {getattr(self, field)!r} must be {what}")
        return value

    def vector_or_zero(self, field: str, length: int) -> NDArray[np.float64]:
        """A field as a vector of this length; zeros, as many as there are, stand for so many."""
        value = finite(getattr(self, field))
        return np.zeros(length) if value is not None and not np.any(value) else self.vector(field, length)

    def require_shape(self, shape: object) -> None:
        """Refuse what is not a shape."""
        if shape is not None and not isinstance(shape, Shape):
            raise InputError(f"{self.title}: shape must be a Box, Sphere, Cylinder, ..., not {shape!r:.40}")


@dataclass(frozen=True)
class Body(Part):
    """A body, or the ground."""


@dataclass(frozen=True)
class Ground(Body):
    """What does not move."""


@dataclass(frozen=True, eq=False)
class RigidBody(Body):
    """A rigid body; its origin is its centre of mass: m ẍ = F, J Ω̇ + Ω × J Ω = T.

    Parameters
    ----------
    name : str
    mass : float, optional
        In kg.
    inertia : array_like (3,) or (3, 3), optional
        J about the centre of mass, in axes of the body, in kg m². A number in planar models. By default that of the
        shape, filled evenly.
    shape : Shape, optional
        For the view, contacts, and with ``density`` for mass and inertia.
    density : float, optional
        Mass over volume, in kg/m³; in planar models too (the inertia about z is taken).
    position : array_like (3,)
        Of the centre of mass, in m; (2,) in planar models.
    orientation : array_like (4,)
        Unit quaternion w, x, y, z; an angle in rad in planar models.
    velocity, angular_velocity : array_like (3,)
        In space, at t0, in m/s and rad/s. In planar models (2,) and a number.
    group : {"R3xSO3", "SE3"}
        How its motion is integrated: position and rotation apart, or as one motion (dual quaternions).
    any_inertia : bool
        Accept principal inertias that no distribution of mass has, one larger than the sum of the other two. Flat
        bodies whose numbers are rounded, by up to 1e-3, are accepted in any case, with a warning.

    Examples
    --------
    >>> import genalpha as ga
    >>> rod = ga.RigidBody("rod", shape=ga.Box((0.2, 0.04, 0.04)), density=1000.0, position=(0.1, 0.0, 0.0))
    >>> round(rod.mass_used, 3)
    0.32
    """

    mass: float | None = None
    inertia: ArrayLike | None = None
    shape: Shape | None = None
    density: float | None = None
    position: ArrayLike = (0.0, 0.0, 0.0)
    orientation: ArrayLike = (1.0, 0.0, 0.0, 0.0)
    velocity: ArrayLike = (0.0, 0.0, 0.0)
    angular_velocity: ArrayLike = (0.0, 0.0, 0.0)
    group: str = "R3xSO3"
    any_inertia: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.group not in GROUPS:
            raise InputError(f"{self.title}: group = {self.group!r} must be one of {', '.join(GROUPS)}")
        self.require_shape(self.shape)
        if self.density is not None:
            self.vector("density", 1)
        if self.density is not None and self.shape is None:
            raise InputError(f"{self.title}: a density needs a shape")
        if self.density is not None and (self.mass is not None or self.inertia is not None):
            raise InputError(f"{self.title}: give mass and inertia, or a shape and its density, not both")
        if not 0.0 < self.mass_used < np.inf:
            raise InputError(
                f"{self.title}: mass = {self.mass_used:.6g} must be positive and finite; a body without mass has no "
                f"acceleration. Give a mass, or a shape and a density"
            )

    @property
    def mass_used(self) -> float:
        """The mass, given or from shape and density."""
        if self.density is not None and self.shape is not None:
            return float(self.density) * self.shape.volume
        mass: Any = 0.0 if self.mass is None else self.mass
        return float(cast(float, mass)) if isinstance(mass, int | float | np.number) else float("nan")

    def inertia_used(self, planar: bool) -> NDArray[np.float64]:
        """The inertia (3, 3), given or from shape and density; (1, 1) in planar models."""
        if self.inertia is None and self.shape is not None:
            J = self.mass_used / self.shape.volume * self.shape.inertia
            return J[2:, 2:] if planar else J
        if self.inertia is None:
            raise InputError(
                f"{self.title}: a body that can turn needs an inertia; give inertia=..., or a shape, or use a PointMass"
            )
        return self._planar_inertia() if planar else self._spatial_inertia()

    def _numbers(self) -> NDArray[np.float64]:
        try:
            return np.array(self.inertia, dtype=float)
        except (TypeError, ValueError):
            raise InputError(f"{self.title}: inertia = {self.inertia!r:.60} must be numbers") from None

    def _planar_inertia(self) -> NDArray[np.float64]:
        J = self._numbers().reshape(-1)
        if J.shape != (1,) or not (np.isfinite(J[0]) and J[0] > 0.0):
            raise InputError(f"{self.title}: inertia = {self.inertia!r} must be a positive number in a planar model")
        return J.reshape(1, 1)

    def _spatial_inertia(self) -> NDArray[np.float64]:
        J = self._numbers()
        if J.shape == (3,):
            J = np.diag(J)
        if J.shape != (3, 3) or not np.all(np.isfinite(J)):
            raise InputError(f"{self.title}: inertia = {J.tolist()} must be three finite numbers or a (3, 3) matrix")
        if np.max(np.abs(J - J.T)) > 1e-9 * np.max(np.abs(J)):
            raise InputError(f"{self.title}: inertia must be symmetric; J - Jᵀ has {np.max(np.abs(J - J.T)):.3g}")
        principal = np.linalg.eigvalsh(J)
        if not principal[0] > 0.0:
            raise InputError(f"{self.title}: the principal inertias {principal} must be positive")
        if excess_of(J) > ROUNDED and not self.any_inertia:
            raise InputError(
                f"{self.title}: the principal inertias {principal} violate the triangle inequality: no distribution of "
                f"mass has one larger than the sum of the other two. Check units, and the point they belong to, or "
                f"pass any_inertia=True"
            )
        return 0.5 * (J + J.T)

    def warn_of_excess(self) -> None:
        """Say that an inertia, of a flat body probably, is more than any distribution of mass has."""
        excess = excess_of(self.inertia_used(False))
        if excess > 1e-9 and not self.any_inertia:
            warn(
                f"{self.title}: its largest principal inertia exceeds the sum of the other two by {excess:.2g} of it; "
                f"no distribution of mass has that. It is taken for rounding: pass any_inertia=True if it is meant",
                GenalphaWarning,
            )


def excess_of(J: NDArray[np.float64]) -> float:
    """By how much, relatively, the largest principal inertia exceeds the sum of the other two; negative if it does not.

    The largest is that of a flat body about its normal, where both are equal.
    """
    principal = np.linalg.eigvalsh(J)
    return float(principal[2] / (principal[0] + principal[1]) - 1.0)


@dataclass(frozen=True, eq=False)
class PointMass(Body):
    """A mass without rotation: m ẍ = F.

    Parameters
    ----------
    name : str
    mass : float
        In kg.
    position, velocity : array_like (3,)
        In m and m/s; (2,) in planar models.
    shape : Shape, optional
        For the view and contacts.

    Examples
    --------
    >>> import genalpha as ga
    >>> model = ga.Model("bob", gravity=(0.0, -9.81), planar=True)
    >>> bob = model.add(ga.PointMass("bob", mass=2.0, position=(1.0, 0.0)))
    >>> model.assemble().q0
    array([1., 0.])
    """

    mass: float = 0.0
    position: ArrayLike = (0.0, 0.0, 0.0)
    velocity: ArrayLike = (0.0, 0.0, 0.0)
    shape: Shape | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (isinstance(self.mass, int | float | np.number) and 0.0 < self.mass < np.inf):
            raise InputError(f"{self.title}: mass = {self.mass!r} must be positive and finite")
        self.require_shape(self.shape)

    @property
    def mass_used(self) -> float:
        return float(self.mass)

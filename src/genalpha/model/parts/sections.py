"""Cross sections and materials of beams and bars."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi, tanh
from typing import Any, cast

import numpy as np

from genalpha.errors import InputError
from genalpha.inputs import finite, number


def _check(what: str, **values: Any) -> None:
    """Numbers must be positive and finite."""
    for name, value in values.items():
        if not (isinstance(value, int | float | np.number) and 0.0 < value < np.inf):
            raise InputError(f"{what}: {name} = {value!r} must be a positive number")


@dataclass(frozen=True, kw_only=True)
class Material:
    """An elastic material.

    Parameters
    ----------
    E : float
        Young's modulus, in N/m².
    density : float
        In kg/m³.
    poisson : float
        Poisson's ratio ν; the shear modulus is G = E/(2 (1 + ν)).
    G : float, optional
        Shear modulus in N/m², instead of Poisson's ratio.

    Examples
    --------
    >>> import genalpha as ga
    >>> steel = ga.Material(E=2.1e11, density=7800.0)  # N/m², kg/m³
    >>> steel.poisson
    0.3
    """

    E: float
    density: float
    poisson: float = 0.3
    G: float | None = None

    def __post_init__(self) -> None:
        _check("Material", E=self.E, density=self.density)
        if self.G is not None:
            _check("Material", G=self.G)
        if not -1.0 < number("Material: poisson", self.poisson) <= 0.5:
            raise InputError(f"Material: poisson = {self.poisson!r} must lie between -1 and 0.5")

    @property
    def shear_modulus(self) -> float:
        return float(self.G) if self.G is not None else self.E / (2.0 * (1.0 + self.poisson))


@dataclass(frozen=True, kw_only=True)
class Section:
    """A cross section in its principal axes y and z; x is along the beam. In planar models it bends in the x-y plane.

    Parameters
    ----------
    A : float
        Area, in m².
    Iy, Iz : float
        Second moments Iy = ∫ z² dA and Iz = ∫ y² dA of bending about y and about z, in m⁴.
    J : float, optional
        Torsion constant, in m⁴; Iy + Iz if it is not given (right for circles and tubes).
    ky, kz : float
        Shear correction factors, for shear forces along y and z.
    reach : (float, float), optional
        How far it reaches along y and z, in m; for views and bending strains.

    Examples
    --------
    >>> from genalpha import Section
    >>> Section.rectangle(height=0.02, width=0.01).Iz
    6.666666666666668e-09
    """

    A: float
    Iy: float
    Iz: float
    J: float | None = None
    ky: float = 1.0
    kz: float = 1.0
    reach: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        _check("Section", A=self.A, Iy=self.Iy, Iz=self.Iz, ky=self.ky, kz=self.kz)
        if self.J is not None:
            _check("Section", J=self.J)
        if self.reach is not None and (np.shape(self.reach) != (2,) or finite(self.reach) is None):
            raise InputError(f"Section: reach = {self.reach!r:.60} must be two lengths, along y and along z")

    @classmethod
    def rectangle(cls, height: float, width: float) -> Section:
        """``height`` along y, ``width`` along z; shear correction 5/6."""
        _check("Section.rectangle", height=height, width=width)
        a, b = max(height, width), min(height, width)
        # Saint-Venant's series for the torsion of a rectangle
        series = sum(tanh(0.5 * n * pi * a / b) / n**5 for n in range(1, 40, 2))
        J = a * b**3 * (1.0 / 3.0 - 64.0 * b / (pi**5 * a) * series)
        A, Iy, Iz = height * width, height * width**3 / 12.0, width * height**3 / 12.0
        return cls(A=A, Iy=Iy, Iz=Iz, J=J, ky=5 / 6, kz=5 / 6, reach=(0.5 * height, 0.5 * width))

    @classmethod
    def circle(cls, radius: float) -> Section:
        """A full circle; shear correction after Cowper for Poisson's ratio 0.3."""
        _check("Section.circle", radius=radius)
        return cls._ring(radius, 0.0)

    @classmethod
    def tube(cls, outer: float, inner: float) -> Section:
        """A ring between two radii; shear correction after Cowper for Poisson's ratio 0.3."""
        _check("Section.tube", outer=outer, inner=inner)
        if not inner < outer:
            raise InputError(f"Section.tube: the inner radius {inner!r} must be below the outer one, {outer!r}")
        return cls._ring(outer, inner)

    @classmethod
    def _ring(cls, outer: float, inner: float) -> Section:
        A, moment = pi * (outer**2 - inner**2), pi / 4.0 * (outer**4 - inner**4)
        m, nu = (inner / outer) ** 2, 0.3
        k = 6.0 * (1.0 + nu) * (1.0 + m) ** 2 / ((7.0 + 6.0 * nu) * (1.0 + m) ** 2 + (20.0 + 12.0 * nu) * m)
        return cls(A=A, Iy=moment, Iz=moment, ky=k, kz=k, reach=(outer, outer))

    def of(self, material: Material) -> Rigidity:
        """Stiffness and mass of this section of a material."""
        E, G, rho = material.E, material.shear_modulus, material.density
        J = self.Iy + self.Iz if self.J is None else self.J
        return Rigidity(
            EA=E * self.A, GA=(G * self.ky * self.A, G * self.kz * self.A), GJ=G * J, EI=(E * self.Iy, E * self.Iz),
            mass=rho * self.A, inertia=(rho * self.Iy, rho * self.Iz),
        )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Rigidity:
    """Stiffness and mass of a section in numbers, instead of a `Section` and a `Material`.

    Forces and moments of a section are diag(EA, GA, GA) Γ and diag(GJ, EI, EI) κ, of the strains Γ and κ of a `Beam`.

    Parameters
    ----------
    EA : float
        Of stretching, in N.
    GA : float or (float, float), optional
        Of shear along y and z in N, correction factors included. Bars need none.
    EI : float or (float, float), optional
        Of bending about y and z, in N m². In planar models one number, or the second one counts; GA: the first one.
    GJ : float, optional
        Of torsion, in N m²; spatial beams need it.
    mass : float
        Per length, in kg/m.
    inertia : float or (float, float), optional
        ρIy and ρIz of rotation, per length, in kg m.

    Examples
    --------
    >>> import genalpha as ga
    >>> ga.Rigidity(EA=1e6, GA=4e5, EI=10.0, mass=0.5).EI
    10.0
    """

    EA: float
    mass: float
    GA: float | tuple[float, float] | None = None
    EI: float | tuple[float, float] | None = None
    GJ: float | None = None
    inertia: float | tuple[float, float] | None = None

    def __post_init__(self) -> None:
        _check("Rigidity", EA=self.EA, mass=self.mass)
        for name in ("GA", "EI", "inertia"):
            if getattr(self, name) is not None:
                first, second = self.pair(name)
                _check("Rigidity", **{name: first})
                _check("Rigidity", **{name: second})
        if self.GJ is not None:
            _check("Rigidity", GJ=self.GJ)

    def pair(self, name: str) -> tuple[float, float]:
        """A property about y (along y) and z."""
        value: Any = getattr(self, name)
        if isinstance(value, int | float | np.number):
            size = float(cast(float, value))
            return size, size
        try:
            first, second = value
        except (TypeError, ValueError):
            raise InputError(f"Rigidity: {name} = {value!r} must be a number, or two of them") from None
        return first, second

    def require(self, title: str, *names: str) -> None:
        """Refuse to go on without these properties."""
        missing = [name for name in names if getattr(self, name) is None]
        if missing:
            raise InputError(f"{title}: its Rigidity lacks {', '.join(missing)}")

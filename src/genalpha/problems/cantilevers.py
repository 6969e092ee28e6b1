"""Cantilevers with known shapes and frequencies: statics and modes of beams, not motions.

>>> from genalpha.problems import cantilevers
>>> cantilevers.waves(2).round(4)
array([1.8751, 4.6941])
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from genalpha.model.model import Model
from genalpha.model.parts.beams import Beam
from genalpha.model.parts.forces import PointForce, Torque
from genalpha.model.parts.joints import Fixed
from genalpha.model.parts.sections import Material, Rigidity, Section

Array = NDArray[np.float64]

UNIT = Rigidity(EA=1e4, GA=5e3, GJ=80.0, EI=100.0, mass=1.0, inertia=0.01)
"""Of the cantilevers along x, whose length is 1."""

SLENDER = Rigidity(EA=1e9, GA=1e9, GJ=80.0, EI=100.0, mass=1.0, inertia=0.01)
"""The same without noticeable extension and shear."""

RADIUS = 100.0
"""Of the bend, in inches."""

SQUARE = Rigidity(EA=1e7, GA=5e6 * 5 / 6, GJ=5e6 / 6, EI=1e7 / 12, mass=1.0, inertia=1 / 12)
"""Section of the bend, one square inch, with E = 1e7 psi and no lateral contraction; polar moment of area 1/6."""

TWISTS = Rigidity(EA=1e7, GA=5e6, GJ=5e6 * 0.141, EI=1e7 / 12, mass=1.0, inertia=1 / 12)
"""The same with the torsion constant of a square and the whole area in shear."""

SIMO = {300.0: (58.84, 22.33, 40.08), 450.0: (52.32, 18.62, 48.39), 600.0: (47.23, 15.79, 53.37)}
"""Tips of the bend by load: J. C. Simo, L. Vu-Quoc, Comput. Methods Appl. Mech. Eng. 58 (1986) 79-116, 8 elements."""

BATHE = (-23.5, -13.4, 53.4)
"""Displacement of the tip under 600 lb: K.-J. Bathe, S. Bolourchi, Int. J. Numer. Methods Eng. 14 (1979) 961-986."""

EXUDYN = (46.90, 15.56, 53.60)
"""Tip under 600 lb with `TWISTS`, 32 elements: Exudyn's test ``geometricallyExactBeamCurvedTest``."""

ROUNDED = Rigidity(EA=1e7, GA=41.6667e5, GJ=8.333e5, EI=8.333e5, mass=1.0, inertia=1 / 12)
"""`SQUARE` with the digits that Kynema and BeamDyn take as input."""

THROUGH = (38.2683, 7.61205), (70.7107, 29.2893)
"""Middle and tip of the arc, with their digits."""

KYNEMA = (-23.6459716009047, -13.7208006040058, 53.5776450626987)
"""Displacement under 600 lb of `ROUNDED` along `parabola`: Kynema, one spectral element of 15 nodes, and BeamDyn."""

STEEL, STRIP = Material(E=2.1e11, density=7800.0), Section.rectangle(0.002, 0.002)


def held(name: str, beam: Beam, planar: bool = False) -> Model:
    """A model of the beam, clamped at its first node."""
    model = Model(name, planar=planar)
    model.add(beam)
    model.add(Fixed("root", model.ground, beam.nodes[0], at=beam.points[0][: 2 if planar else 3]))
    return model


def straight(elements: int, planar: bool = True, section=UNIT, **options) -> tuple[Model, Beam]:
    """Along x, of length 1."""
    z = () if planar else (0.0,)
    beam = Beam("beam", (0.0, 0.0, *z), (1.0, 0.0, *z), elements=elements, section=section, **options)
    return held("cantilever", beam, planar), beam


def roll_up(elements: int, planar: bool = True) -> Model:
    """The moment 2π EI/L at the tip: a full circle."""
    model, beam = straight(elements, planar)
    moment = 2.0 * np.pi * UNIT.EI
    model.add(Torque("moment", beam.nodes[-1], torque=moment if planar else (0.0, 0.0, moment)))
    return model


def pushed(elements: int, load: float) -> Model:
    """A force across the tip, in EI/L², that keeps its direction."""
    model, beam = straight(elements, section=SLENDER)
    model.add(PointForce("load", beam.nodes[-1], force=(0.0, load * SLENDER.EI)))
    return model


def elastica(load: float) -> tuple[float, float, float]:
    """Exact tip (x, y) and slope of `pushed`: K. E. Bisshopp, D. C. Drucker, Quarterly of Applied Mathematics 3 (1945).

    With p² = (1 + sin θ)/2 of the slope θ at the tip and sin φ = 1/(p √2): K(p) − F(φ, p) = √load fixes θ,
    x = √(2 sin θ/load), y = 1 − 2 (E(p) − E(φ, p))/√load.
    """
    from scipy.optimize import brentq
    from scipy.special import ellipe, ellipeinc, ellipk, ellipkinc

    def rest(theta):
        m = 0.5 * (1.0 + np.sin(theta))
        phi = np.arcsin(1.0 / np.sqrt(2.0 * m))
        return ellipk(m) - ellipkinc(phi, m) - np.sqrt(load), ellipe(m) - ellipeinc(phi, m)

    theta = float(brentq(lambda angle: rest(angle)[0], 1e-9, 0.5 * np.pi - 1e-12, xtol=1e-15))
    return float(np.sqrt(2.0 * np.sin(theta) / load)), float(1.0 - 2.0 * rest(theta)[1] / np.sqrt(load)), theta


def arc(s: float):
    """45 degrees of a circle, from the origin along x."""
    return RADIUS * np.sin(0.25 * np.pi * s), RADIUS * (1.0 - np.cos(0.25 * np.pi * s)), 0.0


def parabola(s: float):
    """Through begin, middle and tip of the arc: the axis that Kynema and BeamDyn lay through these three points."""
    x, (x1, y1), (x2, y2) = s * THROUGH[1][0], *THROUGH
    return x, y1 * x * (x - x2) / (x1 * (x1 - x2)) + y2 * x * (x - x1) / (x2 * (x2 - x1)), 0.0


def bend(elements: int, load: float = 600.0, section=SQUARE, curve=arc, group: str = "R3xSO3") -> Model:
    """The bend of 45 degrees of Bathe and Bolourchi, with a force across its plane, in lb."""
    beam = Beam("beam", curve=curve, elements=elements, section=section, group=group)
    model = held("bend", beam)
    model.add(PointForce("load", beam.nodes[-1], force=(0.0, 0.0, load)))
    return model


def waves(n: int) -> Array:
    """The first n solutions of cos x cosh x = −1."""
    from scipy.optimize import brentq

    middles = (np.arange(n) + 0.5) * np.pi
    return np.array([brentq(lambda x: np.cos(x) + 1.0 / np.cosh(x), x - 0.5, x + 0.5) for x in middles])


def frequencies(n: int) -> Array:
    """Of a slender steel strip of 1 m, clamped at one end, in Hz: x² √(EI/ρA)/2π."""
    return waves(n) ** 2 * np.sqrt(STEEL.E * STRIP.Iz / (STEEL.density * STRIP.A)) / (2.0 * np.pi)


def strip(elements: int) -> Model:
    """The strip."""
    return straight(elements, section=STRIP, material=STEEL)[0]

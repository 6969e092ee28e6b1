"""Systems of units, for labels and messages: nothing is ever converted.

A system is its units of length, mass and time, and the names that go with them. Numbers of a model are in one of them,
and whatever is computed is in the same one.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches

from genalpha.errors import InputError

STANDARD_GRAVITY = 9.80665
"""m/s²."""

NOTHING = "-"
"""The unit of what has none."""


@dataclass(frozen=True)
class Units:
    """The names of units that fit together.

    Attributes
    ----------
    name : str
        "SI", "mm-t-s", ...: length, mass (or force, in-lbf-s) and time.
    length, mass, time, force, torque, energy, power, stress : str
    metre, kilogram, second : float
        What one unit of length, mass and time is, in m, kg and s.

    Examples
    --------
    >>> from genalpha.model.units import units_of
    >>> mm = units_of("mm-t-s")
    >>> mm.force, mm.torque, mm.energy, mm.stress
    ('N', 'N mm', 'mJ', 'MPa')
    >>> round(mm.gravity, 2)  # mm/s²
    9806.65
    """

    name: str
    length: str
    mass: str
    time: str
    force: str
    torque: str
    energy: str
    power: str
    stress: str
    metre: float
    kilogram: float
    second: float

    @property
    def gravity(self) -> float:
        """Standard gravity in these units."""
        return STANDARD_GRAVITY * self.second**2 / self.metre

    def of(self, dimension: str) -> str:
        """The unit of a dimension, such as "speed" or "torque"; "" where there is none."""
        made = {
            "": "", "number": "", "angle": "rad", "spin": f"rad/{self.time}", "spin rate": f"rad/{self.time}²",
            "speed": f"{self.length}/{self.time}", "acceleration": f"{self.length}/{self.time}²",
            "impulse": f"{self.force} {self.time}", "action": f"{self.length} {self.force} {self.time}",
            "frequency": "Hz" if self.time == "s" else f"1/{self.time}", "curvature": f"rad/{self.length}",
        }  # fmt: skip
        return made[dimension] if dimension in made else getattr(self, dimension)


_INCH, _FOOT, _POUND_FORCE = 0.0254, 0.3048, 4.4482216152605

SYSTEMS = {
    units.name: units
    for units in (
        Units("SI", "m", "kg", "s", "N", "N m", "J", "W", "Pa", 1.0, 1.0, 1.0),
        Units("mm-t-s", "mm", "t", "s", "N", "N mm", "mJ", "mW", "MPa", 1e-3, 1e3, 1.0),
        Units("mm-kg-s", "mm", "kg", "s", "mN", "mN mm", "µJ", "µW", "kPa", 1e-3, 1.0, 1.0),
        Units("mm-kg-ms", "mm", "kg", "ms", "kN", "kN mm", "J", "kW", "GPa", 1e-3, 1.0, 1e-3),
        Units("mm-g-ms", "mm", "g", "ms", "N", "N mm", "mJ", "W", "MPa", 1e-3, 1e-3, 1e-3),
        Units("um-kg-s", "µm", "kg", "s", "µN", "µN µm", "pJ", "pW", "MPa", 1e-6, 1.0, 1.0),
        Units("cm-g-s", "cm", "g", "s", "dyn", "dyn cm", "erg", "erg/s", "Ba", 1e-2, 1e-3, 1.0),
        Units(
            "in-lbf-s", "in", "lbf s²/in", "s", "lbf", "lbf in", "in lbf", "in lbf/s", "psi",
            _INCH, _POUND_FORCE / _INCH, 1.0,
        ),
        Units(
            "ft-slug-s", "ft", "slug", "s", "lbf", "lbf ft", "ft lbf", "ft lbf/s", "lbf/ft²",
            _FOOT, _POUND_FORCE / _FOOT, 1.0,
        ),
    )
}  # fmt: skip
"""All systems by name."""

ALIASES = {"m-kg-s": "SI", "mks": "SI", "cgs": "cm-g-s", "ft-lbf-s": "ft-slug-s", "µm-kg-s": "um-kg-s"}
"""Other names of the same."""

SI = SYSTEMS["SI"]


def units_of(name: str) -> Units:
    """The system of units with this name.

    Examples
    --------
    >>> from genalpha.model.units import units_of
    >>> units_of("cm-g-s").of("acceleration")
    'cm/s²'
    """
    if isinstance(name, str):
        found = SYSTEMS.get(ALIASES.get(name, name))
        if found is not None:
            return found
    near = get_close_matches(str(name), [*SYSTEMS, *ALIASES], n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise InputError(f"units = {name!r:.40} must be one of {', '.join(map(repr, SYSTEMS))}{hint}")


def bracketed(name: str, unit: str) -> str:
    """A name with its unit, as columns of tables have it: "pin.force.x [N]"."""
    return f"{name} [{unit}]" if unit else name

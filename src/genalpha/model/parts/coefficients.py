"""Coefficients of contacts: restitution and friction, of one contact or of each pair of a group."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from genalpha.errors import InputError

Named = float | Mapping[str, float]
"""One coefficient for all contacts of a group, or one by the name of each plane and pair."""

OTHERS = "others"
"""Among such names: all contacts that have no coefficient of their own."""

RULES = {
    "restitution": (0.0, 1.0, "must be a number between 0 (nothing bounces) and 1 (no energy is lost)"),
    "friction": (0.0, np.inf, "must be a number that is not negative: the friction force over the normal force"),
    "static_friction": (0.0, np.inf, "must be a number that is not negative, or None: what sticks holds so much"),
    "tangential_restitution": (
        -1.0, 1.0, "must be a number between −1 and 1: the slip after an impact that sticks over the slip before, "
        "reversed",
    ),
    "bound": (0.0, np.inf, "must be a number that is not negative: the largest force or torque of friction"),
}  # fmt: skip
"""The least, the largest, and what to say of others."""


def require_coefficient(part: Any, name: str, value: object, where: str = "") -> None:
    """Refuse a coefficient outside of its range."""
    least, most, problem = RULES[name]
    is_number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not (is_number and least <= value <= most and np.isfinite(value)):  # type: ignore[operator]
        raise InputError(f"{part.title}: {name} = {value!r:.40}{where} {problem}")


def require_friction(part: Any) -> None:
    """Refuse coefficients of friction that make no sense, or not together."""
    require_coefficient(part, "friction", part.friction)
    require_coefficient(part, "tangential_restitution", part.tangential_restitution)
    if part.static_friction is not None:
        require_coefficient(part, "static_friction", part.static_friction)
        if part.static_friction < part.friction:
            raise InputError(
                f"{part.title}: static_friction = {part.static_friction:.6g} is less than friction = "
                f"{part.friction:.6g}: what sticks holds at least as much as what slides; make it larger, or leave it "
                f"out"
            )
    radius = part.drilling_radius
    if radius is not None and not (isinstance(radius, int | float | np.number) and 0.0 < radius < np.inf):
        raise InputError(
            f"{part.title}: drilling_radius = {radius!r:.40} must be a positive number, in m: spin about the normal "
            f"times this radius counts as slip. Leave it out where spin has no friction"
        )
    given = [name for name in ("static_friction", "tangential_restitution", "drilling_radius") if getattr(part, name)]
    if given and part.friction == 0.0:
        raise InputError(f"{part.title}: {given[0]} has no meaning without friction; give friction=... too")


def require_named(part: Any, name: str) -> None:
    """Refuse coefficients of a group whose names there are not, or outside of their range."""
    if not isinstance(getattr(part, name), Mapping):
        require_coefficient(part, name, getattr(part, name))
        return
    values: Mapping[Any, Any] = getattr(part, name)
    if not values:
        raise InputError(f"{part.title}: {name} = {{}} names nothing; give a number, or one for {OTHERS!r}")
    planes = [plane.name for plane in part.planes]
    known = {OTHERS, *planes}
    for one in part.body_names:
        known.update(f"{one}-{two}" for two in (*part.body_names, *planes) if two != one)
    for key, value in values.items():
        if key not in known:
            bodies = part.body_names[:2]
            examples = [*planes[:1], "-".join(bodies) if len(bodies) > 1 else f"{bodies[0]}-{planes[0]}", OTHERS]
            raise InputError(
                f"{part.title}: {name} names {key!r:.60}, and there is no such plane or pair; say "
                f"{', '.join(map(repr, examples))}"
            )
        require_coefficient(part, name, value, f" of {key!r}")


def coefficient_of(given: Named, one: str, two: str) -> float:
    """That of a pair of bodies, or of a body and a plane: its own, that of the plane, that of all others, or 0."""
    if not isinstance(given, Mapping):
        return float(given)
    found = (given[key] for key in (f"{one}-{two}", f"{two}-{one}", two, OTHERS) if key in given)
    return float(next(found, 0.0))

"""Beams and bars along a solution: tubes in the colours of their strain, and their quantities."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from genalpha.model.model import units_in
from genalpha.model.parts.beams import Beam, Flexible
from genalpha.model.parts.sections import Section
from genalpha.model.parts.shapes import Sphere
from genalpha.view.rotations import steady
from genalpha.view.tracks import Array, BodyTrack, LineTrack, Quantity

INSIDE = 6
"""Pieces that the tube of an element is drawn with, of beams of few elements."""

MANY = 240
"""Points of a tube at most."""


def radius(part: Flexible, size: float) -> float:
    """Of the tube: that of the section, but not so thin that it cannot be seen."""
    reach = part.section.reach if isinstance(part.section, Section) else None
    return max(0.5 * size, float(np.mean(reach)) if reach is not None else 0.0)


def tube(sol, part: Flexible, size: float) -> LineTrack:
    """A curve through the nodes that is tangent to the sections, coloured by the largest strain of a section."""
    found = sol[part.name]
    nodes, n = found.position, len(part.lengths)
    pieces = max(1, min(INSIDE, MANY // n)) if isinstance(part, Beam) else 1
    place = np.linspace(0.0, n, n * pieces + 1)
    element = np.minimum(place.astype(int), n - 1)
    s = (place - element)[:, None]
    points = nodes[:, element] * (1.0 - s) + nodes[:, element + 1] * s
    if isinstance(part, Beam):
        from genalpha.math import so3  # loads numba

        axes = so3.matrix(found.orientation)[..., 0] * np.append(part.lengths, part.lengths[-1])[:, None]
        a, b = s**3 - 2.0 * s**2 + s, s**3 - s**2
        bulge = 3.0 * s**2 - 2.0 * s**3 - s
        points = points + bulge * (nodes[:, element + 1] - nodes[:, element])
        points = points + a * axes[:, element] + b * axes[:, element + 1]
    middles = np.arange(n) + 0.5
    value = np.array([np.interp(place, middles, row) for row in largest_strain(sol, part)])
    return LineTrack(part.name, points, radius(part, size), value, "strain")


def largest_strain(sol, part: Flexible) -> Array:
    """Of all fibres of a section (nt, elements): stretch and bending; the stretch alone if its shape is not known."""
    strain = sol[part.name].strain
    if not isinstance(part, Beam) or not isinstance(part.section, Section) or part.section.reach is None:
        return strain[..., 0] if not isinstance(part, Beam) else np.linalg.norm(strain[..., :3], axis=-1)
    y, z = part.section.reach
    return np.abs(strain[..., 0]) + z * np.abs(strain[..., 4]) + y * np.abs(strain[..., 5])


def tip_track(sol, part: Flexible, size: float) -> BodyTrack:
    """The end of a beam, which leaves a trace."""
    node = sol[part.nodes[-1].name]
    ball = Sphere(radius=radius(part, size))
    return BodyTrack(part.name + " tip", ball, node.position, steady(node.orientation), "body", trace=True)


def beam_quantities(sol) -> Iterator[Quantity]:
    """Strain energy, largest strain, and the speed of the tip."""
    units = units_in(sol.system)
    for part in sol.system.model.flexibles:
        yield Quantity(f"strain energy {part.name}", "energy", sol[part.name].energy, unit=units.energy)
        yield Quantity(f"largest strain {part.name}", "strain", np.abs(largest_strain(sol, part)).max(axis=1))
        tip = sol[part.nodes[-1].name]
        values = np.linalg.norm(tip.velocity, axis=1)
        yield Quantity(f"tip speed {part.name}", "speed", values, unit=units.of("speed"))

"""How large a part of a model is and how fast it moves, for differences of functions of the user's."""

from __future__ import annotations

import numpy as np

from genalpha.model.parts.bodies import RigidBody


def length_of(tables, place, others=()) -> float:
    """A length of the size of a body: its radius of gyration; of a point its distance from others, or from the origin.

    It need not be that over which a force changes: too small a length costs half of the digits that it is too small by.
    """
    if isinstance(place.body, RigidBody):
        J = place.body.inertia_used(tables.planar)
        return float(np.sqrt(np.trace(J) / len(J) / place.body.mass_used))
    distances = [float(np.linalg.norm(place.position - other.position)) for other in others]
    distances += [float(np.linalg.norm(place.position)), extent(tables)]
    return next((distance for distance in distances if distance > 0.0), 1.0)


def extent(tables) -> float:
    """The largest distance of a body from the origin, at t0."""
    return max((float(np.linalg.norm(place.position)) for place in tables.places.values()), default=0.0)


def speed_of(tables, length: float) -> float:
    """A speed of the size of those in the model: of its bodies at t0, or that of a fall through its extent.

    Where nothing moves and nothing falls, it is a length in a unit of time: faster bodies have their own speed.
    """
    speeds = [float(np.linalg.norm(place.body.velocity)) for place in tables.places.values() if place.v >= 0]
    for place in tables.places.values():
        if isinstance(place.body, RigidBody):
            speeds.append(float(np.linalg.norm(place.body.angular_velocity)) * length_of(tables, place))
    speeds.append(float(np.sqrt(np.linalg.norm(tables.model.gravity) * max(extent(tables), length))))
    return max(speeds) or length

"""Tables of bodies: inertia and weight."""

from __future__ import annotations

import numpy as np

from genalpha.model.columns import GYROSCOPE, MOVING, NONE, PLAIN, TURNING, WEIGHT
from genalpha.model.parts.bodies import Ground, PointMass
from genalpha.model.parts.forces import Torque
from genalpha.model.tables.forces import loaded


def add_inertia(tables, place):
    """Mass matrix, forces of inertia and update of one body."""
    body, v, layout, mass = place.body, place.v, tables.layout, place.body.mass_used
    n = 2 if tables.planar else 3
    tables.M.add([*range(v, v + n)], [*range(v, v + n)])
    tables.mass += [mass] * n
    tables.node(n)
    if place.x >= 0 and not place.turns:
        layout.add(PLAIN, q=place.q, v=v, n=place.nq)
    if isinstance(body, PointMass):
        return
    J = body.inertia_used(tables.planar)
    if tables.planar:
        tables.M.add([v + 2], [v + 2])
        tables.mass.append(J[0, 0])
        tables.node(1, together=True)
        return
    diagonal = not np.any(J - np.diag(np.diag(J)))
    if diagonal:
        tables.M.add([v + 3, v + 4, v + 5], [v + 3, v + 4, v + 5])
        tables.mass += np.diag(J).tolist()
    else:
        tables.M.block(v + 3, v + 3, 3, 3)
        tables.mass += J.ravel().tolist()
    tables.node(3)
    body.warn_of_excess()
    turning, moving, S = tables.C.block(v + 3, v + 3, 3, 3), NONE, NONE
    if place.on_se3:
        layout.stretch(MOVING, r=place.r, v=v)
        moving = tables.C.block(v, v, 3, 3)
        tables.C.block(v, v + 3, 3, 3)
        S = tables.S.block(v, v + 3, 3, 3)
    else:
        layout.stretch(TURNING, x=place.x, r=place.r, v=v)
    layout.stretch(
        GYROSCOPE, r=place.r, v=v, C_turn=turning, C_move=moving, S=S, mass=mass,
        inertia=(J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]), gravity=tables.model.gravity,
    )  # fmt: skip


def add_weights(tables):
    """Constant forces: weights, except on SE(3), and planar torques."""
    force, gravity = np.zeros(tables.nv), np.asarray(tables.model.gravity, dtype=float)
    for place in tables.places.values():
        if isinstance(place.body, Ground) or place.on_se3:
            continue
        n = 2 if tables.planar else 3
        force[place.v : place.v + n] += place.body.mass_used * gravity[:n]
    for torque in tables.model.forces:
        if tables.planar and isinstance(torque, Torque) and not callable(torque.torque):
            force[loaded(tables, torque).v + 2] += torque.vector("torque", 1)[0]
    tables.layout.add(WEIGHT, forces=force)

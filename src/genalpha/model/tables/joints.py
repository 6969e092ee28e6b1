"""Tables of joints: where they sit, and the rows they are made of."""

from __future__ import annotations

import numpy as np

from genalpha.errors import InputError
from genalpha.model.columns import ANCHOR, ANGLE, DOT, EDGE, LENGTH, LEVEL, NONE, PIN, POINT, ROLL, SLIDE, SLOT
from genalpha.model.parts.bodies import PointMass
from genalpha.model.parts.joints import (
    AngleRow,
    DotRow,
    EdgeRow,
    Joint,
    LengthRow,
    PointRows,
    RollRow,
    SlideRow,
    Spherical,
    Spot,
)
from genalpha.model.places import Place
from genalpha.model.tables.coordinates import add_term, coordinate, end, padded


def add_joint(tables, joint: Joint):
    """Rows, names and nodes of one joint."""
    a, b = (tables.places[tables.model.name_of(body)] for body in (joint.a, joint.b))
    labels = joint.planar_labels if tables.planar else joint.labels
    velocity_labels = joint.planar_velocity_labels if tables.planar else joint.velocity_labels
    if not labels and not velocity_labels:
        instead = (
            "; a Revolute holds two points together there" if tables.planar and isinstance(joint, Spherical) else ""
        )
        kind = "planar" if tables.planar else "spatial"
        raise InputError(f"{joint.title} does not exist in {kind} models{instead}")
    spot = spot_of(tables, joint, a, b)
    first, first_k, count = len(tables.row_names), len(tables.k_names), 0
    tables.row_names += [f"{joint.name}.{label}" for label in labels]
    tables.joint_rows[joint.name], tables.spots[joint.name] = slice(first, first + len(labels)), spot
    for row in joint.rows(spot):
        _check_turns(joint, row, a, b)
        table = TABLES[type(row)][tables.planar]
        n = table(tables, row, first + count, spot, a, b)
        tables.row_kinds += [type(row)] * n
        tables.node(n, together=n == 1 and count > 0 and _fits(tables))
        count += n
    count_k = tables.nk - first_k
    tables.k_names += [f"{joint.name}.{label}" for label in velocity_labels]
    tables.k_rows[joint.name] = slice(first_k, tables.nk)
    for what, n, names in (("rows", count, labels), ("velocity rows", count_k, velocity_labels)):
        if n != len(names):
            raise InputError(f"{joint.title} has {n} {what} and {len(names)} labels: {', '.join(names)}")


def _fits(tables):
    """May one more unknown join the last node?"""
    last = tables.nodes[-1]
    return len(tables.nodes) > tables.nv and tables.nodes[-3:].count(last) < 3


def _check_turns(joint, row, a, b):
    if not isinstance(row, PointRows | LengthRow):
        turning = {SlideRow: (a,), EdgeRow: (b,)}.get(type(row), (a, b))
        for place in turning:
            if isinstance(place.body, PointMass):
                raise InputError(f"{joint.title} holds the direction of {place.body.title}, which has none")


def spot_of(tables, joint: Joint, a: Place, b: Place) -> Spot:
    """Where a joint sits, seen from its bodies."""
    angle = b.angle - a.angle
    s_a, s_b = joint.points(a, b)
    for place, s in ((a, s_a), (b, s_b)):
        if isinstance(place.body, PointMass) and np.linalg.norm(s) > 1e-9 * (1.0 + np.linalg.norm(place.position)):
            raise InputError(
                f"{joint.title}: the point of {place.body.title} is {np.linalg.norm(s):.3g} away from it; a point "
                f"mass can only be held at itself"
            )
    if joint.axis_a is not None:
        E_a = _triad(joint.direction("axis_a", tables.planar))
        # of all axes around axis_b those that are next to those of a
        E_b = _triad(joint.direction("axis_b", tables.planar), b.rotation.T @ a.rotation @ E_a[:, 0])
        angle = _nearest_turn(_angle_of(E_a) - _angle_of(E_b), angle) if tables.planar else 0.0
    else:
        given = joint.axis is not None
        if joint.needs_axis and not given and (joint.needs_planar_axis or not tables.planar):
            raise InputError(f"{joint.title} needs an axis; pass axis=...")
        E = _axes(joint, tables.planar, given, b.rotation if a.v < 0 else a.rotation)
        E_a, E_b = a.rotation.T @ E, b.rotation.T @ E
    distance = float(np.linalg.norm(b.position + b.rotation @ s_b - a.position - a.rotation @ s_a))
    return Spot(tables.planar, s_a, s_b, E_a, E_b, angle, distance)


def _axes(joint, planar, given, R) -> np.ndarray:
    """The axes of a joint in space. What is not given is chosen as a body with the rotation R sees it.

    So it turns with the model: where formulation V lets axes drift apart, it is not the same from where an angle about
    them is counted.
    """
    if planar:
        return _triad(joint.direction("axis", planar) if given else np.eye(2)[0])
    if not given:
        return R @ np.eye(3)
    axis = joint.direction("axis", planar)
    second = joint.second_axis(axis)
    return _triad(axis, R @ _triad(R.T @ axis)[:, 0] if second is None else second)


def _point(tables, row, first, spot, a, b):
    anchor = np.zeros(3)
    for place, s, sign in ((a, spot.s_a, -1.0), (b, spot.s_b, 1.0)):
        if place.v < 0:
            anchor += sign * s
            continue
        v, rows = place.v, [first, first + 1, first + 2]
        T = tables.G.block(first, v, 3, 3) if place.on_se3 else tables.G.add(rows, [v, v + 1, v + 2])
        R = tables.G.block(first, v + 3, 3, 3) if place.turns else NONE
        tables.layout.add(
            POINT, row=first, x=place.x, r=place.r, v=v, sign=sign, lever=s, G_move=T, G_turn=R,
            S=_turning(tables, place),
        )  # fmt: skip
    tables.layout.add(ANCHOR, row=first, point=anchor)
    return 3


def _turning(tables, place):
    return tables.S.block(place.v + 3, place.v + 3, 3, 3) if place.turns else NONE


def _dot(tables, row, first, spot, a, b):
    G_a, G_b = (tables.G.block(first, place.v + 3, 1, 3) if place.turns else NONE for place in (a, b))
    tables.layout.add(
        DOT, row=first, r_a=a.r, v_a=a.v, r_b=b.r, v_b=b.v, axis_a=row.u_a, axis_b=row.u_b, value=row.value,
        G_a=G_a, G_b=G_b, S_a=_turning(tables, a), S_b=_turning(tables, b),
    )  # fmt: skip
    return 1


def _slide(tables, row, first, spot, a, b):
    G = {}
    for side, place in (("a", a), ("b", b)):
        G[f"move_{side}"] = tables.G.block(first, place.v, 1, 3) if place.v >= 0 else NONE
        G[f"turn_{side}"] = tables.G.block(first, place.v + 3, 1, 3) if place.turns else NONE
    tables.layout.add(
        SLIDE, row=first, x_a=a.x, r_a=a.r, v_a=a.v, x_b=b.x, r_b=b.r, v_b=b.v, axis=row.u_a, lever_a=spot.s_a,
        lever_b=spot.s_b, value=row.value, **G, S_a=_turning(tables, a), S_b=_turning(tables, b),
    )  # fmt: skip
    return 1


def _pin(tables, row, first, spot, a, b):
    for place, s, sign in ((a, spot.s_a, -1.0), (b, spot.s_b, 1.0)):
        v, G, S = place.v, NONE, NONE
        if v >= 0:
            n = 4 if place.nv == 3 else 2
            G = tables.G.add([first, first + 1, first, first + 1][:n], [v, v + 1, v + 2, v + 2][:n])
            S = _planar_turning(tables, place)
        tables.layout.add(PIN, row=first, q=place.q, v=v, sign=sign, lever=s, G=G, S=S)
    return 2


def _planar_turning(tables, place):
    return tables.S.block(place.v + 2, place.v + 2, 1, 1) if place.nv == 3 else NONE


def _angle(tables, row, first, spot, a, b):
    columns = [place.v + 2 for place in (a, b) if place.v >= 0]
    G = tables.G.add([first] * len(columns), columns)
    tables.layout.add(ANGLE, row=first, q_a=a.q, q_b=b.q, v_a=a.v, v_b=b.v, value=row.value, G=G)
    return 1


def _slot(tables, row, first, spot, a, b):
    columns = [place.v + i for place in (a, b) for i in range(place.nv)]
    G = tables.G.add([first] * len(columns), columns)
    tables.layout.add(
        SLOT, row=first, q_a=a.q, v_a=a.v, q_b=b.q, v_b=b.v, axis=row.u_a, lever_a=spot.s_a, lever_b=spot.s_b,
        value=row.value, G=G, S_a=_planar_turning(tables, a), S_b=_planar_turning(tables, b),
    )  # fmt: skip
    return 1


def _length(tables, row, first, spot, a, b):
    add_term(tables, first, 1.0, coordinate(tables, LENGTH, a, b, lever_a=spot.s_a, lever_b=spot.s_b))
    tables.layout.add(LEVEL, row=first, value=row.value)
    return 1


def _velocity_rows(tables, n):
    """Room for n more rows of k; gives the first."""
    tables.nk += n
    return tables.nk - n


def _across(entries, row, a, b):
    """The entries of one row for both bodies."""
    return [entries.block(row, place.v, 1, place.nv) if place.v >= 0 else NONE for place in (a, b)]


def _roll(tables, row, first, spot, a, b):
    n = 1 if tables.planar else 2
    first_k = _velocity_rows(tables, n)
    up = a.rotation.T @ row.normal
    E = _triad(up)
    tangents = E.T[1:] if tables.planar else E.T[:2]
    tangents = [padded(x) for x in tangents] + [np.zeros(3)] * (2 - n)
    G_a, G_b = _across(tables.G, first, a, b)
    K = [k for i in range(n) for k in _across(tables.K, first_k + i, a, b)] + [NONE, NONE] * (2 - n)
    S = row.shape
    tables.layout.add(
        ROLL, row=first, row_k=first_k, rows_k=n, a=end(tables, a), b=end(tables, b), lever_a=padded(spot.s_a),
        lever_b=padded(spot.s_b), normal=padded(up), tangents=tangents,
        shape=(S[0, 0], S[1, 1], S[2, 2], S[0, 1], S[0, 2], S[1, 2]), G_a=G_a, G_b=G_b, K=K,
    )  # fmt: skip
    return 1


def _edge(tables, row, first, spot, a, b):
    k = _velocity_rows(tables, 1)
    K_a, K_b = _across(tables.K, k, a, b)
    tables.layout.add(
        EDGE, row=k, a=end(tables, a), b=end(tables, b), lever=padded(spot.s_b), axis=padded(row.u_b), K_a=K_a, K_b=K_b
    )  # fmt: skip
    return 0


TABLES = {
    PointRows: (_point, _pin),
    SlideRow: (_slide, _slot),
    DotRow: (_dot, None),
    AngleRow: (None, _angle),
    LengthRow: (_length, _length),
    RollRow: (_roll, _roll),
    EdgeRow: (_edge, _edge),
}
"""For every kind of row what adds it to the tables and gives the number of its rows: in space, in a plane."""


def _angle_of(E) -> float:
    """Of the first of planar axes."""
    return float(np.arctan2(E[1, 0], E[0, 0]))


def _nearest_turn(angle, to) -> float:
    """The angle, whole turns apart, that is nearest to another one."""
    return float(angle + 2.0 * np.pi * np.round((to - angle) / (2.0 * np.pi)))


def _triad(axis, first=None) -> np.ndarray:
    """Axes as columns: the last one in space, the first one in a plane, is ``axis``; the first one near ``first``."""
    if len(axis) == 2:
        return np.array([[axis[0], -axis[1]], [axis[1], axis[0]]])
    if first is not None:
        first = first - (first @ axis) * axis
    if first is None or not np.linalg.norm(first) > 1e-3:
        first = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    first /= np.linalg.norm(first)
    return np.column_stack([first, np.cross(axis, first), axis])

"""Functions of systems without bodies: a few laws with parameters, so that nothing is compiled for each model.

Each is written once and runs interpreted or, marked by `ga.evaluator`, compiled. Parameters come as one vector p; the
first one is where the time begins.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import genalpha as ga
from fuzz.describe import ACCELERATION, DAMPER, FORCE, INERTIA, ONE, RATE, STIFFNESS, L, M, T


class Kind(NamedTuple):
    """Functions by their names in `ga.System`, dimensions of p and of q, whether energy is kept, and e."""

    functions: dict[str, Any]
    p: tuple[tuple[int, int, int], ...]
    q: tuple[tuple[int, int, int], ...]
    conserves: bool = False
    methods: tuple[str, ...] = ("PVA", "P", "PV", "V", "SOI2")


# ---------------------------------------------------------------- three masses on springs, driven


def springs_M(t, q, p):
    return np.diag(p[1:4])


def springs_f(t, q, v, p):
    x = np.array([-q[0], q[0] - q[1], q[1] - q[2]])
    push = -p[4] * x + p[5] * x**3 / p[6] ** 2
    first = np.array([push[0] * -1.0 - push[1] * -1.0, push[1] * -1.0 - push[2] * -1.0, push[2] * -1.0]) * -1.0
    drive = p[7] * np.sin(p[8] * (t - p[0]))
    return first - p[9] * v + np.array([0.0, 0.0, 1.0]) * drive


# ---------------------------------------------------------------- two masses on rods, the pivot may move


def rods_M(t, q, p):
    return np.diag(np.array([p[1], p[1], p[2], p[2]]))


def rods_f(t, q, v, p):
    return np.array([0.0, -p[1] * p[3], 0.0, -p[2] * p[3]]) + 0.0 * q


def rods_g(t, q, p):
    x = q[0] - p[6] * np.sin(p[7] * (t - p[0]))
    first = x * x + q[1] * q[1] - p[4] ** 2
    second = (q[2] - q[0]) ** 2 + (q[3] - q[1]) ** 2 - p[5] ** 2
    return np.array([first / p[4], second / p[5]])


def still_g(t, q, p):
    first = q[0] * q[0] + q[1] * q[1] - p[4] ** 2
    second = (q[2] - q[0]) ** 2 + (q[3] - q[1]) ** 2 - p[5] ** 2
    return np.array([first / p[4], second / p[5]])


def rods_energy(t, q, v, p):
    kinetic = 0.5 * p[1] * (v[0] ** 2 + v[1] ** 2) + 0.5 * p[2] * (v[2] ** 2 + v[3] ** 2)
    return kinetic, p[1] * p[3] * q[1] + p[2] * p[3] * q[3]


# ---------------------------------------------------------------- a skate on a slope: x, y, angle


def skate_M(t, q, p):
    return np.diag(np.array([p[1], p[1], p[2]]))


def skate_f(t, q, v, p):
    return np.array([p[1] * p[3], 0.0, 0.0]) + 0.0 * q


def skate_k(t, q, v, p):
    return np.array([np.sin(q[2]) * v[0] - np.cos(q[2]) * v[1]])


# ---------------------------------------------------------------- a bead on a parabola


def bead_M(t, q, p):
    return np.diag(np.array([p[1], p[1]]))


def bead_f(t, q, v, p):
    return np.array([0.0, -p[1] * p[2]]) + 0.0 * q


def bead_g(t, q, p):
    return np.array([q[1] - q[0] ** 2 / p[3]])


def bead_energy(t, q, v, p):
    return 0.5 * p[1] * (v[0] ** 2 + v[1] ** 2), p[1] * p[2] * q[1]


# ---------------------------------------------------------------- two masses in a line over a floor, with a wall above


def line_M(t, q, p):
    return np.diag(np.array([p[1], p[2]]))


def line_f(t, q, v, p):
    pull = p[4] * (q[1] - q[0] - p[5])
    return np.array([pull - p[1] * p[3], -pull - p[2] * p[3]])


def line_gap(t, q, p):
    return np.array([q[0], q[1] - q[0] - p[6], p[7] - q[1]])


def line_energy(t, q, v, p):
    kinetic = 0.5 * p[1] * v[0] ** 2 + 0.5 * p[2] * v[1] ** 2
    return kinetic, p[1] * p[3] * q[0] + p[2] * p[3] * q[1] + 0.5 * p[4] * (q[1] - q[0] - p[5]) ** 2


# ---------------------------------------------------------------- a mass matrix that is not symmetric and moves


def skew_M(t, q, p):
    a = p[2] * np.sin(p[3] * (t - p[0])) + p[2] * q[0] / p[4]
    return np.array([[p[1], a], [-a, p[1]]])


def skew_f(t, q, v, p):
    return -p[5] * q - p[6] * v


KINDS = {
    "springs": Kind({"M": springs_M, "f": springs_f},
                    (T, M, M, M, STIFFNESS, STIFFNESS, L, FORCE, RATE, DAMPER), (L, L, L)),
    "moving pivot": Kind({"M": rods_M, "f": rods_f, "g": rods_g}, (T, M, M, ACCELERATION, L, L, L, RATE), (L, L, L, L)),
    "rods": Kind({"M": rods_M, "f": rods_f, "g": still_g, "energy": rods_energy}, (T, M, M, ACCELERATION, L, L),
                 (L, L, L, L), True),
    "skate": Kind({"M": skate_M, "f": skate_f, "k": skate_k}, (T, M, INERTIA, ACCELERATION), (L, L, ONE)),
    "bead": Kind({"M": bead_M, "f": bead_f, "g": bead_g, "energy": bead_energy}, (T, M, ACCELERATION, L), (L, L), True),
    "line": Kind({"M": line_M, "f": line_f, "gap": line_gap, "energy": line_energy},
                 (T, M, M, ACCELERATION, STIFFNESS, L, L, L), (L, L), True, ("PVA", "PVV", "MoreauJean")),
    "skew": Kind({"M": skew_M, "f": skew_f}, (T, M, M, RATE, L, STIFFNESS, DAMPER), (L, L), False, ("SOI2", "PVA")),
}  # fmt: skip

MARKED = {kind: {name: f if name == "energy" else ga.evaluator(f) for name, f in given.functions.items()}
          for kind, given in KINDS.items()}  # fmt: skip


def system(kind: str, p, marked: bool = False, **more) -> ga.System:
    """The system of one of the kinds."""
    functions = MARKED[kind] if marked else KINDS[kind].functions
    return ga.System(**functions, params=p, **more)

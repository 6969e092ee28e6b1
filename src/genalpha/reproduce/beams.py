"""Beams: shapes, frequencies and a motion that others have computed, and closed forms."""

from __future__ import annotations

from typing import Any

import numpy as np

from genalpha import problems
from genalpha.analysis.modes import linearize
from genalpha.analysis.statics import equilibrium
from genalpha.problems import cantilevers, spin_up
from genalpha.reproduce.measure import solve_problem
from genalpha.reproduce.study import Study
from genalpha.reproduce.table import Row

ELEMENTS, FINE, ARM = 8, 32, 40
LOADS = (1.0, 10.0)


def tip(model, load_steps: int = 2) -> np.ndarray:
    """Where the free end of its beam is in equilibrium."""
    return equilibrium(model, load_steps=load_steps)["beam"].tip[-1]


def compute() -> dict[str, Any]:
    """Tips in equilibrium, frequencies, and the spin-up."""
    like = {"section": cantilevers.ROUNDED, "curve": cantilevers.parabola}
    parabola = [tip(cantilevers.bend(n, **like)) for n in (FINE, 2 * FINE)]
    return {
        "circle": {planar: tip(cantilevers.roll_up(10, planar), 10) for planar in (True, False)},
        "elastica": {load: tip(cantilevers.pushed(FINE, load)) for load in LOADS},
        "bend": {load: tip(cantilevers.bend(ELEMENTS, load)) for load in cantilevers.SIMO},
        "twists": tip(cantilevers.bend(FINE, section=cantilevers.TWISTS)),
        "parabola": (4.0 * parabola[1] - parabola[0]) / 3.0 - cantilevers.parabola(1.0),
        "frequencies": linearize(cantilevers.strip(2 * FINE), modes=4).frequencies,
        "spin-up": solve_problem(problems.get("spin_up", elements=ARM)),
    }


def rows(data) -> list[Row]:
    """All of them."""
    table = []
    for planar, place in data["circle"].items():
        where, distance = "plane" if planar else "space", np.linalg.norm(place)
        table.append(Row.below(f"beam-circle-{where}", f"roll-up, {where}: tip to root over L", 1e-12, distance))
    for load, place in data["elastica"].items():
        what = f"cantilever, force {load:g} EI/L²: {{}} of the tip over L"
        table += _three(f"beam-elastica-{load:g}", what, cantilevers.elastica(load)[:2], place[:2], 2e-4, 5)
    bathe = data["bend"][600.0] - cantilevers.arc(1.0)
    table += _three("beam-bathe", "bend, 600 lb: displacement {} of the tip, in", cantilevers.BATHE, bathe, 0.2, 3)
    for load, values in cantilevers.SIMO.items():
        what = f"bend, {load:g} lb: {{}} of the tip, in"
        table += _three(f"beam-simo-{load:g}", what, values, data["bend"][load], 0.1, 4)
    what = "bend, 600 lb, torsion constant of a square: {} of the tip, in"
    table += _three("beam-exudyn", what, cantilevers.EXUDYN, data["twists"], 0.01, 4)
    what = "parabolic beam, 600 lb: displacement {} of the tip, in"
    table += _three("beam-kynema", what, cantilevers.KYNEMA, data["parabola"], 1e-5, 8)
    for i, (value, ours) in enumerate(zip(cantilevers.frequencies(4), data["frequencies"], strict=True), start=1):
        table.append(Row.near(f"beam-frequency-{i}", f"cantilever: frequency {i}, Hz", value, ours, 1e-3 * value, 5))
    return table + _spin_up(data["spin-up"])


def _three(id, what, values, ours, tolerance, digits) -> list[Row]:
    return [
        Row.near(f"{id}-{axis}", what.format(axis), value, measured, tolerance, digits)
        for axis, value, measured in zip("xyz", values, ours, strict=False)
    ]


def _spin_up(sol) -> list[Row]:
    """The lag while the arm speeds up, and its extension at constant speed."""
    along, across = spin_up.lag(sol).T
    steady, printed = along[sol.t > spin_up.RAMP + 1.0].mean(), {k: v for k, (v, _) in spin_up.PRINTED.items()}
    largest, angle = "spin_up: largest lag of the tip, m", spin_up.rotation(sol).max()
    stretch = "spin_up: extension at constant speed, m"
    return [
        Row.near("spin-up-lag", largest, printed["lag"], -across.min(), 2e-3, 3),
        Row.near("spin-up-rotation", "spin_up: largest rotation of the tip, deg", printed["rotation"], angle, 2e-2, 3),
        Row.near(
            "spin-up-shortening", "spin_up: tip nearest to the hub, m", printed["shortening"], -along.min(), 5e-4, 2
        ),
        Row.near("spin-up-extension", stretch, printed["extension"], steady, 1e-6, 3),
        Row.near("spin-up-exudyn", largest, spin_up.LAG, -across.min(), 5e-4, 4),
        Row.near("spin-up-rod", stretch, spin_up.EXTENSION, steady, 1e-6, 4),
    ]


STUDY = Study(
    name="beams",
    title="Beams: circle, elastica, bend of 45 degrees, frequencies, spin-up",
    problems=("spin_up",),
    compute=compute,
    rows=rows,
    by_name=True,
)

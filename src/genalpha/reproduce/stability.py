"""Small motions about steady ones: a bicycle's balance, and the whirl of a rotor."""

from __future__ import annotations

from typing import Any

import numpy as np

from genalpha.analysis.modes import linearize
from genalpha.problems import bicycle, overhung
from genalpha.reproduce.study import Study
from genalpha.reproduce.table import Row

SPEEDS = tuple(np.arange(0.0, 10.5, 1.0))
WHIRL = (0.0, 300.0, 900.0)
PRINTED = {
    0.0: (-5.53094371765393, -3.13164324790656, 3.13164324790656, 5.53094371765393),
    5.0: (-14.07838969279822, -0.77534188219585 - 4.46486771378823j, -0.77534188219585 + 4.46486771378823j,
          -0.32286642900409),
}  # fmt: skip
STABLE = {"weave": (4.0, 4.6, 4.29238253634111), "capsize": (5.8, 6.2, 6.02426201538837)}
"""Where the bicycle becomes stable and unstable again: two speeds around it, and the one that is printed."""


def roots(speed: float) -> np.ndarray:
    """The four roots of lean and steer, by their real parts."""
    small = linearize(bicycle.model(speed))
    return np.sort_complex(small.eigenvalues[small.neutral :])


def limit(low: float, high: float) -> float:
    """The speed at which the largest real part changes its sign; there it is one more zero."""
    from scipy.optimize import brentq

    def growth(speed):
        found = roots(speed)
        return found[-1].real if len(found) == 4 else 0.0

    return float(brentq(growth, low, high, xtol=1e-12))  # pyright: ignore


def compute() -> dict[str, Any]:
    """Roots of the bicycle, the limits of its stability, angular velocities of whirl."""
    return {
        "bicycle": {speed: roots(speed) for speed in SPEEDS},
        "limits": {name: limit(low, high) for name, (low, high, _) in STABLE.items()},
        "whirl": {speed: 2.0 * np.pi * linearize(overhung.model(speed)).frequencies for speed in WHIRL},
    }


def rows(data) -> list[Row]:
    """All of them."""
    table = []
    for speed, printed in PRINTED.items():
        for i, (value, ours) in enumerate(zip(printed, data["bicycle"][speed], strict=True), start=1):
            parts = {"real": np.real, "imaginary": np.imag}
            for name, part in parts.items() if np.imag(value) > 0.0 else list(parts.items())[:1]:
                what = f"bicycle at {speed:g} m/s: {name} part of eigenvalue {i}, 1/s"
                table.append(Row.near(f"bicycle-{speed:g}-{i}-{name}", what, part(value), part(ours), 1e-9, 12))
    for speed, ours in data["bicycle"].items():
        error = np.abs(ours - bicycle.eigenvalues(speed)).max()
        what = f"bicycle at {speed:g} m/s: largest error of four eigenvalues, 1/s"
        table.append(Row.below(f"bicycle-all-{speed:g}", what, 1e-6, error))
    for name, (_, _, value) in STABLE.items():
        what = f"bicycle: {name} speed, m/s"
        table.append(Row.near(f"bicycle-{name}", what, value, data["limits"][name], 1e-9, 12))
    for speed, ours in data["whirl"].items():
        exact = overhung.whirl(speed)
        for i, value in enumerate(exact[np.argsort(np.abs(exact))], start=1):
            nearest = ours[np.argmin(np.abs(ours - abs(value)))]
            what = f"overhung rotor at {speed:g} rad/s: whirl {i}, {'back' if value < 0.0 else 'for'}wards, rad/s"
            table.append(Row.near(f"whirl-{speed:g}-{i}", what, abs(value), nearest, 1e-8 * abs(value), 10))
    return table


STUDY = Study(
    name="stability",
    title="Small motions about steady ones: a bicycle, and a rotor that whirls",
    problems=("bicycle",),
    compute=compute,
    rows=rows,
    by_name=True,
)

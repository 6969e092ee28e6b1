"""Colours that people tell apart who do not see red or green."""

import itertools
import re
from pathlib import Path

import numpy as np
import pytest

PALETTE = (Path(__file__).parents[2] / "viewer" / "src" / "palette.js").read_text(encoding="utf-8")

SIGHT = {
    "all": np.eye(3),
    "no red": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "no green": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
}
"""On linear RGB: Machado, Oliveira, Fernandes, A Physiologically-based Model for Simulation of Color Vision Deficiency
(2009), severity 1."""

TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)


def lists(name):
    """The colours of this name, of the light and of the dark theme."""
    return [re.findall(r"#\w{6}", found) for found in re.findall(rf"\b{name}: (\[[^\]]*\]|\"#\w+\")", PALETTE)]


def lab(colour, sight):
    """Where a colour is in CIELAB, seen with this sight."""
    rgb = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255.0
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    xyz = TO_XYZ @ np.clip(np.asarray(SIGHT[sight]) @ linear, 0.0, 1.0) / TO_XYZ.sum(axis=1)
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16.0 / 116.0)
    return np.array([116.0 * f[1] - 16.0, 500.0 * (f[0] - f[1]), 200.0 * (f[1] - f[2])])


def nearest(colours, sight):
    return min(float(np.linalg.norm(lab(a, sight) - lab(b, sight))) for a, b in itertools.combinations(colours, 2))


@pytest.mark.parametrize("sight", SIGHT)
@pytest.mark.parametrize("name", ["curves", "scenes", "bodies"])
@pytest.mark.parametrize("theme", [0, 1])
def test_neighbours_differ(name, theme, sight):
    """The first six of each list; a difference of 2 is just seen, ten is seen at a glance."""
    colours = lists(name)[theme][:6]
    assert len(colours) == 6
    assert nearest(colours, sight) >= 10.0


@pytest.mark.parametrize("sight", SIGHT)
@pytest.mark.parametrize("theme", [0, 1])
def test_forces_and_impacts_differ(theme, sight):
    assert nearest([lists("force")[theme][0], lists("impact")[theme][0]], sight) >= 20.0


@pytest.mark.parametrize("sight", SIGHT)
@pytest.mark.parametrize("theme", [0, 1])
def test_friction_differs_from_forces_and_impacts(theme, sight):
    assert nearest([lists(name)[theme][0] for name in ("force", "friction", "impact")], sight) >= 20.0


@pytest.mark.parametrize("sight", SIGHT)
@pytest.mark.parametrize("theme", [0, 1])
def test_what_sticks_differs_from_what_slides(theme, sight):
    """And both from the light or dark border around them."""
    assert nearest([lists(name)[theme][0] for name in ("stick", "friction", "halo")], sight) >= 20.0

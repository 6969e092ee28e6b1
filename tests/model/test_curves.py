"""Lines that beams follow: tangents, lengths."""

import math
import warnings

import numpy as np
import pytest

from genalpha.model.parts.curves import Line


def helix(s):
    """Three turns; takes complex numbers."""
    angle = 6.0 * np.pi * s
    return np.array([0.7 * np.cos(angle), 0.7 * np.sin(angle), 2.0 * s])


def along_helix(s):
    angle, rate = 6.0 * np.pi * s, 6.0 * np.pi
    return np.array([-0.7 * rate * np.sin(angle), 0.7 * rate * np.cos(angle), 2.0])


def real_helix(s):
    """Takes real numbers only."""
    angle = 6.0 * math.pi * s
    return 0.7 * math.cos(angle), 0.7 * math.sin(angle), 2.0 * s


def forgetful_helix(s):
    """Gives real numbers, with a warning, for complex ones."""
    return helix(np.asarray(s).astype(float))


@pytest.mark.parametrize(("curve", "error"), [(helix, 1e-14), (real_helix, 1e-7), (forgetful_helix, 1e-7)])
def test_tangents(curve, error):
    """Exact where curves take complex numbers, else by differences; nothing is said about those that were tried."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        line = Line.of("beam", None, None, curve)
        found = np.array([line.tangent(s) for s in np.linspace(0.0, 1.0, 11)])
    exact = np.array([along_helix(s) for s in np.linspace(0.0, 1.0, 11)])
    assert (line.slope is not None) == (curve is helix)
    assert np.abs(found - exact).max() < error * 6.0 * np.pi


def test_lengths():
    """Of pieces that are even: all of the same size on a line, and on a helix to round-off."""
    line = Line.of("beam", (0.1, 0.2, 0.3), (1.3, -0.7, 0.4), None)
    assert np.all(line.lengths(7) == line.lengths(7)[0])
    assert line.lengths(7).sum() == pytest.approx(math.sqrt(1.44 + 0.81 + 0.01), rel=1e-15)
    whole = math.hypot(0.7 * 6.0 * math.pi, 2.0)
    assert Line.of("beam", None, None, helix).lengths(7) == pytest.approx(whole / 7.0, rel=1e-14)

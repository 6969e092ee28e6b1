"""Solutions that the tests of the viewer share."""

import pytest
from runs import interpreted

import genalpha as ga


@pytest.fixture(scope="session")
def ball():
    """The bouncing ball, to rest."""
    return interpreted("bouncing_ball", 5e-3, 5.0)


@pytest.fixture(scope="session")
def pair():
    """The bouncing pendulum with PVV and with PVA."""
    return [
        interpreted("bouncing_pendulum", 4e-3, 1.2, method=ga.GeneralizedAlpha(formulation=name))
        for name in ("PVV", "PVA")
    ]

"""The step size that `check` advises for what is driven: prescribed motions, forces and surfaces in time."""

import numpy as np
import pytest

import genalpha as ga

OMEGA = 2.0 * np.pi  # 1 Hz


def crank(motion, **options):
    """A planar arm on a driven pin, at rest."""
    model = ga.Model("crank", planar=True)
    arm = model.add(ga.RigidBody("arm", mass=1.0, inertia=0.1, position=(0.5, 0.0)))
    model.add(ga.Revolute("pin", model.ground, arm, at=(0.0, 0.0)))
    model.add(ga.Drive("drive", "pin", motion=motion, **options))
    return model


@pytest.mark.parametrize("motion", [
    lambda t: OMEGA * t,
    lambda t: 1.0 - np.cos(OMEGA * t),
    lambda t: 1e-6 * np.sin(OMEGA * t),
])  # fmt: skip
def test_cranks(motion):
    """A turn, or a period, per second, whether or not v0 follows it: milliseconds, not hours."""
    report = ga.check(crank(motion))
    assert 1e-3 <= report.h <= 2.5e-2
    if motion(0.25) != OMEGA * 0.25:
        assert report.beat == pytest.approx(1.0, rel=0.05)
        assert "functions of t change with about 1 Hz: begin with h = 0.0" in str(report)
    else:
        assert report.beat is None


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e3])
def test_functions(unit):
    """Forces and surfaces; in other units of time."""
    shaken = ga.System(M=np.eye(1), f=lambda t, q, v: np.array([1e-9 * np.sin(200.0 * t / unit)]))
    assert ga.check(shaken, 0.3 * unit, [0.0], [0.0]).beat == pytest.approx(200.0 / OMEGA / unit, rel=0.05)
    table = ga.System(
        M=np.eye(1), f=lambda t, q, v: np.array([-9.81]), gap=lambda t, q: q - 1e-3 * np.sin(10.0 * np.pi * t / unit)
    )
    report = ga.check(table, 0.0, [1e-3], [0.0])
    assert report.beat == pytest.approx(5.0 / unit, rel=0.05)
    assert report.h <= 0.2 * unit / 40.0


def test_what_grows_steadily():
    """Ramps and parabolas have no frequency, and neither has what does not depend on t; nothing moves at rest."""
    for force in (lambda t: 3.0 * t, lambda t: t**2, lambda t: 5.0):
        system = ga.System(M=np.eye(1), f=lambda t, q, v, force=force: np.array([force(t)]))
        assert ga.check(system, 0.0, [0.0], [0.0]).beat is None
    model = crank(lambda t: 0.0 * t)
    report = ga.check(model)
    assert (report.pace, report.beat, report.h) == (None, None, None)


def test_the_faster_one_counts():
    """Vibrations and forces: the step suits both."""
    for force, wanted in ((2.0, 100.0), (1e3, 1e3)):
        system = ga.System(M=np.eye(1), f=lambda t, q, v, w=force: -1e4 * q + np.sin(w * t))
        report = ga.check(system, 0.0, [0.0], [0.0])
        assert report.h == pytest.approx(OMEGA / 40.0 / wanted, rel=0.6)
        assert report.h <= OMEGA / 40.0 / wanted


def test_tables_and_springs():
    """Functions that know some times only; a stiffness that changes shows itself beside q = 0."""

    def table(t):
        if t > 10.0:
            raise ValueError("no data")
        return np.sin(OMEGA * t)

    system = ga.System(M=np.eye(1), f=lambda t, q, v: np.array([table(t)]))
    assert ga.check(system, 0.0, [0.0], [0.0]).beat == pytest.approx(1.0, rel=0.05)
    mathieu = ga.System(M=np.eye(1), f=lambda t, q, v: -(1.0 + 0.2 * np.cos(50.0 * t)) * q)
    assert ga.check(mathieu, 0.0, [0.0], [0.0]).beat == pytest.approx(50.0 / OMEGA, rel=0.05)

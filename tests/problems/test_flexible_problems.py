"""Flexible problems of the collection, each with a number; and paper 002's as models against its functions."""

import numpy as np
import pytest

import genalpha as ga
from genalpha import problems
from genalpha.problems import cantilevers, rotor, spin_up


def solved(name, t_end=None, h=None, **parameters):
    problem = problems.get(name, **parameters)
    span = problem.t_span if t_end is None else (0.0, t_end)
    return ga.solve(problem.system(), span, problem.q0, problem.v0, problem.method, h=h or problem.h)


@pytest.mark.parametrize(
    "parameters",
    [{"elements": 20}, {"elements": 20, "planar": False}, {"elements": 6, "planar": False, "group": "SE3"}],
)
def test_spin_up(parameters):
    """The manoeuvre of Simo and Vu-Quoc: peaks while the arm speeds up, its extension at constant speed.

    The published values are peaks of a figure, given to two or three digits; another program (`spin_up.LAG`) and the
    extension of a rod under centrifugal force, ρA Ω² L³/(3 EA), have more. Lumped masses: coarse meshes bend and
    stretch a little more.
    """
    sol, fine = solved("spin_up", **parameters), parameters["elements"] == 20
    along, across = spin_up.lag(sol).T
    steady = along[sol.t > 16.0].mean()
    for name, values in {"shortening": -along, "lag": -across, "rotation": spin_up.rotation(sol)}.items():
        peak, time = spin_up.PRINTED[name]
        assert values.max() == pytest.approx(peak, rel=1e-2 if fine else 4e-2), name
        assert sol.t[values.argmax()] == pytest.approx(time, abs=0.1), name
    assert steady == pytest.approx(spin_up.PRINTED["extension"][0], rel=1e-2 if fine else 4e-2)
    assert -across.min() == pytest.approx(spin_up.LAG, rel=2e-3 if fine else 2e-2)
    assert sol.t[across.argmin()] == pytest.approx(spin_up.LAG_AT, abs=0.01 if fine else 0.03)
    assert steady == pytest.approx(spin_up.EXTENSION, rel=2e-3 if fine else 2e-2)
    assert np.abs(across[sol.t > 16.0]).max() < 1e-2


def test_elastica():
    """Elliptic integrals: the digits of tables (K. Mattiasson, Int. J. Numer. Methods Eng. 17 (1981)), small loads."""
    assert cantilevers.elastica(10.0) == pytest.approx((1.0 - 0.55500, 0.81061, 1.43029), abs=6e-6)
    assert cantilevers.elastica(1e-3)[1:] == pytest.approx((1e-3 / 3.0, 1e-3 / 2.0), rel=1e-5)


def test_flexible_pendulum():
    """The model and the functions of paper 002: the same motion, contacts and forces."""
    functions, model = (solved(name, 0.33, 2e-5) for name in ("flexible_pendulum", "flexible_pendulum_model"))
    tip = model["beam"].tip[:, :2]
    free = functions.t < 0.327
    assert tip[free] == pytest.approx(functions.q[free, -3:-1], abs=1e-12)
    assert tip == pytest.approx(functions.q[:, -3:-1], abs=1e-9)
    assert np.array(model.contact_intervals[0]) == pytest.approx(np.array(functions.contact_intervals[0]))
    assert model.contact_force.max() == pytest.approx(functions.contact_force.max(), rel=1e-6)
    # sum of kinetic, strain and weight
    assert model.energy.sum(axis=1) == pytest.approx(functions.energy.sum(axis=1), abs=1e-6)


def test_bar():
    """The model and the functions of paper 002, through contact and rebound."""
    functions, model = solved("bar", elements=40), solved("bar_model", elements=40)
    position = model["bar"].position[:, :, 0]
    assert position - position[0] == pytest.approx(functions.q, abs=1e-10)
    # the first touch lies on a step, and round-off decides which of two steps it belongs to
    forces = model.contact_force[:, 0], functions.contact_force[:, 0]
    assert np.cumsum(forces[0])[300:] == pytest.approx(np.cumsum(forces[1])[300:], rel=1e-9)
    assert model["bar"].force[:, :, 0].min() == pytest.approx(-300.0, rel=0.5)  # the wave, with its overshoot


def test_flexible_slider_crank():
    """With a stiff rod and no stop the piston goes as if it were rigid; the stop holds, and takes energy only."""
    stiff = solved("flexible_slider_crank", 0.02, elements=2, thickness=0.1, stop=None)
    crank = 0.5 * np.pi + stiff["main"].angle
    rigid = 0.15 * np.cos(crank) + np.sqrt(0.3**2 - (0.15 * np.sin(crank)) ** 2)
    assert stiff["piston"].position[:, 0] == pytest.approx(rigid, abs=2e-5)
    sol = solved("flexible_slider_crank")
    assert sol.gap.min() > -1e-12
    assert np.all(np.diff(sol.energy.sum(axis=1)) <= 1e-8)
    assert sol["stop"].impacts.time[0] == pytest.approx(0.01514, abs=1e-4)
    assert np.abs(sol["rod"].strain[..., 5]).max() > 0.3  # it bends, to a radius of some metres


def test_cable():
    """It touches the floor after free fall could, before a rigid rod would; energy only falls, nothing sinks in."""
    sol = solved("cable")
    first = sol.t[np.argmax(np.any(sol.gap < 1e-9, axis=1))]
    assert np.sqrt(2.0 * 0.692 / 9.81) * np.sqrt(2.0 / 3.0) < first < 0.5
    assert sol.gap.min() > -1e-12
    assert np.all(np.diff(sol.energy.sum(axis=1)) <= 1e-9)
    assert np.sum(np.any(sol.gap < 1e-9, axis=0)) >= 3


def test_rotor():
    """The tower sways at √(3 EI/(m L³)); centrifugal force and weight stretch the blades at their roots."""
    problem = problems.get("rotor", speed=0.0, gravity=0.0)
    frequencies = ga.linearize(problem.system(), modes=6).frequencies
    assert frequencies[0] == pytest.approx(0.0, abs=1e-3)  # the rotor turns freely
    length = rotor.RADIUS - rotor.HUB
    blade = rotor.GLASS.density * rotor.BLADE.A * length
    top = rotor.NACELLE + rotor.CENTRE + 3.0 * blade + 0.24 * rotor.STEEL.density * rotor.TOWER.A * rotor.HEIGHT
    sway = np.sqrt(3.0 * rotor.STEEL.E * rotor.TOWER.Iz / (top * rotor.HEIGHT**3)) / (2.0 * np.pi)
    assert np.min(np.abs(frequencies / sway - 1.0)) < 0.1
    sol = solved("rotor", 2.0 * np.pi / 15.0, gravity=0.0)
    mean = sol["blade1"].force[len(sol.t) // 4 :, 0, 0].mean()
    middle = rotor.HUB + length / 8.0  # of the first of four elements
    centrifugal = rotor.GLASS.density * rotor.BLADE.A * 15.0**2 * 0.5 * (rotor.RADIUS**2 - middle**2)
    assert mean == pytest.approx(centrifugal, rel=0.05)
    assert sol["shaft"].rate[-1] == pytest.approx(15.0, rel=1e-2)

"""The figure of a solution: which panels, what they are called, what is drawn."""

import numpy as np
import pytest

import genalpha as ga
from genalpha import problems


def solved(name, t_end, **options):
    problem = problems.get(name)
    return ga.solve(problem.system(), (0.0, t_end), problem.q0, problem.v0, problem.method, h=problem.h, **options)


def titles(figure):
    return [axis.get_title(loc="left") for axis in figure.axes]


def labels(axis):
    return axis.get_legend_handles_labels()[1]


def test_panels_of_a_system_with_contacts():
    sol = solved("bouncing_pendulum", 4.0)
    figure = sol.plot(title="a pendulum")
    assert titles(figure) == [
        "configuration q",
        "velocity v",
        "multipliers of the constraints",
        "how far the constraints are off",
        "gaps; | impacts, bands: closed",
        "energy (J)",
    ]
    assert labels(figure.axes[0]) == ["x", "y", "θ"]
    assert labels(figure.axes[1]) == ["dx/dt", "dy/dt", "dθ/dt"]
    assert labels(figure.axes[2]) == ["λ pin.x", "λ pin.y"]
    np.testing.assert_array_equal(figure.axes[0].lines[2].get_ydata(), sol.q[:, 2])
    off = np.concatenate([line.get_ydata() for line in figure.axes[3].lines])
    assert np.max(off) < 1e-12
    assert np.min(off) >= 1e-17
    assert figure.axes[4].lines[1].get_xdata().size == sol.impacts.time.size
    assert len(figure.axes[4].patches) == len(sol.contact_intervals[0])
    assert "lost in impacts" in labels(figure.axes[5])


def test_panels_without_constraints_and_of_many_coordinates():
    assert titles(solved("oscillator", 0.1).plot()) == ["configuration q", "velocity v", "energy (J)"]
    figure = solved("chain16", 0.01).plot()
    assert titles(figure)[0] == "configuration q, the first 8 of 48"
    assert len(figure.axes[0].lines) == 8


def test_a_nonholonomic_system_without_energy():
    figure = solved("jay_negrut", 0.1).plot()
    assert len(figure.axes) == 4
    assert labels(figure.axes[3]) == ["|g|", "|ġ|", "|g̈|", "|k|"]


def test_quantities_on_request():
    sol = solved("bouncing_pendulum", 0.5)
    figure = sol.plot("θ", "wall", sol.v[:, :2])
    assert titles(figure) == ["θ", "wall", "given"]
    np.testing.assert_array_equal(figure.axes[1].lines[0].get_ydata(), sol.gap[:, 0])
    assert labels(figure.axes[2]) == ["[0]", "[1]"]


def test_a_model():
    model = ga.Model("pendulum", gravity=(0.0, 0.0, -9.81))
    rod = model.add(ga.RigidBody("rod", mass=1.0, inertia=(0.1, 0.1, 0.01), position=(1.0, 0.0, 0.0)))
    model.add(ga.Revolute("pin", model.ground, rod, at=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0)))
    sol = ga.solve(model, (0.0, 0.05), h=1e-2)
    figure = sol.plot()
    assert titles(figure) == [
        "positions (m)",
        "joint angles (rad)",
        "sizes of joint forces (N)",
        "how far the constraints are off",
        "energy (J)",
    ]
    assert labels(figure.axes[0]) == ["rod.x", "rod.y", "rod.z"]
    np.testing.assert_array_equal(figure.axes[1].lines[0].get_ydata(), sol["pin"].angle)
    force = np.linalg.norm(sol["pin"].force, axis=1)
    np.testing.assert_array_equal(figure.axes[2].lines[0].get_ydata(), force)
    figure = sol.plot("rod.position", "pin.angle")
    assert titles(figure) == ["rod.position (m)", "pin.angle (rad)"]
    assert labels(figure.axes[0]) == ["x", "y", "z"]
    assert titles(sol.plot("rod")) == ["rod.position (m)", "rod.velocity (m/s)"]
    assert titles(sol.plot(model.parts["pin"])) == ["pin.angle (rad)", "pin.force (N)", "pin.torque (N m)"]
    with pytest.raises(ga.InputError, match="'rod' has no 'colour'; there are acceleration, angular_velocity, "):
        sol.plot("rod.colour")
    with pytest.raises(ga.InputError, match=r"there is no part 'rood' .*did you mean 'rod'"):
        sol.plot("rood.position")


def test_figures_show_themselves():
    """A last line of a cell is enough: no backend of notebooks is needed."""
    figure = solved("oscillator", 0.1).plot()
    assert figure._repr_png_().startswith(b"\x89PNG")


def test_bad_requests(monkeypatch):
    sol = solved("oscillator", 0.1)
    with pytest.raises(ga.InputError, match="there is no quantity 'speed'"):
        sol.plot("speed")
    with pytest.raises(ga.InputError, match="has 3 rows, the solution has"):
        sol.plot(np.zeros(3))
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ga.MissingExtra, match=r"pip install 'genalpha\[plot\]'"):
        sol.plot()

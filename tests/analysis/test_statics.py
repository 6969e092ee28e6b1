"""Equilibrium: exact and published shapes, contacts, functions, and what has none."""

import numpy as np
import pytest

import genalpha as ga
from genalpha.problems import cantilevers
from genalpha.problems.cantilevers import UNIT as STIFF


@pytest.mark.parametrize(("planar", "elements"), [(True, 3), (True, 10), (True, 20), (False, 10)])
def test_a_moment_rolls_the_beam_into_a_circle(planar, elements):
    """Corners of a regular polygon, with the tip at the origin, whatever the number of elements."""
    moment = 2.0 * np.pi * STIFF.EI
    found = ga.equilibrium(cantilevers.roll_up(elements, planar), load_steps=10)["beam"]
    assert found.tip[-1] == pytest.approx(0.0, abs=1e-12)
    centre = found.position[-1, :-1].mean(axis=0)
    radius = 0.5 / elements / np.sin(np.pi / elements)
    assert np.linalg.norm(found.position[-1] - centre, axis=1) == pytest.approx(radius, abs=1e-12)
    assert found.moment[-1, :, 2] == pytest.approx(moment, rel=1e-10)


def test_bend_of_45_degrees():
    """Both groups have the same equilibrium; the clamp carries the load and its moments. Numbers: ``verify beams``."""
    one, two = (ga.equilibrium(cantilevers.bend(6, group=group), load_steps=2) for group in ("R3xSO3", "SE3"))
    tip = two["beam"].tip[-1]
    assert tip == pytest.approx(one["beam"].tip[-1], abs=1e-8)
    assert two["root"].force[-1] == pytest.approx([0.0, 0.0, -600.0], abs=1e-6)
    assert two["root"].torque[-1] == pytest.approx(-np.cross(tip, (0.0, 0.0, 600.0)), rel=1e-6, abs=1e-3)


def test_exact_bending():
    """Small loads: nodes of the corrected element are exact, those of the plain one off by 1/(4 n²) of the bending."""
    for exact, share in ((True, 1.0), (False, 1.0 - 1.0 / 16.0)):
        model, beam = cantilevers.straight(2, exact_bending=exact)
        model.add(ga.PointForce("load", beam.nodes[-1], force=(0.0, 1e-3)))
        tip = ga.equilibrium(model)["beam"].tip[-1, 1]
        assert tip == pytest.approx(1e-3 * (share / 300.0 + 1.0 / 5e3), rel=1e-6)


def test_twisted_and_curved_shapes_are_free_of_stress():
    model = ga.Model("helix")
    helix = ga.Beam("helix", curve=lambda s: (np.cos(4 * s), np.sin(4 * s), s), elements=6, section=STIFF, twist=1.0)
    model.add(helix)
    model.add(ga.Fixed("root", model.ground, helix.nodes[0], at=helix.points[0]))
    found = ga.equilibrium(model)
    assert found["helix"].strain[-1] == pytest.approx(0.0, abs=1e-14)
    assert helix.length == pytest.approx(np.sqrt(17.0), rel=1e-9)


def test_bars_hang():
    """A chain of bars under its weight: the tension carries what hangs below; it has no stiffness across but this."""
    model = ga.Model("chain", planar=True, gravity=(0.0, -10.0))
    bar = model.add(ga.Bar("bar", (0.0, 0.0), (0.0, -1.0), elements=4, section=STIFF))
    model.add(ga.Revolute("eye", model.ground, bar.nodes[0], at=(0.0, 0.0)))
    found = ga.equilibrium(model)["bar"]
    assert found.force[-1, :, 0] == pytest.approx([8.75, 6.25, 3.75, 1.25], rel=1e-9)
    assert found.tip[-1] == pytest.approx([0.0, -1.0 - 20.0 / 4e4, 0.0], abs=1e-12)


def test_functions_and_contacts():
    """A weight on a spring above a floor: free, or on the floor, with the force that is left to it."""
    for k, height, force in ((100.0, -0.1, 0.0), (10.0, -0.5, 5.0)):
        system = ga.System(M=np.eye(1), f=lambda t, q, v, k=k: -k * q - 10.0, gap=lambda t, q: q + 0.5)
        found = ga.equilibrium(system, [0.2])
        assert found.q[-1, 0] == pytest.approx(height, abs=1e-12)
        assert found.lam_n[-1, 0] == pytest.approx(force, abs=1e-9)


def test_what_has_no_equilibrium():
    model, beam = ga.Model("loose", planar=True, gravity=(0.0, -10.0)), None
    beam = model.add(ga.Beam("beam", (0.0, 0.0), (1.0, 0.0), elements=2, section=STIFF))
    with pytest.raises(ga.ConvergenceError, match=r"nothing resists a motion of beam\.\d\.\w+.*hold it by a joint"):
        ga.equilibrium(model)
    model.add(ga.Fixed("root", model.ground, beam.nodes[0], at=(0.0, 0.0)))
    with pytest.raises(ga.InputError, match="load_steps = 0 must be a positive integer"):
        ga.equilibrium(model, load_steps=0)
    with pytest.raises(ga.InputError, match="needs a configuration q0"):
        ga.equilibrium(ga.System(M=np.eye(1), f=lambda t, q, v: -q))
    nan = ga.System(M=np.eye(1), f=lambda t, q, v: np.full(1, np.nan) if q[0] != 1.0 else -q)
    with pytest.raises(ga.NonFiniteError, match="not finite"):
        ga.equilibrium(nan, [1.0])

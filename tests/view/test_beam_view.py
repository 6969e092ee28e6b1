"""Beams in the viewer: tubes through the nodes, tangent to the sections, coloured by strain."""

import numpy as np
import pytest

import genalpha as ga
from genalpha.view.model import model_quantities, model_tracks


def test_tubes():
    model = ga.Model("arm", planar=True)
    steel = ga.Material(E=1e6, density=1000.0)
    section = ga.Section.rectangle(0.02, 0.01)
    arm = model.add(ga.Beam("arm", (0, 0), (1, 0), elements=4, section=section, material=steel))
    model.add(ga.Fixed("root", model.ground, arm.nodes[0], at=(0, 0)))
    model.add(ga.Torque("moment", arm.nodes[-1], torque=0.5 * np.pi * steel.E * section.Iz))
    found = ga.equilibrium(model, load_steps=8)
    tracks = model_tracks(found)
    (tube,) = tracks.lines
    assert tube.points.shape == (len(found.load), 25, 3)
    assert tube.points[:, ::6] == pytest.approx(found["arm"].position, abs=1e-12)
    # a quarter of a circle: every point of the tube is near it, and the strain is κ h/2
    centre = np.array([0.0, found["arm"].tip[-1, 1], 0.0])
    radii = np.linalg.norm(tube.points[-1] - centre, axis=1)
    assert radii == pytest.approx(2.0 / np.pi, rel=2e-2)
    assert tube.value[-1] == pytest.approx(0.01 * 0.5 * np.pi, rel=1e-6)
    assert tube.value[0] == pytest.approx(0.0, abs=1e-12)
    assert [body.name for body in tracks.bodies] == ["arm tip", "root"]
    names = [quantity.name for quantity in model_quantities(found)]
    assert {"strain energy arm", "largest strain arm", "tip speed arm"} <= set(names)
    assert "speed arm.2" not in names

"""What beams and bars refuse, by name and with a remedy; results by name."""

import numpy as np
import pytest

import genalpha as ga

SECTION, STEEL = ga.Section.circle(0.01), ga.Material(E=2.1e11, density=7800.0)
LINE = {"start": (0, 0, 0), "end": (1, 0, 0)}
GOOD = {**LINE, "section": SECTION, "material": STEEL}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({**GOOD, "elements": 0}, "Beam 'arm': elements = 0 must be a positive integer"),
        ({**GOOD, "mass": "heavy"}, "mass = 'heavy' must be one of lumped, consistent"),
        ({**GOOD, "material": None}, "a Section needs a material; pass material=Material"),
        ({**LINE}, "section = None must be a Section, as Section.rectangle"),
        ({**GOOD, "section": ga.Rigidity(EA=1.0, mass=1.0)}, "a Rigidity contains its material"),
        ({**LINE, "section": ga.Rigidity(EA=1.0, mass=1.0)}, "its Rigidity lacks GA, EI, inertia, GJ"),
        ({**GOOD, "rayleigh": (1.0,)}, "rayleigh = .* must be two numbers"),
        ({**GOOD, "viscosity": -1.0}, "viscosity = -1.0 must be a time, not negative"),
        ({**GOOD, "viscosity": 1.0, "rayleigh": (0.0, 1.0)}, "give one of them"),
        ({**GOOD, "end": (0, 0, 0)}, "start and end coincide"),
        ({**GOOD, "end": (1, 0)}, "start has 3 and end has 2 coordinates"),
        ({**GOOD, "start": "here"}, "start = 'here' must be three finite numbers"),
        ({**GOOD, "curve": lambda s: (s, 0, 0)}, "give start and end, or a curve, not both"),
        ({**GOOD, "start": None, "end": None, "curve": 3}, "curve must be a function of s"),
        ({**GOOD, "start": None, "end": None, "curve": lambda s: (0, 0, 0)}, "the curve stands still"),
        ({**GOOD, "start": None, "end": None, "curve": lambda s: (1.1, 2.3, -7.7)}, "the curve stands still"),
        ({**GOOD, "group": "SO2"}, "group = 'SO2' must be one of R3xSO3, SE3"),
        ({**GOOD, "group": "SE3", "mass": "consistent"}, 'not constant on SE.3.; take mass="lumped"'),
        ({**GOOD, "start": (0, 0), "end": (1, 0), "twist": 1.0}, "a planar beam has no twist"),
    ],
)
def test_refused(options, message):
    with pytest.raises(ga.InputError, match=message):
        ga.Beam("arm", **options)


def test_refused_by_the_model():
    arm = ga.Beam("arm", **GOOD, across=(1, 0, 0))
    with pytest.raises(ga.InputError, match=r"across = .* is along the beam; give a direction across it"):
        ga.Model("m").add(arm)
    with pytest.raises(ga.InputError, match=r"Beam 'arm': its points have three coordinates; those of a planar model"):
        ga.Model("m", planar=True).add(ga.Beam("arm", **GOOD))
    model = ga.Model("m")
    model.add(ga.PointMass("arm.3", mass=1.0))
    with pytest.raises(ga.InputError, match=r"there are two parts called 'arm.3'"):
        model.add(ga.Beam("arm", **GOOD))
    with pytest.raises(
        ga.InputError, match="a model takes bodies, joints, constraints, forces, beams and contacts, not a int"
    ):
        model.add(3)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ga.Section.tube(0.1, 0.2), "the inner radius 0.2 must be below the outer one"),
        (lambda: ga.Section.rectangle(0.0, 1.0), "height = 0.0 must be a positive number"),
        (lambda: ga.Section(A=1.0, Iy=1.0, Iz=-1.0), "Iz = -1.0 must be a positive number"),
        (lambda: ga.Material(E=1.0, density=1.0, poisson=0.7), "poisson = 0.7 must lie between"),
        (lambda: ga.Rigidity(EA=1.0, mass=1.0, EI=(1.0, 2.0, 3.0)), "EI = .* must be a number, or two of them"),
    ],
)
def test_sections_refused(make, message):
    with pytest.raises(ga.InputError, match=message):
        make()


def test_sections():
    """A tube without a hole is a circle; the torsion of squares and of thin rectangles is known."""
    assert ga.Section.tube(1.0, 1e-9).A == pytest.approx(ga.Section.circle(1.0).A)
    assert ga.Section.rectangle(1.0, 1.0).J == pytest.approx(0.140577, rel=1e-5)
    assert ga.Section.rectangle(100.0, 1.0).J == pytest.approx(100.0 / 3.0 * (1.0 - 0.0063), rel=1e-4)
    assert ga.Section.circle(1.0).J is None
    r = ga.Section.circle(1.0).of(ga.Material(E=2.6, density=1.0))
    assert r.GJ == pytest.approx(0.5 * np.pi)


def test_results():
    """By name: the beam, its nodes; at rest a hanging bar carries its weight."""
    model = ga.Model("m", gravity=(0.0, 0.0, -10.0))
    arm = model.add(ga.Beam("arm", (0, 0, 0), (0, 0, -1), elements=4, section=SECTION, material=STEEL, viscosity=1e-3))
    model.add(ga.Fixed("root", model.ground, arm.nodes[0], at=(0, 0, 0)))
    found = ga.equilibrium(model)
    assert found["arm"].s == pytest.approx([0.125, 0.375, 0.625, 0.875])
    weight = 10.0 * STEEL.density * SECTION.A
    assert found["arm"].force[-1, :, 0] == pytest.approx(weight * (1.0 - found["arm"].s), rel=1e-7)
    assert found["arm"].moment[-1] == pytest.approx(0.0, abs=1e-6)
    assert found["arm"].tip[-1] == pytest.approx(found["arm.4"].position[-1], abs=0.0)
    assert found["arm"].orientation.shape == (2, 5, 4)
    squares = np.sum(found["arm"].force[-1, :, 0] ** 2)
    assert found["arm"].energy[-1] == pytest.approx(squares / 8.0 / STEEL.E / SECTION.A)
    model = ga.Model("m")
    model.add(ga.Bar("bar", (0, 0, 0), (1, 0, 0), section=SECTION, material=STEEL))
    sol = ga.solve(model, (0.0, 0.01), h=0.01)
    assert sol["bar"].strain.shape == (2, 1, 1)
    with pytest.raises(ga.InputError, match="Bar 'bar' has no moment; a Beam has"):
        _ = sol["bar"].moment

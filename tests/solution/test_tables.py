"""Tables, peaks and files with named columns and units; what pandas and xarray get."""

import csv

import numpy as np
import pytest

import genalpha as ga


@pytest.fixture(scope="module")
def sol():
    """A pendulum in a plane, in mm and t."""
    model = ga.Model("pendulum", gravity=(0.0, -9810.0), planar=True, units="mm-t-s")
    rod = model.add(ga.RigidBody("rod", mass=1e-3, inertia=80.0, position=(500.0, 0.0)))
    model.add(ga.Revolute("pin", model.ground, rod, at=(0.0, 0.0)))
    model.add(ga.TorsionSpring("coil", "pin", stiffness=100.0))
    return ga.solve(model, (0.0, 0.5), h=1e-2)


def test_columns_have_names_and_units(sol):
    table = sol.table("pin.force", "pin.torque", "rod", "coil.effort", "coil.power")
    assert table.columns == (
        "t [s]", "pin.force.x [N]", "pin.force.y [N]", "pin.torque.z [N mm]",
        "rod.position.x [mm]", "rod.position.y [mm]", "rod.angle [rad]",
        "rod.velocity.x [mm/s]", "rod.velocity.y [mm/s]",
        "coil.effort [N mm]", "coil.power [mW]",
    )  # fmt: skip
    assert table.values.shape == (len(sol.t), 11)
    np.testing.assert_array_equal(table["t"], sol.t)
    np.testing.assert_array_equal(table["pin.force.y [N]"], sol["pin"].force[:, 1])
    np.testing.assert_array_equal(np.asarray(table)[:, 6], sol["rod"].angle)
    with pytest.raises(ga.InputError, match=r"no column 'pin.force.z' in this table; there are t \[s\], "):
        _ = table["pin.force.z"]


def test_defaults(sol):
    assert sol.table().columns == (
        "t [s]", "rod.position.x [mm]", "rod.position.y [mm]", "pin.angle [rad]", "pin.force.x [N]", "pin.force.y [N]",
        "coil.effort [N mm]",
    )  # fmt: skip


def test_it_prints_its_ends(sol):
    lines = str(sol.table("pin.force")).splitlines()
    assert lines[0].split() == ["t", "pin.force.x", "pin.force.y"]
    assert lines[1].split() == ["[s]", "[N]", "[N]"]
    assert lines[7].split() == ["..."] * 3
    assert len(lines) == 14
    assert lines[-1] == "51 rows"
    html = sol.table("pin.force")._repr_html_()
    assert "<th>pin.force.x [N]</th>" in html
    assert html.count("<tr>") == 11


def test_csv(sol, tmp_path):
    sol.save(tmp_path / "x.csv", "pin.force", "pin.angle")
    rows = list(csv.reader((tmp_path / "x.csv").read_text(encoding="utf-8").splitlines()))
    assert rows[0] == ["t [s]", "pin.force.x [N]", "pin.force.y [N]", "pin.angle [rad]"]
    numbers = np.array(rows[1:], dtype=float)
    np.testing.assert_array_equal(numbers[:, 3], sol["pin"].angle)
    with pytest.raises(ga.InputError, match=r"quantities by name are saved as \.csv"):
        sol.save(tmp_path / "x.npz", "pin.force")


def test_peaks(sol):
    found, force = sol.peaks("pin.force", "pin.angle"), sol["pin"].force
    size = np.linalg.norm(force, axis=1)
    assert [peak.name for peak in found] == ["pin.force.x", "pin.force.y", "|pin.force|", "pin.angle"]
    peak = found["|pin.force|"]
    assert (peak.largest, peak.t_largest) == (size.max(), sol.t[size.argmax()])
    assert found["pin.force.x"].smallest == force[:, 0].min()
    assert found["pin.force.x"].t_smallest == sol.t[force[:, 0].argmin()]
    assert found["pin.angle"].unit == "rad"
    assert "at t (s)" in str(found).splitlines()[0]
    assert "|pin.force|" in found._repr_html_()
    with pytest.raises(ga.InputError, match=r"there is no '\|pin\|' here; there are pin.force.x"):
        _ = found["|pin|"]


def test_pandas(sol):
    pytest.importorskip("pandas")
    frame = sol.to_pandas("pin.force")
    assert frame.index.name == "t [s]"
    assert list(frame.columns) == ["pin.force.x [N]", "pin.force.y [N]"]
    np.testing.assert_array_equal(frame["pin.force.y [N]"], sol["pin"].force[:, 1])


def test_xarray(sol):
    pytest.importorskip("xarray")
    found = sol.to_xarray("pin.force", "pin.angle", "rod.position")
    assert found["pin.force"].dims == ("t", "axis")
    assert found["pin.force"].attrs["units"] == "N"
    assert found["t"].attrs["units"] == "s"
    np.testing.assert_array_equal(found["pin.force"].sel(axis="y"), sol["pin"].force[:, 1])
    np.testing.assert_array_equal(found["pin.angle"], sol["pin"].angle)


def test_a_missing_package_is_named(sol, monkeypatch):
    monkeypatch.setattr("genalpha.solution.tables.find_spec", lambda name: None)
    for method, package in ((sol.to_pandas, "pandas"), (sol.to_xarray, "xarray")):
        with pytest.raises(ga.MissingExtra, match=rf"needs {package}: pip install 'genalpha\[tables\]'"):
            method("pin.force")


def test_units_are_in_the_file(sol, tmp_path):
    sol.save(tmp_path / "run.h5")
    found = ga.load(tmp_path / "run.h5")
    assert found.system.model.units == "mm-t-s"
    assert found.table("pin.force").columns == ("t [s]", "pin.force.x [N]", "pin.force.y [N]")


def test_words_of_a_model_without_units():
    """As files had them before there were units."""
    from genalpha.solution.files.rebuild import rebuild
    from genalpha.solution.files.recipe import recipe

    model = ga.Model("m")
    model.add(ga.PointMass("p", mass=1.0))
    words = recipe(model.assemble())
    assert words is not None
    del words["model"]["options"]["units"]
    assert rebuild(words).model.units == "SI"


def test_a_system_of_functions():
    system = ga.System(M=np.eye(1), f=lambda t, q, v: np.array([-9.81]), names={"q": ["height"]})
    sol = ga.solve(system, (0.0, 0.1), [1.0], [0.0], h=0.05)
    assert sol.table().columns == ("t [s]", "height")
    assert sol.table(sol.v).columns == ("t [s]", "given")
    with pytest.raises(ga.InputError, match="there is no quantity 'heigth'"):
        sol.table("heigth")
    with pytest.raises(ga.InputError, match="'given' has 2 rows, the solution has 3 rows"):
        sol.table(np.zeros(2))


def test_every_quantity_has_a_column_for_every_number():
    """No part, in space or in a plane, has a result over time that a table cannot show."""
    model = ga.Model("space", gravity=(0.0, 0.0, -9.81))
    section = ga.Rigidity(EA=1e4, GA=1e4, EI=1.0, GJ=1.0, mass=1.0, inertia=0.1)
    beam = model.add(ga.Beam("beam", (0, 0, 0), (1, 0, 0), 2, section))
    model.add(ga.Fixed("root", model.ground, beam.nodes[0], at=(0, 0, 0)))
    box = model.add(ga.RigidBody("box", shape=ga.Box((0.2, 0.2, 0.2)), density=500.0, position=(2.0, 0.0, 0.5)))
    model.add(ga.Contact("floor", box, ga.Plane()))
    model.add(ga.Bushing("mount", model.ground, box, stiffness=(10.0,) * 6))
    sol = ga.solve(model, (0.0, 0.01), h=5e-3)
    for name in ("beam", "root", "box", "floor", "mount"):
        for quantity in sol[name].quantities:
            value = getattr(sol[name], quantity)
            if not (isinstance(value, np.ndarray) and len(value) == len(sol.t)):
                continue
            table = sol.table(f"{name}.{quantity}")
            assert len(set(table.columns)) == len(table.columns) == 1 + value[0].size, (name, quantity)
            np.testing.assert_array_equal(table.values[:, 1:], value.reshape(len(value), -1))


def test_a_wrong_attribute_lists_what_users_want(sol):
    with pytest.raises(AttributeError, match=r"no attribute 'rod'; there are .*energy.*table") as info:
        _ = sol.rod
    assert "results by name, sol[...]" in str(info.value)
    assert not {"checkpoint", "origin", "t_last"} & set(str(info.value).replace(",", "").split())

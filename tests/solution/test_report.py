"""Reports: what they say, as HTML and as PDF, from Python and from the command line."""

import re

import numpy as np
import pytest
from click.testing import CliRunner

import genalpha as ga
from genalpha.cli import main
from genalpha.solution.report_content import content, split


@pytest.fixture(scope="module")
def sol():
    """A pendulum that swings against a stop."""
    model = ga.Model("pendulum <1>", gravity=(0.0, 0.0, -9.81))
    rod = model.add(ga.RigidBody("rod", mass=1.0, inertia=(0.1, 0.1, 0.01), position=(1.0, 0.0, 0.0)))
    model.add(ga.Revolute("pin", model.ground, rod, at=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0)))
    model.add(ga.Contact("stop", rod, ga.Plane((0.0, 0.0, -0.8)), restitution=0.5, radius_a=0.0))
    return ga.solve(model, (0.0, 1.0), h=5e-3)


def rows_of(report, title):
    section = next(one for one in report.sections if one.title == title)
    return {row[0]: row for grid in section.grids for row in grid.rows}


def test_numbers_are_those_of_the_solution(sol):
    report = content(sol)
    assert [one.title for one in report.sections] == [
        "Model", "Motion", "Peaks of joint forces", "How well constraints hold", "Energies", "Contacts and impacts"
    ]  # fmt: skip
    size = np.linalg.norm(sol["pin"].force, axis=1)
    peak = rows_of(report, "Peaks of joint forces")["|pin.force|"]
    assert float(peak[1]) == pytest.approx(size.max(), rel=1e-5)
    assert float(peak[2]) == pytest.approx(sol.t[size.argmax()], rel=1e-5)
    assert "pin.force.y" not in rows_of(report, "Peaks of joint forces")  # round-off
    energies, ledger = rows_of(report, "Energies"), sol.ledger
    assert float(energies["kinetic"][2]) == pytest.approx(ledger.kinetic[-1], rel=1e-5)
    assert float(energies["lost in impacts"][2]) == pytest.approx(ledger.impacts[-1], rel=1e-5)
    total = sum(float(row[2]) for row in energies.values())
    assert total == pytest.approx(float(energies["potential"][1]), abs=1e-4)
    impacts = next(one for one in report.sections if one.title == "Contacts and impacts")
    assert len(impacts.grids[0].rows) == min(len(sol.impacts.time), 41)
    assert dict(report.facts)["time"] == "0 .. 1 s"


def test_html(sol, tmp_path):
    path = sol.save_report(tmp_path / "r.html")
    text = path.read_text(encoding="utf-8")
    assert "<h1>pendulum &lt;1&gt;</h1>" in text
    assert text.count("data:image/svg+xml;base64,") == 2
    assert not re.search(r'(src|href)="(?!data:)', text)  # it needs nothing else


def test_pdf(sol, tmp_path):
    data = sol.save_report(tmp_path / "r.pdf", title="a stop").read_bytes()
    assert data.startswith(b"%PDF")
    assert len(re.findall(rb"/Type /Page\b", data)) >= 3


def test_command_line(sol, tmp_path):
    file = tmp_path / "run.h5"
    sol.save(file)
    done = CliRunner().invoke(main, ["report", str(file), "--title", "mine"], env={"COLUMNS": "80"})
    assert done.exit_code == 0, done.output
    assert "<h1>mine</h1>" in file.with_suffix(".html").read_text(encoding="utf-8")
    done = CliRunner().invoke(main, ["report", str(file), "--out", str(tmp_path / "r.doc")])
    assert done.exit_code == 2
    assert "a report is saved as .html or .pdf" in done.output.replace("\n", " ")


def test_a_system_of_functions(tmp_path):
    system = ga.System(M=np.eye(1), f=lambda t, q, v: np.array([-9.81]))
    sol = ga.solve(system, (0.0, 0.1), [1.0], [0.0], h=0.05)
    assert [one.title for one in content(sol).sections] == ["Motion"]
    assert sol.save_report(tmp_path / "r.html").exists()


@pytest.mark.parametrize(("n", "most", "sizes"), [(0, 4, []), (4, 4, [4]), (5, 4, [3, 2]), (9, 4, [3, 3, 3])])
def test_panels_are_split_evenly(n, most, sizes):
    assert [len(one) for one in split([(print, ())] * n, most)] == sizes

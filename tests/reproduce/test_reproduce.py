"""The reproduced table and figures: rows, files, studies."""

import csv

import numpy as np
import pytest

import genalpha as ga
from genalpha import problems, reproduce
from genalpha.reproduce import methods, style
from genalpha.reproduce.measure import WITH_A, Convergence, condition_number, convergence, levels, solve_problem
from genalpha.reproduce.table import Row, write_csv, write_markdown

ROWS = [
    Row.near("a", "near |x|", 2.0, 2.04, 0.05),
    Row.below("b", "below", 1e-12, 3e-15),
    Row.above("c", "above", 50.0, 49.0),
]


def test_rows():
    assert [row.ok for row in ROWS] == [True, True, False]
    assert ROWS[0].cells == ("a", "near |x|", "2.00", "2.04", "± 0.05")
    assert ROWS[1].cells == ("b", "below", "< 1e-12", "3e-15", "")
    inside = Row.between("d", "inside", 0.9, 1.15, 1.0)
    assert inside.ok
    assert inside.cells == ("d", "inside", "0.9 … 1.15", "1", "")
    assert not Row.between("d", "inside", 0.9, 1.15, 1.2).ok
    assert not Row.near("n", "", 0.0, np.nan, 1.0).ok
    assert not Row.below("n", "", 1.0, np.nan).ok


def test_tables(tmp_path):
    write_markdown(tmp_path / "t.md", [("Title", ROWS), ("Nothing", [])])
    text = (tmp_path / "t.md").read_text(encoding="utf-8")
    assert "## Title" in text
    assert "Nothing" not in text
    assert "| a | near \\|x\\| | 2.00 | 2.04 | ± 0.05 | ✓ |" in text
    assert text.count("✗") == 1
    write_csv(tmp_path / "t.csv", ROWS)
    with (tmp_path / "t.csv").open(encoding="utf-8") as stream:
        read = list(csv.DictReader(stream))
    assert [row["ok"] for row in read] == ["True", "True", "False"]
    assert float(read[1]["measured"]) == 3e-15


def test_order():
    h = 0.1 / 2.0 ** np.arange(4)
    result = Convergence(h, {"q": 7.0 * h**2})
    assert result.order("q") == pytest.approx(2.0)
    assert result.orders("q") == pytest.approx([2.0, 2.0, 2.0])


@pytest.mark.parametrize("method", [ga.GeneralizedAlpha(rho_inf=0.8), ga.SOI2(rho_inf=0.8)])
def test_convergence_with_accelerations(method):
    result = convergence(problems.get("skate"), method, 0.0201, 2, WITH_A)
    assert result.h == pytest.approx(6.0 / 299 / np.array([1, 2, 4]))
    assert set(result.errors) == {"q", "v", "a", "psi"}
    assert min(result.orders(name)[-1] for name in result.errors) > 1.9


def test_methods_by_name():
    default = ga.GeneralizedAlpha(rho_inf=0.9, tol=1e-11)
    assert methods.choose(default) == default
    assert methods.choose(default, "PVA", 0.5) == ga.GeneralizedAlpha(rho_inf=0.5, tol=1e-11)
    assert methods.choose(default, "soi2") == ga.SOI2(rho_inf=0.9)
    assert methods.choose(ga.SOI2(rho_inf=0.2, start="a0"), "P") == ga.GeneralizedAlpha(rho_inf=0.2, formulation="P")
    assert [methods.name_of(methods.choose(default, name)) for name in methods.NAMES] == list(methods.NAMES)
    assert methods.describe(ga.SOI2(rho_inf=0.2)) == "SOI2, ρ∞ = 0.2"
    assert methods.describe(default) == "PVA, ρ∞ = 0.9"


def test_levels_are_those_of_the_statistics():
    problem = problems.get("pendulum")
    sol = solve_problem(problem, ga.GeneralizedAlpha(rho_inf=0.9, formulation="P"), t_span=(0.0, 0.1))
    found = levels(sol)
    assert found.g.shape == (len(sol.t), 2)
    assert np.abs(found.gdot[1:]).max() == pytest.approx(sol.stats.max_gdot, rel=1e-6)
    assert np.abs(found.gddot[1:]).max() == pytest.approx(sol.stats.max_gddot, rel=1e-6)


def test_condition_number():
    """Scaled: the same for every h; unscaled: as h⁻²."""
    problem = problems.get("pendulum")
    scaled, unscaled = (ga.GeneralizedAlpha(formulation="P", scaling=scaling) for scaling in (True, False))
    assert condition_number(problem, 1e-3, scaled) == pytest.approx(condition_number(problem, 1e-6, scaled), rel=1e-2)
    growth = condition_number(problem, 1e-4, unscaled) / condition_number(problem, 1e-3, unscaled)
    assert growth == pytest.approx(100.0, rel=0.05)


def test_unknown_study():
    with pytest.raises(ga.InputError, match="no study 'x'; there are 'spectral'"):
        reproduce.get("x")


@pytest.mark.parametrize("name", ["spectral", "constraints", "soi2", "nonholonomic", "conditioning", "skate"])
def test_study(name, tmp_path):
    (result,) = reproduce.measure([name])
    assert not [row for row in result.rows if not row.ok]
    assert result.rows
    files = reproduce.write_tables([result], tmp_path) + reproduce.draw([result], tmp_path)
    assert all(path.stat().st_size > 0 for path in files)
    assert len(files) == 2 + len(result.study.figures)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["orders", "chain16"])
def test_long_study(name, tmp_path):
    (result,) = reproduce.measure([name])
    assert not [row for row in result.rows if not row.ok]
    assert reproduce.draw([result], tmp_path)


def test_without_matplotlib(monkeypatch, tmp_path):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    results = reproduce.measure(["spectral"])
    assert reproduce.write_tables(results, tmp_path)
    with pytest.raises(ga.MissingExtra, match=r"figures need matplotlib: pip install 'genalpha\[plot\]'"):
        reproduce.draw(results, tmp_path)


def test_colours_are_distinct():
    assert len(set(style.COLOR.values())) == len(style.COLOR)

"""The reproduced table and figures: rows, files, studies."""

import csv

import numpy as np
import pytest

import genalpha as ga
from genalpha import problems, reproduce, style
from genalpha.reproduce import contacts, methods, verify
from genalpha.reproduce.graphs import divide, exact_graph, graph_distance
from genalpha.reproduce.measure import WITH_A, Convergence, condition_number, convergence, solve_problem
from genalpha.reproduce.sources import SOURCES
from genalpha.reproduce.table import Row, write_csv, write_markdown
from genalpha.solution.levels import levels

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
    assert Row.count("e", "steps", 0, 0).cells == ("e", "steps", "0", "0", "")
    assert [Row.count("e", "steps", 1, found).ok for found in (0, 1, 2)] == [False, True, False]
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
    assert [methods.choose(default, name).name for name in methods.NAMES] == list(methods.NAMES)
    assert methods.describe(ga.SOI2(rho_inf=0.2)) == "SOI2, ρ∞ = 0.2"
    assert methods.describe(default) == "PVA, ρ∞ = 0.9"


def test_methods_with_options():
    default = ga.GeneralizedAlpha(rho_inf=0.8)
    assert methods.choose(default, strategy=2, criterion=None) == ga.GeneralizedAlpha(rho_inf=0.8, strategy=2)
    chosen = methods.choose(default, strategy=1, criterion="printed")
    assert methods.describe(chosen) == "PVA, strategy 1, printed criterion, ρ∞ = 0.8"
    with pytest.raises(ga.InputError, match="choice of strategy and criterion, not SOI2"):
        methods.choose(default, "soi2", strategy=1, criterion="printed")


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


# ---------------------------------------------------------------- graphs of functions that jump


@pytest.mark.parametrize("late", [0.3, 0.01, 1e-4])
def test_distance_of_a_late_jump(late):
    """The area between the graphs, while it is narrow."""
    early, later = ([(0, 0), (t, 0), (t, 1), (1, 1)] for t in (0.5, 0.5 + late))
    assert graph_distance(early, later) == pytest.approx(late, rel=0.02 if late < 0.1 else 0.5)
    assert graph_distance(later, early) == pytest.approx(graph_distance(early, later), rel=1e-12)


def test_distance_of_a_steep_line():
    """A jump drawn as a line over one step is near, though its largest error is the jump."""
    jump = [(0, 0), (0.5, 0), (0.5, 1), (1, 1)]
    distances = [graph_distance(jump, [(0, 0), (0.5, 0), (0.5 + h, 1), (1, 1)]) for h in (0.02, 0.01, 0.005)]
    assert np.diff(np.log2(distances)) == pytest.approx([-1.0, -1.0], abs=0.05)
    assert graph_distance(jump, jump) < 1e-15


def test_distance_of_smooth_curves():
    t = np.linspace(0.0, 1.0, 201)
    flat, lifted = np.stack([t, 0.0 * t], axis=1), np.stack([t, 1e-3 + 0.0 * t], axis=1)
    assert graph_distance(flat, lifted) == pytest.approx(1e-3, rel=1e-9)


def test_divide_keeps_corners():
    curve = np.array([(0.0, 0.0), (0.5, 0.0), (0.5, 1.0)])
    divided = divide(curve, 100)
    assert all(np.any(np.all(divided == corner, axis=1)) for corner in curve)
    assert np.linalg.norm(np.diff(divided, axis=0), axis=1).max() <= 1.5 / 99 + 1e-12


def test_exact_graph_has_its_jumps():
    ball = problems.get("bouncing_ball")
    graph = exact_graph(ball, "v", 0, 1.0)
    at = graph[:, 0] == ball.impact_times()[0]
    speed = np.sqrt(2.0 * 9.81)
    assert graph[at, 1] == pytest.approx([-speed, 0.8 * speed], abs=1e-9)
    with pytest.raises(ga.InputError, match="impacts of problem 'bar' are not known"):
        exact_graph(problems.get("bar"), "v", 0, 1.0)


# ---------------------------------------------------------------- measurements with contacts


@pytest.mark.parametrize("options", [{}, {"strategy": 2}, {"formulation": "PVV"}])
def test_relative_impulses_balance_the_jumps(options):
    """M W = (Gᵀ Nᵀ) Λ with W = v1 − v0 − h ((1 − γ) a0 + γ a1), 002 (65g), from what the solution has."""
    sol = solve_problem(problems.get("bouncing_pendulum"), ga.GeneralizedAlpha(**options))
    contract, gamma = sol.system.contract(0.0, sol.q[0], sol.v[0]), sol.method.coefficients_used.gamma
    h = np.diff(sol.t)[:, None]
    W = np.diff(sol.v, axis=0) - h * ((1.0 - gamma) * sol.a[:-1] + gamma * sol.a[1:])
    for t, q, w, impulses in list(zip(sol.t[1:], sol.q[1:], W, sol.Lam[1:], strict=True))[340::7]:
        rows = np.vstack([contract.matrix("G", t, q), contract.matrix("N", t, q)])
        assert rows.T @ impulses == pytest.approx(contract.matrix("M", t, q) @ w, abs=1e-9)
    assert sol.lam[-1, 0] + sol.Lam[-1, 0] / h[-1, 0] == pytest.approx(-10.0, abs=1e-8)


def test_alternating_part():
    t = np.linspace(0.0, 1.0, 101)
    assert contacts.alternating_part(t**2 + 3.0 * (-1.0) ** np.arange(101), 50) == pytest.approx(3.0, rel=1e-4)


def test_total_energy_and_unconverged_steps():
    sol = solve_problem(problems.get("bar"), t_span=(0.0, 0.6))
    assert contacts.total_energy(sol) == pytest.approx(sol.energy.sum(axis=1), rel=1e-13)
    assert contacts.unconverged(sol) == 0
    assert contacts.first_phase(sol, 0.1) == pytest.approx((0.502, 0.6))


def test_unknown_study():
    with pytest.raises(ga.InputError, match="no study 'x'; there are 'spectral'"):
        reproduce.get("x")


def assert_every_source_has_rows(result):
    """What genalpha verify says of a study is about rows that it has."""
    found = {verify.source_of(row.id) for row in result.rows}
    assert [source for source in SOURCES if source.study == result.study.name and source not in found] == []


@pytest.mark.parametrize("name", [
    "spectral", "constraints", "soi2", "nonholonomic", "conditioning", "skate",
    "bouncing_ball", "bouncing_pendulum", "bar", "cradle",
])  # fmt: skip
def test_study(name, tmp_path):
    (result,) = reproduce.measure([name])
    assert not [row for row in result.rows if not row.ok]
    assert result.rows
    assert_every_source_has_rows(result)
    files = reproduce.write_tables([result], tmp_path) + reproduce.draw([result], tmp_path)
    assert all(path.stat().st_size > 0 for path in files)
    assert len(files) == 2 + len(result.study.figures)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["orders", "chain16", "flexible_pendulum", "impact_orders"])
def test_long_study(name, tmp_path):
    (result,) = reproduce.measure([name])
    assert not [row for row in result.rows if not row.ok]
    assert_every_source_has_rows(result)
    assert reproduce.draw([result], tmp_path)


def test_without_matplotlib(monkeypatch, tmp_path):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    results = reproduce.measure(["spectral"])
    assert reproduce.write_tables(results, tmp_path)
    with pytest.raises(ga.MissingExtra, match=r"figures need matplotlib: pip install 'genalpha\[plot\]'"):
        reproduce.draw(results, tmp_path)


def test_colours_are_distinct():
    assert len(set(style.COLOR.values())) == len(style.COLOR)

"""The command line with Python files: run, check, bench, view; every bad input is one sentence that helps."""

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from genalpha.cli import main

MODEL = '''"""A rod on a pin."""
import genalpha as ga

model = ga.Model("pendulum", gravity=(0.0, 0.0, -9.81))
rod = model.add(ga.RigidBody("rod", mass=1.0, inertia=(0.1, 0.1, 0.01), position=(1.0, 0.0, 0.0)))
model.add(ga.Revolute("pin", model.ground, rod, at=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0)))
t_span, h = (0.0, 0.1), 1e-2
'''

SYSTEM = """
import numpy as np
import genalpha as ga

system = ga.System(
    M=np.eye(2),
    f=lambda t, q, v: np.array([0.0, -9.81]),
    g=lambda t, q: np.array([q @ q - 1.0]),
    gap=lambda t, q: np.array([q[0] + 0.5]),
    e=0.7,
    names={"q": ["x", "y"], "g": ["rod"], "gap": ["wall"]},
)
q0, v0 = {"x": 1.0, "y": 0.0}, [0.0, 0.0]
t_span, h, method = (0.0, 0.8), 1e-2, ga.GeneralizedAlpha(rho_inf=0.7)
"""

SYMBOLIC = """
from sympy import symbols
from sympy.physics.mechanics import dynamicsymbols
from genalpha.symbolic import lagrange

t, x, (m, k) = dynamicsymbols._t, dynamicsymbols("x"), symbols("m k")
equations = lagrange(m * x.diff(t) ** 2 / 2 - k * x**2 / 2, [x])
system = equations.system({m: 1.0, k: 4.0}, compile=False)
q0, v0, t_span, h = {x: 1.0}, {x: 0.0}, (0.0, 0.1), 1e-2
"""


@pytest.fixture
def call(tmp_path, monkeypatch):
    """Run a command on a file with this text; gives the result."""
    monkeypatch.chdir(tmp_path)

    def function(command, text, *words, name="file.py"):
        Path(name).write_text(text)
        return CliRunner().invoke(main, [*command.split(), name, *words])

    return function


def has_one_sentence(result, message, exit_code=2):
    assert result.exit_code == exit_code, result.output
    assert message in result.output
    assert "Traceback" not in result.output
    return True


# what works


def test_run_a_model(call):
    result = call("run", MODEL)
    assert result.exit_code == 0, result.output
    for words in (
        "file.py",
        "A rod on a pin.",
        "PVA, ρ∞ = 0.9, h = 0.01 s, compiled",
        "10  to t = 0.1 s",
        "|g̈|",
        "energy",
    ):
        assert words in result.output


def test_run_a_system_with_its_settings(call, tmp_path):
    result = call("run", SYSTEM, "--plot", "figure.png")
    assert result.exit_code == 0, result.output
    for words in (
        "ρ∞ = 0.7, h = 0.01 s, interpreted",
        "impacts      1  at t = 0.7",
        "only for an instant, in impacts",
        "wrote  figure.png",
    ):
        assert words in result.output
    assert (tmp_path / "figure.png").read_bytes().startswith(b"\x89PNG")


def test_options_are_stronger_than_settings(call):
    result = call("run", SYSTEM, "--t-end", "0.05", "--h", "0.005", "--rho-inf", "0.5", "--method", "pvv")
    assert "PVV, ρ∞ = 0.5, h = 0.005 s" in result.output
    assert "10  to t = 0.05 s" in result.output


def test_run_a_system_from_sympy(call):
    assert "10  to t = 0.1 s" in call("run", SYMBOLIC).output
    assert "10  to t = 0.1 s" in call("run", SYMBOLIC, "--interpreted").output


def test_a_file_imports_its_neighbours(call, tmp_path):
    (tmp_path / "numbers_of_mine.py").write_text("t_end = 0.02\n")
    result = call("run", SYMBOLIC + "\nfrom numbers_of_mine import t_end\nt_span = (0.0, t_end)\n")
    assert "2  to t = 0.02 s" in result.output
    assert str(tmp_path) not in sys.path


def test_what_is_guarded_does_not_run(call):
    result = call("run", SYMBOLIC + "\nif __name__ == '__main__':\n    raise RuntimeError\n")
    assert result.exit_code == 0


def test_project(call):
    wrong = SYSTEM.replace('"x": 1.0', '"x": 1.001')
    assert has_one_sentence(call("run", wrong), "exceeds")
    assert call("run", wrong, "--project").exit_code == 0


def test_check(call):
    result = call("check", MODEL)
    assert result.exit_code == 0
    for words in (
        "5 holonomic",
        "rank of the constraints 5 of 5, degrees of freedom 1",
        "begin with h = 0.002 s",
        "ok",
    ):
        assert words in result.output
    result = call("check", SYSTEM.replace('"x": 1.0', '"x": 1.001'))
    assert has_one_sentence(result, "PROBLEM: constraint 'rod': |g|", exit_code=1)
    result = call("check", SYMBOLIC)
    assert "fastest frequency 0.318 Hz, period 3.14 s; h = 0.05 s gives it 63 steps" in result.output


def test_bench(call):
    result = call("bench --steps 20 --repeats 2 oscillator", SYSTEM)
    assert result.exit_code == 0, result.output
    assert "µs per step" in result.output
    assert "Linear oscillator" in result.output
    assert "file.py" in result.output
    assert has_one_sentence(call("bench", SYMBOLIC.replace("h =", "step =")), "with which step size? Pass --h")


def test_help_is_quick_to_load():
    """No library of ours is needed to show the commands."""
    code = "import sys, genalpha.cli; print([m for m in ('scipy', 'numba', 'sympy', 'rich') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


# what does not


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1\n", "file.py defines neither 'model' nor 'system'; assign one of them"),
        ("modell = 1\n", "did you mean 'modell'? Call it model or system"),
        ("x = (1\n", "file.py, line 1: '(' was never closed: x = (1"),
        ("import genalpha as ga\nsystem = ga.System(M=1.0, f=force)\n", "file.py, line 2: NameError: name 'force'"),
        ("def f():\n    return 1 / 0\n\nx = f()\n", "file.py, line 2, in f: ZeroDivisionError: division by zero"),
        ("import genalpha as ga\nmodel = ga.Model(gravity=1)\n", "file.py, line 2: gravity = 1.0 must be 3"),
        ("model = 3\n", "file.py: model is an int, not a ga.Model or a ga.System"),
        ("import genalpha as ga\nmodel = ga.Model()\n", "model 'model' has no bodies; add some"),
        ("import nothing_of_this_name\n", "file.py, line 1: the package nothing_of_this_name is not installed"),
        ("import sys\nsys.exit(4)\n", "file.py ends by itself, with sys.exit(4)"),
        (SYSTEM.replace("q0, v0 =", "a, b ="), "file.py defines no q0 and no v0, the initial state of its system"),
        (SYSTEM.replace("t_span, h, method", "a, h, method"), "until when? Pass --t-end, or define t_span"),
        (SYMBOLIC.replace("m: 1.0, ", ""), "file.py, line 8: the parameter m has no value; pass {m: ...} to system"),
        (SYMBOLIC.replace("system({m: 1.0, k: 4.0}, compile=False)", "L").replace("= equations.L", "= equations"),
         "system is an Equations, not a ga.Model or a ga.System; pass it the parameters"),
        (SYSTEM.replace("q @ q - 1.0", "qq"), "file.py, line 8, in <lambda>: NameError: name 'qq' is not defined"),
    ],
)  # fmt: skip
def test_bad_files(call, text, message):
    assert has_one_sentence(call("run", text), message)


def test_a_missing_extra(call, monkeypatch):
    monkeypatch.setitem(sys.modules, "sympy", None)
    expected = "file.py, line 2: the package sympy is not installed: pip install 'genalpha[symbolic]'"
    assert has_one_sentence(call("run", SYMBOLIC), expected)
    for name in [name for name in sys.modules if name.startswith("genalpha.symbolic")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    result = call("run", "from genalpha.symbolic import lagrange\n")
    assert has_one_sentence(result, "systems from SymPy need sympy: pip install 'genalpha[symbolic]'")


def test_names_that_are_no_files(call, tmp_path):
    assert has_one_sentence(CliRunner().invoke(main, ["run", "nowhere.py"]), "nowhere.py cannot be read: No such file")
    (tmp_path / "crank.py").write_text(MODEL)
    expected = "there is no problem 'crank', but a file crank.py: did you mean that?"
    assert has_one_sentence(CliRunner().invoke(main, ["run", "crank"]), expected)
    (tmp_path / "picture.py").write_bytes(b"\x89PNG\xff\xfe")
    assert has_one_sentence(CliRunner().invoke(main, ["run", "picture.py"]), "picture.py is no Python file")


def test_a_run_that_fails_shows_what_it_did(call):
    """Exit code 3; the summary of the steps before comes first."""
    text = SYMBOLIC.replace("k * x**2 / 2", "k * sqrt(x)").replace("import symbols", "import sqrt, symbols")
    result = call("run", text.replace("0.1)", "5.0)"))
    assert has_one_sentence(result, "f gives NaN or inf at t = ", exit_code=3)
    assert "Newton iterations each" in result.output
    raising = SYSTEM.replace("lambda t, q, v: np.array([0.0, -9.81])", "lambda t, q, v: [0.0, 1 / (t < 0.5) - 10.81]")
    result = call("run", raising)
    assert has_one_sentence(result, "file.py, line 7, in <lambda>: ZeroDivisionError: division by zero", exit_code=3)


def test_debug_shows_the_trace(call):
    result = call("--debug run", "x = (1\n")
    assert isinstance(result.exception.__cause__, SyntaxError)
    raising = SYSTEM.replace("np.array([0.0, -9.81])", "1 / 0")
    assert isinstance(call("--debug run", raising).exception, ZeroDivisionError)


def test_warnings_are_lines(call):
    redundant = SYSTEM.replace("[q @ q - 1.0]", "[q @ q - 1.0, 2.0 * (q @ q) - 2.0]").replace(
        '["rod"]', '["rod", "two"]'
    )
    result = call("run", redundant, "--t-end", "0.05")
    assert result.exit_code == 0
    assert result.output.count("warning: ") == 1
    assert ".py:" not in result.output


def test_models_are_not_interpreted(call):
    assert has_one_sentence(call("run", MODEL, "--interpreted"), "models always run compiled")


def test_a_figure_that_cannot_be_written(call):
    assert has_one_sentence(call("run", SYMBOLIC, "--plot", "figure.xyz"), "cannot be written to figure.xyz")


def test_view_without_the_viewer(call, monkeypatch):
    monkeypatch.setattr("genalpha.cli.look.find_spec", lambda name: None)
    assert has_one_sentence(call("view", SYMBOLIC), "'run --plot FILE' draws curves")


DRAWN = """
import numpy as np
import genalpha as ga
from genalpha.view import Drawing, Point

system = ga.System(M=np.eye(1), f=lambda t, q, v: -q, drawing=Drawing(Point("bob", lambda t, q: (q[0], 0.0))))
q0, v0, t_span, h = [1.0], [0.0], (0.0, 0.1), 1e-2
"""


def test_a_result_file_is_written_and_shown(call):
    result = call("run", DRAWN, "--out", "run.h5")
    assert result.exit_code == 0, result.output
    assert "wrote  run.h5" in result.output
    view = CliRunner().invoke(main, ["view", "run.h5", "run.h5", "--out", "pair.html"])
    assert (view.exit_code, view.output) == (0, "wrote  pair.html\n")
    assert '"label":"run"' in Path("pair.html").read_text(encoding="utf-8")


def test_a_result_file_without_a_drawing(call):
    assert call("run", SYSTEM, "--t-end", "0.1", "--out", "run.h5").exit_code == 0
    shown = CliRunner().invoke(main, ["view", "run.h5"])
    assert has_one_sentence(shown, "run.h5 does not say how its solution looks: its system has no drawing")
    other = CliRunner().invoke(main, ["view", "run.h5", "--system", "bouncing_ball"])
    assert has_one_sentence(other, "run.h5 was made by another system")
    with_system = CliRunner().invoke(main, ["view", "run.h5", "--system", "file.py", "--out", "run.html"])
    assert with_system.exit_code == 0, with_system.output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["run", "run.h5"], "run.h5 is a result file: 'genalpha view run.h5' shows it"),
        (["check", "notes.txt"], "notes.txt is not a Python file"),
        (["view", "none.h5"], "there is no file none.h5"),
        (
            ["view", "one.h5", "file.py"],
            "result files (.h5) can be compared; problems and Python files are shown one by one",
        ),
    ],
)
def test_files_of_another_kind(tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    for name in ("run.h5", "notes.txt"):
        Path(name).write_text("text")
    assert has_one_sentence(CliRunner().invoke(main, words), message)


def test_project_is_an_option_here(call):
    text = SYSTEM.replace('"x": 1.0', '"x": 1.1')
    assert has_one_sentence(call("run", text), "correct q0 or use --project")

"""The command line: what it says, what it writes, how it ends."""

import dataclasses
import subprocess
import sys

import pytest
from click.testing import CliRunner

import genalpha as ga
from genalpha import problems, reproduce
from genalpha.cli import main


def call(*words):
    return CliRunner().invoke(main, words)


def test_help_and_version():
    assert all(command in call("--help").output for command in ("list", "run", "convergence", "reproduce"))
    assert ga.__version__ in call("--version").output


def test_list():
    result = call("list")
    assert result.exit_code == 0
    assert all(name in result.output for name in problems.names())


@pytest.mark.parametrize("words", [("list",), ("--help",), ("run", "--help"), ("view", "--help"), ("new", "--help")])
def test_fits_into_80_columns(words, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    lines = call(*words).output.splitlines()
    assert max(map(len, lines)) <= 80
    assert not any("…" in line for line in lines)


def test_long_lines_break_between_words_in_a_terminal(monkeypatch):
    import io

    from genalpha.cli.console import wrapped

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setenv("COLUMNS", "40")
    line = "  a line of many words, " + "and more of them " * 6 + "a_word_that_is_longer_than_the_whole_terminal_is"
    found = wrapped(line, Terminal()).splitlines()
    assert all(len(one) <= 40 for one in found[:-1])
    assert all(one.startswith("    ") for one in found[1:])
    assert " ".join(" ".join(found).split()) == line.strip()
    assert wrapped(line, io.StringIO()) == line


def test_new_writes_a_file_that_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = call("new", "my_arm")
    assert result.exit_code == 0
    assert result.output == "wrote  my_arm.py\nnext   genalpha run my_arm.py\n"
    assert call("check", "my_arm.py").exit_code == 0
    again = call("new", "my_arm.py")
    assert again.exit_code == 2
    assert "my_arm.py is there already" in again.output


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(shell):
    result = call("completion", shell)
    assert result.exit_code == 0
    assert "_GENALPHA_COMPLETE" in result.output


@pytest.mark.parametrize(("words", "begun", "found"), [
    (["run"], "four", "four_bar"),
    (["view"], "bouncing_p", "bouncing_pendulum"), (["convergence"], "jay_", "jay_negrut"),
])  # fmt: skip
def test_the_shell_completes_problems_and_files(words, begun, found):
    from click.shell_completion import BashComplete

    shell = BashComplete(main, {}, "genalpha", "_GENALPHA_COMPLETE")
    assert [item.value for item in shell.get_completions(words, begun)] == [found]
    assert [item.type for item in shell.get_completions(words, "my_mo")] == ["file"]


def test_list_shows_gaps_and_references(monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    lines = {line.split()[0]: line.split() for line in call("list").output.splitlines() if line[:1].strip()}
    assert lines["name"][-6:] == ["gap", "T", "(s)", "h", "(s)", "ref."]
    assert (lines["stops"][-4], lines["stops"][-1]) == ("2", "tight")
    assert (lines["bar"][-4], lines["bar"][-1]) == ("1", "–")
    assert (lines["pendulum"][-4], lines["pendulum"][-1]) == ("–", "tight")


@pytest.mark.parametrize("words", [(), ("--formulation", "P", "--rho-inf", "0.8"), ("--h", "1e-3")])
def test_run(words):
    result = call("run", "pendulum", "--t-end", "0.1", *words)
    assert result.exit_code == 0
    assert ("P, ρ∞ = 0.8" in result.output) == ("P" in words)
    for word in ("compiled", "µs per step", "× real time", "Newton iterations", "|g|", "|ġ|", "|g̈|", "λ", "drift"):
        assert word in result.output


def test_run_interpreted():
    result = call("run", "skate", "--t-end", "0.1", "--interpreted")
    assert result.exit_code == 0
    assert "interpreted" in result.output
    assert "|k|" in result.output
    assert "ψ" in result.output


def test_run_with_another_method():
    result = call("run", "pendulum", "--t-end", "0.1", "--method", "SOI2", "--rho-inf", "0.7")
    assert result.exit_code == 0
    assert "SOI2, ρ∞ = 0.7" in result.output


def test_run_without_energy():
    result = call("run", "jay_negrut", "--t-end", "0.1")
    assert result.exit_code == 0
    assert "SOI2, ρ∞ = 0.2" in result.output
    assert all(symbol in result.output for symbol in ("|g|", "|k|", "λ", "ψ"))
    assert "energy" not in result.output


def test_run_with_impacts():
    result = call("run", "bouncing_pendulum", "--t-end", "1")
    assert result.exit_code == 0
    assert "impacts" in result.output
    assert "2  at t = 0.352, 0.946 s" in result.output
    for words in ("closed", "only for an instant, in impacts", "penetration", "mean error", "lost in impacts"):
        assert words in result.output


def test_run_without_impacts_yet():
    result = call("run", "bouncing_ball", "--t-end", "0.1")
    assert result.exit_code == 0
    assert "none" in result.output


def test_run_without_reference():
    result = call("run", "bar", "--t-end", "0.6", "--method", "PVV")
    assert result.exit_code == 0
    assert "PVV, ρ∞ = 0.8" in result.output
    assert "[0.502, 0.6]" in result.output
    assert "none for the nodes" in result.output
    assert "mean error" not in result.output


def test_run_with_strategy_and_criterion():
    words = ("run", "bouncing_pendulum", "--t-end", "0.4")
    assert "PVA, strategy 2, ρ∞ = 0.9" in call(*words, "--strategy", "2").output
    assert "PVA, printed criterion, ρ∞ = 0.9" in call(*words, "--criterion", "printed").output
    refused = call(*words, "--strategy", "2", "--method", "PVV")
    assert refused.exit_code == 2
    assert "only the method PVA has a choice of strategy, not PVV" in refused.output
    assert call(*words, "--method", "PV").exit_code == 2


def test_convergence(tmp_path):
    words = ("--h", "0.02", "--levels", "3", "--rho-inf", "0.5", "--out", str(tmp_path))
    result = call("convergence", "skate", "--method", "pva", *words)
    assert result.exit_code == 0
    assert "PVA, ρ∞ = 0.5" in result.output
    assert all(f"{symbol:<7}order" in result.output for symbol in "qvaψ")
    assert "λ" not in result.output
    assert result.output.count(" 2.0") >= 6
    assert [path.name for path in tmp_path.iterdir()] == ["convergence-skate-PVA.png"]


def test_convergence_without_matplotlib(monkeypatch, tmp_path):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    result = call("convergence", "jay", "--levels", "2", "--out", str(tmp_path))
    assert result.exit_code == 0
    assert "SOI2, ρ∞ = 0.2" in result.output
    assert "no figure: figures need matplotlib" in result.output
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("jay", "--method", "PVA"), "needs the method SOI2"),
        (("jay", "--h", "5"), "at most a quarter"),
        (("jai",), "did you mean 'jay'"),
        (("jay", "--levels", "1"), "2<=x<=12"),
        (("bar",), "'bar' has no reference solution to converge to"),
        (("bouncing_ball",), "'genalpha reproduce impact_orders' measures orders"),
    ],
)
def test_convergence_errors(words, message, tmp_path):
    result = call("convergence", *words, "--out", str(tmp_path))
    assert result.exit_code == 2
    assert message in result.output


def test_unknown_name():
    result = call("run", "pendulm")
    assert result.exit_code == 2
    assert "did you mean 'pendulum'" in result.output
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    ("words", "message"),
    [(("--h", "-1"), "h = -1.0 must be a positive number"), (("--rho-inf", "2"), "outside the allowed range")],
)
def test_errors_are_messages(words, message):
    result = call("run", "pendulum", *words)
    assert result.exit_code == 2
    assert message in result.output


def test_debug_shows_the_exception():
    assert isinstance(call("--debug", "run", "pendulm").exception, ga.InputError)


def test_reproduce(tmp_path):
    result = call("reproduce", "spectral", "--out", str(tmp_path))
    assert result.exit_code == 0
    assert "all 9 values as required" in result.output
    assert {path.name for path in tmp_path.iterdir()} == {"table.md", "table.csv", "004-figures-1-3.png"}


def test_reproduce_unknown(tmp_path):
    result = call("reproduce", "spektral", "--out", str(tmp_path))
    assert result.exit_code == 2
    assert "'spectral'" in result.output


def test_reproduce_fails_if_a_row_is_not_as_required(monkeypatch, tmp_path):
    bad = dataclasses.replace(
        reproduce.get("spectral"), rows=lambda data: [reproduce.Row.below("x", "too large", 1.0, 2.0)], figures={}
    )
    monkeypatch.setitem(reproduce._STUDIES, "spectral", bad)
    result = call("reproduce", "spectral", "--out", str(tmp_path))
    assert result.exit_code == 1
    assert "1 of 1 values not as required" in result.output
    assert "✗" in (tmp_path / "table.md").read_text(encoding="utf-8")


def test_reproduce_without_matplotlib(monkeypatch, tmp_path):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    result = call("reproduce", "spectral", "--out", str(tmp_path))
    assert result.exit_code == 2
    assert "genalpha[plot]" in result.output
    assert (tmp_path / "table.md").exists()


def test_imports_stay_light():
    heavy = {"numba", "scipy", "matplotlib", "rich", "sympy", "h5py"}
    code = f"import sys, genalpha.cli, genalpha.problems, genalpha.reproduce; sys.exit(len({heavy} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_moreau_jean_scheme(tmp_path):
    """Second order without constraints; it has no rho_inf."""
    result = call("convergence", "oscillator", "--method", "moreau", "--levels", "3", "--out", str(tmp_path))
    assert result.exit_code == 0
    assert "Moreau-Jean, θ = 0.5" in result.output
    assert "2.00" in result.output
    assert "no rho_inf" in call("run", "oscillator", "--method", "moreau", "--rho-inf", "0.5").output

"""Every example runs and prints what it promises."""

import runpy
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "examples"
WORDS = {
    "pendulum3d": "largest force",
    "heavy_top": "DOP853       x(2) = (-0.150417, -0.724166, -0.673022)",
    "chain": "512",
    "slider_crank": "stroke               0.600",
    "four_bar": "40 loops",
    "andrews": "turns of the crank",
    "robot_arm": "impacts, the first at t = ",
    "ruler": "at rest the tip hangs at (0.874, -0.453) m",
    "spin_up": "theory of the extension         5.143e-04 m",
    "stack": "force on the floor at the end 127.35 N, weight 127.35 N",
    "rattleback": "spun at -5.0 rad/s, after 8 s  4.",
}


def test_all_are_known():
    assert {path.stem for path in FOLDER.glob("*.py")} == set(WORDS)


@pytest.mark.slow
@pytest.mark.parametrize("name", WORDS)
def test_runs(name, capsys):
    runpy.run_path(str(FOLDER / f"{name}.py"), run_name="__main__")
    assert WORDS[name] in capsys.readouterr().out

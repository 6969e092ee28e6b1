"""Notebooks of the examples run without a screen; their cells show pictures, and nothing is left by progress."""

import json
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "examples" / "notebooks"
NAMES = ("lagrangian", "motor_and_joint_forces", "pendulum_and_stop")


def test_all_are_known():
    assert tuple(sorted(path.stem for path in FOLDER.glob("*.ipynb"))) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_is_stored_without_outputs(name):
    book = json.loads((FOLDER / f"{name}.ipynb").read_text(encoding="utf-8"))
    code = [cell for cell in book["cells"] if cell["cell_type"] == "code"]
    assert code
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of the machinery that runs notebooks
@pytest.mark.parametrize("name", NAMES)
def test_runs(name, tmp_path):
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    book = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    nbclient.NotebookClient(book, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    outputs = [output for cell in book.cells for output in cell.get("outputs", ())]
    shown = [output["data"] for output in outputs if "data" in output]
    frames = [data["text/html"] for data in shown if "<iframe srcdoc=" in data.get("text/html", "")]
    assert len(frames) == 1
    assert "127.0.0.1" not in json.dumps(outputs)
    assert "lam_{" not in json.dumps(outputs)
    for output in outputs:
        text = output.get("text", "") + output.get("data", {}).get("text/html", "")
        assert "steps/s" not in text.partition("<iframe")[0]
        if output["output_type"] == "stream" and output["name"] == "stderr":  # compilation may be announced
            assert set(output["text"].splitlines()) <= {
                "compiling the functions of this system (once, some seconds) ..."
            }
    if name == "pendulum_and_stop":
        assert any("array([0.6, 0.6, 0.6, 0.6, 0.6])" in data["text/plain"] for data in shown)
    if name == "lagrangian":
        latex = next(data["text/latex"] for data in shown if "text/latex" in data)
        assert r"\lambda_{n}" in latex
        assert any("0.610" in data.get("text/html", "") for data in shown if "<table>" in data.get("text/html", ""))

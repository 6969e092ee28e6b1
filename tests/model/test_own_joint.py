"""The page "write your own joint" runs, and its joint does what the page says."""

import re
from pathlib import Path

import numpy as np
import pytest

import genalpha as ga

PAGE = Path(__file__).parents[2] / "docs" / "own_joint.md"


@pytest.mark.filterwarnings("ignore::genalpha.errors.RedundantConstraintsWarning")
def test_own_joint(capsys):
    """The drive turns non-uniformly: tan ψ = tan φ cos(bend)."""
    code = "\n".join(re.findall(r"```python\n(.*?)```", PAGE.read_text(), flags=re.DOTALL))
    page = {"__name__": "own_joint"}
    exec(compile(code, str(PAGE), "exec"), page)
    printed = capsys.readouterr().out
    assert printed.startswith("Universal 'cross': all is well")
    named = [line[2:22].strip() for line in printed.splitlines()[1:5]]
    assert named == ["G", "g_bias", "frame", "action = reaction"]
    phi, psi, bend = page["phi"], page["psi"], np.cos(np.deg2rad(30.0))
    assert phi[-1] > 2.0 * np.pi
    assert np.sin(psi) * np.cos(phi) == pytest.approx(bend * np.sin(phi) * np.cos(psi), abs=1e-12)
    assert isinstance(page["cross"], ga.Joint)

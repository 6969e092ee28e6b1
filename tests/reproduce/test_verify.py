"""The verification table: sources, files, and a row that leaves its tolerance."""

import csv
import json
import re

from click.testing import CliRunner

from genalpha import reproduce
from genalpha.cli import main
from genalpha.reproduce import verify
from genalpha.reproduce.sources import KINDS, SOURCES
from genalpha.reproduce.table import Row

NAMES = ("spectral", "test_set", "heavy_top", "iftomm", "beams", "touching", "rolling", "stability")
ROWS = [
    verify.Verified(Row.near("a", "near |x|", 2.0, 2.04, 0.05), SOURCES[0]),
    verify.Verified(Row.below("b", "below", 1e-12, 3e-15), SOURCES[0]),
]


def test_sources():
    """Studies and kinds exist, and what is said of one row is said by one source only."""
    assert set(verify.studies()) <= set(reproduce.names())
    assert all(source.kind in KINDS and source.text and source.settings for source in SOURCES)
    assert len(set(SOURCES)) == len(SOURCES)
    assert verify.source_of("andrews-q-1").text.endswith("problem andrews")
    assert verify.source_of("002-6.3-PVA-energy") is None


def test_files(tmp_path):
    files = verify.write(ROWS, tmp_path)
    assert [file.name for file in files] == ["verification.md", "verification.csv", "verification.json"]
    text = files[0].read_text(encoding="utf-8")
    assert text.startswith("2 of 2 rows are within their tolerances.")
    assert "| near \\|x\\| | 2.00 | 2.04 | 4.0e-02 | 0.05 | ✓ |" in text
    with files[1].open(encoding="utf-8") as stream:
        assert [row["value"] for row in csv.DictReader(stream)] == ["2.00", "< 1e-12"]
    assert json.loads(files[2].read_text(encoding="utf-8"))[1]["ok"] is True


def test_command(tmp_path):
    """Published and exact values of others: those that no other test measures."""
    result = CliRunner().invoke(main, ["verify", *NAMES, "--out", str(tmp_path)])
    assert result.exit_code == 0, result.output
    assert "all 169 values as required" in result.output
    found = {record["id"] for record in json.loads((tmp_path / "verification.json").read_text(encoding="utf-8"))}
    wanted = [source for source in SOURCES if source.study in NAMES]
    assert [source for source in wanted if not any(re.fullmatch(source.rows, id) for id in found)] == []


def test_row_that_leaves_its_tolerance(tmp_path, monkeypatch):
    wrong = verify.Verified(Row.near("wrong", "a wrong number", 1.0, 2.0, 0.1), SOURCES[0])
    monkeypatch.setattr(verify, "measure", lambda names, report: [*ROWS, wrong])
    result = CliRunner().invoke(main, ["verify", "--out", str(tmp_path)])
    assert result.exit_code == 1
    assert "1 of 3 values not as required: wrong" in result.output.replace("\n", " ")


def test_unknown_study():
    result = CliRunner().invoke(main, ["verify", "nothing"])
    assert result.exit_code == 2
    assert "there is no study 'nothing'" in result.output

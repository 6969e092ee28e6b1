"""The gallery: every problem in motion, its figures and its rows."""

import re

import pytest

from genalpha import problems
from genalpha.reproduce import gallery
from genalpha.reproduce.study import Result, Study
from genalpha.reproduce.table import Row


@pytest.fixture
def results():
    one = Study(name="one", title="The <ball>", problems=("bouncing_ball",), compute=lambda: None,
                figures={"drawn": None, "missing": None})  # fmt: skip
    two = Study(name="two", title="Two problems", problems=("bouncing_ball", "cradle"), compute=lambda: None)
    rows = [
        Row.near("a", "cradle, PVA: speed", 1.0, 1.0, 0.1),
        Row.near("b", "bouncing_ball, PVA: speed", 1.0, 2.0, 0.1),
    ]
    return [Result(one, None, [Row.below("c", "height", 1.0, 0.5)]), Result(two, None, rows)]


def test_a_gallery_of_two_problems(tmp_path, results, monkeypatch):
    chosen = [problems.get("bouncing_ball"), problems.get("cradle")]
    monkeypatch.setattr(problems, "all", lambda: chosen)
    (tmp_path / "drawn.png").write_bytes(b"")
    seen = []
    path = gallery.write(results, tmp_path, seen.append)
    text = path.read_text(encoding="utf-8")
    assert path == tmp_path / "index.html"
    assert seen == ["bouncing_ball", "cradle"]
    for problem in chosen:
        page = tmp_path / "motion" / f"{problem.name}.html"
        assert f'data-page="motion/{problem.name}.html"' in text
        assert f"<title>{problem.title}</title>".replace("'", "&#x27;") in page.read_text(encoding="utf-8")
    assert 'src="drawn.png"' in text
    assert "missing" not in text
    assert "2 of 3 measured values as required" in text
    assert "The &lt;ball&gt;" in text
    assert "<!--" not in text


def test_rows_go_to_their_problems(tmp_path, results, monkeypatch):
    monkeypatch.setattr(problems, "all", lambda: [problems.get("cradle")])
    text = gallery.write(results, tmp_path).read_text(encoding="utf-8")
    article = re.search(r'<article data-name="cradle".*?</article>', text, re.DOTALL)[0]
    assert "cradle, PVA: speed" in article
    assert "bouncing_ball" not in article

"""What the book and the package say of each other."""

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
THEORY = (ROOT / "docs" / "theory.md").read_text(encoding="utf-8")
SOURCES = sorted((ROOT / "src" / "genalpha").rglob("*.py"))

# what docstrings may rely on: the number of each equation of the chapter on theory
NUMBERS = {
    "motion": 1, "levels": 2, "accelerations": 3, "alpha": 4, "chung-hulbert": 5, "shift": 6, "move": 7, "pva": 8,
    "corrected": 9, "group": 10, "newton-impact": 11, "impulse": 12, "sets": 13, "soi2": 14, "estimate": 15,
    "iteration": 16, "row-size": 17, "least-multipliers": 18, "rolling": 19, "beam": 20, "energy": 21,
    "dissipation": 22, "increments": 23, "small-motions": 24, "coulomb": 25,
    "friction-impulse": 26, "friction-levels": 27,
}  # fmt: skip


def test_numbers_of_equations():
    """A new equation goes to the end of the list, or the docstrings that cite later ones change with it."""
    labels = re.findall(r"^\$\$ \(([\w-]+)\)$", THEORY, flags=re.MULTILINE)
    assert {label: i for i, label in enumerate(labels, start=1)} == NUMBERS


def test_cited_equations_exist():
    cited = [int(n) for path in SOURCES for n in re.findall(r"theory \((\d+)\)", path.read_text(encoding="utf-8"))]
    assert len(cited) >= 5
    assert max(cited) <= len(NUMBERS)


@pytest.mark.parametrize("page", sorted((ROOT / "docs").rglob("*.md")), ids=lambda path: path.stem)
def test_pages_that_run_compile(page):
    """Blocks of pages are Python; that they run is shown by make docs."""
    text = page.read_text(encoding="utf-8")
    for block in re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL):
        compile(block, str(page), "exec")
    if "```{live}" in text or ":::{live}" in text or "```console" in text:
        assert text.startswith("---\nrun: true\n---\n")


def blocks_of(page: Path) -> list[str]:
    return re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL)


def test_readme_is_narrow_and_says_what_it_is():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert max(map(len, text.splitlines())) <= 100
    first = text.partition("## Install")[0]
    for word in ("multibody", "mechanisms", "engineers", "viewer.png", "ga.Contact", "ga.solve"):
        assert word in first


@pytest.mark.slow
def test_samples_of_the_readme_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "__main__"}
    for i, block in enumerate(blocks_of(ROOT / "README.md")):
        file = tmp_path / f"sample{i}.py"
        file.write_text(block, encoding="utf-8")
        exec(compile(block, str(file), "exec"), names)
    assert (tmp_path / "pendulum.html").exists()
    assert "0.452" in capsys.readouterr().out


def test_page_of_tasks_has_the_files():
    """Its blocks are the examples, without their first lines."""
    files = (ROOT / "examples" / "tasks").glob("*.py")
    bodies = {path.read_text(encoding="utf-8").partition('"""\n\n')[2] for path in files}
    assert set(blocks_of(ROOT / "docs" / "tasks.md")) == bodies


def test_tasks_are_two_clicks_from_the_index():
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    linked = set(re.findall(r"\]\(([\w/-]+)\.md\)", index)) | set(re.findall(r"^([\w/-]+)$", index, flags=re.MULTILINE))
    for name in list(linked):
        page = ROOT / "docs" / f"{name}.md"
        if page.exists():
            linked |= set(re.findall(r"^([\w/-]+)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE))
    pages = {str(path.relative_to(ROOT / "docs").with_suffix("")) for path in (ROOT / "docs").rglob("*.md")}
    pages = {name for name in pages if not name.startswith("_")}  # what `make docs` leaves behind
    assert pages - linked <= {"index", "benchmarks/bench"}


def test_links_between_files():
    """Links of README and of pages to files of the repository."""
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]:
        text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
            if not target.startswith(("http:", "https:", "mailto:")):
                assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_checker_of_the_built_book(tmp_path):
    """It finds a file and an anchor that are not there, and what would be loaded from the network."""
    complaints = runpy.run_path(str(ROOT / "docs" / "check_pages.py"))["complaints"]
    (tmp_path / "a.html").write_text(
        '<h1 id="top"></h1><a href="b.html#here">b</a><a href="#top"></a><a href="http://x.y">'
    )
    (tmp_path / "b.html").write_text('<p id="here"></p><a href="c.html"></a><a href="a.html#gone"></a>')
    (tmp_path / "d.html").write_text('<script src="https://cdn.example/x.js"></script>')
    assert sorted(complaints(tmp_path)) == [
        "b.html: there is no c.html",
        "b.html: there is no place a.html#gone",
        "d.html loads https://cdn.example/x.js from the network",
    ]

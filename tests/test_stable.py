"""docs/stable.md lists what stays: all of it is there, and nothing that is public is forgotten."""

import re
from importlib import import_module
from pathlib import Path

import pytest

from genalpha.cli import failures, main
from genalpha.solution.files.stored import FORMAT

PAGE = (Path(__file__).parents[1] / "docs" / "stable.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", PAGE, flags=re.MULTILINE | re.DOTALL))
MODULES = [title.strip("`") for title in SECTIONS if title.startswith("`genalpha")]


def names(section: str) -> list[str]:
    """What the list of a section has in backquotes."""
    lines = re.findall(r"^(?:- |  )(.*)$", SECTIONS[section], flags=re.MULTILINE)
    return re.findall(r"`(\w+)`", " ".join(lines))


def test_modules_are_listed():
    assert set(MODULES) >= {
        "genalpha",
        "genalpha.symbolic",
        "genalpha.view",
        "genalpha.problems",
        "genalpha.model.joints",
    }


@pytest.mark.parametrize("name", MODULES)
def test_the_page_lists_what_is_public(name):
    module, listed = import_module(name), names(f"`{name}`")
    assert sorted(listed) == sorted(module.__all__)
    for one in listed:
        assert hasattr(module, one)


def test_commands_and_exit_codes():
    first, codes, _ = (line for line in SECTIONS["Command line"].splitlines() if line.startswith("- "))
    assert set(re.findall(r"`(\w+)`", first)) == set(main.commands)
    assert codes.removeprefix("- ") in " ".join(main.epilog.split()) + "."
    assert (failures.INPUT, failures.RUN) == (2, 3)


def test_format_of_files():
    assert f"now {FORMAT}." in SECTIONS["Files"]

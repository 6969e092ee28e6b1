"""Names in single backquotes in docstrings: a link where there is a page for the name, else as code.

A public name of the package must have a page; a link that does not find its target is a warning as usual.
"""

from __future__ import annotations

import re
from pathlib import Path

from docutils import nodes
from sphinx.roles import XRefRole

import genalpha


class Name(XRefRole):
    """``:name:`` tries the Python domain; `missing` decides what happens if it finds nothing."""

    def __init__(self):
        super().__init__(innernodeclass=nodes.literal, warn_dangling=False)

    def process_link(self, env, refnode, has_explicit_title, title, target):
        refnode["refdomain"], refnode["reftype"], refnode["from_name"] = "py", "obj", True
        refnode["py:module"], refnode["py:class"] = "genalpha", None
        target = target.lstrip("~")
        return title, target if target.startswith("genalpha") else f"genalpha.{target}"


def missing(app, env, node, contnode):
    """Code in place of a link, for names that are not public."""
    if node.get("from_name") and node["reftarget"].removeprefix("genalpha.") not in genalpha.__all__:
        return contnode
    return None


BARS = re.compile(r"\|([^|\s]{1,4})\|")
CITED = re.compile(r"(theory |(?<=[\d)]), |(?<=[\d)]) and )\((\d+)\)")
THEORY = Path(__file__).parents[1] / "theory.md"


def read_docstring(app, what, name, obj, options, lines) -> None:
    """|g| is an absolute value and no substitution; equations of the chapter on theory are cited by their numbers."""
    labels = re.findall(r"^\$\$ \(([\w-]+)\)$", THEORY.read_text(encoding="utf-8"), flags=re.MULTILINE)

    def cite(match):
        return f"{match[1]}:eq:`{labels[int(match[2]) - 1]}`"

    for i, line in enumerate(lines):
        if ">>>" not in line:
            line = BARS.sub(r"\\|\1\\|", line)
            lines[i] = CITED.sub(cite, line) if "theory (" in line else line


def setup(app) -> dict:
    app.add_role("name", Name())
    app.connect("missing-reference", missing)
    app.connect("autodoc-process-docstring", read_docstring, priority=900)  # behind numpydoc
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}

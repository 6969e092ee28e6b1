"""Mathematics as MathML, which browsers draw by themselves: no script, no network.

latex2mathml converts formulas. What it does not know is added here: `aligned`, with its columns aligned by CSS as
browsers want it.
"""

from __future__ import annotations

import re

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.util.math import get_node_equation_number

ALIGNED = re.compile(r"\s*\\begin\{aligned\}(.*)\\end\{aligned\}\s*", re.DOTALL)
OUTER = re.compile(r"^<math[^>]*>(.*)</math>$", re.DOTALL)
COLUMN = re.compile(r'<mtd columnalign="(\w+)">')


def formula(latex: str, display: bool) -> str:
    """The <math> element of a formula."""
    aligned = ALIGNED.fullmatch(latex)
    inner = table(aligned.group(1)) if aligned else row(latex)
    alt = nodes.fully_normalize_name(latex).replace('"', "&quot;").replace("<", "&lt;")
    kind = ' display="block"' if display else ""
    return f'<math xmlns="http://www.w3.org/1998/Math/MathML"{kind} alttext="{alt}">{inner}</math>'


def row(latex: str) -> str:
    """One line of a formula, without the element around it."""
    inner = OUTER.fullmatch(convert(latex)).group(1)
    return COLUMN.sub(r'<mtd style="text-align: \1">', inner)


def table(lines: str) -> str:
    """The lines of `aligned`, cells right and left of each & in turn."""
    rows = []
    for line in re.split(r"\\\\", lines.strip().removesuffix("\\\\")):
        cells = [row(cell) if cell.strip() else "" for cell in line.split("&")]
        rows.append("".join(f'<mtd class="align-{"lr"[i % 2 == 0]}">{cell}</mtd>' for i, cell in enumerate(cells)))
    return f'<mtable class="aligned" displaystyle="true">{"".join(f"<mtr>{cells}</mtr>" for cells in rows)}</mtable>'


def visit_inline(self, node) -> None:
    self.body.append(formula(node.astext(), display=False))
    raise nodes.SkipNode


def visit_block(self, node) -> None:
    number = get_node_equation_number(self, node) if node["number"] else ""
    self.body.append(self.starttag(node, "div", CLASS="equation"))
    self.body.append(formula(node.astext(), display=True))
    if number:
        self.body.append(f'<span class="number">({number})')
        self.add_permalink_ref(node, "Link to this equation")
        self.body.append("</span>")
    self.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app) -> dict:
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}

"""How results look as the last line of a notebook's cell: tables and frames in HTML."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

CELL = 'style="text-align:left"'


def table(rows: Iterable[Sequence[object]], head: Sequence[str] = (), caption: str = "") -> str:
    """An HTML table; what is in its cells is text."""
    lines = ["<table>"]
    if caption:
        lines.append(f"<caption {CELL}>{html.escape(caption)}</caption>")
    if head:
        lines.append("<tr>" + "".join(f"<th {CELL}>{html.escape(word)}</th>" for word in head) + "</tr>")
    for row in rows:
        lines.append("<tr>" + "".join(f"<td {CELL}>{html.escape(str(cell))}</td>" for cell in row) + "</tr>")
    return "\n".join([*lines, "</table>"])


def of_text(text: str) -> str:
    """A table of one column from lines of text; the first line is its caption."""
    first, *lines = text.splitlines()
    return table([(line.strip(),) for line in lines], caption=first)


def frame(page: str, height: int) -> str:
    """A page inside of a notebook: it needs no server, and no file."""
    style = "width:100%;border:1px solid #8888;border-radius:4px"
    return f'<iframe srcdoc="{html.escape(page, quote=True)}" height="{height}" style="{style}"></iframe>'

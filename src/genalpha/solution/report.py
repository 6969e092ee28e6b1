"""A report on a solution that one can hand in, as HTML or PDF by the ending of its name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from genalpha.errors import InputError
from genalpha.inputs import path_of
from genalpha.solution.files.stored import words
from genalpha.solution.report_content import content
from genalpha.solution.report_html import write_html
from genalpha.solution.report_pdf import write_pdf
from genalpha.style import require_matplotlib

if TYPE_CHECKING:
    from genalpha.solution.solution import Solution

WRITERS = {".html": write_html, ".htm": write_html, ".pdf": write_pdf}


def save_report(solution: Solution, path: Any, title: str = "") -> Path:
    """Write a report, see `Solution.save_report`."""
    file = path_of(path)
    writer = WRITERS.get(file.suffix.lower())
    if writer is None:
        raise InputError(f"{path}: a report is saved as .html or .pdf")
    if not isinstance(title, str):
        raise InputError(f"title = {title!r:.40} must be text")
    require_matplotlib()
    report = content(solution, title)
    with words(file, "write"):
        writer(solution, report, file)
    return file

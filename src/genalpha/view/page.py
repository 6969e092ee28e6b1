"""The page of a document: one self-contained HTML file."""

from __future__ import annotations

import html
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from genalpha.errors import InputError
from genalpha.inputs import PathName, path_of
from genalpha.solution.files.stored import FileRows
from genalpha.view.files import has_scene, is_drawn, read_scene
from genalpha.view.pack import Packed, document, pack
from genalpha.view.scene import FRAMES, make_scene

if TYPE_CHECKING:
    from genalpha.solution.solution import Solution

LAYOUTS = ("side", "overlay")
MOST_SCENES = 6
"""Side by side; the page has a colour for each."""


def page_of(
    solutions: Sequence[Any],
    drawing: Any = None,
    *,
    title: str | None = None,
    labels: Sequence[str] | None = None,
    layout: str = "side",
    frames: int = FRAMES,
    plots: Sequence[str] | None = None,
    trace: Sequence[str] | None = None,
    serve: bool = False,
) -> str:
    """The page of one solution, or of several; the options are those of `genalpha.view.save_html`."""
    scenes = scenes_of(solutions, drawing, labels=labels, title=title, frames=frames, plots=plots, trace=trace)
    return make_page(scenes, layout, serve)


def scenes_of(
    solutions: Sequence[Any], drawing: Any = None, *, labels: Sequence[str] | None = None, **options: Any
) -> list[Packed]:
    """The scenes of one solution, or of several to be compared; one that is packed already is taken as it is."""
    if not 1 <= len(solutions) <= MOST_SCENES:
        raise InputError(f"one solution can be shown, or up to {MOST_SCENES} compared, not {len(solutions)}")
    labels = [""] * len(solutions) if labels is None else list(labels)
    if len(labels) != len(solutions):
        raise InputError(f"labels = {labels!r} must have one name for each of {len(solutions)} solutions")
    return [_packed(sol, drawing, label, options) for sol, label in zip(solutions, labels, strict=True)]


def _packed(sol: Any, drawing: Any, label: str, options: dict[str, Any]) -> Packed:
    if not isinstance(sol, Packed) and not hasattr(sol, "rows"):
        raise InputError(f"{sol!r:.40} is not a solution; show one, and beside it another one")
    found: Packed | None = sol if isinstance(sol, Packed) else _stored(sol) if drawing is None else None
    if found is None:
        return pack(make_scene(cast("Solution", sol), drawing, label=label, **options))
    title = options.get("title") or found.header["title"]
    return found._replace(header={**found.header, "title": title, "label": label})


def _stored(sol: Any) -> Packed | None:
    """The scene of a solution in its file; None if it is made from its system."""
    if is_drawn(sol.system) or not isinstance(sol.rows, FileRows):
        return None
    return read_scene(sol.rows.path) if has_scene(sol.rows.path) else None


def make_page(scenes: Sequence[Packed], layout: str = "side", serve: bool = False) -> str:
    """The HTML text of a page; it needs nothing from outside.

    Examples
    --------
    >>> import genalpha as ga
    >>> from genalpha import problems
    >>> pendulum = problems.get("pendulum3d").system()
    >>> sol = ga.solve(pendulum, (0.0, 0.5), h=1e-2)
    >>> page = ga.view.make_page(ga.view.make_scenes([sol]))
    >>> page.startswith("<!doctype html>")
    True
    """
    if layout not in LAYOUTS:
        raise InputError(f'layout = {layout!r} must be "side" or "overlay"')
    header, data = document(scenes, layout, serve)
    page = template()
    for mark, text in (
        ("<!--title-->", html.escape(scenes[0].header["title"])),
        # "</script>" inside of the JSON would end it
        ("<!--header-->", header.replace("<", "\\u003c")),
        ("<!--arrays-->", data),
    ):
        before, found, after = page.partition(mark)
        if not found:
            raise InputError(f"the viewer of this installation is damaged: {mark} is missing; install genalpha anew")
        page = before + text + after
    return page


def template() -> str:
    """The built page without data."""
    return resources.files("genalpha.view").joinpath("viewer.html").read_text(encoding="utf-8")


def write_page(path: PathName, page: str) -> Path:
    """Write a page to a file."""
    path = path_of(path)
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}; choose another folder or name") from error
    return path

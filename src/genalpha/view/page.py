"""The page of a document: one self-contained HTML file."""

from __future__ import annotations

import html
from collections.abc import Sequence
from importlib import resources
from pathlib import Path

from genalpha.errors import InputError
from genalpha.inputs import path_of
from genalpha.solution import Solution
from genalpha.stored import FileRows
from genalpha.view.files import has_scene, is_drawn, no_looks, read_scene
from genalpha.view.pack import Packed, document, pack
from genalpha.view.scene import FRAMES, make_scene

LAYOUTS = ("side", "overlay")


def make_scenes(solutions, drawing=None, *, labels=None, allow=(), **options) -> list[Packed]:
    """The scenes of one solution, or of two to be compared; they may be in files (``allow`` as in `genalpha.load`).

    Examples
    --------
    >>> import genalpha as ga
    >>> from genalpha import problems
    >>> pendulum = problems.get("pendulum3d").system()
    >>> sol = ga.solve(pendulum, (0.0, 0.5), h=1e-2)
    >>> len(ga.view.make_scenes([sol, sol], labels=["one", "the same"]))
    2
    """
    solutions = list(solutions)
    if not 1 <= len(solutions) <= 2:
        raise InputError(f"one solution can be shown, or two compared, not {len(solutions)}")
    labels = [""] * len(solutions) if labels is None else list(labels)
    if len(labels) != len(solutions):
        raise InputError(f"labels = {labels!r} must have one name for each of {len(solutions)} solutions")
    return [_packed(sol, drawing, label, allow, options) for sol, label in zip(solutions, labels, strict=True)]


def _packed(sol, drawing, label: str, allow, options) -> Packed:
    path = stored_in(sol) if drawing is None else None
    if path is not None:
        found = read_scene(path)
        title = options.get("title") or found.header["title"]
        return found._replace(header={**found.header, "title": title, "label": label})
    if isinstance(sol, str | Path):
        from genalpha.driver import load

        path, sol = sol, load(sol, allow=allow)
        if drawing is None and not is_drawn(sol.system):
            is_kept = sol.system is None and sol.origin.recipe is not None
            raise no_looks(path, sol.no_system if is_kept else "")
    return pack(make_scene(sol, drawing, label=label, **options))


def stored_in(sol) -> Path | None:
    """The file that has the scene of a solution, or of a path; None if it is made from its system."""
    if isinstance(sol, str | Path):
        return Path(sol) if has_scene(sol) else None
    if not isinstance(sol, Solution):
        raise InputError(f"{sol!r:.40} is not a solution; show one, and beside it another one")
    if is_drawn(sol.system) or not isinstance(sol.rows, FileRows):
        return None
    return sol.rows.path if has_scene(sol.rows.path) else None


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


def save_html(
    path,
    *solutions,
    drawing=None,
    title=None,
    labels=None,
    layout="side",
    frames=FRAMES,
    plots=None,
    trace=None,
    allow=(),
) -> Path:
    """Write a solution, or two to compare, as one HTML file that shows them in any browser, without a network.

    Parameters
    ----------
    path : path
        The file, usually ``*.html``.
    *solutions : Solution, or the path of a saved one
        One, or two to compare.
    drawing : Drawing, optional
        How the system looks; by default what it was given itself.
    title : str, optional
    labels : sequence of str, optional
        The names of the solutions in a comparison.
    layout : {"side", "overlay"}
        Two solutions side by side or on top of one another; the page can switch.
    frames : int
        The most frames.
    plots : sequence of str, optional
        Quantities or groups of them to plot at first: "gap", "energy", "constraints", a coordinate, ...
    trace : sequence of str, optional
        Bodies of a model that leave a trace; all if there are few.
    allow : sequence of str
        Modules that files may import their functions from, as in `genalpha.load`.

    Returns
    -------
    Path
        The file that was written.

    Examples
    --------
    >>> import genalpha as ga
    >>> from genalpha import problems
    >>> pendulum = problems.get("pendulum3d").system()
    >>> sol = ga.solve(pendulum, (0.0, 0.5), h=1e-2)
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ga.view.save_html(f"{folder}/pendulum.html", sol).name
    'pendulum.html'
    """
    options = {"title": title, "labels": labels, "frames": frames, "plots": plots, "trace": trace, "allow": allow}
    scenes = make_scenes(solutions, drawing, **options)
    path, page = path_of(path), make_page(scenes, layout)
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}; choose another folder or name") from error
    return path

"""Solutions, and files of solutions, in the browser and as pages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from genalpha.inputs import PathName
from genalpha.solution.files.read import load
from genalpha.view.files import has_scene, is_drawn, no_looks, read_scene
from genalpha.view.pack import Packed
from genalpha.view.page import page_of, scenes_of, write_page
from genalpha.view.scene import FRAMES
from genalpha.view.server import View, show

if TYPE_CHECKING:
    from genalpha.solution.solution import Solution
    from genalpha.view.drawing import Drawing


def make_scenes(
    solutions: Sequence[Solution | PathName],
    drawing: Drawing | None = None,
    *,
    labels: Sequence[str] | None = None,
    allow: Sequence[str] = (),
    **options: Any,
) -> list[Packed]:
    """The scenes of one solution, or of several to be compared; they may be in files (``allow`` as in `genalpha.load`).

    Examples
    --------
    >>> import genalpha as ga
    >>> from genalpha import problems
    >>> pendulum = problems.get("pendulum3d").system()
    >>> sol = ga.solve(pendulum, (0.0, 0.5), h=1e-2)
    >>> len(ga.view.make_scenes([sol, sol], labels=["one", "the same"]))
    2
    """
    return scenes_of(_opened(solutions, drawing, allow), drawing, labels=labels, **options)


def _opened(solutions: Sequence[Solution | PathName], drawing: Drawing | None, allow: Sequence[str]) -> list[Any]:
    """Solutions as they are; of a file its scene, or its solution where there is none."""
    return [_open(sol, drawing, allow) if isinstance(sol, str | Path) else sol for sol in solutions]


def _open(path: PathName, drawing: Drawing | None, allow: Sequence[str]) -> Any:
    if drawing is None and has_scene(path):
        return read_scene(path)
    sol = load(path, allow=allow)
    if drawing is None and not is_drawn(sol.system):
        is_kept = sol.system is None and sol.origin.recipe is not None
        raise no_looks(path, sol.no_system if is_kept else "")
    return sol


def save_html(
    path: PathName,
    *solutions: Solution | PathName,
    drawing: Drawing | None = None,
    title: str | None = None,
    labels: Sequence[str] | None = None,
    layout: str = "side",
    frames: int = FRAMES,
    plots: Sequence[str] | None = None,
    trace: Sequence[str] | None = None,
    allow: Sequence[str] = (),
) -> Path:
    """Write a solution, or up to six to compare, as one HTML file that shows them in any browser, without a network.

    Parameters
    ----------
    path : path
        The file, usually ``*.html``.
    *solutions : Solution, or the path of a saved one
        One, or up to six to compare.
    drawing : Drawing, optional
        How the system looks; by default what it was given itself.
    title : str, optional
    labels : sequence of str, optional
        The names of the solutions in a comparison.
    layout : {"side", "overlay"}
        Solutions side by side or on top of one another; the page can switch.
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
    options: dict[str, Any] = {"title": title, "labels": labels, "frames": frames, "plots": plots, "trace": trace}
    page = page_of(_opened(solutions, drawing, allow), drawing, layout=layout, **options)
    return write_page(path, page)


def open_view(
    *solutions: Solution | PathName,
    drawing: Drawing | None = None,
    title: str | None = None,
    labels: Sequence[str] | None = None,
    layout: str = "side",
    frames: int = FRAMES,
    plots: Sequence[str] | None = None,
    trace: Sequence[str] | None = None,
    browser: bool = True,
    allow: Sequence[str] = (),
) -> View:
    """Show a solution in the browser, or up to six of them side by side or on top of one another.

    Parameters
    ----------
    *solutions : Solution, or the path of a saved one
        One, or up to six to compare.
    drawing : Drawing, optional
        How the system looks; by default what it was given itself.
    title : str, optional
    labels : sequence of str, optional
        The names of the solutions in a comparison.
    layout : {"side", "overlay"}
    frames : int
        The most frames.
    plots : sequence of str, optional
        Quantities or groups of them to plot at first.
    trace : sequence of str, optional
        Bodies of a model that leave a trace; all if there are few.
    browser : bool
        Open the browser. False, or if there is none: the address is in ``view.url``.
    allow : sequence of str
        Modules that files may import their functions from, as in `genalpha.load`.

    Returns
    -------
    View
        At once; the page is served by another process until it is closed.

    Examples
    --------
    >>> import genalpha as ga
    >>> from genalpha import problems
    >>> pendulum = problems.get("pendulum3d").system()
    >>> sol = ga.solve(pendulum, (0.0, 0.5), h=1e-2)
    >>> view = ga.view.open_view(sol, browser=False)  # the address is view.url
    >>> view.close()
    """
    options: dict[str, Any] = {"title": title, "labels": labels, "frames": frames, "plots": plots, "trace": trace}
    page = page_of(_opened(solutions, drawing, allow), drawing, layout=layout, serve=True, **options)
    return show(page, browser)

"""Pages that run: their ``python`` blocks are executed one after the other when the book is built.

What a block prints, and the figures that it draws, follow it on the page. A block that raises is a warning, and so ends
the build. Lines of ``console`` blocks that begin with $ are run in a shell, and what they print follows. Pages say
``run: true`` in their front matter. HTML files that they write, motions in the viewer, go to ``live/`` beside the
pages, and the directive ``live`` shows one.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

LOG = logging.getLogger(__name__)


def run_page(app, doctree) -> None:
    """Execute the blocks of a page and put what they gave behind them."""
    name = app.env.docname
    if not app.env.metadata.get(name, {}).get("run"):
        return
    begin, namespace, figures = time.perf_counter(), {"__name__": "__main__"}, Figures(app, name)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for block in list(doctree.findall(nodes.literal_block)):
            language = block.get("language")
            if language == "python":
                printed = execute(block, namespace, name, Path(app.doctreedir))
                results = [*output(printed), *figures.new()]
            elif language == "console":
                results = output(shell(block, name))
            else:
                continue
            place = block.parent.index(block) + 1
            block.parent[place:place] = results
        for file in Path(folder).glob("*.html"):
            live(app, name).mkdir(parents=True, exist_ok=True)
            shutil.copy(file, live(app, name))
    LOG.info("ran %s in %.1f s", name, time.perf_counter() - begin)


def execute(block, namespace, page, folder) -> str:
    """What the block prints, warnings included; its source is kept in a folder, for compilation and for traces."""
    stream = io.StringIO()
    with contextlib.redirect_stdout(stream), warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.filterwarnings("ignore", message="First-class function type feature")
        warnings.showwarning = lambda message, category, *_, **__: stream.write(f"{category.__name__}: {message}\n")
        try:
            file = folder / f"{page.replace('/', '-')}-{block.line or 0}.py"
            if not file.exists() or file.read_text(encoding="utf-8") != block.astext():
                file.write_text(block.astext(), encoding="utf-8")  # a file that is new is compiled anew
            exec(compile(block.astext(), str(file), "exec"), namespace)
        except Exception as error:
            LOG.warning("%s: %s: %s", page, type(error).__name__, error, location=block)
    return stream.getvalue()


def shell(block, page) -> str:
    """What the commands of a block print, in a terminal 80 columns wide."""
    printed = []
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "COLUMNS": "80", "NO_COLOR": "1"}
    for line in block.astext().splitlines():
        if line.startswith("$ "):
            command = line[2:].split("  #")[0]
            done = subprocess.run(command, shell=True, capture_output=True, text=True, env=environment, check=False)
            printed.append(done.stdout + done.stderr)
            if done.returncode > 1:  # 1: a check has found something, which the page may want to show
                LOG.warning("%s: %s: %s", page, command, done.stderr, location=block)
    return "\n".join(printed)


def output(printed: str) -> list[nodes.Node]:
    text = re.sub(r"[ \t]+$", "", printed, flags=re.MULTILINE).strip("\n")
    if not text:
        return []
    return [nodes.literal_block(text, text, language="text", classes=["output"])]


class Figures:
    """The figures of a page, written as SVG when they are new."""

    def __init__(self, app, page):
        self.folder = Path(app.srcdir) / "_figures"
        self.page, self.count = page, 0

    def new(self) -> list[nodes.Node]:
        pyplot = sys.modules.get("matplotlib.pyplot")
        if pyplot is None:
            return []
        images = []
        for number in pyplot.get_fignums():
            self.count += 1
            file = self.folder / f"{self.page.replace('/', '-')}-{self.count}.svg"
            file.parent.mkdir(exist_ok=True)
            figure = pyplot.figure(number)
            figure.savefig(file, metadata={"Date": None}, bbox_inches="tight")
            pyplot.close(figure)
            uri = f"/_figures/{file.name}"
            images.append(nodes.image(uri=uri, alt=f"figure {self.count} of this page", classes=["figure"]))
        return images


def live(app, page: str) -> Path:
    """The folder of the motions that blocks of a page have saved; it is a part of the book."""
    return Path(app.outdir) / "live" / page


class Live(SphinxDirective):
    """``{live} file.html``: a page that a block has written, in a frame."""

    required_arguments = 1
    option_spec: ClassVar = {"height": directives.nonnegative_int}

    def run(self):
        up = "../" * self.env.docname.count("/")
        source = f"{up}live/{self.env.docname}/{self.arguments[0]}"
        height = self.options.get("height", 460)
        frame = f'<iframe class="live" src="{source}" height="{height}" loading="lazy" title="the motion"></iframe>'
        link = f'<p class="live"><a href="{source}">Open the motion in a page of its own</a></p>'
        return [nodes.raw("", frame + link, format="html")]


def fingerprint() -> str:
    """A hash of the package: pages run again when it has changed."""
    import genalpha

    digest = hashlib.sha256()
    for path in sorted(Path(genalpha.__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def outdated(app, env, added, changed, removed) -> list[str]:
    now, before = fingerprint(), getattr(env, "package_fingerprint", None)
    env.package_fingerprint = now
    return [] if now == before else [page for page in env.found_docs if env.metadata.get(page, {}).get("run")]


def look(app) -> None:
    """Figures of the book: the style of the package, on transparent ground."""
    import matplotlib

    matplotlib.use("Agg")


def setup(app) -> dict:
    app.connect("builder-inited", look)
    app.connect("env-get-outdated", outdated)
    app.connect("doctree-read", run_page, priority=100)  # before images are collected
    app.add_directive("live", Live)
    return {"version": "1", "parallel_read_safe": False, "parallel_write_safe": True}

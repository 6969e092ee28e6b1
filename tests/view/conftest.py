"""What the tests of the viewer share: solutions, and a browser."""

import os
import shutil
from urllib.parse import urlsplit

import pytest
from runs import interpreted

import genalpha as ga

FLAGS = (
    "--headless --no-sandbox --disable-gpu --use-angle=swiftshader --enable-unsafe-swiftshader --disable-quic "
    "--no-first-run --disable-background-networking --disable-component-update --disable-sync"
).split()
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
READY = "() => window.genalpha && (!genalpha.stage || genalpha.stage.drawn > 0)"


@pytest.fixture(scope="session")
def ball():
    """The bouncing ball, to rest."""
    return interpreted("bouncing_ball", 5e-3, 5.0)


@pytest.fixture(scope="session")
def pair():
    """The bouncing pendulum with PVV and with PVA."""
    return [
        interpreted("bouncing_pendulum", 4e-3, 1.2, method=ga.GeneralizedAlpha(formulation=name))
        for name in ("PVV", "PVA")
    ]


@pytest.fixture(scope="session")
def browser():
    # where a browser is promised, as in CI, to be without one is a failure
    without = pytest.fail if os.environ.get("GENALPHA_NEEDS_BROWSER") else pytest.skip
    try:
        import playwright.sync_api as api
    except ImportError:
        without("the package playwright is not installed: the viewer is not tested in a browser")
    program = os.environ.get("GENALPHA_BROWSER") or next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        without("no browser found: install Chromium, or name one in GENALPHA_BROWSER, to test the viewer in it")
    with api.sync_playwright() as play:
        found = play.chromium.launch(executable_path=program, args=FLAGS)
        yield found
        found.close()


@pytest.fixture
def visit(browser):
    """Opens a page and waits until it is ready; at the end there must have been no errors and no outside requests."""
    pages, errors, outside = [], [], []

    def note(request, allowed):
        if not request.url.startswith((allowed, "data:", "blob:")):
            outside.append(request.url)

    def open_page(address, size=(1440, 900), ready=READY, **options):
        width, height = size
        page = browser.new_page(viewport={"width": width, "height": height}, **options)
        pages.append(page)
        allowed = "file://" if address.startswith("file:") else "{0.scheme}://{0.netloc}/".format(urlsplit(address))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        page.on("request", lambda request: note(request, allowed))
        page.goto(address)
        page.wait_for_function(ready)
        return page

    yield open_page
    for page in pages:
        page.close()
    assert errors == []
    assert outside == []

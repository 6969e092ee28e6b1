"""The committed page is the build of viewer/src."""

import hashlib
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from genalpha.view.page import template

VIEWER = Path(__file__).parents[2] / "viewer"


def test_the_page_was_built_from_these_sources():
    """The page names a digest of the sources it was built from; without Node this is what can be checked."""
    digest = hashlib.sha256()
    sources = sorted((VIEWER / "src").iterdir(), key=lambda path: path.name.encode())
    for path in [VIEWER / "build.js", VIEWER / "package-lock.json", *sources]:
        name = path.relative_to(VIEWER).as_posix()
        digest.update(name.encode() + b"\0" + path.read_bytes() + b"\0")
    found = re.search(r"built from viewer/src (\w+)", template())
    assert found, "the page does not say what it was built from"
    assert found[1] == digest.hexdigest(), "viewer/src has changed: run `make viewer`"


def test_building_again_gives_the_same_page():
    if not (VIEWER / "node_modules").is_dir() or shutil.which("node") is None:
        pytest.skip("viewer/node_modules is not there: `make check-viewer` installs it and builds the page again")
    done = subprocess.run(["node", "build.js", "--check"], cwd=VIEWER, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_the_lock_names_no_hosts():
    assert "http" not in (VIEWER / "package-lock.json").read_text(encoding="utf-8")


def test_the_licence_of_three_is_in_the_page():
    assert "SPDX-License-Identifier: MIT" in template()

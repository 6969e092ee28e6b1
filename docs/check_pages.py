"""Check the built book: every link and anchor inside leads somewhere, and no page loads anything from the network.

``python docs/check_pages.py out/docs`` prints what is wrong and then exits with 1.
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADS = {("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src"), ("link", "href")}
QUIET = {"canonical", "search", "index", "next", "prev"}  # relations of <link> that browsers do not follow


class Page(HTMLParser):
    """The anchors of a page, where it links to, and what it loads."""

    def __init__(self, path):
        super().__init__()
        self.anchors, self.links, self.loads = {""}, [], []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.anchors |= {given[name] for name in ("id", "name") if given.get(name)}
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        for name in ("src", "href"):
            if (tag, name) in LOADS and given.get(name) and given.get("rel") not in QUIET:
                self.loads.append(given[name])


def complaints(folder: Path):
    """One sentence for each link that leads nowhere and each thing that is loaded from outside."""
    pages = {path.resolve(): Page(path) for path in sorted(folder.rglob("*.html"))}
    for path, page in pages.items():
        where = path.relative_to(folder.resolve())
        for target in page.loads:
            if urlsplit(target).scheme in ("http", "https") or target.startswith("//"):
                yield f"{where} loads {target} from the network"
        for target in [*page.links, *page.loads]:
            parts = urlsplit(target)
            if parts.scheme or target.startswith("//"):
                continue
            file = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not file.exists():
                yield f"{where}: there is no {target}"
            elif parts.fragment and file in pages and unquote(parts.fragment) not in pages[file].anchors:
                yield f"{where}: there is no place {target}"


def main():
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "out/docs")
    found = sorted(set(complaints(folder)))
    print(*found, sep="\n", end="\n" if found else "")
    print(f"{len(list(folder.rglob('*.html')))} pages, {len(found)} broken links or loads")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()

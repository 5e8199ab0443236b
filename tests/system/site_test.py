#!/usr/bin/env python3
"""The site of the documents is made whole, and tools/make_site notices what is wrong.

  - every page of the navigation is there, and each page can be searched for;
  - no page loads anything from another host;
  - a link that leads nowhere ends make_site with status 1 and is named (in a copy of the documents).
Status 77: mkdocs is not installed.
"""
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOADED = re.compile(r"<(?:script|link|img|iframe)\b[^>]*?\b(?:src|href)=\"?(https?:)?//", re.I)


def make(root, output):
    return subprocess.run([root / "tools" / "make_site", output], capture_output=True, text=True)


def luminance(colour):
    parts = [int(colour[k:k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a, b):
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def main():
    with tempfile.TemporaryDirectory() as scratch:
        site = Path(scratch) / "site"
        ran = make(ROOT, site)
        if ran.returncode == 77:
            print(ran.stderr, end="")
            return 77
        assert ran.returncode == 0, ran.stderr
        pages = [p.relative_to(ROOT / "docs") for p in (ROOT / "docs").rglob("*.md")]
        for page in pages:
            made = site / "docs" / page.with_suffix(".html")
            made = made if page.name != "README.md" else made.with_name("index.html")
            assert made.is_file(), f"no page of docs/{page}"
        for page in site.rglob("*.html"):
            if page.is_relative_to(site / "docs" / "results"):
                continue  # reports that the program made, which have tests of their own
            for tag in re.findall(r"<(?:script|link|img|iframe)\b[^>]*>", page.read_text()):
                if "canonical" not in tag:
                    assert not LOADED.match(tag), f"{page} loads {tag}"
        # The theme's own link on the dark page has a contrast of 2.4.
        rules = (site / "contrast.css").read_text()
        for scheme, ground in (("slate", "#1e2129"), ("default", "#ffffff")):
            link = re.search(rf"scheme={scheme}\][^}}]*--md-typeset-a-color:(#[0-9a-f]{{6}})", rules)[1]
            assert contrast(link, ground) >= 4.5, (scheme, link)
        for page in (site / "index.html", site / "docs" / "options.html"):
            assert "contrast.css" in page.read_text(), f"{page} is without its colours"
        index = json.loads((site / "search" / "search_index.json").read_text())
        found = {entry["location"].split("#")[0] for entry in index["docs"]}
        assert len(found) >= len(pages), f"{len(found)} of {len(pages)} pages can be searched for"

        copy = Path(scratch) / "copy"
        for part in ("docs", "examples", "models", "src"):
            shutil.copytree(ROOT / part, copy / part)
        (copy / "tools").mkdir()
        shutil.copy(ROOT / "tools" / "make_site", copy / "tools")
        for name in ("README.md", "NEWS.md", "CONTRIBUTING.md", "BUGS-FOUND.md", "SECURITY.md", "LICENSE", "Makefile"):
            shutil.copy(ROOT / name, copy)
        with (copy / "docs" / "run.md").open("a") as page:
            page.write("\n[nowhere](no-such-page.md)\n")
        ran = make(copy, Path(scratch) / "broken")
        assert ran.returncode == 1 and "docs/run.md: no-such-page.md" in ran.stderr, (ran.returncode, ran.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())

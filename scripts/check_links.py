#!/usr/bin/env python3
"""Checks the links of all Markdown pages: each leads to a file or folder of the project, and its anchor to a heading,
by GitHub's names of headings. Every page in docs/ has to be in the navigation of the site, docs/mkdocs.yml.

Usage: scripts/check_links.py [--linked] [ROOT]
--linked prints, instead of a check, the files of the site: the pages in the navigation and all that they link to.
"""

import collections
import difflib
import functools
import os
import re
import sys
from urllib.parse import unquote

NAVIGATION = "docs/mkdocs.yml"
NOT_KEPT = ("build", "runs", "data")  # .gitignore
FENCED = re.compile(r"^ *(```+|~~~+)(?:.|\n)*?(?:^ *\1 *$|\Z)", re.M)
INDENTED = re.compile(r"(?:\A|(?<=\n\n))(?: {4}.*(?:\n|\Z)|\n)+")
SPAN = re.compile(r"(?<!`)(`+)(?!`)(?:(?!\n\n).)+?(?<!`)\1(?!`)", re.S)
HEADING = re.compile(r"^#{1,6} +(.+?)(?: +#+)? *$", re.M)
LINK = re.compile(r"\]\(\s*<?([^)\s>]+)|^ {0,3}\[[^\]]+\]: +(\S+)", re.M)


class Anchors:
    """The anchors of one page's headings, asked for in order: a heading that comes again gets a number."""

    def __init__(self):
        self.seen = collections.Counter()

    def __call__(self, heading, separator="-"):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        anchor = re.sub(r"[^\w\- ]", "", text).replace(" ", separator)
        self.seen[anchor] += 1
        return anchor if self.seen[anchor] == 1 else f"{anchor}-{self.seen[anchor] - 1}"


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def blank(text, *patterns):
    for pattern in patterns:
        text = pattern.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    return text


@functools.cache
def anchors(page):
    return list(map(Anchors(), HEADING.findall(blank(read(page), FENCED, INDENTED))))


def links(page):
    """(line, path from the root, anchor) of each link that stays in the project."""
    text = blank(read(page), FENCED, INDENTED, SPAN)
    for match in LINK.finditer(text):
        target = match[match.lastindex]
        if not re.match(r"[a-z][a-z0-9+.-]*:|//", target):
            path, _, anchor = unquote(target).partition("#")
            path = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
            yield text.count("\n", 0, match.start(match.lastindex)) + 1, path, anchor


def navigation():
    """The line of each page in the navigation."""
    lines = enumerate(read(NAVIGATION).splitlines(), 1)
    return {match[1]: number for number, line in lines if (match := re.match(r" *- (?:.*: )?(\S+\.md)$", line))}


def exists(path):
    return os.path.exists(path) and not path.startswith(("/", "..")) and path.split("/")[0] not in NOT_KEPT


def below(folder, without=()):
    """All files in the folder, but for those in hidden folders and in those named."""
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders
                      if name[0] != "." and os.path.normpath(os.path.join(place, name)) not in without]
        yield from (os.path.normpath(os.path.join(place, name)) for name in names)


def wrong(pages):
    for page in pages:
        for line, path, anchor in links(page):
            if not exists(path):
                yield f"{page}:{line}: there is no {path}"
            elif anchor and path.endswith(".md") and anchor not in anchors(path):
                near = difflib.get_close_matches(anchor, anchors(path), 1)
                yield f"{page}:{line}: {path} has no heading #{anchor}" + "".join(f"; did you mean #{a}?" for a in near)
        if os.path.dirname(page) == "docs" and page not in navigation():
            yield f"{page}:1: is not in the navigation, {NAVIGATION}"
    yield from (f"{NAVIGATION}:{line}: there is no {page}" for page, line in navigation().items() if not exists(page))


def linked():
    found, ahead = set(), set(navigation())
    while ahead:
        path = ahead.pop()
        found.add(path)
        if path.endswith(".md"):
            for _, target, _ in links(path):
                ahead |= (set(below(target)) if os.path.isdir(target) else {target}) - found
    return sorted(found)


def main(arguments):
    only_linked = arguments[:1] == ["--linked"]
    os.chdir((arguments[only_linked:] or [os.path.join(os.path.dirname(__file__), "..")])[0])
    if only_linked:
        return print(*linked(), sep="\n")
    pages = sorted(path for path in below(".", (*NOT_KEPT, "tests/fixtures")) if path.endswith(".md"))
    said = list(wrong(pages))
    print(*said or [f"links: all lead somewhere, on {len(pages)} pages"], sep="\n")
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

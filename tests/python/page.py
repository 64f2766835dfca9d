"""The tables of docs/python.md, to compare them with what the program writes."""

import re

from tiny import ROOT

PAGE = (ROOT / "docs" / "python.md").read_text("utf-8")


def rows():
    """The cells of each row of the page's tables, by the first word in the first cell."""
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in PAGE.splitlines() if line[:3] == "| `"]
    return {re.match(r"`([\w./*]+)", row[0])[1]: row for row in cells}


def words(cell):
    return set(re.findall(r"`(\w+)`", cell))


def keys(value):
    """Those of all objects in a value."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return set(value if isinstance(value, dict) else ()).union(*map(keys, inner))

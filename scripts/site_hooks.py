"""What the site of docs/mkdocs.yml needs beyond mkdocs: Markdown as GitHub reads it, and search without a server."""

import json
import pathlib
import re
import sys

from mkdocs.utils import get_relative_url

sys.path.append(str(pathlib.Path(__file__).parent))

from check_links import FENCED, Anchors  # noqa: E402

# Fenced code; the last paragraph of an item of a list; any other line that is indented by two or three.
OF_LISTS = re.compile(FENCED.pattern + r"|(?<=\n\n)(?: {2,3}\S.*\n)+(?=- )|^ {2,3}(?=\S)", FENCED.flags)
OFFLINE = "search/offline.js"
# Room for the tables; names such as model.d_model are searched for as their parts; a page that is a file may not fetch
# the index of the search, but may run a script that has it.
HEAD = """<style>
  .md-grid { max-width: 80rem }
  .md-typeset td code { word-break: normal }
</style>
<script>
  var __search = {transform: query => query.replace(/[^\\p{L}\\p{N}_]+/gu, " ").trim()}
  if (location.protocol == "file:") document.write('<script src="%s"><\\/script>')
</script>
</head>"""


def on_page_markdown(markdown, config, **_):
    config["mdx_configs"]["toc"]["slugify"] = Anchors()  # which counts the headings of this page
    return OF_LISTS.sub(lambda match: match[0] if match[1] else of_list(match[0]), markdown)


def of_list(text):
    """Python-Markdown wants parts of a list indented by four, and a blank line after a paragraph of one."""
    return re.sub(r"^ +", "    ", text, flags=re.M) + ("\n" if text.endswith("\n") else "")


def on_page_content(html, **_):
    """A bar in code in a table is escaped for GitHub, which takes the backslash away."""
    return re.sub(r"<td.*?</td>", lambda cell: cell[0].replace(r"\|", "|"), html, flags=re.S)


def on_post_page(output, page, **_):
    return output.replace("</head>", HEAD % get_relative_url(OFFLINE, page.url), 1)


def on_post_build(config, **_):
    """Writes the index of the search and its worker as a script, from which the theme's own script takes them."""
    site = pathlib.Path(config["site_dir"])
    index = (site / "search/search_index.json").read_text()
    worker, = (site / "assets/javascripts/workers").glob("search.*.js")
    (site / OFFLINE).write_text(f"__search.index = Promise.resolve({index})\n__search.worker = URL.createObjectURL("
                                f"new Blob([{json.dumps(worker.read_text())}], {{type: 'text/javascript'}}))\n")

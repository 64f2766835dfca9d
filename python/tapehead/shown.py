"""Results as people see them: tables, pandas DataFrames, and how far a training is."""

from __future__ import annotations

import html
import json
import os
import re
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Dict

import numpy as np

from .launch import Name

if TYPE_CHECKING:
    import pandas

    Rows = list[dict[str, Any]]


def _frame(rows: Rows) -> pandas.DataFrame:
    try:
        import pandas
    except ImportError as error:
        raise ImportError("frame() needs pandas: pip install pandas") from error
    return pandas.DataFrame(rows)


def _flat(record: dict[str, Any], before: str = "") -> dict[str, Any]:
    """Without lists; what is in an object has the object's name in front, as in the columns of CSV files."""
    return {inner: x for name, value in record.items() if not isinstance(value, list) for inner, x in
            (_flat(value, f"{before}{name}.") if isinstance(value, dict) else {before + name: value}).items()}


def _cells(rows: Rows, names: list[str]) -> list[list[str]]:
    """The columns that have values, under their names."""
    names = [name for name in names if any(row.get(name) is not None for row in rows)]
    return [names] + [["" if x is None else f"{x:.4g}" if isinstance(x, float) else str(x) for x in map(row.get, names)]
                      for row in rows]


def _html_table(cells: list[list[str]]) -> str:
    head, *body = ("".join(f"<td>{html.escape(cell)}</td>" for cell in row) for row in cells)
    rows = "".join(f"<tr>{row}</tr>" for row in body)
    return f"<table><thead><tr>{head.replace('td>', 'th>')}</tr></thead><tbody>{rows}</tbody></table>"


def read_tensors(file: Name) -> tuple[dict[str, np.ndarray[Any, Any]], dict[str, str]]:
    """The arrays of a safetensors file by name, mapped into memory, and its metadata. Raises ValueError.
    Example: `tensors, metadata = tapehead.read_tensors("runs/copy/checkpoints/best.safetensors")`"""
    kinds = {"F64": "f8", "F32": "f4", "F16": "f2", "I64": "i8", "I32": "i4", "I16": "i2", "I8": "i1",
             "U64": "u8", "U32": "u4", "U16": "u2", "U8": "u1", "BOOL": "?"}
    data: Any = np.memmap(file, np.uint8, "r") if os.path.getsize(file) else np.empty(0, np.uint8)
    begin = 8 + int.from_bytes(data[:8], "little")  # after the size of the header and the header
    tensors = {}
    try:
        header = json.loads(bytes(data[8:begin]))
        metadata = header.pop("__metadata__", {})
        for name, entry in header.items():
            first, last = entry["data_offsets"]
            numbers = data[begin + first : begin + last].view("<" + kinds[entry["dtype"]])
            tensors[name] = numbers.reshape(entry["shape"])
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{file} is truncated or no safetensors file ({error!r})") from error
    return tensors, metadata


class Attention:
    """What `Run.attention` shows: the fields of docs/python.md, such as `source_tokens`; `logits`, and `logits_without`
    the heads named; by the name of an attention, `queries`, `keys`, `values`, `weights`, `scores` (-inf: not allowed)
    and `outputs`, arrays of (heads, rows, columns). With `walk`, the `steps` of the `walk` have `values`, arrays. A
    notebook shows a page with maps of all heads.
    Example: `run.attention("3 1 4").weights["encoder.layers.0.self"][0]`"""

    source: str
    target: str
    generated: bool
    source_tokens: list[str]
    target_tokens: list[str]
    said_tokens: list[str]
    predictions: list[dict[str, Any]]
    attentions: list[dict[str, Any]]

    def __init__(self, file: Name, write_page: Callable[[str], object]):
        tensors, metadata = read_tensors(file)
        facts = json.loads(metadata["tapehead"])
        if (facts["format"], facts["version"]) != ("tapehead attention", 1):
            raise ValueError(f"{file} has version {facts['version']} of {facts['format']}, which is not known here")
        vars(self).update(facts)
        self.logits = np.array(tensors["logits"])
        self.logits_without = np.array(tensors["without.logits"]) if "without.logits" in tensors else None
        self.queries, self.keys, self.values, self.weights, self.scores, self.outputs = (
            {one["attention"]: np.stack([tensors[f"{one['attention']}.{head}.{what}"] for head in range(one["heads"])])
             for one in self.attentions} for what in ("queries", "keys", "values", "weights", "scores", "outputs"))
        for step in facts.get("walk", {}).get("steps", []):
            step["values"] = tensors[f"walk.{step['step']}"]
        self._write_page = write_page

    def _repr_html_(self) -> str:
        with tempfile.TemporaryDirectory() as folder:
            self._write_page(f"{folder}/page.html")
            page = html.escape(Path(folder, "page.html").read_text("utf-8"))
        return f'<iframe srcdoc="{page}" sandbox="allow-scripts" style="width: 100%; height: 42em; border: 0"></iframe>'


class Heads(Dict[str, Any]):
    """A dict of what `Run.heads` measures, shown as a table. Example: `run.heads()["attentions"][0]["heads"]`"""

    def _rows(self) -> Rows:
        importance = {(one["attention"], one["head"]): one for one in self.get("importance", {}).get("heads", [])}
        return [_flat({**{name: checkpoint[name] for name in checkpoint if name == "step"},
                       "attention": one["attention"], **head,
                       "relations": {of["name"]: of["agreement"][place] for of in one["relations"]},
                       **importance.get((one["attention"], head["head"]), {})})
                for checkpoint in self.get("steps", [self])
                for one in checkpoint["attentions"] for place, head in enumerate(one["heads"])]

    def _shown(self) -> list[list[str]]:
        names = "step attention head role entropy confidence offset offset_share importance loss_without loss_alone"
        return _cells(self._rows(), names.split())

    def __repr__(self) -> str:
        cells = self._shown()
        widths = [max(map(len, column)) for column in zip(*cells)]
        return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in cells)

    def _repr_html_(self) -> str:
        return _html_table(self._shown())

    def frame(self) -> pandas.DataFrame:
        """A row for each head, or step and head, with all its figures. Example: `run.heads(importance=True).frame()`"""
        return _frame(self._rows())


class Figures(Dict[str, Any]):
    """Also answers to the names that figures had before. They go in the version after the next."""

    def __missing__(self, name: str) -> Any:
        for old, new in ((".largest", ".confidence"), (".self", ".same_position")):
            if name.endswith(old):
                return self[name.removesuffix(old) + new]
        raise KeyError(name)


class Sweep(Dict[str, Any]):
    """A dict of the results.json of a sweep, shown as a table. Example: `tapehead.sweep("sweep.yaml")["cells"]`"""

    def __init__(self, results: dict[str, Any], printed: str):
        super().__init__(results)
        self._printed = printed

    def _rows(self, of: str) -> Rows:
        def value(setting: str) -> Any:
            return json.loads(setting) if re.fullmatch(r"-?\d+(\.\d+)?(e-?\d+)?|true|false", setting) else setting
        return [{**{axis: value(one["settings"][axis]) for axis in self["axes"]},
                 **_flat({name: x for name, x in one.items() if name != "settings"})} for one in self[of]]

    def __repr__(self) -> str:
        return self._printed.strip("\n")

    def _repr_html_(self) -> str:
        names = [*self["axes"], "seeds", f"{self['metric']}.mean", f"{self['metric']}.deviation", "to_best.difference",
                 "to_best.p_holm", "parameters.mean", "multiply_adds.mean"]
        return _html_table(_cells(self._rows("cells"), names))

    def frame(self, of: str = "runs") -> pandas.DataFrame:
        """A row for each run, with its settings and figures; of "cells", for each cell, with means and deviations.
        Example: `tapehead.sweep("sweep.yaml").frame("cells")`"""
        return _frame(self._rows(of))


class Metrics(Dict[str, Any]):
    """The figures of a training, a dict of arrays. Example: `run.metrics["validation/loss"]`"""

    def frame(self) -> pandas.DataFrame:
        """A row for each step, also with its evaluations. Example: `run.metrics.frame()["loss"].plot()`"""
        rows: dict[int, dict[str, Any]] = {}
        for name, values in self.items():
            kind, slash, figure = name.rpartition("/")
            for step, value in zip(self[kind + slash + "step"].tolist(), values if figure != "step" else ()):
                rows.setdefault(step, {"step": step})[name] = value
        return _frame([rows[step] for step in sorted(rows)]).set_index("step")


class Progress:
    """Shows each line that a training or a sweep prints; in a notebook a bar with the last line about its steps."""

    def __init__(self) -> None:
        shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
        self._display = __import__("IPython.display").display.display if hasattr(shell, "kernel") else None
        self._numbers = {"done": 0, "all": 0, "before": 0}
        self._begin, self._text = time.monotonic(), ""

    def __call__(self, line: str) -> None:
        places = (r"until step (?P<all>\d+)", r"^(step|trained) (?P<done>\d+)(/(?P<all>\d+))?",
                  r"\b(?P<all>\d+) runs?, (?P<before>(?P<done>\d+)) of them finished before",
                  r"^(?P<done>\d+) of (?P<all>\d+) runs finished")
        found = next(filter(None, (re.search(place, line) for place in places)), None)
        if not self._display or line.startswith("warning: "):
            sys.stderr.write(line)
        elif found:
            self._numbers.update({name: int(number) for name, number in found.groupdict().items() if number})
            self._draw(self._display, line)
        elif line.endswith(" finished\n"):
            self._numbers["done"] += 1
            self._draw(self._display, "{done} of {all} runs finished".format(**self._numbers))

    def _draw(self, display: Any, line: str) -> None:
        (done, all_, before), drawn = self._numbers.values(), bool(self._text)
        text = line.split("  (")[0].strip() if re.match(r"step|\d", line) else self._text or f"step 0 of {all_}"
        if "runs finished" in text and before < done < all_:
            left = round((time.monotonic() - self._begin) / (done - before) * (all_ - done))
            text += f"; {left // 60}:{left % 60:02} left"
        bar = f'<progress value="{done}" max="{all_}"></progress> ' * bool(all_)
        display({"text/plain": text, "text/html": bar + html.escape(text)}, raw=True,
                display_id=f"tapehead {id(self)}", update=drawn)
        self._text = text

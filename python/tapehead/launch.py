"""Finds the program, makes its command lines, starts it, and turns what it prints into results and errors."""

from __future__ import annotations

import contextlib
import difflib
import functools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any, Callable, Iterable, Iterator, Mapping, Optional, Union

Name = Union[str, "os.PathLike[str]"]
Config = Union[str, "os.PathLike[str]", Mapping[str, Any]]
Texts = Union[str, Iterable[str]]
Settings = Optional[Mapping[str, Any]]
Ran = subprocess.CompletedProcess
Answer = Callable[["list[str]", str], "Ran[str]"]


class Error(Exception):
    """The program's message, with its `exit_code`: 1 if something failed, 2 for a wrong config or option, 128 and more
    if a signal stopped it.
    Example: `except tapehead.Error as error: print(error, error.exit_code)`"""

    def __init__(self, message: str, exit_code: int = 1):  # a default, so that pickle can make it
        super().__init__(message)
        self.exit_code = exit_code


def program() -> str:
    """The path of the program, as docs/python.md says. Example: `subprocess.run([tapehead.program(), "--version"])`"""
    package = Path(__file__).resolve().parent
    built = package.parents[1] / "build" / "tapehead"
    places = [str(place) for place in (package / "program" / "bin" / "tapehead", built) if place.exists()]
    found = os.environ.get("TAPEHEAD") or (places[0] if places else shutil.which("tapehead"))
    if not found:
        raise FileNotFoundError(f"no program tapehead: set TAPEHEAD to its path, or build {built}")
    return found


def plain(value: Any) -> Any:
    """A value of numpy, pandas or pathlib as one of Python's own, which JSON can say."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Mapping):
        return {str(name): plain(one) for name, one in value.items()}
    return [plain(one) for one in value] if isinstance(value, Iterable) and not isinstance(value, str) else value


def joined(texts: Texts) -> str:
    """Texts as lines."""
    texts = plain(texts)
    texts = [texts] if isinstance(texts, str) else texts
    for text in texts:
        if not isinstance(text, str) or "\n" in text or "\r" in text:
            raise ValueError(f"a text is not a str or has more than one line: {text!r}")
    return "".join(text + "\n" for text in texts)


@contextlib.contextmanager
def config_file(config: Config) -> Iterator[Name]:
    """The file of a config. A dict gets one for a while; its `base` begins at the working directory, as other paths."""
    if not isinstance(config, Mapping):
        yield config
        return
    with tempfile.TemporaryDirectory() as folder:
        written = plain(config)
        if isinstance(written.get("base"), str):
            written["base"] = os.path.abspath(written["base"])
        file = Path(folder) / "config.json"
        file.write_text(json.dumps(written, indent=1), "utf-8")
        try:
            yield file
        except Error as error:
            raise Error(str(error).replace(f"{folder}/", ""), error.exit_code) from None


@functools.lru_cache(maxsize=None)
def _options_in_help(path: str, command: str) -> list[str]:
    found = re.findall(r"^  (?:-\w,)?--([\w-]+)", result(start([path, command, "--help"])), re.MULTILINE)
    return [name.replace("-", "_") for name in found]


def line(function: str, *words: object, options: Settings = None, set: Settings = None, **own: object) -> list[str]:
    """The command line of a function. `options` are its caller's, and checked. A list gives its option several times;
    what is None, False or empty is left out. `import_` and `as_` end in _ because Python has these words."""
    command, options = function.rstrip("_"), options or {}
    other_output = {"csv", "help", "json", "legend", "reference"}  # results are read as JSON
    known = [name for name in _options_in_help(program(), command) if name not in other_output] if options else []
    for name in options:
        if name.rstrip("_") not in known:
            nearest = difflib.get_close_matches(name, known, 1)
            raise TypeError(f"{function}() has no option {name!r}" + "".join(f"; did you mean {x!r}?" for x in nearest))
    said = [program(), command]
    for name, value in dict(**own, **options).items():
        option, value = "--" + name.rstrip("_").replace("_", "-"), plain(value)
        if value is True:
            said.append(option)
        elif value is not None and value is not False and value != "":
            said += [f"{option}={one}" for one in (value if isinstance(value, list) else [value])]
    for name, value in plain(set or {}).items():
        said.append(f"--set={name}={value if isinstance(value, str) else json.dumps(value)}")
    return [*said, "--", *(str(plain(word)) for word in words)]


def start(words: list[str], texts: str = "") -> Ran[str]:
    """Runs a command line in a process of its own."""
    return subprocess.run(words, input=texts, capture_output=True, encoding="utf-8", errors="replace")


def result(ran: Ran[str]) -> str:
    """What a command printed. Its warnings become Python's, of the line that called this package."""
    if ran.returncode:
        raise failure(ran.stderr, ran.returncode)
    for warning in re.findall(r"^warning: (.*)", ran.stderr, re.MULTILINE):
        caller, level = sys._getframe(), 1
        while caller.f_back and caller.f_globals.get("__package__") == __package__:
            caller, level = caller.f_back, level + 1
        warnings.warn(warning, stacklevel=level)
    return ran.stdout


def ask(function: str, *words: object, texts: Texts = (), answer: Answer = start, **options: Any) -> list[Any]:
    """The JSON objects that a command prints: each has a line, or the only one has several."""
    printed = result(answer(line(function, *words, json=True, **options), joined(texts)))
    return list(json.loads("[" + re.sub(r"\n(?=\{)", ",", printed) + "]"))


def failure(said: str, exit_code: int) -> Error:
    """The message follows `error: `; what is wrong with a command line has no such mark, and ends what is said."""
    found = re.search(r"^error: ", said, re.MULTILINE)
    message = (said[found.end():] if found else "\n".join(said.splitlines()[-2:])).strip()
    if exit_code < 0:
        message, exit_code = f"tapehead ended by {signal.Signals(-exit_code).name}\n{message}".strip(), 128 - exit_code
    return Error(message or f"tapehead ended with exit code {exit_code}", exit_code)


def watch(words: list[str], show: Callable[[str], object]) -> str:
    """Runs a command that takes long, and returns what it prints. `show` gets each line of its standard error."""
    said = []
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as output:
        with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.PIPE, encoding="utf-8",
                              errors="replace") as running:
            def pass_on() -> None:
                for printed in running.stderr or ():
                    said.append(printed)
                    show(printed)
            try:
                pass_on()
            except KeyboardInterrupt:
                running.send_signal(signal.SIGINT)  # from a terminal it has it already, from a notebook not
                pass_on()
                raise
        output.seek(0)
        show(printed := output.read())
        if running.returncode:
            raise failure("".join(said), running.returncode)
        return printed

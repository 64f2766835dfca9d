"""A live page about a run, for this machine alone: type a text, and see what the heads do with it (docs/python.md)."""

from __future__ import annotations

import argparse
import contextlib
import copy
import fcntl
import json
import re
import secrets
import sys
import tempfile
import threading
import webbrowser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Callable, Iterable

from .launch import Error, failure, line, result, start
from .runs import OpenRun, Run

HEADERS = {"Content-Security-Policy": "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
           "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store"}
LONGEST = 64 * 1024  # bytes of a question
DATA = 'script type="application/json" id="report"'


def _inside(page: str, tag: str) -> str:
    """What is between this tag, wherever a page has it, and its end."""
    end = f"</{tag.split(' ')[0]}>"
    return "".join(re.findall(f"<{re.escape(tag)}>(.*?){end}", page, re.DOTALL))


class Live:
    """The questions that the page asks about a run."""

    def __init__(self, run: Run):
        self._run, self._lock = run, threading.Lock()
        self._model: OpenRun | None = None
        self._loaded = ""  # the state of the checkpoint that the model is of

    def page(self) -> str:
        """The program's page about all but the model: without a checkpoint, it takes no time."""
        directory = self._run.directory.resolve()
        with tempfile.TemporaryDirectory() as folder:
            bare = Path(folder, "run", directory.name)
            (bare / "checkpoints").mkdir(parents=True)
            for file in directory.iterdir():
                if file.suffix in (".yaml", ".json", ".jsonl"):
                    (bare / file.name).symlink_to(file)
            result(start(line("report", bare, output=f"{folder}/page.html")))
            return Path(folder, "page.html").read_text("utf-8")

    def news(self, records: str = "") -> dict[str, Any]:
        """The state of the records and of the checkpoint; and the records, if their state is another than this."""
        training, (_, checkpoint) = self._in_training(), self._newest()
        files = [self._run.directory / name for name in ("metrics.jsonl", "record.json")]
        state = f"{training} {[(file.stat().st_size, file.stat().st_mtime_ns) for file in files if file.exists()]}"
        news: dict[str, Any] = {"records": state, "checkpoint": checkpoint}
        if state != records:
            report = news["report"] = json.loads(_inside(self.page(), DATA))
            report["notes"].pop()  # says that there is no checkpoint
            if training:
                report["state"] = {"name": "training", "text": f"in training, at step {report['curves']['last_step']}"}
            one_text, family = self._run.config["task"]["name"] == "text", self._run.config["model"]["family"]
            report.update(targets=not one_text, masks=one_text and family == "encoder")
        return news

    def attention(self, text: str, target: str = "", without: Iterable[str] = (), walk: str = "") -> dict[str, Any]:
        """The data of the page that `attention --output page.html` writes, what it prints as JSON, and its warnings."""
        model, heads, walk = self._open(), [str(head) for head in without], str(walk)
        with tempfile.TemporaryDirectory() as folder:
            ran = model._answer(line("attention", self._run.directory, str(text), target=str(target), without=heads,
                                     walk=walk, output=f"{folder}/page.html", json=True, checkpoint=model.checkpoint))
            if ran.returncode:
                raise failure(ran.stderr, ran.returncode)
            report = json.loads(_inside(Path(folder, "page.html").read_text("utf-8"), DATA))
        return {"report": report, "seen": json.loads(ran.stdout),
                "notes": re.findall(r"^warning: (.*)", ran.stderr, re.MULTILINE)}

    def close(self) -> None:
        if self._model:
            self._model._end()

    def _in_training(self) -> bool:
        with contextlib.suppress(FileNotFoundError), open(self._run.directory / ".lock", "rb") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
        return False

    def _newest(self) -> tuple[Run, str]:
        """The run with the checkpoint to show, and the state of its file. While a training runs, this is the last."""
        run = copy.copy(self._run)
        if not run.checkpoint and self._in_training() and any(run.directory.glob("checkpoints/step_*.safetensors")):
            run.checkpoint = "last"
        file = run._checkpoint_file()
        return run, f"{file} {file.stat().st_mtime_ns}" if file.exists() else ""

    def _open(self) -> OpenRun:
        with self._lock:
            run, state = self._newest()
            if not self._model or self._model._ended or state != self._loaded:
                self._model = None  # whose process ends after the answers that it still owes
                self._model, self._loaded = run.open(), state
            return self._model


class _Server(ThreadingHTTPServer):
    def __init__(self, live: Live, port: int):
        page = live.page()
        super().__init__(("127.0.0.1", port), _Handler)
        self.token = secrets.token_urlsafe(16)
        self.hosts = [f"{name}:{self.server_port}" for name in ("127.0.0.1", "localhost")]
        html, css, js = (Path(__file__).with_suffix(kind).read_text("utf-8") for kind in (".html", ".css", ".js"))
        self.files = {"/": (html, "text/html"), "/show.css": (css, "text/css"), "/show.js": (js, "text/javascript"),
                      "/page.css": (_inside(page, "style"), "text/css"),
                      "/page.js": (_inside(page, "script"), "text/javascript")}
        self.questions: dict[str, Callable[..., dict[str, Any]]] = {"/attention": live.attention, "/news": live.news}

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], OSError):  # a tab that was closed waits for no answer
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = 60  # seconds in which a request must come

    def do_GET(self) -> None:
        if self._is_for(self.server.files):
            self._reply(200, *self.server.files[self.path])

    def do_POST(self) -> None:
        length = int((re.match("[0-9]{1,9}$", self.headers.get("Content-Length", "")) or ["0"])[0])
        body = self.rfile.read(min(length, 2 * LONGEST))  # also of what is refused, or the refusal might not arrive
        token = self.headers.get("Tapehead-Token", "")
        if not self._is_for(self.server.questions):
            return
        if not secrets.compare_digest(token.encode(), self.server.token.encode()):
            return self._reply(403, {"error": "wrong token: open the address that tapehead show printed"})
        if length > LONGEST:
            return self._reply(413, {"error": f"a question may have {LONGEST} bytes"})
        try:
            answer = self.server.questions[self.path](**json.loads(body))
        except (Error, OSError) as error:
            answer = {"error": str(error)}
        except (RecursionError, TypeError, ValueError) as error:
            return self._reply(400, {"error": f"not a question: {error}"})
        self._reply(200, answer)

    def _is_for(self, paths: dict[str, Any]) -> bool:
        """Whether a request came to this server's address, for one of these paths. If not, refuses it."""
        ours = self.headers.get("Host") in self.server.hosts
        if not ours or self.path not in paths:
            self._reply(404 if ours else 403, {"error": f"this is not the {'path' if ours else 'address'} of a page"})
        return ours and self.path in paths

    def _reply(self, status: int, answer: Any, kind: str = "application/json") -> None:
        content = (answer if isinstance(answer, str) else json.dumps(answer)).encode()
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def end_headers(self) -> None:
        for name, value in HEADERS.items():
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        pass


def serve(run: Run, port: int, browser: bool) -> None:
    """Prints the address of the page and answers it until an interrupt, which also ends the open run."""
    with contextlib.suppress(KeyboardInterrupt), contextlib.closing(Live(run)) as live, _Server(live, port) as server:
        address = f"http://{server.hosts[0]}/#{server.token}"
        print(address, flush=True)
        if browser:
            webbrowser.open(address)
        server.serve_forever()


def main(words: list[str]) -> None:
    """`tapehead show` on the command line."""
    parser = argparse.ArgumentParser("tapehead show", description="Serve a page on which you type a text and see what "
                                     "the heads of a run do with it. It is for this machine alone. Ctrl-C ends it.")
    parser.add_argument("run", help="Run directory, also of a training that still runs")
    parser.add_argument("--checkpoint", metavar="NAME", help="best, last, average or a file; by default last while a "
                        "training runs, else as for other commands")
    parser.add_argument("--port", type=int, default=0, metavar="N", help="Port of the page; by default any free one")
    parser.add_argument("--browser", action="store_true", help="Also open the page in a browser")
    given = parser.parse_args(words)
    try:
        Run(given.run, given.checkpoint).show(given.port, given.browser)
    except (Error, OSError, OverflowError) as error:
        sys.exit(f"error: {error}")

"""The live page of a run: what the server lets in, and the page in headless Chromium, typed and clicked on."""

import contextlib
import http.client
import io
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest

import tapehead
from tapehead.launch import start
from tiny import COPY, LABELLED, MASKED, TINY

CHROMIUM = ["/usr/bin/chromium-headless-shell", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
            "--user-data-dir=profile", "--window-size=1280,900"]


def setUpModule():
    with contextlib.redirect_stderr(io.StringIO()):
        tapehead.train(COPY, run="runs/copy", set=TINY)
        written = MASKED.replace("family: encoder", "family: decoder")
        for name, text in (("labelled", LABELLED), ("masked", MASKED), ("written", written)):
            pathlib.Path(name + ".yaml").write_text(text)
            tapehead.train(name + ".yaml")


@contextlib.contextmanager
def shown(run, *options):
    """`tapehead show` of a run: its process, port and token."""
    with subprocess.Popen([sys.executable, "-m", "tapehead", "show", *options, run], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as process:
        try:
            address = process.stdout.readline()
            port, token = address.removeprefix("http://127.0.0.1:").strip().split("/#")
            yield process, int(port), token
        finally:
            process.send_signal(signal.SIGINT)
            process.said = process.communicate(timeout=20)


def ask(port, path="/news", body="{}", method="POST", host=None, token=None, **headers):
    """The status, the headers and the text of an answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    headers.update({} if token is None else {"Tapehead-Token": token}, Host=host or f"127.0.0.1:{port}")
    with contextlib.closing(connection):
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read().decode()


def children(process):
    found = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has ended
            parent = stat.read_text().rpartition(")")[2].split()[1]
            found += [int(stat.parent.name)] * (int(parent) == process)
    return found


class Server(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.process, cls.port, cls.token = cls.enterClassContext(shown("runs/copy"))

    def attention(self, **question):
        status, _, text = ask(self.port, "/attention", json.dumps(question), token=self.token)
        self.assertEqual(status, 200, text)
        return json.loads(text)

    def test_all_files_are_served_with_headers_that_forbid_others(self):
        for path, kind in (("/", "text/html"), ("/page.css", "text/css"), ("/page.js", "text/javascript"),
                           ("/show.css", "text/css"), ("/show.js", "text/javascript")):
            status, headers, text = ask(self.port, path, None, "GET", f"localhost:{self.port}")
            self.assertEqual((status, headers["Content-Type"]), (200, kind + "; charset=utf-8"), path)
            self.assertGreater(len(text), 100)
            self.assertRegex(headers["Content-Security-Policy"], "^default-src 'self'(; [a-z-]+ 'none')*$")
            self.assertEqual(headers["Referrer-Policy"], "no-referrer")
            self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
            self.assertNotIn(self.token, text)
            self.assertNotIn("runs/copy", text)

    def test_only_this_machine_is_listened_to(self):
        sockets = pathlib.Path(f"/proc/{self.process.pid}/net/tcp").read_text()
        listening = [line.split()[1] for line in sockets.splitlines() if f":{self.port:04X} 00000000:0000 0A" in line]
        self.assertEqual(listening, [f"0100007F:{self.port:04X}"])

    def test_other_hosts_are_refused(self):
        for host in ("evil.example", f"evil.example:{self.port}", "127.0.0.1", f"127.0.0.1.evil.example:{self.port}",
                     f"localhost:{self.port + 1}"):
            for method, path in (("GET", "/"), ("POST", "/news")):
                self.assertEqual(ask(self.port, path, "{}", method, host, self.token)[0], 403, host)
        self.assertEqual(ask(self.port, host=f"localhost:{self.port}", token=self.token)[0], 200)

    def test_wrong_paths_are_not_found(self):
        for method, path in (("GET", "/report.html"), ("GET", "/../show.py"), ("GET", "/news"), ("POST", "/"),
                             ("POST", "/close"), ("POST", "/news/")):
            status, headers, _ = ask(self.port, path, "{}", method, token=self.token)
            self.assertEqual((status, headers["X-Content-Type-Options"]), (404, "nosniff"), path)
        self.assertEqual(ask(self.port, method="PUT", token=self.token)[0], 501)

    def test_questions_need_the_token(self):
        for token in (None, "", self.token[:-1], self.token + "x", "é"):
            for path in ("/news", "/attention"):
                status, _, text = ask(self.port, path, '{"text": "1 2"}', token=token)
                self.assertEqual((status, "wrong token" in text), (403, True), token)

    def test_long_and_broken_questions_are_refused(self):
        self.assertEqual(ask(self.port, "/attention", '"' + "x" * (1 << 16), token=self.token)[0], 413)
        longest = json.dumps({"text": "1"}).ljust(1 << 16)
        self.assertEqual(ask(self.port, "/attention", longest, token=self.token)[0], 200)
        for body in ("", "{", "[1]", "3", '{"text": "1", "output": "x"}', '{"text": "1", "without": 3}', "[" * 60000,
                     '{"text": "\\ud800"}', b"\xff"):
            self.assertEqual(ask(self.port, "/attention", body, token=self.token)[0], 400, body[:40])
        for length in ("-1", "²", "9" * 5000, "1e3", ""):
            status, _, _ = ask(self.port, "/attention", None, token=self.token, **{"Content-Length": length})
            self.assertEqual(status, 400, length)

    def test_a_question_is_answered_as_the_command_would(self):
        heads = ["encoder.layers.0.self.0", "decoder.layers.1.cross.0"]
        answer = self.attention(text="1 2 99", without=heads)
        command = ["attention", "runs/copy", "1 2 99", "--json", "--output=a.html", *(f"--without={x}" for x in heads)]
        self.assertEqual(answer["seen"], json.loads(start([tapehead.program(), *command]).stdout))
        self.assertEqual(answer["seen"]["without"]["heads"], heads)
        self.assertEqual(answer["report"]["sentences"][0]["source"], "1 2 99")
        self.assertIn("1 of 3 tokens is not in the vocabulary", answer["notes"][0])
        seen = self.attention(text="--json 1", target="--help 1")["seen"]
        self.assertEqual((seen["source"], seen["target_tokens"]), ("--json 1", ["<s>", "<unk>", "1"]))

    def test_the_program_s_error_is_the_answer(self):
        self.assertRegex(self.attention(text="1", without=["encoder.layers.9.self.0"])["error"], "encoder.layers.9")
        self.assertEqual(self.attention(text=""), {"error": "the text has no token"})
        self.assertEqual(self.attention(text="1", without=["--output=x.html"])["error"].count("--output"), 1)
        self.assertFalse(pathlib.Path("x.html").exists())

    def test_a_program_that_died_is_started_again(self):
        self.attention(text="1")
        for child in children(self.process.pid):
            os.kill(child, signal.SIGKILL)
        self.assertRegex(self.attention(text="1")["error"], "SIGKILL")
        self.assertEqual(self.attention(text="1")["seen"]["source"], "1")

    def test_news_are_the_records_that_are_not_known_yet(self):
        news = json.loads(ask(self.port, token=self.token)[2])
        self.assertEqual(news["report"]["state"]["name"], "finished")
        self.assertEqual((news["report"]["name"], news["report"]["notes"]), ("copy", []))
        self.assertEqual(len(news["report"]["curves"]["training"]["loss"]), 6)
        again = json.loads(ask(self.port, body=json.dumps({"records": news["records"]}), token=self.token)[2])
        self.assertEqual(again, {name: news[name] for name in ("records", "checkpoint")})


class Program(unittest.TestCase):
    def test_an_interrupt_ends_all(self):
        with shown("runs/copy", "--checkpoint=best") as (process, port, token):
            answer = json.loads(ask(port, "/attention", '{"text": "1"}', token=token)[2])
            self.assertTrue(answer["seen"]["checkpoint"].endswith("best.safetensors"))
            [child] = children(process.pid)
        self.assertEqual((process.returncode, *process.said), (0, "", ""))
        self.assertFalse(pathlib.Path("/proc", str(child)).exists())

    def test_what_is_wrong_is_said(self):
        with shown("runs/copy") as (_, port, _):
            for words, message in ((["nowhere"], "error: nowhere/config.yaml: no such file"),
                                   ([f"--port={port}", "runs/copy"], "error: .*in use"),
                                   (["--port=99999", "runs/copy"], "error: .*0-65535")):
                ran = start([sys.executable, "-m", "tapehead", "show", *words])
                self.assertRegex(ran.stderr, f"^{message}\\.?\n$")
                self.assertGreater(ran.returncode, 0)

    def test_other_commands_are_the_program_s(self):
        self.assertRegex(start([sys.executable, "-m", "tapehead", "--version"]).stdout, "^tapehead ")


class Browser:
    """Chromium, told through a pipe what to do (https://chromedevtools.github.io/devtools-protocol)."""

    def __init__(self):
        (commands, self._to), (self._from, answers) = os.pipe(), os.pipe()
        words = ["/bin/bash", "-c", f'exec "$@" 3<&{commands} 4>&{answers}', "bash", *CHROMIUM]
        self._process = subprocess.Popen(words, pass_fds=(commands, answers), stderr=subprocess.DEVNULL)
        os.close(commands)
        os.close(answers)
        self._said, self._number, self.complaints = b"", 0, []

    def close(self):
        self("Browser.close")
        self._process.wait(20)
        os.close(self._to)
        os.close(self._from)

    def __call__(self, method, session=None, **parameters):
        """The result of a command. What the pages complain of meanwhile is kept."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        os.write(self._to, json.dumps({**message, "sessionId": session} if session else message).encode() + b"\0")
        while True:
            while b"\0" not in self._said:
                more = os.read(self._from, 1 << 16)
                if not more:
                    raise EOFError("Chromium has ended")
                self._said += more
            text, self._said = self._said.split(b"\0", 1)
            said = json.loads(text)
            if said.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled"):
                self.complaints.append(said["params"])
            if said.get("id") == self._number:
                if "error" in said:
                    raise RuntimeError(said["error"])
                return said["result"]


class Tab:
    def __init__(self, browser, address):
        self._browser = browser
        self.target = browser("Target.createTarget", url="about:blank")["targetId"]
        self._session = browser("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self(domain + ".enable")
        self("Page.navigate", url=address)

    def __call__(self, method, **parameters):
        return self._browser(method, self._session, **parameters)

    def value(self, expression):
        answer = self("Runtime.evaluate", expression=expression, returnByValue=True)
        return answer["result"].get("value") if "exceptionDetails" not in answer else None

    def wait(self, expression):
        """The value of an expression, once it is true."""
        end = time.monotonic() + 20
        while not (value := self.value(expression)):
            if time.monotonic() > end:
                page = self.value("document.body.innerText")
                raise TimeoutError(f"{expression} is {value}; {self._browser.complaints}; {page[:400]}")
            time.sleep(0.05)
        return value

    def click(self, selector):
        x, y = self.wait(f"""(one => {{
            one.scrollIntoView({{behavior: "instant", block: "center"}});
            const box = one.getBoundingClientRect();
            return box.width && [box.x + box.width / 2, box.y + box.height / 2];
        }})(document.querySelector({json.dumps(selector)}))""")
        for kind in ("mousePressed", "mouseReleased"):
            self("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def type(self, selector, text):
        """In place of what is there."""
        self.wait(f"(one => {{ one.focus(); one.select(); return true; }})(document.querySelector('{selector}'))")
        self("Input.insertText", text=text)


TEXT, TARGET = "form label:first-child textarea", "form label + label textarea"
FACTS = "Object.fromEntries(Array.from(document.querySelectorAll('.facts div'), one => one.innerText.split('\\n')))"
NOTE = "document.querySelector('form .note:not([hidden])')"
CHOSEN = "[...document.querySelectorAll('button.head[aria-pressed=true]')].map(one => one.dataset.head)"


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)

    def open(self, port, token):
        tab = Tab(self.browser, f"http://127.0.0.1:{port}/#{token}")
        self.addCleanup(self.browser.complaints.clear)
        self.addCleanup(self.browser, "Target.closeTarget", targetId=tab.target)
        return tab

    def source(self, tab, text):
        tab.wait(f"document.querySelector('#attention .source')?.innerText === {json.dumps(text)}")

    def test_typing_and_clicking(self):
        with shown("runs/copy") as (_, port, token):
            tab = self.open(port, token)
            self.assertEqual(tab.wait("document.querySelectorAll('#curves .panel').length > 2"), True)
            tab.type(TEXT, "1 2 3")
            self.source(tab, "1 2 3")
            self.assertEqual(tab.value("document.querySelectorAll('.small-map').length"), 9)
            output = tab.value(FACTS)["output"]
            tab.click("button.head[data-head='encoder.layers.0.self.1']")
            tab.wait("document.querySelectorAll('.compared').length === 4")
            chosen = tab.value(CHOSEN)
            tab.click("form summary")
            tab.click("input[value='decoder.layers.0.cross.0']")
            tab.wait(f"{FACTS}['output without decoder.layers.0.cross.0']")
            self.assertEqual(tab.value(FACTS)["output"], output)
            self.assertEqual(set(tab.value(CHOSEN)), set(chosen))
            self.assertIn("without decoder", tab.value("document.querySelector('#predictions thead').innerText"))
            tab.type(TARGET, "2 1")
            tab.wait("document.querySelectorAll('#predictions tbody tr').length === 3")
            tab.click("nav a:last-child")
            self.assertEqual(tab.value("location.hash"), "#" + token)
            self.assertEqual(self.browser.complaints, [])

    def test_one_head_in_numbers(self):
        def choose(selector, value):
            chooser = f"document.querySelector('{selector}')"
            tab.wait(f"{chooser}?.querySelector('[value=\"{value}\"]') && (({chooser}.value = '{value}'), true)")
            tab.value(f"['input', 'change'].forEach(kind => {chooser}.dispatchEvent(new Event(kind, {{bubbles: true}})))")

        with shown("runs/copy") as (_, port, token):
            tab = self.open(port, token)
            tab.type(TEXT, "1 2 3")
            self.source(tab, "1 2 3")
            self.assertIsNone(tab.value("document.querySelector('#walk')"))
            names = tab.value("[...document.querySelectorAll('form option')].map(one => one.innerText)")
            self.assertEqual((len(names), *names[:2]), (10, "none", "encoder, layer 0, self-attention, head 0"))
            tab.click("button.head[data-head='encoder.layers.0.self.1']")
            chosen = tab.value(CHOSEN)
            choose("form select", "encoder.layers.0.self.1")
            tab.wait("document.querySelector('#walk figure[data-step=query] code')?.innerText.startsWith('Q = X W_Q')")
            self.assertEqual(set(tab.value(CHOSEN)), set(chosen))
            choose("#followed", "1")
            choose("form select", "encoder.layers.0.self.0")
            tab.wait("document.querySelector('#walk .remark').innerText.includes('head 0')")
            self.assertEqual(tab.value("document.querySelector('#followed').value"), "1")
            choose("form select", "")
            tab.wait("document.querySelector('#attention') && !document.querySelector('#walk')")
            self.assertEqual(self.browser.complaints, [])

    def test_errors_and_markup_are_text(self):
        with shown("runs/copy") as (process, port, token):
            tab = self.open(port, token)
            tab.type(TEXT, "<img src=x onerror=alert(1)> 1")
            self.source(tab, "<img src=x onerror=alert(1)> 1")
            self.assertEqual(tab.value("document.querySelectorAll('img').length"), 0)
            tab.type(TEXT, "what")
            tab.wait(NOTE + "?.innerText.includes('no token of the text')")
            self.assertIsNone(tab.value("document.querySelector('#attention')"))
            tab.type(TEXT, "1 2")
            self.source(tab, "1 2")
            self.assertIsNone(tab.value(NOTE))
            self.open(port, "another").wait(NOTE + "?.innerText.includes('wrong token')")
            process.send_signal(signal.SIGINT)
            tab.wait(NOTE + "?.innerText.includes('has ended')")

    def test_two_tabs_side_by_side(self):
        with shown("runs/copy") as (_, port, token):
            tabs = [self.open(port, token) for _ in range(2)]
            for turn in range(3):
                for number, tab in enumerate(tabs):
                    tab.type(TEXT, f"{turn + 1} {number + 4}")
                for number, tab in enumerate(tabs):
                    self.source(tab, f"{turn + 1} {number + 4}")
            self.assertEqual(self.browser.complaints, [])

    def test_other_models(self):
        with shown("runs/labelled") as (_, port, token):
            tab = self.open(port, token)
            tab.type(TEXT, "a hot wind")
            self.source(tab, "a hot wind")
            self.assertIn(tab.value(FACTS)["output"], ("cold", "warm"))
            self.assertFalse(tab.value(f"document.querySelector('{TARGET}').parentNode.hidden"))
        with shown("runs/masked") as (_, port, token):
            tab = self.open(port, token)
            tab.type(TEXT, "a m<mask>n")
            self.source(tab, "a m<mask>n")
            tab.wait("document.querySelectorAll('#predictions tbody tr').length === 1")
            self.assertNotIn("output", tab.value(FACTS))
            self.assertTrue(tab.value(f"document.querySelector('{TARGET}').parentNode.hidden"))
            self.assertIn("<mask>", tab.value(f"document.querySelector('{TEXT}').placeholder"))
        with shown("runs/written") as (_, port, token):
            tab = self.open(port, token)
            tab.type(TEXT, "a man\nand")
            tab.wait("document.querySelectorAll('#predictions tbody tr').length > 6")
            self.assertTrue(tab.value(f"document.querySelector('{TARGET}').parentNode.hidden"))
            self.assertEqual(tab.value(f"document.querySelector('{TEXT}').placeholder"), "")

    def test_a_training_is_followed(self):
        long = {**TINY, "training.steps": 10**6, "training.checkpoint_every": 500, "evaluation.every": 500}
        words = tapehead.launch.line("train", COPY, run="runs/long", set=long)
        training = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(training.kill)
        while not list(pathlib.Path("runs/long/checkpoints").glob("step_*")):
            time.sleep(0.05)
        with shown("runs/long") as (_, port, token):
            tab = self.open(port, token)
            tab.type(TEXT, "1 2 3")
            self.source(tab, "1 2 3")
            first = tab.wait(f"{FACTS}.checkpoint?.startsWith('step_') && {FACTS}")
            self.assertEqual(tab.value("document.querySelector('h1 .state').innerText"), "training")
            tab.wait(f"{FACTS}.checkpoint?.startsWith('step_') && {FACTS}.checkpoint > '{first['checkpoint']}'")
            tab.value("window.marked = document.querySelector('#curves')")
            tab.wait("!window.marked.isConnected")
            training.send_signal(signal.SIGINT)
            training.wait(20)
            tab.wait(f"['average', 'best'].includes({FACTS}.checkpoint)")
            tab.wait("document.querySelector('h1 .state').innerText === 'stopped'")
            self.assertEqual(self.browser.complaints, [])


if __name__ == "__main__":
    unittest.main()

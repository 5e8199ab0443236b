#!/usr/bin/env python3
"""playground_test.py FOLDER ASK ROOT [PICTURES]: the playground that tools/make_playground has made, in a Chromium without a window.

200 answers of the page's program are held against fencepost_ask (ASK) on this machine, whole, and the page is used as people
use it: by mouse and by keyboard, on a desk and on a phone, in light and dark, from a link, without a network. PICTURES: a
folder for pictures of the page. Status 77: there is no folder, or no browser (FENCEPOST_BROWSER, or `chromium` on PATH)."""
import functools
import gzip
import http.server
import json
import random
import subprocess
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import browser  # noqa: E402
from ask_test import steady  # noqa: E402

CHECKS = []
TRAP = 'PTX trap\n{\nx = 0;\n}\n P0@cta 0, gpu 0 ;\n'


def check(name, holds, more=""):
    CHECKS.append((name, bool(holds)))
    print(f"{'ok  ' if holds else 'FAIL'} {len(CHECKS):2} {name}{f': {more}' if more and not holds else ''}", flush=True)


class Server:
    def __init__(self, folder):
        handler = functools.partial(Quiet, directory=str(folder))
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def questions(root):
    rng = random.Random(22)
    tests = [p for pattern in ("ptx/*.litmus", "locks/*.litmus", "asplos24/fig*.litmus", "clusters/*.litmus", "thesis/*.litmus", "ptx9/*.litmus")
             for p in sorted((root / "examples").glob(pattern))]
    small = sorted((root / "examples/ptx").glob("*.litmus"))
    progress = sorted((root / "examples/progress").glob("*.axb"))
    out = []
    for number in range(200):
        if rng.random() < 0.15:
            p = rng.choice(progress)
            words = ["progress", "check", "--model", rng.choice(["hsa", "obe", "lobe", "fair", "unfair"]), "--fairness", rng.choice(["weak", "strong"])]
        else:
            p = rng.choice(tests)
            words = rng.choice([["check"], ["check"], ["check"], ["check", "--property", "races"], ["check", "--model", "sc"], ["outcomes"], ["explain"],
                                ["diff-models", "sc", "ptx-7.5"], ["relax"]])
            if words in (["relax"], ["explain"], ["outcomes"]):  # of large tests they take seconds
                p = rng.choice(small)
        out.append({"id": number, "arguments": [*words, p.name], "files": {p.name: p.read_text()}})
    return out


def native(ask, question):
    return json.loads(subprocess.run([ask], input=json.dumps(question), capture_output=True, text=True, check=True).stdout)


ASK_MANY = """(async (questions) => {
  const worker = new Worker("playground.js"), answers = [];
  const program = await (await fetch("fencepost.wasm")).arrayBuffer();
  await new Promise((done) => { worker.onmessage = done; worker.postMessage({program}); });
  for (const question of questions) {
    answers.push(await new Promise((done) => { worker.onmessage = ({data}) => done(data.answer ?? data); worker.postMessage({number: 1, question}); }));
  }
  worker.terminate();
  return JSON.stringify(answers);
})"""


def answers(page, some):
    return json.loads(page.value(f"{ASK_MANY}({json.dumps(some)})"))


def text(page, name):
    return page.value(f"document.getElementById('{name}').textContent")


def answered(page):
    page.wait("!/^(Asking|Loading)/.test(document.getElementById('verdict').textContent)")
    return text(page, "verdict")


def press_button(page, verb):
    page.value(f"document.querySelector('[data-verb={verb}]').click()")
    return answered(page)


CONTRAST = """(() => {
  const parse = (c) => c.match(/[\\d.]+/g).map(Number);
  const light = (c) => { const [r, g, b] = c.map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const ground = (e) => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] > 0) return c.slice(0, 3); } return [255, 255, 255]; };
  let least = [99, ""];
  for (const e of document.querySelectorAll("h1, p, a, label, button:not(:disabled), select, textarea, pre")) {
    if (!e.offsetParent || !e.textContent && !e.value) continue;
    const [a, b] = [light(parse(getComputedStyle(e).color).slice(0, 3)), light(ground(e))].sort((x, y) => y - x), ratio = (a + 0.05) / (b + 0.05);
    if (ratio < least[0]) least = [ratio, e.tagName + "#" + e.id];
  }
  return least;
})()"""


def on_a_desk(address, pictures):
    with browser.Page() as page:
        page.go(address)
        said = answered(page)
        check("the first test is answered", "holds" in said and "ptx-7.5" in said, said)
        first = page.value("performance.now()") / 1000
        print(f"     first answer {first:.2f} s after the page began to load")
        check("no request goes elsewhere", all(r.startswith((address, "data:", "blob:")) for r in page.requests), page.requests)
        check("lines are numbered", text(page, "lines").split() == [str(k + 1) for k in range(13)][:page.value("document.getElementById('test').value.split('\\n').length")])
        said = press_button(page, "explain")
        check("explain draws the execution", page.value("document.getElementById('picture').shadowRoot?.querySelectorAll('path[data-from]').length") >= 4)
        check("explain tells the story", "reads from b" in text(page, "text"))
        page.value("document.getElementById('picture').shadowRoot.querySelector('path[data-relation=rf]').dispatchEvent(new MouseEvent('mouseenter'))")
        check("an edge says its name", "rf:" in text(page, "edge"), text(page, "edge"))
        page.value("document.getElementById('model').value='sc', document.getElementById('model').onchange()")
        answered(page)
        page.wait("true")
        time.sleep(1)
        page.value("[...document.getElementById('picture').shadowRoot.querySelectorAll('path[data-from]')].at(-1).dispatchEvent(new MouseEvent('mouseenter'))")
        check("under sc the picture is another", "sc" in text(page, "text"))
        if pictures:
            page.picture(pictures / "desk.png")
        press_button(page, "outcomes")
        check("outcomes lists the states", "States" in text(page, "text"))
        press_button(page, "diff-models")
        check("diff-models compares two models", "1 differ" in text(page, "text") and page.value("!document.getElementById('other-part').hidden"))
        press_button(page, "relax")
        check("relax looks at each site", "sites" in text(page, "text"))
        page.value("(() => { const s = document.getElementById('example'); s.value = [...s.options].find((o) => o.text === 'spin-mutex.axb').value; s.onchange(); })()")
        said = answered(page)
        check("a progress test asks for progress", page.value("document.querySelector('[data-verb=progress]').getAttribute('aria-pressed')") == "true" and "fails" in said, said)
        check("progress draws the schedule", page.value("document.getElementById('picture').shadowRoot.querySelectorAll('rect').length") > 2)
        page.value("document.getElementById('test').value = 'PTX no test'")
        said = press_button(page, "check")
        check("an error of the text is told with its place", "error" in said and ":1:" in text(page, "text"), said)
        check("nothing failed in the page", not page.faults, page.faults)


def links(address):
    with browser.Page() as page:
        page.go(address)
        answered(page)
        page.value("document.getElementById('test').value = document.getElementById('test').value.replace('PTX MP', 'PTX shared')")
        press_button(page, "explain")
        page.value("document.getElementById('share').click()")
        page.wait("location.hash.startsWith('#1')")
        link = page.value("location.href")
        page.go("about:blank")
        page.go(link)
        answered(page)
        check("a link brings the test", "PTX shared" in page.value("document.getElementById('test').value"))
        check("a link brings the question", page.value("document.querySelector('[data-verb=explain]').getAttribute('aria-pressed')") == "true")
        page.go("about:blank")
        page.go(address + "#1nonsense")
        page.wait("document.getElementById('test').value !== ''")
        check("a broken link does no harm", "PTX MP" in page.value("document.getElementById('test').value"))
        evil = TRAP.replace("PTX trap", "PTX <img/src=x/onerror=window.bad=1>")
        page.value(f"document.getElementById('test').value = {json.dumps(evil)}")
        press_button(page, "explain")
        check("a title is no markup", page.value("window.bad === undefined"))


def keyboard(address):
    with browser.Page() as page:
        page.go(address)
        answered(page)
        seen = []
        for _ in range(60):
            page.press("Tab", code=9)
            seen.append(page.value("document.activeElement.id || document.activeElement.dataset?.verb || document.activeElement.className"))
        wanted = ["example", "model", "test", "check", "explain", "outcomes", "diff-models", "relax", "progress", "share", "text"]
        check("Tab reaches everything", not [w for w in wanted if w not in seen], [w for w in wanted if w not in seen])
        check("what has the focus is outlined", page.value("document.querySelector('[data-verb=explain]').focus(), true") and page.value(
            "getComputedStyle(document.activeElement).outlineStyle") != "none")
        page.press("Enter", code=13, text="\r")
        page.wait("document.querySelector('[data-verb=explain]').getAttribute('aria-pressed') === 'true'")
        answered(page)
        check("Enter on a button asks", "final state" in text(page, "text"))
        page.value("document.getElementById('test').focus(), document.getElementById('test').value = document.getElementById('test').value.replace('1:r3=0', '1:r3=1'), 0")
        page.press("Enter", modifiers=2, code=13)
        answered(page)
        check("Ctrl+Enter asks again", "1:r3=1" in text(page, "text"))
        check("edges have the focus by Tab", page.value("document.getElementById('picture').shadowRoot.querySelector('path[data-from]').tabIndex") == 0)


def looks(address, pictures):
    for name, width, dark in (("desk", 1280, False), ("desk-dark", 1280, True), ("phone", 390, False), ("phone-dark", 390, True)):
        with browser.Page() as page:
            page.call("Emulation.setDeviceMetricsOverride", width=width, height=844, deviceScaleFactor=1, mobile=width < 800)
            page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
            page.go(address)
            answered(page)
            press_button(page, "explain")
            least = page.value(CONTRAST)
            check(f"{name}: contrast of at least 4.5", least[0] >= 4.5, least)
            check(f"{name}: nothing is wider than the window", page.value("document.documentElement.scrollWidth <= innerWidth"))
            if pictures:
                page.picture(pictures / f"{name}.png")


def without_a_network(folder):
    server = Server(folder)
    with browser.Page() as page:
        page.go(server.address)
        answered(page)
        page.value("navigator.serviceWorker.ready.then(() => true)")
        page.wait("navigator.serviceWorker.controller !== null")
        server.stop()
        page.go(server.address)
        check("loaded once, it answers without a network", "holds" in answered(page))


def broken_programs(folder, address):
    with browser.Page() as page:
        page.go(address)
        answered(page)
        # (module (import "env" "run_check" (func))): what a program would import in the place of a function that is missing
        strange = [0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 2, 17, 1, 3, 101, 110, 118, 9, 114, 117, 110, 95, 99, 104, 101, 99, 107, 0, 0]
        said = page.value(f"""new Promise((done) => {{ const w = new Worker("playground.js"); w.onmessage = ({{data}}) => done(data);
          w.postMessage({{program: new Uint8Array({strange}).buffer}}); }})""")
        check("a program that wants a function of ours is refused", "env.run_check" in said.get("refused", ""), said)
        # (module (memory (export "memory") 1) (func (export "_start") unreachable))
        trap = [0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 5, 3, 1, 0, 1, 7, 19, 2, 6, 109, 101, 109, 111, 114, 121, 2, 0, 6, 95, 115, 116, 97, 114, 116, 0, 0,
                10, 5, 1, 3, 0, 0, 11]
        said = page.value(f"""new Promise((done) => {{ const w = new Worker("playground.js"); w.onmessage = ({{data}}) => {{
          if (data.ready) w.postMessage({{number: 1, question: {{}}}}); else done(data); }};
          w.postMessage({{program: new Uint8Array({trap}).buffer}}); }})""")
        check("a trap is told", "trap" in said.get("answer", {}), said)


def verdicts(address, ask, root):
    with browser.Page(patience=550) as page:
        page.go(address)
        answered(page)
        some, different, begin = questions(root), [], time.time()
        for at in range(0, len(some), 20):
            part = some[at:at + 20]
            for question, here in zip(part, answers(page, part)):
                there = native(ask, question)
                if steady(here) != steady(there):
                    different.append((question["arguments"], json.dumps(here)[:400], json.dumps(there)[:400]))
        check(f"{len(some)} answers are those of the program", not different, f"{len(different)} differ, the first: {different[:1]}")
        print(f"     {time.time() - begin:.1f} s for both")
        refused = answers(page, [{"id": 1, "arguments": [verb, "x.litmus"], "files": {"x.litmus": TRAP}} for verb in ("prove", "lower", "emit", "expect", "run", "hunt")])
        check("what the page does not answer is refused by name", all(a.get("status") in (2, 3) and ("not asked" in a["messages"]) for a in refused), refused)


def main():
    folder, ask, root = (Path(a).resolve() for a in sys.argv[1:4])
    pictures = Path(sys.argv[4]) if len(sys.argv) > 4 else None
    if not (folder / "index.html").is_file() or browser.program() is None:
        print(f"SKIPPED: no playground in {folder} (make playground)" if browser.program() else "SKIPPED: no browser (FENCEPOST_BROWSER, or chromium on PATH)")
        return 77
    size = sum(len(gzip.compress(p.read_bytes(), 9)) for p in folder.iterdir())
    check("at most 3 MiB compressed", size <= 3 << 20, f"{size:,} bytes")
    server = Server(folder)
    try:
        for part in (lambda: on_a_desk(server.address, pictures), lambda: links(server.address), lambda: keyboard(server.address),
                     lambda: looks(server.address, pictures), lambda: without_a_network(folder), lambda: broken_programs(folder, server.address),
                     lambda: verdicts(server.address, ask, root)):
            part()
    finally:
        server.stop()
    failed = [name for name, holds in CHECKS if not holds]
    print(f"{len(CHECKS)} checks, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

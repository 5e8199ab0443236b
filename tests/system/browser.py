"""A Chromium without a window, driven over its DevTools protocol with the standard library: a WebSocket (RFC 6455) client
as far as that needs one. FENCEPOST_BROWSER names the program; else `chromium` on PATH."""
import base64
import json
import os
import shutil
import socket
import struct
import subprocess
import tempfile
import time
import urllib.request


def program():
    return os.environ.get("FENCEPOST_BROWSER") or shutil.which("chromium")


class Page:
    """One tab. Errors of the page's scripts are kept in `faults`, requests in `requests`."""

    def __init__(self, width=1280, height=900, patience=60):
        self.folder = tempfile.mkdtemp()
        self.patience = patience
        self.process = subprocess.Popen(
            [program(), "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={self.folder}",
             "--remote-debugging-port=0", f"--window-size={width},{height}", "about:blank"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        file = os.path.join(self.folder, "DevToolsActivePort")
        end = time.time() + patience
        while not (os.path.exists(file) and open(file).read().count("\n") >= 1):
            if time.time() > end or self.process.poll() is not None:
                raise RuntimeError("the browser does not start")
            time.sleep(0.05)
        port = int(open(file).readline())
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list") as answer:
            tab = next(t for t in json.load(answer) if t["type"] == "page")
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=patience)
        key = base64.b64encode(os.urandom(16)).decode()
        path = tab["webSocketDebuggerUrl"].split(str(port), 1)[1]
        self.socket.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += self.socket.recv(1)
        self.number, self.faults, self.requests = 0, [], []
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(domain + ".enable")

    def close(self):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _exactly(self, n):
        out = b""
        while len(out) < n:
            some = self.socket.recv(n - len(out))
            if not some:
                raise RuntimeError("the browser has ended")
            out += some
        return out

    def _send(self, text):
        data, mask = text.encode(), os.urandom(4)
        size = bytes([0x80 | len(data)]) if len(data) < 126 else b"\xfe" + struct.pack(">H", len(data)) if len(data) < 65536 else b"\xff" + struct.pack(">Q", len(data))
        keys = mask * (len(data) // 4 + 1)
        self.socket.sendall(b"\x81" + size + mask + bytes(a ^ b for a, b in zip(data, keys)))

    def _receive(self):
        whole = b""
        while True:
            first, size = self._exactly(2)
            size &= 127
            size = struct.unpack(">H", self._exactly(2))[0] if size == 126 else struct.unpack(">Q", self._exactly(8))[0] if size == 127 else size
            data = self._exactly(size)
            if first & 15 in (0, 1):
                whole += data
                if first & 128:
                    return json.loads(whole)

    def call(self, method, **parameters):
        self.number += 1
        self._send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while True:
            m = self._receive()
            if m.get("id") == self.number:
                if "error" in m:
                    raise RuntimeError(f"{method}: {m['error']['message']}")
                return m["result"]
            if m.get("method") == "Runtime.exceptionThrown":
                self.faults.append(str(m["params"]["exceptionDetails"].get("exception", {}).get("description") or m["params"]["exceptionDetails"]["text"]))
            if m.get("method") == "Log.entryAdded" and m["params"]["entry"]["level"] == "error":
                self.faults.append(m["params"]["entry"]["text"])
            if m.get("method") == "Network.requestWillBeSent":
                self.requests.append(m["params"]["request"]["url"])

    def value(self, expression):
        """Of an expression in the page; a promise is waited for."""
        r = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in r:
            raise RuntimeError(f"{expression[:200]}: {r['exceptionDetails'].get('exception', {}).get('description')}")
        return r["result"].get("value")

    def wait(self, expression):
        """Until the expression is true in the page. Error: not within the patience."""
        end = time.time() + self.patience
        while not self.value(expression):
            if time.time() > end:
                raise AssertionError(f"not within {self.patience} s: {expression}")
            time.sleep(0.03)

    def go(self, address):
        self.call("Page.navigate", url=address)
        self.wait("document.readyState === 'complete'")

    def press(self, key, modifiers=0, code=0, text=""):
        """modifiers: 1 Alt, 2 Ctrl, 8 Shift. code: the key's virtual number."""
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, modifiers=modifiers, windowsVirtualKeyCode=code,
                      **({"text": text} if text and kind == "keyDown" else {}))

    def picture(self, file):
        with open(file, "wb") as out:
            out.write(base64.b64decode(self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)["data"]))

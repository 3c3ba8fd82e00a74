# A page in headless Chromium, driven through DevTools. SPDX-License-Identifier: Apache-2.0
import base64
import json
import os
import subprocess
import tempfile
import time

import websocket

OPTIONS = """--headless --no-sandbox --disable-gpu --hide-scrollbars --no-first-run --remote-debugging-port=0
    --remote-allow-origins=* --disable-extensions --disable-background-networking""".split()


class Page:
    """Of a browser of its own, which ends with it."""

    def __init__(self, chromium, width=1280, height=900):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        quiet = dict(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.process = subprocess.Popen([chromium, *OPTIONS, f"--user-data-dir={self.folder.name}", "about:blank"], **quiet)
        self.number, self.log, self.requests = 0, [], []
        self.socket = websocket.create_connection(self.address(), timeout=60)
        target = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Runtime", "Page", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.size(width, height)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()
        self.process.terminate()
        self.process.wait()
        self.folder.cleanup()

    def address(self):
        port = os.path.join(self.folder.name, "DevToolsActivePort")
        for _ in range(600):
            if os.path.exists(port) and len(lines := open(port).read().split()) == 2:
                return f"ws://127.0.0.1:{lines[0]}{lines[1]}"
            time.sleep(0.05)
        raise TimeoutError("the browser does not start")

    def call(self, method, **arguments):
        self.number += 1
        message = dict(id=self.number, method=method, params=arguments)
        if getattr(self, "session", None):
            message["sessionId"] = self.session
        self.socket.send(json.dumps(message))
        while True:
            said = json.loads(self.socket.recv())
            if said.get("id") == self.number:
                if "error" in said:
                    raise RuntimeError(f"{method}: {said['error']['message']}")
                return said["result"]
            self.hear(said.get("method"), said.get("params"))

    def hear(self, method, params):
        if method == "Runtime.exceptionThrown":
            self.log.append(json.dumps(params["exceptionDetails"])[:600])
        elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.log.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])

    def ask(self, expression):
        """The value of an expression of JavaScript, which may be a promise."""
        said = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in said:
            raise RuntimeError(said["exceptionDetails"].get("exception", {}).get("description", expression))
        return said["result"].get("value")

    def until(self, expression, seconds=10):
        end = time.monotonic() + seconds
        while not self.ask(f"Boolean({expression})"):
            if time.monotonic() > end:
                raise TimeoutError(expression)
            time.sleep(0.02)

    def go(self, url):
        self.call("Page.navigate", url=url)

    def size(self, width, height, scale=1):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=width < 600)

    def dark(self, is_dark):
        scheme = dict(name="prefers-color-scheme", value="dark" if is_dark else "light")
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def point(self, x, y, what="mouseMoved", **more):
        self.call("Input.dispatchMouseEvent", type=what, x=x, y=y, **more)

    def click(self, x, y):
        for what in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.point(x, y, what, **({} if what == "mouseMoved" else dict(button="left", clickCount=1)))

    def key(self, key):
        code = {"ArrowRight": 39, "ArrowDown": 40, "ArrowLeft": 37, "ArrowUp": 38, "Enter": 13, "Escape": 27, "Tab": 9}[key]
        for what in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=what, key=key, code=key, windowsVirtualKeyCode=code)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def shot(self, file):
        with open(file, "wb") as out:
            out.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

# A headless Chromium for tests, driven by its DevTools protocol (https://chromedevtools.github.io/devtools-protocol/)
# over pipes: JSON messages that end in a zero byte, to the browser's descriptor 3 and from its descriptor 4.
import base64
import fcntl
import json
import os
import select
import shutil
import struct
import subprocess
import time
import zlib

SECONDS = 60  # for any one thing; a busy machine needs a few


def find_chromium():
    """The path of a Chromium, or None."""
    for name in ["chromium-headless-shell", "chromium", "google-chrome"]:
        if path := shutil.which(name):
            return path
    return None


class Image:
    """A PNG of 8 bits a channel (https://www.w3.org/TR/png-3/); at(x, y) is its (red, green, blue)."""

    def __init__(self, png):
        assert png[:8] == b"\x89PNG\r\n\x1a\n"
        data, at = b"", 8
        while at < len(png):
            length, kind = struct.unpack(">I4s", png[at : at + 8])
            content = png[at + 8 : at + 8 + length]
            at += 12 + length
            if kind == b"IHDR":
                self.width, self.height, depth, color, _, _, interlaced = struct.unpack(">IIBBBBB", content)
                assert depth == 8 and color in (2, 6) and not interlaced, content
            elif kind == b"IDAT":
                data += content
        self.channels = 3 if color == 2 else 4
        self.rows = []
        data, size = zlib.decompress(data), self.width * self.channels
        above = bytearray(size)
        for begin in range(0, len(data), size + 1):
            above = self._unfilter(data[begin], bytearray(data[begin + 1 : begin + 1 + size]), above)
            self.rows.append(above)

    def _unfilter(self, kind, row, above):
        if kind == 0:
            return row
        if kind == 2:  # all that Chromium uses when asked for speed; the loop below takes 7 times as long
            return bytearray((value + up) & 255 for value, up in zip(row, above))
        n = self.channels
        for i in range(len(row)):
            left, up, corner = (row[i - n], above[i], above[i - n]) if i >= n else (0, above[i], 0)
            if kind == 1:
                predicted = left
            elif kind == 3:
                predicted = (left + up) // 2
            else:  # the neighbour nearest to left + up - corner
                predicted = min((left, up, corner), key=lambda value: abs(left + up - corner - value))
            row[i] = (row[i] + predicted) & 255
        return row

    def at(self, x, y):
        begin = int(x) * self.channels
        return tuple(self.rows[int(y)][begin : begin + 3])


class Browser:
    """One page of a browser of its own; folder: where that keeps its files."""

    def __init__(self, path, folder):
        to_browser, self.out = os.pipe()
        self.incoming, from_browser = os.pipe()

        def place_pipes():
            # Away from 3 and 4 first, where they may lie the other way round.
            ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (to_browser, from_browser)]
            os.dup2(ends[0], 3)
            os.dup2(ends[1], 4)

        self.log = open(folder / "browser.log", "w+b")
        self.process = subprocess.Popen(
            [path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
             "--remote-debugging-pipe", f"--user-data-dir={folder / 'profile'}"],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, close_fds=False, preexec_fn=place_pipes)
        os.close(to_browser)
        os.close(from_browser)
        self.received = b""
        self.calls = 0
        self.session = None
        self.events = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Log", "Network"]:
            self.call(domain + ".enable")
        # So large that nothing needs scrolling.
        self.call("Emulation.setDeviceMetricsOverride", width=2200, height=2400, deviceScaleFactor=1, mobile=False)

    def close(self):
        self.session = None
        self.call("Browser.close")
        self.process.wait(SECONDS)
        self.log.close()
        os.close(self.out)
        os.close(self.incoming)

    def _receive(self):
        deadline = time.monotonic() + SECONDS
        while b"\0" not in self.received:
            if not select.select([self.incoming], [], [], max(0, deadline - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            chunk = os.read(self.incoming, 1 << 20)
            if not chunk:
                self.log.seek(0)
                raise EOFError("the browser has ended: " + self.log.read().decode(errors="replace"))
            self.received += chunk
        message, _, self.received = self.received.partition(b"\0")
        return json.loads(message)

    def call(self, method, **params):
        self.calls += 1
        message = {"id": self.calls, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data) :]
        while True:
            answer = self._receive()
            if answer.get("id") == self.calls:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def open(self, path):
        """Opens a file and waits until it has loaded. From here on `events` are of this page."""
        self.events = []
        self.call("Page.navigate", url=path.as_uri())
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self.events.append(self._receive())

    def evaluate(self, expression):
        """The value of a JavaScript expression, as JSON carries it."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def mouse(self, kind, x, y, **params):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **params)

    def click(self, x, y):
        for kind in ["mousePressed", "mouseReleased"]:
            self.mouse(kind, x, y, button="left", clickCount=1)

    def screenshot(self):
        return Image(base64.b64decode(self.call("Page.captureScreenshot", format="png", optimizeForSpeed=True)["data"]))

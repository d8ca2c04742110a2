# heads_page_test.py HEADWAY MODEL: opens the page of `headway heads` in a headless Chromium, looks at its pixels, and
# moves the mouse over it. Exit code 77 when there is no Chromium.
import json
import math
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

from browser import Browser, find_chromium

TEXT = "The cat sat on the mat, for it was tired."
TOKENS = ["[CLS]", "the (1)", "cat", "sat", "on", "the (5)", "mat", ",", "for", "it", "was", "tired", ".", "[SEP]"]
LAYERS, HEADS = 6, 12
HOSTILE = "</script><script>window.ran = 1</script><img src=x onerror='window.ran = 1'> <b>bold</b> &amp; <!--"


def setUpModule():
    global folder, browser, weights
    holder = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(holder.cleanup)
    folder = pathlib.Path(holder.name)
    browser = Browser(find_chromium(), folder)
    unittest.addModuleCleanup(browser.close)
    weights = read_npy(run(TEXT, "--output", folder / "weights.npy"))


def run(text, *more):
    """Runs the command, and gives the path of what it writes: heads.html unless said otherwise."""
    subprocess.run([HEADWAY, "heads", "--model", MODEL, "--text", text, *map(str, more)], check=True, cwd=folder,
                   stderr=subprocess.DEVNULL)
    return more[more.index("--output") + 1] if "--output" in more else folder / "heads.html"


def read_npy(path):
    """The numbers of a file of version 1 with float32 in C order."""
    file = path.read_bytes()
    header = 10 + struct.unpack("<H", file[8:10])[0]
    assert b"'<f4'" in file[:header]
    return [number for (number,) in struct.iter_unpack("<f", file[header:])]


def weight(layer, head, row, column):
    tokens = len(TOKENS)
    return weights[((layer * HEADS + head) * tokens + row) * tokens + column]


def find_boxes(selector):
    """Where elements lie in the window."""
    return browser.evaluate(f"""[...document.querySelectorAll({json.dumps(selector)})].map(element => {{
        const {{x, y, width, height}} = element.getBoundingClientRect();
        return {{x, y, width, height}};
    }})""")


def find_cell(box, row, column, tokens=len(TOKENS)):
    """The middle of a cell of a map that lies in `box`."""
    return box["x"] + (column + 0.5) * box["width"] / tokens, box["y"] + (row + 0.5) * box["height"] / tokens


def content(selector):
    """The text of all elements that the selector finds."""
    found = f"[...document.querySelectorAll({json.dumps(selector)})]"
    return browser.evaluate(found + ".map(element => element.textContent)")


def tip():
    return browser.evaluate("document.getElementById('tip').hidden ? null : document.getElementById('tip').textContent")


def map_of(layer, head):
    return f"#layer-{layer}-head-{head} canvas"


class Page(unittest.TestCase):
    def tearDown(self):
        """Nothing went wrong in the page, and it asked for no other file."""
        methods = [event["method"] for event in browser.events]
        self.assertNotIn("Runtime.exceptionThrown", methods)
        self.assertNotIn("Log.entryAdded", methods, browser.events)
        asked = [event["params"]["request"]["url"] for event in browser.events
                 if event["method"] == "Network.requestWillBeSent"]
        self.assertEqual(asked, [(folder / "heads.html").as_uri()])

    def open(self, text=TEXT):
        browser.open(run(text))

    def expect_map(self, image, box, layer, head, low, high):
        """The middle of each cell has the colour of its weight; rounding and the colour profile cost a few steps."""
        for row in range(len(TOKENS)):
            for column in range(len(TOKENS)):
                x, y = find_cell(box, row, column)
                strength = math.sqrt(weight(layer, head, row, column))
                for found, a, b in zip(image.at(x, y), low, high):
                    self.assertAlmostEqual(found, a + (b - a) * strength, delta=3, msg=f"{layer} {head} {row} {column}")

    def expect_all_maps(self, low, high):
        boxes = find_boxes("figure canvas")
        self.assertEqual(len(boxes), LAYERS * HEADS)
        image = browser.screenshot()
        for place, box in enumerate(boxes):
            self.assertGreaterEqual(box["width"], 100)
            self.expect_map(image, box, place // HEADS, place % HEADS, low, high)

    def test_draws_every_head(self):
        self.open()
        self.expect_all_maps((255, 255, 255), (10, 58, 140))
        with self.assertRaises(AssertionError):  # heads differ, and the check sees it
            self.expect_map(browser.screenshot(), find_boxes(map_of(0, 0))[0], 0, 1, (255, 255, 255), (10, 58, 140))

    def test_draws_in_the_dark(self):
        self.open()
        dark = [{"name": "prefers-color-scheme", "value": "dark"}]
        browser.call("Emulation.setEmulatedMedia", features=dark)
        self.addCleanup(browser.call, "Emulation.setEmulatedMedia", features=[])
        self.expect_all_maps((11, 13, 17), (255, 210, 122))

    def test_says_what_lies_under_the_mouse(self):
        self.open()
        self.assertIsNone(tip())
        for layer, head, row, column in [(0, 0, 0, 0), (2, 5, 2, 3), (5, 11, 13, 13), (3, 7, 9, 2)]:
            [box] = find_boxes(map_of(layer, head))
            browser.mouse("mouseMoved", *find_cell(box, row, column))
            self.assertEqual(tip(), f"{TOKENS[row]} → {TOKENS[column]}: {weight(layer, head, row, column):.4f}")
        browser.mouse("mouseMoved", 1, 1)
        self.assertIsNone(tip())

    def test_enlarges_a_map(self):
        self.open()
        [box] = find_boxes(map_of(4, 3))
        browser.click(*find_cell(box, 6, 6))
        self.assertRegex(content("dialog[open] h2")[0], "Layer 4, head 3: ")
        for labels in [".rows span", ".columns span"]:
            self.assertEqual(content(labels), TOKENS)
        [box] = find_boxes("dialog canvas")
        self.assertGreaterEqual(box["width"], 300)
        browser.mouse("mouseMoved", *find_cell(box, 11, 2))
        self.assertEqual(tip(), f"tired → cat: {weight(4, 3, 11, 2):.4f}")
        browser.mouse("mouseMoved", 1, 1)
        self.assertIsNone(tip())
        self.expect_map(browser.screenshot(), box, 4, 3, (255, 255, 255), (10, 58, 140))

    def strongest(self, layer, head, among, count):
        links = sorted(((weight(layer, head, i, j), -i, -j) for i in among for j in among), reverse=True)[:count]
        return [f"{TOKENS[-i]} → {TOKENS[-j]} {value:.2f}" for value, i, j in links]

    def test_lists_entropy_and_the_strongest_links(self):
        self.open()
        everything, words = range(len(TOKENS)), range(1, len(TOKENS) - 1)
        heads = [(0, 0), (2, 5), (5, 11)]
        for layer, head in heads:
            rows = [[weight(layer, head, i, j) for j in everything] for i in everything]
            entropy = -sum(w * math.log2(w) for row in rows for w in row if w > 0) / len(TOKENS)
            at = f"#layer-{layer}-head-{head} "
            self.assertEqual(content(at + "figcaption *"), [f"head {head}", f"{entropy:.2f} bits"])
            self.assertEqual(content(at + "li"), self.strongest(layer, head, words, 3))
        browser.click(*find_cell(find_boxes("#words")[0], 0, 0, tokens=1))
        for layer, head in heads:
            self.assertEqual(content(f"#layer-{layer}-head-{head} li"), self.strongest(layer, head, everything, 3))
        browser.click(*find_cell(find_boxes(map_of(2, 5))[0], 0, 0))
        self.assertEqual(content("#all-links li"), self.strongest(2, 5, everything, 10))
        self.assertEqual(content("#word-links li"), self.strongest(2, 5, words, 10))

    def test_shows_text_and_never_runs_it(self):
        self.open(HOSTILE)
        self.assertEqual(content("#text"), [HOSTILE])
        self.assertIsNone(browser.evaluate("window.ran"))
        self.assertEqual(content("img, b:not(figcaption b)"), [])

    def test_takes_the_longest_texts(self):
        self.open("word " * 300)
        self.assertRegex(content("#facts")[0], r"^256 tokens \(the text was longer\)")
        browser.click(*find_cell(find_boxes(map_of(5, 11))[0], 0, 0, tokens=256))
        browser.mouse("mouseMoved", *find_cell(find_boxes("dialog canvas")[0], 255, 128, tokens=256))
        self.assertRegex(tip(), r"^\[SEP\] → word \(128\): 0\.\d{4}$")


if __name__ == "__main__":
    HEADWAY, MODEL = map(os.path.abspath, sys.argv[1:])
    if not find_chromium():
        print("SKIPPED: there is no Chromium to open the page with (Debian: apt-get install chromium-headless-shell)")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)

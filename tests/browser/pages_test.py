"""Pages as a browser shows them: usage: pages_test.py PROGRAM. Needs chromium, chromium-driver, python3-selenium."""
import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from chromium import BROKEN_WORDS, CONTRAST, COVERED, OVERHANG, TOO_WIDE, Chromium

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.path.join(SOURCE, "build", "gpusel")

# The market of the tests, so that shipped prices can move; the others for their size and their words.
MARKET = "--catalog tests/data/market"
QUESTIONS = {
    "train": f"--model llama-7b --task finetune --method lora {MARKET}",
    "serve": f"--model llama-3.1-8b --task inference --rps 2 {MARKET}",
    "nothing": f"--model llama-7b --task finetune --max-price 0.01 {MARKET}",
    "large": "--model llama-7b --task finetune",
    "crowded": "--task pretrain --model llama-3.1-8b --tokens 1e10 --cloud aws,gcp,azure",
    "render": "--task render --frames 500 --cloud aws,gcp",
    "cpu": "--model resnet-50 --task inference --engine onnxruntime --precision int8 --request-rate 50 --cloud aws",
}
# Pages of other commands, in the same frame.
OTHERS = {
    "recommend": f"recommend --model llama-7b --task finetune {MARKET} -o html",
    "whatif": f"whatif --model llama-7b --task finetune --method lora --vary epochs=1..10/4 --tornado --pareto {MARKET} -o html",
    "cost": f"cost n.h100.8 {MARKET} -o html",
    "compare": "compare h100 a100-80gb l40s --model llama-7b --task finetune -o html",
}


def gpusel(words):
    environment = {"PATH": os.environ["PATH"], "GPUSEL_TODAY": "2026-11-20", "NO_COLOR": "1"}
    return subprocess.run([PROGRAM, *words.split()], cwd=SOURCE, env=environment, capture_output=True, text=True,
                          check=False)


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="gpusel-pages-")
        cls.pages = {}
        for name, question in QUESTIONS.items():
            cls.pages[name] = os.path.join(cls.folder, name + ".html")
            more = "--api-price 0.2" if name == "serve" else ""
            done = gpusel(f"report {question} {more} -o {cls.pages[name]}")
            assert done.returncode == (3 if name == "nothing" else 0), (name, done.returncode, done.stderr)
        for name, words in OTHERS.items():
            cls.pages[name] = os.path.join(cls.folder, name + "-page.html")
            with open(cls.pages[name], "w", encoding="utf-8") as file:
                text = gpusel(words).stdout
                assert text.startswith("<!DOCTYPE html>"), name
                file.write(text)
        cls.browser = Chromium()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        shutil.rmtree(cls.folder)

    def answer(self, name, command="recommend"):
        return json.loads(gpusel(f"{command} {QUESTIONS[name]} --json").stdout)

    def open(self, name, **how):
        self.browser.open(self.pages[name], **how)

    def shown(self, column=0):
        return self.browser.run("""
            return Array.from(document.querySelectorAll('table.sortable tbody tr'))
              .filter((row) => !row.hidden).map((row) => row.cells[arguments[0]].textContent);""", column)

    def press(self, selector, at=0):
        self.browser.run("document.querySelectorAll(arguments[0])[arguments[1]].click();", selector, at)

    def fill(self, name, value):
        self.browser.run("""
            const field = document.querySelector('.controls [name=' + arguments[0] + ']');
            field.value = arguments[1];
            field.dispatchEvent(new Event('input', {bubbles: true}));""", name, value)

    def test_no_page_says_an_error_or_asks_for_anything(self):
        for name in self.pages:
            with self.subTest(page=name):
                self.open(name)
                messages, asked, _ = self.browser.logs()
                self.assertEqual(messages, [])
                self.assertEqual(asked, ["file://" + self.pages[name]])

    def test_the_policy_stops_what_is_not_embedded(self):
        self.open("train")
        self.browser.run("""
            const script = document.createElement('script'); script.textContent = 'window.ran = true;';
            document.body.append(script);
            const image = new Image(); image.src = 'http://127.0.0.1:9/x.png'; document.body.append(image);""")
        self.assertIsNone(self.browser.run("return window.ran ?? null;"))
        messages, asked, stopped = self.browser.logs()
        self.assertEqual(stopped, sum(url.startswith("http") for url in asked))
        self.assertGreaterEqual(sum("Content Security Policy" in message for message in messages), 2)

    def test_charts_have_a_mark_for_each_figure(self):
        for name in ("train", "serve", "large", "render", "cpu"):
            with self.subTest(page=name):
                ranks = self.answer(name)["recommendations"]
                self.open(name)
                self.assertEqual(self.browser.count("#frontier path.mark"), len(ranks))
                self.assertEqual(self.browser.count("#frontier path.mark.strong"), sum(r["pareto"] for r in ranks))
                self.assertEqual(self.browser.count("table.sortable tbody tr"), len(ranks))
                parts = [part for r in ranks[:8] for key, part in r["memory"]["per_gpu"].items()
                         if key != "total" and part > 0]
                self.assertEqual(self.browser.count("#memory rect.part"), len(parts))
                tips = self.browser.texts("#frontier path.mark title")
                self.assertTrue(all(tips))
                # Each lies where its figures say: dearer is higher.
                places = self.browser.run("""
                    return Array.from(document.querySelectorAll('#frontier path.mark'),
                      (m) => [Number(m.dataset.y), m.getBoundingClientRect().top]);""")
                places.sort()
                self.assertTrue(all(a[1] >= b[1] - 3 for a, b in zip(places, places[1:])))

    def test_the_nothing_page_tells_why(self):
        self.open("nothing")
        self.assertIn("No instance meets this", self.browser.texts("#answer")[0])
        self.assertEqual(self.browser.count("table.sortable"), 0)
        self.press("#rejected summary")
        self.assertTrue(self.browser.run("return document.querySelector('#rejected details').open;"))
        self.assertGreater(self.browser.count("#rejected details tbody tr"), 0)

    def test_sorting_sorts(self):
        self.open("large")
        self.press(".more")
        figures = "return Array.from(document.querySelectorAll('table.sortable tbody tr'), (r) => Number(r.cells[4].dataset.value));"
        before = self.browser.run(figures)
        self.assertNotEqual(before, sorted(before))
        self.press("table.sortable th button", 4)
        self.assertEqual(self.browser.run(figures), sorted(before))
        self.assertEqual(self.browser.run("return document.querySelectorAll('th')[4].getAttribute('aria-sort');"), "ascending")
        self.press("table.sortable th button", 4)
        self.assertEqual(self.browser.run(figures), sorted(before, reverse=True))
        self.assertEqual(self.browser.count("th[aria-sort]"), 1)
        self.press("table.sortable th button", 0)
        self.assertEqual([int(rank) for rank in self.shown()], list(range(1, len(before) + 1)))

    def test_filters_filter(self):
        ranks = self.answer("large")["recommendations"]
        self.open("large")
        self.assertEqual(self.shown(), [str(rank) for rank in range(1, 11)])
        self.press(".more")
        self.assertEqual(len(self.shown()), len(ranks))
        provider = ranks[0]["provider"]
        self.fill("provider", provider)
        self.assertEqual(len(self.shown()), sum(r["provider"] == provider for r in ranks))
        self.fill("gpu", ranks[0]["gpu"])
        wanted = [str(r["rank"]) for r in ranks if r["provider"] == provider and r["gpu"] == ranks[0]["gpu"]]
        self.assertEqual(self.shown(), wanted)
        self.assertTrue(self.browser.texts(".controls output")[0].startswith(f"{len(wanted)} of {len(ranks)}"))
        self.fill("provider", "")
        self.fill("gpu", "")
        self.fill("text", "no such thing")
        self.assertEqual(self.shown(), [])

    def test_sorting_is_reached_by_the_keyboard(self):
        self.open("train")
        self.browser.run("document.querySelectorAll('table.sortable th button')[4].focus();")
        self.browser.driver.switch_to.active_element.send_keys("\ue007")
        self.assertEqual(self.browser.run("return document.querySelectorAll('th')[4].getAttribute('aria-sort');"), "ascending")

    def test_nothing_is_wider_than_the_window(self):
        for name in self.pages:
            for width in (360, 1280):
                with self.subTest(page=name, width=width):
                    self.open(name, width=width)
                    self.assertEqual(self.browser.run(TOO_WIDE), [])

    def test_names_in_pictures_cover_nothing(self):
        for name in ("train", "serve", "large", "crowded", "render", "cpu"):
            for width in (360, 500, 660, 900, 1280):
                with self.subTest(page=name, width=width):
                    self.open(name, width=width)
                    self.assertEqual(self.browser.run(COVERED), [])
                    self.assertIn("#1", [text.split()[0] for text in self.browser.texts("#frontier text.label")])

    def test_the_ranking_is_whole_at_every_width(self):
        sides = """
            const box = document.querySelector('#ranking .wide');
            const row = document.querySelector('table.sortable tbody tr');
            return [box.scrollWidth - box.clientWidth, row.cells[2].getBoundingClientRect().right,
                    row.cells[3].getBoundingClientRect().right];"""
        for name in ("train", "serve", "large", "crowded", "cpu"):
            with self.subTest(page=name):
                self.open(name, width=360)
                _, hourly, total = self.browser.run(sides)
                self.assertLessEqual(max(total, hourly), 360)
                self.open(name, width=1280)
                self.assertLessEqual(self.browser.run(sides)[0], 0)
                for width in (360, 1280):
                    self.open(name, width=width)
                    words = self.browser.run(BROKEN_WORDS, "pre.command")
                    self.assertEqual([word for word in words if word.startswith("-")], [])

    def test_words_are_whole_on_paper(self):
        paper = 680  # pixels of A4 between its margins
        for name in ("train", "serve", "large", "crowded", "render", "cpu"):
            with self.subTest(page=name):
                self.open(name, width=paper)
                self.browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
                try:
                    self.assertEqual(self.browser.run(BROKEN_WORDS, "#ranking th, #ranking td.num, #ranking td.date"), [])
                    words = self.browser.run(BROKEN_WORDS, "#ranking td")
                    self.assertEqual([word for word in words if "-" not in word], [])
                    self.assertEqual(self.browser.run(TOO_WIDE), [])
                finally:
                    self.browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})

    def test_text_stands_out_in_light_and_dark(self):
        for name in self.pages:
            for dark in (False, True):
                with self.subTest(page=name, dark=dark):
                    self.open(name, dark=dark)
                    self.browser.run("document.querySelectorAll('details').forEach((d) => { d.open = true; });")
                    self.assertEqual(self.browser.run(CONTRAST), [])
                    light = self.browser.run("return getComputedStyle(document.body).backgroundColor;") == "rgb(255, 255, 255)"
                    self.assertEqual(light, not dark)

    def test_pages_are_printed_without_controls(self):
        for name in ("train", "serve", "large", "render"):
            self.open(name)
            for paper in ({"paperWidth": 8.27, "paperHeight": 11.69}, {"paperWidth": 8.5, "paperHeight": 11}):
                with self.subTest(page=name, paper=paper):
                    printed = self.browser.driver.execute_cdp_cmd("Page.printToPDF", {"printBackground": False} | paper)
                    pdf = base64.b64decode(printed["data"])
                    self.assertTrue(pdf.startswith(b"%PDF"))
                    self.assertGreater(len(pdf), 20000)
                    sheets = pdf.count(b"/Type /Page\n") + pdf.count(b"/Type /Page/") + pdf.count(b"/Type /Page ")
                    self.assertLessEqual(sheets, 3)
            self.browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
            controls = "return getComputedStyle(document.querySelector('.controls')).display;"
            self.assertEqual(self.browser.run(controls), "none")
            self.assertEqual(self.browser.run("return getComputedStyle(document.body).backgroundColor;"), "rgb(255, 255, 255)")
            self.assertEqual(self.browser.run(OVERHANG), [])
            self.browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})

    def test_the_page_is_a_table_without_script(self):
        self.browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
        try:
            self.open("train")
        finally:
            self.browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
        rows = len(self.answer("train")["recommendations"])
        self.assertEqual(self.browser.count("table.sortable tbody tr:not([hidden])"), rows)
        self.assertEqual(self.browser.count("table.sortable button"), 0)
        self.assertEqual(self.browser.run("return getComputedStyle(document.querySelector('.controls')).display;"), "none")


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)

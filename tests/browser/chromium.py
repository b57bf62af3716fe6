"""A headless Chromium that opens pages of a folder and tells what it saw: errors, requests, widths, colours."""
import json
import os
import shutil
import tempfile

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

SWITCHES = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-default-apps",
    "--disable-extensions", "--hide-scrollbars", "--mute-audio", "--force-device-scale-factor=1",
]

# Texts with too little contrast against what is behind them: 4.5, or 3 where they are large.
CONTRAST = """
const channel = (v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; };
const light = (c) => 0.2126 * channel(c[0]) + 0.7152 * channel(c[1]) + 0.0722 * channel(c[2]);
const colour = (text) => (text.match(/[0-9.]+/g) || []).map(Number);
const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
const behind = (element) => {
  for (let at = element; at; at = at.parentElement) {
    const c = colour(getComputedStyle(at).backgroundColor);
    if (c.length === 3 || (c.length === 4 && c[3] === 1)) return c;
  }
  return [255, 255, 255];
};
const faults = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let node = walker.nextNode(); node; node = walker.nextNode()) {
  const element = node.parentElement;
  if (node.textContent.trim() === "" || element.closest("script, title, desc")) continue;
  if (element.checkVisibility && !element.checkVisibility()) continue;
  const style = getComputedStyle(element);
  const svg = element.closest("svg");
  let back = behind(element);
  if (svg && element.classList.contains("inside")) {
    const part = element.previousElementSibling;
    back = colour(getComputedStyle(part).fill);
  }
  const fore = colour(svg ? style.fill : style.color);
  const size = parseFloat(style.fontSize);
  const large = size >= 24 || (size >= 18.66 && parseInt(style.fontWeight) >= 700);
  const found = ratio(fore, back);
  if (found < (large ? 3 : 4.5)) faults.push([element.className.baseVal || element.className || element.tagName,
    node.textContent.trim().slice(0, 30), found.toFixed(2)]);
}
return faults;
"""

# Charts that reach into what follows them.
OVERHANG = """
const faults = [];
for (const chart of document.querySelectorAll("figure > svg")) {
  const next = chart.nextElementSibling ?? chart.parentElement.nextElementSibling;
  if (!next) continue;
  const end = Math.max(...Array.from(chart.querySelectorAll("*"), (part) => part.getBoundingClientRect().bottom));
  if (end > next.getBoundingClientRect().top + 1) faults.push([next.tagName, Math.round(end - next.getBoundingClientRect().top)]);
}
return faults;
"""

# What is wider than the window, and does not scroll inside a box of its own.
TOO_WIDE = """
const width = document.documentElement.clientWidth;
const faults = [];
if (document.documentElement.scrollWidth > width) faults.push(["page", document.documentElement.scrollWidth]);
for (const element of document.querySelectorAll("main *")) {
  if (element.closest(".wide") && !element.classList.contains("wide")) continue;
  const box = element.getBoundingClientRect();
  if (box.width > 0 && (box.right > width + 1 || box.left < -1))
    faults.push([element.tagName, element.textContent.trim().slice(0, 30), Math.round(box.left), Math.round(box.right)]);
}
return faults;
"""

# Names in pictures that lie over a mark or over another name.
COVERED = """
const faults = [];
for (const picture of document.querySelectorAll("figure > svg")) {
  const shrunk = (e, by) => { const b = e.getBoundingClientRect();
    return {left: b.left + by, right: b.right - by, top: b.top + by, bottom: b.bottom - by, name: e.textContent.trim()}; };
  const names = Array.from(picture.querySelectorAll(":scope text.label"), (e) => shrunk(e, 1));
  const marks = Array.from(picture.querySelectorAll("path.mark"), (e) => shrunk(e, 1));
  const cover = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  names.forEach((name, i) => {
    for (const other of [...names.slice(i + 1), ...marks]) if (cover(name, other)) faults.push([name.name, other.name]);
  });
}
return faults;
"""

# Words of elements that stand on more than one line.
BROKEN_WORDS = """
const faults = [];
for (const element of document.querySelectorAll(arguments[0])) {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    for (const word of node.textContent.matchAll(/[^\\s]+/g)) {
      const range = document.createRange();
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      const lines = new Set(Array.from(range.getClientRects(), (box) => Math.round(box.top)));
      if (lines.size > 1) faults.push(word[0]);
    }
  }
}
return faults;
"""


class Chromium:
    def __init__(self):
        self.profile = tempfile.mkdtemp(prefix="gpusel-browser-")
        options = Options()
        options.binary_location = shutil.which("chromium") or "chromium"
        for switch in SWITCHES + [f"--user-data-dir={self.profile}"]:
            options.add_argument(switch)
        options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
        self.driver = webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)
        self.driver.execute_cdp_cmd("Network.enable", {})

    def close(self):
        self.driver.quit()
        shutil.rmtree(self.profile, ignore_errors=True)

    def open(self, path, width=1280, dark=False):
        """Everything that the log holds so far is forgotten."""
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})
        self.logs()
        self.driver.get("file://" + os.path.abspath(path))

    def logs(self):
        """Messages of the console, addresses that were asked for, and how many of them the page's policy stopped."""
        messages = [f"{entry['level']}: {entry['message']}" for entry in self.driver.get_log("browser")]
        asked, stopped = [], 0
        for entry in self.driver.get_log("performance"):
            event = json.loads(entry["message"])["message"]
            if event["method"] == "Network.requestWillBeSent":
                asked.append(event["params"]["request"]["url"])
            if event["method"] == "Network.loadingFailed" and event["params"].get("blockedReason") == "csp":
                stopped += 1
        return messages, asked, stopped

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def texts(self, selector):
        return self.run("return Array.from(document.querySelectorAll(arguments[0]), (e) => e.textContent);", selector)

    def count(self, selector):
        return self.run("return document.querySelectorAll(arguments[0]).length;", selector)

"""A price server on this machine that does everything a server should not: `gpusel catalog update` names each fault,
loses nothing, and leaves nothing half-written. Usage: price_server.py GPUSEL"""
import http.server
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1))
PAGES = pathlib.Path(__file__).resolve().parent.parent / "catalog/import/fetched"


def page(name):
    return (PAGES / name).read_bytes()


class Server(http.server.BaseHTTPRequestHandler):
    """Answers by its path what the test has put there: bytes, or a function of the request."""
    pages, asked = {}, []
    protocol_version = "HTTP/1.1"

    def log_message(self, *words):
        pass

    def respond(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        Server.asked.append((self.path, dict(self.headers), body))
        answer = Server.pages.get(self.path.split("?")[0], 404)
        try:
            if callable(answer):
                answer(self)
            elif isinstance(answer, int):
                self.say(b"no", answer)
            else:
                self.say(answer)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    do_GET = do_POST = respond

    def say(self, body, status=200, **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def cut(self, body, length=None):
        """Says more than comes."""
        self.send_response(200)
        self.send_header("Content-Length", str(length or len(body) + 1000))
        self.send_header("ETag", '"one"')
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = True


class Update(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
        cls.server.daemon_threads = True
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()
        cls.address = f"http://127.0.0.1:{cls.server.server_address[1]}"

    def setUp(self):
        Server.pages, Server.asked = {"/runpod": page("runpod.json"), "/openrouter": page("openrouter.json")}, []
        self.home = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.home, True)
        self.today = "2026-11-20"
        self.sources("")
        self.lists = pathlib.Path(self.home, ".local/share/gpusel/lists")

    def sources(self, more, first="/runpod"):
        head = "licence: none, covers: a test"
        path = pathlib.Path(self.home, "sources.yaml")
        path.write_text(f"""price_lists:
  - {{id: shop, name: A shop, address: "{self.address}{first}", {head}, format: runpod, at_most_mb: 0.2, at_most_s: 10}}
  - {{id: words, name: Words, address: "{self.address}/openrouter", {head}, format: openrouter}}
""" + more)
        return path

    def environment(self, **more):
        keep = {name: os.environ[name] for name in ("PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS") if name in os.environ}
        return {**keep, "HOME": self.home, "GPUSEL_TODAY": self.today, "COLUMNS": "120", "NO_COLOR": "1", **more}

    def words(self, *words):
        return [PROGRAM, *words]

    def ask(self, *words, **environment):
        return subprocess.run(self.words(*words), env=self.environment(**environment), capture_output=True, text=True,
                              cwd=self.home, timeout=120)

    def update(self, *words, names=("shop", "words"), **environment):
        chosen = [word for name in names for word in ("--source", name)]
        run = self.ask("catalog", "update", "--more-sources", "sources.yaml", "-o", "json", *chosen, *words,
                       **environment)
        try:
            run.sources = {one["source"]: one for one in json.loads(run.stdout)["sources"]}
        except (ValueError, KeyError):
            run.sources = {}
        return run

    def price(self, sku="1x_RTX-4090_SECURE", term="on-demand"):
        shown = json.loads(self.ask("instances", "show", "runpod/" + sku, "-o", "json").stdout)["item"]
        return next(offer["price_per_hour"] for offer in shown["offers"] if offer["term"] == term)

    def kept(self):
        return {path.name: path.read_bytes() for path in self.lists.glob("*")} if self.lists.exists() else {}

    def fails(self, why, **update):
        """The shop fails for that reason; what was kept of it stays, and the other list is read."""
        before = self.kept()
        run = self.update(**update)
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn(why, run.stderr)
        self.assertIn("shop", run.stderr)
        self.assertIn(run.sources["shop"]["outcome"], ("failed", "kept-out"))
        self.assertIn(run.sources["words"]["outcome"], ("updated", "unchanged"))
        after = self.kept()
        for name, text in before.items():
            if name.startswith("list-shop"):
                self.assertEqual(after[name], text)
        self.assertEqual(self.ask("instances", "show", "runpod/1x_RTX-4090_SECURE").returncode, 0)
        return run

    def test_prices_of_today_are_what_is_asked_for(self):
        old = self.price()
        run = self.update()
        self.assertEqual(run.returncode, 0, run.stderr)
        shop = run.sources["shop"]
        self.assertEqual(shop["outcome"], "updated")
        self.assertEqual(shop["as_of"], "2026-11-20")
        self.assertGreater(shop["younger"], 3)
        self.assertEqual((self.price(), self.price(term="spot")), (0.71, 0.5))
        self.assertNotEqual(old, 0.71)
        tokens = json.loads(self.ask("models", "show", "llama-3.1-8b", "-o", "json").stdout)["item"]["token_prices"]
        self.assertIn(("openrouter", 0.02, "2026-11-20"),
                      [(one["provider"], one["input_per_million"], one["as_of"]) for one in tokens])
        listed = json.loads(self.ask("catalog", "sources", "--more-sources", "sources.yaml", "-o", "json").stdout)
        read = {one["source"]: one["last_read"] for one in listed["sources"]}
        self.assertEqual((read["shop"], read["azure"]), ("2026-11-20", None))

    def test_a_price_has_a_history_of_updates(self):
        self.update()
        self.today = "2026-11-25"
        Server.pages["/runpod"] = page("runpod.json").replace(b'"securePrice":0.71', b'"securePrice":0.75')
        self.assertEqual(self.update().returncode, 0)
        self.assertEqual(self.price(), 0.75)
        shown = self.ask("instances", "show", "runpod/1x_RTX-4090_SECURE", "-o", "json").stdout
        self.assertIn("0.71", shown)
        self.assertIn("2026-11-20", shown)

    def test_what_did_not_change_is_not_sent_again(self):
        def answer(request):
            if request.headers.get("If-None-Match") == '"v1"':
                request.send_response(304)
                request.end_headers()
            else:
                request.say(page("runpod.json"), ETag='"v1"')
        Server.pages["/runpod"] = answer
        self.assertEqual(self.update().sources["shop"]["outcome"], "updated")
        before = self.kept()
        self.today = "2026-11-21"
        run = self.update(names=("shop",))
        self.assertEqual(run.sources["shop"]["outcome"], "unchanged")
        self.assertEqual({name for name in before}, {name for name in self.kept()})
        self.assertEqual(self.price(), 0.71)
        self.assertIn(b"read: 2026-11-21", self.kept()["kept.yaml"])

    def test_faults_are_named_and_nothing_is_lost(self):
        self.update()
        whole = page("runpod.json")
        bomb = b'{"data":{"gpuTypes":[' + b'{"id":"' + b"x" * 90_000 + b'"},'

        def endless(request):
            request.send_response(200)
            request.send_header("Transfer-Encoding", "chunked")
            request.end_headers()
            while True:
                request.wfile.write(b"%x\r\n%s\r\n" % (len(bomb), bomb))

        def leads_to(place):
            return lambda request: request.say(b"", 302, Location=place)

        secret = pathlib.Path(self.home, "secret.json")
        secret.write_bytes(whole)
        cases = {
            "status 429": lambda request: request.say(b"", 429, Retry_After="0"),
            "retry after 86400 s": lambda request: request.say(b"", 429, Retry_After="86400"),
            "status 500": lambda request: request.say(b"", 500, Retry_After="0"),
            "status 404": 404,
            "is cut off": lambda request: request.cut(whole[:700]),
            "breaks off": whole[:-4],
            "'gpuTypes'": b'{"errors":[{"message":"down for maintenance"}]}',
            "the JSON breaks off": b"<html>Service is being upgraded</html>",
            "not text": bytes(range(256)) * 20,
            "has no list": b'{"data":{"gpuTypes":[]}}',
            "larger than 0.2 MB": endless,
            "that is not https": leads_to(f"file://{secret}"),
            "that is not https ": leads_to(f"{self.address}/openrouter"),
            "3 rows, and had 5": json.dumps(
                {"data": {"gpuTypes": json.loads(whole)["data"]["gpuTypes"][:3]}}).encode(),
            "median price": json.dumps({"data": {"gpuTypes": [
                {**one, **{key: (value or 0) * 4 for key, value in one.items() if "Price" in key}}
                for one in json.loads(whole)["data"]["gpuTypes"]]}}).encode(),
        }
        for why, answer in cases.items():
            with self.subTest(why):
                Server.pages["/runpod"] = answer
                self.fails(why.strip())
                self.assertEqual(self.price(), 0.71)
        Server.pages["/runpod"] = cases["median price"]
        self.assertEqual(self.update("--trust").returncode, 0)
        self.assertEqual(self.price(), 2.84)

    def test_a_server_that_says_nothing_is_not_waited_for(self):
        Server.pages["/runpod"] = lambda request: time.sleep(30)
        self.sources("")
        path = pathlib.Path(self.home, "sources.yaml")
        path.write_text(path.read_text().replace("at_most_s: 10", "at_most_s: 1"))
        self.fails("too long")
        path.write_text(path.read_text().replace(f"{self.address}/runpod", "http://127.0.0.1:1/"))
        self.fails("cannot connect")

    def test_what_was_cut_off_is_gone_on_with(self):
        lines = page("../sky/gcp.csv")
        state = {"cut": True}

        def answer(request):
            wanted = request.headers.get("Range")
            if state["cut"]:
                request.cut(lines[:500], len(lines))
            elif wanted:
                begin = int(wanted.split("=")[1].rstrip("-"))
                assert request.headers["If-Range"] == '"one"'
                request.say(lines[begin:], 206, Content_Range=f"bytes {begin}-{len(lines) - 1}/{len(lines)}",
                            ETag='"one"')
            else:
                request.say(lines, ETag='"one"')
        Server.pages["/sky"] = answer
        self.sources(f"""  - {{id: sky, name: Sky, address: "{self.address}/sky", licence: none, covers: a test,
     format: skypilot, cloud: gcp, day: inside}}
""")
        self.assertIn("is cut off", self.update(names=("sky",)).stderr)
        state["cut"] = False
        run = self.update(names=("sky",))
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertTrue(any(headers.get("Range") for _, headers, _ in Server.asked))
        whole = self.ask("catalog", "import", "--from", "skypilot", "--cloud", "gcp", str(PAGES / "../sky/gcp.csv"),
                         "--dry-run", "-o", "json")
        self.assertEqual(run.sources["sky"]["rows"], json.loads(whole.stdout)["rows"])

    def test_pages_follow_each_other_and_stay_at_their_place(self):
        self.sources(f"""  - {{id: az, name: Azure, address: "{self.address}/az", licence: none, covers: a test,
     format: azure-retail, next: {{link: NextPageLink}}}}
""")
        first = page("azure-1.json").decode()
        Server.pages["/az"] = first.replace("@NEXT@", self.address + "/az2?$skip=2").encode()
        Server.pages["/az2"] = page("azure-2.json")
        run = self.update(names=("az",))
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual((run.sources["az"]["rows"], run.sources["az"]["imported"]), (3, 2))
        for place, why in ((f"file://{PAGES}/azure-2.json", "another host"), ("http://localhost/az2", "another host"),
                           (self.address + "/az", "never end"), (self.address + "/gone", "status 404")):
            Server.pages["/az"] = first.replace("@NEXT@", place).encode()
            run = self.update(names=("az",))
            self.assertEqual(run.returncode, 1)
            self.assertIn(why, run.stderr)
        self.assertFalse(list(pathlib.Path(self.home, ".cache/gpusel").glob("*")))

    def test_google_is_asked_with_a_key_by_pages(self):
        self.sources(f"""  - {{id: g, name: Google, address: "{self.address}/g?size=5", licence: none, covers: a test,
     format: gcp-billing, key: {{variable: SECRET_KEY, header: "X-Goog-Api-Key: {{key}}"}},
     next: {{token: nextPageToken, parameter: pageToken}}}}
""")
        Server.pages["/g"] = lambda request: request.say(
            page("gcp-2.json" if "pageToken=a%2Fb%3D" in request.path else "gcp-1.json"))
        run = self.update(names=("g",))
        self.assertEqual(run.returncode, 1)
        self.assertIn("set SECRET_KEY", run.stderr)
        seen = pathlib.Path(self.home, "seen")
        curl = pathlib.Path(self.home, "bin/curl")
        curl.parent.mkdir()
        curl.write_text(f'#!/bin/sh\necho "$@" >>{seen}\nexec {shutil.which("curl")} "$@"\n')
        curl.chmod(0o755)
        key = 'k"ey\\1'
        run = self.update(names=("g",), SECRET_KEY=key, PATH=f"{curl.parent}:{os.environ['PATH']}")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual([headers["X-Goog-Api-Key"] for _, headers, _ in Server.asked[-2:]], [key, key])
        self.assertEqual(set(seen.read_text().split("\n")), {"--config -", ""})
        self.assertGreater(run.sources["g"]["younger"] + run.sources["g"]["new"], 2)
        run = self.update(names=("g",), SECRET_KEY="one\nurl = file:///etc/passwd")
        self.assertIn("not one line", run.stderr)
        asked = len(Server.asked)
        run = self.update("--mirror", self.address + "/m", names=("g",), SECRET_KEY=key)
        self.assertTrue(all(key not in headers.values() for _, headers, _ in Server.asked[asked:]))
        self.assertTrue(Server.asked[asked][0].startswith("/m/127.0.0.1:"))

    def test_the_day_of_a_collection_is_that_of_its_last_change(self):
        self.sources(f"""  - {{id: sky, name: Sky, address: "{self.address}/{{part}}/vms.csv", licence: none, covers: a test,
     format: skypilot, cloud: "{{part}}", parts: [gcp, azure], usual: [gcp],
     day_of: {{address: "{self.address}/day/{{part}}", key: committer.date}}}}
""")
        Server.pages["/gcp/vms.csv"] = page("../sky/gcp.csv")
        Server.pages["/day/gcp"] = page("commits.json")
        run = self.update("--dry-run", names=("sky/gcp",))
        self.assertEqual(run.sources["sky/gcp"]["as_of"], "2026-11-13", run.stderr)
        self.assertFalse((self.lists / "kept.yaml").exists())
        Server.pages["/day/gcp"] = b"[]"
        self.assertIn("day of its last change", self.update(names=("sky/gcp",)).stderr)

    def test_files_stand_in_for_the_network(self):
        run = self.update("--from-file", str(PAGES / "runpod.json"), "--as-of", "2026-11-18", names=("runpod",))
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(run.sources["runpod"]["as_of"], "2026-11-18")
        self.assertEqual((self.price(), Server.asked), (0.71, []))
        # An older list takes nothing from a younger one, and what it says is the history of that.
        run = self.update("--from-file", str(PAGES / "runpod.json"), "--as-of", "2026-10-01", names=("runpod",))
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertGreater(run.sources["runpod"]["older"], 0)
        self.assertEqual(self.price(), 0.71)
        self.assertIn("2026-11-18", "".join(path.read_text() for path in self.lists.glob("list-*.csv")))
        run = self.update("--from-file", str(PAGES / "oci.json"), "--from-file", "none.json", names=("oci",))
        self.assertEqual(run.returncode, 1)
        run = self.update("--from-file", "x", names=())
        self.assertEqual(run.returncode, 2)
        self.assertIn("--source", run.stderr)

    def test_words_that_are_wrong_are_told(self):
        run = self.update(names=("runpodd",))
        self.assertEqual(run.returncode, 2)
        self.assertIn("did you mean 'runpod'", run.stderr)
        for text, why in (("price_lists: [{id: x}]", "'address' is missing"),
                          ("price_lists:\n  - {id: x, name: x, address: http://example.org/, licence: x, covers: x, "
                           "format: runpod}", "is not an https address"),
                          ("price_lists:\n  - {id: x, name: x, address: https://e.org/, licence: x, covers: x, "
                           "format: runpods}", "did you mean 'runpod'"),
                          ("gpus: []", "has no 'price_lists'")):
            pathlib.Path(self.home, "sources.yaml").write_text(text)
            run = self.update(names=())
            self.assertIn(why, run.stderr)
            self.assertIn(run.returncode, (2, 5))
        project = pathlib.Path(self.home, "project")
        project.mkdir()
        (project / ".gpusel.yaml").write_text("mirror: http://127.0.0.1:1/\n")
        run = subprocess.run(self.words("catalog", "update"), env=self.environment(), cwd=project, capture_output=True,
                             text=True, timeout=60)
        self.assertEqual(run.returncode, 2)
        self.assertIn("not for a project's file", run.stderr)

    def test_a_missing_curl_and_a_folder_that_cannot_be_written_are_told(self):
        run = self.update(PATH="/nonexistent")
        self.assertEqual(run.returncode, 1)
        self.assertIn("'curl' is not there", run.stderr)
        self.update()
        before = self.kept()
        blocked = pathlib.Path(self.home, "blocked")
        blocked.write_text("a file")
        run = self.update(XDG_DATA_HOME=str(blocked))
        self.assertEqual(run.returncode, 1)
        self.assertIn("cannot", run.stderr)
        if os.geteuid() != 0:
            self.lists.chmod(0o500)
            run = self.update()
            self.lists.chmod(0o700)
            self.assertEqual(run.returncode, 1)
            self.assertIn("cannot write", run.stderr)
        self.assertEqual(self.kept(), before)
        run = self.ask("catalog", "update", HOME="")
        self.assertEqual(run.returncode, 2)
        self.assertIn("home", run.stderr)

    def test_killed_at_any_moment_it_leaves_what_was_there(self):
        self.update()
        before = self.price()
        for after in (0.02, 0.05, 0.1, 0.2, 0.4):
            self.today = "2026-11-22"
            Server.pages["/runpod"] = lambda request: (time.sleep(0.1), request.say(
                page("runpod.json").replace(b"0.71", b"0.72")))
            run = subprocess.Popen(self.words("catalog", "update", "--more-sources", "sources.yaml", "--source", "shop"),
                                   env=self.environment(), cwd=self.home, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
            time.sleep(after)
            run.send_signal(signal.SIGKILL)
            run.wait()
            self.assertIn(self.price(), (before, 0.72))
        self.assertEqual(self.update().returncode, 0)
        self.assertEqual(self.price(), 0.72)
        self.assertFalse([name for name in self.kept() if name.startswith(".")])

    def test_two_updates_at_once_do_not_mix(self):
        Server.pages["/runpod"] = lambda request: (time.sleep(1), request.say(page("runpod.json")))
        first = subprocess.Popen(self.words("catalog", "update", "--more-sources", "sources.yaml", "--source", "shop"),
                                 env=self.environment(), cwd=self.home, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)
        time.sleep(0.4)
        second = self.update()
        self.assertEqual(second.returncode, 1)
        self.assertIn("another gpusel is updating", second.stderr)
        self.assertEqual(first.wait(), 0)

    def test_prices_of_what_an_older_program_knew_are_passed_over(self):
        self.update()
        for path in self.lists.glob("list-shop-*.yaml"):
            text = path.read_text().replace('"1x_RTX-4090_SECURE"', '"1x_GONE_SECURE"')
            path.write_text(text)
        self.assertEqual(self.ask("gpus", "l40s").returncode, 0)

    def test_lists_of_each_format_become_prices(self):
        """What is in the recorded pages, by hand."""
        a100 = 12 * 0.031611 + 85 * 0.004237 + 2.933908
        ultra = 12 * 0.031611 + 170 * 0.004237 + 3.926947 + 375 * 0.08 / 730
        expected = {
            "runpod": (["runpod.json"], 5, 6, {"runpod/1x_H100-SXM_SECURE on-demand": 3.99,
                                               "runpod/1x_H100-SXM_SECURE spot": 1.75,
                                               "runpod/1x_H200_SECURE on-demand": 4.39,
                                               "runpod/1x_RTX-PRO-6000-Server_SECURE on-demand": 1.89,
                                               "runpod/1x_RTX-4090_COMMUNITY spot": 0.2}),
            "lambda": (["lambda.json"], 4, 4, {"lambda/gpu_8x_h100_sxm5 on-demand": 28.72,
                                               "lambda/gpu_2x_l40s on-demand": 2.58}),
            "oci-products": (["oci.json"], 2, 5, {"oci/BM.GPU.H100.8 on-demand": 80, "oci/VM.GPU.A10.2 on-demand": 4}),
            "gcp-billing": (["gcp-1.json", "gcp-2.json"], 11, 13,
                            {"gcp/a2-highgpu-1g on-demand us-central1": a100,
                             "gcp/a2-ultragpu-1g on-demand us-central1": ultra}),
        }
        for form, (files, imported, rows, prices) in expected.items():
            with self.subTest(form):
                folder = pathlib.Path(self.home, form)
                run = self.ask("catalog", "import", "--from", form, *[str(PAGES / name) for name in files], "--as-of",
                               "2026-11-20", "--out", f"{folder}/", "-o", "json")
                self.assertEqual(run.returncode, 0, run.stderr)
                report = json.loads(run.stdout)
                self.assertEqual((report["imported"], report["rows"]), (imported, rows))
                for name, price in prices.items():
                    sku, term, *region = name.split(" ")
                    run = self.ask("instances", "show", sku, "-o", "json", "--overlay", str(folder))
                    offers = [one for one in json.loads(run.stdout)["item"]["offers"]
                              if one["term"] == term and (not region or one["region"] == region[0])]
                    self.assertEqual([round(one["price_per_hour"], 6) for one in offers], [round(price, 6)], name)
                    self.assertEqual(offers[0]["as_of"], "2026-11-20")

    def test_an_old_list_laid_over_leaves_younger_prices(self):
        before = self.price()
        for form, name in (("runpod", "runpod.json"), ("oci-products", "oci.json")):
            folder = pathlib.Path(self.home, form)
            self.ask("catalog", "import", "--from", form, str(PAGES / name), "--as-of", "2025-01-01", "--out",
                     f"{folder}/")
        run = self.ask("instances", "show", "runpod/1x_RTX-4090_SECURE", "-o", "json", "--overlay",
                       str(pathlib.Path(self.home, "runpod")))
        offers = json.loads(run.stdout)["item"]["offers"]
        self.assertEqual(next(o["price_per_hour"] for o in offers if o["term"] == "on-demand"), before)


if __name__ == "__main__":
    if shutil.which("curl") is None:
        print("no curl here")
        sys.exit(0)
    unittest.main(verbosity=1)

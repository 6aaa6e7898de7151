"""The JavaScript client in Chromium: storage, tabs, offline work, killed browsers and full disks."""
import os, shutil, signal, subprocess, tempfile, threading, time, unittest
from playwright.sync_api import expect, sync_playwright
from stage import ARGUMENTS, CHROMIUM, CLIENT, Stage, bundle

# The attempts to kill a browser; the long form has 20.
KILLS = int(os.environ.get("ROOST_KILLS", "3"))

JOIN = """async ([link, name]) => {
  const { Replica, entity } = await import("./roost.min.js");
  window.Item = entity("Item");
  window.replica = await Replica.join(link, { name, device: name });
}"""
OPEN = """async (name) => {
  const { Replica, entity } = await import("./roost.min.js");
  window.Item = entity("Item");
  window.replica = await Replica.open({ name });
}"""
ADD = """(content) => replica.write("Add", (tx) => tx.insert(Item, { content, added: Date.now() }).id)"""
CONTENTS = """async () => (await replica.fetch(Item)).map((item) => item.content).sort()"""
OBSERVE = """() => {
  window.updates = [];
  (async () => {
    for await (const update of replica.observe(Item)) {
      window.updates.push([update.origin, update.records.map((item) => item.content).sort().join()]);
    }
  })();
}"""


class BrowserTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.stage = Stage()
        cls.playwright = sync_playwright().start()
        cls.browser = cls.playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.playwright.stop()
        cls.stage.end()

    def context(self):
        made = self.browser.new_context()
        self.addCleanup(made.close)
        made.set_default_timeout(15_000)
        return made

    def page(self, context, path="blank.html"):
        page = context.new_page()
        page.on("pageerror", lambda error: self.fail(f"an error in the page: {error}"))
        page.goto(f"{self.stage.address}/{path}")
        return page

    def until(self, page, condition):
        """Waits for a condition in a page. The pages' content security policy forbids Playwright's own way."""
        deadline = time.monotonic() + 15
        while not page.evaluate(condition):
            self.assertLess(time.monotonic(), deadline, condition)
            page.wait_for_timeout(20)

    def joined(self, context, name):
        page = self.page(context)
        page.evaluate(JOIN, [self.stage.link(), name])
        return page

    def test_storage_in_indexeddb_fulfils_its_contract(self):
        bundle(os.path.join(CLIENT, "browser", "contract.ts"), os.path.join(self.stage.folder, "contract.js"))
        page = self.page(self.context())
        results = page.evaluate("async () => (await import('./contract.js')).run()")
        self.assertEqual([line for line in results if "FAILED" in line], [])
        self.assertEqual(len(results), 8)

    def test_two_tabs_share_one_replica_and_one_of_them_synchronises(self):
        context = self.context()
        first = self.joined(context, "tabs")
        second = self.page(context)
        second.evaluate(OPEN, "tabs")
        self.assertEqual(second.evaluate("replica.status().state"), "otherTab")
        for page in (first, second):
            page.evaluate(OBSERVE)
        before = len(first.evaluate(CONTENTS))
        first.evaluate(ADD, "of the first tab")
        second.evaluate(ADD, "of the second tab")
        second.evaluate("replica.synced()")
        self.assertTrue({"of the first tab", "of the second tab"} <= set(self.stage.shown()))
        for page in (first, second):
            self.until(page, f"updates.at(-1)[1].split(',').length >= {before + 2}")
        self.assertIn("tab", {origin for origin, _ in second.evaluate("updates")})
        # The tab that synchronises is closed; the other one takes its place.
        first.close()
        self.until(second, "replica.status().state === 'upToDate'")
        second.evaluate(ADD, "after the first tab")
        second.evaluate("replica.synced()")
        self.assertIn("after the first tab", self.stage.shown())

    def test_writes_of_several_tabs_at_once_are_all_kept(self):
        context = self.context()
        pages = [self.joined(context, "crowd")]
        for _ in range(2):
            pages.append(self.page(context))
            pages[-1].evaluate(OPEN, "crowd")
        for index, page in enumerate(pages):
            page.evaluate("""(tab) => {
              window.done = Promise.all(Array.from({ length: 30 }, (_, index) =>
                replica.write("Add", (tx) => tx.insert(Item, { content: `crowd ${tab} ${index}`, added: index }))));
            }""", index)
        for page in pages:
            page.evaluate("done")
            page.evaluate("replica.synced()")
        wanted = {f"crowd {tab} {index}" for tab in range(3) for index in range(30)}
        self.assertTrue(wanted <= set(self.stage.shown()))
        digests = set()
        for page in pages:
            self.until(page, "replica.status().pendingChanges === 0")
            digests.add(page.evaluate("replica.digest()"))
        self.assertEqual(len(digests), 1)

    def test_list_is_shared_live_and_offline_and_back(self):
        ana, bob = self.context(), self.context()
        pages = {}
        for name, context in (("Ana", ana), ("Bob", bob)):
            page = pages[name] = self.page(context, "index.html")
            page.get_by_label("Invite link").fill(self.stage.link())
            page.get_by_label("Name of this device").fill(name)
            page.get_by_role("button", name="Join").click()
            expect(page.get_by_role("heading", name="Groceries")).to_be_visible()
            expect(page.get_by_label("Invite link")).to_be_hidden()
        ana_page, bob_page = pages["Ana"], pages["Bob"]

        def add(page, text):
            page.get_by_label("New item").fill(text)
            page.get_by_role("button", name="Add").click()

        add(ana_page, "Bread <b>&")
        expect(bob_page.get_by_text("Bread <b>&", exact=True)).to_be_visible()
        bob_page.get_by_label("Done: Bread <b>&").check()
        expect(ana_page.get_by_label("Done: Bread <b>&")).to_be_checked()
        bob.set_offline(True)
        add(bob_page, "Milk of Bob")
        add(ana_page, "Wine of Ana")
        expect(bob_page.get_by_text("Milk of Bob")).to_be_visible()
        expect(bob_page.get_by_text("1 not sent yet.")).to_be_visible()
        expect(ana_page.get_by_text("Milk of Bob")).to_have_count(0)
        bob.set_offline(False)
        expect(ana_page.get_by_text("Milk of Bob")).to_be_visible()
        expect(bob_page.get_by_text("Wine of Ana")).to_be_visible()
        expect(bob_page.get_by_role("status")).to_contain_text("Up to date.")
        bob_page.get_by_role("button", name="Undo").click()
        expect(ana_page.get_by_text("Milk of Bob")).to_have_count(0)
        ana_page.reload()
        expect(ana_page.get_by_text("Wine of Ana")).to_be_visible()
        self.assertEqual(ana_page.locator("#alert").inner_text(), "")

    def test_exhausted_quota_fails_that_write_only(self):
        # A server of its own: what is written here is large.
        shared, self.stage = self.stage, Stage()
        self.addCleanup(self.stage.end)
        self.addCleanup(setattr, self, "stage", shared)
        context = self.context()
        page = self.page(context)
        session = context.new_cdp_session(page)
        # The browser looks at the quota every 20 seconds at most, so that it has to be small from the beginning.
        session.send("Storage.overrideQuotaForOrigin", {"origin": self.stage.address, "quotaSize": 3_000_000})
        page.evaluate(JOIN, [self.stage.link(), "quota"])
        page.evaluate(ADD, "before the quota")
        stored, failed, codes = page.evaluate("""async () => {
          const stored = [], failed = [], codes = new Set();
          for (let count = 0; count < 300 && failed.length < 20; count++) {
            const bytes = crypto.getRandomValues(new Uint8Array(60_000));
            const text = Array.from(bytes, (byte) => String.fromCharCode(33 + byte % 90)).join("");
            try {
              await replica.write("Large", (tx) => tx.insert(Item, { content: `${count} ${text}`, added: 0 }));
              stored.push(count);
            } catch (error) {
              codes.add(error.code);
              failed.push(count);
            }
          }
          return [stored, failed, [...codes]];
        }""")
        self.assertEqual(len(failed), 20)
        self.assertEqual(codes, ["storage_full"])
        session.send("Storage.overrideQuotaForOrigin", {"origin": self.stage.address})
        page.evaluate(ADD, "after the quota")
        page.evaluate("replica.synced()")
        numbers = """async () => (await replica.fetch(Item)).map((item) => item.content.split(" ")[0]).sort()"""
        wanted = sorted([*map(str, stored), "before", "after"])
        self.assertEqual(page.evaluate(numbers), wanted)
        self.assertEqual(sorted(text.split(" ")[0] for text in self.stage.shown()), wanted)
        page.reload()
        page.evaluate(OPEN, "quota")
        self.assertEqual(page.evaluate(numbers), wanted)

    def test_insecure_page_imports_the_module_and_joining_says_what_is_missing(self):
        page = self.context().new_page()
        page.goto(self.stage.address.replace("127.0.0.1", "roost.example") + "/blank.html")
        self.assertFalse(page.evaluate("isSecureContext"))
        error = page.evaluate("""async (link) => {
          const { Replica } = await import("./roost.min.js");
          try { await Replica.join(link, { device: "x" }); } catch (error) { return [error.code, error.message]; }
        }""", self.stage.link())
        self.assertEqual(error[0], "missing_capability")
        self.assertIn("there is no Web Locks", error[1])

    def test_killed_tab_loses_no_durable_write(self):
        context = self.context()
        self.joined(context, "crash").close()
        keeper = self.page(context)
        for attempt in range(KILLS):
            page = self.page(context)
            page.evaluate(OPEN, "crash")
            page.evaluate("""(attempt) => {
              window.count = 0;
              (async () => {
                for (;;) {
                  const content = `crash ${attempt}.${count}`;
                  await replica.write("Add", (tx) => tx.insert(Item, { content, added: 0 }));
                  localStorage.setItem(`durable ${attempt}`, ++count);
                }
              })();
            }""", attempt)
            self.until(page, "count > 10")
            with self.assertRaises(Exception):
                page.goto("chrome://crash", timeout=5000)
            page.close()
        other = self.page(context)
        other.evaluate(OPEN, "crash")
        contents = set(other.evaluate(CONTENTS))
        for attempt in range(KILLS):
            durable = int(keeper.evaluate("(attempt) => localStorage.getItem(`durable ${attempt}`)", attempt))
            self.assertGreaterEqual(durable, 10)
            self.assertEqual([each for each in range(durable) if f"crash {attempt}.{each}" not in contents], [])
        other.evaluate("replica.synced()")
        self.assertTrue({text for text in contents if text.startswith("crash")} <= set(self.stage.shown()))


class KilledBrowserTests(unittest.TestCase):
    """Kills all processes of a browser while it writes, and looks at what is there afterwards."""

    def test_killed_browser_loses_no_durable_write(self):
        stage = Stage()
        self.addCleanup(stage.end)
        profile = tempfile.mkdtemp(prefix="roost-profile-")
        self.addCleanup(shutil.rmtree, profile, True)
        durable = []
        with sync_playwright() as playwright:
            for attempt in range(KILLS):
                context = playwright.chromium.launch_persistent_context(
                    profile, executable_path=CHROMIUM, args=ARGUMENTS)
                page = context.new_page()
                page.goto(f"{stage.address}/blank.html")
                page.evaluate(JOIN if attempt == 0 else OPEN, [stage.link(), "killed"] if attempt == 0 else "killed")
                contents = page.evaluate(CONTENTS)
                self.assertEqual([text for text in durable if text not in contents], [])
                page.expose_function("isDurable", lambda content: durable.append(content))
                page.evaluate("""(attempt) => {
                  (async () => {
                    for (let count = 0;; count++) {
                      const content = `${attempt}.${count}`;
                      await replica.write("Add", (tx) => tx.insert(Item, { content, added: count }));
                      isDurable(content);
                    }
                  })();
                }""", attempt)
                before = len(durable)
                deadline = time.monotonic() + 10
                while len(durable) < before + 15 and time.monotonic() < deadline:
                    page.wait_for_timeout(20)
                self.assertGreater(len(durable), before)
                self.kill(profile)
                try:
                    context.close()
                except Exception:
                    pass
            context = playwright.chromium.launch_persistent_context(profile, executable_path=CHROMIUM, args=ARGUMENTS)
            page = context.new_page()
            page.goto(f"{stage.address}/blank.html")
            page.evaluate(OPEN, "killed")
            contents = page.evaluate(CONTENTS)
            self.assertEqual([text for text in durable if text not in contents], [])
            page.evaluate("replica.synced()")
            self.assertEqual(stage.shown(), contents)
            context.close()

    @staticmethod
    def kill(profile):
        """Kills the browser of a profile and its children, as a power loss ends them."""
        listed = subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True).stdout
        for line in listed.splitlines():
            pid, _, command = line.strip().partition(" ")
            if profile in command and "chromium" in command:
                try:
                    os.kill(int(pid), signal.SIGKILL)
                except ProcessLookupError:
                    pass


if __name__ == "__main__":
    unittest.main()

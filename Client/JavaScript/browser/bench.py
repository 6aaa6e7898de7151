"""Measures the targets of the JavaScript client in Chromium against the real server, and prints one line for each.

The browser speaks to the server directly: its own rules for other origins are off, so that no proxy is measured.
"""
import os, statistics, subprocess, time
from playwright.sync_api import sync_playwright
from stage import ARGUMENTS, CHROMIUM, CLIENT, Stage

JOIN = """async ([link, name]) => {
  const { Replica, entity } = await import("./roost.min.js");
  window.Person = entity("Person");
  window.Spending = entity("Spending");
  const began = performance.now();
  window.replica = await Replica.join(link, { name, device: name });
  while (replica.status().state !== "upToDate") await new Promise((resolve) => {
    const end = replica.onStatus(() => { end(); resolve(); });
  });
  return [performance.now() - began, await replica.count(Spending)];
}"""
OPEN = """async (name) => {
  const { Replica, entity } = await import("./roost.min.js");
  window.Spending = entity("Spending");
  const began = performance.now();
  window.replica = await Replica.open({ name, synchronises: false });
  const all = await replica.fetch(Spending, { sortedBy: [(s) => s.content], limit: 50 });
  return [performance.now() - began, all.length];
}"""
NOW = "performance.timeOrigin + performance.now()"


def fill(stage, persons, spendings):
    statement = f"""
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {persons})
        INSERT INTO person(name) SELECT 'Person ' || i FROM n;
        CREATE TEMP TABLE numbered AS SELECT id, row_number() OVER () - 1 AS place FROM person;
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {spendings})
        INSERT INTO spending(content, amount, person) SELECT 'Spending ' || i, i * 7 % 100000, numbered.id
          FROM n JOIN numbered ON numbered.place = i % {persons};"""
    subprocess.run(["sqlite3", stage.file, statement], check=True)
    stage.roost("sync", stage.file)


def direct(stage):
    return stage.link().replace(stage.address, stage.roost_address)


def report(name, value, unit, target):
    verdict = "met" if value <= target else "missed"
    print(f"{name:<64} {value:>9.1f} {unit:<5} target {target:g}, {verdict}", flush=True)


def page_of(browser, stage):
    page = browser.new_context(bypass_csp=True).new_page()
    page.set_default_timeout(120_000)
    page.goto(stage.address + "/blank.html")
    return page


def heap(session):
    for _ in range(2):
        session.send("HeapProfiler.collectGarbage")
    usage = session.send("Runtime.getHeapUsage")
    return usage["usedSize"] + usage.get("backingStorageSize", 0) + usage.get("embedderHeapUsedSize", 0)


def main():
    schema = os.path.join(CLIENT, "browser", "trip.schema.json")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=[*ARGUMENTS, "--disable-web-security"])
        large = Stage(schema)
        fill(large, 200, 100_000)
        first = []
        for attempt in range(3):
            page = page_of(browser, large)
            session = page.context.new_cdp_session(page)
            page.evaluate("import('./roost.min.js')")
            before = heap(session)
            milliseconds, count = page.evaluate(JOIN, [direct(large), f"first{attempt}"])
            assert count == 100_000, count
            first.append(milliseconds)
            after = heap(session)
            if attempt < 2:
                page.context.close()
        report("first pull of 100,000 spendings", min(first), "ms", 4000)
        content = 100_200 * 55
        report("memory for each record beyond its content", (after - before - content) / 100_200, "bytes", 1024)
        changed(browser, large, page)
        small = Stage(schema)
        fill(small, 50, 10_000)
        opened(browser, small)
        inserted(browser, small)
        live(browser, small)
        browser.close()
        large.end()
        small.end()


def changed(browser, stage, one):
    two = page_of(browser, stage)
    two.evaluate(JOIN, [direct(stage), "other"])
    samples = []
    for attempt in range(5):
        two.evaluate(f"""(attempt) => {{
          window.arrived = (async () => {{
            const options = {{ where: (s) => s.amount.eq(1_000_000 + attempt) }};
            for await (const update of replica.observe(Spending, options)) {{
              if (update.records.length === 100) return {NOW};
            }}
          }})();
        }}""", attempt)
        began = one.evaluate(f"""async (attempt) => {{
          const all = await replica.fetch(Spending, {{ limit: 100, offset: attempt * 100 }});
          const began = {NOW};
          await replica.write("Change", (tx) => {{
            for (const each of all) tx.update(Spending, each, {{ amount: 1_000_000 + attempt }});
          }});
          return began;
        }}""", attempt)
        samples.append(two.evaluate("arrived") - began)
    report("100 of 100,000 changed, pushed and pulled", statistics.median(samples), "ms", 60)
    for page in (one, two):
        page.context.close()


def opened(browser, stage):
    page = page_of(browser, stage)
    page.evaluate(JOIN, [direct(stage), "small"])
    page.evaluate("replica.close()")
    samples = []
    for _ in range(5):
        page.reload()
        page.evaluate("import('./roost.min.js')")
        milliseconds, count = page.evaluate(OPEN, "small")
        assert count == 50, count
        samples.append(milliseconds)
        page.evaluate("replica.close()")
    report("opening a replica of 10,000 until the first fetch returns", statistics.median(samples), "ms", 150)
    page.context.close()


def inserted(browser, stage):
    page = page_of(browser, stage)
    page.evaluate(JOIN, [direct(stage), "inserts"])
    samples = []
    for _ in range(3):
        samples.append(page.evaluate("""async () => {
          const began = performance.now();
          await replica.write("Many", (tx) => {
            for (let index = 0; index < 10_000; index++) {
              tx.insert(Spending, { content: `New ${index}`, amount: index });
            }
          });
          const ended = performance.now();
          await replica.synced();
          return ended - began;
        }"""))
    report("10,000 local inserts in one transaction", statistics.median(samples), "ms", 600)
    page.context.close()


def live(browser, stage):
    one, two = page_of(browser, stage), page_of(browser, stage)
    for name, page in (("one", one), ("two", two)):
        page.evaluate(JOIN, [direct(stage), f"live-{name}"])
    two.evaluate(f"""() => {{
      window.times = new Map();
      (async () => {{
        for await (const update of replica.observe(Spending, {{ where: (s) => s.content.startsWith("live ") }})) {{
          for (const {{ record }} of update.difference.inserted) times.set(record.content, {NOW});
        }}
      }})();
    }}""")
    samples = []
    for index in range(60):
        began = one.evaluate(f"""async (content) => {{
          const began = {NOW};
          await replica.write("Add", (tx) => tx.insert(Spending, {{ content, amount: 1 }}));
          return began;
        }}""", f"live {index}")
        while (arrived := two.evaluate("(content) => times.get(content)", f"live {index}")) is None:
            time.sleep(0.005)
        samples.append(arrived - began)
        time.sleep(0.05)
    report("a write until another browser's observer fires, p50", statistics.median(samples), "ms", 15)
    write = one.evaluate("""async () => {
      const samples = [];
      for (let index = 0; index < 30; index++) {
        const began = performance.now();
        await replica.write("Add", (tx) => tx.insert(Spending, { content: "x", amount: 1 }));
        samples.push(performance.now() - began);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      return samples.sort((a, b) => a - b)[15];
    }""")
    print(f"{'  of that, the durable local write, p50':<64} {write:>9.1f} ms")
    floor = one.evaluate("""async () => {
      const request = indexedDB.open("floor", 1);
      request.onupgradeneeded = () => request.result.createObjectStore("log", { autoIncrement: true });
      const database = await new Promise((resolve) => request.onsuccess = () => resolve(request.result));
      const samples = [];
      for (let index = 0; index < 30; index++) {
        const began = performance.now();
        const transaction = database.transaction("log", "readwrite", { durability: "strict" });
        transaction.objectStore("log").add(new Uint8Array(200));
        await new Promise((resolve) => transaction.oncomplete = resolve);
        samples.push(performance.now() - began);
      }
      return samples.sort((a, b) => a - b)[15];
    }""")
    print(f"{'  the floor of the browser: one strict transaction, p50':<64} {floor:>9.1f} ms")


main()

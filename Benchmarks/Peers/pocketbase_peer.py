"""PocketBase: a server with one SQLite file, a batch call and live subscriptions; no replica, no merge, no tombstones.

Its SQLite is at synchronous NORMAL. Identifiers are 32 hexadecimal digits: with dashes, each insert scans the table.
Whoever asks is a superuser, so that no rule is evaluated.
"""

import json
import sqlite3
import subprocess
import threading
import time
import urllib.parse
import uuid

from devices import measure
from server import Connection, Server, free_port, program
from work import parts, percentile, seconds, spread

MODE = "normal"
BATCH = 1000
RECORDS = "/api/collections/spending/records"
FIELDS = [
    {"name": "id", "type": "text", "system": True, "primaryKey": True, "required": True, "min": 32, "max": 32,
     "pattern": "^[a-z0-9]+$"},
    {"name": "content", "type": "text"}, {"name": "amount", "type": "number"}, {"name": "currency", "type": "text"},
    {"name": "date", "type": "text"}, {"name": "paid", "type": "bool"}, {"name": "person", "type": "text"},
    {"name": "updated", "type": "autodate", "onCreate": True, "onUpdate": True},
]


class PocketBase(Server):
    def __init__(self, place):
        # Beside its data it keeps migrations, which another server of the same folder would run.
        self.folder = str(place / str(uuid.uuid4()) / "data")
        login = ["benchmark@example.org", "benchmark-password"]
        subprocess.run([program("pocketbase"), "superuser", "upsert", *login, "--dir", self.folder], check=True,
                       capture_output=True)
        port = free_port()
        super().__init__([program("pocketbase"), "serve", "--http", f"127.0.0.1:{port}", "--dir", self.folder], port)
        self.login = json.dumps(dict(zip(["identity", "password"], login))).encode()
        self.token = None

    def connect(self):
        return Connection(self.port, f"Authorization: {self.token}\r\n")

    def prepare(self):
        """Makes the table, and lets batches in."""
        answer = Connection(self.port).request("POST", "/api/collections/_superusers/auth-with-password", self.login)
        self.token = json.loads(answer)["token"]
        connection = self.connect()
        table = {"name": "spending", "type": "base", "fields": FIELDS,
                 "indexes": ["CREATE INDEX spending_updated ON spending (updated)"]}
        connection.request("POST", "/api/collections", json.dumps(table).encode())
        settings = {"batch": {"enabled": True, "maxRequests": BATCH, "timeout": 60}}
        connection.request("PATCH", "/api/settings", json.dumps(settings).encode())
        return connection


def content(spending, **other):
    return spending._asdict() | other


def batches(spendings, method):
    """Bodies of batch calls that create or edit the spendings."""
    def one(spending):
        if method == "POST":
            return {"method": "POST", "url": RECORDS, "body": content(spending)}
        return {"method": "PATCH", "url": f"{RECORDS}/{spending.id}", "body": {"amount": spending.amount + 1}}
    return [json.dumps({"requests": [one(spending) for spending in part]}).encode() for part in parts(spendings, BATCH)]


def fill(connection, spendings):
    for body in batches(spendings, "POST"):
        connection.request("POST", "/api/batch", body)


def query(filter, sort):
    return RECORDS + "?" + urllib.parse.urlencode({"perPage": 1000, "skipTotal": 1, "sort": sort, "filter": filter})


def push(work, place, say):
    runs, bodies = [], 0
    for round in range(work.pushRounds):
        with PocketBase(place) as server:
            connection = server.prepare()
            spendings = work.spendings[round * work.pushCount:][:work.pushCount]
            requests = batches(spendings, "POST")
            bodies = sum(map(len, requests)) / work.pushCount
            before = server.computed_seconds()
            time = seconds(lambda: [connection.request("POST", "/api/batch", body) for body in requests])
            runs.append((time, server.computed_seconds() - before))
    what = f"push of {work.pushCount} new records"
    say(measure="speed", work=what, mode=MODE, unit="records/s", how=f"{BATCH} in a call, bodies made before",
        **spread([work.pushCount / time for time, _ in runs]))
    say(measure="server CPU", work=what + ", server CPU", mode=MODE, unit="s", **spread([cpu for _, cpu in runs]))
    say(measure="bodies", work=what + ", bodies, not compressed", mode=MODE, unit="bytes/record", figure=bodies)


def pages(connection):
    """The body of each page of a first pull, by identifier: its newest-first feed cannot tell records of one millisecond apart."""
    last = ""
    while True:
        body = connection.request("GET", query(f"id>'{last}'", "id"))
        # The last identifier of a page, found without decoding it.
        start = body.rfind(b'"id":"')
        if start < 0:
            return
        last = body[start + 6:start + 38].decode()
        yield body


def serve(work, place, say):
    with PocketBase(place) as server:
        connection = server.prepare()
        fill(connection, work.spendings[:work.pullCount])
        runs = []
        for _ in range(work.pullRounds):
            before, found = server.computed_seconds(), []
            time = seconds(lambda: found.extend(body.count(b'"id":"') for body in pages(connection)))
            if sum(found) != work.pullCount:
                raise RuntimeError(f"a pull brought {sum(found)} of {work.pullCount} records")
            runs.append((time, server.computed_seconds() - before))
        say(measure="speed", work=f"serving a pull of {work.pullCount}", mode=MODE, unit="records/s",
            how=f"pages of 1,000 JSON records, not decoded; server CPU {percentile([cpu for _, cpu in runs], 50):.2f} s",
            **spread([work.pullCount / time for time, _ in runs]))


def pull(work, place, say):
    with PocketBase(place) as server:
        connection = server.prepare()
        fill(connection, work.spendings[:work.pullCount])
        times = [seconds(lambda: take_in(connection, place / f"replica-{round}", work.pullCount))
                 for round in range(work.pullRounds)]
        say(measure="speed", work=f"first pull of {work.pullCount} into an SQLite table", mode=MODE, unit="records/s",
            how="it has no replica: Python decodes JSON and upserts, as an application would",
            **spread([work.pullCount / time for time in times]))


def take_in(connection, path, count):
    import orjson  # Installed with Kinto; Python's own JSON is slower.

    table = sqlite3.connect(path, isolation_level=None)
    table.execute("PRAGMA journal_mode = WAL")
    table.execute("PRAGMA synchronous = NORMAL")
    table.execute("""CREATE TABLE spending(id TEXT PRIMARY KEY, content TEXT, amount INTEGER, currency TEXT, date TEXT,
      paid INTEGER, person TEXT)""")
    table.execute("CREATE INDEX spending_by_person ON spending(person)")
    for body in pages(connection):
        table.execute("BEGIN")
        table.executemany("INSERT OR REPLACE INTO spending VALUES (?, ?, ?, ?, ?, ?, ?)",
                          [(r["id"], r["content"], r["amount"], r["currency"], r["date"], r["paid"], r["person"])
                           for r in orjson.loads(body)["items"]])
        table.execute("COMMIT")
    if table.execute("SELECT count(*) FROM spending").fetchone()[0] != count:
        raise RuntimeError("a pull did not bring all records")
    table.close()


def change(work, place, say):
    with PocketBase(place) as server:
        connection = server.prepare()
        fill(connection, work.spendings[:work.pullCount])
        cursor = newest(connection)
        pushes, pulls = [], []
        for round in range(work.changeRounds):
            edited = [work.spendings[(index * 941 + round * 13) % work.pullCount] for index in range(100)]
            [body] = batches(edited, "PATCH")
            time.sleep(0.01)  # Its clock of milliseconds must have gone on.
            pushes.append(seconds(lambda: connection.request("POST", "/api/batch", body)) * 1000)
            start = time.perf_counter()
            items = json.loads(connection.request("GET", query(f"updated>'{cursor}'", "updated")))["items"]
            pulls.append((time.perf_counter() - start) * 1000)
            if len(items) != 100:
                raise RuntimeError(f"a pull brought {len(items)} of 100 records")
            cursor = items[-1]["updated"]
        say(measure="time", work=f"100 changed of {work.pullCount}: push + pull by another", mode=MODE, unit="ms",
            how=f"push {percentile(pushes, 50):.1f}, pull {percentile(pulls, 50):.1f} ms; no replica on either side",
            **spread([push + pull for push, pull in zip(pushes, pulls)]))


def newest(connection):
    items = json.loads(connection.request("GET", RECORDS + "?perPage=1&sort=-updated&skipTotal=1"))["items"]
    return items[0]["updated"] if items else "2000-01-01 00:00:00.000Z"


class Subscription:
    """A connection that is told of every change of a spending."""

    def __init__(self, server, control):
        self.connection = Connection(server.port)
        self.connection.send("GET", "/api/realtime")
        _, headers = self.connection.answer_head()
        self.is_chunked = headers.get("transfer-encoding") == "chunked"
        self.pending = b""
        client = json.loads(self.event())["clientId"]
        wish = {"clientId": client, "subscriptions": ["spending/*"]}
        control.request("POST", "/api/realtime", json.dumps(wish).encode())

    def event(self):
        """The data of the next event."""
        while (end := self.pending.find(b"\n\n")) < 0:
            self.pending += self.connection.chunk() if self.is_chunked else self.connection.receive()
        lines = self.pending[:end].split(b"\n")
        self.pending = self.pending[end + 2:]
        return next(line[5:] for line in lines if line.startswith(b"data:"))


def live(work, place, say):
    with PocketBase(place) as server:
        connection = server.prepare()
        subscription = Subscription(server, connection)
        warm_up, times = 20, []
        for spending in work.spendings[:work.liveWrites + warm_up]:
            body = json.dumps(content(spending)).encode()
            time.sleep(0.005)
            start, seen = time.perf_counter(), []
            watching = threading.Thread(target=lambda: seen.append((subscription.event(), time.perf_counter())))
            watching.start()
            connection.request("POST", RECORDS, body)
            watching.join()
            if spending.id.encode() not in seen[0][0]:
                raise RuntimeError("an event of another record came")
            times.append((seen[0][1] - start) * 1000)
        times = times[warm_up:]
        # Its client writes by HTTP, and has no file that another program could read.
        for writer in ["plain SQL", "library"]:
            for percent in [50, 99]:
                say(measure=f"{writer} p{percent}", work=f"one write seen by another connection, p{percent}", mode=MODE,
                    unit="ms", how="from before the request until the event's bytes are read; no replica on either side",
                    **spread(times) | {"figure": percentile(times, percent)})


def push_and_pull(work, connection, cursor):
    body = json.dumps(content(work.spendings[0], id=uuid.uuid4().hex)).encode()
    connection.request("POST", RECORDS, body)
    items = json.loads(connection.request("GET", query(f"updated>'{cursor}'", "updated")))["items"]
    return items[-1]["updated"] if items else cursor


def devices(work, place, say):
    with PocketBase(place) as server:
        server.prepare()
        measure(work, server, MODE, newest, lambda *place: push_and_pull(work, *place), say)


def memory(work, place, say):
    with PocketBase(place) as server:
        time.sleep(0.5)
        idle = server.resident_bytes()
        control = server.prepare()
        time.sleep(0.5)
        before = server.resident_bytes()
        waiting = [Subscription(server, control) for _ in range(work.waitingDevices)]
        time.sleep(3)
        each = (server.resident_bytes() - before) / len(waiting)
        say(measure="idle", work="idle server", mode=MODE, unit="MiB", figure=idle / 1048576)
        say(measure="connection", work=f"an idle live connection, of {len(waiting)}", mode=MODE, unit="KiB",
            figure=each / 1024)


ROWS = {"push": push, "pull": pull, "serve": serve, "change": change, "live": live, "devices": devices,
        "memory": memory}

"""Kinto with all it stores in memory: nothing reaches a disk, there is no live subscription and no replica.

Its time grows with what was pushed before, so that it is filled with 10,000 records at most.
"""

import base64
import json
import statistics
import sys
import time
import uuid

from devices import measure
from server import Connection, Server, free_port
from work import parts, seconds, spread

MODE = "none (in memory)"
COUNT_MAX = 10_000
BATCH = 25
RECORDS = "/v1/buckets/benchmark/collections/spendings/records"
SETTINGS = """
[server:main]
use = egg:waitress#main
listen = 127.0.0.1:{port}
threads = 4
connection_limit = 1000
[app:main]
use = egg:kinto
kinto.userid_hmac_secret = benchmark
kinto.storage_backend = kinto.core.storage.memory
kinto.cache_backend = kinto.core.cache.memory
kinto.permission_backend = kinto.core.permission.memory
kinto.batch_max_requests = {batch}
multiauth.policies = basicauth
kinto.bucket_create_principals = system.Authenticated
[loggers]
keys = root
[handlers]
keys =
[formatters]
keys =
[logger_root]
level = ERROR
handlers =
"""


class Kinto(Server):
    def __init__(self, place):
        port = free_port()
        settings = place / f"kinto-{uuid.uuid4()}.ini"
        settings.write_text(SETTINGS.format(port=port, batch=BATCH))
        super().__init__([sys.executable, "-m", "pyramid.scripts.pserve", str(settings)], port)

    def connect(self):
        return Connection(self.port, f"Authorization: Basic {base64.b64encode(b'benchmark:benchmark').decode()}\r\n")

    def prepare(self):
        connection = self.connect()
        connection.request("PUT", "/v1/buckets/benchmark")
        connection.request("PUT", "/v1/buckets/benchmark/collections/spendings")
        return connection


def batches(spendings, method):
    """Bodies of batch calls that create or edit the spendings."""
    def one(spending):
        data = spending._asdict() if method == "PUT" else {"amount": spending.amount + 1}
        return {"path": f"{RECORDS.removeprefix('/v1')}/{spending.id}", "body": {"data": data}}
    return [json.dumps({"defaults": {"method": method}, "requests": list(map(one, part))}).encode()
            for part in parts(spendings, BATCH)]


def send(connection, bodies):
    for body in bodies:
        answer = connection.request("POST", "/v1/batch", body)
        if answer.count(b'"status": 20') + answer.count(b'"status":20') == 0:
            raise RuntimeError(f"a batch was answered with {answer[:200]!r}")


def push(work, place, say):
    count = work.pushCount if not work.isQuick else 1000
    with Kinto(place) as server:
        connection = server.prepare()
        bodies = batches(work.spendings[:count], "PUT")
        before = server.computed_seconds()
        time = seconds(lambda: send(connection, bodies))
        what = f"push of {count} new records"
        say(measure="speed", work=what, mode=MODE, unit="records/s", figure=count / time,
            how=f"{BATCH} in a call into an empty server, bodies made before")
        say(measure="server CPU", work=what + ", server CPU for 10,000", mode=MODE, unit="s",
            figure=(server.computed_seconds() - before) * 10_000 / count)
        say(measure="bodies", work=what + ", bodies, not compressed", mode=MODE, unit="bytes/record",
            figure=sum(map(len, bodies)) / count)


def filled(work, server):
    count = min(work.pullCount, COUNT_MAX if not work.isQuick else 1000)
    connection = server.prepare()
    send(connection, batches(work.spendings[:count], "PUT"))
    return connection, count


def serve(work, place, say):
    with Kinto(place) as server:
        connection, count = filled(work, server)
        times, found = [], 0
        for _ in range(5):
            start = time.perf_counter()
            found = connection.request("GET", RECORDS).count(b'"last_modified":')
            times.append(time.perf_counter() - start)
            if found != count:
                raise RuntimeError(f"a pull brought {found} of {count} records")
        say(measure="speed", work=f"serving a pull of {count}", mode=MODE, unit="records/s",
            how="one answer of JSON records, not decoded", **spread([count / time for time in times]))


def change(work, place, say):
    with Kinto(place) as server:
        connection, count = filled(work, server)
        cursor, pushes, pulls = newest(connection), [], []
        for round in range(work.changeRounds):
            bodies = batches([work.spendings[(index * 941 + round * 13) % count] for index in range(100)], "PATCH")
            pushes.append(seconds(lambda: send(connection, bodies)) * 1000)
            start = time.perf_counter()
            items = since(connection, cursor)
            pulls.append((time.perf_counter() - start) * 1000)
            if len(items) != 100:
                raise RuntimeError(f"a pull brought {len(items)} of 100 records")
            cursor = items[0]["last_modified"]
        say(measure="time", work=f"100 changed of {count}: push + pull by another", mode=MODE, unit="ms",
            how=f"push {statistics.median(pushes):.0f}, pull {statistics.median(pulls):.1f} ms; no replica on either side",
            **spread([push + pull for push, pull in zip(pushes, pulls)]))


def since(connection, cursor):
    """What is newer than the cursor, the newest first."""
    return json.loads(connection.request("GET", f"{RECORDS}?_since={cursor}&_sort=-last_modified"))["data"]


def newest(connection):
    items = json.loads(connection.request("GET", f"{RECORDS}?_sort=-last_modified&_limit=1"))["data"]
    return items[0]["last_modified"] if items else 0


def push_and_pull(work, connection, cursor):
    spending = work.spendings[0]._replace(id=uuid.uuid4().hex)
    connection.request("PUT", f"{RECORDS}/{spending.id}", json.dumps({"data": spending._asdict()}).encode())
    items = since(connection, cursor)
    return items[0]["last_modified"] if items else cursor


def devices(work, place, say):
    with Kinto(place) as server:
        server.prepare()
        measure(work, server, MODE, newest, lambda *place: push_and_pull(work, *place), say)


def memory(work, place, say):
    with Kinto(place) as server:
        time.sleep(1)
        say(measure="idle", work="idle server", mode=MODE, unit="MiB", figure=server.resident_bytes() / 1048576)


ROWS = {"push": push, "serve": serve, "change": change, "devices": devices, "memory": memory}

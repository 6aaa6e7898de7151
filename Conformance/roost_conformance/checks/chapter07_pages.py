"""§7.1 The request, §7.2 Pages, §7.3 No echo, and §7.4 Waiting."""
from __future__ import annotations

import concurrent.futures
import time
from typing import List, Tuple

from .. import schemas
from ..actors import Device, Run, Scope
from ..expectations import expect, expect_equal, expect_error, expect_status, readable
from ..messages import Record
from ..requirements import NotTested, requirement
from ..wire import JSON, PROTOBUF, Reply
from .chapter03_requests import head

WAIT = 8


def ids(records: List[Record]) -> List[bytes]:
    return [record.id for record in records]


@requirement("7.1", 1, "a pull without since, or with an empty one, gives everything", both=True)
def everything(run: Run) -> None:
    owner = run.scope().owner
    change = owner.person()
    owner.push([change])
    for parameters in ("", "?since="):
        page = owner.read_page(owner.request("GET", "/v1/pull" + parameters, headers={"Accept": run.encoding}))
        expect_equal(page.records, [Record(1, change.record, change.stamp, change.put)], "the records")


@requirement("7.1", 2, "a pull with a checkpoint gives what changed after it", both=True)
def since(run: Run) -> None:
    scope = run.scope()
    owner, other = scope.owner, scope.join()
    changes = [owner.person() for _ in range(3)]
    owner.push([changes[0]])
    other.pull()
    owner.push([changes[1]], [changes[2]])
    expect_equal(ids(other.page().records), [changes[1].record, changes[2].record], "the records")


@requirement("7.1", 3, "a checkpoint is 1 to 64 bytes, and works again, also when it is old", both=True)
def checkpoints(run: Run) -> None:
    scope = run.scope()
    owner, other = scope.owner, scope.join()
    seen = []
    for _ in range(3):
        owner.push([owner.person()])
        seen.append(other.page().checkpoint)
        other.pull()
    for index, checkpoint in enumerate(seen):
        expect(1 <= len(checkpoint) <= 64, f"a checkpoint has {len(checkpoint)} bytes")
        expect_equal(len(other.page(checkpoint).records), 2 - index, "the number of records")


@requirement("7.1", 4, "a since that is not hexadecimal, or not of this server and scope, is a bad_request", both=True)
def bad_since(run: Run) -> None:
    owner, other = run.scope().owner, run.scope().owner
    mine, theirs = owner.page(b"").checkpoint, other.page(b"").checkpoint
    for text in ("x", "0", "zz", theirs.hex(), mine.hex()[:-2], mine.hex() + "00",
                 (mine[:-1] + bytes([mine[-1] ^ 1])).hex(),
                 bytes([mine[0] ^ 1]).hex() + mine.hex()[2:], "00" * 40, "00" * 65):
        expect_error(owner.request("GET", f"/v1/pull?since={text}"), 400, "bad_request")


@requirement("7.1", 5, "wait is 0 to 55 seconds, and limit at least 1: others are a bad_request")
def bounds(run: Run) -> None:
    owner, most = run.scope().owner, run.limit("waitSecondsMax")
    for parameters in (f"?wait={most + 1}", "?limit=0", "?wait=", "?limit=", "?wait=1.5"):
        expect_error(owner.request("GET", "/v1/pull" + parameters), 400, "bad_request")
    owner.push([owner.person()])
    for parameters in (f"?wait={most}", "?wait=0", "?limit=1", "?limit=1073741824", "?ahead=1", "?ahead=0",
                       "?identifiers=1", "?identifiers=0"):
        expect_status(owner.request("GET", "/v1/pull" + parameters))


@requirement("7.1", 6, "a parameter that the server does not know is ignored", both=True)
def unknown_parameters(run: Run) -> None:
    owner = run.scope().owner
    owner.push([owner.person()])
    expect_equal(len(owner.page(b"", later="x", records=0).records), 1, "the number of records")


@requirement("7.2", 1, "a page has each record once, in the order of its last change, in its state now", both=True)
def order_of_records(run: Run) -> None:
    scope = run.scope()
    owner, other = scope.owner, scope.join()
    changes = [owner.person(f"{index}") for index in range(5)]
    owner.push(*[[change] for change in changes])
    edit = owner.person("edit", record=changes[1].record, base=changes[1].stamp)
    delete = owner.delete("Person", changes[0].record)
    owner.push([edit], [delete])
    expected = [Record(1, change.record, change.stamp, change.put) for change in changes[2:]]
    expected += [Record(1, edit.record, edit.stamp, edit.put, edit.base),
                 Record(1, changes[0].record, changes[0].stamp, changes[0].put, b"", delete.stamp)]
    expect_equal(other.pull(), expected, "the records")


@requirement("7.2", 2, "a page never ends within a sequence", both=True)
def whole_sequences(run: Run) -> None:
    scope = run.scope()
    owner, other = scope.owner, scope.join()
    sizes = [run.random.randrange(1, 6) for _ in range(6)]
    groups = [[owner.person() for _ in range(size)] for size in sizes]
    owner.push(*groups)
    found, limit = [], run.random.choice((1, 150, 400))
    while True:
        page = other.page(limit=limit)
        other.apply(page)
        found.append(ids(page.records))
        if not page.has_more:
            break
    ends = {sum(sizes[:count]) for count in range(len(sizes) + 1)}
    total = 0
    for part in found:
        total += len(part)
        expect(total in ends, f"a page ends after {total} records, within a transaction of {sizes}")
    expect_equal(sum(found, []), [change.record for group in groups for change in group], "the records of all pages")


@requirement("7.2", 3, "limit bounds the bytes of a page, and a sequence that alone is larger has a page of its own",
             both=True)
def limited(run: Run) -> None:
    scope = run.scope()
    owner, other = scope.owner, scope.join()
    owner.push([owner.person("x" * 300)], [owner.person("y" * 3000)], *[[owner.person("z" * 300)] for _ in range(6)])
    counts = []
    while True:
        page = other.page(limit=1000)
        other.apply(page)
        counts.append(len(page.records))
        size = sum(len(record.encode()) for record in page.records)
        expect(size <= 1000 or len(page.records) == 1, f"a page of {len(page.records)} records has {size} bytes")
        if not page.has_more:
            break
    expect_equal(sum(counts), 8, "the number of records")
    expect(len(counts) >= 4, f"the pages have {counts} records")


@requirement("7.2", 4, "a page has at most as many bytes as pageBytesMax, whatever limit says", both=True)
def largest_page(run: Run) -> None:
    scope, most, each = run.scope(), run.limit("pageBytesMax"), 100_000
    if most > 8 << 20:
        raise NotTested(f"pageBytesMax is {most}; tested up to 8 MiB")
    owner, other = scope.owner, scope.join()
    count = most // each + 3
    for start in range(0, count, 20):
        owner.push(*[[owner.person("x" * each)] for _ in range(start, min(count, start + 20))])
    page = other.page(limit=1 << 30)
    size = sum(len(record.encode()) for record in page.records)
    expect(page.has_more and size <= most, f"a page has {size} bytes of records, and hasMore is {page.has_more}")
    other.apply(page)
    expect_equal(len(page.records) + len(other.pull()), count, "the number of records")


@requirement("7.2", 5, "hasMore says whether there is more; the digest stands on the last page only", both=True)
def has_more(run: Run) -> None:
    scope = run.scope()
    owner, other = scope.owner, scope.join()
    owner.push(*[[owner.person()] for _ in range(4)])
    seen = []
    for _ in range(10):
        page = other.page(limit=1)
        other.apply(page)
        seen.append((page.has_more, bool(page.digest)))
        if not page.has_more:
            break
    expect_equal(seen, [(True, False)] * 3 + [(False, True)], "hasMore and digest of the pages")


@requirement("7.2", 6, "checkpoint is where the page ends: the pages of one pull give every record", both=True)
def pages_of_a_pull(run: Run) -> None:
    scope = run.scope()
    owner, other = scope.owner, scope.join()
    changes = [owner.person() for _ in range(12)]
    owner.push(*[[change] for change in changes])
    found = other.pull(limit=run.random.randrange(1, 500))
    expect_equal(ids(found), [change.record for change in changes], "the records")
    expect_equal(other.page().records, [], "the records after the last page")


@requirement("7.2", 7, "a page in JSON over pageBytesMax comes in chunks, without Content-Length, not compressed")
def page_in_chunks(run: Run) -> None:
    owner = large_transaction(run)
    reply = owner.request("GET", "/v1/pull", headers={"Accept-Encoding": "gzip, zstd"})
    expect_equal(expect_status(reply).header("Transfer-Encoding"), "chunked", "Transfer-Encoding", reply)
    expect_equal((reply.header("Content-Length"), reply.header("Content-Encoding")), ("", ""),
                 "Content-Length and Content-Encoding", reply)
    expect_equal(len(readable(lambda: owner.read_page(reply), reply).records), len(owner.slots),
                 "the number of records")


@requirement("7.2", 8, "to a client of HTTP/1.0 a page in chunks ends with the connection")
def page_of_http_1_0(run: Run) -> None:
    owner = large_transaction(run)
    data = head(owner, "GET", "/v1/pull").replace(b"HTTP/1.1", b"HTTP/1.0")
    reply, is_closed = run.server.raw(data)
    expect_equal(expect_status(reply).header("Transfer-Encoding"), "", "Transfer-Encoding", reply)
    expect_equal(len(readable(lambda: owner.read_page(reply), reply).records), len(owner.slots),
                 "the number of records")
    expect(is_closed, "the connection stays open", reply)


def large_transaction(run: Run) -> Device:
    """A device that has pushed one transaction that is larger than a page."""
    owner, most = run.scope().owner, run.limit("pageBytesMax")
    if most > 3 << 20:
        raise NotTested(f"pageBytesMax is {most}; tested up to 3 MiB")
    owner.encoding = PROTOBUF
    owner.push([owner.person("x" * 100_000) for _ in range(most // 100_000 + 2)])
    owner.encoding = JSON
    return owner


@requirement("7.2", 11, "schemaVersion is the version in force", both=True)
def schema_version(run: Run) -> None:
    owner = run.scope().owner
    expect_equal(owner.page().schema_version, 1, "schemaVersion")
    expect_status(owner.request("PUT", "/v1/schema", {"schema": schemas.text(schemas.changed(2))}))
    expect_equal(owner.page().schema_version, 2, "schemaVersion after a publication")


@requirement("7.3", 1, "a replica is not sent what it wrote itself after its checkpoint", both=True)
def no_echo(run: Run) -> None:
    scope = run.scope()
    owner, other = scope.owner, scope.join()
    owner.pull(), other.pull()
    first = owner.person()
    owner.push([first])
    owner.push([owner.person("edit", record=first.record, base=first.stamp)])
    expect_equal(owner.pull(), [], "the records for the author")
    expect_equal(ids(other.pull()), [first.record], "the records for another")


@requirement("7.3", 2, "a change that was pushed without a checkpoint comes back to its author", both=True)
def echo_without_a_checkpoint(run: Run) -> None:
    owner = run.scope().owner
    owner.pull()
    change = owner.person()
    owner.push([change], checkpoint=b"")
    expect_equal(ids(owner.pull()), [change.record], "the records")


@requirement("7.3", 3, "a record that another changed after the checkpoint of the push is sent to both", both=True)
def both_changed(run: Run) -> None:
    scope = run.scope()
    owner, other = scope.owner, scope.join()
    first = owner.person()
    owner.push([first])
    owner.pull(), other.pull()
    edit = owner.person("a", record=first.record, base=first.stamp)
    owner.push([edit])
    other.clock.receive(edit.stamp)
    other.push([other.person("b", record=first.record, base=first.stamp)])
    expect_equal((ids(owner.pull()), ids(other.pull())), ([first.record], [first.record]), "the records for both")


@requirement("7.3", 4, "an edit of a record that its author had is not sent back to it", both=True)
def edit_of_a_known_record(run: Run) -> None:
    scope = run.scope()
    owner, other = scope.owner, scope.join()
    first = owner.person()
    owner.push([first])
    other.pull()
    other.push([other.person("edit", record=first.record, base=first.stamp)])
    expect_equal(other.pull(), [], "the records for the author")
    expect_equal(ids(owner.pull()), [first.record], "the records for another")


@requirement("7.3", 5, "a pull without since sends own changes, too, up to the sequence of then", both=True)
def own_changes(run: Run) -> None:
    scope = run.scope()
    owner = scope.owner
    owner.pull()
    changes = [owner.person() for _ in range(4)]
    owner.push(*[[change] for change in changes])
    owner.checkpoint = b""
    found: List[bytes] = []
    for _ in range(10):
        page = owner.page(limit=1)
        owner.apply(page)
        found += ids(page.records)
        if not page.has_more:
            break
    expect_equal(found, [change.record for change in changes], "the records")
    owner.push([owner.person()])
    expect_equal(owner.pull(), [], "the own records after that")


@requirement("7.3", 6, "the author of one replica of a device is not that of another", both=True)
def echo_to_a_renewal(run: Run) -> None:
    owner = run.scope().owner
    owner.pull()
    reply = owner.request("POST", "/v1/replica/renew", {"reason": "a test", "nonce": run.nonce()})
    new = Device(run, expect_status(reply, 201).json())
    new.pull()
    change = owner.person()
    owner.push([change])
    expect_equal(ids(new.pull()), [change.record], "the records")


def waiting(scope: Scope, device: Device, action: str) -> Tuple[Reply, float]:
    """Lets a device wait for a page while something is done. Returns the reply, and the seconds until it came."""
    owner = scope.owner
    device.pull()
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        future = pool.submit(device.get_page, wait=WAIT, timeout=WAIT + 10)
        time.sleep(0.4)
        begin = time.monotonic()
        if action == "push":
            owner.push([owner.person()])
        elif action == "schema":
            expect_status(owner.request("PUT", "/v1/schema", {"schema": schemas.text(schemas.changed(2))}))
        elif action == "revoke":
            expect_status(owner.request("POST", f"/v1/devices/{device.name}/revoke"))
        reply = future.result()
        return reply, time.monotonic() - begin


def expect_soon(seconds: float, reply: Reply) -> None:
    expect(seconds < WAIT / 2, f"the answer came after {seconds:.1f} s", reply)


@requirement("7.4", 1, "a waiting pull is answered as soon as there is something for its replica", both=True)
def wait_for_a_push(run: Run) -> None:
    scope = run.scope()
    device = scope.join()
    reply, seconds = waiting(scope, device, "push")
    expect_equal(len(device.read_page(expect_status(reply)).records), 1, "the number of records", reply)
    expect_soon(seconds, reply)


@requirement("7.4", 2, "a waiting pull is answered, with the new schemaVersion, as soon as a schema is published",
             both=True)
def wait_for_a_schema(run: Run) -> None:
    scope = run.scope()
    device = scope.join()
    reply, seconds = waiting(scope, device, "schema")
    expect_equal(device.read_page(expect_status(reply)).schema_version, 2, "schemaVersion", reply)
    expect_soon(seconds, reply)


@requirement("7.4", 3, "a waiting pull is answered revoked, at once, when its access is taken away", both=True)
def wait_for_a_revocation(run: Run) -> None:
    scope = run.scope()
    reply, seconds = waiting(scope, scope.join(), "revoke")
    expect_error(reply, 401, "revoked")
    expect_soon(seconds, reply)


@requirement("7.4", 4, "a waiting pull is held until its time is up, and is an empty page then", both=True)
def wait_in_vain(run: Run) -> None:
    device = run.scope().join()
    device.pull()
    begin = time.monotonic()
    reply = expect_status(device.get_page(wait=2))
    seconds = time.monotonic() - begin
    expect_equal(device.read_page(reply).records, [], "the records", reply)
    expect(1.5 <= seconds < 12, f"a pull that waits 2 s is answered after {seconds:.1f} s", reply)


@requirement("7.4", 5, "a pull with wait is answered at once where there is something", both=True)
def no_wait(run: Run) -> None:
    scope = run.scope()
    device = scope.join()
    scope.owner.push([scope.owner.person()])
    begin = time.monotonic()
    reply = expect_status(device.get_page(wait=WAIT))
    expect_equal(len(device.read_page(reply).records), 1, "the number of records", reply)
    expect_soon(time.monotonic() - begin, reply)


@requirement("7.4", 6, "own changes do not end a wait: the page would be empty", both=True)
def wait_over_an_own_push(run: Run) -> None:
    device = run.scope().join()
    device.pull()
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        future = pool.submit(device.get_page, wait=2)
        time.sleep(0.4)
        begin = time.monotonic()
        device.push([device.person()])
        page = device.read_page(expect_status(future.result()))
    expect_equal(page.records, [], "the records")
    expect(time.monotonic() - begin > 1, "the wait ended with the push of the waiting replica")


@requirement("7.4", 7, "a replica may have as many pulls waiting as the limit says; one more is a 429")
def waiting_pulls(run: Run) -> None:
    device, most = run.scope().join(), run.limit("waitsPerReplicaMax")
    if most > 8:
        raise NotTested(f"waitsPerReplicaMax is {most}; tested up to 8")
    device.pull()
    with concurrent.futures.ThreadPoolExecutor(most) as pool:
        futures = [pool.submit(device.get_page, wait=2) for _ in range(most)]
        time.sleep(0.7)
        begin = time.monotonic()
        reply = run.server.request("GET", f"/v1/pull?since={device.checkpoint.hex()}&wait=2", device.token)
        error = expect_error(reply, 429, "too_many_requests")
        expect(time.monotonic() - begin < 1, "the answer was held", reply)
        expect(isinstance(error.get("retryAfter"), int), "there is no retryAfter", reply)
        for future in futures:
            expect_status(future.result())

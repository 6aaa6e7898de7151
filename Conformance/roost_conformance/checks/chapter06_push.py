"""§6.1 The request, §6.3 Number, hash, repetition, and §6.8 A page with the reply."""
from __future__ import annotations

import hashlib
import time
from typing import Optional

from ..actors import Device, Run
from ..compression import gzipped, zstd_frame
from ..expectations import expect, expect_equal, expect_error, expect_status
from ..messages import Change, Transaction
from ..requirements import requirement
from ..wire import JSON, PROTOBUF, Reply, query


def role(device: Device, owner: Device, name: str) -> None:
    expect_status(owner.request("POST", f"/v1/devices/{device.name}/role", {"role": name}))


def revoke(device: Device, owner: Device) -> None:
    expect_status(owner.request("POST", f"/v1/devices/{device.name}/revoke"))


def ask(device: Device, number: int, body: Optional[bytes], accepted: str = "") -> Reply:
    """Asks for the reply to a push by its number and body."""
    digest = hashlib.sha256(body).hexdigest() if body is not None else None
    return device.request("GET", "/v1/push" + query(number=number, hash=digest), headers={"Accept": accepted or JSON})


@requirement("6.1", 1, "a push that is refused whole stores nothing, and its number is not used up", both=True)
def refused_whole(run: Run) -> None:
    owner = run.scope().owner
    foreign = owner.person(stamp=bytes(5) + b"\x01" + bytes(10))
    expect_error(owner.send(owner.next_push([owner.person()], [foreign])), 403, "foreign_stamp")
    expect_equal(owner.everything(), [], "the records")
    expect_equal(owner.request("GET", "/v1/me").json()["lastPush"], 0, "lastPush")
    owner.push([owner.person()])


@requirement("6.1", 3, "a token that is not known is unauthorized, and comes before all else")
def token_first(run: Run) -> None:
    owner = run.scope().owner
    reply = run.stranger("POST", "/v1/push?since=x&since=y", owner.token[:-7] + "0" * 7, b"\xff",
                         {"Content-Type": "text/plain"})
    expect_error(reply, 401, "unauthorized")


@requirement("6.1", 4, "revoked comes before all else that is wrong with a request", both=True)
def revoked_first(run: Run) -> None:
    scope = run.scope()
    device = scope.join()
    revoke(device, scope.owner)
    for reply in (device.send(b"\xff", "?since=x&since=y"),
                  device.send(b"\xff", headers={"Content-Type": "text/plain"}),
                  device.request("GET", "/v1/pull?wait=x"), device.request("GET", "/v1/me"),
                  device.send(b"x", headers={"Content-Encoding": "br"})):
        expect_error(reply, 401, "revoked")


@requirement("6.1", 5, "type and parameters are looked at before the role", both=True)
def type_before_role(run: Run) -> None:
    viewer = run.scope().join("viewer")
    expect_error(viewer.send(b"x", headers={"Content-Type": "text/plain"}), 415, "unsupported_media_type")
    expect_error(viewer.send(b"x", "?since=&limit=01"), 400, "bad_request")
    expect_error(viewer.send(b"x", "?since=x"), 400, "bad_request")


@requirement("6.1", 6, "the role is looked at before the body: a viewer's push is forbidden, whatever is in it",
             both=True)
def role_before_body(run: Run) -> None:
    viewer = run.scope().join("viewer")
    for body in (b"x", b"", viewer.seal(viewer.next_push([viewer.person()]))):
        expect_error(viewer.send(body), 403, "forbidden")


@requirement("6.1", 7, "a viewer gets the stored reply to the push that it sent last as an editor", both=True)
def reply_to_a_viewer(run: Run) -> None:
    scope = run.scope()
    device = scope.join()
    sealed = device.seal(device.next_push([device.person()]))
    first = expect_status(device.send(sealed))
    role(device, scope.owner, "viewer")
    again = expect_status(device.send(sealed))
    expect_equal(again.body, first.body, "the reply", again)
    device.number = 1
    expect_error(device.send(device.next_push([device.person()])), 403, "forbidden")


@requirement("6.1", 8, "the shape of the body is looked at before the number", both=True)
def shape_before_number(run: Run) -> None:
    owner = run.scope().owner
    push = owner.next_push([owner.person()])
    push.number = 5
    push.transactions.append(Transaction([]))
    expect_error(owner.send(push), 400, "bad_request")


@requirement("6.1", 9, "the number is looked at before stamps, and stamps before what a transaction is refused for",
             both=True)
def number_before_stamps(run: Run) -> None:
    owner = run.scope().owner
    push = owner.next_push([owner.person(stamp=bytes(16))])
    push.number = 5
    expect_error(owner.send(push), 409, "server_rolled_back")
    large = owner.put("Thing", {"text": "x" * (run.limit("putBytesMax") + 1)})
    expect_error(owner.send(owner.next_push([large], [owner.person(stamp=large.stamp)])), 400, "stamps_not_increasing")


@requirement("6.1", 10, "a push has as many changes as the limit says; with one more it is too_large")
def changes_of_a_push(run: Run) -> None:
    owner, most = run.scope().owner, run.limit("changesPerPushMax")
    owner.encoding, record = PROTOBUF, run.identifier()
    deletes = [owner.delete("Person", record) for _ in range(most + 1)]
    expect_error(owner.send(owner.next_push(deletes[:most // 2], deletes[most // 2:])), 413, "too_large")
    owner.settle(owner.send(owner.next_push(deletes[1:])))


@requirement("6.1", 11, "a push may have no transaction; its number is used up", both=True)
def no_transaction(run: Run) -> None:
    owner = run.scope().owner
    expect_equal(owner.push().results, [], "the results")
    expect_equal(owner.request("GET", "/v1/me").json()["lastPush"], 1, "lastPush")
    owner.push([owner.person()])


@requirement("6.1", 12, "a transaction without a change is a bad_request of the whole push", both=True)
def no_change(run: Run) -> None:
    owner = run.scope().owner
    expect_error(owner.send(owner.next_push([owner.person()], [])), 400, "bad_request")
    expect_equal(owner.everything(), [], "the records")


@requirement("6.1", 13, "an old checkpoint is allowed, and so is none", both=True)
def old_checkpoint(run: Run) -> None:
    owner = run.scope().owner
    owner.pull()
    old = owner.checkpoint
    owner.push([owner.person()])
    owner.pull()
    owner.push([owner.person()], checkpoint=old)
    owner.push([owner.person()], checkpoint=b"")


@requirement("6.1", 14, "a checkpoint that this server did not make for this scope is a bad_request", both=True)
def foreign_checkpoint(run: Run) -> None:
    owner, other = run.scope().owner, run.scope().owner
    owner.pull(), other.pull()
    changed = bytes([owner.checkpoint[0] ^ 1]) + owner.checkpoint[1:]
    for checkpoint in (other.checkpoint, changed, owner.checkpoint[:-1], owner.checkpoint + b"\x00", b"\x00" * 65):
        push = owner.next_push([owner.person()], checkpoint=checkpoint)
        expect_error(owner.send(push), 400, "bad_request")
    owner.push([owner.person()])


@requirement("6.1", 15, "a push that is stored is answered by its bytes, where its checkpoint is refused now",
             both=True)
def repeated_with_a_checkpoint(run: Run) -> None:
    owner = run.scope().owner
    owner.pull()
    sealed = owner.seal(owner.next_push([owner.person()]))
    first = expect_status(owner.send(sealed))
    owner.pull()
    expect_equal(expect_status(owner.send(sealed)).body, first.body, "the reply")


@requirement("6.3", 1, "push n + 1 follows push n, from 1", both=True)
def counting(run: Run) -> None:
    owner = run.scope().owner
    for number in range(1, 4):
        expect_equal(owner.push([owner.person()]).number, number, "the number of the reply")


@requirement("6.3", 2, "a repeated push gets the same bytes, and changes nothing", both=True)
def repeated(run: Run) -> None:
    scope = run.scope()
    owner, other = scope.owner, scope.join()
    base = other.person()
    other.push([base])
    large = owner.put("Thing", {"text": "x" * (run.limit("putBytesMax") + 1)}, record=base.record)
    refused = Change(1, base.record, large.stamp, large.put)
    sealed = owner.seal(owner.next_push([refused], [owner.person(record=base.record)]))
    first = expect_status(owner.send(sealed))
    digest = scope.digest()
    other.push([other.person(record=base.record)])
    after = scope.digest()
    for _ in range(2):
        again = expect_status(owner.send(sealed))
        expect_equal(again.body, first.body, "the repeated reply", again)
    expect_equal(scope.digest()["sequence"], after["sequence"], "the sequence after the repetition")
    expect(digest["sequence"] + 1 == after["sequence"], "the sequence does not count the other device's push")


@requirement("6.3", 3, "the number of the last push with other bytes is replica_forked", both=True)
def forked(run: Run) -> None:
    owner = run.scope().owner
    owner.push([owner.person()])
    push = owner.next_push([owner.person()])
    push.number = 1
    expect_error(owner.send(push), 409, "replica_forked")
    expect_equal(len(owner.everything()), 1, "the number of records")


@requirement("6.3", 4, "a number before the last one is replica_forked, also with the bytes that it had", both=True)
def forked_before(run: Run) -> None:
    owner = run.scope().owner
    sealed = owner.seal(owner.next_push([owner.person()]))
    owner.settle(owner.send(sealed))
    owner.push([owner.person()])
    expect_error(owner.send(sealed), 409, "replica_forked")


@requirement("6.3", 5, "a number after the next one is server_rolled_back", both=True)
def rolled_back(run: Run) -> None:
    owner = run.scope().owner
    for number in (2, 3, (1 << 63) - 1):
        push = owner.next_push([owner.person()])
        push.number = number
        expect_error(owner.send(push), 409, "server_rolled_back")
    owner.push([owner.person()])


@requirement("6.3", 6, "a number of 0, above 2^63 − 1, or none, is refused, and stores nothing", both=True)
def numbers(run: Run) -> None:
    owner = run.scope().owner
    for number in (0, 1 << 63):
        push = owner.next_push([owner.person()])
        push.number = number
        reply = owner.send(push)
        expect(400 <= reply.status < 500, f"the status is {reply.status}", reply)
    expect_equal(owner.everything(), [], "the records")
    owner.push([owner.person()])


@requirement("6.3", 7, "the same bytes in another Content-Encoding are the same push", both=True)
def other_compression(run: Run) -> None:
    owner = run.scope().owner
    sealed = owner.seal(owner.next_push([owner.person()]))
    first = expect_status(owner.send(sealed))
    for name, body in (("gzip", gzipped(sealed)), ("zstd", zstd_frame(sealed)), ("identity", sealed)):
        fields = {"Content-Encoding": name} if name != "identity" else {}
        expect_equal(expect_status(owner.send(body, headers=fields)).body, first.body, f"the reply to {name}")


@requirement("6.3", 8, "one push in both encodings is two pushes: its bytes are its identity")
def other_encoding(run: Run) -> None:
    owner = run.scope().owner
    push = owner.next_push([owner.person()])
    owner.settle(owner.send(push))
    owner.encoding = PROTOBUF
    expect_error(owner.send(push), 409, "replica_forked")


@requirement("6.3", 9, "each replica counts for itself", both=True)
def each_replica(run: Run) -> None:
    scope = run.scope()
    other = scope.join()
    scope.owner.push([scope.owner.person()])
    expect_equal(other.push([other.person()]).number, 1, "the number of the reply")


@requirement("6.3", 10, "GET /v1/push gives the stored reply to the last push", both=True)
def asked_last(run: Run) -> None:
    owner = run.scope().owner
    sealed = owner.seal(owner.next_push([owner.person()]))
    first = expect_status(owner.send(sealed))
    reply = expect_status(ask(owner, 1, sealed, run.encoding))
    expect_equal(reply.body, first.body, "the reply", reply)


@requirement("6.3", 11, "GET /v1/push answers in the encoding that Accept names")
def asked_encoding(run: Run) -> None:
    owner = run.scope().owner
    sealed = owner.seal(owner.next_push([owner.person()]))
    first = owner.settle(owner.send(sealed))
    for accepted in (JSON, PROTOBUF):
        reply = expect_status(ask(owner, 1, sealed, accepted))
        expect_equal(reply.header("Content-Type"), accepted, "Content-Type", reply)
        expect_equal(owner.read_push_reply(reply), first, "the reply", reply)


@requirement("6.3", 12, "GET /v1/push is 204 without a body for a push that has not come", both=True)
def asked_next(run: Run) -> None:
    owner = run.scope().owner
    for number in (1, 2, 7):
        reply = expect_status(ask(owner, number, b"a"), 204)
        expect_equal(reply.raw, b"", "the body", reply)
    sealed = owner.seal(owner.next_push([owner.person()]))
    owner.settle(owner.send(sealed))
    expect_status(ask(owner, 2, sealed), 204)


@requirement("6.3", 13, "GET /v1/push is replica_forked for an earlier push, and for another one under the last number",
             both=True)
def asked_other(run: Run) -> None:
    owner = run.scope().owner
    sealed = [owner.seal(owner.next_push([owner.person()]))]
    owner.settle(owner.send(sealed[0]))
    sealed.append(owner.seal(owner.next_push([owner.person()])))
    owner.settle(owner.send(sealed[1]))
    expect_error(ask(owner, 1, sealed[0]), 409, "replica_forked")
    expect_error(ask(owner, 2, sealed[0]), 409, "replica_forked")
    expect_status(ask(owner, 2, sealed[1]))


@requirement("6.3", 14, "GET /v1/push with a hash that is none, or a number of another form, is a bad_request")
def asked_badly(run: Run) -> None:
    owner = run.scope().owner
    for parameters in ("?number=1&hash=00", "?number=1&hash=" + "x" * 64, "?number=x&hash=" + "0" * 64,
                       "?hash=" + "0" * 64, "?number=0&hash=" + "0" * 64, "?number=-1&hash=" + "0" * 64):
        expect_error(owner.request("GET", "/v1/push" + parameters), 400, "bad_request")


@requirement("6.8", 1, "with since, the reply has the page of a pull that was made after the push was stored",
             both=True)
def page_with_a_reply(run: Run) -> None:
    scope = run.scope()
    owner, other = scope.owner, scope.join()
    owner.pull()
    theirs = other.person("Bob")
    other.push([theirs])
    page = owner.push([owner.person()], parameters=f"?since={owner.checkpoint.hex()}").page
    expect(page, "the reply has no page")
    assert page is not None
    expect_equal([record.id for record in page.records], [theirs.record], "the records of the page")
    owner.apply(page)
    expect_equal(page.digest.hex(), scope.digest()["digest"], "the digest of the page")
    expect_equal(owner.pull(), [], "the records after the page")


@requirement("6.8", 2, "an empty since is for everything", both=True)
def page_of_everything(run: Run) -> None:
    owner = run.scope().owner
    first, second = owner.person(), owner.person()
    owner.push([first])
    page = owner.push([second], parameters="?since=").page
    found = {record.id for record in page.records} if page else None
    expect_equal(found, {first.record, second.record}, "the records of the page")


@requirement("6.8", 3, "limit may stand beside since, and makes the page smaller", both=True)
def limited_page(run: Run) -> None:
    owner = run.scope().owner
    owner.push([owner.person()], [owner.person()])
    page = owner.push([owner.person()], parameters="?since=&limit=1").page
    expect_equal(page and (len(page.records), page.has_more), (1, True), "the records of the page, and hasMore")


@requirement("6.8", 4, "wait has no effect on a push", both=True)
def page_that_waits(run: Run) -> None:
    owner, begin = run.scope().owner, time.monotonic()
    owner.pull()
    page = owner.push([owner.person()], parameters=f"?since={owner.checkpoint.hex()}&wait=20").page
    expect(page is None or not page.records, "the page has records")
    expect(time.monotonic() - begin < 10, "the reply was held")


@requirement("6.8", 5, "the page is no part of the push: a repetition gets the stored reply, with any page or none",
             both=True)
def repeated_with_a_page(run: Run) -> None:
    scope = run.scope()
    owner, other = scope.owner, scope.join()
    owner.pull()
    parameters = f"?since={owner.checkpoint.hex()}"
    sealed = owner.seal(owner.next_push([owner.person()]))
    first = owner.settle(owner.send(sealed, parameters))
    other.push([other.person()])
    again = owner.read_push_reply(expect_status(owner.send(sealed, parameters)))
    plain = owner.read_push_reply(expect_status(owner.send(sealed)))
    expect_equal(plain.page, None, "the page of a repetition without since")
    first.page = again.page = None
    expect_equal((again, plain), (first, first), "the repeated replies")
    expect_equal(owner.read_push_reply(ask(owner, 1, sealed, run.encoding)), first, "the stored reply")


@requirement("6.8", 6, "without since a reply has no page", both=True)
def no_page(run: Run) -> None:
    owner = run.scope().owner
    expect_equal(owner.push([owner.person()]).page, None, "the page")


@requirement("6.8", 7, "where no page can be given, the push is stored all the same", both=True)
def page_that_cannot_be_given(run: Run) -> None:
    owner = run.scope().owner
    other = run.scope().owner
    other.pull()
    reply = owner.send(owner.next_push([owner.person()]), f"?since={other.checkpoint.hex()}")
    if reply.status == 200:
        expect_equal(owner.settle(reply).page, None, "the page", reply)
        expect_equal(len(owner.everything()), 1, "the number of records")
    else:
        expect_error(reply, 400, "bad_request")
        expect_equal(owner.everything(), [], "the records")

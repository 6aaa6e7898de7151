"""§5.1 All requests, and §5.2 Two encodings."""
from __future__ import annotations

import hashlib
import time

from ..actors import Run
from ..expectations import expect, expect_equal, expect_error, expect_members, expect_status
from ..requirements import not_tested, requirement
from ..wire import JSON, PROTOBUF

LIMITS = (
    "bodyBytesMax", "decompressedBytesMax", "compressionRatioMax", "changesPerPushMax", "changesPerTransactionMax",
    "transactionBytesMax", "putBytesMax", "propertiesPerRecordMax", "clockAheadMillisecondsMax", "pageBytesMax",
    "currentBytesMax", "waitSecondsMax", "waitsPerReplicaMax", "replicasPerScopeMax", "renewalsPerDayMax",
    "openInvitesPerScopeMax", "recordsPerScopeMax", "bytesPerScopeMax", "transactionsPerScopeMax",
    "stagedBytesPerScopeMax", "requestsPerSecond", "requestsBurst", "changesPerHourMax", "unauthenticatedPerMinute",
    "recordsPerRecoverMax", "horizonDays", "inviteHoursMax", "schemaBytesMax", "nameCharactersMax")


@requirement("5.1", 1, "GET /v1/health says that the server answers")
def health(run: Run) -> None:
    reply = expect_status(run.send("GET", "/v1/health"))
    expect_equal(expect_members(reply, "status", "serverTime")["status"], "ok", "status", reply)


not_tested("5.1", 2, "GET /v1/health has status 503 while the server cannot store, or its data is damaged",
           "needs a full disk or damaged data")


@requirement("5.1", 3, "GET /v1/version states every limit that §10 marks, each a whole number")
def limits(run: Run) -> None:
    reply = expect_status(run.send("GET", "/v1/version"))
    stated = expect_members(reply, "server", "protocol", "limits")["limits"]
    for name in LIMITS:
        value = stated.get(name)
        expect(isinstance(value, int) and not isinstance(value, bool) and value >= 0, f"{name} is {value!r}", reply)


@requirement("5.1", 4, "every JSON reply has serverTime, which is a clock's")
def server_time(run: Run) -> None:
    scope = run.scope()
    owner, other, begin = scope.owner, scope.join(), time.monotonic()
    invite = owner.request("POST", "/v1/invites", {"role": "viewer"})
    schema = {"schema": scope.registration["schema"]}
    replies = [invite, owner.send(owner.next_push([owner.person()])),
               owner.request("DELETE", f"/v1/invites/{invite.json()['id']}"),
               owner.request("PUT", "/v1/schema", schema),
               owner.request("POST", f"/v1/devices/{other.name}/role", {"role": "viewer"}), owner.send_recovery([]),
               owner.request("POST", f"/v1/devices/{other.name}/revoke"), owner.get_page(b"", JSON),
               run.send("POST", "/v1/token/known", body={"hashes": [hashlib.sha256(owner.token.encode()).hexdigest()]})]
    for path in ("health", "version", "invites", "devices", "me", "schema", "digest", "pull"):
        replies.append(owner.request("GET", "/v1/" + path))
    replies.append(owner.request("POST", "/v1/replica/renew", {"reason": "a test", "nonce": run.nonce()}))
    replies.append(owner.request("POST", "/v1/token/rotate"))
    times = []
    for reply in replies:
        expect(reply.status < 300, f"the status is {reply.status}", reply)
        value = expect_members(reply, "serverTime")["serverTime"]
        expect(isinstance(value, int), f"serverTime is {value!r}", reply)
        times.append(int(value))
    passed = (time.monotonic() - begin) * 1000
    expect(max(times) - min(times) <= passed + 2000,
           f"serverTime moves by {max(times) - min(times)} ms in {passed:.0f} ms")


@requirement("5.1", 5, "a request without a token is unauthorized, and a token in its URL counts for nothing")
def token_in_url(run: Run) -> None:
    owner = run.scope().owner
    reply = run.stranger("GET", f"/v1/me?token={owner.token}&access_token={owner.token}")
    expect_error(reply, 401, "unauthorized")


@requirement("5.1", 6, "the scope and the replica follow from the token")
def scope_of_a_token(run: Run) -> None:
    for device in (run.scope().owner, run.scope().join("viewer")):
        me = expect_status(device.request("GET", "/v1/me")).json()
        expect_equal(me["replica"], device.name, "replica")


@requirement("5.2", 1, "the reply to a push and to a recovery has the type of the request", both=True)
def types_of_replies(run: Run) -> None:
    owner = run.scope().owner
    for reply in (owner.send(owner.next_push([owner.person()])), owner.send_recovery([])):
        expect_equal(expect_status(reply).header("Content-Type").split(";")[0], run.encoding, "Content-Type", reply)


@requirement("5.2", 2, "Accept names the type of the reply to a push", both=True)
def accepted_types(run: Run) -> None:
    owner = run.scope().owner
    for accepted in (JSON, PROTOBUF):
        reply = owner.send(owner.next_push([owner.person()]), headers={"Accept": accepted})
        owner.settle(reply)
        expect_equal(reply.header("Content-Type"), accepted, "Content-Type", reply)


@requirement("5.2", 3, "a page is JSON unless Accept names Protocol Buffers")
def types_of_pages(run: Run) -> None:
    owner = run.scope().owner
    for accepted, expected in (("", JSON), ("*/*", JSON), ("text/html", JSON), (JSON, JSON), (PROTOBUF, PROTOBUF)):
        reply = owner.request("GET", "/v1/pull", headers={"Accept": accepted} if accepted else {})
        expect_equal(expect_status(reply).header("Content-Type"), expected, f"Content-Type for Accept: {accepted}",
                     reply)


@requirement("5.2", 4, "the first of both types in Accept counts, whatever its weight")
def weights(run: Run) -> None:
    owner = run.scope().owner
    for accepted, expected in ((f"{PROTOBUF};q=0.1, {JSON};q=0.9", PROTOBUF), (f"{JSON};q=0.1, {PROTOBUF}", JSON),
                               (f"text/html, {PROTOBUF}, */*", PROTOBUF)):
        reply = owner.request("GET", "/v1/pull", headers={"Accept": accepted})
        expect_equal(expect_status(reply).header("Content-Type"), expected, f"Content-Type for Accept: {accepted}",
                     reply)


@requirement("5.2", 5, "push and recovery in another type, and all else in a type that is not JSON, are a 415")
def other_types(run: Run) -> None:
    owner = run.scope().owner
    body = owner.seal(owner.next_push([owner.person()]))
    for path in ("/v1/push", "/v1/recover"):
        for name in ("text/plain", "application/protobuf", "application/x-www-form-urlencoded"):
            reply = owner.request("POST", path, body, {"Content-Type": name})
            expect_error(reply, 415, "unsupported_media_type")
    for path in ("/v1/invites", "/v1/replica/renew"):
        for name in (PROTOBUF, "text/plain"):
            reply = owner.request("POST", path, b'{"role":"viewer"}', {"Content-Type": name})
            expect_error(reply, 415, "unsupported_media_type")
    owner.settle(owner.send(body))


@requirement("5.2", 6, "both encodings say the same of one scope")
def encodings_agree(run: Run) -> None:
    owner = run.scope().owner
    first, second = owner.person(), owner.put("Thing", {"text": "a", "whole": 5, "json": [1], "data": "YQ=="})
    owner.push([first, second], [owner.delete("Person", first.record)])
    pages = [owner.read_page(owner.get_page(b"", encoding)) for encoding in (JSON, PROTOBUF)]
    expect_equal(pages[0].records, pages[1].records, "the records in JSON")
    expect_equal(pages[0].digest, pages[1].digest, "the digest in JSON")

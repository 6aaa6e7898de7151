"""§9 Errors."""
from __future__ import annotations

import re
from typing import Dict, List, Tuple

from ..actors import Run
from ..expectations import expect, expect_equal, expect_error, expect_error_form, expect_members, expect_status
from ..messages import Record
from ..requirements import NotTested, not_tested, requirement
from ..wire import JSON, PROTOBUF, Reply
from .chapter03 import push_text
from .chapter03_requests import head

REQUEST = re.compile(r"[0-9a-f]{16}\Z")


def errors(run: Run) -> List[Tuple[str, Reply]]:
    """An error of each kind that requests of a valid device bring."""
    scope = run.scope()
    owner, viewer = scope.owner, scope.join("viewer")
    revoked = scope.join()
    expect_status(owner.request("POST", f"/v1/devices/{revoked.name}/revoke"))
    late = owner.next_push([owner.person()])
    late.number = 5
    lost = Record(1, run.identifier(), delete_stamp=bytes(15) + b"\x01")
    return [("bad_request", owner.send("{")), ("not_found", owner.request("GET", "/v1/nothing")),
            ("method_not_allowed", owner.request("PUT", "/v1/pull")),
            ("forbidden", viewer.request("GET", "/v1/invites")), ("revoked", revoked.request("GET", "/v1/me")),
            ("unsupported_media_type", owner.send("{}", headers={"Content-Type": "text/plain"})),
            ("server_rolled_back", owner.send(late)),
            ("not_recovering", owner.send_recovery([lost])),
            ("last_owner", owner.request("POST", f"/v1/devices/{owner.name}/revoke")),
            ("schema_conflict", owner.request("PUT", "/v1/schema", {"schema": scope.registration["schema"] + " "})),
            ("schema_invalid", owner.request("PUT", "/v1/schema", {"schema": "{"})),
            ("too_large", owner.request("POST", "/v1/invites", "x" * 20_000, {"Content-Type": JSON})),
            ("too_large", owner.request("GET", "/v1/me", headers={"X-Long": "x" * 20_000}))]


@requirement("9", 1, "a reply that is not 2xx has a JSON body with code, message and serverTime, whatever was accepted")
def bodies(run: Run) -> None:
    for code, reply in errors(run):
        expect_equal(reply.code, code, "the code", reply)
        expect_equal(reply.header("Content-Type").split(";")[0], JSON, "Content-Type", reply)
        expect_error_form(reply)
    owner = run.scope().owner
    reply = owner.request("GET", "/v1/pull?since=x", headers={"Accept": PROTOBUF})
    expect_equal(reply.header("Content-Type").split(";")[0], JSON, "Content-Type", reply)
    expect_error(reply, 400, "bad_request")


STATUSES: Dict[str, int] = {
    "bad_request": 400, "schema_invalid": 400, "revoked": 401, "forbidden": 403, "not_found": 404,
    "method_not_allowed": 405, "server_rolled_back": 409, "schema_conflict": 409, "last_owner": 409,
    "unsupported_media_type": 415, "not_recovering": 409}


@requirement("9", 2, "each code has its status")
def statuses(run: Run) -> None:
    for code, reply in errors(run):
        expected = {STATUSES[code]} if code in STATUSES else {413, 431}
        expect(reply.status in expected, f"{code} has the status {reply.status}", reply)


@requirement("9", 3, "the message has no token, and no content of records but the name or value at fault")
def messages(run: Run) -> None:
    owner = run.scope().owner
    secret = "correct horse battery staple"
    for put in ('{"text":"%s","later":1}', '{"text":"%s","whole":"x"}', '{"text":"%s","day":""}'):
        reply = owner.send(push_text(owner, put.replace("%s", secret)))
        error = expect_error(reply, 400, "bad_request")
        expect(secret not in error["message"], "the message has content of the record", reply)
    for reply in (owner.request("POST", "/v1/token/rotate", {"token": owner.token + "x"}),
                  owner.request("GET", f"/v1/pull?since={owner.token}"), owner.request("GET", f"/v1/{owner.token}")):
        expect(reply.status >= 400 and owner.token.encode() not in reply.raw, "the reply has the token", reply)


@requirement("9", 4, "requestID names a request for the operator: it is another each time")
def request_ids(run: Run) -> None:
    owner = run.scope().owner
    seen = [expect_error(owner.request("GET", "/v1/nothing"), 404, "not_found").get("requestID") for _ in range(3)]
    expect(all(isinstance(name, str) and name for name in seen), f"requestID is {seen[0]!r}")
    expect_equal(len(set(seen)), 3, "the number of different requestIDs")


@requirement("9", 5, "a reply to what is no HTTP is an error without requestID, and the connection is closed")
def no_http(run: Run) -> None:
    for data in (b"hello\r\n\r\n", b"\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03\r\n\r\n",
                 b"GET /v1/me HTTP/1.1\r\nbad field\r\n\r\n"):
        reply, is_closed = run.server.raw(data)
        error = expect_error(reply, 400, "bad_request")
        expect("requestID" not in error, "the error has a requestID", reply)
        expect(is_closed, "the connection stays open", reply)


@requirement("9", 6, "the connection is closed after 413 and 415")
def closed_after(run: Run) -> None:
    owner = run.scope().owner
    large = head(owner, "POST", "/v1/push", "Content-Type: application/json",
                 f"Content-Length: {run.limit('bodyBytesMax') + 1}") + b" " * 1000
    other = head(owner, "POST", "/v1/push", "Content-Type: text/plain", "Content-Length: 1000") + b" " * 100
    for status, data in ((413, large), (415, other)):
        reply, is_closed = run.server.raw(data, "POST")
        expect_status(reply, status)
        expect_error_form(reply)
        expect(is_closed, "the connection stays open", reply)


@requirement("9", 7, "retryAfter stands in the body and in the header Retry-After, in whole seconds")
def retry_after(run: Run) -> None:
    device, most = run.scope().owner, run.limit("renewalsPerDayMax")
    if most > 30:
        raise NotTested(f"renewalsPerDayMax is {most}; tested up to 30")
    for _ in range(most + 1):
        body = {"reason": "a test", "nonce": run.nonce()}
        reply = run.server.request("POST", "/v1/replica/renew", device.token, body)
    error = expect_error(reply, 429, "too_many_requests")
    expect(isinstance(error.get("retryAfter"), int) and error["retryAfter"] >= 1,
           f"retryAfter is {error.get('retryAfter')!r}", reply)
    expect_equal(reply.header("Retry-After"), str(error["retryAfter"]), "Retry-After", reply)


@requirement("9", 8, "code stands with a push in either encoding: errors are JSON", both=True)
def errors_of_pushes(run: Run) -> None:
    owner = run.scope().owner
    push = owner.next_push([owner.person()])
    push.number = 3
    reply = owner.send(push)
    expect_error(reply, 409, "server_rolled_back")
    expect_members(reply, "error")


not_tested("9", 9, "internal_error, stopping and storage_unavailable say what is wrong with the server",
           "needs a server that fails or stops")

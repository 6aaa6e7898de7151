"""§8 Names, nonces and bodies, §8.1 Making a scope, and §8.2 Invites and joining."""
from __future__ import annotations

import uuid
from typing import Any, Dict

from .. import schemas
from ..actors import Device, Run
from ..expectations import expect, expect_equal, expect_error, expect_members, expect_status
from ..hashing import is_token, make_token
from ..messages import Record
from ..requirements import NotTested, not_tested, requirement
from ..wire import JSON, Reply

HOUR = 3_600_000


def make(run: Run, **members: Any) -> Reply:
    """Asks for a scope with these members in place of usual ones. A member that is None is left out."""
    body: Dict[str, Any] = {"name": "Lisbon", "device": "Ana", "nonce": run.nonce(), "schema": schemas.trip(),
                            **members}
    return run.send("POST", "/v1/scopes", run.admin_token, {n: v for n, v in body.items() if v is not None})


def join(run: Run, invite: str, **members: Any) -> Reply:
    body: Dict[str, Any] = {"invite": invite, "device": "Bob", "nonce": run.nonce(), **members}
    return run.send("POST", "/v1/join", body={n: v for n, v in body.items() if v is not None})


def expect_registration(reply: Reply, role: str) -> Dict[str, Any]:
    """Expects a registration with each of its members in its form."""
    members = expect_members(expect_status(reply, 201), "scope", "scopeName", "replica", "token", "role", "schema",
                             "serverTime")
    expect(len(members["scope"]) == 36 and str(uuid.UUID(members["scope"])) == members["scope"], "scope is no UUID",
           reply)
    expect(len(members["replica"]) == 16 and members["replica"] == f"{int(members['replica'], 16):016x}",
           "replica is not 16 hexadecimal digits", reply)
    expect(is_token(members["token"], "d"), "token is not one of a device", reply)
    expect_equal(members["role"], role, "role", reply)
    return members


def name(text: str) -> str:
    return ascii(text)[:40]


BAD_NAMES = ("", "   ", "\u00a0\u2003", "x" * 101, "a\nb", "a\x00b", "a\x7fb", "a\u0085b", "a" + "\u0301" * 800)
GOOD_NAMES = ("x", "x" * 100, " a ", "é" * 100, "日本", "👩‍👩‍👧", "a\u0301" * 100, "\u0130i")


@requirement("8", 1, "a name has 1 to 100 characters, no control characters, and not only blanks: else a bad_request")
def names(run: Run) -> None:
    invite = run.scope().invite(uses=len(GOOD_NAMES))["token"]
    for text in BAD_NAMES:
        for reply in (make(run, name=text), make(run, device=text), join(run, invite, device=text)):
            expect(reply.status == 400 and reply.code == "bad_request",
                   f"the name {name(text)} is answered {reply.status} {reply.code}, expected 400 bad_request", reply)
    for text in GOOD_NAMES:
        for reply in (make(run, name=text), make(run, device=text), join(run, invite, device=text)):
            expect(reply.status == 201, f"the name {name(text)} is answered {reply.status} {reply.code}", reply)


@requirement("8", 2, "a nonce has 8 to 64 bytes: another, or none, is a bad_request")
def nonces(run: Run) -> None:
    invite = run.scope().invite(uses=2)["token"]
    for nonce in ("", "1234567", "x" * 65, "é" * 33, None, 12345678):
        expect_error(make(run, nonce=nonce), 400, "bad_request")
        expect_error(join(run, invite, nonce=nonce), 400, "bad_request")
    for nonce in (run.nonce()[:8], (run.nonce() * 2)[:64]):
        expect_status(make(run, nonce=nonce), 201)
        expect_status(join(run, invite, nonce=nonce), 201)


def expect_same(again: Reply, first: Reply) -> None:
    """Expects the answer to an earlier request, but for its time."""
    expected = {**expect_status(first, 201).json(), "serverTime": expect_members(again, "serverTime")["serverTime"]}
    expect_equal((again.status, again.json()), (201, expected), "the repeated answer", again)


@requirement("8", 3, "a request with the same nonce gets the same answer but for its time, another nonce another")
def repeated(run: Run) -> None:
    nonce = run.nonce()
    first, again, other = make(run, nonce=nonce), make(run, nonce=nonce), make(run)
    expect_same(again, first)
    expect(other.json()["scope"] != first.json()["scope"], "another nonce makes the same scope", other)
    scope = run.scope()
    invite, nonce = scope.invite(uses=2)["token"], run.nonce()
    first, again = join(run, invite, nonce=nonce), join(run, invite, nonce=nonce)
    expect_same(again, first)
    other = join(run, invite)
    expect(expect_status(other, 201).json()["replica"] != first.json()["replica"], "two devices are one replica", other)
    again = join(run, invite, nonce=nonce)
    expect_same(again, first)


@requirement("8", 4, "a body that is no JSON object, or not of the type of its members, is a bad_request")
def bodies(run: Run) -> None:
    owner = run.scope().owner
    for body in ("[]", '"a"', "", "{", '{"role":5}', '{"role":"viewer","uses":"1"}', "null"):
        reply = owner.request("POST", "/v1/invites", body, {"Content-Type": JSON})
        expect_error(reply, 400, "bad_request")


@requirement("8", 5, "a body without a schema has at most 16 KiB; more is too_large")
def sizes_of_bodies(run: Run) -> None:
    owner = run.scope().owner
    for size, status in ((16_384, 201), (16_385, 413)):
        body = '{"role":"viewer","later":"'
        body += "x" * (size - len(body) - 2) + '"}'
        expect_status(owner.request("POST", "/v1/invites", body, {"Content-Type": JSON}), status)


@requirement("8.1", 1, "a scope is made with the admin token, and its device is the owner")
def registration(run: Run) -> None:
    reply = make(run, name="Porto")
    members = expect_registration(reply, "owner")
    expect_equal(members["scopeName"], "Porto", "scopeName", reply)
    devices = Device(run, members).request("GET", "/v1/devices").json()["devices"]
    expect_equal([(item["name"], item["role"]) for item in devices], [("Ana", "owner")], "the devices")


@requirement("8.1", 2, "no other token makes a scope")
def no_admin(run: Run) -> None:
    owner = run.scope().owner
    body = {"name": "Lisbon", "device": "Ana", "nonce": run.nonce(), "schema": schemas.trip()}
    expect_error(run.stranger("POST", "/v1/scopes", owner.token, body), 401, "unauthorized")


@requirement("8.1", 3, "the text of a schema is kept as it is")
def text_of_a_schema(run: Run) -> None:
    text = schemas.trip().replace('{"format":1', '{\n  "later": {"é": [1.50]},\t"format": 1')
    members = expect_registration(make(run, schema=text), "owner")
    expect_equal(members["schema"], text, "schema")
    expect_equal(Device(run, members).request("GET", "/v1/schema").json()["schema"], text, "the schema in force")


@requirement("8.1", 4, "a schema that cannot be used is schema_invalid, and no scope is made")
def bad_schema(run: Run) -> None:
    for text in ("", "{", "[]", '{"format":2}', schemas.text(schemas.changed(0)), schemas.trip()[:-1]):
        expect_error(make(run, schema=text), 400, "schema_invalid")
    expect_error(make(run, schema=schemas.FILE), 400, "bad_request")
    expect_error(make(run, schema=None), 400, "bad_request")


@requirement("8.1", 5, "the message of schema_invalid names every problem")
def every_problem(run: Run) -> None:
    file = schemas.changed()
    file["entities"][0]["attributes"][0]["type"] = "colour"
    file["entities"][1]["attributes"][1]["name"] = "rowid"
    file["entities"][2]["relationships"][0]["inverse"] = "nothing"
    error = expect_error(make(run, schema=schemas.text(file)), 400, "schema_invalid")
    for word in ("colour", "rowid", "nothing"):
        expect(word in error["message"], f"the message does not name {word!r}: {error['message']!r}")


@requirement("8.1", 6, "scope is the identifier that the new scope has")
def identifier(run: Run) -> None:
    wanted = str(uuid.UUID(bytes=run.identifier()))
    members = expect_registration(make(run, scope=wanted), "owner")
    expect_equal(members["scope"], wanted, "scope")


@requirement("8.1", 7, "a scope that the server has is refused as a bad_request, and so is what is no identifier")
def existing_identifier(run: Run) -> None:
    expect_error(make(run, scope=run.scope().id), 400, "bad_request")
    for text in ("", "x", "0189", 5):
        expect_error(make(run, scope=text), 400, "bad_request")


@requirement("8.1", 8, "a scope that is made with its identifier is recovering, and one without is not")
def recovering(run: Run) -> None:
    record = Record(1, run.identifier(), delete_stamp=bytes(15) + b"\x01")
    expect_status(run.recovering_scope().owner.send_recovery([record]))
    expect_error(run.scope().owner.send_recovery([record]), 409, "not_recovering")


@requirement("8.2", 1, "an invite has id, token, role, expires and usesLeft; 72 hours and 1 use where left out")
def invites(run: Run) -> None:
    owner = run.scope().owner
    for body, hours, uses in (({}, 72, 1), ({"hours": 24, "uses": 3}, 24, 3), ({"hours": 1}, 1, 1),
                              ({"hours": run.limit("inviteHoursMax"), "uses": 64}, run.limit("inviteHoursMax"), 64)):
        reply = expect_status(owner.request("POST", "/v1/invites", {"role": "editor", **body}), 201)
        members = expect_members(reply, "id", "token", "role", "expires", "usesLeft", "serverTime")
        expect(is_token(members["token"], "i"), "token is not one of an invite", reply)
        expect_equal((members["role"], members["usesLeft"]), ("editor", uses), "role and usesLeft", reply)
        lasts = members["expires"] - members["serverTime"]
        expect(abs(lasts - hours * HOUR) < 60_000, f"an invite of {hours} hours lasts {lasts} ms", reply)


@requirement("8.2", 2, "hours other than 1 to 720, uses other than 1 to 64, and other roles are a bad_request")
def bad_invites(run: Run) -> None:
    owner = run.scope().owner
    for body in ({"hours": 0}, {"hours": run.limit("inviteHoursMax") + 1}, {"uses": 0}, {"uses": 65}, {"hours": -1},
                 {"hours": 1.5}, {"role": "admin"}, {"role": ""}, {"role": "Owner"}, {"role": None}):
        expect_error(owner.request("POST", "/v1/invites", {"role": "editor", **body}), 400, "bad_request")
    expect_equal(owner.request("GET", "/v1/invites").json()["invites"], [], "the open invites")


@requirement("8.2", 3, "the open invites are listed, without tokens")
def open_invites(run: Run) -> None:
    scope = run.scope()
    made = [scope.invite("viewer", uses=2), scope.invite("owner")]
    reply = expect_status(scope.owner.request("GET", "/v1/invites"))
    found = {item["id"]: (item["role"], item["usesLeft"]) for item in expect_members(reply, "invites")["invites"]}
    expect_equal(found, {made[0]["id"]: ("viewer", 2), made[1]["id"]: ("owner", 1)}, "the invites", reply)
    expect(b"roost_i_" not in reply.body, "the list has tokens", reply)
    expect_status(join(run, made[0]["token"]), 201)
    expect_status(join(run, made[1]["token"]), 201)
    reply = expect_status(scope.owner.request("GET", "/v1/invites"))
    found = {item["id"]: item["usesLeft"] for item in reply.json()["invites"]}
    expect_equal(found, {made[0]["id"]: 1}, "the invites after their use", reply)


@requirement("8.2", 4, "an invite that is taken back gives revoked, again when repeated, and lets nobody in")
def taken_back(run: Run) -> None:
    scope = run.scope()
    invite = scope.invite()
    for _ in range(2):
        reply = expect_status(scope.owner.request("DELETE", f"/v1/invites/{invite['id']}"))
        expect_equal(reply.json().get("revoked"), True, "revoked", reply)
    expect_error(join(run, invite["token"]), 410, "invite_used")
    expect_equal(scope.owner.request("GET", "/v1/invites").json()["invites"], [], "the open invites")


@requirement("8.2", 5, "an invite that is not known, or of another scope, is a 404 when it is taken back")
def unknown_invites(run: Run) -> None:
    owner, other = run.scope().owner, run.scope()
    for name in ("0" * 16, other.invite()["id"], "x"):
        expect_error(owner.request("DELETE", f"/v1/invites/{name}"), 404, "not_found")


@requirement("8.2", 6, "a device joins with an invite, with the role of the invite")
def joining(run: Run) -> None:
    scope = run.scope(name="Porto")
    for role in ("viewer", "editor", "owner"):
        reply = join(run, scope.invite(role)["token"], device=f"Bob {role}")
        members = expect_registration(reply, role)
        expect_equal((members["scope"], members["scopeName"], members["schema"]), (scope.id, "Porto", schemas.trip()),
                     "scope, scopeName and schema", reply)
        devices = scope.owner.request("GET", "/v1/devices").json()["devices"]
        found = next(item for item in devices if item["replica"] == members["replica"])
        expect_equal((found["name"], found["role"]), (f"Bob {role}", role), "name and role in the list")


@requirement("8.2", 7, "an invite that was used up is a 410 invite_used")
def used_up(run: Run) -> None:
    invite = run.scope().invite(uses=2)["token"]
    for _ in range(2):
        expect_status(join(run, invite), 201)
    expect_error(join(run, invite), 410, "invite_used")


@requirement("8.2", 8, "an invite that is not known, or mistyped, is unauthorized")
def unknown_invite(run: Run) -> None:
    invite = run.scope().invite()["token"]
    mistyped = invite[:-1] + ("0" if invite[-1] != "0" else "1")
    wrong = run.random.choice((mistyped, make_token("i", run.random)))
    body = {"invite": wrong, "device": "Bob", "nonce": run.nonce()}
    expect_error(run.stranger("POST", "/v1/join", body=body), 401, "unauthorized")
    expect_status(join(run, invite), 201)


@requirement("8.2", 9, "an invite to another scope than the one that scope names is a bad_request, and is not used up")
def joining_again(run: Run) -> None:
    scope = run.scope()
    invite = scope.invite()["token"]
    expect_error(join(run, invite, scope=str(uuid.uuid4())), 400, "bad_request")
    expect_error(join(run, invite, scope=run.scope().id), 400, "bad_request")
    expect_registration(join(run, invite, scope=scope.id), "editor")


@requirement("8.2", 10, "a scope has as many open invites as the limit says; one more is quota_exceeded")
def number_of_invites(run: Run) -> None:
    scope, most = run.scope(), run.limit("openInvitesPerScopeMax")
    if most > 100:
        raise NotTested(f"openInvitesPerScopeMax is {most}; tested up to 100")
    made = [scope.invite() for _ in range(most)]
    expect_error(scope.owner.request("POST", "/v1/invites", {"role": "viewer"}), 403, "quota_exceeded")
    expect_status(join(run, made[0]["token"]), 201)
    scope.invite()


not_tested("8.2", 11, "an invite that has expired is a 410 invite_used", "takes an hour at least")

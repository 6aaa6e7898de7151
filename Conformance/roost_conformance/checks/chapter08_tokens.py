"""§8.3 Tokens, §8.4 Roles, and §8.5 Devices."""
from __future__ import annotations

import hashlib
from typing import Any, Dict, List, Tuple

from .. import schemas
from ..actors import Device, Run
from ..expectations import expect, expect_equal, expect_error, expect_members, expect_status
from ..hashing import is_token, make_token
from ..requirements import NotTested, not_tested, requirement
from ..wire import Reply
from .chapter08_scopes import join

HOUR = 3_600_000


def digest_of(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def rotate(device: Device, token: str = "", **members: Any) -> Reply:
    """Rotates the token of a device: to a proposed one, or to one that the server makes."""
    body: Dict[str, Any] = {**({"token": token} if token else {}), **members}
    return device.request("POST", "/v1/token/rotate", body or None)


def me(device: Device, token: str = "") -> Reply:
    return device.run.send("GET", "/v1/me", token or device.token)


def known(run: Run, *tokens: str) -> Reply:
    return run.send("POST", "/v1/token/known", body={"hashes": [digest_of(token) for token in tokens]})


def revoke(owner: Device, name: str, **members: Any) -> Reply:
    return owner.request("POST", f"/v1/devices/{name}/revoke", members or None)


def set_role(owner: Device, name: str, role: str) -> Reply:
    return owner.request("POST", f"/v1/devices/{name}/role", {"role": role})


def renewed(device: Device) -> Device:
    body = {"reason": "a test", "nonce": device.run.nonce()}
    return Device(device.run, expect_status(device.request("POST", "/v1/replica/renew", body), 201).json())


@requirement("8.3", 1, "tokens have their form, with check digits, and none is given twice")
def form_of_tokens(run: Run) -> None:
    scope = run.scope()
    expect(is_token(run.admin_token, "a"), "the admin token has not the form of one")
    devices = [scope.owner.token] + [scope.join().token for _ in range(3)]
    invites = [scope.invite()["token"] for _ in range(3)]
    expect(all(is_token(token, "d") for token in devices), "the token of a device has another form")
    expect(all(is_token(token, "i") for token in invites), "the token of an invite has another form")
    expect_equal(len(set(devices + invites)), 7, "the number of different tokens")


@requirement("8.3", 2, "a rotation without a body gives a token that the server makes")
def rotation(run: Run) -> None:
    device = run.scope().join()
    reply = expect_status(rotate(device))
    token = expect_members(reply, "token")["token"]
    expect(is_token(token, "d") and token != device.token, "the token is the old one, or none of a device", reply)
    expect_equal(expect_status(me(device, token)).json()["replica"], device.name, "replica")


@requirement("8.3", 3, "a rotation to a proposed token puts that in force")
def proposed(run: Run) -> None:
    device, token = run.scope().join(), make_token("d")
    reply = expect_status(rotate(device, token))
    expect_equal(reply.json()["token"], token, "whether the token is the proposed one", reply)
    expect_equal(expect_status(me(device, token)).json()["replica"], device.name, "replica")


@requirement("8.3", 4, "a proposed token that is in use, or of another form, is a bad_request")
def bad_proposals(run: Run) -> None:
    scope = run.scope()
    device, other = scope.join(), scope.join()
    for token in (other.token, make_token("i"), make_token("d")[:-1], "x", make_token("d")[:-6] + "000000"):
        expect_error(rotate(device, token), 400, "bad_request")
    expect_status(me(device))


@requirement("8.3", 5, "the old token works until the new one is used")
def old_token(run: Run) -> None:
    device, token = run.scope().join(), make_token("d")
    expect_status(rotate(device, token))
    expect_status(me(device))
    expect_status(rotate(device, token))
    expect_status(me(device, token))


@requirement("8.3", 6, "a token that a lost reply had never works after the next rotation with the old one")
def lost_reply(run: Run) -> None:
    device = run.scope().join()
    lost = expect_status(rotate(device)).json()["token"]
    second = expect_status(rotate(device)).json()["token"]
    expect_equal(expect_status(known(run, lost, second)).json().get("known"), 1, "the token that the server knows")
    expect_status(me(device, second))


@requirement("8.3", 7, "the old token, shown after the new one was used, takes the device's access away")
def theft(run: Run) -> None:
    scope = run.scope()
    device, token = scope.join(), make_token("d")
    expect_status(rotate(device, token))
    expect_status(me(device, token))
    expect_error(me(device), 401, "revoked")
    expect_error(me(device, token), 401, "revoked")
    found = scope.owner.request("GET", "/v1/devices").json()["devices"]
    expect(next(item for item in found if item["replica"] == device.name).get("revoked"), "the list does not say so")


@requirement("8.3", 8, "the old token of a scope's last owner is unauthorized instead, and the owner keeps its access")
def theft_of_the_last_owner(run: Run) -> None:
    owner, token = run.scope().owner, make_token("d")
    expect_status(rotate(owner, token))
    expect_status(me(owner, token))
    expect_error(run.stranger("GET", "/v1/me", owner.token), 401, "unauthorized")
    expect_status(me(owner, token))


@requirement("8.3", 9, "former ends tokens of other replicas of the same device, and of no other device")
def former(run: Run) -> None:
    scope = run.scope()
    first, other = scope.join(), scope.join()
    second, token = renewed(first), make_token("d")
    reply = rotate(second, token, former=[digest_of(first.token), digest_of(other.token), "0" * 64])
    expect_status(reply)
    expect_status(me(second, token))
    expect_status(me(other))
    expect_equal(expect_status(known(run, first.token, token)).json().get("known"), 1,
                 "the token that the server knows")


@requirement("8.3", 10, "former of no, of more than 64, or of bad hashes is a bad_request")
def bad_former(run: Run) -> None:
    device = run.scope().join()
    for hashes in ([], ["0" * 64] * 65, ["0" * 63], ["x" * 64], "0" * 64, [5]):
        expect_error(rotate(device, make_token("d"), former=hashes), 400, "bad_request")
    expect_status(rotate(device, make_token("d"), former=["0" * 64] * 64))


@requirement("8.3", 11, "POST known gives the index of the first token that the server knows, of a revoked device too")
def known_tokens(run: Run) -> None:
    scope = run.scope()
    device = scope.join()
    unknown = make_token("d")
    for tokens, index in (([device.token], 0), ([unknown, device.token], 1), ([device.token, scope.owner.token], 0)):
        reply = expect_status(known(run, *tokens))
        expect_equal(reply.json().get("known"), index, "known", reply)
    expect_status(revoke(scope.owner, device.name))
    expect_equal(expect_status(known(run, unknown, device.token)).json().get("known"), 1, "known of a revoked device")


@requirement("8.3", 12, "known is left out where the server knows none; a token that was replaced is not known")
def unknown_tokens(run: Run) -> None:
    device, token = run.scope().join(), make_token("d")
    expect_status(rotate(device, token))
    expect_status(me(device, token))
    body = {"hashes": [digest_of(device.token), digest_of(make_token("d"))]}
    reply = expect_status(run.stranger("POST", "/v1/token/known", body=body))
    expect("known" not in reply.json(), "the server knows a token that was replaced, or one of nobody", reply)
    expect_status(me(device, token))


@requirement("8.3", 13, "known of no, of more than 64, or of bad hashes is a bad_request")
def bad_hashes(run: Run) -> None:
    for hashes in ([], ["0" * 64] * 65, ["0" * 63], ["x" * 64], "0" * 64, [5], None):
        expect_error(run.send("POST", "/v1/token/known", body={"hashes": hashes}), 400, "bad_request")


@requirement("8.3", 14, "a token of another kind than the request wants is unauthorized")
def kinds_of_tokens(run: Run) -> None:
    expect_error(run.stranger("GET", "/v1/me", run.admin_token), 401, "unauthorized")


not_tested("8.3", 15, "the old token works for at most 24 hours", "takes a day")
not_tested("8.3", 16, "a server keeps only the SHA-256 of a token", "cannot be seen from outside")


def requests(device: Device, other: str) -> List[Tuple[str, str, Reply]]:
    """Each request with its least role, and the answer to a device."""
    schema = {"schema": schemas.text(schemas.changed(2))}
    push = device.send(device.next_push([device.person()]))
    return [("viewer", "GET /v1/devices", device.request("GET", "/v1/devices")),
            ("viewer", "GET /v1/me", device.request("GET", "/v1/me")),
            ("viewer", "GET /v1/schema", device.request("GET", "/v1/schema")),
            ("viewer", "GET /v1/pull", device.request("GET", "/v1/pull")),
            ("viewer", "GET /v1/digest", device.request("GET", "/v1/digest")),
            ("viewer", "GET /v1/push", device.request("GET", "/v1/push?number=9")),
            ("viewer", "POST /v1/token/rotate", rotate(device)),
            ("viewer", "POST /v1/replica/renew", device.request("POST", "/v1/replica/renew", {
                "reason": "a test", "nonce": device.run.nonce()})),
            ("editor", "POST /v1/push", push), ("editor", "POST /v1/recover", device.send_recovery([])),
            ("owner", "POST /v1/invites", device.request("POST", "/v1/invites", {"role": "viewer"})),
            ("owner", "GET /v1/invites", device.request("GET", "/v1/invites")),
            ("owner", "DELETE /v1/invites", device.request("DELETE", f"/v1/invites/{'0' * 16}")),
            ("owner", "POST role", set_role(device, other, "viewer")),
            ("owner", "PUT /v1/schema", device.request("PUT", "/v1/schema", schema)),
            ("owner", "POST revoke", revoke(device, other))]


@requirement("8.4", 1, "each role may do what its line says, and what the lines before it say, and nothing else")
def roles(run: Run) -> None:
    ranks = {"viewer": 0, "editor": 1, "owner": 2}
    for role, rank in ranks.items():
        scope = run.scope()
        other = scope.join("viewer")
        for least, name, reply in requests(scope.join(role), other.name):
            if rank >= ranks[least]:
                expect(reply.status < 300 or reply.code == "not_found", f"{name} of {role} is answered {reply.status}",
                       reply)
            else:
                expect(reply.code == "forbidden", f"{name} of {role} is answered {reply.status} {reply.code}", reply)
                expect_error(reply, 403, "forbidden")


@requirement("8.4", 2, "a role counts from the moment that it is given", both=True)
def role_at_once(run: Run) -> None:
    scope = run.scope()
    device = scope.join("editor")
    device.push([device.person()])
    expect_status(set_role(scope.owner, device.name, "viewer"))
    expect_error(device.send(device.next_push([device.person()])), 403, "forbidden")
    expect_equal(me(device).json()["role"], "viewer", "role")
    expect_status(set_role(scope.owner, device.name, "editor"))
    device.push([device.person()])


@requirement("8.4", 3, "an invite has at most the role of its inviter: only owners invite")
def invited_roles(run: Run) -> None:
    scope = run.scope()
    for role in ("viewer", "editor"):
        expect_error(scope.join(role).request("POST", "/v1/invites", {"role": "viewer"}), 403, "forbidden")


@requirement("8.5", 1, "the list has all devices, oldest first, with name, role and times")
def devices(run: Run) -> None:
    scope = run.scope()
    joined = [scope.join("editor"), scope.join("viewer")]
    reply = expect_status(joined[1].request("GET", "/v1/devices"))
    found = expect_members(reply, "devices")["devices"]
    expect_equal([(item["replica"], item["role"]) for item in found],
                 [(device.name, device.role) for device in [scope.owner, *joined]], "the devices", reply)
    for item in found:
        expect(isinstance(item["created"], int) and item["created"] <= reply.json()["serverTime"], "created is no time",
               reply)
        expect(item["lastSeen"] % HOUR == 0, f"lastSeen {item['lastSeen']} is not rounded to the hour", reply)
        expect("revoked" not in item and "device" not in item, "a new device is revoked, or a renewal", reply)
    expect_equal([item.get("invitedBy") for item in found[1:]], [scope.owner.name] * 2, "invitedBy", reply)


@requirement("8.5", 2, "a revoked device is marked in the list, and each of its requests is revoked from then on")
def revocation(run: Run) -> None:
    scope = run.scope()
    device = scope.join()
    reply = expect_status(revoke(scope.owner, device.name))
    expect_equal(reply.json().get("revoked"), True, "revoked", reply)
    expect("invited" not in reply.json(), "the reply has invited devices", reply)
    for path in ("me", "pull", "devices", "schema", "digest"):
        expect_error(device.request("GET", "/v1/" + path), 401, "revoked")
    expect_error(device.send(device.next_push([device.person()])), 401, "revoked")
    found = {item["replica"]: item.get("revoked") for item in scope.owner.request("GET",
                                                                                  "/v1/devices").json()["devices"]}
    expect_equal(found, {scope.owner.name: None, device.name: True}, "revoked in the list")


@requirement("8.5", 3, "a revocation takes the access of all replicas of the device, whichever is named")
def revocation_of_a_device(run: Run) -> None:
    for is_first_named in (True, False):
        scope = run.scope()
        first = scope.join()
        second = renewed(first)
        expect_status(revoke(scope.owner, (first if is_first_named else second).name))
        for device in (first, second):
            expect_error(me(device), 401, "revoked")


@requirement("8.5", 4, "a revocation takes back the open invites of the device, and names those who joined with one")
def revocation_of_an_inviter(run: Run) -> None:
    scope = run.scope()
    inviter, _ = scope.join("owner"), scope.join()
    members = inviter.request("POST", "/v1/invites", {"role": "editor", "uses": 5}).json()
    joined = Device(run, expect_status(join(run, members["token"]), 201).json())
    reply = expect_status(revoke(scope.owner, inviter.name))
    expect_equal([item["replica"] for item in reply.json().get("invited", [])], [joined.name], "invited", reply)
    expect_status(me(joined))
    expect_equal(scope.owner.request("GET", "/v1/invites").json()["invites"], [], "the open invites")


@requirement("8.5", 5, "with withInvited those who joined lose it too, and theirs, but never the device that asks")
def revocation_with_invited(run: Run) -> None:
    scope = run.scope()

    def invited(by: Device, role: str) -> Device:
        token = by.request("POST", "/v1/invites", {"role": role}).json()["token"]
        return Device(run, expect_status(join(run, token), 201).json())

    first = invited(scope.owner, "owner")
    second = invited(first, "owner")
    third, asking = invited(second, "editor"), invited(second, "owner")
    fourth = invited(asking, "editor")
    expect_status(revoke(asking, first.name, withInvited=True))
    for device in (first, second, third):
        expect_error(me(device), 401, "revoked")
    for device in (scope.owner, asking):
        expect_status(me(device))
    expect(me(fourth).status in (200, 401), "a device is neither let in nor refused")


@requirement("8.5", 6, "a role is given to all replicas of a device")
def role_of_a_device(run: Run) -> None:
    scope = run.scope()
    first = scope.join("editor")
    second = renewed(first)
    reply = expect_status(set_role(scope.owner, second.name, "viewer"))
    expect_equal(reply.json().get("role"), "viewer", "role", reply)
    for device in (first, second):
        expect_equal(me(device).json()["role"], "viewer", "role of a replica")


@requirement("8.5", 7, "a device that is an owner no more takes its open invites with it")
def lowered_owner(run: Run) -> None:
    scope = run.scope()
    device = scope.join("owner")
    expect_status(device.request("POST", "/v1/invites", {"role": "editor"}), 201)
    kept = scope.invite()["id"]
    expect_status(set_role(scope.owner, device.name, "editor"))
    found = [item["id"] for item in scope.owner.request("GET", "/v1/invites").json()["invites"]]
    expect_equal(found, [kept], "the open invites")


@requirement("8.5", 8, "the last owner, counted by devices, can be neither revoked nor lowered: last_owner")
def last_owner(run: Run) -> None:
    scope = run.scope()
    scope.join("editor")
    second = renewed(scope.owner)
    for owner in (scope.owner, second):
        expect_error(revoke(owner, owner.name), 409, "last_owner")
        expect_error(set_role(owner, owner.name, "editor"), 409, "last_owner")
    other = scope.join("owner")
    expect_status(set_role(scope.owner, scope.owner.name, "editor"))
    expect_error(revoke(other, other.name), 409, "last_owner")
    expect_error(scope.owner.request("GET", "/v1/invites"), 403, "forbidden")


@requirement("8.5", 9, "a replica of another scope is a 404, like one that does not exist")
def other_replicas(run: Run) -> None:
    owner, other = run.scope().owner, run.scope().owner
    for name in (other.name, "0" * 16):
        expect_error(revoke(owner, name), 404, "not_found")
        expect_error(set_role(owner, name, "viewer"), 404, "not_found")
    expect_status(me(other))


@requirement("8.5", 10, "GET /v1/me says what a replica is, and the number of its last push", both=True)
def myself(run: Run) -> None:
    scope = run.scope(name="Porto")
    device = scope.join("editor")
    for number in range(2):
        reply = expect_status(me(device))
        found = expect_members(reply, "serverTime")
        expect_equal({name: value for name, value in found.items() if name != "serverTime"},
                     {"scope": scope.id, "scopeName": "Porto", "replica": device.name, "role": "editor",
                      "schemaVersion": 1, "lastPush": number}, "the reply", reply)
        device.push([device.person()])


@requirement("8.5", 11, "a scope has as many devices as the limit says, renewals and revoked ones not counted")
def number_of_devices(run: Run) -> None:
    scope, most = run.scope(), run.limit("replicasPerScopeMax")
    if most > 64:
        raise NotTested(f"replicasPerScopeMax is {most}; tested up to 64")
    token = scope.invite("viewer", uses=most)["token"]
    devices = [Device(run, expect_status(join(run, token), 201).json()) for _ in range(most - 1)]
    renewed(devices[0])
    expect_error(join(run, token), 403, "quota_exceeded")
    expect_status(revoke(scope.owner, devices[0].name))
    expect_status(join(run, token), 201)

"""Conventions, and joining (protocol.md §3, §8.2)."""
from __future__ import annotations

import json
from typing import Any, Dict, List

from ...hashing import make_token
from ...protobuf import BYTES, VARINT, encode_varint, fields, tagged
from ...puts import NULL, Put, Value
from ...requirements import Violation
from .. import schemas
from ..adapter import ClientError
from ..faults import anything, path, pulls
from ..registry import scenario
from ..service import PROTOBUF, Reply
from ..world import World

LATER = tagged(99, BYTES, b"a field of a later version")


def decorated(reply: Reply) -> Reply:
    """The reply with fields and members that this version does not have."""
    if reply.status >= 400:
        return reply
    if reply.content_type == PROTOBUF:
        body = b""
        for number, kind, value in fields(reply.body):
            is_message = isinstance(value, bytes) and number in (1, 7) and kind == BYTES
            if isinstance(value, bytes):
                body += tagged(number, kind, value + LATER if is_message and reply.message is not None else value)
            else:
                body += tagged(number, kind, encode_varint(value))
        return Reply(reply.status, reply.content_type, body + LATER + tagged(98, VARINT, b"\x01"), reply.message)
    members = json.loads(reply.body)
    for record in members.get("records", []):
        record["later"] = {"x": [1]}
    members["later"] = {"x": [1, None]}
    return Reply(reply.status, reply.content_type, json.dumps(members).encode(), reply.message)


@scenario("3", 1, "a redirect is not followed", "mirror")
def redirect(world: World) -> None:
    device = world.device()
    world.peer().put(title="theirs")
    world.fault(anything, "page", status=302)
    device.settle()


@scenario("3", 2, "a page of HTML with status 200 is a failure of the network, and no page of records", "mirror")
def hotel(world: World) -> None:
    device = world.device()
    record = world.peer().put(title="theirs")
    device.settle()
    world.peer().put(title="more")
    world.fault(pulls, "page", status=200, times=3)
    device.try_sync()
    if device.shown(record) is None:
        raise Violation("a record is not shown any more")
    device.settle()


@scenario("3", 3, "members and fields of a later version are passed over", "mirror")
def later_fields(world: World) -> None:
    world.fault(lambda request: True, "change", times=99, alter=decorated)
    device = world.device()
    world.peer().put(title="theirs")
    device.settle()


@scenario("3", 4, "members and fields of a later version in the reply to a push are passed over", "writer")
def later_fields_of_push(world: World) -> None:
    device = world.device()
    world.fault(lambda request: True, "change", times=99, alter=decorated)
    device.put(title="mine")
    device.settle()


@scenario("3", 5, "an edit writes properties back that the schema does not know", "writer")
def unknown_properties(world: World) -> None:
    device = world.device()
    peer = world.peer()
    parent = peer.put(title="parent")
    extra: Dict[str, Any] = {
        "#77": {"text": "later"}, "#78": {"integer": "-9223372036854775808"}, "#79": {"null": True},
        "#80": {"bytes": "AAH/"}, "#81": {"boolean": False}, "#82": {"real": 0.5}}
    extra["#90"] = {"record": parent}
    record = peer.put(title="before", a=parent, **extra)
    device.settle()
    device.put(record, title="after")
    device.settle()
    content = world.content(record) or {}
    missing = {name for name in extra if name not in content}
    if content.get("title") != "after" or missing:
        raise Violation(f"the edit lost the properties {sorted(missing)}: it is {content}")


@scenario("3", 6, "records of an entity that the schema does not know are kept, and shown by a later schema", "mirror")
def unknown_entity(world: World) -> None:
    device = world.device()
    world.scope.schemas.append(schemas.text(schemas.second()))
    record = world.peer().put(entity="Later", text="x")
    world.scope.schemas.pop()
    device.settle()
    world.scope.schemas.append(schemas.text(schemas.second()))
    world.peer().put(label="changed")
    device.settle()
    device.migrate()
    if (device.shown(record, "Later") or {}).get("text") != "x":
        raise Violation("the record of the entity \"Later\" is not shown with the schema that has it")


@scenario("3", 7, "integers of 64 bits are exact in both directions", "writer")
def large_integers(world: World) -> None:
    device = world.device()
    numbers = [2**63 - 1, -(2**63), 2**53 + 1, -(2**53) - 1, 0]
    records = [world.peer().put(entity="Value", whole=number) for number in numbers]
    device.settle()
    for record in records:
        device.put(record, "Value", text="edited")
    for number in numbers:
        device.put(entity="Value", whole=str(number))
    device.settle()
    for record, number in zip(records, numbers):
        if str((world.content(record, "Value") or {}).get("whole")) != str(number):
            raise Violation(f"the edit of another property changed {number}")


@scenario("3", 8, "the puts of a device have the canonical form for each type of attribute", "writer")
def every_type(world: World) -> None:
    device = world.device()
    values: List[Dict[str, Any]] = [
        {"text": "Ré\u0301sumé \"\\\n\t€🚕", "whole": 1, "real": 0.1, "flag": True, "day": "2026-02-28",
         "moment": 1795235259543, "key": "01890000-0000-7000-8000-0000000000ff", "bytes": "AAH+/w==",
         "document": {"a": [1, "é"], "b": {}}},
        {"text": "", "whole": 0, "real": 0.0, "flag": False, "moment": 0, "bytes": "", "document": []},
        {"text": None, "whole": -1, "real": -1.5e300, "moment": -1, "document": "text"},
    ]
    records = [device.put(entity="Value", **each) for each in values]
    device.settle()
    for record, each in zip(records, values):
        content = world.content(record, "Value") or {}
        expected = {name: value for name, value in each.items() if value is not None}
        found = {name: value for name, value in content.items() if name in expected}
        if found != expected:
            raise Violation(f"{expected} was written, the server has {found}")


@scenario("3", 9, "a nil of an attribute with a default is an explicit nil, and leaving it out is the default",
          "writer")
def nil_and_default(world: World) -> None:
    device = world.device()
    nil = device.put(entity="Value", state=None)
    given = device.put(entity="Value", state="old")
    device.settle()
    puts = [Put.decode(world.stored_put(record, "Value")) for record in (nil, given)]
    if puts[0].content.get(10) != NULL or puts[1].content.get(10) != Value("text", b"old"):
        raise Violation(f"property 10 has {puts[0].content.get(10)} for nil and {puts[1].content.get(10)} for \"old\"")


# Joining (§8.2).

@scenario("8.2", 1, "a join whose reply is lost is repeated with the same nonce", "mirror", requests_max=30)
def join_repeated(world: World) -> None:
    world.fault(path("/v1/join"), "lose_reply")
    device = world.unjoined()
    link = world.server.link()
    try:
        device.join(link)
    except ClientError:
        # A program that ends after a failure is asked again by its user: a new wish has a new nonce.
        device.join(link)
    else:
        nonces = [each.message.get("nonce") for each in world.requests if each.path == "/v1/join"]
        if len(nonces) > 1 and len(set(nonces)) != 1:
            raise Violation(f"the join was repeated with the nonces {nonces}")
    world.peer().put(title="theirs")
    device.settle()


@scenario("8.2", 2, "the token of an invite is sent in the body only", "mirror")
def invite_in_body(world: World) -> None:
    device = world.device()
    join = next(each for each in world.requests if each.path == "/v1/join")
    if "authorization" in join.headers or "roost_i_" in str(sorted(join.headers.items())):
        raise Violation("the invite stands in a header")
    device.settle()


@scenario("8.2", 3, "a join that the server refuses is reported, and leaves nothing behind", "mirror",
          codes=("unauthorized",), is_checked=False)
def join_refused(world: World) -> None:
    device = world.unjoined()
    unknown = f"{world.server.address}/join#{make_token('i')}"
    try:
        device.join(unknown)
    except ClientError:
        device.join(world.server.link())
        world.peer().put(title="theirs")
        device.settle()
        return
    raise Violation("a join with an unknown invite is reported as a success")



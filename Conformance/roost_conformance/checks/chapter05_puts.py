"""§5.3 Put and Content, §5.4 Content hash, and §5.5 The messages."""
from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

from ..actors import Device, Run
from ..expectations import expect, expect_equal, expect_error, expect_status
from ..hashing import content_hash
from ..messages import Change, PushReply, Record
from ..protobuf import BYTES, VARINT, tagged
from ..puts import NULL, Put, Value
from ..requirements import requirement
from ..wire import JSON, PROTOBUF

PARENT = bytes(range(16))
REFERENCE = tagged(1, BYTES, tagged(1, VARINT, b"\x14") + tagged(2, BYTES, PARENT))


def protobuf_device(run: Run) -> Device:
    """The owner of a new scope, who pushes in Protocol Buffers: JSON cannot say what these checks send."""
    owner = run.scope().owner
    owner.encoding = PROTOBUF
    return owner


def content(*fields: str) -> bytes:
    """A put without references, from the hexadecimal digits of its fields."""
    return tagged(2, BYTES, b"".join(tagged(1, BYTES, bytes.fromhex(field)) for field in fields))


def expect_malformed(run: Run, *cases: Tuple[str, bytes]) -> None:
    """Expects that each put is refused, that another transaction of its push is stored, and nothing of the put."""
    owner = protobuf_device(run)
    for name, put in cases:
        reply = owner.send(owner.next_push([owner.put("Thing", put)], [owner.person()]))
        first, second = owner.settle(reply).results
        code = first.refused.code if first.refused else f"sequence {first.sequence}"
        expect_equal(code, "malformed_put", f"the result of a put with {name} ({put.hex()})", reply)
        expect(second.sequence, "the other transaction of the push was not stored", reply)
    expect_equal(len(owner.everything()), len(cases), "the number of records")


@requirement("5.3", 1, "the bytes of a put come back unchanged, whatever the schema says of them")
def bytes_are_kept(run: Run) -> None:
    scope = run.scope()
    owner, other = scope.owner, scope.join()
    owner.encoding = other.encoding = PROTOBUF
    puts = [Put({20: PARENT, 77: PARENT}, {1: Value("integer", 5), 2: Value("text", b"\xff"), 99: NULL}),
            Put({}, {3: Value("real", float("nan")), 5: Value("text", b"no day"), 9: Value("text", b"{")}),
            Put({}, {7: Value("bytes", b"short"), (1 << 32) - 1: Value("boolean", False)}), Put()]
    changes = [Change(entity, run.identifier(), owner.clock.tick(), put.encode())
               for entity in (3, 999) for put in puts]
    owner.push(changes)
    stored = {record.id: record.put for record in other.pull()}
    for change in changes:
        expect_equal(stored.get(change.record), change.put, "the put")


@requirement("5.3", 2, "references out of ascending order, or one twice, are a malformed_put (rule 1)")
def rule_1(run: Run) -> None:
    second = tagged(1, BYTES, tagged(1, VARINT, b"\x15") + tagged(2, BYTES, PARENT))
    expect_malformed(
        run, ("references out of order", second + REFERENCE), ("a reference twice", REFERENCE + REFERENCE),
        ("a target of 15 bytes", tagged(1, BYTES, tagged(1, VARINT, b"\x14") + tagged(2, BYTES, PARENT[:15]))),
        ("a target of 17 bytes", tagged(1, BYTES, tagged(1, VARINT, b"\x14") + tagged(2, BYTES, PARENT + b"\x00"))),
        ("a reference without a target", tagged(1, BYTES, tagged(1, VARINT, b"\x14"))),
        ("a target before its relationship", tagged(1, BYTES, tagged(2, BYTES, PARENT) + tagged(1, VARINT, b"\x14"))))


@requirement("5.3", 3, "content before references, empty, or twice, is a malformed_put (rule 2)")
def rule_2(run: Run) -> None:
    one, two = content("08011201" + "61"), content("08021802")
    expect_malformed(run, ("content before a reference", one + REFERENCE), ("empty content", tagged(2, BYTES, b"")),
                     ("content twice", one + two))


@requirement("5.3", 4, "fields out of ascending order, twice, or with several values, are a malformed_put (rule 3)")
def rule_3(run: Run) -> None:
    expect_malformed(run, ("fields out of order", content("08022801", "08012801")),
                     ("a field twice", content("08012801", "08012801")),
                     ("a value before its property", content("28010801")), ("two values", content("080118022801")),
                     ("a value twice", content("080128012801")))


@requirement("5.3", 5, "numbers of 0, above 2^32 − 1, or in more bytes than needed, are a malformed_put (rule 4)")
def rule_4(run: Run) -> None:
    long_length = b"\x12\x86\x00" + tagged(1, BYTES, bytes.fromhex("08012801"))
    expect_malformed(run, ("property 0", content("08002801")), ("a field without a property", content("2801")),
                     ("property 2^32", content("0880808080102801")),
                     ("relationship 0", tagged(1, BYTES, tagged(1, VARINT, b"\x00") + tagged(2, BYTES, PARENT))),
                     ("a property in two bytes", content("0881002801")),
                     ("a boolean in two bytes", content("0801288100")),
                     ("an integer in two bytes", content("0801188200")), ("a length in two bytes", long_length))


@requirement("5.3", 6, "bytes that are no put are a malformed_put")
def no_put(run: Run) -> None:
    expect_malformed(run, ("a cut field", b"\x12\x05\x0a"), ("a cut varint", b"\x12\x04\x0a\x02\x08\x80"),
                     ("a group", b"\x0b\x0c"), ("a wrong wire type", b"\x08\x01"))


@requirement("5.3", 7, "zero, false and empty are written values, and differ from nil", both=True)
def empty_values(run: Run) -> None:
    owner = run.scope().owner
    full = owner.put("Thing", {"text": "", "whole": 0, "real": 0.0, "flag": False, "data": ""})
    owner.push([full, owner.put("Thing", {})])
    stored = owner.stored(full)
    expect_equal(stored and stored.put, full.put, "the put")
    shown = owner.get_page(b"", JSON)
    members = next(r["put"] for r in shown.json()["records"] if r["put"])
    expect_equal(members, {"text": "", "whole": 0, "real": 0, "flag": False, "data": ""}, "the members", shown)


@requirement("5.3", 8, "null for an attribute with a default is a field without a value; for another it is left out")
def explicit_nil(run: Run) -> None:
    owner = run.scope().owner
    changes = [owner.put("Thing", {}) for _ in range(3)]
    members = owner.form.push_request(owner.next_push(changes))
    for item, put in zip(members["transactions"][0]["changes"], ({"preset": None}, {"text": None}, {})):
        item["put"] = put
    owner.settle(owner.send(members))
    stored = {record.id: record.put for record in owner.read_page(owner.get_page(b"", PROTOBUF)).records}
    expect_equal([stored[change.record] for change in changes], [Put({}, {10: NULL}).encode(), b"", b""], "the puts")


@requirement("5.3", 9, "a put has as many references and attributes as the limit says, and more are a malformed_put",
             both=True)
def properties(run: Run) -> None:
    owner, most = run.scope().owner, run.limit("propertiesPerRecordMax")
    fitting = Put({1000: PARENT}, {number: Value("boolean", True) for number in range(100, 99 + most)})
    beyond = Put({1000: PARENT}, {number: Value("boolean", True) for number in range(100, 100 + most)})
    results = owner.push([owner.put("Thing", fitting)], [owner.put("Thing", beyond)]).results
    expect(results[0].sequence, f"a put of {most} properties was refused: {results[0].refused}")
    refused = results[1].refused
    expect_equal(refused and (refused.code, refused.index), ("malformed_put", 0),
                 f"the refusal of {most + 1} properties")


@requirement("5.3", 10, "fields that this version does not have may stand behind those that it has, and are kept")
def later_fields(run: Run) -> None:
    owner, later = protobuf_device(run), tagged(50, BYTES, b"later")
    field = tagged(1, BYTES, bytes.fromhex("08012801") + later)
    reference = tagged(1, BYTES, tagged(1, VARINT, b"\x14") + tagged(2, BYTES, PARENT) + later)
    puts = [content("08012801") + later, tagged(2, BYTES, field), reference, tagged(2, BYTES, field + later),
            reference + tagged(2, BYTES, field + later) + later]
    changes = [owner.put("Thing", put) for put in puts]
    for change, result in zip(changes, owner.push(*[[change] for change in changes]).results):
        expect(result.sequence, f"the put {(change.put or b'').hex()} was refused: {result.refused}")
    stored = {record.id: record.put for record in owner.everything()}
    for change in changes:
        expect_equal(stored[change.record], change.put, "the put")


@requirement("5.3", 11, "fields that this version does not have, out of ascending order, are a malformed_put")
def later_fields_out_of_order(run: Run) -> None:
    later, last = tagged(50, BYTES, b"later"), tagged(51, BYTES, b"last")
    known = content("08012801")
    expect_malformed(run, ("an unknown field before a known one", later + known),
                     ("unknown fields out of order", known + last + later),
                     ("an unknown field before a value", tagged(2, BYTES, tagged(1, BYTES, later + b"\x08\x01"))))


@requirement("5.4", 1, "the hash of a JSON record is the first 16 bytes of the SHA-256 of its put's bytes")
def hashes(run: Run) -> None:
    owner = protobuf_device(run)
    puts = [Put({20: PARENT}, {1: Value("text", b"a"), 77: Value("bytes", b"b")}).encode(), b"",
            Put({}, {1: Value("text", b"\xff")}).encode(), content("08012801") + tagged(50, BYTES, b"later")]
    changes = [owner.put("Thing", put) for put in puts]
    owner.push(changes)
    reply = owner.get_page(b"", JSON)
    found = {record["record"].replace("-", ""): record.get("hash") for record in reply.json()["records"]}
    for change in changes:
        expect_equal(found[change.record.hex()], content_hash(change.put or b"").hex(), "the hash", reply)


def expect_unreadable(run: Run, change: Change, name: str) -> None:
    """Expects that a change is a bad_request of the whole push, in the encoding of the run."""
    owner = run.scope().owner
    good = owner.person()
    push = owner.next_push([good], [change])
    if run.is_json:
        members = owner.form.push_request(owner.next_push([good]))
        item: Dict[str, Any] = {"entity": "Person", "record": _uuid(change.record), "stamp": change.stamp.hex(),
                "base": change.base.hex() or None, "put": {} if change.put is not None else None,
                "delete": change.delete}
        change_form = {name: value for name, value in item.items() if value is not None and value is not False}
        members["transactions"].append({"changes": [change_form]})
        reply = owner.send(members)
    else:
        reply = owner.send(push)
    expect(reply.status == 400 and reply.code == "bad_request",
           f"a change with {name} is answered {reply.status} {reply.code}, expected 400 bad_request", reply)
    owner.push([good])


def _uuid(data: bytes) -> str:
    text = data.hex()
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


@requirement("5.5", 1, "a change with a put and a delete, or with neither, is a bad_request of the whole push",
             both=True)
def put_or_delete(run: Run) -> None:
    record, stamp = run.identifier(), bytes.fromhex("0189") + bytes(14)
    expect_unreadable(run, Change(1, record, stamp, b"", delete=True), "a put and a delete")
    expect_unreadable(run, Change(1, record, stamp), "neither a put nor a delete")


@requirement("5.5", 2, "a record, stamp or base that has not 16 bytes is a bad_request of the whole push", both=True)
def sixteen_bytes(run: Run) -> None:
    record, stamp = run.identifier(), bytes.fromhex("0189") + bytes(14)
    cases: List[Tuple[str, Change]] = [
        ("a short record", Change(1, record[:15], stamp, b"")),
        ("a long record", Change(1, record + b"\x00", stamp, b"")),
        ("a short stamp", Change(1, record, stamp[:15], b"")),
        ("a long stamp", Change(1, record, stamp + b"\x00", b"")),
        ("a short base", Change(1, record, stamp, b"", stamp[:15])), ("no stamp", Change(1, record, b"", b"")),
        ("no record", Change(1, b"", stamp, b""))]
    for name, change in cases:
        expect_unreadable(run, change, name)


@requirement("5.5", 3, "bytes that are no message are a bad_request")
def no_message(run: Run) -> None:
    owner = protobuf_device(run)
    body = owner.seal(owner.next_push([owner.person()]))
    for data in (b"\x1a\x05\x0a", b"\xff", b"\x08\x80", b"\x0b", body[:-1]):
        expect_error(owner.send(data), 400, "bad_request")
    owner.settle(owner.send(body))


@requirement("5.5", 4, "a put of no bytes is a put, and is sent with its stamp", both=True)
def put_without_bytes(run: Run) -> None:
    scope = run.scope()
    change = scope.owner.put("Thing", b"")
    scope.owner.push([change])
    expect_equal(scope.join().pull(), [Record(3, change.record, change.stamp, b"")], "the records")


@requirement("5.5", 5, "a record has its put slot, with stamp, put and base, and its delete slot; none that is empty",
             both=True)
def slots_of_a_record(run: Run) -> None:
    scope = run.scope()
    owner, other = scope.owner, scope.join()
    first = owner.person("a")
    second = owner.person("b", record=first.record, base=first.stamp)
    delete, alone = owner.delete("Person", first.record), owner.delete("Person", run.identifier())
    owner.push([first], [second], [delete], [alone])
    expect_equal(other.pull(), [Record(1, first.record, second.stamp, second.put, first.stamp, delete.stamp),
                                Record(1, alone.record, delete_stamp=alone.stamp)], "the records")


@requirement("5.5", 6, "a Result is a refusal, a staged part, or has a sequence: exactly one of them", both=True)
def results(run: Run) -> None:
    owner = run.scope().owner
    changes = [owner.person(), owner.put("Thing", {"text": "x" * (run.limit("putBytesMax") + 1)}), owner.person()]
    reply = owner.send(owner.next_push(*[[change] for change in changes], continues=True))
    stored, refused, staged = owner.settle(reply).results
    expect(stored.sequence and not stored.staged and not stored.refused, "the first result is not a sequence", reply)
    expect(refused.refused and not refused.sequence and not refused.staged, "the second result is no refusal", reply)
    expect(staged.staged and not staged.sequence and not staged.refused, "the third result is not staged", reply)


@requirement("5.5", 7, "the index of a refusal is one more in Protocol Buffers, and is the index itself in JSON")
def index_of_a_refusal(run: Run) -> None:
    owner = run.scope().owner
    for encoding in (PROTOBUF, JSON):
        changes = [owner.person(), owner.put("Thing", {"text": "x" * (run.limit("putBytesMax") + 1)})]
        reply = owner.send(owner.next_push(changes), headers={"Accept": encoding})
        index: Optional[int]
        if encoding == JSON:
            index = expect_status(reply).json()["results"][0]["refused"]["index"]
        else:
            refused = PushReply.decode(expect_status(reply).body).results[0].refused
            index = refused.index if refused else None
        expect_equal(index, 1, f"the index in {encoding}", reply)
        owner.number += 1

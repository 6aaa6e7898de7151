"""§5.6 The JSON form."""
from __future__ import annotations

import base64
import copy
from typing import Any, Dict, List, Tuple, Union

from .. import jsontext, schemas
from ..actors import Device, Run
from ..expectations import expect, expect_equal, expect_error, expect_status
from ..hashing import content_hash
from ..messages import Change, Record
from ..protobuf import BYTES, tagged
from ..puts import NULL, Put, Value
from ..requirements import not_tested, requirement
from ..wire import JSON, PROTOBUF, Reply
from .chapter03 import expect_unused, push_text

TARGET = "01890000-0000-7000-8000-000000000001"
TARGET_BYTES = bytes.fromhex(TARGET.replace("-", ""))


def text(value: str) -> Value:
    return Value("text", value.encode())


def shown(device: Device, change: Change) -> Tuple[Dict[str, Any], Reply]:
    """The members of a record's put in a page in JSON."""
    reply = expect_status(device.get_page(b"", JSON))
    for record in reply.json()["records"]:
        if record["record"].replace("-", "") == change.record.hex():
            return record["put"], reply
    expect(False, "a record that was stored is not in the page", reply)
    raise AssertionError


def expect_stored(device: Device, put: str, expected: Union[Put, bytes]) -> None:
    """Pushes a put by the text of its members, and expects its bytes."""
    device.settle(device.send(push_text(device, put)))
    reply = device.get_page(b"", PROTOBUF)
    found = next(record.put for record in device.read_page(reply).records if record.id.endswith(b"\xff"))
    expect_equal(found, expected if isinstance(expected, bytes) else expected.encode(), f"the put of {put}", reply)


def store(device: Device, put: Union[Put, bytes], entity: str = "Thing") -> Change:
    """Stores a put whose bytes JSON may not say."""
    device.encoding = PROTOBUF
    change = device.put(entity, put)
    device.push([change])
    device.encoding = JSON
    return change


@requirement("5.6", 1, "hasMore, records and results are always written")
def members_that_are_written(run: Run) -> None:
    owner = run.scope().owner
    reply = owner.send({"number": 1})
    owner.settle(reply)
    expect_equal(reply.json().get("results"), [], "results", reply)
    reply = owner.get_page()
    expect_equal((reply.json().get("records"), reply.json().get("hasMore")), ([], False), "records and hasMore", reply)


@requirement("5.6", 2, "members that are empty or false may be left out of a request, and are left out of a reply")
def members_that_are_left_out(run: Run) -> None:
    owner = run.scope().owner
    change = owner.form.change(owner.person())
    owner.settle(owner.send({"number": 1, "transactions": [
        {"continues": False, "changes": [{**change, "base": None, "delete": False}]}]}))
    reply = owner.send({"number": 2, "transactions": [{"changes": [owner.form.change(owner.person())]}]})
    owner.settle(reply)
    expect_equal(set(reply.json()), {"number", "results", "serverTime"}, "the members of a reply", reply)
    expect_equal(list(reply.json()["results"][0]), ["sequence"], "the members of a result", reply)
    page = owner.get_page(b"")
    expect_equal(set(page.json()), {"records", "checkpoint", "hasMore", "digest", "schemaVersion", "serverTime"},
                 "the members of a page", page)
    expect_equal(set(page.json()["records"][0]), {"entity", "record", "stamp", "put", "hash"},
                 "the members of a record", page)


@requirement("5.6", 3, "each type has its form, and the put has the bytes of that value")
def types(run: Run) -> None:
    owner = run.scope().owner
    for put, property, value in (
            ('{"text":"a"}', 1, text("a")), ('{"whole":-5}', 2, Value("integer", -5)),
            ('{"real":1.5}', 3, Value("real", 1.5)), ('{"real":2}', 3, Value("real", 2.0)),
            ('{"real":1e300}', 3, Value("real", 1e300)), ('{"flag":true}', 4, Value("boolean", True)),
            ('{"day":"2026-02-28"}', 5, text("2026-02-28")), ('{"day":"2024-02-29"}', 5, text("2024-02-29")),
            ('{"moment":1784021400000}', 6, Value("integer", 1784021400000)),
            ('{"moment":"1784021400000"}', 6, Value("integer", 1784021400000)),
            ('{"moment":"2026-07-14T09:30:00.000Z"}', 6, Value("integer", 1784021400000)),
            ('{"key":"%s"}' % TARGET, 7, Value("bytes", TARGET_BYTES)), ('{"data":"YWI="}', 8, Value("bytes", b"ab")),
            ('{"json":{"a":[1,null]}}', 9, text('{"a":[1,null]}')), ('{"json":"a"}', 9, text('"a"'))):
        expect_stored(owner, put, Put({}, {property: value}))
    expect_stored(owner, '{"next":"%s"}' % TARGET, Put({20: TARGET_BYTES}))
    expect_stored(owner, '{"next":null,"text":null}', Put())


@requirement("5.6", 4, "a page shows each type in its form")
def forms_of_types(run: Run) -> None:
    owner = run.scope().owner
    change = store(owner, Put({20: TARGET_BYTES}, {
        1: text("a"), 2: Value("integer", -5), 3: Value("real", 1.5), 4: Value("boolean", False), 5: text("2026-02-28"),
        6: Value("integer", 1784021400000), 7: Value("bytes", TARGET_BYTES), 8: Value("bytes", b"ab"),
        9: text('{"a":[1.50]}'), 10: NULL}))
    members, reply = shown(owner, change)
    expect_equal(members, {"text": "a", "whole": -5, "real": 1.5, "flag": False, "day": "2026-02-28",
                           "moment": 1784021400000, "key": TARGET, "data": "YWI=", "json": {"a": [1.5]}, "preset": None,
                           "next": TARGET}, "the put", reply)


@requirement("5.6", 5, "a value that does not fit its type is a bad_request of the whole push")
def values_that_do_not_fit(run: Run) -> None:
    owner = run.scope().owner
    for put in ('{"text":1}', '{"text":["a"]}', '{"whole":"a"}', '{"real":"1.5"}', '{"real":true}', '{"flag":1}',
                '{"flag":"true"}', '{"day":"2026-02-30"}', '{"day":"2026-2-3"}', '{"day":20260203}', '{"day":""}',
                '{"moment":"yesterday"}', '{"moment":1.5}', '{"key":"0189"}', '{"key":"%s"}' % TARGET.replace("-", ""),
                '{"data":5}', '{"next":"0189"}', '{"next":5}', '{"next":"%s0"}' % TARGET, '{"real":1e999}'):
        expect_error(owner.send(push_text(owner, put)), 400, "bad_request")
    expect_unused(owner)


@requirement("5.6", 6, "a name that the schema does not have is a bad_request of the whole push")
def unknown_names(run: Run) -> None:
    owner = run.scope().owner
    for put in ('{"later":1}', '{"previous":"%s"}' % TARGET, '{"id":1}', '{"TEXT":"a"}', '{"":1}'):
        expect_error(owner.send(push_text(owner, put)), 400, "bad_request")
    for entity in ("thing", "Later", "", "Thing_next"):
        body = push_text(owner, "{}").replace('"entity":"Thing"', f'"entity":"{entity}"')
        expect_error(owner.send(body), 400, "bad_request")
    expect_unused(owner)


@requirement("5.6", 7, "properties that the schema does not have stand under # and their number, in both directions")
def unknown_properties(run: Run) -> None:
    owner = run.scope().owner
    expected = Put({77: TARGET_BYTES}, {
        70: text("later"), 71: Value("integer", 9007199254740993), 72: Value("real", 1.5), 73: Value("boolean", True),
        74: Value("bytes", b"ab"), 75: NULL})
    put = ('{"#70":{"text":"later"},"#71":{"integer":"9007199254740993"},"#72":{"real":1.5},"#73":{"boolean":true},'
           '"#74":{"bytes":"YWI="},"#75":{"null":true},"#77":{"record":"%s"}}' % TARGET)
    expect_stored(owner, put, expected)
    members, reply = shown(owner, store(owner, expected))
    found = {**members, "#71": {"integer": int(members.get("#71", {}).get("integer", 0))}}
    wanted = jsontext.parse(put.replace('"9007199254740993"', "9007199254740993"))
    expect_equal(found, wanted, "the put", reply)


@requirement("5.6", 8, "a property that the schema has may be given under # and its number, too")
def known_properties_by_number(run: Run) -> None:
    owner = run.scope().owner
    expect_stored(owner, '{"#1":{"text":"a"},"#2":{"integer":5},"#20":{"record":"%s"}}' % TARGET,
                  Put({20: TARGET_BYTES}, {1: text("a"), 2: Value("integer", 5)}))
    for json in ('{"a": 1}', '{"a":1,"a":2}', "null", "{"):
        expect_stored(owner, '{"#9":{"text":%s}}' % jsontext.write(json), Put({}, {9: text(json)}))


@requirement("5.6", 9, "a form under # that is none of the seven, or a number of another form, is a bad_request")
def spelled_out_forms(run: Run) -> None:
    owner = run.scope().owner
    for put in ('{"#70":{"null":false}}', '{"#70":{"text":"a","integer":1}}', '{"#70":{}}', '{"#70":"a"}',
                '{"#70":null}',
                '{"#70":{"later":1}}', '{"#70":{"text":1}}', '{"#70":{"boolean":1}}', '{"#70":{"record":"0189"}}',
                '{"#07":{"text":"a"}}', '{"#":5}', '{"#0":{"text":"a"}}', '{"#4294967296":{"text":"a"}}',
                '{"#x":{"text":"a"}}', '{"#-1":{"text":"a"}}', '{"#+1":{"text":"a"}}'):
        expect_error(owner.send(push_text(owner, put)), 400, "bad_request")
    expect_unused(owner)


@requirement("5.6", 10, "a property that is given under its name and under its number is a bad_request")
def name_and_number(run: Run) -> None:
    owner = run.scope().owner
    expect_error(owner.send(push_text(owner, '{"text":"a","#1":{"text":"b"}}')), 400, "bad_request")
    expect_unused(owner)


@requirement("5.6", 11, "a stored value that does not fit its type stands under # and its number")
def unfit_values(run: Run) -> None:
    owner = run.scope().owner
    change = store(owner, Put({}, {1: Value("integer", 5), 2: text("a"), 4: Value("integer", 1), 5: text("2026-02-30"),
                                   7: Value("bytes", b"ab"), 9: text('{"a":1,"a":2}')}))
    members, reply = shown(owner, change)
    expect_equal(members, {"#1": {"integer": 5}, "#2": {"text": "a"}, "#4": {"integer": 1},
                           "#5": {"text": "2026-02-30"},
                           "#7": {"bytes": "YWI="}, "#9": {"text": '{"a":1,"a":2}'}}, "the put", reply)
    expect_stored(owner, jsontext.write(members), change.put or b"")


@requirement("5.6", 12, "an entity that the schema does not have is # and its number, in both directions")
def unknown_entities(run: Run) -> None:
    owner = run.scope().owner
    change = Change(999, run.identifier(), owner.clock.tick(), Put({}, {1: text("a")}).encode())
    owner.push([change])
    reply = owner.get_page(b"", JSON)
    record = reply.json()["records"][0]
    expect_equal((record["entity"], record["put"]), ("#999", {"#1": {"text": "a"}}), "the record", reply)
    for name in ("#0", "#0999", "#x", "#-1", "#4294967296", "#"):
        body = push_text(owner, "{}").replace('"entity":"Thing"', f'"entity":"{name}"')
        expect_error(owner.send(body), 400, "bad_request")


@requirement("5.6", 13, "JSON text is stored without spaces, with members, numbers and escapes in one form")
def json_text(run: Run) -> None:
    owner = run.scope().owner
    for sent, stored in (
            ('{"a" : [1.50, "\\u00e9\\/"]}', '{"a":[1.50,"é/"]}'), ('{"b":1,"a":2}', '{"b":1,"a":2}'),
            ("1E+2", "1E+2"), ("-0", "-0"), ("-0.0", "-0.0"), ("12345678901234567890123", "12345678901234567890123"),
            ('"\\"\\\\\\n\\r\\t"', '"\\"\\\\\\n\\r\\t"'), ('"\\b\\f\\u001F\\u007f"', '"\\u0008\\u000c\\u001f\\u007f"'),
            ('"\\ud83d\\ude00\\u2028"', '"😀\u2028"'), ("[ ]", "[]"), ("{ }", "{}"), ("true", "true"),
            ('[null,{"a":null}]', '[null,{"a":null}]'), ('{"":{"\\u0000":1}}', '{"":{"\\u0000":1}}')):
        expect_stored(owner, '{"json":%s}' % sent, Put({}, {9: text(stored)}))


@requirement("5.6", 14, "a json value with a name twice, or more than 64 levels, is a bad_request")
def json_that_does_not_fit(run: Run) -> None:
    owner = run.scope().owner
    for value in ('{"a":1,"a":2}', '{"b":{"a":1,"\\u0061":2}}', "[" * 65 + "]" * 65):
        expect_error(owner.send(push_text(owner, '{"json":%s}' % value)), 400, "bad_request")
    expect_stored(owner, '{"json":%s}' % ("[" * 64 + "]" * 64), Put({}, {9: text("[" * 64 + "]" * 64)}))


@requirement("5.6", 15, "hash stands with every put, and is ignored in what the server is sent")
def hashes(run: Run) -> None:
    scope = run.recovering_scope()
    owner = scope.owner
    record = Record(3, run.identifier(), bytes.fromhex("0189") + bytes(14), Put({}, {1: text("a")}).encode())
    members = owner.form.record(record)
    members["hash"] = "0" * 32
    reply = owner.send_recovery(jsontext.write({"records": [members]}).encode())
    expect_status(reply)
    found = owner.get_page(b"", JSON)
    expect_equal(found.json()["records"][0].get("hash"), content_hash(record.put or b"").hex(), "the hash", found)


def renamed(version: int = 2) -> str:
    """The schema of most checks with Thing.text renamed to Thing.title, and Person to Human."""
    file = schemas.changed(version)
    file["entities"][2]["attributes"][0]["name"] = "title"
    file["entities"][0]["name"] = "Human"
    file["entities"][1]["relationships"][0]["destination"] = "Human"
    return schemas.text(file)


@requirement("5.6", 16, "names are those of the schema in force: an outdated one is a bad_request of the whole push")
def outdated_names(run: Run) -> None:
    owner = run.scope().owner
    change = owner.put("Thing", {"text": "a"})
    sealed = owner.seal(owner.next_push([change]))
    expect_status(owner.request("PUT", "/v1/schema", {"schema": renamed()}))
    expect_error(owner.send(sealed), 400, "bad_request")
    owner.use_schema(renamed())
    owner.settle(owner.send(owner.next_push([change])))
    members, reply = shown(owner, change)
    expect_equal(members, {"title": "a"}, "the put", reply)


@requirement("5.6", 17, "a push that is stored gets its stored reply by its bytes, whatever its names")
def stored_names(run: Run) -> None:
    owner = run.scope().owner
    sealed = owner.seal(owner.next_push([owner.put("Thing", {"text": "a"}), owner.person()]))
    reply = owner.send(sealed)
    owner.settle(reply)
    expect_status(owner.request("PUT", "/v1/schema", {"schema": renamed()}))
    again = expect_status(owner.send(sealed))
    expect_equal(again.body, reply.body, "the reply", again)


ODD = (("text that is not UTF-8", Put({}, {1: Value("text", b"a\xffb"), 2: Value("integer", 5)}).encode()),
       ("JSON text with spaces", Put({}, {2: Value("integer", 5), 9: text('{"a": 1}')}).encode()),
       ("a field that the server does not know", Put({}, {2: Value("integer", 5)}).encode() + tagged(50, BYTES, b"l")))


@requirement("5.6", 18, "a put whose members do not give its bytes has the member #, and gets its bytes back with it")
def whole_puts(run: Run) -> None:
    owner = run.scope().owner
    for name, put in ODD:
        members, reply = shown(owner, store(owner, put))
        expect_equal(members.get("#"), base64.b64encode(put).decode(), f"the member # of a put with {name}", reply)
        expect_equal(members.get("whole"), 5, "the member of an attribute", reply)
        expect_stored(owner, jsontext.write(members), put)


@requirement("5.6", 19, "a put whose members give its bytes has no member #")
def plain_puts(run: Run) -> None:
    owner = run.scope().owner
    for put in (Put(), Put({20: TARGET_BYTES}, {1: text("é"), 9: text('{"a":1}'), 88: text("x")})):
        members, reply = shown(owner, store(owner, put))
        expect("#" not in members, "a put that its members say has the member #", reply)


@requirement("5.6", 20, "with the member #, what the members say otherwise is replaced, and no other byte")
def edited_whole_puts(run: Run) -> None:
    owner = run.scope().owner
    later = tagged(50, BYTES, b"later")
    odd = Put({20: TARGET_BYTES}, {1: Value("text", b"a\xffb"), 2: Value("integer", 5), 9: text('{"a": 1}')})
    change = store(owner, odd.encode() + later)
    members, _ = shown(owner, change)
    for edit, expected in (({"whole": 6}, {2: Value("integer", 6)}), ({"text": "new"}, {1: text("new")}),
                           ({"flag": True}, {4: Value("boolean", True)}), ({"json": {"a": 2}}, {9: text('{"a":2}')})):
        put = copy.deepcopy(odd)
        put.content.update(expected)
        expect_stored(owner, jsontext.write({**members, **edit}), put.encode() + later)


@requirement("5.6", 21, "with the member #, a member that is missing is a nil")
def missing_members(run: Run) -> None:
    owner = run.scope().owner
    later = tagged(50, BYTES, b"later")
    odd = Put({20: TARGET_BYTES}, {1: Value("text", b"a\xffb"), 2: Value("integer", 5)})
    members, _ = shown(owner, store(owner, odd.encode() + later))
    for name, number in (("whole", 2), ("text", 1)):
        rest = {key: value for key, value in members.items() if key != name}
        put = Put(dict(odd.references), {key: value for key, value in odd.content.items() if key != number})
        expect_stored(owner, jsontext.write(rest), put.encode() + later)
    rest = {key: value for key, value in members.items() if key != "next"}
    expect_stored(owner, jsontext.write(rest), Put({}, dict(odd.content)).encode() + later)


not_tested("5.6", 22, "a put that no reader can read has no member but #",
           "needs data that a server before 2026-12 stored")
not_tested("5.6", 23, "a record of which the server has lost the shape is left out of a page in JSON",
           "needs damaged data")


@requirement("5.6", 24, "a deleted record has its delete slot as deleted, next to its put slot or alone")
def deleted_records(run: Run) -> None:
    owner = run.scope().owner
    change = owner.person()
    delete, alone = owner.delete("Person", change.record), owner.delete("Person", run.identifier())
    owner.push([change], [delete], [alone])
    reply = owner.get_page(b"", JSON)
    found: List[Dict[str, Any]] = reply.json()["records"]
    expect_equal((found[0].get("stamp"), found[0].get("put"), found[0].get("deleted")),
                 (change.stamp.hex(), {"name": "Ana"}, delete.stamp.hex()), "a deleted record", reply)
    expect_equal(set(found[1]), {"entity", "record", "deleted"}, "the members of a delete alone", reply)

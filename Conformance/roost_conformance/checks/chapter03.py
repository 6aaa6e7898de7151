"""§3 Conventions: text, JSON, numbers, hexadecimal, unknown fields, Base64, and requests."""
from __future__ import annotations

import math

from ..actors import Device, Run
from ..expectations import expect, expect_equal, expect_error, expect_status
from ..jsontext import Members
from ..protobuf import BYTES, VARINT, encode_varint, tagged
from ..puts import Put, Value
from ..requirements import requirement
from ..wire import JSON

TEXTS = ("é", "e\u0301", "\u212b", "A\u030a", "\x00", "\U0001f600", "\u202e")


def push_text(device: Device, put: str, stamp: str = "", head: str = "") -> str:
    """The JSON of a push of one put, with the text of its members."""
    stamp = stamp or device.clock.tick().hex()
    record = "01890000-0000-7000-8000-0000000000ff"
    change = '{"entity":"Thing","record":"%s","stamp":"%s","put":%s}' % (record, stamp, put)
    return '{"number":%d,%s"transactions":[{"changes":[%s]}]}' % (device.number + 1, head, change)


def expect_unused(device: Device) -> None:
    """Expects that the number of the next push is free: nothing of the refused push was stored."""
    device.push([device.person()])


@requirement("3", 1, "a body that is not UTF-8 is a 400")
def body_is_text(run: Run) -> None:
    owner = run.scope().owner
    body = push_text(owner, '{"text":"?"}').encode().replace(b"?", b"\xff")
    expect_error(owner.send(body), 400, "bad_request")
    expect_unused(owner)


@requirement("3", 2, "texts come back byte for byte: the server normalises none", both=True)
def texts_are_kept(run: Run) -> None:
    owner = run.scope(name="e\u0301").owner
    expect_equal(owner.request("GET", "/v1/me").json()["scopeName"], "e\u0301", "scopeName")
    changes = [owner.put("Thing", {"text": text}) for text in TEXTS]
    owner.push(changes)
    stored = {record.id: record.put for record in owner.everything()}
    for change in changes:
        expect_equal(stored[change.record], change.put, "the stored put")


@requirement("3", 3, "names are the same where their bytes are: two forms of one text are two names of a schema's")
def names_are_compared_by_bytes(run: Run) -> None:
    owner = run.scope().owner
    expect_error(owner.send(push_text(owner, '{"Text":"a"}')), 400, "bad_request")
    expect_error(owner.send(push_text(owner, '{"te\u0301xt":"a"}')), 400, "bad_request")


@requirement("3", 4, "a name that is in one JSON object twice is a bad_request")
def names_twice(run: Run) -> None:
    owner = run.scope().owner
    expect_error(owner.send(push_text(owner, '{"text":"a","text":"a"}')), 400, "bad_request")
    expect_error(owner.send(push_text(owner, '{"text":"a"}', head='"number":1,')), 400, "bad_request")
    expect_error(owner.send(push_text(owner, '{"text":"a","te\\u0078t":"a"}')), 400, "bad_request")
    expect_error(owner.request("POST", "/v1/invites", '{"uses":1,"uses":1}', {"Content-Type": JSON}), 400,
                 "bad_request")
    expect_unused(owner)


@requirement("3", 5, "a lone surrogate in JSON is a bad_request, and a pair is a character")
def surrogates(run: Run) -> None:
    owner = run.scope().owner
    for text in ("\\ud800", "\\udc00", "\\ud800\\u0041", "\\udc00\\ud800"):
        expect_error(owner.send(push_text(owner, '{"text":"%s"}' % text)), 400, "bad_request")
    owner.settle(owner.send(push_text(owner, '{"text":"\\ud83d\\ude00"}')))
    expect_equal(owner.everything()[0].put, Put({}, {1: Value("text", "😀".encode())}).encode(), "the stored put")


@requirement("3", 6, "text after the JSON value, and what is no JSON, is a bad_request")
def text_after_the_value(run: Run) -> None:
    owner = run.scope().owner
    whole = push_text(owner, '{"text":"a"}')
    for body in (whole + "{}", whole + ",", whole[:-1], "", "[]", '"a"', whole.replace('"a"', "'a'"), whole + "\x00",
                 whole.replace('"a"', "NaN"), whole.replace('"a"', '"a\n"'), whole.replace('"a"', '"a",')):
        expect_error(owner.send(body), 400, "bad_request")
    owner.settle(owner.send(" \r\n\t" + whole + " \n"))


@requirement("3", 7, "JSON nests 70 levels in messages with records, and more is a bad_request")
def levels_of_messages(run: Run) -> None:
    owner = run.scope().owner
    # The push, transactions, a transaction, changes, a change and its put are six levels.
    deep = push_text(owner, '{"json":%s}' % ("[" * 64 + "]" * 64))
    owner.settle(owner.send(deep))
    expect_error(owner.send(push_text(owner, '{"json":%s}' % ("[" * 65 + "]" * 65))), 400, "bad_request")
    unknown = '"later":%s,' % ("[" * 70 + "]" * 70)
    expect_error(owner.send(push_text(owner, "{}", head=unknown)), 400, "bad_request")
    owner.settle(owner.send(push_text(owner, "{}", head='"later":%s,' % ("[" * 69 + "]" * 69))))


@requirement("3", 8, "JSON nests 16 levels in all other bodies, and more is a bad_request")
def levels_of_bodies(run: Run) -> None:
    owner = run.scope().owner
    fields = {"Content-Type": JSON}
    for count, status in ((15, 201), (16, 400)):
        body = '{"role":"viewer","later":%s}' % ("[" * count + "]" * count)
        expect_status(owner.request("POST", "/v1/invites", body, fields), status)


@requirement("3", 9, "a member that is null counts as left out, except inside a put")
def null_members(run: Run) -> None:
    owner = run.scope().owner
    body = push_text(owner, "{}", head='"checkpoint":null,').replace('"put":{}', '"put":{},"base":null,"delete":null')
    owner.settle(owner.send(body))
    record = owner.everything()[0]
    expect_equal((record.base, record.delete_stamp), (b"", b""), "base and delete stamp")
    expect_status(owner.request("POST", "/v1/invites", {"role": "viewer", "hours": None, "uses": None}), 201)


@requirement("3", 10, "a charset in Content-Type other than utf-8 is a 415")
def charsets(run: Run) -> None:
    owner = run.scope().owner
    for charset in ("iso-8859-1", "utf-16"):
        fields = {"Content-Type": f"{JSON}; charset={charset}"}
        expect_error(owner.send(push_text(owner, "{}"), headers=fields), 415, "unsupported_media_type")
    for charset in ("utf-8", "UTF-8", '"utf-8"'):
        fields = {"Content-Type": f"{JSON}; charset={charset}"}
        owner.settle(owner.send(push_text(owner, "{}"), headers=fields))


@requirement("3", 11, "integers of 64 bits are written with all their digits, and taken as a number or as a string")
def integers(run: Run) -> None:
    owner = run.scope().owner
    for number in (0, 1, -1, (1 << 53) + 1, (1 << 63) - 1, -(1 << 63)):
        for member in (str(number), f'"{number}"'):
            for put in ('{"whole":%s}' % member, '{"#2":{"integer":%s}}' % member, '{"moment":%s}' % member):
                owner.settle(owner.send(push_text(owner, put)))
                reply = expect_status(owner.get_page(b"", JSON))
                shown = reply.json()["records"][0]["put"]
                expect_equal([int(value) for value in shown.values()], [number], "the member of the put", reply)
                property = 6 if "moment" in put else 2
                expect_equal(owner.everything()[0].put, Put({}, {property: Value("integer", number)}).encode(),
                             "the stored put", reply)


@requirement("3", 12, "an integer beyond 64 bits, with a fraction or an exponent, is a bad_request")
def integers_that_do_not_fit(run: Run) -> None:
    owner = run.scope().owner
    for member in ("9223372036854775808", '"9223372036854775808"', "-9223372036854775809", "1.5", '"1.5"', "true"):
        expect_error(owner.send(push_text(owner, '{"whole":%s}' % member)), 400, "bad_request")
    expect_unused(owner)


@requirement("3", 13, 'the string of an integer has one form: "+1", "007", "-0", "" and others are a bad_request')
def integer_strings(run: Run) -> None:
    owner = run.scope().owner
    for text in ("+1", "007", "-0", "", " 1", "1 ", "-", "0x1", "1e3", "\u0661"):
        for put in ('{"whole":"%s"}', '{"#2":{"integer":"%s"}}'):
            expect_error(owner.send(push_text(owner, put % text)), 400, "bad_request")
    expect_unused(owner)


@requirement("3", 14, 'doubles that are not finite are taken as "inf", "-inf" and "nan", and written as strings')
def doubles(run: Run) -> None:
    owner = run.scope().owner
    for text, number in (("inf", math.inf), ("-inf", -math.inf), ("nan", math.nan)):
        for put in ('{"real":"%s"}', '{"#3":{"real":"%s"}}'):
            owner.settle(owner.send(push_text(owner, put % text)))
            reply = expect_status(owner.get_page(b"", JSON))
            shown = str(reply.json()["records"][0]["put"]["real"])
            expect(shown == text or math.isnan(number) and shown.startswith("nan"), f"the double is {shown!r}", reply)
            stored = Put.decode(owner.everything()[0].put or b"").content[3].value
            expect(stored == number or math.isnan(stored) and math.isnan(number), f"the stored double is {stored}",
                   reply)


@requirement("3", 15, "finite doubles come back with all their bits")
def finite_doubles(run: Run) -> None:
    owner = run.scope().owner
    for number in (0.1, -0.0, 5e-324, 1.7976931348623157e308, 1e21, 123456789.125):
        change = owner.put("Thing", {"real": number})
        owner.push([change])
        stored = owner.stored(change)
        expect_equal(stored and stored.put, change.put, f"the stored put of {number}")


@requirement("3", 16, "hexadecimal and UUIDs are written in lower case and read in either")
def hexadecimal(run: Run) -> None:
    scope = run.scope()
    owner, other = scope.owner, scope.join()
    reply = owner.send(push_text(owner, '{"next":"ABCDEF00-0000-7000-8000-0000000000FF"}',
                                 owner.clock.tick().hex().upper()))
    owner.settle(reply)
    members = owner.form.change(owner.put("Thing", {"text": "a"}, record=bytes(range(0xA0, 0xB0))))
    members["record"] = str(members["record"]).upper()
    owner.settle(owner.send({"number": 2, "transactions": [{"changes": [members]}]}))
    reply = other.get_page(b"", JSON)
    records = expect_status(reply).json()["records"]
    expect_equal(records[1]["record"], "a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf", "the record", reply)
    expect_equal(records[0]["put"], {"next": "abcdef00-0000-7000-8000-0000000000ff"}, "the put", reply)
    expect_equal(records[0]["stamp"], str(records[0]["stamp"]).lower(), "the stamp", reply)
    upper = other.page(b"").checkpoint.hex().upper()
    expect_status(other.request("GET", f"/v1/pull?since={upper}"))


@requirement("3", 17, "any 16 bytes are a record's identifier", both=True)
def identifiers(run: Run) -> None:
    owner = run.scope().owner
    changes = [owner.person(record=record) for record in (bytes(16), b"\xff" * 16, bytes(range(16)))]
    owner.push(changes)
    expect_equal({r.id for r in owner.everything()}, {c.record for c in changes}, "the stored identifiers")


@requirement("3", 18, "members and fields that the server does not know are passed over", both=True)
def unknown_fields(run: Run) -> None:
    owner = run.scope().owner
    push = owner.next_push([owner.person()])
    if run.is_json:
        body: Members = owner.form.push_request(push)
        body["later"] = {"a": [1]}
        body["transactions"][0]["later"] = 1
        body["transactions"][0]["changes"][0]["later"] = "x"
        reply = owner.send(body)
    else:
        extra = tagged(99, VARINT, encode_varint(5)) + tagged(100, BYTES, b"later")
        change = push.transactions[0].changes[0].encode() + extra
        transaction = tagged(1, BYTES, change) + extra
        reply = owner.send(tagged(1, VARINT, b"\x01") + tagged(3, BYTES, transaction) + extra)
    owner.settle(reply)
    expect_equal(len(owner.everything()), 1, "the number of records")
    expect_status(owner.request("POST", "/v1/invites", {"role": "viewer", "later": [1]}), 201)


@requirement("3", 19, "Base64 without padding, with line breaks or with padding bits is a bad_request")
def base64_forms(run: Run) -> None:
    owner = run.scope().owner
    for text in ("YQ", "YQ=", "YR==", "YQ==\\n", "Y Q==", "YQ==YQ==", "_-==", "=", "YQ==="):
        expect_error(owner.send(push_text(owner, '{"data":"%s"}' % text)), 400, "bad_request")
        expect_error(owner.send(push_text(owner, '{"#8":{"bytes":"%s"}}' % text)), 400, "bad_request")
    for text in ("", "YQ==", "YWI=", "+/+/"):
        owner.settle(owner.send(push_text(owner, '{"data":"%s"}' % text)))


@requirement("3", 20, "every reply has Cache-Control: no-store, errors and replies to what is no HTTP included")
def no_store(run: Run) -> None:
    owner = run.scope().owner
    replies = [owner.request("GET", path) for path in ("/v1/me", "/v1/version", "/v1/health", "/v1/pull",
                                                       "/v1/nothing")]
    replies += [owner.request("PATCH", "/v1/me"), owner.send("{"), run.server.raw(b"garbage\r\n\r\n")[0]]
    for reply in replies:
        expect_equal(reply.header("Cache-Control"), "no-store", "Cache-Control", reply)


@requirement("3", 21, "Roost-Server is in every reply: 16 hexadecimal digits, always those")
def which_server(run: Run) -> None:
    owner = run.scope().owner
    replies = [owner.request("GET", path) for path in ("/v1/me", "/v1/version", "/v1/health", "/v1/pull",
                                                       "/v1/nothing")]
    replies += [owner.send("{"), owner.request("PATCH", "/v1/me")]
    name = replies[0].header("Roost-Server")
    expect(len(name) == 16 and set(name) <= set("0123456789abcdef"), f"Roost-Server is {name!r}", replies[0])
    for reply in replies:
        expect_equal(reply.header("Roost-Server"), name, "Roost-Server", reply)

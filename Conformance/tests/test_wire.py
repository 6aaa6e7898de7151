"""Messages, puts, hashes and stamps against the examples of protocol.md."""
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from roost_conformance import hashing, jsontext  # noqa: E402
from roost_conformance.errors import FormatError  # noqa: E402
from roost_conformance.puts import NULL, canonical_fault  # noqa: E402
from roost_conformance.stamps import CLOCK_MAX, Clock, Stamp  # noqa: E402
from roost_conformance.wire import (Change, JSONForm, Outcome, PullReply, PushReply, PushRequest, Put,  # noqa: E402
                                    Record, RecordName, Refusal, Result, Schema, Transaction, Value)

TAXI = bytes.fromhex("0a1408031210018900000000700080000000000000" "01121c0a080801120454617869"
                     "0a05080218c4130a0908091205" "6c61746572")
ANA = bytes.fromhex("12090a0708011203416e61")
PERSON = bytes.fromhex("01890000000070008000000000000001")
SPENDING = bytes.fromhex("01890000000070008000000000000002")
SCHEMA = Schema("""{"format": 1, "name": "trip", "version": 1, "entities": [
  {"id": 1, "name": "Person", "attributes": [{"id": 1, "name": "name", "type": "string"}],
   "relationships": [
     {"id": 2, "name": "spendings", "kind": "toMany", "destination": "Spending", "inverse": "person",
      "deleteRule": "cascade"},
     {"id": 4, "name": "likes", "kind": "manyToMany", "destination": "Spending", "inverse": "likedBy"}]},
  {"id": 2, "name": "Spending", "attributes": [
     {"id": 1, "name": "content", "type": "string"}, {"id": 2, "name": "amount", "type": "integer"},
     {"id": 5, "name": "note", "type": "json", "optional": true},
     {"id": 6, "name": "rate", "type": "double", "optional": true, "default": 1},
     {"id": 7, "name": "day", "type": "date", "optional": true},
     {"id": 10, "name": "flag", "type": "integer", "optional": true, "widens": "boolean"},
     {"id": 11, "name": "real", "type": "double", "optional": true, "widens": "integer"}],
   "relationships": [
     {"id": 3, "name": "person", "kind": "toOne", "destination": "Person", "inverse": "spendings"},
     {"id": 8, "name": "likedBy", "kind": "manyToMany", "destination": "Person", "inverse": "likes"}]}]}""")
FORM = JSONForm(SCHEMA)


def taxi_put(**content):
    return Put({}, {1: Value("text", b"Taxi"), **content}).encode()


class BytesOfTheProtocol(unittest.TestCase):
    def test_example_put(self):
        put = Put({3: PERSON}, {1: Value("text", b"Taxi"), 2: Value("integer", 1250), 9: Value("text", b"later")})
        self.assertEqual(put.encode(), TAXI)
        self.assertEqual(Put.decode(TAXI), put)
        self.assertEqual(hashing.content_hash(TAXI).hex(), "f143375c01136c513b04fb81261a8983")
        self.assertEqual(hashing.content_hash(b"").hex(), "e3b0c44298fc1c149afbf4c8996fb924")

    def test_false_is_written(self):
        put = Put({}, {4: Value("boolean", False)}).encode()
        self.assertTrue(put.endswith(bytes.fromhex("2800")))

    def test_example_page(self):
        data = bytes.fromhex(
            "0a33" "0801" "121001890000000070008000000000000001" "1a1001a1fc5c24800000ca377fe4c6f0338b"
            "220b12090a0708011203416e61" "12080aa2dd785ac767c3" "22103f735c21ead82160f64eeec720197afd" "2801"
            "3084c9f0e29f34")
        page = PullReply.decode(data)
        self.assertEqual(page.records[0].put, ANA)
        self.assertEqual((page.schema_version, page.server_time, page.has_more), (1, 1795235259524, False))
        self.assertEqual(page.encode(), data)

    def test_example_digest(self):
        records = [Record(1, PERSON, bytes.fromhex("01a1fc5c24800000ca377fe4c6f0338b"), ANA),
                   Record(2, SPENDING, bytes.fromhex("01a1fc5c24800001ca377fe4c6f0338b"), TAXI)]
        self.assertEqual(hashing.digest(records).hex(), "3f735c21ead82160f64eeec720197afd")
        self.assertEqual(hashing.digest([Record(1, PERSON)]), bytes(16))

    def test_canonical_faults(self):
        self.assertIsNone(canonical_fault(TAXI))
        self.assertIsNone(canonical_fault(b""))
        self.assertIsNone(canonical_fault(TAXI + bytes.fromhex("1a0161")), "a later field behind the known ones")
        for name, put in {"empty content": "1200", "long varint": "12060a0408812801", "zero": "12040a020800",
                          "order": "120c0a0408022801" "0a0408012801", "twice": "120c0a0408012801" "0a0408012801",
                          "two values": "12080a06080128013001", "short target": "0a05080312016100",
                          "cut": "12"}.items():
            self.assertIsNotNone(canonical_fault(bytes.fromhex(put)), name)

    def test_messages_come_back(self):
        change = Change(1, PERSON, bytes(16), b"", bytes(range(16)))
        push = PushRequest(7, b"\x01", [Transaction([change, Change(2, SPENDING, bytes(16), delete=True)], True)])
        self.assertEqual(PushRequest.decode(push.encode()), push)
        reply = PushReply(7, [Result(3, [Outcome(0, 2, bytes(16))]), Result(staged=True),
                              Result(refused=Refusal("too_large", "…", 0)), Result(refused=Refusal("gone", "…"))],
                          [Record(1, PERSON, delete_stamp=bytes(16))], 9, PullReply(checkpoint=b"\x02", has_more=True))
        self.assertEqual(PushReply.decode(reply.encode()), reply)

    def test_unknown_fields_are_passed_over(self):
        data = RecordName(1, PERSON).encode() + bytes.fromhex("f80101" "fa010161" "fd0100000000" "f9010000000000000000")
        self.assertEqual(RecordName.decode(data), RecordName(1, PERSON))
        for cut in (b"\x0a", b"\x0a\x05a", b"\x08\x80", b"\x08" + b"\xff" * 10 + b"\x01", b"\x0b"):
            with self.assertRaises(FormatError):
                PullReply.decode(cut)

    def test_numbers(self):
        for number in (0, 1, -1, 1250, (1 << 63) - 1, -(1 << 63)):
            put = Put({}, {1: Value("integer", number)})
            self.assertEqual(Put.decode(put.encode()), put)


class JSONOfTheProtocol(unittest.TestCase):
    def test_members_of_a_put(self):
        members = FORM.puts.members(2, TAXI)
        self.assertEqual(members, {"content": "Taxi", "amount": 1250, "#9": {"text": "later"},
                                   "person": "01890000-0000-7000-8000-000000000001"})
        self.assertEqual(FORM.puts.put(2, members), TAXI)

    def test_json_text(self):
        value = jsontext.parse('{"a" : [1.50, "\\u00e9\\/"]}')
        self.assertEqual(jsontext.write(value), '{"a":[1.50,"é/"]}')
        self.assertEqual(jsontext.write(jsontext.parse('"\\u007f\\b\\n\\u001F"')), '"\\u007f\\u0008\\n\\u001f"')
        for text in ('{"a":1,"a":2}', '"\\ud800"', "1 2", "NaN", b"\xff", "[" * 5000):
            with self.assertRaises(FormatError):
                jsontext.parse(text)

    def test_values_that_no_member_says(self):
        for content in ({5: Value("text", b'{"a": 1}')}, {9: Value("text", b"\xff")}, {1: Value("text", b"\xff")}):
            put = Put({}, content).encode()
            members = FORM.puts.members(2, put)
            self.assertIn("#", members)
            self.assertEqual(FORM.puts.put(2, members), put)

    def test_an_edit_replaces_no_other_byte(self):
        later = bytes.fromhex("920305") + b"later"
        odd = Put({3: PERSON}, {1: Value("text", b"a\xffb"), 2: Value("integer", 5), 5: Value("text", b'{"a": 1}')})
        data = odd.encode() + later
        members = FORM.puts.members(2, data)
        self.assertEqual(FORM.puts.put(2, members), data)
        for edit, content in (({"amount": 6}, {2: Value("integer", 6)}), ({"content": "b"}, {1: Value("text", b"b")}),
                              ({"note": {"a": 2}}, {5: Value("text", b'{"a":2}')}),
                              ({"day": "2026-02-28"}, {7: Value("text", b"2026-02-28")})):
            self.assertEqual(FORM.puts.put(2, {**members, **edit}), Put(odd.references,
                                                                        {**odd.content, **content}).encode()
                             + later)
        for name, number in (("amount", 2), ("note", 5), ("person", 3)):
            rest = {key: value for key, value in members.items() if key != name}
            put = Put({key: value for key, value in odd.references.items() if key != number},
                      {key: value for key, value in odd.content.items() if key != number})
            self.assertEqual(FORM.puts.put(2, rest), put.encode() + later)

    def test_values_that_do_not_fit(self):
        put = Put({}, {2: Value("text", b"x"), 5: Value("text", b"{"), 7: Value("text", b"2026-02-30")}).encode()
        members = FORM.puts.members(2, put)
        self.assertEqual(members, {"#2": {"text": "x"}, "#5": {"text": "{"}, "#7": {"text": "2026-02-30"}})
        self.assertEqual(FORM.puts.put(2, members), put)

    def test_forms_of_numbers(self):
        for member in (9007199254740993, "9007199254740993"):
            put = Put.decode(FORM.puts.put(2, {"amount": member}))
            self.assertEqual(put.content[2], Value("integer", 9007199254740993))
        for member in ("+1", "007", "-0", "", 1.5, True, 1 << 63):
            with self.assertRaises(FormatError):
                FORM.puts.put(2, {"amount": member})
        for member in ("inf", "-inf", 1.5):
            put = FORM.puts.put(2, {"rate": member})
            self.assertEqual(FORM.puts.members(2, put), {"rate": member})

    def test_nil_and_default(self):
        self.assertEqual(FORM.puts.put(2, {"rate": None, "amount": None}), Put({}, {6: NULL}).encode())
        self.assertEqual(FORM.puts.members(2, Put({}, {6: NULL}).encode()), {"rate": None})

    def test_widened_types(self):
        self.assertEqual(FORM.puts.put(2, {"flag": 1, "real": jsontext.parse("2.0")}),
                         Put({}, {10: Value("boolean", True), 11: Value("integer", 2)}).encode())
        self.assertEqual(FORM.puts.put(2, {"real": jsontext.parse("-0.0")}),
                         Put({}, {11: Value("real", -0.0)}).encode())
        self.assertEqual(FORM.puts.put(2, {"flag": 2}), Put({}, {10: Value("integer", 2)}).encode())

    def test_messages_come_back(self):
        record = Record(2, SPENDING, bytes(range(16)), TAXI, bytes(16), bytes(16))
        page = PullReply([record], b"\x01\x02", False, bytes(16), 1, 5, [RecordName(9, PERSON)])
        self.assertEqual(FORM.read_page(FORM.page(page)), page)
        reply = PushReply(1, [Result(3, [Outcome(0, 1, bytes(16))]), Result(staged=True),
                              Result(refused=Refusal("gone", "…", 0))], [record], 5, page)
        self.assertEqual(FORM.read_push_reply(FORM.push_reply(reply)), reply)
        push = PushRequest(1, b"", [Transaction([Change(2, SPENDING, bytes(16), TAXI),
                                                 Change(9, PERSON, bytes(16), b"")])])
        self.assertEqual(FORM.read_push_request(FORM.push_request(push)), push)

    def test_a_wrong_hash_is_an_error(self):
        members = FORM.record(Record(2, SPENDING, bytes(range(16)), TAXI))
        members["hash"] = "00" * 16
        with self.assertRaises(FormatError):
            FORM.read_record(members)

    def test_links(self):
        link = SCHEMA.entity("Person_likes")
        self.assertEqual(link.id, 1 << 16 | 4)
        self.assertEqual([r.destination for r in link.references.values()], ["Person", "Spending"])
        self.assertEqual(len(hashing.link_identifier(link.id, "A" * 36, "b" * 36)), 16)


class StampsAndTokens(unittest.TestCase):
    def test_stamps_sort_as_bytes(self):
        clock = Clock(bytes(8))
        stamps = [clock.tick() for _ in range(70000)]
        self.assertEqual(stamps, sorted(set(stamps)))
        self.assertEqual(Stamp.read(stamps[0]).encode(), stamps[0])

    def test_a_clock_has_a_last_reading(self):
        clock = Clock(bytes(8))
        clock.receive(b"\xff" * 16)
        self.assertEqual(clock.reading, CLOCK_MAX << 16)
        self.assertEqual(CLOCK_MAX, 139_637_976_727_552)

    def test_offset(self):
        clock = Clock(bytes(8), offset=3_600_000)
        ahead = Stamp.read(clock.tick()).milliseconds - Stamp.read(Clock(bytes(8)).tick()).milliseconds
        self.assertTrue(3_590_000 < ahead < 3_610_000)

    def test_tokens(self):
        token = hashing.make_token("d")
        self.assertTrue(re.match(r"roost_d_[0-9A-Za-z]{36}\Z", token))
        self.assertTrue(hashing.is_token(token, "d"))
        self.assertFalse(hashing.is_token(token, "i"))
        self.assertFalse(hashing.is_token(token[:-1] + ("0" if token[-1] != "0" else "1"), "d"))


if __name__ == "__main__":
    unittest.main()

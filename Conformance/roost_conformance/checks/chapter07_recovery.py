"""§7.7 Bringing back what the server lost. A scope that is made with an identifier is recovering (§8.1)."""
from __future__ import annotations

from typing import List

from ..actors import Run
from ..expectations import expect, expect_equal, expect_error, expect_status
from ..hashing import digest
from ..messages import Record
from ..protobuf import BYTES, VARINT, tagged
from ..puts import Put, Value
from ..requirements import requirement
from ..slots import merged
from ..stamps import Stamp, wall_milliseconds
from ..wire import PROTOBUF


TARGET = tagged(1, BYTES, tagged(1, VARINT, b"\x14") + tagged(2, BYTES, bytes(16)))
FIELD = tagged(2, BYTES, tagged(1, BYTES, bytes.fromhex("08012801")))
EARLIER_FORMS = (FIELD + TARGET, tagged(2, BYTES, b""), tagged(2, BYTES, tagged(1, BYTES, bytes.fromhex("0881002801"))),
                 tagged(2, BYTES, tagged(1, BYTES, bytes.fromhex("080118022801"))))
"""Puts that servers before 2026-12 took: content first, empty content, a long number, two values."""


def person(run: Run, name: str = "Ana", milliseconds: int = 1_700_000_000_000) -> Record:
    """A put slot under the stamp of some replica of an earlier server."""
    stamp = Stamp(milliseconds, run.random.randrange(1 << 16), run.identifier()[:8]).encode()
    return Record(1, run.identifier(), stamp, Put({}, {1: Value("text", name.encode())}).encode())


@requirement("7.7", 1, "a recovering scope takes slots with the stamps that they had, of any replica", both=True)
def brought_back(run: Run) -> None:
    scope = run.recovering_scope()
    records = [person(run), person(run), Record(1, run.identifier(), delete_stamp=person(run).put_stamp)]
    records[1].base = records[0].put_stamp
    records[1].delete_stamp = person(run, milliseconds=1_700_000_000_001).put_stamp
    expect_equal(scope.owner.recover(records).stored, 3, "stored")
    expect_equal({r.id: r for r in scope.owner.everything()}, {r.id: r for r in records}, "the records")
    expect_equal(scope.digest()["digest"], digest(records).hex(), "the digest")


@requirement("7.7", 2, "what is brought back is merged, and stored under one sequence", both=True)
def one_sequence(run: Run) -> None:
    scope = run.recovering_scope()
    owner = scope.owner
    owner.push([owner.person()])
    records = [person(run) for _ in range(3)]
    owner.recover(records)
    expect_equal(scope.digest()["sequence"], 2, "the sequence")
    older = Record(1, records[0].id, Stamp(1, 0, bytes(8)).encode(), b"")
    expect_equal(owner.recover([older]).stored, 0, "stored of a lesser slot")
    everything: List[Record] = owner.everything()
    expect_equal(next(r for r in everything if r.id == older.id), records[0], "the record")


@requirement("7.7", 3, "stored says how many of the records were new, and a repeated request changes nothing",
             both=True)
def repeated(run: Run) -> None:
    scope = run.recovering_scope()
    records = [person(run) for _ in range(4)]
    expect_equal(scope.owner.recover(records[:2]).stored, 2, "stored")
    expect_equal(scope.owner.recover(records).stored, 2, "stored of a request that is new in part")
    before = scope.digest()
    expect_equal(scope.owner.recover(records).stored, 0, "stored of a repeated request")
    expect_equal(scope.digest()["sequence"], before["sequence"], "the sequence after the repetition")


@requirement("7.7", 4, "what is brought back reaches all devices, also the one that brought it", both=True)
def author_is_nobody(run: Run) -> None:
    scope = run.recovering_scope()
    owner, other = scope.owner, scope.join()
    owner.pull(), other.pull()
    record = person(run)
    owner.recover([record])
    for device in (owner, other):
        expect_equal(device.pull(), [record], "the records of the next page")


@requirement("7.7", 5, "a slot that is new to a scope that has lost nothing is not_recovering", both=True)
def not_recovering(run: Run) -> None:
    scope = run.scope()
    owner = scope.owner
    expect_error(owner.send_recovery([person(run)]), 409, "not_recovering")
    change = owner.person()
    owner.push([change])
    known = Record(1, change.record, change.stamp, change.put)
    expect_error(owner.send_recovery([known, person(run)]), 409, "not_recovering")
    expect_equal(owner.everything(), [known], "the records")


@requirement("7.7", 6, "a request that tells nothing new is answered also where the scope is not recovering", both=True)
def nothing_new(run: Run) -> None:
    owner = run.scope().owner
    change = owner.person()
    owner.push([change])
    expect_equal(owner.recover([Record(1, change.record, change.stamp, change.put)]).stored, 0, "stored")
    expect_equal(owner.recover([]).stored, 0, "stored of no record")


@requirement("7.7", 7, "a viewer's request is forbidden, and an editor's is not", both=True)
def roles(run: Run) -> None:
    scope = run.recovering_scope()
    expect_error(scope.join("viewer").send_recovery([person(run)]), 403, "forbidden")
    expect_equal(scope.join("editor").recover([person(run)]).stored, 1, "stored")


@requirement("7.7", 8, "a stamp beyond the clock bound is clock_ahead, and nothing of the request is stored", both=True)
def clock_ahead(run: Run) -> None:
    scope = run.recovering_scope()
    ahead = wall_milliseconds() + run.limit("clockAheadMillisecondsMax") + 3_600_000
    expect_error(scope.owner.send_recovery([person(run), person(run, milliseconds=ahead)]), 409, "clock_ahead")
    late = Record(1, run.identifier(), delete_stamp=person(run, milliseconds=ahead).put_stamp)
    expect_error(scope.owner.send_recovery([person(run), late]), 409, "clock_ahead")
    expect_equal(scope.owner.everything(), [], "the records")


@requirement("7.7", 9, "bytes that are no put are malformed_put, a 400, and nothing of the request is stored")
def malformed(run: Run) -> None:
    scope = run.recovering_scope()
    scope.owner.encoding = PROTOBUF
    bad = person(run)
    bad.put = b"\x12\x05\x0a"
    expect_error(scope.owner.send_recovery([person(run), bad]), 400, "malformed_put")
    expect_equal(scope.owner.everything(), [], "the records")


@requirement("7.7", 10, "a put over the limit of a put is too_large, and nothing of the request is stored", both=True)
def large_put(run: Run) -> None:
    scope = run.recovering_scope()
    reply = scope.owner.send_recovery([person(run), person(run, "x" * run.limit("putBytesMax"))])
    expect_equal(reply.code, "too_large", "the code", reply)
    expect(400 <= reply.status < 500, f"the status is {reply.status}", reply)
    expect_equal(scope.owner.everything(), [], "the records")


@requirement("7.7", 11, "a request has as many records as the limit says; with one more it is too_large", both=True)
def many_records(run: Run) -> None:
    scope, most = run.recovering_scope(), run.limit("recordsPerRecoverMax")
    records = [Record(1, run.identifier(), delete_stamp=bytes(15) + b"\x01") for _ in range(most + 1)]
    expect_error(scope.owner.send_recovery(records), 413, "too_large")
    expect_equal(scope.owner.recover(records[1:]).stored, most, "stored")


@requirement("7.7", 12, "puts of an earlier form may be brought back, and keep their bytes")
def earlier_forms(run: Run) -> None:
    scope = run.recovering_scope()
    scope.owner.encoding = PROTOBUF
    records = []
    for put in EARLIER_FORMS:
        records.append(person(run))
        records[-1].put = put
        reply = scope.owner.send_recovery([records[-1]])
        expect(reply.status == 200, f"the put {put.hex()} is answered {reply.status} {reply.code}", reply)
    found = {record.id: record.put for record in scope.owner.everything()}
    expect_equal(found, {record.id: record.put for record in records}, "the puts")


@requirement("5.3", 12, "an edit of a stored put of an earlier form may keep its form; no other put may have it")
def edits_of_earlier_forms(run: Run) -> None:
    owner = run.recovering_scope().owner
    owner.encoding = PROTOBUF
    for put in EARLIER_FORMS:
        stored = person(run)
        stored.put = put
        owner.recover([stored])
        canonical = owner.person()
        result = owner.push([canonical], [owner.person(record=stored.id, base=stored.put_stamp)]).results[1]
        expect(result.sequence, f"a canonical edit was refused: {result.refused}")
        owner.recover([Record(1, stored.id, owner.clock.tick(), put)])
        base = next(record.put_stamp for record in owner.everything() if record.id == stored.id)
        results = owner.push([owner.put("Person", put, record=stored.id, base=base)], [owner.put("Person", put)],
                             [owner.put("Person", put, record=canonical.record, base=canonical.stamp)]).results
        codes = [result.refused.code if result.refused else "stored" for result in results]
        expect_equal(codes, ["stored", "malformed_put", "malformed_put"], f"the results of {put.hex()}")


@requirement("7.7", 13, "a record without a slot, or whose parts have not 16 bytes, is a bad_request", both=True)
def bad_records(run: Run) -> None:
    scope = run.recovering_scope()
    form = scope.owner.form.record(person(run))
    if run.is_json:
        bodies = [{"records": [{key: value for key, value in form.items() if key not in left_out}]}
                  for left_out in (("stamp", "put", "hash"), ("entity",), ("record",), ("stamp",))]
        for body in bodies:
            expect_error(scope.owner.request("POST", "/v1/recover", body), 400, "bad_request")
        return
    good = person(run)
    for bad in (Record(1, good.id), Record(1, good.id[:15], good.put_stamp, good.put),
                Record(1, good.id, good.put_stamp[:15], good.put), Record(1, good.id, delete_stamp=b"\x01")):
        expect_error(scope.owner.send_recovery([bad]), 400, "bad_request")


@requirement("7.7", 14, "no number counts a recovery: pushes go on as before", both=True)
def no_number(run: Run) -> None:
    owner = run.recovering_scope().owner
    owner.push([owner.person()])
    owner.recover([person(run)])
    owner.push([owner.person()])
    expect_status(owner.request("GET", "/v1/me"))


@requirement("7.7", 15, "slots merge to the same, whatever their order, grouping and repetition", both=True)
def any_order(run: Run) -> None:
    owner = run.recovering_scope().owner
    names = [run.identifier() for _ in range(3)]
    history = []
    for _ in range(15):
        record = person(run, str(run.random.randrange(5)), run.random.randrange(1, 50))
        record.id = run.random.choice(names)
        if run.random.random() < 0.4:
            record = Record(1, record.id, delete_stamp=record.put_stamp)
        history.append(record)
    sent = history + run.random.sample(history, 6)
    run.random.shuffle(sent)
    while sent:
        count = run.random.randrange(1, 4)
        group, sent = sent[:count], sent[count:]
        for record in merged(group).values():
            owner.recover([record])
    expect_equal({r.id: r for r in owner.everything()}, {r.id: r for r in merged(history).values()}, "the records")

"""§11 Merging, delete rules, and duties after a failure, as far as they are a server's."""
from __future__ import annotations

from typing import Dict, List

from ..actors import Run
from ..expectations import expect, expect_equal
from ..hashing import digest
from ..messages import Change, Record
from ..puts import Put, Value
from ..requirements import not_tested, requirement
from ..slots import as_record, merged
from ..stamps import Stamp, wall_milliseconds


def history(run: Run, replicas: List[bytes]) -> Dict[bytes, List[Change]]:
    """A random history of a few records, by replica, in ascending order of stamps."""
    records = [run.identifier() for _ in range(4)]
    now = wall_milliseconds() - 100_000
    changes: Dict[bytes, List[Change]] = {replica: [] for replica in replicas}
    times = {replica: sorted(run.random.sample(range(40), 12)) for replica in replicas}
    for replica in replicas:
        for time in times[replica]:
            stamp = Stamp(now + time, run.random.randrange(3), replica).encode()
            record = run.random.choice(records)
            if run.random.random() < 0.35:
                changes[replica].append(Change(1, record, stamp, delete=True))
            else:
                put = Put({}, {1: Value("text", str(run.random.randrange(4)).encode())}).encode()
                changes[replica].append(Change(1, record, stamp, put))
    return changes


@requirement("11.1", 1, "pushes of several replicas give the same slots, whatever their order", both=True)
def any_order_of_pushes(run: Run) -> None:
    scope = run.scope()
    devices = [scope.owner, scope.join(), scope.join()]
    changes = history(run, [device.replica for device in devices])
    everything = [as_record(change) for part in changes.values() for change in part]
    while any(changes.values()):
        device = run.random.choice([device for device in devices if changes[device.replica]])
        count = run.random.randrange(1, 5)
        device.push(*[[change] for change in changes[device.replica][:count]])
        changes[device.replica] = changes[device.replica][count:]
        if run.random.random() < 0.5:
            device.pull()
    expected = merged(everything)
    found = {(record.entity, record.id): record for record in devices[1].everything()}
    expect_equal(found, expected, "the slots")
    expect_equal(scope.digest()["digest"], digest(expected.values()).hex(), "the digest")


@requirement("11.1", 2, "replicas that have pulled to the same checkpoint have the same slots", both=True)
def same_slots(run: Run) -> None:
    scope = run.scope()
    devices = [scope.owner, scope.join(), scope.join()]
    changes = history(run, [device.replica for device in devices])
    for device in devices:
        for change in changes[device.replica]:
            device.push([change])
            if run.random.random() < 0.2:
                run.random.choice(devices).pull()
    for device in devices:
        device.pull(limit=run.random.choice((1, 300, 100_000)))
        expect_equal(digest(device.slots.values()).hex(), scope.digest()["digest"], "the digest of a replica's slots")


@requirement("11.1", 3, "a put keeps what a delete hid, and a delete keeps its stamp under a later put", both=True)
def both_slots(run: Run) -> None:
    owner = run.scope().owner
    put = owner.person("a")
    delete = owner.delete("Person", put.record)
    owner.push([put], [delete])
    expect_equal(owner.stored(put), Record(1, put.record, put.stamp, put.put, b"", delete.stamp),
                 "the slots after a delete")
    again = owner.person("a", record=put.record, base=put.stamp)
    owner.push([again])
    expect_equal(owner.stored(put), Record(1, put.record, again.stamp, again.put, put.stamp, delete.stamp),
                 "the slots after an undelete")


@requirement("11.1", 4, "an acknowledged change is current, or beaten by a greater stamp", both=True)
def nothing_is_lost(run: Run) -> None:
    scope = run.scope()
    owner, other = scope.owner, scope.join()
    changes = [owner.person(str(index)) for index in range(6)]
    owner.push(*[[change] for change in changes])
    other.push(*[[other.person("x", record=change.record)] for change in changes[::2]])
    found = {record.id: record for record in other.everything()}
    for change in changes:
        record = found.get(change.record)
        expect(record is not None and record.put_stamp >= change.stamp, "an acknowledged change is lost")


not_tested("11.4", 4, "nothing is purged while the clock is not confirmed", "needs a server whose clock jumps")
not_tested("11.5", 2, "a server whose disk is full keeps what it had, and goes on by itself when there is room",
           "needs a full disk")

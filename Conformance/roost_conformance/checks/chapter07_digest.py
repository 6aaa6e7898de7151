"""§7.5 Digest, and §7.6 What a checkpoint holds."""
from __future__ import annotations

from typing import List

from ..actors import Run
from ..expectations import expect, expect_equal
from ..hashing import chain, digest
from ..messages import Record
from ..puts import Put, Value
from ..requirements import requirement
from ..slots import merged


@requirement("7.5", 1, "an empty scope has the digest 0, at sequence 0 with 0 records", both=True)
def empty(run: Run) -> None:
    scope = run.scope()
    found = scope.digest()
    expect_equal((found["digest"], found["sequence"], found["records"]), ("0" * 32, 0, 0), "the digest")
    expect_equal(scope.owner.page().digest, bytes(16), "the digest of the page")


@requirement("7.5", 2, "the digest is the sum of one term a record, over its slots without base", both=True)
def sum_of_terms(run: Run) -> None:
    scope = run.scope()
    owner = scope.owner
    first = owner.put("Thing", Put({20: bytes(range(16))}, {1: Value("text", b"a"), 99: Value("integer", -7)}))
    second, alone = owner.put("Thing", b""), owner.delete("Person", run.identifier())
    edit = owner.put("Thing", {"text": "b"}, record=first.record, base=first.stamp)
    owner.push([first, second], [alone], [edit], [owner.delete("Thing", second.record)])
    records = owner.everything()
    expect_equal(len(records), 3, "the number of records")
    found = scope.digest()
    expect_equal(found["digest"], digest(records).hex(), "the digest")
    expect_equal((found["sequence"], found["records"]), (4, 3), "sequence and records")


@requirement("7.5", 3, "the last page has the digest of the scope as it is at its checkpoint", both=True)
def digest_of_a_page(run: Run) -> None:
    scope = run.scope()
    owner, other = scope.owner, scope.join()
    for _ in range(3):
        owner.push([owner.person() for _ in range(3)], [other_put for other_put in [owner.put("Thing", {"whole": 5})]])
        page = other.page()
        other.apply(page)
        expect_equal(page.digest, digest(other.slots.values()), "the digest of the page")
        expect_equal(page.digest.hex(), scope.digest()["digest"], "the digest of the page")


@requirement("7.5", 4, "the digest does not depend on the order in which the slots came", both=True)
def order_does_not_matter(run: Run) -> None:
    records: List[Record] = []
    for number in range(6):
        record, when = run.identifier(), run.random.sample(range(1, 90), 3)
        puts = [Record(1, record, bytes(5) + bytes([time]) + bytes(10), bytes.fromhex("12090a0708011203416e61"))
                for time in when[:2]]
        records += [*puts, Record(1, record, delete_stamp=bytes(5) + bytes([when[2]]) + bytes(9) + bytes([number]))]
    found = []
    for _ in range(2):
        scope = run.recovering_scope()
        run.random.shuffle(records)
        for start in range(0, len(records), 5):
            scope.owner.recover(records[start:start + 5])
        found.append(scope.digest()["digest"])
    expect_equal(found, [digest(merged(records).values()).hex()] * 2, "the digests")


@requirement("7.6", 1, "a checkpoint has five numbers: epoch, sequence, own sequence, chain hash, and a code",
             both=True)
def layout(run: Run) -> None:
    scope = run.scope()
    owner, other = scope.owner, scope.join()
    pages = [owner.page()]
    owner.push([owner.person()], [owner.person()])
    pages += [other.page(), owner.page(pages[0].checkpoint), other.page(b"", limit=1)]
    for page in pages:
        expect_equal(len(page.checkpoint), 40, "the bytes of a checkpoint")
    sequences = [int.from_bytes(page.checkpoint[8:16], "big") for page in pages]
    expect_equal(sequences, [0, 2, 2, 1], "the sequences of the checkpoints")
    expect_equal(len({page.checkpoint[:8] for page in pages}), 1, "the number of epochs of one scope")
    expect_equal(int.from_bytes(pages[3].checkpoint[16:24], "big"), 2, "the sequence up to which own changes are sent")
    epoch = run.scope().owner.page().checkpoint[:8]
    expect(epoch != pages[0].checkpoint[:8], "two scopes have one epoch")


@requirement("7.6", 2, "the chain hash is h(n) = SHA-256(h(n − 1) ‖ n ‖ digest after n), from 32 zeros", both=True)
def chain_hash(run: Run) -> None:
    owner = run.scope().owner
    before = bytes(32)
    for number in range(1, 4):
        owner.push([owner.person()])
        before = chain(before, number, digest(owner.slots.values()))
        expect_equal(owner.page(b"").checkpoint[24:32], before[:8], f"the chain hash of sequence {number}")

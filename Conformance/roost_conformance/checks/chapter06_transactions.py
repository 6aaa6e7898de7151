"""§6.5 Transactions, §6.6 Results and outcomes, and §6.7 Refusals."""
from __future__ import annotations

from typing import List

from ..actors import Device, Run
from ..expectations import expect, expect_equal, expect_error
from ..messages import BEATEN, REPLACED, Change, Outcome, PushReply, Record
from ..requirements import NotTested, not_tested, requirement
from ..wire import PROTOBUF


def too_large(device: Device, record: bytes = b"") -> Change:
    """A put that is over the limit of a put."""
    return device.put("Thing", {"text": "x" * (device.run.limit("putBytesMax") + 1)}, record=record or None)


def outcomes(reply: PushReply) -> List[List[Outcome]]:
    return [result.outcomes for result in reply.results]


@requirement("6.5", 1, "transactions are stored in order, each under the next sequence, without a gap", both=True)
def sequences(run: Run) -> None:
    scope = run.scope()
    owner, other = scope.owner, scope.join()
    expect_equal([r.sequence for r in owner.push([owner.person()], [owner.person(), owner.person()]).results], [1, 2],
                 "the sequences")
    expect_equal([r.sequence for r in other.push([other.person()]).results], [3], "the sequence of another replica")
    expect_equal([r.sequence for r in owner.push([owner.person()]).results], [4], "the sequence")
    expect_equal(scope.digest()["sequence"], 4, "the sequence of the scope")


@requirement("6.5", 2, "a transaction of which every change is beaten gets a sequence, too", both=True)
def beaten_transaction(run: Run) -> None:
    scope = run.scope()
    owner, other = scope.owner, scope.join()
    early = other.clock.tick()
    owner.clock.receive(early)
    winner = owner.person()
    owner.push([winner])
    result = other.push([other.person(record=winner.record, stamp=early)]).results[0]
    expect_equal(result.sequence, 2, "the sequence")


@requirement("6.5", 3, "a refused transaction stores nothing, and does not touch the others", both=True)
def refused_transaction(run: Run) -> None:
    scope = run.scope()
    owner = scope.owner
    first, inner, large, last = owner.person(), owner.person(), too_large(owner), owner.person()
    results = owner.push([first], [inner, large], [last]).results
    expect_equal([result.sequence for result in results], [1, 0, 2], "the sequences")
    refused = results[1].refused
    expect_equal(refused and refused.code, "too_large", "the refusal")
    expect_equal({record.id for record in owner.everything()}, {first.record, last.record}, "the stored records")
    expect_equal(scope.digest()["records"], 2, "the number of records")


@requirement("6.5", 4, "parts of a transaction are staged, and nobody sees them before the last part", both=True)
def staged_parts(run: Run) -> None:
    scope = run.scope()
    owner, other = scope.owner, scope.join()
    changes = [owner.person() for _ in range(4)]
    for part in (changes[:2], changes[2:3]):
        result = owner.push(part, continues=True).results[0]
        expect(result.staged, "a part is not staged")
        expect_equal((owner.everything(), other.everything()), ([], []), "the records before the last part")
        expect_equal(scope.digest()["sequence"], 0, "the sequence before the last part")
    result = owner.push(changes[3:], [owner.person()]).results[0]
    expect_equal((result.sequence, result.staged), (1, False), "the result of the last part")
    expect_equal({r.id for r in other.everything()} >= {c.record for c in changes}, True,
                 "whether all parts are stored")
    expect_equal(scope.digest()["sequence"], 2, "the sequence")


@requirement("6.5", 5, "only the last transaction of a push may continue: another is a bad_request", both=True)
def only_the_last(run: Run) -> None:
    owner = run.scope().owner
    push = owner.next_push([owner.person()], [owner.person()])
    push.transactions[0].continues = True
    expect_error(owner.send(push), 400, "bad_request")
    owner.push([owner.person()])


@requirement("6.5", 6, "the first transaction of the next push is the rest, though others follow it", both=True)
def the_rest_comes_first(run: Run) -> None:
    owner = run.scope().owner
    results = owner.push([owner.person()], [owner.person()], continues=True).results
    expect_equal([(r.sequence, r.staged) for r in results], [(1, False), (0, True)], "the results")
    results = owner.push([owner.person()], [owner.person()], continues=True).results
    expect_equal([(r.sequence, r.staged) for r in results], [(2, False), (0, True)], "the results")


@requirement("6.5", 7, "where a part is refused, those before it are thrown away, and those after it are a bad_request "
             "until one comes without continues", both=True)
def refused_part(run: Run) -> None:
    owner = run.scope().owner
    staged = owner.person()
    expect(owner.push([staged], continues=True).results[0].staged, "the first part is not staged")
    refused = owner.push([too_large(owner)], continues=True).results[0].refused
    expect_equal(refused and refused.code, "too_large", "the refusal of a part")
    for continues in (True, False):
        refused = owner.push([owner.person()], continues=continues).results[0].refused
        expect_equal(refused and refused.code, "bad_request", "the refusal of a part after it")
    after = owner.person()
    expect_equal(owner.push([after]).results[0].sequence, 1, "the sequence of the next transaction")
    expect_equal([record.id for record in owner.everything()], [after.record], "the records")


@requirement("6.5", 8, "what is staged for one replica does not hold up another", both=True)
def staged_for_one(run: Run) -> None:
    scope = run.scope()
    owner, other = scope.owner, scope.join()
    owner.push([owner.person()], continues=True)
    expect_equal(other.push([other.person()]).results[0].sequence, 1, "the sequence")
    expect_equal(len(other.everything()), 1, "the number of records")
    expect_equal(owner.push([owner.person()]).results[0].sequence, 2, "the sequence of the whole")


@requirement("6.5", 9, "a repeated part gets its reply again, and is staged once", both=True)
def repeated_part(run: Run) -> None:
    owner = run.scope().owner
    sealed = owner.seal(owner.next_push([owner.person()], continues=True))
    first = owner.send(sealed)
    owner.settle(first)
    expect_equal(owner.send(sealed).body, first.body, "the repeated reply")
    owner.push([owner.person()])
    expect_equal(len(owner.everything()), 2, "the number of records")


@requirement("6.5", 10, "a transaction with more bytes of puts than the limit, over all parts, is refused as too_large")
def bytes_of_a_transaction(run: Run) -> None:
    owner, most, each = run.scope().owner, run.limit("transactionBytesMax"), run.limit("putBytesMax") - 100
    if most > 32 << 20:
        raise NotTested(f"transactionBytesMax is {most}; tested up to 32 MiB")
    owner.encoding = PROTOBUF
    count = most // each + 1
    in_push = (run.limit("bodyBytesMax") - 4096) // (each + 200)
    codes = []
    while count > 0:
        changes = [owner.put("Thing", {"text": "x" * each}) for _ in range(min(count, in_push))]
        count -= len(changes)
        result = owner.push(changes, continues=count > 0).results[0]
        codes.append(result.refused.code if result.refused else "staged" if result.staged else "stored")
    expect_equal(codes[-1], "too_large", f"the result of the last part, after {codes[:-1]},")
    expect_equal(owner.everything(), [], "the records")


not_tested("6.5", 11, "a transaction has at most 100,000 changes, over all parts",
           "would use up the changes of an hour")


@requirement("6.6", 1, "results has one entry for each transaction, in order", both=True)
def results(run: Run) -> None:
    owner = run.scope().owner
    changes = [owner.person() if index % 3 else too_large(owner) for index in range(7)]
    found = [bool(result.refused) for result in owner.push(*[[change] for change in changes]).results]
    expect_equal(found, [index % 3 == 0 for index in range(7)], "which transactions were refused")


@requirement("6.6", 2, "a change is beaten where a greater put of another replica stands that its author had not seen",
             both=True)
def beaten_by_a_put(run: Run) -> None:
    scope = run.scope()
    owner, other = scope.owner, scope.join()
    early = [other.clock.tick() for _ in range(2)]
    owner.clock.receive(early[-1])
    winner = owner.person()
    owner.push([winner])
    reply = other.push([other.person(stamp=early[0]), other.person(record=winner.record, stamp=early[1])])
    expect_equal(outcomes(reply), [[Outcome(1, BEATEN, winner.stamp)]], "the outcomes")


@requirement("6.6", 3, "a change is beaten where a greater delete of another replica stands", both=True)
def beaten_by_a_delete(run: Run) -> None:
    scope = run.scope()
    owner, other = scope.owner, scope.join()
    first = owner.person()
    owner.push([first])
    other.pull()
    edit = other.person("edit", record=first.record, base=first.stamp)
    owner.clock.receive(edit.stamp)
    delete = owner.delete("Person", first.record)
    owner.push([delete])
    expect_equal(outcomes(other.push([edit])), [[Outcome(0, BEATEN, delete.stamp)]], "the outcomes")


@requirement("6.6", 4, "a change has replaced a put of another replica that was not its base", both=True)
def replaced(run: Run) -> None:
    scope = run.scope()
    owner, other = scope.owner, scope.join()
    first = owner.person("first")
    owner.push([first])
    other.pull()
    second = owner.person("second", record=first.record, base=first.stamp)
    owner.push([second])
    other.clock.receive(second.stamp)
    edit = other.person("edit", record=first.record, base=first.stamp)
    expect_equal(outcomes(other.push([edit])), [[Outcome(0, REPLACED, second.stamp)]], "the outcomes")


@requirement("6.6", 5, "a change over its base, and one over what its author had seen, has no outcome", both=True)
def no_outcome(run: Run) -> None:
    scope = run.scope()
    owner, other = scope.owner, scope.join()
    changes = [owner.person() for _ in range(2)]
    owner.push(changes)
    other.pull()
    edit = other.person("edit", record=changes[0].record, base=changes[0].stamp)
    reply = other.push([edit, other.delete("Person", changes[1].record), other.person()])
    expect_equal(outcomes(reply), [[]], "the outcomes")


@requirement("6.6", 6, "a change over what its own replica wrote has no outcome", both=True)
def over_own_changes(run: Run) -> None:
    owner = run.scope().owner
    first = owner.person()
    second = owner.person("b", record=first.record)
    reply = owner.push([first], [second, owner.delete("Person", first.record)])
    expect_equal(outcomes(reply), [[], []], "the outcomes")
    expect_equal(outcomes(owner.push([owner.person("c", record=first.record)])), [[]], "the outcomes of the next push")


@requirement("6.6", 7, "the index of an outcome is that in the part as received", both=True)
def index_in_the_part(run: Run) -> None:
    scope = run.scope()
    owner, other = scope.owner, scope.join()
    early = [other.clock.tick() for _ in range(4)]
    owner.clock.receive(early[-1])
    winner = owner.person()
    owner.push([winner])
    other.push([other.person(stamp=early[0]), other.person(stamp=early[1])], continues=True)
    reply = other.push([other.person(stamp=early[2]), other.person(record=winner.record, stamp=early[3])])
    expect_equal(outcomes(reply), [[Outcome(1, BEATEN, winner.stamp)]], "the outcomes")


@requirement("6.7", 1, "a put over the limit of a put is refused as too_large, with its index", both=True)
def large_put(run: Run) -> None:
    owner, most = run.scope().owner, run.limit("putBytesMax")
    head = len(owner.put("Thing", {"text": "x" * most}).put or b"") - most
    fitting = owner.put("Thing", {"text": "x" * (most - head)})
    results = owner.push([fitting], [owner.person(), owner.put("Thing", {"text": "x" * (most - head + 1)})]).results
    expect(results[0].sequence, f"a put of {most} bytes was refused: {results[0].refused}")
    refused = results[1].refused
    expect_equal(refused and (refused.code, refused.index), ("too_large", 1), "the refusal")
    expect(refused and refused.message, "the refusal has no message")


@requirement("6.7", 2, "current has the slots of every record that a refused transaction named", both=True)
def current(run: Run) -> None:
    scope = run.scope()
    owner, other = scope.owner, scope.join()
    put, deleted = owner.person("a"), owner.person("b")
    delete = owner.delete("Person", deleted.record)
    owner.push([put], [deleted], [delete])
    edits = [other.person("c", record=change.record, base=change.stamp) for change in (put, deleted)]
    reply = other.push([*edits, other.person("new"), too_large(other)])
    expect(reply.results[0].refused, "the transaction was not refused")
    expect_equal({record.id: record for record in reply.current},
                 {put.record: Record(1, put.record, put.stamp, put.put),
                  deleted.record: Record(1, deleted.record, deleted.stamp, deleted.put, b"", delete.stamp)}, "current")


@requirement("6.7", 3, "current has the records of staged parts, too, and none that only stored transactions named",
             both=True)
def current_of_parts(run: Run) -> None:
    scope = run.scope()
    owner, other = scope.owner, scope.join()
    staged, stored, last = owner.person("a"), owner.person("b"), owner.person("c")
    owner.push([staged], [stored], [last])
    other.pull()
    edit = other.person("d", record=staged.record, base=staged.stamp)
    expect(other.push([edit], continues=True).results[0].staged, "the part is not staged")
    changes = [other.person("e", record=last.record, base=last.stamp), too_large(other)]
    push = [changes, [other.person("f", record=stored.record, base=stored.stamp)]]
    reply = other.push(*push)
    expect_equal({record.id for record in reply.current}, {staged.record, last.record}, "the records of current")


@requirement("6.7", 4, "a reply without a refusal has no current", both=True)
def no_current(run: Run) -> None:
    owner = run.scope().owner
    expect_equal(owner.push([owner.person()], [owner.person()]).current, [], "current")


not_tested("6.7", 5, "a transaction that would bring the scope over its quota is refused as quota_exceeded",
           "needs 1,000,000 records or 512 MiB, unless the operator set less")


@requirement("6.7", 7, "a put with a base of a record that is not known is stored where nothing was purged", both=True)
def unknown_base(run: Run) -> None:
    owner = run.scope().owner
    result = owner.push([owner.person(base=bytes(7) + b"\x01" + owner.replica)]).results[0]
    expect(result.sequence, f"the put was refused: {result.refused}")

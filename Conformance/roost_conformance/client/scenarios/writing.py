"""Writing, and what is visible (protocol.md §5.3, §11.2, §11.3)."""
from __future__ import annotations

import itertools
from typing import Any, Dict, List

from ...messages import Change, PullReply, Record
from ...puts import Put
from ...requirements import Violation
from ..adapter import ClientError
from ..checks import shown_difference
from ..faults import pulls
from ..registry import scenario
from ..service import Message
from ..vectors import changes_of, load
from ..world import Device, World
from .clock import changes


def last_change(world: World) -> Change:
    return changes(world)[-1]


@scenario("11.2", 1, "a create has no base; an edit has all properties, and the stamp that it edited as its base",
          "writer")
def base(world: World) -> None:
    device = world.device()
    record = world.peer().put(title="theirs", n=world.peer().put(title="target"))
    device.settle()
    slots = world.stored(record)
    assert slots is not None
    stamp = slots.put_stamp
    device.put(record, title="edited")
    device.settle()
    edit = last_change(world)
    if edit.base != stamp:
        raise Violation(f"the edit has the base {edit.base.hex() or 'nothing'}, expected {stamp.hex()}")
    if 4 not in Put.decode(edit.put or b"").references:
        raise Violation("the edit has not the reference that it did not edit")
    device.put(title="made here")
    device.settle()
    if last_change(world).base:
        raise Violation("the create has a base")


@scenario("11.2", 2, "a delete is one stamp of one record, and writes to no other", "writer")
def delete_is_one(world: World) -> None:
    device = world.device()
    parent = device.put(title="parent")
    for name in ("a", "b", "n", "t"):
        device.put(title=f"child by {name}", **{name: parent})
    device.settle()
    before = len(changes(world))
    device.delete(parent)
    device.settle()
    made = changes(world)[before:]
    if len(made) != 1 or not made[0].delete or made[0].put is not None:
        raise Violation(f"the delete was sent as {len(made)} changes: a delete rule writes to no other record")


@scenario("11.2", 3, "an undelete is a put with the content of the put slot, and that put's stamp as its base",
          "writer")
def undelete(world: World) -> None:
    device = world.device()
    parent = device.put(title="parent")
    record = device.put(title="mine", a=parent)
    device.settle()
    device.delete(record)
    device.settle()
    slots = world.stored(record)
    assert slots is not None
    put, stamp = slots.put, slots.put_stamp
    device.undelete(record)
    device.settle()
    made = last_change(world)
    if made.put != put or made.base != stamp:
        raise Violation(f"the undelete has the base {made.base.hex() or 'nothing'} and {len(made.put or b'')} bytes")
    if device.shown(record) != {"title": "mine", "a": parent}:
        raise Violation("the record is not shown again")


@scenario("11.2", 4, "an edit writes the stored reference, and not the nil that is shown in its place", "writer")
def masked_reference(world: World) -> None:
    device = world.device()
    peer = world.peer()
    target = peer.put(title="target")
    record = peer.put(title="mine", n=target)
    device.settle()
    peer.delete(target)
    device.settle()
    if device.shown(record) != {"title": "mine"}:
        raise Violation(f"a reference to a deleted record is shown: {device.shown(record)}")
    device.put(record, title="edited")
    device.settle()
    if 4 not in Put.decode(last_change(world).put or b"").references:
        raise Violation("the edit wrote the nil that was shown, and the reference is lost")
    peer.put(target, title="target again")
    device.settle()


@scenario("11.2", 5, "a delete that a visible record forbids is refused before anything is written", "writer")
def deny(world: World) -> None:
    device = world.device()
    target = device.put(title="target")
    device.put(title="mine", d=target)
    device.settle()
    try:
        device.delete(target)
    except ClientError as error:
        if error.code != "delete_denied":
            raise Violation(f"the delete was refused with {error.code}, expected delete_denied") from error
    else:
        raise Violation("the delete was not refused")
    if device.waiting:
        raise Violation("something of the refused delete waits")
    device.settle()


@scenario("11.2", 6, "a delete that a hidden record alone would forbid is not refused", "writer")
def deny_of_hidden(world: World) -> None:
    device = world.device()
    peer = world.peer()
    target = peer.put(title="target")
    parent = peer.put(title="parent")
    peer.put(title="child", d=target, a=parent)
    device.settle()
    device.delete(parent)
    device.delete(target)
    device.settle()


@scenario("11.2", 7, "a transaction arrives whole, in one transaction of a push", "writer")
def whole(world: World) -> None:
    device = world.device()
    records = [world.identifier() for _ in range(5)]
    device.write([device.putting("Node", record, title="one of five") for record in records])
    for record in records:
        device.note("Node", record, {"title": "one of five"})
    device.settle()
    sizes = [len(transaction.changes) for request in world.pushes for transaction in request.message.transactions]
    if sizes != [5]:
        raise Violation(f"the transaction of 5 changes was sent as {sizes}")


@scenario("11.2", 8, "an edit of a record that was deleted elsewhere meanwhile shows it again", "writer")
def edit_beats_delete(world: World) -> None:
    device = world.device()
    record = device.put(title="mine")
    device.settle()
    world.peer().delete(record)
    world.pause(0.3)
    device.put(record, title="edited")
    device.settle()
    if device.shown(record) != {"title": "edited"}:
        raise Violation(f"the record is shown as {device.shown(record)}")


# The vectors (§11.7).

def arrivals(world: World, orders_max: int) -> List[List[Record]]:
    """All vectors in their orders, each with a duplicate, under identifiers of their own: the records of each page."""
    pages: List[List[Record]] = []
    start = world.scope.now - 1_000_000
    copies = 0
    for vector in load():
        changes = changes_of(vector, start)
        orders = list(itertools.permutations(range(len(changes))))
        for order in orders if len(orders) <= orders_max else world.random.sample(orders, orders_max):
            copies += 1
            records = [own(changes[index], copies.to_bytes(4, "big")) for index in order]
            records.insert(world.random.randrange(len(records) + 1), world.random.choice(records))
            pages += [[] for _ in range(len(records) - len(pages))]
            for page, record in zip(pages, records):
                page.append(record)
    return pages


def own(record: Record, prefix: bytes) -> Record:
    """The record under an identifier that begins with a prefix; the order within a history stays."""
    put = Put.decode(record.put or b"")
    references = {number: prefix + target[:12] for number, target in put.references.items()}
    return Record(record.entity, prefix + record.id[:12], record.put_stamp,
                  Put(references).encode() if record.put_stamp else None, record.base, record.delete_stamp)


def play_vectors(world: World, device: Device, orders_max: int) -> None:
    pages = arrivals(world, orders_max)
    for page in pages:
        for record in page:
            world.merge(record)
    queue = list(pages)

    def change(message: Message) -> Message:
        assert isinstance(message, PullReply)
        records = queue.pop(0) if queue else []
        at = message.checkpoint
        if queue:
            world.scope._advance()
            at = world.scope.checkpoint(world.scope.sequence, 0)
        return PullReply(records, at, bool(queue), b"" if queue else world.scope.digest, message.schema_version,
                         message.server_time)
    world.fault(pulls, "change", times=len(pages), change=change)
    device.settle()
    difference = shown_difference(device.show(), world.visible(device))
    if difference:
        raise Violation(difference)


@scenario("11.3", 1, "the vectors show what they must, in every arrival order, with duplicates", "mirror",
          is_checked=False)
def vectors(world: World) -> None:
    play_vectors(world, world.device(), 720)


@scenario("11.3", 2, "the vectors show what they must after the client was killed and opened again", "mirror",
          is_checked=False)
def vectors_again(world: World) -> None:
    device = world.device()
    play_vectors(world, device, 6)
    before = device.show()
    device.restart()
    if shown_difference(device.show(), before):
        raise Violation("the client shows something else after it was opened again")


@scenario("11.3", 3, "random histories over all references show what the rules derive, page by page", "mirror",
          requests_max=200)
def random_histories(world: World) -> None:
    device = world.device()
    peers = [world.peer(), world.peer()]
    records = [world.identifier() for _ in range(12)]
    world.scope.sequences_per_page_max = 3
    for _ in range(12):
        for _ in range(8):
            peer = world.random.choice(peers)
            record = world.random.choice(records)
            if world.random.random() < 0.3:
                peer.delete(record, later=world.random.randrange(2000))
                continue
            names = world.random.sample("abtndo", world.random.randrange(3))
            references: Dict[str, Any] = {name: world.random.choice(records) for name in names}
            peer.put(record, title=f"{world.random.random()}", is_blind=world.random.random() < 0.5,
                     later=world.random.randrange(2000), **references)
        device.settle()
        difference = shown_difference(device.show(), world.visible(device))
        if difference:
            raise Violation(difference)



"""Refused transactions, and pushes that are refused whole (protocol.md §6.7, §11.5)."""
from __future__ import annotations

from typing import List

from ...messages import PushReply, Refusal
from ...requirements import Violation
from ..adapter import ClientError
from ..faults import pushes
from ..registry import scenario
from ..service import Message, Request
from ..world import Device, World

LARGE = "x" * (256 << 10)


def refuse_titles(world: World, title: str, code: str = "quota_exceeded") -> None:
    """The server refuses transactions with a put that has a title."""
    refusal = world.scope._refusal

    def refuse(replica: object, transaction: object) -> object:
        if any(title.encode() in (change.put or b"") for change in transaction.changes):  # type: ignore[attr-defined]
            return Refusal(code, "The scope is full.", 0)
        return refusal(replica, transaction)  # type: ignore[arg-type]

    world.scope._refusal = refuse  # type: ignore[assignment, method-assign]


def expect_refused(device: Device, record: str, title: str, count: int = 1) -> None:
    entries = [entry for entry in device.journaled(record, ["refused"])
               if (entry["content"] or {}).get("title") == title]
    if len(entries) != count:
        raise Violation(f"the journal has {len(entries)} entries of the refused change \"{title[:20]}\", "
                        f"expected {count}")


@scenario("6.7", 1, "a refused transaction leaves the outbox for the journal, with its content; the others go on",
          "minimal")
def refused(world: World) -> None:
    device = world.device()
    refuse_titles(world, "refused")
    device.put(title="before")
    record = device.put(title="refused")
    device.put(title="after")
    device.settle()
    expect_refused(device, record, "refused")
    if device.shown(record) is not None:
        raise Violation("the refused record is shown")


@scenario("6.7", 2, "all changes of a refused transaction are written down, and none is stored", "minimal")
def refused_whole(world: World) -> None:
    device = world.device()
    device.needs("transactions")
    kept = device.put(title="kept")
    device.settle()
    refuse_titles(world, "refused")
    first, second = world.identifier(), world.identifier()
    device.write([device.putting("Node", first, title="innocent"), device.putting("Node", second, title="refused"),
                  {"entity": "Node", "record": kept, "delete": True}])
    device.settle()
    expect_refused(device, first, "innocent")
    expect_refused(device, second, "refused")
    if device.shown(kept) != {"title": "kept"}:
        raise Violation("the record is not shown again, though its delete was refused")


@scenario("6.7", 3, "the server's slots are shown again in the place of a refused edit", "minimal")
def shows_again(world: World) -> None:
    device = world.device()
    record = device.put(title="first")
    device.settle()
    refuse_titles(world, "refused")
    device.put(record, title="refused")
    device.settle()
    expect_refused(device, record, "refused")
    if device.shown(record) != {"title": "first"}:
        raise Violation(f"the record is shown as {device.shown(record)}")


@scenario("6.7", 4, "what was written after a refused change stays, and is pushed", "minimal")
def written_since(world: World) -> None:
    device = world.device()
    record = device.put(title="first")
    device.settle()
    refuse_titles(world, "refused")
    device.put(record, title="refused")
    world.fault(pushes, "lose_reply", times=8)
    device.try_sync()
    device.put(record, title="since")
    world.server.clear()
    device.settle()
    if device.shown(record) != {"title": "since"}:
        raise Violation(f"the record is shown as {device.shown(record)}")


@scenario("6.7", 5, "a refused transaction is not sent again unchanged", "minimal")
def not_again(world: World) -> None:
    device = world.device()
    refuse_titles(world, "refused")
    device.put(title="refused")
    for _ in range(3):
        device.settle()
    device.restart()
    device.settle()
    if len(world.pushes) != 1:
        raise Violation(f"the refused transaction was sent {len(world.pushes)} times")


@scenario("6.7", 6, "a refusal whose reply was lost is written down once", "minimal")
def refused_once(world: World) -> None:
    device = world.device()
    refuse_titles(world, "refused")
    record = device.put(title="refused")
    world.fault(pushes, "lose_reply")
    device.settle()
    device.restart()
    device.settle()
    expect_refused(device, record, "refused")


@scenario("6.7", 7, "slots that the reply has no room for are fetched by a pull without a checkpoint", "minimal",
          requests_max=80)
def current_without_room(world: World) -> None:
    device = world.device()
    record = device.put(title="first")
    device.settle()
    refuse_titles(world, "refused")
    device.put(record, title="refused")

    def change(message: Message) -> Message:
        assert isinstance(message, PushReply)
        return PushReply(message.number, message.results, [], message.server_time)
    world.fault(pushes, "change", change=change)
    device.settle()
    if not any(request.since is None for request in after(world.requests)):
        raise Violation("nothing was pulled without a checkpoint after the reply without the record")
    if device.shown(record) != {"title": "first"}:
        raise Violation(f"the record is shown as {device.shown(record)}")


def after(requests: List[Request]) -> List[Request]:
    """The pulls after the last push."""
    last = max(index for index, request in enumerate(requests) if request.is_push)
    return [request for request in requests[last:] if request.is_pull]


@scenario("6.7", 8, "a put of more than 256 KiB is refused, locally or by the server, and the others go on", "minimal",
          codes=())
def too_large(world: World) -> None:
    device = world.device()
    device.put(title="before")
    try:
        device.put(entity="Value", text=LARGE)
    except ClientError as error:
        if error.code != "invalid_value":
            raise
    device.put(title="after")
    device.settle()


@scenario("6.7", 9, "an edit of a purged record is refused as gone, and its content is written down", "minimal")
def gone(world: World) -> None:
    device = world.device()
    peer = world.peer()
    record = peer.put(title="first")
    device.settle()
    device.put(record, title="mine")
    device.put(title="other")
    peer.delete(record)
    world.scope.purge([world.key(record)])
    device.settle()
    expect_refused(device, record, "mine")
    if device.shown(record) is not None:
        raise Violation("the purged record is shown")


@scenario("6.7", 10, "an edit that was made from a refused one has the base of that one, and is not blind", "minimal")
def edit_of_refused(world: World) -> None:
    device = world.device()
    record = world.peer().put(title="theirs")
    device.settle()
    seen = world.stored(record)
    assert seen is not None
    stamp = seen.put_stamp
    refuse_titles(world, "refused")
    device.put(record, title="refused")
    world.fault(pushes, "lose_reply", times=8)
    device.try_sync()
    device.put(record, title="since")
    world.server.clear()
    device.settle()
    edit = world.stored(record)
    if edit is None or edit.base != stamp:
        raise Violation(f"the edit has the base {edit.base.hex() if edit else ''}, expected {stamp.hex()}: that of the "
                        "put that was seen before")


# Pushes that are refused whole (§11.5).

def refuse_whole(world: World, title: str, code: str = "bad_request", status: int = 400) -> None:
    """Every push with a title in it is refused whole."""
    world.fault(lambda request: request.is_push and title.encode() in request.body, "error", times=500, status=status,
                code=code)


@scenario("11.5", 1, "of a push that is refused whole, only the transaction at fault is set aside", "minimal",
          requests_max=90)
def divided(world: World) -> None:
    device = world.device()
    records = [device.put(title=title) for title in ("one", "two", "culprit", "four", "five")]
    refuse_whole(world, "culprit")
    device.settle()
    for record in records[:2] + records[3:]:
        if world.stored(record) is None:
            raise Violation("a transaction that is not at fault was not stored")
    expect_refused(device, records[2], "culprit")


@scenario("11.5", 2, "two transactions at fault are both set aside", "minimal", requests_max=120)
def divided_twice(world: World) -> None:
    device = world.device()
    records = [device.put(title=title) for title in ("culprit one", "two", "culprit three", "four")]
    refuse_whole(world, "culprit")
    device.settle()
    expect_refused(device, records[0], "culprit one")
    expect_refused(device, records[2], "culprit three")


@scenario("11.5", 3, "nothing is set aside while the server refuses everything, pulls as well",
          "full", requests_max=200)
def server_at_fault(world: World) -> None:
    device = world.device()
    records = [device.put(title=title) for title in ("one", "two")]
    world.fault(lambda request: request.is_push or request.is_pull, "error", times=500, status=400, code="bad_request")
    for _ in range(3):
        device.try_sync()
    if any(device.journaled(record) for record in records) or device.waiting != 2:
        raise Violation("a transaction was set aside, though no page was pulled that shows the server to be well")
    world.server.clear()
    device.settle()


@scenario("11.5", 4, "a push over which the server fails again and again is divided, and the others arrive", "full",
          requests_max=200)
def server_fails(world: World) -> None:
    device = world.device()
    records = [device.put(title=title) for title in ("one", "culprit", "three")]
    refuse_whole(world, "culprit", "internal_error", 500)
    device.settle()
    if world.stored(records[0]) is None or world.stored(records[2]) is None:
        raise Violation("a transaction that is not at fault was not stored")
    expect_refused(device, records[1], "culprit")


@scenario("11.5", 5, "bytes that were refused whole are sent again under the same number", "minimal", requests_max=90)
def same_number(world: World) -> None:
    device = world.device()
    device.put(title="culprit")
    device.put(title="two")
    refuse_whole(world, "culprit")
    device.settle()
    numbers = [request.message.number for request in world.pushes]
    if set(numbers) != {1}:
        raise Violation(f"the pushes have the numbers {numbers}, expected 1 only: the first was stored at last")



"""Stamps and clocks (protocol.md §6.4)."""
from __future__ import annotations

from typing import Dict, List

from ...messages import Change
from ...requirements import Violation
from ...stamps import Stamp, wall_milliseconds
from ..faults import pulls, pushes
from ..registry import scenario
from ..world import Device, World

HOUR = 3_600_000


def changes(world: World, stored_only: bool = True) -> List[Change]:
    """The changes of all pushes that were answered with 200, in order."""
    return [change for request in world.pushes if request.status == 200 or not stored_only
            for transaction in request.message.transactions for change in transaction.changes]


def expect_increasing(device: Device, found: List[Change]) -> None:
    stamps = [change.stamp for change in found]
    if stamps != sorted(set(stamps)):
        raise Violation("the stamps of the pushed changes do not increase")
    if {stamp[8:] for stamp in stamps} != {device.identity}:
        raise Violation("a stamp does not carry the replica's own identity")


@scenario("6.4", 1, "stamps increase, within a push and from one to the next, and carry the replica's identity",
          "writer")
def increasing(world: World) -> None:
    device = world.device()
    records = [device.put(title=f"{index}") for index in range(5)]
    device.write([device.putting("Node", record, title="again") for record in records])
    for record in records:
        device.note("Node", record, {"title": "again"})
    device.settle()
    for record in records:
        device.put(record, title="once more")
    device.settle()
    expect_increasing(device, changes(world))


@scenario("6.4", 2, "an edit has a greater stamp than the put that it edits, though that is ahead of the clock",
          "writer")
def beats_what_it_saw(world: World) -> None:
    device = world.device()
    record = world.peer().put(title="theirs", later=200_000)
    device.settle()
    device.put(record, title="mine")
    device.settle()
    if (world.content(record) or {}).get("title") != "mine":
        raise Violation("the edit is beaten by the put that it was made from")


@scenario("6.4", 3, "a delete has a greater stamp than the put that it deletes, though that is ahead of the clock",
          "writer")
def delete_beats_what_it_saw(world: World) -> None:
    device = world.device()
    record = world.peer().put(title="theirs", later=200_000)
    device.settle()
    device.delete(record)
    device.settle()
    slots = world.stored(record)
    if slots is None or slots.delete_stamp < slots.put_stamp:
        raise Violation("the delete is beaten by the put that was seen before")


@scenario("6.4", 4, "a pulled stamp far ahead of the device's clock is not refused", "mirror")
def stamp_ahead(world: World) -> None:
    device = world.device()
    world.peer().put(title="next year", later=365 * 24 * HOUR)
    world.peer().put(title="beyond the last year of a clock", later=2**47)
    device.settle()


@scenario("6.4", 5, "a device learns from serverTime that its clock is behind", "writer")
def server_ahead(world: World) -> None:
    world.scope.skew = HOUR
    device = world.device()
    device.settle()
    device.put(title="mine")
    device.settle()
    made = Stamp.read(changes(world)[-1].stamp).milliseconds
    if abs(made - world.scope.now) > 60_000:
        raise Violation(f"the stamp is {made - world.scope.now} ms from the server's time after a pull taught it")


def learned(world: World) -> Device:
    """A device whose outbox is an hour ahead of the server: an insert, an edit of it, a delete, and another insert."""
    device = world.device()
    device.settle()
    record = device.put(title="first")
    device.put(record, title="second")
    other = device.put(title="third")
    device.delete(other)
    device.put(title="fourth", a=record)
    world.scope.skew = -HOUR
    return device


@scenario("6.4", 6, "after clock_ahead the outbox is stamped again in order, and bases move with their stamps",
          "minimal",
          codes=("clock_ahead",))
def clock_ahead(world: World) -> None:
    device = learned(world)
    device.settle()
    stored = changes(world)
    expect_increasing(device, stored)
    puts: Dict[bytes, bytes] = {}
    for change in stored:
        if change.put is None:
            continue
        if puts.get(change.record) and change.base != puts[change.record]:
            raise Violation("the edit has another base than the stamp of the put that it was made from")
        puts[change.record] = change.stamp
    numbers = {request.message.number for request in world.pushes}
    if numbers != {1}:
        raise Violation(f"the outbox was pushed under the numbers {sorted(numbers)}, expected 1 again")


@scenario("6.4", 7, "clock_ahead with retryAfter is answered with the same bytes after that time", "minimal")
def clock_ahead_soon(world: World) -> None:
    device = world.device()
    device.put(title="mine")
    world.fault(pushes, "error", status=409, code="clock_ahead", members={"retryAfter": 2})
    device.try_sync()
    world.pause(2.1)
    device.settle()
    sent = world.pushes
    if len({request.body for request in sent}) != 1:
        raise Violation("the push was made again, though its stamps are within the bound soon")
    if any(later.at - earlier.ended < 1.5 for earlier, later in zip(sent, sent[1:]) if earlier.code == "clock_ahead"):
        raise Violation("the push was sent again before retryAfter had passed")


@scenario("6.4", 8, "after two attempts to stamp again a client stops pushing, and keeps its outbox", "minimal",
          requests_max=200)
def clock_ahead_for_ever(world: World) -> None:
    device = world.device()
    device.put(title="mine")
    world.fault(pushes, "error", times=500, status=409, code="clock_ahead")
    if device.try_sync() == "":
        raise Violation("the client reports a success, though nothing was pushed")
    sent = len(world.pushes)
    if sent > 25:
        raise Violation(f"{sent} pushes were sent that the server refused with clock_ahead")
    if device.waiting != 1:
        raise Violation("the change does not wait any more")
    world.server.clear()
    device.settle()


@scenario("6.4", 9, "while the stamps are ahead of the server, pulling goes on", "full")
def pulls_on(world: World) -> None:
    device = world.device()
    device.put(title="mine")
    world.fault(pushes, "error", times=500, status=409, code="clock_ahead")
    record = world.peer().put(title="theirs")
    device.try_sync()
    if device.shown(record) is None:
        raise Violation("the record of another device was not pulled")
    world.server.clear()
    device.settle()


@scenario("6.4", 10, "the clock is not learned from the reply to a push, which may be a repetition", "writer")
def old_reply(world: World) -> None:
    device = world.device()
    device.settle()
    world.scope.skew = -200_000
    # A page with the reply is a pull, whose time is fresh (§6.8): without one, no pull teaches the offset here.
    world.scope.leaves_out_pages = True
    device.put(title="first")
    world.fault(pushes, "lose_reply")
    world.fault(pulls, "lose_request", times=99)
    device.try_sync()
    world.scope.skew = 0
    device.try_sync()
    world.pause(3)
    before = wall_milliseconds()
    device.put(title="second")
    world.server.clear()
    device.settle()
    stamp = Stamp.read(changes(world)[-1].stamp)
    if stamp.milliseconds < before - 1500:
        raise Violation(f"a change was stamped {before - stamp.milliseconds} ms before it was made")


@scenario("6.4", 11, "a local write is not refused because of the clock", "writer", is_checked=False)
def write_is_never_refused(world: World) -> None:
    device = world.device()
    world.peer().put(title="beyond the last year of a clock", later=2**47 - 2**41)
    device.settle()
    record = device.put(title="mine")
    if device.shown(record) != {"title": "mine"}:
        raise Violation("the local write is not shown")



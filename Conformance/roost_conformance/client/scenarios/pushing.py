"""Pushes: numbers, sealed bytes, and what settles one (protocol.md §6.1, §6.3, §6.6)."""
from __future__ import annotations

from typing import Any, List

from ...messages import BEATEN, PushReply, Result
from ...requirements import Violation
from ..faults import pushes
from ..registry import scenario
from ..service import Message, Request
from ..world import Device, World


def bodies(requests: List[Request], number: int) -> List[bytes]:
    return [request.body for request in requests if request.message.number == number]


def expect_same_bytes(world: World, number: int, times_min: int = 2) -> None:
    """Expects that a push was sent several times, with the same bytes, and stored once."""
    sent = bodies(world.pushes, number)
    if len(sent) < times_min:
        raise Violation(f"push {number} was sent {len(sent)} times, expected {times_min} (§6.3)")
    if len(set(sent)) > 1:
        raise Violation(f"push {number} was sent again with other bytes (§6.3)")


@scenario("6.3", 1, "pushes are numbered from 1 without a gap", "writer")
def numbers(world: World) -> None:
    device = world.device()
    for index in range(3):
        device.put(title=f"text {index}")
        device.settle()
    found = [request.message.number for request in world.pushes]
    if found != sorted(set(found)) or found[0] != 1:
        raise Violation(f"the pushes have the numbers {found}")


def one_fault(world: World, kind: str, **members: Any) -> None:
    """A push meets a fault, and everything arrives once all the same."""
    device = world.device()
    device.put(title="before")
    device.settle()
    world.fault(pushes, kind, **members)
    device.put(title="under way")
    device.settle()
    expect_same_bytes(world, 2)


@scenario("6.3", 2, "a push whose reply is lost is sent again with the same bytes", "writer")
def reply_lost(world: World) -> None:
    one_fault(world, "lose_reply")


@scenario("6.3", 3, "a push that is lost is sent again with the same bytes", "writer")
def request_lost(world: World) -> None:
    one_fault(world, "lose_request")


@scenario("6.3", 4, "a push whose reply is cut off is sent again with the same bytes", "writer")
def reply_truncated(world: World) -> None:
    one_fault(world, "truncate")


@scenario("6.3", 5, "a push whose reply is garbage is sent again with the same bytes", "writer")
def reply_garbage(world: World) -> None:
    one_fault(world, "garbage")


@scenario("6.3", 6, "a page of HTML with status 200 settles no push", "writer")
def page_of_a_hotel(world: World) -> None:
    one_fault(world, "page", status=200, is_done_first=True)


@scenario("6.3", 7, "a page of HTML with status 502 settles no push", "writer")
def page_of_a_proxy(world: World) -> None:
    one_fault(world, "page", status=502)


@scenario("6.3", 8, "a push that the network delivers twice is stored once", "writer")
def delivered_twice(world: World) -> None:
    device = world.device()
    world.fault(pushes, "repeat")
    device.put(title="once")
    device.settle()
    if world.scope.sequence != 1:
        raise Violation(f"the scope has the sequence {world.scope.sequence}, expected 1")


@scenario("6.3", 9, "changes written after a lost reply do not change the bytes of the sealed push", "writer")
def sealed_bytes_stay(world: World) -> None:
    device = world.device()
    record = device.put(title="first")
    world.fault(pushes, "lose_reply", times=8)
    device.try_sync()
    device.put(record, title="second")
    device.put(title="third")
    device.restart()
    world.server.clear()
    device.settle()
    expect_same_bytes(world, 1)
    if len(bodies(world.pushes, 2)) != 1:
        raise Violation("what was written later is not push 2")


@scenario("6.3", 10, "a client that is killed during a push sends the same bytes when it starts again", "writer")
def killed_during_push(world: World) -> None:
    device = world.device()
    rule = world.fault(pushes, "hold")
    device.put(title="under way")
    device.start_sync()
    world.wait_for(rule)
    device.adapter.kill()
    world.server.clear()
    device.restart()
    device.put(title="later")
    device.settle()
    expect_same_bytes(world, 1)


@scenario("6.3", 11, "a client that is killed before its push arrives sends the same bytes when it starts again",
          "writer")
def killed_before_push(world: World) -> None:
    device = world.device()
    for index in range(3):
        rule = world.fault(pushes, "lose_request", times=99)
        device.put(title=f"text {index}")
        device.start_sync()
        world.wait_for(rule)
        device.restart()
        world.server.clear()
    device.settle()
    expect_same_bytes(world, 1)


@scenario("6.3", 12, "a stalled reply ends within the time that the client is given, and the same bytes follow",
          "writer")
def stalled(world: World) -> None:
    device = world.device()
    device.put(title="under way")
    world.fault(pushes, "stall", times=9)
    if device.try_sync(seconds=4) == "":
        raise Violation("the client takes a reply that has not come for a success")
    world.server.clear()
    device.settle()
    expect_same_bytes(world, 1)


@scenario("6.3", 13, "a push that something on the way refuses for its size is sent in smaller ones", "full")
def body_refused_for_size(world: World) -> None:
    device = world.device()
    for index in range(20):
        device.put(title=f"{index} " + "".join(world.random.choices("abcdefghijklmnopqrstuvwxyz", k=1500)))
    world.fault(lambda request: request.is_push and len(request.body) > 9000, "page", times=99, status=413)
    device.settle()
    asked = [each for each in world.requests if each.method == "GET" and each.path == "/v1/push"]
    if any(not each.query.get("hash") for each in asked):
        raise Violation("the reply to a push was asked for without its hash (§6.3)")
    changes = [change.stamp for request in world.pushes if request.status == 200
               for transaction in request.message.transactions for change in transaction.changes]
    if changes != sorted(changes) or len(changes) != 20:
        raise Violation("the changes were not sent in the order in which they were written")


@scenario("6.3", 14, "a push whose reply was lost is not sent smaller after a 413 without asking for its reply", "full")
def asks_before_less(world: World) -> None:
    device = world.device()
    for index in range(4):
        device.put(title=f"{index} " + "x" * 400)
    world.fault(pushes, "lose_reply", times=1)
    world.fault(pushes, "page", status=413)
    device.settle()
    if len({body for body in bodies(world.pushes, 1)}) > 1:
        raise Violation("push 1 was sent with other bytes, though an earlier attempt was stored")


# Replies that settle nothing (§6.6).

def altered_reply(world: World, change: object) -> Device:
    device = world.device()
    world.fault(pushes, "change", change=change)
    device.put(title="one")
    device.put(title="two")
    device.settle()
    expect_same_bytes(world, 1)
    return device


@scenario("6.6", 1, "a reply with another number settles no push", "writer")
def another_number(world: World) -> None:
    def change(message: Message) -> Message:
        assert isinstance(message, PushReply)
        return PushReply(message.number + 1, message.results, message.current, message.server_time)
    altered_reply(world, change)


@scenario("6.6", 2, "a reply with too few results settles no push", "writer")
def few_results(world: World) -> None:
    def change(message: Message) -> Message:
        assert isinstance(message, PushReply)
        return PushReply(message.number, message.results[:-1], message.current, message.server_time)
    altered_reply(world, change)


@scenario("6.6", 3, "a reply with too many results settles no push", "writer")
def many_results(world: World) -> None:
    def change(message: Message) -> Message:
        assert isinstance(message, PushReply)
        return PushReply(message.number, message.results + [Result(99)], message.current, message.server_time)
    altered_reply(world, change)


@scenario("6.6", 4, "a reply that stages a transaction that does not continue settles no push", "full")
def staged_result(world: World) -> None:
    def change(message: Message) -> Message:
        assert isinstance(message, PushReply)
        results = [Result(staged=True)] * len(message.results)
        return PushReply(message.number, results, message.current, message.server_time)
    altered_reply(world, change)


@scenario("6.6", 5, "the reply to an earlier push settles no later one", "writer")
def earlier_reply(world: World) -> None:
    device = world.device()
    device.put(title="one")
    device.settle()
    world.fault(pushes, "old_reply")
    device.put(title="two")
    device.settle()
    expect_same_bytes(world, 2)


# Outcomes (§6.6).

def same_record(world: World) -> "tuple[Device, str]":
    device = world.device()
    record = device.put(title="first")
    device.settle()
    return device, record


@scenario("6.6", 6, "a change that the reply calls beaten is in the journal with its content", "minimal")
def beaten_by_reply(world: World) -> None:
    device, record = same_record(world)
    peer = world.peer()
    device.put(record, title="mine")
    peer.put(record, title="theirs", later=2000)
    device.settle()
    entries = device.journaled(record, ["beaten"])
    if len(entries) != 1 or (entries[0]["content"] or {}).get("title") != "mine":
        raise Violation(f"the journal has {entries} of the beaten change, expected its content once")
    outcomes = [each for request in world.pushes for result in getattr(request.reply, "results", [])
                for each in result.outcomes]
    if [each.kind for each in outcomes] != [BEATEN]:
        raise Violation(f"the tester's server reported {outcomes}, expected one beaten change")


@scenario("6.6", 7, "a change that a page shows to be beaten blindly is in the journal with its content", "full")
def beaten_by_page(world: World) -> None:
    device, record = same_record(world)
    peer = world.peer()
    device.put(record, title="mine")
    device.settle()
    peer.put(record, title="theirs", is_blind=True, later=2000)
    device.settle()
    entries = device.journaled(record, ["beaten"])
    if len(entries) != 1 or (entries[0]["content"] or {}).get("title") != "mine":
        raise Violation(f"the journal has {entries} of the beaten change, expected its content once")


@scenario("6.6", 8, "a change that was edited by somebody who had seen it is not in the journal", "writer")
def edited(world: World) -> None:
    device, record = same_record(world)
    world.peer().put(record, title="theirs", later=2000)
    device.settle()
    if device.journaled(record):
        raise Violation(f"the journal has {device.journaled(record)}, though the edit was informed")


@scenario("6.6", 9, "a change that replaced another is current, and not in the journal", "writer")
def replaced(world: World) -> None:
    device, record = same_record(world)
    world.peer().put(record, title="theirs")
    world.pause(0.3)
    device.put(record, title="mine")
    device.settle()
    if device.journaled(record) or device.shown(record) != {"title": "mine"}:
        raise Violation(f"the record is shown as {device.shown(record)}, the journal has {device.journaled(record)}")


@scenario("6.6", 10, "a delete that is beaten by a later edit is written down, and the record is shown", "minimal")
def beaten_delete(world: World) -> None:
    device, record = same_record(world)
    device.delete(record)
    world.peer().put(record, title="theirs", later=2000)
    device.settle()
    if not device.journaled(record, ["beaten"]):
        raise Violation("the journal has nothing of the beaten delete")



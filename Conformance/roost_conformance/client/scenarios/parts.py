"""Transactions that do not fit one push, and are sent in parts (protocol.md §6.5)."""
from __future__ import annotations

from ...messages import Refusal
from ...requirements import Violation
from ..registry import scenario
from ..world import Device, World

COUNT = 10_500


def large(world: World) -> Device:
    """A device with a transaction that has more changes than a push may have, between two small ones."""
    device = world.device()
    device.put(title="before")
    records = [world.identifier() for _ in range(COUNT)]
    device.write([device.putting("Node", record, title="one of many") for record in records])
    device.put(title="after")
    return device


def expect_whole(world: World) -> None:
    """Expects that all of the transaction was stored under one sequence, or nothing of it."""
    sequences = {stored.sequence for key, stored in world.scope.records.items()
                 if b"one of many" in (stored.record.put or b"")}
    count = sum(1 for stored in world.scope.records.values() if b"one of many" in (stored.record.put or b""))
    if count not in (0, COUNT) or len(sequences) > 1:
        raise Violation(f"{count} changes of {COUNT} were stored, under {len(sequences)} sequences")


@scenario("6.5", 1, "a transaction that does not fit one push is sent in parts, and stored whole", "full")
def in_parts(world: World) -> None:
    device = large(world)
    device.settle(60)
    expect_whole(world)
    if len(world.scope.records) != COUNT + 2:
        raise Violation(f"the server has {len(world.scope.records)} records, expected {COUNT + 2}")
    if not any(transaction.continues for each in world.pushes for transaction in each.message.transactions):
        raise Violation("no transaction was sent in parts")


@scenario("6.5", 2, "a part whose reply is lost is sent again with the same bytes", "full")
def part_lost(world: World) -> None:
    device = large(world)
    world.fault(lambda request: request.is_push and request.message.transactions[-1].continues, "lose_reply")
    device.settle(60)
    expect_whole(world)


@scenario("6.5", 3, "a client that is killed between two parts continues, and the transaction is stored whole", "full")
def killed_between_parts(world: World) -> None:
    device = large(world)
    rule = world.fault(lambda request: request.is_push and any(
        each.message.transactions[-1].continues for each in world.pushes[:-1]), "lose_request", times=99)
    device.start_sync(60)
    world.wait_for(rule, 60)
    device.restart()
    if device.waiting < COUNT:
        raise Violation(f"{device.waiting} changes wait, though the last part has no result")
    rule.used = rule.times
    device.settle(60)
    expect_whole(world)


@scenario("6.5", 4, "after clock_ahead for a second part the replica is renewed, and the first part is sent again",
          "full",
          renewals_max=1)
def clock_ahead_between_parts(world: World) -> None:
    device = large(world)
    world.fault(lambda request: request.is_push and any(
        each.message.transactions[-1].continues and each.status == 200 for each in world.pushes[:-1]), "error",
        status=409, code="clock_ahead")
    device.settle(60)
    expect_whole(world)
    if len(world.scope.records) != COUNT + 2:
        raise Violation(f"the server has {len(world.scope.records)} records, expected {COUNT + 2}")


@scenario("6.5", 5, "a transaction of which a part is refused is written down, and the others go on", "full",
          renewals_max=1, requests_max=90)
def part_refused(world: World) -> None:
    device = large(world)
    refusal = world.scope._refusal

    def refuse(replica: object, transaction: object) -> object:
        if replica.staged and not getattr(world, "is_refused", False):  # type: ignore[attr-defined]
            world.is_refused = True  # type: ignore[attr-defined]
            return Refusal("quota_exceeded", "The scope is full.")
        return refusal(replica, transaction)  # type: ignore[arg-type]
    world.scope._refusal = refuse  # type: ignore[assignment, method-assign]
    device.settle(60)
    titles = [stored.record.put for stored in world.scope.records.values()]
    if not any(b"after" in (put or b"") for put in titles):
        raise Violation("the transaction behind the refused one did not arrive")
    count = sum(1 for put in titles if b"one of many" in (put or b""))
    journaled = sum(1 for entry in device.journal() if entry["kind"] == "refused")
    if count + journaled < COUNT:
        raise Violation(f"of {COUNT} changes {count} are stored and {journaled} are in the journal")



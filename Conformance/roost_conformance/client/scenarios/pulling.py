"""Pages: their shapes, what they bring, and what is applied together (protocol.md §7.1 to §7.5)."""
from __future__ import annotations

from typing import List, Optional

from ...messages import PullReply, Record
from ...requirements import Violation
from ..bulk import many_nodes
from ..faults import pulls
from ..registry import scenario
from ..service import Message
from ..world import World


def expect_no_resync(world: World) -> None:
    """Expects that everything was pulled at most once: a client that repairs itself so has made a mistake before."""
    pulls_of_all = sum(1 for request in world.pulls if request.since is None and request.status == 200)
    if pulls_of_all > 1:
        raise Violation(f"everything was pulled {pulls_of_all} times, as after damage")


def fill(world: World, count: int = 6) -> List[str]:
    """Records of a peer, each with a sequence of its own."""
    peer = world.peer()
    return [peer.put(title=f"record {index}") for index in range(count)]


@scenario("7.2", 1, "a client pulls until hasMore is false", "mirror")
def several_pages(world: World) -> None:
    device = world.device()
    fill(world)
    world.scope.sequences_per_page_max = 1
    device.settle()


@scenario("7.2", 2, "an empty page with hasMore is applied, and the next one asked for", "mirror", requests_max=80)
def empty_pages(world: World) -> None:
    device = world.device()
    device.settle()
    records = fill(world, 2)
    world.scope.sequences_per_page_max = 1
    for stored in list(world.scope.records.values()):
        stored.sequence += 6
    for _ in range(6):
        world.scope._advance()
    device.settle()
    if any(device.shown(record) is None for record in records):
        raise Violation("records behind empty pages are not shown")


def expect_since_follows(world: World) -> None:
    """Expects each pull to ask from a checkpoint that the server gave before, or for everything."""
    given = {b"", None}
    for request in world.requests:
        if request.is_pull and request.since not in given:
            raise Violation("a pull asks from a checkpoint that no page had (§7.1)")
        page: Optional[Message] = request.reply
        given.add(getattr(page, "checkpoint", None))
        inner = getattr(page, "page", None)
        if inner is not None:
            given.add(inner.checkpoint)


@scenario("7.2", 3, "an empty page with hasMore whose checkpoint stays is invalid, and is not asked for without end",
          "mirror", requests_max=200)
def page_that_stays(world: World) -> None:
    device = world.device()
    fill(world, 2)
    device.settle()
    fill(world, 2)

    def change(message: Message) -> Message:
        assert isinstance(message, PullReply)
        since = world.requests[-1].since or b""
        return PullReply([], since or message.checkpoint, True, b"", message.schema_version, message.server_time)
    world.fault(pulls, "change", times=500, change=change)
    before = len(world.pulls)
    code = device.try_sync(seconds=20)
    if len(world.pulls) - before > 60:
        raise Violation(f"{len(world.pulls) - before} pulls were sent for a page that stays where it is")
    if not code:
        raise Violation("the client reports a success")
    world.server.clear()
    device.settle()


@scenario("7.2", 4, "nothing of a page that breaks off is applied, and the pull is repeated from its checkpoint",
          "mirror")
def page_breaks_off(world: World) -> None:
    device = world.device()
    fill(world)
    device.settle()
    records = fill(world)
    world.fault(pulls, "truncate", times=1)
    world.fault(pulls, "garbage", times=1)
    device.settle()
    expect_since_follows(world)
    if any(device.shown(record) is None for record in records):
        raise Violation("a record of the repeated page is not shown")


@scenario("7.2", 5, "a page that is applied twice leaves what applying it once does", "mirror")
def page_twice(world: World) -> None:
    device = world.device()
    fill(world, 3)
    device.settle()
    fill(world, 3)
    last: List[PullReply] = []

    def change(message: Message) -> Message:
        assert isinstance(message, PullReply)
        last.append(message)
        if len(last) == 1:
            return PullReply(message.records, message.checkpoint, True, b"", message.schema_version,
                             message.server_time)
        first = last[0]
        return PullReply(first.records, message.checkpoint, False, world.scope.digest, message.schema_version,
                         message.server_time)
    world.fault(pulls, "change", times=2, change=change)
    device.settle()


@scenario("7.2", 6, "names of purged records are forgotten before the records of the page are applied", "mirror")
def purged_and_made_again(world: World) -> None:
    device = world.device()
    peer = world.peer()
    record = peer.put(title="first", a=peer.put(title="parent"))
    device.settle()
    peer.delete(record)
    world.scope.purge([world.key(record)])
    peer.put(record, title="made again")
    device.settle()
    if device.shown(record) != {"title": "made again"}:
        raise Violation(f"the record that was made again is shown as {device.shown(record)}")
    expect_no_resync(world)


@scenario("7.2", 7, "a page with names alone forgets them, and moves the checkpoint", "mirror")
def names_alone(world: World) -> None:
    device = world.device()
    peer = world.peer()
    records = [peer.put(title=f"record {index}") for index in range(3)]
    device.settle()
    for record in records:
        peer.delete(record)
    world.scope.purge([world.key(record) for record in records])
    world.scope.sequences_per_page_max = 1
    device.settle()
    if any(device.shown(record) is not None for record in records):
        raise Violation("a purged record is shown")
    expect_since_follows(world)


@scenario("7.2", 8, "the slots of a page are merged, and take nothing away that is later", "minimal")
def older_page(world: World) -> None:
    device = world.device()
    record = world.peer().put(title="theirs")
    device.settle()
    older = world.stored(record)
    assert older is not None
    older = Record(older.entity, older.id, older.put_stamp, older.put, older.base)
    device.put(record, title="mine")
    device.settle()

    def change(message: Message) -> Message:
        assert isinstance(message, PullReply)
        return PullReply([older, *message.records], message.checkpoint, message.has_more, message.digest,
                         message.schema_version, message.server_time)
    world.peer().put(title="more")
    world.fault(pulls, "change", change=change)
    device.settle()
    if device.shown(record) != {"title": "mine"}:
        raise Violation(f"a page that was read before the push is shown over it: {device.shown(record)}")
    expect_no_resync(world)


@scenario("7.2", 9, "a client that is killed between two pages continues from the one that it has applied", "mirror")
def killed_between_pages(world: World) -> None:
    device = world.device()
    device.settle()
    fill(world, 5)
    world.scope.sequences_per_page_max = 1
    count = len(world.pulls)
    rule = world.fault(lambda request: request.is_pull and len(world.pulls) >= count + 3, "hold")
    device.start_sync()
    world.wait_for(rule)
    device.adapter.kill()
    world.server.clear()
    device.restart()
    device.settle()
    expect_since_follows(world)


@scenario("11.3", 4, "a child is shown once its parent has arrived, whatever comes first", "mirror")
def children_first(world: World) -> None:
    device = world.device()
    peer = world.peer()
    parent, child, value = world.identifier(), world.identifier(), world.identifier()
    peer.put(value, entity="Value", text="first")
    peer.put(child, title="child", a=parent)
    peer.put(title="grandchild", a=child, t=parent)
    world.scope.sequences_per_page_max = 1
    device.settle()
    if device.shown(child) is not None:
        raise Violation("a child is shown whose parent has not arrived")
    peer.put(parent, title="parent")
    device.settle()
    if device.shown(child) is None:
        raise Violation("the child is not shown with its parent")


@scenario("7.2", 11, "a large page with many records in one sequence is applied whole", "mirror")
def large_page(world: World) -> None:

    device = world.device()
    many_nodes(world, 3000)
    device.settle()


@scenario("7.2", 12, "pages without end are given up, and what was applied is kept", "full", requests_max=6000,
          is_checked=False)
def endless(world: World) -> None:
    device = world.device()
    records = fill(world, 2)
    device.settle()

    def change(message: Message) -> Message:
        assert isinstance(message, PullReply)
        world.scope._advance()
        at = world.scope.checkpoint(world.scope.sequence, 0)
        return PullReply([], at, True, b"", message.schema_version, message.server_time)
    world.fault(pulls, "change", times=10_000, change=change)
    code = device.try_sync(seconds=55)
    if not code:
        raise Violation("the client reports a success")
    if len(world.pulls) > 5000:
        raise Violation(f"{len(world.pulls)} pages in a row were pulled that changed nothing")
    world.server.clear()
    if any(device.shown(record) is None for record in records):
        raise Violation("records are not shown any more")
    device.settle()


@scenario("7.2", 13, "an own put that is named as purged, and that nothing known comes after, is written down", "full")
def own_put_purged(world: World) -> None:
    device = world.device()
    record = device.put(title="mine")
    device.settle()
    world.scope.purge([world.key(record)])
    device.settle()
    entries = device.journaled(record)
    if not any((entry["content"] or {}).get("title") == "mine" for entry in entries):
        raise Violation(f"the journal has {entries} of the put that was purged")


@scenario("7.2", 14, "an own put that a delete had hidden is forgotten with its name, and not written down", "full")
def deleted_put_purged(world: World) -> None:
    device = world.device()
    record = device.put(title="mine")
    device.settle()
    world.peer().delete(record)
    device.settle()
    world.scope.purge([world.key(record)])
    device.end(record)
    device.settle()
    if device.journaled(record, ["lost"]):
        raise Violation(f"the journal has {device.journaled(record)} of a put that was deleted before it was purged")


@scenario("7.2", 15, "the outbox stays when its record is named as purged", "minimal")
def outbox_stays(world: World) -> None:
    device = world.device()
    device.settle()
    peer = world.peer()
    record = world.identifier()
    peer.put(record, title="theirs")
    peer.delete(record)
    world.scope.purge([world.key(record)])
    device.put(record, title="mine")
    device.settle()
    if device.shown(record) != {"title": "mine"}:
        raise Violation(f"what was made here is shown as {device.shown(record)}")


# Own changes (§7.3), and digests (§7.5).

@scenario("7.3", 1, "own changes are shown after they were acknowledged, though no page brings them", "writer")
def no_echo(world: World) -> None:
    device = world.device()
    device.settle()
    record = device.put(title="mine")
    device.settle()
    other = device.put(title="deleted")
    device.settle()
    device.delete(other)
    device.settle()
    device.restart()
    if device.shown(record) != {"title": "mine"} or device.shown(other) is not None:
        raise Violation("an acknowledged change is not shown")
    expect_no_resync(world)


def wrong_digest(message: Message) -> Message:
    assert isinstance(message, PullReply)
    digest = bytes(16) if message.digest else b""
    return PullReply(message.records, message.checkpoint, message.has_more, digest, message.schema_version,
                     message.server_time, message.purged)


@scenario("7.5", 1, "where the digest differs, everything is pulled again", "full")
def digest_differs(world: World) -> None:
    device = world.device()
    fill(world, 3)
    device.settle()
    fill(world, 1)
    world.fault(pulls, "change", change=wrong_digest)
    device.settle()
    if sum(1 for request in world.pulls if request.since is None) < 2:
        raise Violation("everything was not pulled again after a page whose digest differs")


@scenario("7.5", 2, "where the digest differs for ever, the client stops and says so", "full", requests_max=100)
def digest_differs_for_ever(world: World) -> None:
    device = world.device()
    records = fill(world, 3)
    device.settle()
    fill(world, 1)
    world.fault(pulls, "change", times=500, change=wrong_digest)
    codes = [device.try_sync() for _ in range(5)]
    count = sum(1 for request in world.pulls if request.since is None)
    if count > 30:
        raise Violation(f"everything was pulled {count} times")
    if "" in codes[-1:]:
        raise Violation("the client reports a success while the digest differs")
    if any(device.shown(record) is None for record in records):
        raise Violation("records are not shown any more")
    world.server.clear()
    device.settle()


@scenario("7.5", 3, "a record that the server has not is taken away and written down after the digest has differed",
          "full")
def server_has_not(world: World) -> None:
    device = world.device()
    record = world.peer().put(title="theirs")
    fill(world, 2)
    device.settle()
    del world.scope.records[world.key(record)]
    fill(world, 1)
    device.settle()
    if device.shown(record) is not None:
        raise Violation("a record is shown that the server does not have")
    if not any((entry["content"] or {}).get("title") == "theirs" for entry in device.journaled(record)):
        raise Violation(f"the journal has {device.journaled(record)} of the record that was taken away")


@scenario("7.5", 4, "an own record that the server lacks comes back, or is written down, after the digest has differed",
          "full")
def server_lost_own(world: World) -> None:
    device = world.device()
    record = device.put(title="mine")
    fill(world, 2)
    device.settle()
    del world.scope.records[world.key(record)]
    world.scope.is_recovering = True
    fill(world, 1)
    device.settle()
    device.settle()
    if world.stored(record) is None:
        raise Violation("an own record was not brought back to a server that had stored it and is recovering")


@scenario("7.5", 5, "the outbox stays while everything is pulled because the digest differs", "full")
def outbox_while_repairing(world: World) -> None:
    device = world.device()
    fill(world, 3)
    device.settle()
    fill(world, 1)
    world.fault(pulls, "change", change=wrong_digest)
    world.fault(lambda request: request.is_push, "error", times=3, status=503, code="stopping",
                members={"retryAfter": 1})
    record = device.put(title="mine")
    device.settle()
    if world.stored(record) is None:
        raise Violation("the change in the outbox did not arrive")

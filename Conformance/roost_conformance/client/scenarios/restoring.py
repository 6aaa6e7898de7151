"""Servers that were restored, copies of a file, purges, and identities (protocol.md §6.2, §7.7, §11.4, §11.5)."""
from __future__ import annotations

from typing import Any, Dict, List, Tuple

from ...messages import RecoverRequest
from ...requirements import Violation
from ..bulk import many_nodes
from ..faults import path, pushes
from ..registry import scenario
from ..world import Device, World

RESTORED = ("history_changed",)


def recoveries(world: World) -> List[Any]:
    return [each for each in world.requests if each.path == "/v1/recover" and isinstance(each.message, RecoverRequest)]


def lost(world: World, is_noticed: bool = True, is_recovering: bool = True) -> Tuple[Device, str, str, str]:
    """A server that was restored from a backup, and has lost an own record and one of a peer since.

    Returns the device, a record that is on both, the own record that was lost, and that of the peer.
    """
    device = world.device()
    peer = world.peer()
    kept = device.put(title="kept")
    device.settle()
    backup = world.scope.backup()
    own = device.put(title="own")
    theirs = peer.put(title="theirs")
    device.settle()
    device.settle()
    world.scope.restore(backup, is_noticed)
    world.scope.is_recovering = is_noticed and is_recovering
    return device, kept, own, theirs


def expect_shown(device: Device, *records: str) -> None:
    shown = device.show().get("Node", {})
    for record in records:
        if record not in shown:
            raise Violation(f"the record {record} is not shown any more")


@scenario("7.7", 1, "what a restored server has lost is brought back, own records and those of others", "full",
          codes=RESTORED + ("server_rolled_back",), renewals_max=1)
def brought_back(world: World) -> None:
    device, kept, own, theirs = lost(world)
    device.settle()
    device.settle()
    expect_shown(device, kept, own, theirs)
    if not recoveries(world):
        raise Violation("nothing was brought back with POST /v1/recover")
    for request in recoveries(world):
        for record in request.message.records:
            stamps = {change.stamp for _, change in world.scope.stored}
            if record.put_stamp and record.put_stamp not in stamps:
                raise Violation("a record was brought back with another stamp than it had")


@scenario("7.7", 2, "a recovery whose reply is lost is repeated", "full", codes=RESTORED + ("server_rolled_back",),
          renewals_max=1)
def recovery_repeated(world: World) -> None:
    device, kept, own, theirs = lost(world)
    world.fault(path("/v1/recover"), "lose_reply")
    device.settle()
    device.settle()
    expect_shown(device, kept, own, theirs)


@scenario("7.7", 3, "what a server does not take back (not_recovering) is written down", "minimal",
          codes=RESTORED + ("not_recovering", "server_rolled_back"), renewals_max=1)
def not_recovering(world: World) -> None:
    device, kept, own, theirs = lost(world, is_recovering=False)
    device.settle()
    device.settle()
    for record, title in ((own, "own"), (theirs, "theirs")):
        is_back = world.stored(record) is not None
        if not is_back and not any((each["content"] or {}).get("title") == title for each in device.journaled(record)):
            raise Violation(f"the record \"{title}\" is neither on the server nor in the journal")
    expect_shown(device, kept)


@scenario("7.7", 4, "a viewer writes down what the server has lost", "full", codes=RESTORED + ("forbidden",))
def viewer_writes_down(world: World) -> None:
    device = world.device("viewer")
    peer = world.peer()
    peer.put(title="kept")
    backup = world.scope.backup()
    theirs = peer.put(title="theirs")
    device.settle()
    world.scope.restore(backup, True)
    device.try_sync()
    device.settle()
    if not any((each["content"] or {}).get("title") == "theirs" for each in device.journaled(theirs)):
        raise Violation(f"the journal has {device.journaled(theirs)} of the record that the server has lost")


@scenario("7.7", 5, "what the server has of a record that is later than what was lost stays", "full",
          codes=RESTORED + ("server_rolled_back",), renewals_max=1)
def later_on_server(world: World) -> None:
    device, _, own, theirs = lost(world)
    world.pause(0.01)
    world.peer().put(theirs, title="made since")
    device.settle()
    device.settle()
    expect_shown(device, own)
    if device.shown(theirs) != {"title": "made since"}:
        raise Violation(f"the record that was made since is shown as {device.shown(theirs)}")


@scenario("7.7", 6, "records are brought back in ascending order of their greatest stamp, at most 1,000 at once",
          "full",
          codes=RESTORED + ("server_rolled_back",), renewals_max=1, requests_max=120)
def in_order(world: World) -> None:
    device = world.device()
    device.settle()
    backup = world.scope.backup()
    for _ in range(12):
        many_nodes(world, 100)
    device.settle()
    world.scope.restore(backup, True)
    device.settle()
    device.settle()
    sent = [max(record.put_stamp, record.delete_stamp) for request in recoveries(world) if request.status == 200
            for record in request.message.records]
    if sent != sorted(sent):
        raise Violation("the records were not brought back in the order of their stamps")
    if len(world.scope.records) != 1200:
        raise Violation(f"the server has {len(world.scope.records)} records, expected 1200")


@scenario("7.7", 7, "what a recovery names as purged is forgotten, and written down where nothing beats it", "full",
          codes=RESTORED, renewals_max=1)
def passed_over(world: World) -> None:
    device = world.device()
    peer = world.peer()
    device.settle()
    record = peer.put(title="theirs")
    device.settle()
    peer.delete(record)
    world.scope.purge([world.key(record)])
    world.scope.begin_epoch()
    device.settle()
    device.settle()
    if device.shown(record) is not None:
        raise Violation("a purged record is shown")


# A server that does not know that it was restored (§11.5).

@scenario("11.5", 11, "server_rolled_back: a pull with the checkpoint comes first, before anything is forgotten",
          "minimal", codes=("server_rolled_back", "history_changed", "not_recovering"), renewals_max=1)
def rolled_back(world: World) -> None:
    device, kept, own, theirs = lost(world, is_noticed=False)
    begin = len(world.requests)
    mine = device.put(title="waits")
    device.settle()
    device.settle()
    later = world.requests[begin:]
    shown = next((index for index, each in enumerate(later) if each.is_pull and each.since is not None), None)
    forgotten = next((index for index, each in enumerate(later) if each.is_pull and each.since is None), len(later))
    if shown is None or shown > forgotten:
        raise Violation("everything was pulled before a pull that shows the server the checkpoint")
    expect_shown(device, kept, mine)
    if world.stored(mine) is None:
        raise Violation("the change in the outbox did not arrive")
    for record, title in ((own, "own"), (theirs, "theirs")):
        is_back = world.stored(record) is not None
        if not is_back and not any((each["content"] or {}).get("title") == title for each in device.journaled(record)):
            raise Violation(f"the record \"{title}\" is neither on the server nor in the journal")


@scenario("11.5", 12, "history_changed: the outbox stays and is pushed, what is shown stays shown until the end",
          "minimal",
          codes=("history_changed", "server_rolled_back", "not_recovering"), renewals_max=1)
def history_changed(world: World) -> None:
    device, kept, own, theirs = lost(world)
    mine = device.put(title="waits")
    edited = device.put(kept, title="edited")
    device.settle()
    device.settle()
    expect_shown(device, mine, edited)
    if (world.content(kept) or {}).get("title") != "edited":
        raise Violation("the edit in the outbox did not arrive")


@scenario("11.5", 13, "a full resynchronisation that breaks off is continued, and nothing is lost", "minimal",
          codes=("history_changed", "server_rolled_back", "not_recovering"), renewals_max=1, requests_max=150)
def resynchronisation_breaks_off(world: World) -> None:
    device, kept, own, theirs = lost(world, is_recovering=False)
    for index in range(5):
        world.peer().put(title=f"more {index}")
    world.scope.sequences_per_page_max = 1
    rule = world.fault(lambda request: request.is_pull and request.since is not None and any(
        each.is_pull and each.since is None and each.status == 200 and each.at > begin for each in world.requests),
        "lose_reply", times=6)
    begin = world.requests[-1].at
    device.try_sync()
    device.restart()
    rule.used = rule.times
    device.settle()
    device.settle()
    for record, title in ((own, "own"), (theirs, "theirs")):
        is_back = world.stored(record) is not None
        if not is_back and not any((each["content"] or {}).get("title") == title for each in device.journaled(record)):
            raise Violation(f"the record \"{title}\" is neither on the server nor in the journal")
    expect_shown(device, kept)


@scenario("11.5", 14, "a server that is restored twice loses nothing that the device has", "full",
          codes=("history_changed", "server_rolled_back", "unauthorized"), renewals_max=3, requests_max=120)
def restored_twice(world: World) -> None:
    device = world.device()
    device.settle()
    records = []
    for index in range(2):
        backup = world.scope.backup()
        records.append(device.put(title=f"round {index}"))
        device.settle()
        world.scope.restore(backup, True)
        device.settle()
        device.settle()
    expect_shown(device, *records)
    if any(world.stored(record) is None for record in records):
        raise Violation("a record was not brought back")


# Copies (§6.2).

def forked(world: World, code: str, status: int) -> Device:
    device = world.device()
    record = device.put(title="before")
    device.settle()
    device.put(record, title="edited")
    device.put(record, title="edited again")
    device.put(title="under way")
    before = device.identity
    world.fault(pushes, "error", status=status, code=code)
    device.settle()
    if device.identity == before:
        raise Violation(f"the replica was not renewed after {code}")
    first = next(each for each in world.pushes if each.replica == device.identity.hex())
    if first.message.number != 1:
        raise Violation(f"the first push of the new identity has the number {first.message.number}, expected 1")
    pulled = [each.since for each in world.pulls if each.replica == device.identity.hex()]
    if device.profile == "minimal" and pulled[0] is not None:
        raise Violation("a client without digests did not pull everything after its renewal")
    return device


@scenario("11.5", 15, "replica_forked: the replica is renewed, and its outbox goes under the new identity", "minimal",
          renewals_max=1)
def replica_forked(world: World) -> None:
    forked(world, "replica_forked", 409)


@scenario("11.5", 16, "foreign_stamp is treated as replica_forked", "minimal", renewals_max=1)
def foreign_stamp(world: World) -> None:
    forked(world, "foreign_stamp", 403)


@scenario("11.5", 17, "stamps_not_increasing is treated as replica_forked", "minimal", renewals_max=1)
def stamps_not_increasing(world: World) -> None:
    forked(world, "stamps_not_increasing", 400)


@scenario("6.2", 1, "a renewal whose reply is lost is repeated with the same nonce", "minimal", renewals_max=1)
def renewal_repeated(world: World) -> None:
    device = world.device()
    device.put(title="mine")
    world.fault(pushes, "error", status=409, code="replica_forked")
    world.fault(path("/v1/replica/renew"), "lose_reply", times=2)
    device.try_sync()
    device.restart()
    device.settle()
    made = [each for each in world.scope.replicas.values() if each.first != each.id]
    if len(made) != 1:
        raise Violation(f"{len(made)} identities were made for one renewal")


@scenario("6.2", 2, "a copy of the file is noticed by the server, and neither copy loses anything", "minimal",
          codes=("replica_forked", "stamps_not_increasing"), renewals_max=1, requests_max=90)
def copied(world: World) -> None:
    device = world.device()
    device.put(title="shared")
    device.settle()
    device.adapter.kill()
    copy = world.copy(device)
    device.restart()
    copy.restart()
    device.put(title="of the first")
    device.settle()
    copy.put(title="of the second")
    copy.settle()
    device.put(title="of the first again")
    device.settle()
    copy.settle()
    device.settle()


@scenario("6.2", 3, "a renewed client that is killed before it has pulled everything loses nothing", "minimal",
          renewals_max=1)
def killed_after_renewal(world: World) -> None:
    device = world.device()
    device.put(title="before")
    world.peer().put(title="theirs")
    device.settle()
    device.put(title="mine")
    world.fault(pushes, "error", status=409, code="replica_forked")
    rule = world.fault(lambda request: request.is_pull and any(
        each.path == "/v1/replica/renew" and each.status == 201 for each in world.requests), "lose_reply", times=9)
    device.start_sync()
    rule.reached.wait(10)
    device.restart()
    rule.used = rule.times
    device.settle()


# Purging (§11.4).

def expired(world: World) -> Tuple[Device, Dict[str, str]]:
    """A device whose checkpoint is older than what was purged, and forgotten."""
    device = world.device()
    peer = world.peer()
    records = {"kept": peer.put(title="kept"), "purged": peer.put(title="purged"), "own": device.put(title="own")}
    device.settle()
    device.settle()
    peer.delete(records["purged"])
    world.scope.purge([world.key(records["purged"])])
    world.scope.forget_names()
    return device, records


@scenario("11.4", 1, "resync_required: everything is pulled, and what the server does not have is forgotten", "minimal",
          codes=("resync_required",))
def resync_required(world: World) -> None:
    device, records = expired(world)
    device.settle()
    if device.shown(records["purged"]) is not None:
        raise Violation("a record is shown that the server has purged")
    expect_shown(device, records["kept"], records["own"])


@scenario("11.4", 2, "resync_required: the outbox stays and is pushed", "minimal", codes=("resync_required",))
def outbox_after_resync(world: World) -> None:
    device, records = expired(world)
    mine = device.put(title="made while away")
    device.put(records["kept"], title="edited while away")
    device.settle()
    device.settle()
    if world.stored(mine) is None or (world.content(records["kept"]) or {}).get("title") != "edited while away":
        raise Violation("a change in the outbox did not arrive")


@scenario("11.4", 3, "an edit of a record that was purged meanwhile is refused as gone, and written down", "minimal",
          codes=("resync_required",))
def gone_after_resync(world: World) -> None:
    device, records = expired(world)
    device.put(records["purged"], title="edited while away")
    mine = device.put(title="made while away")
    device.settle()
    device.settle()
    if not any((each["content"] or {}).get("title") == "edited while away"
               for each in device.journaled(records["purged"])):
        raise Violation("the refused edit is not in the journal")
    if world.stored(mine) is None:
        raise Violation("the other change did not arrive")


@scenario("11.4", 4, "an own put that the client forgets, and knows no delete of, is written down", "full",
          codes=("resync_required",))
def own_put_forgotten(world: World) -> None:
    device, records = expired(world)
    world.scope.purge([world.key(records["own"])])
    world.scope.forget_names()
    device.settle()
    device.settle()
    if not any((each["content"] or {}).get("title") == "own" for each in device.journaled(records["own"])):
        raise Violation(f"the journal has {device.journaled(records['own'])} of the own put that was forgotten")


@scenario("11.4", 5, "a record that was purged and made again is shown as it was made again", "minimal",
          codes=("resync_required",))
def made_again(world: World) -> None:
    device, records = expired(world)
    world.peer().put(records["purged"], title="made again")
    device.settle()
    if device.shown(records["purged"]) != {"title": "made again"}:
        raise Violation(f"the record is shown as {device.shown(records['purged'])}")



"""Requirements that need a server to be killed or restarted: what survives, and purges (§6.1, §6.7, §7, §11).

A server purges at its start what has been deleted for longer than the horizon. Stamps of the past make it so.
"""
from __future__ import annotations

import concurrent.futures
import time
from typing import List, Set

from ..actors import Device, Run, Scope
from ..expectations import expect, expect_equal, expect_error, expect_status
from ..hashing import digest
from ..messages import Change, Record, RecordName
from ..requirements import NotTested, operated
from ..stamps import Stamp, wall_milliseconds
from ..wire import NetworkError
from .chapter08_tokens import me

DAY = 86_400_000
PURGE_SECONDS_MAX = 20


@operated("6.1", 2, "a reply of 200 says only what is durable: it holds after the server was killed")
def durable(run: Run) -> None:
    scope = run.scope()
    owner, other = scope.owner, scope.join()
    owner.push([owner.person()], [owner.person()])
    other.pull()
    sealed = owner.seal(owner.next_push([owner.person()], [owner.delete("Person", next(iter(owner.slots))[1])]))
    first, before = owner.send(sealed), scope.digest()
    owner.settle(first)
    run.target.operate("kill")
    after = scope.digest()
    expect_equal((after["digest"], after["sequence"]), (before["digest"], before["sequence"]), "digest and sequence")
    expect_equal(owner.send(sealed).body, first.body, "the reply to the repeated push")
    expect_equal(len(other.pull()), 2, "the number of records after the checkpoint")
    owner.push([owner.person()])


@operated("11.5", 1, "a server that was killed keeps tokens, roles, invites, schemas and staged parts")
def survivors(run: Run) -> None:
    scope = run.scope()
    owner, viewer, revoked = scope.owner, scope.join("viewer"), scope.join()
    invite = scope.invite("editor")
    expect_status(owner.request("POST", f"/v1/devices/{revoked.name}/revoke"))
    owner.push([owner.person()], continues=True)
    run.target.operate("kill")
    expect_equal(me(viewer).json()["role"], "viewer", "role")
    expect_error(me(revoked), 401, "revoked")
    found = [item["id"] for item in owner.request("GET", "/v1/invites").json()["invites"]]
    expect_equal(found, [invite["id"]], "the open invites")
    expect_equal(owner.request("GET", "/v1/schema").json()["schema"], scope.registration["schema"], "the schema")
    expect_equal(owner.push([owner.person()]).results[0].sequence, 1, "the sequence of the whole transaction")
    expect_equal(len(viewer.everything()), 2, "the number of records")


@operated("7.4", 8, "a waiting pull ends, one way or another, when the server stops")
def wait_while_stopping(run: Run) -> None:
    device = run.scope().join()
    device.pull()
    begin = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        future = pool.submit(device.get_page, wait=50)
        time.sleep(0.4)
        run.target.operate("restart")
        try:
            future.result()
        except NetworkError:
            pass  # the connection may end with the server
    expect(time.monotonic() - begin < 40, "the waiting pull goes on after the server stopped")
    device.pull()


class Purged:
    """A scope of which the server has purged a parent with its child, and a record by itself."""

    def __init__(self, run: Run) -> None:
        horizon = run.limit("horizonDays")
        if horizon == 0:
            raise NotTested("horizonDays is 0: nothing is ever purged")
        self.scope: Scope = run.scope()
        self.owner, self.other = self.scope.owner, self.scope.join()
        self.past = wall_milliseconds() - (horizon + 10) * DAY
        owner = self.owner
        self.kept = self.put("Person", {"name": "kept"})
        self.parent = self.put("Person", {"name": "parent"})
        self.child = self.put("Spending", {"content": "child", "amount": 1, "person": _uuid(self.parent.record)})
        self.alone = self.put("Thing", {"text": "alone"})
        owner.push([self.kept, self.parent], [self.child], [self.alone])
        self.other.pull()
        self.old = self.other.checkpoint
        owner.push([owner.delete("Person", self.parent.record, self.stamp())],
                   [owner.delete("Thing", self.alone.record, self.stamp())])
        self.recent = owner.put("Thing", {"text": "recent"})
        owner.push([self.recent], [owner.delete("Thing", self.recent.record)])
        self.names: Set[bytes] = {self.parent.record, self.child.record, self.alone.record}
        self.show_checkpoints()

    def stamp(self) -> bytes:
        self.past += 1000
        return Stamp(self.past, 0, self.owner.replica).encode()

    def put(self, entity: str, members: object) -> Change:
        change: Change = self.owner.put(entity, members, stamp=self.stamp())  # type: ignore[arg-type]
        return change

    def show_checkpoints(self) -> None:
        """Every replica pulls until its checkpoint is the last one, and shows it with a pull more."""
        for device in (self.owner, self.other):
            device.pull()
            device.pull()

    def restart(self) -> None:
        """Restarts the server, and waits until it has purged."""
        run = self.scope.run
        run.target.operate("restart")
        deadline = time.monotonic() + PURGE_SECONDS_MAX
        while self.scope.digest()["records"] != 2:
            if time.monotonic() > deadline:
                expect(False, f"{PURGE_SECONDS_MAX} s after its start the server has purged nothing, or has not purged "
                              "what was deleted before the horizon")
            time.sleep(0.1)


def _uuid(data: bytes) -> str:
    text = data.hex()
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


def pages(device: Device, since: bytes, **parameters: int) -> List[List[RecordName]]:
    """The identifiers in each page of a pull that is not applied. A page without identifiers has a record."""
    result = []
    for _ in range(50):
        page = device.page(since, **parameters)
        if page.has_more and "identifiers" not in parameters:
            expect(page.records, "a page with hasMore has no record, and the request has no identifiers")
        expect(not page.has_more or page.checkpoint != since, "a page with hasMore does not move the checkpoint")
        result.append(page.purged)
        since = page.checkpoint
        if not page.has_more:
            return result
    raise NotTested("the pull has more than 50 pages")


@operated("11.4", 1, "what was deleted before the horizon is purged with all that it hides, and nothing else is")
def purged(run: Run) -> None:
    case = Purged(run)
    case.restart()
    found = case.owner.everything()
    expect_equal({record.id for record in found}, {case.kept.record, case.recent.record}, "the records")
    expect_equal(case.scope.digest()["digest"], digest(found).hex(), "the digest")
    # The digest of a replica that forgets what is named is that of the server.
    case.other.pull(identifiers=1)
    expect_equal(digest(case.other.slots.values()).hex(), case.scope.digest()["digest"], "the digest of a replica")


@operated("7.2", 9, "purged names what was purged, once, and the limit counts the identifiers", both=True)
def names_of_purged_records(run: Run) -> None:
    case = Purged(run)
    since = case.other.checkpoint
    case.restart()
    for parameters in ({"identifiers": 1}, {"identifiers": 1, "limit": 1}, {}):
        named = [name for page in pages(case.other, since, **parameters) for name in page]
        expect_equal(sorted(name.id for name in named), sorted(case.names), f"the names with {parameters}")
        entities = {name.id: name.entity for name in named}
        expect_equal(entities, {case.parent.record: 1, case.child.record: 2, case.alone.record: 3}, "the entities")


@operated("7.2", 10, "without identifiers a page with hasMore has a record of the scope, in its state now")
def page_with_a_record(run: Run) -> None:
    case = Purged(run)
    since = case.other.checkpoint
    case.restart()
    found = pages(case.other, since, limit=1)
    expect_equal(sum(len(page) for page in found), 3, "the number of names in all pages")


@operated("11.4", 2, "a record that a delete hides is named no later than the record that hides it")
def order_of_names(run: Run) -> None:
    case = Purged(run)
    since = case.other.checkpoint
    case.restart()
    place = {}
    for index, page in enumerate(pages(case.other, since, identifiers=1, limit=1)):
        for name in page:
            place[name.id] = index
    expect(place[case.child.record] <= place[case.parent.record],
           f"the child is named in page {place[case.child.record]}, its parent in {place[case.parent.record]}")


@operated("11.4", 3, "nothing is purged before every active replica has its sequence")
def replica_that_lags(run: Run) -> None:
    case = Purged(run)
    late = case.scope.join()
    page = late.page(limit=1)
    late.apply(page)
    run.target.operate("restart")
    time.sleep(2)
    expect_equal(case.scope.digest()["records"], 5, "the number of records while a replica lags")


@operated("6.7", 6, "an edit of a record that was purged is refused as gone, and a put without a base is stored")
def gone(run: Run) -> None:
    case = Purged(run)
    case.restart()
    edit = case.owner.put("Thing", {"text": "edit"}, record=case.alone.record, base=case.alone.stamp)
    results = case.owner.push([edit], [case.owner.person()]).results
    refused = results[0].refused
    expect_equal(refused and (refused.code, refused.index), ("gone", 0), "the refusal")
    expect(results[1].sequence, "the other transaction was not stored")
    again = case.owner.put("Thing", {"text": "again"}, record=case.alone.record)
    expect(case.owner.push([again]).results[0].sequence, "a put without a base was not stored")
    stored = case.owner.stored(again)
    expect_equal(stored, Record(3, again.record, again.stamp, again.put), "the record")


@operated("7.1", 8, "a since older than names that are forgotten is resync_required")
def resync_required(run: Run) -> None:
    case = Purged(run)
    case.restart()
    case.show_checkpoints()
    # The server has looked at the first scope once it has purged a later one. A pull before that would hold it up.
    Purged(run).restart()
    expect_error(case.other.get_page(case.old), 409, "resync_required")
    expect_equal({record.id for record in case.other.everything()}, {case.kept.record, case.recent.record},
                 "the records")


@operated("7.7", 17, "a purged record that a replica brings back is passed over, and named in purged")
def purged_and_brought_back(run: Run) -> None:
    case = Purged(run)
    case.restart()
    lost = Record(3, case.alone.record, case.alone.stamp, case.alone.put)
    reply = case.other.send_recovery([lost])
    if reply.code == "not_recovering":
        raise NotTested("the scope is not recovering: needs a restored server that purges, 30 days later")
    result = case.other.recover([lost])
    expect_equal((result.stored, [name.id for name in result.purged]), (0, [lost.id]), "stored and purged")

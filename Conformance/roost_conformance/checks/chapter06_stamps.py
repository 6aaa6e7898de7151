"""§6.2 Identity of a replica, and §6.4 Stamps."""
from __future__ import annotations

import time
from typing import Any, Dict

from ..actors import Device, Run
from ..expectations import expect, expect_equal, expect_error, expect_members, expect_status
from ..messages import Record
from ..puts import Put, Value
from ..requirements import NotTested, not_tested, requirement
from ..slots import merged
from ..stamps import Stamp
from ..wire import Reply

DAY = 86_400_000


def renew(device: Device, nonce: str = "") -> Reply:
    body = {"reason": "the file was restored from a backup", "nonce": nonce or device.run.nonce()}
    return device.request("POST", "/v1/replica/renew", body)


def renewed(device: Device) -> Device:
    return Device(device.run, expect_members(expect_status(renew(device), 201), "replica", "token"))


def server_time(device: Device) -> int:
    value = expect_members(expect_status(device.request("GET", "/v1/me")), "serverTime")["serverTime"]
    return int(value)


@requirement("6.2", 1, "a replica has 64 bits of its own, from making a scope and from joining one")
def replicas_differ(run: Run) -> None:
    scope = run.scope()
    names = [device.name for device in (scope.owner, scope.join(), scope.join("viewer"), run.scope().owner)]
    for name in names:
        expect(len(name) == 16 and name == name.lower() and int(name, 16) >= 0, f"a replica is {name!r}")
    expect_equal(len(set(names)), len(names), "the number of different replicas")


@requirement("6.2", 2, "a renewal gives a new replica and token, and the same scope, name and role")
def renewal(run: Run) -> None:
    scope = run.scope()
    for device in (scope.owner, scope.join("editor"), scope.join("viewer")):
        reply = expect_status(renew(device), 201)
        members = expect_members(reply, "scope", "scopeName", "replica", "token", "role", "schema", "serverTime")
        expect_equal((members["scope"], members["scopeName"]), (scope.id, "Lisbon"), "scope and scopeName", reply)
        expect(members["replica"] != device.name and members["token"] != device.token, "replica or token is the old",
               reply)
        expect_equal(members["role"], device.role, "role", reply)
        me = Device(run, members).request("GET", "/v1/me").json()
        expect_equal((me["replica"], me["role"]), (members["replica"], device.role),
                     "replica and role of the new token")
        devices = scope.owner.request("GET", "/v1/devices").json()["devices"]
        name = {item["replica"]: item["name"] for item in devices}
        expect_equal(name[members["replica"]], name[device.name], "the name")


@requirement("6.2", 3, "the old replica and its token stay, each counting its own pushes", both=True)
def old_replica_stays(run: Run) -> None:
    old = run.scope().owner
    old.push([old.person()])
    new = renewed(old)
    expect_equal(new.push([new.person()]).number, 1, "the number of the new replica's push")
    old.push([old.person()])
    expect_equal(len(old.everything()), 3, "the number of records")


@requirement("6.2", 4, "what the other copy pushed arrives a second time under the new replica, and does no harm",
             both=True)
def pushed_twice(run: Run) -> None:
    scope = run.scope()
    old = scope.owner
    change = old.person()
    old.push([change])
    new = renewed(old)
    again = new.person(record=change.record, stamp=change.stamp[:8] + new.replica)
    result = new.push([again]).results[0]
    expect(result.sequence, f"the change was refused: {result.refused}")
    expect_equal(old.stored(change), Record(1, change.record, max(change.stamp, again.stamp), change.put), "the record")


@requirement("6.2", 5, "the same nonce gets the same renewal, and another gets another")
def renewal_nonce(run: Run) -> None:
    owner, nonce = run.scope().owner, run.nonce()
    first, second, third = renew(owner, nonce).json(), renew(owner, nonce).json(), renew(owner).json()
    expect_equal((second["replica"], second["token"]), (first["replica"], first["token"]), "the repeated renewal")
    expect(third["replica"] != first["replica"], "another nonce gives the same replica")


@requirement("6.2", 6, "a replica that is not known, or is revoked, cannot renew")
def no_renewal(run: Run) -> None:
    scope = run.scope()
    device = scope.join()
    expect_status(scope.owner.request("POST", f"/v1/devices/{device.name}/revoke"))
    expect_error(renew(device), 401, "revoked")


@requirement("6.2", 7, "the old and the new replica are one device: the list names the first of them")
def one_device(run: Run) -> None:
    owner = run.scope().owner
    first = renewed(owner)
    second = renewed(first)
    devices = owner.request("GET", "/v1/devices").json()["devices"]
    found = {item["replica"]: item.get("device") for item in devices}
    expect_equal(found, {owner.name: None, first.name: owner.name, second.name: owner.name}, "device of each replica")


@requirement("6.2", 8, "a device is renewed as often in 24 hours as the limit says, and then gets a 429")
def renewals_have_a_limit(run: Run) -> None:
    most = run.limit("renewalsPerDayMax")
    if most > 30:
        raise NotTested(f"renewalsPerDayMax is {most}; tested up to 30")
    device = run.scope().owner
    for _ in range(most):
        device = renewed(device)
    body = {"reason": "one more", "nonce": run.nonce()}
    reply = run.server.request("POST", "/v1/replica/renew", device.token, body)
    expect_error(reply, 429, "too_many_requests")


@requirement("6.2", 9, "a nonce of fewer than 8 or more than 64 bytes is a bad_request")
def nonces(run: Run) -> None:
    owner = run.scope().owner
    for nonce in ("", "1234567", "x" * 65):
        body: Dict[str, Any] = {"reason": "a test", "nonce": nonce}
        expect_error(owner.request("POST", "/v1/replica/renew", body), 400, "bad_request")
    expect_error(owner.request("POST", "/v1/replica/renew", {"reason": "a test"}), 400, "bad_request")
    expect_status(renew(owner, run.nonce()[:8]), 201)
    expect_status(renew(owner, (run.nonce() * 2)[:64]), 201)


@requirement("6.4", 1, "stamps are ordered by their bytes: milliseconds, counter, replica", both=True)
def order(run: Run) -> None:
    scope = run.scope()
    low, high = sorted((scope.owner, scope.join()), key=lambda device: device.replica)
    now = server_time(low) - 1000
    winner = high.person("winner", stamp=Stamp(now, 5, high.replica).encode())
    losers = [low.person("loser", record=winner.record, stamp=Stamp(now - 1, 0xFFFF, low.replica).encode()),
              low.person("loser", record=winner.record, stamp=Stamp(now, 4, low.replica).encode()),
              low.person("loser", record=winner.record, stamp=Stamp(now, 5, low.replica).encode())]
    high.push([winner])
    low.push(losers)
    expect_equal(low.stored(winner), Record(1, winner.record, winner.stamp, winner.put), "the record")
    later = low.person("later", record=winner.record, stamp=Stamp(now, 6, low.replica).encode())
    low.push([later])
    expect_equal(low.stored(winner), Record(1, winner.record, later.stamp, later.put), "the record")


@requirement("6.4", 2, "the server never changes a stamp", both=True)
def stamps_are_kept(run: Run) -> None:
    scope = run.scope()
    now = server_time(scope.owner)
    changes = [scope.owner.person(stamp=Stamp(time_, counter, scope.owner.replica).encode())
               for time_, counter in ((0, 1), (1, 0xFFFF), (now - 400 * DAY, 0), (now, 7), (now + 60_000, 0))]
    scope.owner.push(changes)
    expect_equal({record.put_stamp for record in scope.join().pull()}, {change.stamp for change in changes},
                 "the stamps")


@requirement("6.4", 3, "a stamp with another replica than the token's is foreign_stamp, and refuses the whole push",
             both=True)
def foreign_stamp(run: Run) -> None:
    scope = run.scope()
    owner, other = scope.owner, scope.join()
    for bad in (other.clock.tick(), owner.clock.tick()[:-1] + bytes([owner.replica[7] ^ 1]),
                owner.clock.tick()[:8] + bytes(8)):
        expect_error(owner.send(owner.next_push([owner.person(stamp=owner.clock.tick())], [owner.person(stamp=bad)])),
                     403,
                     "foreign_stamp")
    expect_equal(owner.everything(), [], "the records")
    owner.push([owner.person()])


@requirement("6.4", 4, "a stamp beyond the clock bound is clock_ahead with serverTime, and refuses the whole push",
             both=True)
def clock_ahead(run: Run) -> None:
    owner, bound = run.scope().owner, run.limit("clockAheadMillisecondsMax")
    now = server_time(owner)
    for ahead in (now + bound + 60_000, now + DAY, (1 << 47), (1 << 48) - 1):
        stamp = Stamp(ahead, 0, owner.replica).encode()
        error = expect_error(owner.send(owner.next_push([owner.person()], [owner.person(stamp=stamp)])), 409,
                             "clock_ahead")
        expect(abs(error["serverTime"] - server_time(owner)) < 10_000, f"serverTime is {error['serverTime']}")
        expect("retryAfter" not in error, f"there is a retryAfter for a stamp {ahead - now} ms ahead")
    expect_equal(owner.everything(), [], "the records")
    owner.push([owner.person()])


@requirement("6.4", 5, "a stamp within the clock bound is taken", both=True)
def within_the_bound(run: Run) -> None:
    owner, bound = run.scope().owner, run.limit("clockAheadMillisecondsMax")
    owner.push([owner.person(stamp=Stamp(server_time(owner) + bound - 5000, 0xFFFF, owner.replica).encode())])


@requirement("6.4", 6, "clock_ahead has retryAfter where its stamps will be within the bound in 10 seconds", both=True)
def soon_within_the_bound(run: Run) -> None:
    owner, bound = run.scope().owner, run.limit("clockAheadMillisecondsMax")
    stamp = Stamp(server_time(owner) + bound + 2500, 0, owner.replica).encode()
    sealed = owner.seal(owner.next_push([owner.person(stamp=stamp)]))
    reply = owner.send(sealed)
    error = expect_error(reply, 409, "clock_ahead")
    wait = error.get("retryAfter")
    expect(isinstance(wait, int) and 1 <= wait <= 10, f"retryAfter is {wait!r}", reply)
    expect_equal(reply.header("Retry-After"), str(wait), "Retry-After", reply)
    time.sleep(int(wait or 0))
    owner.settle(owner.send(sealed))


@requirement("6.4", 7, "a stamp that is not greater than the one before it in the push is stamps_not_increasing",
             both=True)
def not_increasing(run: Run) -> None:
    owner = run.scope().owner
    first, second = owner.clock.tick(), owner.clock.tick()
    for stamps in ((second, first), (first, first)):
        for push in (owner.next_push([owner.person(stamp=stamp) for stamp in stamps]),
                     owner.next_push(*[[owner.person(stamp=stamp)] for stamp in stamps])):
            expect_error(owner.send(push), 400, "stamps_not_increasing")
    expect_equal(owner.everything(), [], "the records")


@requirement("6.4", 8, "the first stamp must be greater than the greatest that the server stored of this replica",
             both=True)
def greater_than_stored(run: Run) -> None:
    scope = run.scope()
    owner = scope.owner
    early, late = owner.clock.tick(), owner.clock.tick()
    owner.push([owner.person(stamp=late)])
    for stamp in (late, early):
        expect_error(owner.send(owner.next_push([owner.person(stamp=stamp)])), 400, "stamps_not_increasing")
    other = scope.join()
    other.push([other.person(stamp=early[:8] + other.replica)])
    owner.push([owner.person()])


@requirement("6.4", 9, "a stamp counts once it was in a refused transaction or not: the next push goes on either way",
             both=True)
def after_a_refusal(run: Run) -> None:
    owner = run.scope().owner
    large = owner.put("Thing", {"text": "x" * (run.limit("putBytesMax") + 1)})
    expect(owner.push([large]).results[0].refused, "a put that is too large was not refused")
    owner.push([owner.person()])


@requirement("6.4", 10, "Roost-Time is taken with a push, whatever it says", both=True)
def device_time(run: Run) -> None:
    owner = run.scope().owner
    for text in (str(server_time(owner)), "0", "18446744073709551616", "yesterday", ""):
        owner.settle(owner.send(owner.next_push([owner.person()]), headers={"Roost-Time": text}))


@requirement("6.4", 11, "of two changes with one stamp, the one with the greater content hash stands", both=True)
def one_stamp_twice(run: Run) -> None:
    owner = run.recovering_scope().owner
    stamp, record = bytes.fromhex("0189") + bytes(14), run.identifier()
    puts = [Put({}, {1: Value("text", bytes([97 + index]))}) for index in range(4)]
    run.random.shuffle(puts)
    records = [Record(1, record, stamp, put.encode()) for put in puts]
    for item in records:
        owner.recover([item])
    expect_equal(owner.everything(), list(merged(records).values()), "the records")


@requirement("6.4", 12, "serverTime of a repeated push is the time of its first reply, and of a pull the time of now",
             both=True)
def times_of_replies(run: Run) -> None:
    owner = run.scope().owner
    sealed = owner.seal(owner.next_push([owner.person()]))
    first = owner.read_push_reply(expect_status(owner.send(sealed)))
    time.sleep(0.02)
    again = owner.read_push_reply(expect_status(owner.send(sealed)))
    page = owner.page()
    expect_equal(again.server_time, first.server_time, "serverTime of the repetition")
    expect(page.server_time > first.server_time, "serverTime of a page is not later than that of an earlier reply")


not_tested("6.4", 13, "the clock bound is after the greatest reading of the server's clock, where that has gone back",
           "needs a server whose clock is set back")

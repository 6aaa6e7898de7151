"""What holds in every scenario: of the requests that were sent, and of the records that were written."""
from __future__ import annotations

import re
from typing import Any, Dict, List, Set

from ..jsonvalues import PutForm
from ..messages import PushRequest
from ..puts import canonical_fault
from ..requirements import Violation
from .oracle import Shown
from .service import Request
from .world import Device, World, Written, is_within, same

TOKEN = re.compile(r"roost_[a-z]_")
DOUBTFUL = ("lose_reply", "lose_request", "truncate", "stall", "garbage")


def check_everything(world: World) -> None:
    """The checks after each scenario, for all devices: they must have synchronised."""
    check_traffic(world)
    for device in world.devices:
        check_converged(world, device)


def check_converged(world: World, device: Device) -> None:
    """A device that has synchronised shows what the rules derive, and has lost nothing."""
    waiting = device.waiting
    if waiting:
        raise Violation(f"{waiting} changes wait after everything was synchronised")
    difference = shown_difference(device.show(), world.visible(device))
    if difference:
        raise Violation(difference)
    digest = device.digest()
    if digest and digest != world.scope.digest.hex():
        raise Violation(f"the digest is {digest}, that of the server is {world.scope.digest.hex()}")
    check_nothing_lost(world, device)


def shown_difference(shown: Shown, expected: Shown) -> str:
    """The first difference between what a client shows and what it must show, or an empty text."""
    for entity in sorted(set(shown) | set(expected)):
        have, want = shown.get(entity, {}), expected.get(entity, {})
        for record in sorted(set(have) | set(want)):
            if record not in want:
                return f"it shows the {entity} {record}, which is not visible"
            if record not in have:
                return f"it does not show the {entity} {record}, which is {want[record]}"
            if not same(have[record], want[record]):
                return f"it shows the {entity} {record} as {have[record]}, which is {want[record]}"
    return ""


# Nothing is lost.

def check_nothing_lost(world: World, device: Device) -> None:
    """Each local write is stored on the server, still pending, or in the journal with its content."""
    journal = device.journal()
    is_pending = device.waiting > 0
    shown = device.show() if is_pending else {}
    for written in device.written:
        if written.is_superseded or is_stored(world, written) or is_journaled(written, journal):
            continue
        if is_pending and is_shown(written, shown):
            continue
        what = "the delete" if written.properties is None else f"{written.properties}"
        raise Violation(f"{what} of the {written.entity} {written.record} is lost: it is neither on the server, nor "
                        "pending, nor in the journal")


def is_stored(world: World, written: Written) -> bool:
    """Whether the server has the write, or has stored it and something later, unless that was lost again."""
    key = world.key(written.record, written.entity)
    slots = world.stored(written.record, written.entity)
    if written.properties is None:
        return slots is not None and bool(slots.delete_stamp)
    if is_within(written.properties, world.content(written.record, written.entity)):
        return True
    form = PutForm(world.scope.schema)
    for _, change in world.scope.stored:
        if (change.entity, change.record) == key and change.put is not None and slots is not None:
            is_later = max(slots.put_stamp, slots.delete_stamp) >= change.stamp
            if is_later and is_within(written.properties, form.members(change.entity, change.put)):
                return True
    return False


def is_journaled(written: Written, journal: List[Dict[str, Any]]) -> bool:
    return any(entry["record"] == written.record and entry["kind"] in ("beaten", "refused", "lost")
               and (written.properties is None or is_within(written.properties, entry["content"]))
               for entry in journal)


def is_shown(written: Written, shown: Shown) -> bool:
    record = shown.get(written.entity, {}).get(written.record)
    return record is None if written.properties is None else is_within(written.properties, record)


# Requests that were sent.

def check_traffic(world: World) -> None:
    """The requests of a scenario keep the rules of §3, §6.3, §6.4, §8.3 and §11.5, and are bounded."""
    requests = list(world.requests)
    if world.server.overlaps:
        raise Violation("two pushes of one replica were in flight at once (§6.3)")
    if len(requests) > world.requests_max:
        raise Violation(f"{len(requests)} requests were sent, {world.requests_max} are enough")
    renewals = {each.message.get("nonce") for each in requests
                if each.path == "/v1/replica/renew" and isinstance(each.message, dict)}
    if len(renewals) > world.renewals_max:
        raise Violation(f"the replica was renewed {len(renewals)} times, {world.renewals_max} are enough (§6.2)")
    for request in requests:
        check_request(world, request)
    if world.has_copies:
        return
    for replica in {each.replica for each in requests if each.is_push}:
        check_pushes(world, [each for each in requests if each.path == "/v1/push" and each.replica == replica])


def check_request(world: World, request: Request) -> None:
    query = "".join(value for values in request.query.values() for value in values)
    if TOKEN.search(request.path + query):
        raise Violation(f"a token stands in the URL of {request.method} {request.path} (§8.3)")
    if request.path == "/login":
        raise Violation("a redirect was followed (§3)")
    if request.code and not request.fault and request.code not in world.expected_codes:
        raise Violation(f"the server had to refuse {request.method} {request.path} with {request.code}"
                        + (f": {request.message}" if isinstance(request.message, str) else ""))


def check_pushes(world: World, pushes: List[Request]) -> None:
    """Numbers without a gap, the same bytes under one number, canonical puts, bases that name a put."""
    bodies: Dict[int, bytes] = {}
    answered = 0
    may_change: Set[int] = set()
    failures = 0
    stamps = {change.stamp for _, change in world.scope.stored}
    for request in pushes:
        push = request.message
        if request.method == "GET" and request.status == 200 and not request.fault:
            answered = max(answered, int(request.query["number"][0]))
        if request.method == "GET" and request.status == 204 and bodies:
            may_change.add(int(request.query["number"][0]))
        if not isinstance(push, PushRequest):
            continue
        if push.number in bodies and bodies[push.number] != request.body and push.number not in may_change:
            raise Violation(f"push {push.number} was sent again with other bytes (§6.3)")
        if push.number > answered + 1:
            raise Violation(f"push {push.number} follows {answered}: numbers count without a gap (§6.3)")
        if push.number < answered:
            raise Violation(f"push {push.number} was sent after push {answered} was answered (§6.3)")
        bodies[push.number] = request.body
        check_changes(push, stamps)
        if request.status == 200 and request.fault not in ("garbage", "page", "change", "old_reply"):
            answered = max(answered, push.number)
            failures = 0
        failures += 1 if request.status >= 500 else 0
        is_refused = 400 <= request.status < 500 and request.code != "too_many_requests"
        if is_refused or request.status == 413 or failures >= 3:
            may_change.add(push.number)


def check_changes(push: PushRequest, stamps: Set[bytes]) -> None:
    known = set(stamps)
    for transaction in push.transactions:
        for change in transaction.changes:
            fault = canonical_fault(change.put) if change.put is not None else None
            if fault is not None and not change.base:
                raise Violation(f"push {push.number} has a put that is not canonical: {fault} (§5.3)")
            if change.base and change.base not in known:
                raise Violation(f"push {push.number} has the base {change.base.hex()}, which is the stamp of no put "
                                "(§6.4)")
            known.add(change.stamp)


def traffic_lines(world: World) -> List[str]:
    """The requests of a scenario, one a line, for the report of a failure."""
    lines = []
    for request in list(world.requests)[-16:]:
        query = "&".join(f"{name}={values[0]}" for name, values in request.query.items())
        line = f"{request.method} {request.path}{'?' + query if query else ''} {request.replica[:8]}"
        if isinstance(request.message, PushRequest):
            sizes = "+".join(str(len(each.changes)) for each in request.message.transactions)
            line += f" push {request.message.number} of {sizes or 0} changes"
        line += f" -> {request.status or 'no reply'} {request.code}".rstrip()
        for index, result in enumerate(getattr(request.reply, "results", [])):
            if result.refused is not None:
                line += f", refused {index}: {result.refused.code} at {result.refused.index}"
        lines.append(line + (f" (fault: {request.fault})" if request.fault else ""))
    return lines

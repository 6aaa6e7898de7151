"""Errors, and what a client does about each (protocol.md §8.3, §9, §11.5)."""
from __future__ import annotations

from typing import Any, List

from ...hashing import make_token
from ...requirements import Violation
from ..faults import anything, pulls, pushes
from ..registry import scenario
from ..world import Device, World


def one_error(world: World, status: int, code: str, **members: object) -> Device:
    """An error meets a push and a pull, once each; everything arrives all the same."""
    device = world.device()
    device.settle()
    world.fault(pushes, "error", status=status, code=code, members=members)
    world.fault(pulls, "error", status=status, code=code, members=members)
    device.put(title="mine")
    world.peer().put(title="theirs")
    device.settle()
    return device


@scenario("9", 1, "internal_error is retried, and nothing is lost", "mirror")
def internal_error(world: World) -> None:
    one_error_of_pull(world, 500, "internal_error")


def one_error_of_pull(world: World, status: int, code: str) -> None:
    device = world.device()
    world.peer().put(title="first")
    device.settle()
    world.fault(pulls, "error", status=status, code=code)
    world.peer().put(title="second")
    device.settle()


@scenario("9", 2, "storage_unavailable is retried, and nothing is lost", "writer")
def storage_unavailable(world: World) -> None:
    one_error(world, 507, "storage_unavailable", retryAfter=1)


@scenario("9", 3, "stopping is retried, and nothing is lost", "writer")
def stopping(world: World) -> None:
    one_error(world, 503, "stopping", retryAfter=1)


@scenario("9", 4, "an unknown code with a status of 5xx is retried like internal_error", "writer")
def unknown_of_server(world: World) -> None:
    one_error(world, 599, "a_later_code")


@scenario("9", 5, "too_many_requests is not retried before retryAfter has passed", "writer")
def too_many_requests(world: World) -> None:
    device = world.device()
    device.settle()
    world.fault(pushes, "error", status=429, code="too_many_requests", members={"retryAfter": 2})
    device.put(title="mine")
    if device.try_sync():
        world.pause(2)
    device.settle()
    sent = world.pushes
    if len(sent) > 1 and sent[1].at - sent[0].ended < 1.9:
        raise Violation(f"the push was sent again after {sent[1].at - sent[0].ended:.1f} s, retryAfter was 2")


@scenario("9", 6, "an unknown code with a status of 4xx for a pull is told to the user, and not repeated without end",
          "mirror", requests_max=80)
def unknown_of_client(world: World) -> None:
    device = world.device()
    world.peer().put(title="first")
    device.settle()
    world.fault(pulls, "error", times=500, status=418, code="a_later_code")
    if device.try_sync() == "":
        raise Violation("the client reports a success")
    if len(world.pulls) > 30:
        raise Violation(f"{len(world.pulls)} pulls were sent")
    world.server.clear()
    device.settle()


def refused_for_a_while(world: World, status: int, code: str) -> None:
    """Everything is refused for a while: the file stays readable, the outbox stays, and requests are few."""
    device = world.device()
    record = device.put(title="before")
    device.settle()
    mine = device.put(title="mine")
    before = len(world.requests)
    world.fault(anything, "error", times=500, status=status, code=code)
    answer = device.try_sync()
    if answer != "blocked":
        raise Violation(f"the client answers {answer or 'a success'}, expected blocked: user action is required")
    count = len(world.requests) - before
    if count > 12:
        raise Violation(f"{count} requests were sent, though the server refuses each with {code}")
    if device.shown(record) is None or device.shown(mine) is None or device.waiting != 1:
        raise Violation("the replica or its outbox is not as before")
    if device.journaled(mine):
        raise Violation("the change in the outbox was given up")
    world.server.clear()
    device.settle()


@scenario("11.5", 21, "unauthorized: the file and its outbox stay, and requests are few", "minimal")
def unauthorized(world: World) -> None:
    refused_for_a_while(world, 401, "unauthorized")


@scenario("11.5", 22, "revoked: the file and its outbox stay, and requests are few", "minimal")
def revoked(world: World) -> None:
    refused_for_a_while(world, 401, "revoked")


@scenario("11.5", 23, "forbidden for a push: pulling goes on, and the outbox stays", "minimal", codes=("forbidden",))
def forbidden(world: World) -> None:
    device = world.device("viewer")
    mine = device.put(title="mine")
    theirs = world.peer().put(title="theirs")
    if device.try_sync() == "":
        raise Violation("the client reports a success, though its changes were not pushed")
    if device.shown(theirs) is None:
        raise Violation("nothing was pulled")
    if device.waiting != 1 or device.shown(mine) is None:
        raise Violation("the change in the outbox is not there any more")
    for replica in world.scope.replicas.values():
        replica.role = "editor"
    device.settle()


@scenario("11.5", 24, "quota_exceeded for a whole push: the outbox stays, and pulling goes on", "full")
def quota(world: World) -> None:
    device = world.device()
    device.put(title="mine")
    theirs = world.peer().put(title="theirs")
    world.fault(pushes, "error", times=500, status=403, code="quota_exceeded")
    if device.try_sync() == "":
        raise Violation("the client reports a success, though its changes were not pushed")
    if device.shown(theirs) is None or device.waiting != 1:
        raise Violation("nothing was pulled, or the outbox is empty")
    world.server.clear()
    device.settle()


@scenario("11.5", 25, "without a network a client works on, and everything arrives later in its order", "writer",
          requests_max=120)
def offline(world: World) -> None:
    device = world.device()
    device.settle()
    world.fault(anything, "lose_request", times=500)
    parent = device.put(title="parent")
    records = [device.put(title=f"child {index}", a=parent) for index in range(5)]
    device.put(records[0], title="edited")
    device.delete(records[1])
    if device.try_sync() != "later":
        raise Violation("the client does not say that a later attempt may do it")
    device.restart()
    if device.shown(records[0]) != {"title": "edited", "a": parent} or device.shown(records[1]) is not None:
        raise Violation("a local write is not shown")
    world.server.clear()
    device.settle()


@scenario("11.5", 26, "a client that is killed between a write and its push has the write in its outbox", "writer")
def killed_after_write(world: World) -> None:
    device = world.device()
    records = []
    for index in range(3):
        records.append(device.put(title=f"write {index}"))
        device.restart()
    if device.waiting != 3:
        raise Violation(f"{device.waiting} changes wait, expected 3")
    device.settle()


@scenario("11.5", 27, "a client that is killed while it applies pages loses and repeats nothing", "mirror",
          requests_max=120)
def killed_while_pulling(world: World) -> None:
    device = world.device()
    for _ in range(4):
        peer = world.peer()
        for index in range(4):
            peer.put(title=f"record {index}")
        rule = world.fault(pulls, "truncate")
        device.start_sync()
        rule.reached.wait(10)
        world.pause(world.random.random() * 0.2)
        device.restart()
        world.server.clear()
    device.settle()


@scenario("8.3", 1, "a token of another form is no registration", "full", renewals_max=2)
def malformed_token(world: World) -> None:
    device = world.device()
    device.put(title="mine")
    device.settle()
    register = world.server.service.register
    made: List[Any] = []

    def wrong(*words: object) -> object:
        replica = register(*words)  # type: ignore[arg-type]
        if not made:
            replica.token, made[:] = "roost_d_not a token", [replica]
        return replica
    world.server.service.register = wrong  # type: ignore[assignment, method-assign]
    device.put(title="more")
    world.fault(pushes, "error", status=409, code="replica_forked")
    device.try_sync()
    if made:
        made[0].token = make_token("d")
    device.settle()



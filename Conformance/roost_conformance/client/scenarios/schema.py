"""Later versions of the schema (protocol.md §5.6, §8.6)."""
from __future__ import annotations

from ...requirements import Violation
from .. import schemas
from ..faults import path, pushes
from ..registry import scenario
from ..world import World


def publish(world: World) -> None:
    """Version 2 is in force: `Node.title` is `Node.label`, and there are `Node.note` and the entity `Later`."""
    with world.server.lock:
        world.scope.schemas.append(schemas.text(schemas.second()))


@scenario("8.6", 1, "a page with a later schemaVersion brings the schema, whose names are shown then", "mirror")
def later_schema(world: World) -> None:
    device = world.device()
    record = world.peer().put(title="before")
    device.settle()
    publish(world)
    world.peer().put(record, label="after", note="a note")
    world.peer().put(entity="Later", text="x")
    device.settle()
    if not any(each.path == "/v1/schema" for each in world.requests):
        raise Violation("the schema was not fetched")
    device.migrate()
    if device.shown(record) != {"label": "after", "note": "a note"}:
        raise Violation(f"the record is shown as {device.shown(record)}")


@scenario("8.6", 2, "a fetch of the schema that fails is repeated, and the page is not lost", "mirror")
def schema_fails(world: World) -> None:
    device = world.device()
    world.peer().put(title="before")
    device.settle()
    publish(world)
    world.peer().put(label="after")
    world.fault(path("/v1/schema"), "lose_reply")
    world.fault(path("/v1/schema"), "page", status=200)
    device.settle()
    device.migrate()


@scenario("5.6", 1, "changes that wait under an outdated name arrive under the name that its number has now", "writer",
          codes=("bad_request",))
def renamed(world: World) -> None:
    device = world.device()
    edited = device.put(title="before")
    device.settle()
    made = device.put(title="made under the old name")
    device.put(edited, title="edited under the old name")
    publish(world)
    device.settle()
    device.settle()
    device.migrate()
    for record, text in ((made, "made under the old name"), (edited, "edited under the old name")):
        content = world.content(record) or {}
        if content.get("label") != text:
            raise Violation(f"the server has {content}, expected the label \"{text}\"")
        device.end(record)


@scenario("5.6", 2, "a push that was sealed under outdated names, and may be stored, is not stored twice", "writer",
          codes=("bad_request",))
def sealed_and_renamed(world: World) -> None:
    device = world.device()
    device.settle()
    record = device.put(title="sealed")
    world.fault(pushes, "lose_reply", times=9)
    device.try_sync()
    world.server.clear()
    publish(world)
    device.settle()
    device.settle()
    device.migrate()
    if (world.content(record) or {}).get("label") != "sealed":
        raise Violation(f"the server has {world.content(record)}")
    if device.journaled(record):
        raise Violation(f"the journal has {device.journaled(record)}, though the change was stored")
    if world.scope.sequence != 1:
        raise Violation(f"the scope has the sequence {world.scope.sequence}, expected 1")
    device.end(record)


@scenario("8.6", 3, "an edit by an earlier schema keeps what a later one has added", "writer", codes=("bad_request",))
def keeps_later_properties(world: World) -> None:
    device = world.device()
    device.settle()
    publish(world)
    record = world.peer().put(label="theirs", note="a note")
    device.settle()
    device.migrate()
    device.put(record, label="edited")
    device.settle()
    if (world.content(record) or {}) != {"label": "edited", "note": "a note"}:
        raise Violation(f"the server has {world.content(record)}")

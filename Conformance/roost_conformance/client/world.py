"""One scenario: a scripted server, the devices under test, and everybody else as the tester plays them."""
from __future__ import annotations

import os
import random
import shutil
import time
import uuid
from dataclasses import dataclass
from typing import Any, Dict, Iterable, List, Optional, Set, Tuple

from ..jsonvalues import PutForm
from ..messages import Change, Record, Transaction
from ..requirements import NotTested, Violation
from ..schema import Attribute, Schema
from ..stamps import Stamp
from . import schemas
from .adapter import Adapter, ClientError
from .faults import Fault, Matcher, Rule
from .listener import ScriptedServer
from .oracle import Shown, visible
from .scope import Key, Position, Scope, Stored, merge
from .service import Request

SYNC_SECONDS = 30
SYNCS_MAX = 8
PROFILES = ["mirror", "writer", "minimal", "full"]
Properties = Dict[str, Any]


@dataclass
class Written:
    """What a device wrote: the properties that were given, or a delete."""

    entity: str
    record: str
    properties: Optional[Properties]
    is_superseded: bool = False
    """Whether a later write of the device edited it: only the later one has to be found then."""


@dataclass
class Options:
    command: List[str]
    folder: str
    seed: int = 0
    profile: str = ""


def is_within(properties: Properties, content: Optional[Dict[str, Any]]) -> bool:
    """Whether a content has the properties that were written."""
    return content is not None and all(same(value, content.get(name)) for name, value in properties.items())


def same(first: Any, second: Any) -> bool:
    """Whether two values of JSON are one. Whole numbers may be strings of digits."""
    if isinstance(first, dict) and isinstance(second, dict):
        return first.keys() == second.keys() and all(same(first[name], second[name]) for name in first)
    if isinstance(first, list) and isinstance(second, list):
        return len(first) == len(second) and all(map(same, first, second))
    if isinstance(first, bool) or isinstance(second, bool) or first is None or second is None:
        return first is second
    return bool(first == second) or str(first) == str(second)


class Device:
    """A replica of the client under test."""

    def __init__(self, world: "World", number: int, options: Optional[Options] = None) -> None:
        self.world = world
        self.options = options or world.options
        self.folder = os.path.join(world.folder, f"device-{number}")
        os.makedirs(self.folder)
        self.adapter = Adapter(self.options.command, os.path.join(world.folder, f"device-{number}.log"))
        self.written: List[Written] = []
        self.latest: Dict[Tuple[str, str], Written] = {}
        self.profile = "full"
        self.lacks: Set[str] = set()

    def hello(self) -> Dict[str, Any]:
        answer: Dict[str, Any] = self.adapter.call("hello", version=1)
        self.profile = self.options.profile or answer["profile"]
        self.lacks = set(answer.get("lacks", []))
        return answer

    def needs(self, ability: str) -> None:
        """Ends the scenario as not tested where the adapter says that it lacks an ability."""
        if ability in self.lacks:
            raise NotTested(f"the adapter lacks {ability}")

    def join(self, link: str, name: str = "Device") -> None:
        self.adapter.call("join", link=link, device=name, folder=self.folder)

    def restart(self) -> None:
        """Ends the client as SIGKILL does, and opens its replica again."""
        self.adapter.kill_client()
        self.adapter.call("open", folder=self.folder)

    # Writing.

    def put(self, record: str = "", entity: str = "Node", **properties: Any) -> str:
        """Writes the properties of one record, a new one where none is named, in a transaction of its own."""
        record = record or self.world.identifier()
        self.write([self.putting(entity, record, **properties)])
        return record

    def putting(self, entity: str, record: str, **properties: Any) -> Properties:
        description = self.world.schema.entity(entity)
        types = {name: description.attributes[name].type if name in description.attributes else "reference"
                 for name in properties}
        return {"entity": entity, "record": record, "put": properties, "types": types}

    def delete(self, record: str, entity: str = "Node") -> None:
        self.write([{"entity": entity, "record": record, "delete": True}])

    def undelete(self, record: str, entity: str = "Node") -> None:
        self.adapter.call("undelete", entity=entity, record=record)

    def write(self, changes: List[Properties]) -> None:
        """Writes one transaction."""
        self.adapter.call("write", changes=changes)
        for change in changes:
            self.note(change["entity"], change["record"], change.get("put"))

    def note(self, entity: str, record: str, properties: Optional[Properties]) -> None:
        written = Written(entity, record, dict(properties) if properties is not None else None)
        former = self.latest.get((entity, record))
        if former is not None:
            former.is_superseded = True
        self.latest[entity, record] = written
        self.written.append(written)

    def end(self, record: str) -> None:
        """Takes the writes of a record for settled: somebody who had seen them changed it, or deleted it for good."""
        for each in self.written:
            each.is_superseded = each.is_superseded or each.record == record

    # Synchronising.

    def sync(self, seconds: int = SYNC_SECONDS) -> None:
        """Synchronises once. Raises ClientError where not everything was pushed and pulled."""
        self.adapter.call("sync", timeout=seconds + 20, seconds=seconds)

    def try_sync(self, seconds: int = SYNC_SECONDS) -> str:
        """Synchronises once, and returns the code of the error, or an empty text."""
        try:
            self.sync(seconds)
            return ""
        except ClientError as error:
            return error.code

    def settle(self, seconds: int = SYNC_SECONDS) -> None:
        """Synchronises until everything is pushed and pulled, as often as a program that retries would."""
        code = ""
        for _ in range(SYNCS_MAX):
            code = self.try_sync(seconds)
            if not code and self.waiting == 0:
                return
        raise Violation(f"the client has not synchronised in {SYNCS_MAX} attempts: {code or 'changes wait'}")

    def start_sync(self, seconds: int = SYNC_SECONDS) -> None:
        """Starts to synchronise. `end_sync` waits for the end, unless the device is restarted before."""
        self.adapter.send("sync", seconds=seconds)

    def end_sync(self) -> str:
        try:
            self.adapter.answer("sync", timeout=SYNC_SECONDS + 20)
            return ""
        except ClientError as error:
            return error.code

    def migrate(self) -> None:
        """Brings the replica to the schema that it has fetched, for a client that does not do so by itself."""
        self.adapter.call("migrate")

    # The answers of the client.

    def show(self) -> Shown:
        entities = [name for name, entity in self.world.schema.by_name.items() if entity.id <= 0xFFFF]
        shown: Shown = self.adapter.call("show", entities=entities)
        return {name: records for name, records in shown.items() if records}

    def shown(self, record: str, entity: str = "Node") -> Optional[Dict[str, Any]]:
        return self.show().get(entity, {}).get(record)

    def journal(self) -> List[Dict[str, Any]]:
        entries: List[Dict[str, Any]] = self.adapter.call("journal")
        return entries

    def journaled(self, record: str, kinds: Iterable[str] = ("beaten", "refused", "lost")) -> List[Dict[str, Any]]:
        """The entries of a record, leaving out those that only last as long as their cause."""
        return [entry for entry in self.journal() if entry["record"] == record and entry["kind"] in kinds]

    def status(self) -> Dict[str, Any]:
        status: Dict[str, Any] = self.adapter.call("status")
        return status

    @property
    def waiting(self) -> int:
        return int(self.status()["waiting"])

    @property
    def identity(self) -> bytes:
        return bytes.fromhex(self.status()["replica"])

    def digest(self) -> str:
        return str(self.adapter.call("digest") or "")


class Peer:
    """Another member of the scope, played by the tester: it stores changes straight in the server."""

    def __init__(self, world: "World") -> None:
        self.world = world
        with world.server.lock:
            self.replica = world.server.service.register("Peer", "owner")
        self.last = 0

    def stamp(self, later: int = 0) -> bytes:
        """A new stamp, so many milliseconds later than the server's clock says."""
        self.last = max(self.last + 1, (self.world.scope.now + later) << 16)
        return Stamp(self.last >> 16, self.last & 0xFFFF, self.replica.id).encode()

    def put(self, record: str = "", entity: str = "Node", is_blind: bool = False, later: int = 0, raw: bytes = b"",
            **properties: Any) -> str:
        """Writes all properties of a record. `raw` are bytes to append to the put. A blind put has no base."""
        record = record or self.world.identifier()
        scope = self.world.scope
        description = scope.schema.entity(entity)
        put = PutForm(scope.schema).put(description.id, properties) + raw
        key = (description.id, uuid.UUID(record).bytes)
        held = scope.records.get(key)
        base = held.record.put_stamp if held and not is_blind else b""
        self.store([Change(*key, self.stamp(later), put, base)])
        return record

    def delete(self, record: str, entity: str = "Node", later: int = 0) -> None:
        number = self.world.scope.schema.entity(entity).id
        self.store([Change(number, uuid.UUID(record).bytes, self.stamp(later), delete=True)])

    def store(self, changes: List[Change]) -> None:
        """Stores one transaction."""
        scope, server = self.world.scope, self.world.server
        with server.lock:
            seen = Position(scope.epoch, scope.sequence, 0, scope.chain[-1][:8])
            scope._transaction(self.replica, Transaction(changes), seen)
            server.lock.notify_all()


class World:
    """What a scenario works with."""

    def __init__(self, options: Options, name: str, schema: str = "") -> None:
        self.options = options
        self.folder = os.path.join(options.folder, name)
        os.makedirs(self.folder)
        self.random = random.Random(f"{options.seed}/{name}")
        self.server = ScriptedServer(schema or schemas.text(schemas.first()))
        self.devices: List[Device] = []
        self.peers: List[Peer] = []
        self.expected_codes: Set[str] = set()
        self.requests_max = 60
        self.renewals_max = 1
        self.needed = ""
        self.has_copies = False
        """Whether several files have one identity, whose pushes follow no order."""

    @property
    def scope(self) -> Scope:
        return self.server.scope

    @property
    def schema(self) -> Schema:
        return self.scope.schema

    def identifier(self) -> str:
        return str(uuid.UUID(int=self.random.getrandbits(128), version=4))

    def device(self, role: str = "editor") -> Device:
        """A new replica of the client under test, joined."""
        device = self.unjoined()
        device.join(self.server.link(role), f"Device {len(self.devices)}")
        return device

    def copy(self, device: Device) -> Device:
        """A device with a copy of another one's files, token included."""
        copied = self.unjoined()
        shutil.copytree(device.folder, copied.folder, dirs_exist_ok=True)
        copied.written, copied.latest = list(device.written), dict(device.latest)
        self.has_copies = True
        return copied

    def unjoined(self) -> Device:
        device = Device(self, len(self.devices) + 1)
        self.devices.append(device)
        device.hello()
        if self.needed and PROFILES.index(device.profile) < PROFILES.index(self.needed):
            raise NotTested(f"it is not of the profile {device.profile}")
        return device

    def peer(self) -> Peer:
        peer = Peer(self)
        self.peers.append(peer)
        return peer

    def fault(self, matches: Matcher, kind: str, times: int = 1, **members: Any) -> Rule:
        return self.server.add(matches, Fault(kind, **members), times)

    def expect_codes(self, *codes: str) -> None:
        """Errors of the correct server that this scenario provokes. All others are defects of the client."""
        self.expected_codes.update(codes)

    @property
    def requests(self) -> List[Request]:
        return self.server.requests

    @property
    def pushes(self) -> List[Request]:
        """The pushes with transactions of devices under test."""
        with self.server.lock:
            return [each for each in self.requests if each.is_push and getattr(each.message, "transactions", None)]

    @property
    def pulls(self) -> List[Request]:
        with self.server.lock:
            return [each for each in self.requests if each.is_pull]

    def key(self, record: str, entity: str = "Node") -> Key:
        return self.scope.schema.entity(entity).id, uuid.UUID(record).bytes

    def stored(self, record: str, entity: str = "Node") -> Optional[Record]:
        """The slots that the server has of a record."""
        held = self.scope.records.get(self.key(record, entity))
        return held.record if held else None

    def stored_put(self, record: str, entity: str = "Node") -> bytes:
        """The put that the server has of a record."""
        slots = self.stored(record, entity)
        if slots is None or not slots.put_stamp:
            raise Violation(f"the server has no put of the {entity} {record}")
        return slots.put or b""

    def content(self, record: str, entity: str = "Node") -> Optional[Dict[str, Any]]:
        """The content of the server's put slot by names."""
        slots = self.stored(record, entity)
        if slots is None or not slots.put_stamp:
            return None
        return PutForm(self.scope.schema).members(self.scope.schema.entity(entity).id, slots.put or b"")

    def merge(self, record: Record) -> None:
        """Merges slots into the server's, under no sequence."""
        stored = self.scope.records.setdefault(
            (record.entity, record.id), Stored(Record(record.entity, record.id), 0, 0, None))
        merge(stored.record, record)

    def visible(self, device: Device) -> Shown:
        """What the rules derive from the server's slots, as a device has to show it."""
        return visible(self.scope.schema, [each.record for each in self.scope.records.values()],
                       shows_dangling="dangling references" not in device.lacks)

    def wait_for(self, rule: Rule, seconds: float = 20) -> None:
        """Waits until a request has met a fault."""
        if not rule.reached.wait(seconds):
            raise Violation(f"the client has not sent the request that the scenario waits for within {seconds:.0f} s")

    def attribute(self, entity: str, name: str) -> Attribute:
        return self.scope.schema.entity(entity).attributes[name]

    def pause(self, seconds: float) -> None:
        time.sleep(seconds)

    def end(self) -> None:
        for device in self.devices:
            device.adapter.kill()
        self.server.stop()



"""Random histories from a seed, played through several clients at once, until all of them show the same."""
from __future__ import annotations

import random
import uuid
from typing import Any, Dict, List, Optional, Set, Tuple

from ..client import schemas
from ..client.adapter import AdapterFailure, ClientError
from ..client.checks import shown_difference
from ..client.oracle import visible
from ..client.world import Device, Options, is_within
from ..hashing import digest
from ..jsonvalues import PutForm
from ..messages import Record
from ..requirements import Violation
from ..schema import Schema
from .proxy import FaultProxy
from .server import Observer, RealServer

FAULT_RATE = 0.12
ROUNDS_PER_CHECK = 40
SYNCS_MAX = 12
TOLERATED = ("delete_denied", "invalid_value", "not_found")


class Fleet:
    """The devices of one scope, and what they wrote."""

    def __init__(self, commands: List[List[str]], folder: str, server: RealServer, source: random.Random) -> None:
        self.folder, self.random, self.server = folder, source, server
        self.text = schemas.text(schemas.first())
        self.schema = Schema(self.text)
        self.observer = Observer(server.address, server.admin_token, self.text)
        self.proxy = FaultProxy(server.address, random.Random(source.random()))
        self.devices: List[Device] = []
        self.known: Dict[Device, Dict[str, Dict[str, Any]]] = {}
        self.writers: Dict[Tuple[str, str], Set[Device]] = {}
        self.refused: Set[int] = set()
        for command in commands:
            device = Device(self, len(self.devices) + 1, Options(command, folder))  # type: ignore[arg-type]
            self.devices.append(device)
            device.hello()
            device.join(self.observer.link(self.proxy.address), f"Device {len(self.devices)}")
            self.known[device] = {}

    def identifier(self) -> str:
        return str(uuid.UUID(int=self.random.getrandbits(128), version=4))

    # One round.

    def round(self) -> str:
        """One random action of one random device. Returns it as a line."""
        device = self.random.choice(self.devices)
        name = f"device {self.devices.index(device) + 1}"
        chance = self.random.random()
        if chance < 0.5:
            changes = self.changes(device)
            return f"{name} writes {len(changes)} changes{self.write(device, changes)}"
        if chance < 0.93:
            code = device.try_sync(8)
            self.known[device] = device.show().get("Node", {})
            return f"{name} synchronises{': ' + code if code else ''}"
        if chance < 0.98:
            device.restart()
            return f"{name} is killed and opened again"
        self.server.kill()
        self.server.start()
        return "the server is killed and started again"

    def write(self, device: Device, changes: List[Dict[str, Any]]) -> str:
        try:
            device.write(changes)
        except ClientError as error:
            if error.code not in TOLERATED:
                raise
            return f": {error.code}"
        for change in changes:
            self.writers.setdefault((change["entity"], change["record"]), set()).add(device)
            node = self.known[device]
            if change.get("delete"):
                node.pop(change["record"], None)
            elif change["entity"] == "Node":
                node[change["record"]] = {**node.get(change["record"], {}), **change["put"]}
        return ""

    def changes(self, device: Device) -> List[Dict[str, Any]]:
        """A transaction of one to four changes of what the device shows, and of new records."""
        known = sorted(self.known[device])
        changes: List[Dict[str, Any]] = []
        touched: Set[str] = set()
        for _ in range(self.random.choice((1, 1, 1, 2, 4))):
            chance = self.random.random()
            record = self.random.choice(known) if known and chance < 0.7 else self.identifier()
            if record in touched:
                continue
            touched.add(record)
            if chance < 0.15 and known:
                changes.append({"entity": "Node", "record": record, "delete": True})
            elif chance > 0.9:
                changes.append(device.putting("Value", self.identifier(), **self.values()))
            else:
                changes.append(device.putting("Node", record, **self.properties(known)))
        return changes

    def properties(self, known: List[str]) -> Dict[str, Any]:
        result: Dict[str, Any] = {"title": f"text {self.random.getrandbits(64):x}"}
        for name in self.random.sample("abtndo", self.random.choice((0, 0, 1, 1, 2))):
            result[name] = self.random.choice(known) if known and self.random.random() < 0.85 else None
        return result

    def values(self) -> Dict[str, Any]:
        whole = self.random.getrandbits(64) - (1 << 63)
        everything = {"text": f"é {self.random.getrandbits(32):x} 🚕", "whole": str(whole), "real": self.random.random(),
                      "flag": self.random.random() < 0.5, "day": "2026-11-30", "moment": whole >> 24,
                      "key": self.identifier(), "bytes": "AAH+/w==", "document": {"a": [1, "x"]}, "state": "old"}
        return {"text": everything["text"], **{name: everything[name] for name in self.random.sample(
            sorted(everything), 3)}}

    # Convergence.

    def converge(self) -> List[Record]:
        """Ends all faults, synchronises everybody, and compares all of them. Returns the server's slots."""
        rate, self.proxy.rate = self.proxy.rate, 0.0
        calm = 0
        for _ in range(SYNCS_MAX):
            codes = [device.try_sync(30) for device in self.devices]
            # The changes that the last device has pushed reach the first one in the second turn.
            calm = calm + 1 if not any(codes) and self.is_settled() else 0
            if calm == 2:
                break
        else:
            raise Violation(f"the devices have not converged after {SYNCS_MAX} synchronisations: {codes}, "
                            f"waiting {[device.waiting for device in self.devices]}")
        records = self.observer.records()
        expected = digest(records).hex()
        if expected != self.observer.digest():
            raise Violation("the digest of the server is not that of the records that it sends")
        for index, device in enumerate(self.devices, 1):
            self.compare(f"device {index}", device, records, expected)
        self.proxy.rate = rate
        return records

    def is_settled(self) -> bool:
        expected = self.observer.digest()
        return all(device.waiting == 0 and device.digest() in ("", expected) for device in self.devices)

    def compare(self, name: str, device: Device, records: List[Record], expected: str) -> None:
        found = device.digest()
        if found and found != expected:
            raise Violation(f"the digest of {name} is {found}, that of the server {expected}")
        want = visible(self.schema, records, "dangling references" not in device.lacks)
        shown = device.show()
        difference = shown_difference(shown, want)
        if difference:
            raise Violation(f"{name}: {difference}")
        self.known[device] = shown.get("Node", {})
        self.check_lost(name, device, records)

    def check_lost(self, name: str, device: Device, records: List[Record]) -> None:
        """A write that nobody else has written over is on the server, or in the device's journal."""
        form = PutForm(self.schema)
        held = {(self.schema.name(each.entity), str(uuid.UUID(bytes=each.id))): each for each in records}
        journal: Optional[List[Dict[str, Any]]] = None
        for written in device.written:
            key = (written.entity, written.record)
            if written.is_superseded or self.writers.get(key) != {device} or written.properties is None:
                continue
            slots = held.get(key)
            content = form.members(slots.entity, slots.put or b"") if slots is not None and slots.put_stamp else None
            if is_within(written.properties, content):
                continue
            journal = device.journal() if journal is None else journal
            if not any(entry["record"] == written.record and is_within(written.properties, entry["content"])
                       for entry in journal):
                raise Violation(f"{name}: {written.properties} of the {written.entity} {written.record} is lost")
        device.written = [each for each in device.written if not each.is_superseded]

    def end(self) -> None:
        for device in self.devices:
            device.adapter.kill()
        self.proxy.stop()


def play(fleet: Fleet, rounds: int, print_line: Any) -> int:
    """Plays the rounds. Returns 0, or 1 where the fleet did not converge, with the last actions."""
    lines: List[str] = []
    fleet.proxy.rate = FAULT_RATE
    try:
        for number in range(1, rounds + 1):
            lines.append(f"{number}: {fleet.round()}")
            if number % ROUNDS_PER_CHECK == 0 or number == rounds:
                records = fleet.converge()
                print_line(f"round {number}: {len(records)} records, digest {digest(records).hex()}, "
                           f"{fleet.proxy.requests} requests, {sum(fleet.proxy.counts.values())} faults")
        return 0
    except (Violation, AdapterFailure, ClientError) as error:
        print_line(f"FAILED: {error}")
        for line in lines[-15:]:
            print_line(f"  {line}")
        return 1



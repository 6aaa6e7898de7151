"""What the tests share: folders, a schema, the real server."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
import unittest
from pathlib import Path
from typing import Any

import roost

SCHEMA: dict[str, Any] = {
    "format": 1,
    "name": "trip",
    "version": 1,
    "entities": [
        {
            "id": 1,
            "name": "Person",
            "attributes": [
                {"id": 1, "name": "name", "type": "string"},
                {"id": 2, "name": "born", "type": "date", "optional": True},
                {"id": 3, "name": "seen", "type": "timestamp", "optional": True},
                {"id": 4, "name": "photo", "type": "data", "optional": True},
                {"id": 5, "name": "weight", "type": "double", "optional": True},
                {"id": 6, "name": "facts", "type": "json", "optional": True},
                {"id": 7, "name": "code", "type": "uuid", "optional": True},
                {"id": 8, "name": "active", "type": "boolean", "default": True},
            ],
            "relationships": [
                {
                    "id": 20,
                    "name": "spendings",
                    "kind": "toMany",
                    "destination": "Spending",
                    "inverse": "person",
                    "deleteRule": "cascade",
                },
                {"id": 21, "name": "teams", "kind": "manyToMany", "destination": "Team", "inverse": "members"},
            ],
        },
        {
            "id": 2,
            "name": "Spending",
            "attributes": [
                {"id": 1, "name": "content", "type": "string"},
                {"id": 2, "name": "amount", "type": "integer"},
            ],
            "relationships": [
                {"id": 20, "name": "person", "kind": "toOne", "destination": "Person", "inverse": "spendings"}
            ],
        },
        {
            "id": 3,
            "name": "Team",
            "attributes": [{"id": 1, "name": "title", "type": "string"}],
            "relationships": [
                {"id": 20, "name": "members", "kind": "manyToMany", "destination": "Person", "inverse": "teams"}
            ],
        },
    ],
}


class Case(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="roost-python-"))
        self.addCleanup(shutil.rmtree, self.folder, True)

    def make(self, name: str = "trip.roost") -> roost.Replica:
        """Make a replica that is closed with the test."""
        replica = roost.create(self.folder / name, SCHEMA, durability="normal")
        self.addCleanup(replica.close)
        return replica

    def refused(self, kind: type[roost.RoostError], call: Any, *arguments: Any, **named: Any) -> roost.RoostError:
        """Check that a call raises an error with a code and a next step."""
        with self.assertRaises(kind) as context:
            call(*arguments, **named)
        error = context.exception
        self.assertTrue(error.code and error.message and error.next_step, error)
        return error


class Server:
    """The real server, on a free port of this machine."""

    def __init__(self, folder: Path) -> None:
        self.data = folder / "server"
        log = open(folder / "server.log", "w", encoding="utf-8")
        program = Path(os.environ["ROOST_BIN"]) / "roost-server"
        self._process = subprocess.Popen(
            [program, "serve", "--data", self.data, "--listen", "127.0.0.1:0", "--log-level", "warning"],
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
        log.close()
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        self.address = line.rsplit(" ", 1)[-1].strip()
        assert self.address.startswith("http"), line

    @property
    def admin_token(self) -> str:
        return (self.data / "admin-token").read_text(encoding="utf-8").strip()

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()


class ServerCase(Case):
    """A test with a server."""

    server: Server

    def setUp(self) -> None:
        super().setUp()
        if "ROOST_BIN" not in os.environ:
            self.skipTest("ROOST_BIN does not name the folder of roost-server.")
        self.server = Server(self.folder)
        self.addCleanup(self.server.stop)

    def pair(self) -> tuple[roost.Replica, roost.Replica]:
        """Make two replicas of one scope."""
        first = self.make("first.roost")
        first.create_scope(self.server.address, self.server.admin_token, name="Trip", device="First")
        self.assertTrue(first.sync().up_to_date)
        second = roost.join(first.invite(), self.folder / "second.roost", device="Second", durability="normal")
        self.addCleanup(second.close)
        self.assertTrue(second.sync().up_to_date)
        return first, second


def until(condition: Any, seconds: float = 20) -> None:
    """Wait until a condition holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "the condition did not come true in time"
        time.sleep(0.01)

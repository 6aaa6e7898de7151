"""The real server of a fleet: started for it, and seen by a member of the tester's own."""
from __future__ import annotations

import os
import re
import subprocess
import time
from typing import List, Optional

from ..errors import EXIT_NO_INPUT, CommandError
from ..messages import PullReply, Record
from ..wire import PROTOBUF, Reply, Server

START_SECONDS_MAX = 20


class RealServer:
    """A `roost-server` in a folder of its own."""

    def __init__(self, program: str, folder: str) -> None:
        self.program, self.data = program, os.path.join(folder, "server")
        self.log = os.path.join(folder, "server.log")
        self.process: Optional[subprocess.Popen[bytes]] = None
        self.address = ""

    def start(self) -> None:
        environment = {**os.environ, "ROOST_REQUESTS_PER_SECOND": "0", "ROOST_CHANGES_PER_HOUR_MAX": "0"}
        port = self.address.rsplit(":", 1)[-1] if self.address else "0"
        with open(self.log, "ab") as log:
            former = log.tell()
            try:
                command = [self.program, "serve", "--data", self.data, "--listen", f"127.0.0.1:{port}"]
                self.process = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
            except OSError as error:
                raise CommandError(EXIT_NO_INPUT, f"cannot start \"{self.program}\": {error}. Give the program with "
                                                  "--roost-server, or its folder in ROOST_BIN.") from error
        end = time.monotonic() + START_SECONDS_MAX
        while time.monotonic() < end and self.process.poll() is None:
            with open(self.log, "rb") as file:
                file.seek(former)
                found = re.search(rb"listening on (http://\S+)", file.read())
            if found:
                self.address = found.group(1).decode()
                return
            time.sleep(0.05)
        raise CommandError(EXIT_NO_INPUT, f"\"{self.program}\" does not listen; {self.log} says why.")

    @property
    def admin_token(self) -> str:
        with open(os.path.join(self.data, "admin-token"), encoding="utf-8") as file:
            return file.read().strip()

    def kill(self) -> None:
        """Ends the server as a power cut ends its process."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()


class Observer:
    """The scope's owner, played by the tester: it invites, and pulls everything."""

    def __init__(self, url: str, admin_token: str, schema: str) -> None:
        self.server = Server(url)
        body = {"name": "Histories", "device": "Observer", "nonce": os.urandom(16).hex(), "schema": schema}
        self.token = str(self._json(self.server.request("POST", "/v1/scopes", admin_token, body), 201)["token"])

    @staticmethod
    def _json(reply: Reply, status: int) -> "dict[str, object]":
        if reply.status != status:
            raise CommandError(EXIT_NO_INPUT, f"the server answers {reply.status} {reply.code}, expected {status}.")
        result: "dict[str, object]" = reply.json()
        return result

    def link(self, address: str) -> str:
        body = {"role": "editor", "hours": 24, "uses": 1}
        token = self._json(self.server.request("POST", "/v1/invites", self.token, body), 201)["token"]
        return f"{address}/join#{token}"

    def digest(self) -> str:
        return str(self._json(self.server.request("GET", "/v1/digest", self.token), 200)["digest"])

    def records(self) -> List[Record]:
        """The slots of all records."""
        records: List[Record] = []
        since = b""
        while True:
            path = f"/v1/pull?since={since.hex()}&identifiers=1"
            reply = self.server.request("GET", path, self.token, headers={"Accept": PROTOBUF})
            if reply.status != 200:
                raise CommandError(EXIT_NO_INPUT, f"the server answers {reply.status} {reply.code} to a pull.")
            page = PullReply.decode(reply.body)
            records += page.records
            since = page.checkpoint
            if not page.has_more:
                return records

"""The actors of a check: the run, scopes, and devices that push and pull.

    scope = run.scope()
    ana, bob = scope.owner, scope.join("editor")
    ana.push([ana.put("Person", {"name": "Ana"})])
    bob.pull().records
"""
from __future__ import annotations

import contextlib
import random
import subprocess
import threading
import time
import uuid
from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from . import jsontext, schemas, slots
from .expectations import expect_members, expect_status, readable
from .jsontext import Members
from .messages import Change, PullReply, PushReply, PushRequest, Record, RecoverReply, RecoverRequest, Transaction
from .puts import Put
from .requirements import NotTested
from .stamps import Clock
from .wire import JSON, PROTOBUF, Body, JSONForm, NetworkError, Reply, Schema, Server, query

RETRY_SECONDS_MAX = 65.0
Changes = Sequence[Change]


@dataclass
class Target:
    """The server under test, and the options of the command."""

    url: str
    admin_token: str
    seed: int = 0
    limits: Dict[str, int] = field(default_factory=dict)
    locks_out: bool = False
    """Whether checks may bring the server to refuse this address for a minute or more."""
    commands: Dict[str, str] = field(default_factory=dict)
    """Shell commands that act as the server's operator: kill, restart, backup, restore, put-back."""
    timeout: float = 30
    strangers: threading.Lock = field(default_factory=threading.Lock)

    def limit(self, name: str) -> int:
        """A limit that `GET /v1/version` states; a limit that it does not state is not tested."""
        if name not in self.limits:
            raise NotTested(f"GET /v1/version states no {name}")
        return self.limits[name]

    def operate(self, name: str) -> None:
        """Runs a command of the operator, and waits until the server answers. Not tested where there is no command."""
        if name not in self.commands:
            raise NotTested(f"needs --{name}")
        result = subprocess.run(self.commands[name], shell=True, capture_output=True, text=True)
        if result.returncode != 0:
            raise NotTested(f"--{name} ends with status {result.returncode}: {result.stderr.strip()[-300:]}")
        with contextlib.closing(Server(self.url, timeout=5)) as server:
            for _ in range(600):
                try:
                    if server.request("GET", "/v1/health").status == 200:
                        return
                except NetworkError:
                    pass
                time.sleep(0.05)
        raise NotTested(f"the server does not answer after --{name}")


class Run:
    """One run of one check: its connection, its random source and its encoding."""

    def __init__(self, target: Target, name: str, encoding: str = JSON) -> None:
        self.target = target
        self.encoding = encoding
        self.random = random.Random(f"{target.seed}/{name}/{encoding}")
        self.server = Server(target.url, target.timeout)
        self.admin_token = target.admin_token

    @property
    def is_json(self) -> bool:
        return self.encoding == JSON

    def limit(self, name: str) -> int:
        return self.target.limit(name)

    def nonce(self) -> str:
        """A nonce that no other run has: not from the seed, for a server remembers it for 10 minutes."""
        return uuid.uuid4().hex

    def identifier(self) -> bytes:
        return bytes(self.random.randrange(256) for _ in range(16))

    def send(self, method: str, path: str, token: str = "", body: Body = None,
             headers: Optional[Mapping[str, str]] = None, timeout: Optional[float] = None) -> Reply:
        """Sends a request, and again after `retryAfter` where the server refuses it for its rate."""
        deadline = time.monotonic() + RETRY_SECONDS_MAX
        while True:
            reply = self.server.request(method, path, token, body, headers, timeout)
            wait = reply.error.get("retryAfter") if reply.status == 429 else None
            if not isinstance(wait, int) or time.monotonic() + wait > deadline:
                return reply
            time.sleep(wait + 0.05)

    def stranger(self, method: str, path: str, token: str = "", body: Body = None,
                 headers: Optional[Mapping[str, str]] = None) -> Reply:
        """Sends a request without a valid token. Servers count these (§10), so that a check makes few of them."""
        with self.target.strangers:
            return self.send(method, path, token, body, headers)

    def scope(self, schema: Optional[str] = None, name: str = "Lisbon", identifier: str = "") -> Scope:
        """Makes a scope whose owner is its first device."""
        body: Members = {"name": name, "device": "owner", "nonce": self.nonce(), "schema": schema or schemas.trip()}
        if identifier:
            body["scope"] = identifier
        reply = expect_status(self.send("POST", "/v1/scopes", self.admin_token, body), 201)
        return Scope(self, expect_members(reply, "scope", "replica", "token", "schema"))

    def recovering_scope(self, schema: Optional[str] = None) -> Scope:
        """A scope that takes back what its server lost (§8.1): it is made with an identifier."""
        return self.scope(schema, identifier=str(uuid.uuid4()))


class Scope:
    def __init__(self, run: Run, registration: Members) -> None:
        self.run = run
        self.id: str = registration["scope"]
        self.registration = registration
        self.owner = Device(run, registration)

    def invite(self, role: str = "editor", **options: Any) -> Members:
        reply = self.owner.request("POST", "/v1/invites", {"role": role, **options})
        return expect_members(expect_status(reply, 201), "id", "token")

    def join(self, role: str = "editor", name: str = "") -> Device:
        """A new device of a role."""
        body = {"invite": self.invite(role)["token"], "device": name or role, "nonce": self.run.nonce()}
        return Device(self.run, expect_members(expect_status(self.run.send("POST", "/v1/join", body=body), 201),
                                               "token"))

    def digest(self) -> Members:
        return expect_members(expect_status(self.owner.request("GET", "/v1/digest")), "digest", "sequence", "records")


class Device:
    """A replica of a scope: its token, its clock, the number of its last push, and its confirmed slots."""

    def __init__(self, run: Run, registration: Members) -> None:
        self.run = run
        self.encoding = run.encoding
        self.token: str = registration["token"]
        self.name: str = registration["replica"]
        self.replica = readable(lambda: bytes.fromhex(registration["replica"]))
        self.role: str = registration.get("role", "")
        self.form = JSONForm(readable(lambda: Schema(registration["schema"])))
        self.clock = Clock(self.replica)
        self.number = 0
        self.checkpoint = b""
        self.slots: Dict[slots.Key, Record] = {}

    def use_schema(self, text: str) -> None:
        self.form = JSONForm(Schema(text))

    def request(self, method: str, path: str, body: Body = None, headers: Optional[Mapping[str, str]] = None,
                timeout: Optional[float] = None) -> Reply:
        return self.run.send(method, path, self.token, body, headers, timeout)

    # Changes.

    def put(self, entity: str, members: Union[Members, Put, bytes, None] = None, record: Optional[bytes] = None,
            base: bytes = b"", stamp: Optional[bytes] = None) -> Change:
        """A put, from the members of its JSON form, a Put, or the bytes of one."""
        number = self.form.schema.entity(entity).id
        if isinstance(members, Put):
            data = members.encode()
        else:
            data = members if isinstance(members, bytes) else self.form.puts.put(number, members or {})
        return Change(number, record or self.run.identifier(), stamp or self.clock.tick(), data, base)

    def delete(self, entity: str, record: bytes, stamp: Optional[bytes] = None) -> Change:
        return Change(self.form.schema.entity(entity).id, record, stamp or self.clock.tick(), delete=True)

    def person(self, name: str = "Ana", **options: Any) -> Change:
        return self.put("Person", {"name": name}, **options)

    # Push.

    def next_push(self, *transactions: Changes, checkpoint: Optional[bytes] = None,
                  continues: bool = False) -> PushRequest:
        """The next push of this replica, with its checkpoint unless another is given."""
        made = [Transaction(list(changes)) for changes in transactions]
        if continues:
            made[-1].continues = True
        return PushRequest(self.number + 1, self.checkpoint if checkpoint is None else checkpoint, made)

    def seal(self, push: PushRequest) -> bytes:
        """The bytes of a push in the encoding of this device."""
        return push.encode() if self.encoding == PROTOBUF else jsontext.write(self.form.push_request(push)).encode()

    def send(self, push: Union[PushRequest, bytes, str, Members], parameters: str = "",
             headers: Optional[Mapping[str, str]] = None) -> Reply:
        """Sends a push, or bytes in its place, and returns whatever the answer is."""
        body = self.seal(push) if isinstance(push, PushRequest) else push
        if isinstance(body, dict):
            body = jsontext.write(body)
        return self.request("POST", "/v1/push" + parameters, body, {"Content-Type": self.encoding, **(headers or {})})

    def read_push_reply(self, reply: Reply) -> PushReply:
        if reply.header("Content-Type") == PROTOBUF:
            return readable(lambda: PushReply.decode(reply.body), reply)
        return readable(lambda: self.form.read_push_reply(reply.json()), reply)

    def settle(self, reply: Reply) -> PushReply:
        """Expects that the next push was stored, and counts it."""
        result = self.read_push_reply(expect_status(reply))
        self.number += 1
        return result

    def push(self, *transactions: Changes, checkpoint: Optional[bytes] = None, continues: bool = False,
             parameters: str = "") -> PushReply:
        """Pushes transactions and expects 200. Stored changes become part of the confirmed slots."""
        push = self.next_push(*transactions, checkpoint=checkpoint, continues=continues)
        result = self.settle(self.send(push, parameters))
        for transaction, entry in zip(push.transactions, result.results):
            for change in transaction.changes if entry.sequence else []:
                slots.merge(self.slots, slots.as_record(change))
        return result

    # Pull.

    def get_page(self, since: Optional[bytes] = None, encoding: str = "", timeout: Optional[float] = None,
                 **parameters: Union[str, int]) -> Reply:
        """Pulls since the checkpoint of this device unless another is given, and returns whatever the answer is."""
        text = (self.checkpoint if since is None else since).hex() or None
        return self.request("GET", "/v1/pull" + query(since=text, **parameters),
                            headers={"Accept": encoding or self.encoding}, timeout=timeout)

    def read_page(self, reply: Reply) -> PullReply:
        if reply.header("Content-Type") == PROTOBUF:
            return readable(lambda: PullReply.decode(reply.body), reply)
        return readable(lambda: self.form.read_page(reply.json()), reply)

    def page(self, since: Optional[bytes] = None, **parameters: Any) -> PullReply:
        """One page, not applied."""
        return self.read_page(expect_status(self.get_page(since, **parameters)))

    def apply(self, page: PullReply) -> None:
        for name in page.purged:
            self.slots.pop((name.entity, name.id), None)
        for record in page.records:
            slots.merge(self.slots, record)
            self.clock.receive(max(record.put_stamp, record.delete_stamp))
        self.checkpoint = page.checkpoint

    def pull(self, **parameters: Any) -> List[Record]:
        """Pulls and applies pages until there is no more, and returns their records."""
        records: List[Record] = []
        while True:
            page = self.page(**parameters)
            self.apply(page)
            records += page.records
            if not page.has_more:
                return records

    def everything(self) -> List[Record]:
        """All records of the scope, by a pull without a checkpoint that is not applied."""
        records, since = [], b""
        while True:
            page = self.page(since)
            records += page.records
            since = page.checkpoint
            if not page.has_more:
                return records

    def stored(self, change: Change) -> Optional[Record]:
        """The server's slots of the record of a change, or None."""
        return next((r for r in self.everything() if (r.entity, r.id) == (change.entity, change.record)), None)

    # Recovery (§7.7).

    def send_recovery(self, records: Union[Sequence[Record], bytes]) -> Reply:
        if isinstance(records, bytes):
            body = records
        else:
            request = RecoverRequest(list(records))
            is_protobuf = self.encoding == PROTOBUF
            body = request.encode() if is_protobuf else jsontext.write(self.form.recover_request(request)).encode()
        return self.request("POST", "/v1/recover", body, {"Content-Type": self.encoding})

    def recover(self, records: Sequence[Record]) -> RecoverReply:
        reply = expect_status(self.send_recovery(records))
        if reply.header("Content-Type") == PROTOBUF:
            return readable(lambda: RecoverReply.decode(reply.body), reply)
        return readable(lambda: self.form.read_recover_reply(reply.json()), reply)

"""The requests of protocol.md §5.1 that a client sends, answered from a scope in memory."""
from __future__ import annotations

import hashlib
import json
import secrets
import uuid
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional, Tuple, Union

from ..errors import FormatError
from ..hashing import make_token
from ..jsonform import JSONForm
from ..jsontext import parse
from ..messages import PullReply, PushReply, PushRequest, RecoverReply, RecoverRequest
from .scope import RENEWALS_MAX, Refused, Replica, Scope

PROTOBUF, JSON = "application/x-protobuf", "application/json"
Message = Union[PushReply, PullReply, RecoverReply]
LIMITS = {"bodyBytesMax": 4 << 20, "decompressedBytesMax": 16 << 20, "compressionRatioMax": 100,
          "changesPerPushMax": 10_000, "changesPerTransactionMax": 100_000, "transactionBytesMax": 12 << 20,
          "putBytesMax": 256 << 10, "propertiesPerRecordMax": 128, "clockAheadMillisecondsMax": 300_000,
          "pageBytesMax": 1 << 20, "currentBytesMax": 4 << 20, "waitSecondsMax": 55, "recordsPerRecoverMax": 1000}


@dataclass(eq=False)
class Request:
    """A request as it came, and what became of it."""

    method: str
    path: str
    query: Dict[str, List[str]]
    headers: Dict[str, str]
    body: bytes
    """The body, decompressed."""
    at: float = 0.0
    ended: float = 0.0
    replica: str = ""
    """The replica whose token it carries, as hexadecimal digits."""
    message: Any = None
    """The push or recovery in it; the object of another JSON body."""
    status: int = 0
    """0 where the client got no whole reply."""
    code: str = ""
    reply: Optional[Message] = None
    fault: str = ""

    @property
    def is_push(self) -> bool:
        return self.method == "POST" and self.path == "/v1/push"

    @property
    def is_pull(self) -> bool:
        return self.method == "GET" and self.path == "/v1/pull"

    @property
    def since(self) -> Optional[bytes]:
        """The checkpoint of a pull; None for a pull of everything."""
        text = self.query.get("since", [""])[0]
        return bytes.fromhex(text) if text else None


@dataclass
class Reply:
    status: int
    content_type: str = JSON
    body: bytes = b""
    message: Optional[Message] = None
    code: str = ""
    headers: Dict[str, str] = field(default_factory=dict)


class Service:
    """Answers requests. The caller holds the lock of the scope."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.invites: Dict[str, str] = {}
        self.nonces: Dict[Tuple[str, str], bytes] = {}
        self.revision = secrets.token_hex(8)
        self.routes: Dict[Tuple[str, str], Callable[[Request], Reply]] = {
            ("GET", "/v1/health"): lambda _: self._json({"status": "ok"}),
            ("GET", "/v1/version"): lambda _: self._json({"server": "0.1.0", "protocol": [1], "limits": LIMITS}),
            ("POST", "/v1/join"): self._join,
            ("POST", "/v1/replica/renew"): self._renew,
            ("POST", "/v1/token/rotate"): self._rotate,
            ("POST", "/v1/token/known"): self._known,
            ("GET", "/v1/me"): self._me,
            ("GET", "/v1/devices"): self._devices,
            ("GET", "/v1/schema"): self._schema,
            ("GET", "/v1/digest"): self._digest,
            ("POST", "/v1/push"): self._push,
            ("GET", "/v1/push"): self._pushed,
            ("GET", "/v1/pull"): self._pull,
            ("POST", "/v1/recover"): self._recover,
        }

    def answer(self, request: Request) -> Reply:
        """The reply of a correct server."""
        try:
            route = self.routes.get((request.method, request.path))
            if route is None:
                is_path = any(path == request.path for _, path in self.routes)
                code = "method_not_allowed" if is_path else "not_found"
                raise Refused(405 if is_path else 404, code, "No such path.")
            return route(request)
        except Refused as refusal:
            return self.error(refusal.status, refusal.code, refusal.message, **refusal.members)
        except FormatError as error:
            return self.error(400, "bad_request", f"Cannot read the request: {error}.")

    def invite(self, role: str = "editor") -> str:
        token = make_token("i")
        self.invites[token] = role
        return token

    # Forms of replies.

    def _json(self, members: Dict[str, Any], status: int = 200) -> Reply:
        return Reply(status, JSON, json.dumps({**members, "serverTime": self.scope.now}, ensure_ascii=False).encode())

    def error(self, status: int, code: str, message: str, **members: Any) -> Reply:
        error = {"code": code, "message": message, "serverTime": self.scope.now, "requestID": secrets.token_hex(8)}
        error.update(members)
        headers = {"Retry-After": str(members["retryAfter"])} if "retryAfter" in members else {}
        return Reply(status, JSON, json.dumps({"error": error}).encode(), code=code, headers=headers)

    def encode(self, message: Message, content_type: str) -> Reply:
        if content_type == PROTOBUF:
            return Reply(200, PROTOBUF, message.encode(), message)
        form = JSONForm(self.scope.schema)
        if isinstance(message, PushReply):
            members = form.push_reply(message)
        elif isinstance(message, PullReply):
            members = form.page(message)
        else:
            members = form.recover_reply(message)
        return Reply(200, JSON, json.dumps(members, ensure_ascii=False).encode(), message)

    @staticmethod
    def accepted(request: Request, otherwise: str) -> str:
        for part in request.headers.get("accept", "").split(","):
            if part.split(";")[0].strip() in (PROTOBUF, JSON):
                return part.split(";")[0].strip()
        return otherwise

    # The replica that asks.

    def identify(self, request: Request) -> Optional[Replica]:
        token = request.headers.get("authorization", "")[len("Bearer "):]
        return next((each for each in self.scope.replicas.values() if token and each.token == token), None)

    def _authorised(self, request: Request) -> Replica:
        replica = self.identify(request)
        if replica is None:
            raise Refused(401, "unauthorized", "The token is not known.")
        if replica.is_revoked:
            raise Refused(401, "revoked", "This device's access was taken away.")
        return replica

    # Identity (§6.2, §8).

    def register(self, device: str, role: str, first: Optional[bytes] = None) -> Replica:
        identity = secrets.token_bytes(8)
        replica = Replica(identity, device, role, make_token("d"), first or identity)
        self.scope.replicas[identity] = replica
        return replica

    def _registration(self, replica: Replica) -> Reply:
        return self._json({"scope": str(uuid.UUID(bytes=self.scope.id)), "scopeName": "Conformance",
                           "replica": replica.id.hex(), "token": replica.token, "role": replica.role,
                           "schema": self.scope.schemas[-1]}, 201)

    def _once(self, request: Request, nonce: Any, make: Callable[[], Replica]) -> Reply:
        """The same request with the same nonce gets the same answer (§8)."""
        if not isinstance(nonce, str) or not 8 <= len(nonce.encode()) <= 64:
            raise Refused(400, "bad_request", "A nonce has 8 to 64 bytes.")
        key = (request.path, nonce)
        if key not in self.nonces:
            self.nonces[key] = make().id
        return self._registration(self.scope.replicas[self.nonces[key]])

    def _join(self, request: Request) -> Reply:
        body = request.message
        if body.get("invite") not in self.invites:
            raise Refused(401, "unauthorized", "The invite is not known.")
        scope = body.get("scope")
        if scope is not None and scope.lower() != str(uuid.UUID(bytes=self.scope.id)):
            raise Refused(400, "bad_request", "The invite is to another scope.")
        role = self.invites[body["invite"]]
        return self._once(request, body.get("nonce"), lambda: self.register(body.get("device", ""), role))

    def _renew(self, request: Request) -> Reply:
        replica = self._authorised(request)

        def make() -> Replica:
            same = [each for each in self.scope.replicas.values() if each.first == replica.first]
            if len(same) > RENEWALS_MAX:
                raise Refused(429, "too_many_requests", "The device was renewed too often.", retryAfter=3600)
            return self.register(replica.device, replica.role, replica.first)

        return self._once(request, request.message.get("nonce"), make)

    def _rotate(self, request: Request) -> Reply:
        replica = self._authorised(request)
        replica.token = (request.message or {}).get("token") or make_token("d")
        return self._json({"token": replica.token})

    def _known(self, request: Request) -> Reply:
        hashes = request.message.get("hashes", [])
        held = {hashlib.sha256(each.token.encode()).hexdigest() for each in self.scope.replicas.values()}
        found = next((index for index, text in enumerate(hashes) if text in held), None)
        return self._json({} if found is None else {"known": found})

    def _me(self, request: Request) -> Reply:
        replica = self._authorised(request)
        return self._json({"scope": str(uuid.UUID(bytes=self.scope.id)), "scopeName": "Conformance",
                           "replica": replica.id.hex(), "role": replica.role, "schemaVersion": self.scope.version,
                           "lastPush": replica.last_number})

    def _devices(self, request: Request) -> Reply:
        self._authorised(request)
        devices = []
        for each in self.scope.replicas.values():
            device = {"replica": each.id.hex(), "name": each.device or "Peer", "role": each.role,
                      "created": self.scope.now - 60_000, "lastSeen": self.scope.now // 3_600_000 * 3_600_000}
            if each.first != each.id:
                device["device"] = each.first.hex()
            if each.is_revoked:
                device["revoked"] = True
            devices.append(device)
        return self._json({"devices": devices})

    # Records (§6, §7).

    def _schema(self, request: Request) -> Reply:
        self._authorised(request)
        return self._json({"version": self.scope.version, "schema": self.scope.schemas[-1]})

    def _digest(self, request: Request) -> Reply:
        self._authorised(request)
        return self._json({"sequence": self.scope.sequence, "digest": self.scope.digest.hex(),
                           "records": len(self.scope.records)})

    def _push(self, request: Request) -> Reply:
        replica = self._authorised(request)
        message = request.message
        body_hash = hashlib.sha256(request.body).digest()
        if not isinstance(message, PushRequest):
            if body_hash == replica.last_hash and replica.last_reply is not None:
                return self._push_reply(request, replica, replica.last_reply)
            raise Refused(400, "bad_request", f"Cannot read the push: {message}.")
        return self._push_reply(request, replica, self.scope.push(replica, message, body_hash))

    def _push_reply(self, request: Request, replica: Replica, reply: PushReply) -> Reply:
        if "since" in request.query and not self.scope.leaves_out_pages:
            reply = PushReply(reply.number, reply.results, reply.current, reply.server_time)
            try:
                reply.page = self.scope.pull(replica, request.since or b"")
            except Refused:
                reply.page = None  # a pull tells why (§6.8)
        kind = request.headers.get("content-type", JSON).split(";")[0].strip()
        return self.encode(reply, self.accepted(request, kind))

    def _pushed(self, request: Request) -> Reply:
        replica = self._authorised(request)
        number = int(request.query.get("number", ["0"])[0])
        text = request.query.get("hash", [""])[0]
        if number > replica.last_number:
            return Reply(204)
        if number < replica.last_number or bytes.fromhex(text) != replica.last_hash or replica.last_reply is None:
            raise Refused(409, "replica_forked", "This push had other bytes.")
        return self.encode(replica.last_reply, self.accepted(request, JSON))

    def _pull(self, request: Request) -> Reply:
        replica = self._authorised(request)
        try:
            since = request.since
        except ValueError:
            raise Refused(400, "bad_request", "The checkpoint is not hexadecimal.") from None
        return self.encode(self.scope.pull(replica, since or b""), self.accepted(request, JSON))

    def _recover(self, request: Request) -> Reply:
        replica = self._authorised(request)
        if not isinstance(request.message, RecoverRequest):
            raise Refused(400, "bad_request", f"Cannot read the records: {request.message}.")
        if len(request.message.records) > LIMITS["recordsPerRecoverMax"]:
            raise Refused(413, "too_large", "A request has at most 1,000 records.")
        kind = request.headers.get("content-type", JSON).split(";")[0].strip()
        return self.encode(self.scope.recover(replica, request.message.records), self.accepted(request, kind))

    def read(self, request: Request) -> None:
        """Reads the message in a body. Where it is none, the message is the reason as a text."""
        if not request.body:
            return
        kinds: Dict[str, Any] = {"/v1/push": PushRequest, "/v1/recover": RecoverRequest}
        kind = kinds.get(request.path)
        try:
            if kind is None:
                request.message = parse(request.body)
            elif request.headers.get("content-type", "").startswith(PROTOBUF):
                request.message = kind.decode(request.body)
            else:
                form = JSONForm(self.scope.schema)
                members = parse(request.body)
                request.message = (form.read_push_request(members) if kind is PushRequest
                                   else form.read_recover_request(members))
        except (FormatError, KeyError, TypeError, ValueError) as error:
            request.message = str(error) or repr(error)

"""HTTP of the protocol: one request, its reply, and what both were for a report.

    server = Server("http://127.0.0.1:8787")
    reply = server.request("GET", "/v1/me", token=token)
    reply.status, reply.json()["replica"], reply.code

The forms of the messages are in `messages.py` (Protocol Buffers) and `jsonform.py` (JSON); this module names both.
"""
from __future__ import annotations

import gzip
import http.client
import re
import socket
import ssl
import threading
import urllib.parse
from dataclasses import dataclass, field
from typing import Any, Dict, Iterable, List, Mapping, Optional, Tuple, Union

from . import jsontext
from .errors import FormatError
from .jsonform import JSONForm
from .messages import (BEATEN, REPLACED, Change, Outcome, PullReply, PushReply, PushRequest, Record, RecordName,
                       RecoverReply, RecoverRequest, Refusal, Result, Transaction)
from .puts import NULL, Put, Value
from .schema import Schema

__all__ = ["BEATEN", "JSON", "NULL", "PROTOBUF", "REPLACED", "Change", "Exchange", "JSONForm", "NetworkError",
           "Outcome",
           "PullReply", "PushReply", "PushRequest", "Put", "Record", "RecordName", "RecoverReply", "RecoverRequest",
           "Refusal", "Reply", "Result", "Schema", "Server", "Transaction", "Value"]

JSON = "application/json"
PROTOBUF = "application/x-protobuf"
_TOKEN = re.compile(r"(roost_[a-z]_[0-9A-Za-z]{3})[0-9A-Za-z]{20,}")
Body = Union[bytes, str, Mapping[str, Any], None]


class NetworkError(Exception):
    """No reply, or a reply that is cut off."""


@dataclass
class Reply:
    """A reply, with the body as it was sent and decompressed."""

    status: int
    headers: List[Tuple[str, str]]
    raw: bytes

    def header(self, name: str) -> str:
        """The value of a header field, empty where there is none."""
        return next((value for key, value in self.headers if key.lower() == name.lower()), "")

    @property
    def body(self) -> bytes:
        return gzip.decompress(self.raw) if self.header("Content-Encoding") == "gzip" else self.raw

    def json(self) -> Any:
        return jsontext.parse(self.body)

    @property
    def error(self) -> Dict[str, Any]:
        """The error of a reply that is not 2xx, empty where the body is none of §9."""
        try:
            members = self.json()
        except FormatError:
            return {}
        error = members.get("error") if isinstance(members, dict) else None
        return error if isinstance(error, dict) else {}

    @property
    def code(self) -> str:
        return str(self.error.get("code", ""))


@dataclass
class Exchange:
    """A request with its reply, for a report. Tokens are shortened."""

    method: str
    path: str
    headers: Dict[str, str]
    body: bytes
    reply: Optional[Reply] = None
    failure: str = ""

    def lines(self) -> List[str]:
        """The exchange as text: one line for each side, bodies shortened to 400 characters."""
        fields = "".join(f" {name}: {value};" for name, value in self.headers.items())
        sent = f"sent      {self.method} {self.path}{fields} {_text(self.body)}".rstrip()
        received = f"{self.reply.status} {_text(self.reply.raw)}" if self.reply else f"nothing: {self.failure}"
        return [redacted(sent), redacted("received  " + received)]


def redacted(text: str) -> str:
    """The text with its tokens shortened."""
    return _TOKEN.sub(r"\1…", text)


def _text(data: bytes) -> str:
    text = data[:400].decode("utf-8", "replace") if all(b >= 9 for b in data[:64]) else data[:200].hex()
    return text + (f"… ({len(data)} bytes)" if len(data) > 400 else "")


@dataclass
class Server:
    """A server by its URL. Each thread has a connection of its own, which is kept."""

    url: str
    timeout: float = 30
    exchanges: List[Exchange] = field(default_factory=list)
    _local: threading.local = field(default_factory=threading.local)
    _connections: List[http.client.HTTPConnection] = field(default_factory=list)

    def __post_init__(self) -> None:
        parts = urllib.parse.urlsplit(self.url)
        self.is_secure = parts.scheme == "https"
        self.host = parts.hostname or ""
        self.port = parts.port or (443 if self.is_secure else 80)
        self.prefix = parts.path.rstrip("/")

    def connect(self, timeout: Optional[float] = None) -> socket.socket:
        """A connection for bytes that an HTTP library would not send."""
        plain = socket.create_connection((self.host, self.port), timeout or self.timeout)
        return ssl.create_default_context().wrap_socket(plain, server_hostname=self.host) if self.is_secure else plain

    def request(self, method: str, path: str, token: str = "", body: Body = None,
                headers: Optional[Mapping[str, str]] = None, timeout: Optional[float] = None) -> Reply:
        """Sends one request and reads its reply. A mapping is sent as JSON, and no redirect is followed.

        Raises NetworkError where no whole reply comes.
        """
        fields = {"Accept-Encoding": "identity"}
        if token:
            fields["Authorization"] = "Bearer " + token
        if isinstance(body, Mapping):
            fields["Content-Type"] = JSON
        data = _bytes(body)
        fields.update(headers or {})
        exchange = Exchange(method, path, dict(fields), data)
        self.exchanges.append(exchange)
        try:
            exchange.reply = self._send(method, self.prefix + path, data if body is not None else None, fields,
                                        timeout or self.timeout)
        except (OSError, http.client.HTTPException) as error:
            self._drop()
            exchange.failure = f"{type(error).__name__}: {error}"
            raise NetworkError(f"{method} {path}: {exchange.failure}") from error
        return exchange.reply

    def raw(self, data: bytes, method: str = "GET", timeout: Optional[float] = None) -> Tuple[Reply, bool]:
        """Sends bytes over a connection of its own, and returns the reply and whether the server closed the connection.

        `method` is the one that the bytes ask for: the reply to HEAD has no body.
        """
        exchange = Exchange("bytes", data[:400].decode("latin-1"), {}, b"")
        self.exchanges.append(exchange)
        try:
            with self.connect(timeout) as connection:
                try:
                    connection.sendall(data)
                except ConnectionError:
                    pass  # the reply may have come before the last bytes
                response = http.client.HTTPResponse(connection, method=method)
                response.begin()
                exchange.reply = Reply(response.status, response.getheaders(), response.read())
                return exchange.reply, _is_closed(connection)
        except (OSError, http.client.HTTPException) as error:
            exchange.failure = f"{type(error).__name__}: {error}"
            raise NetworkError(f"raw bytes: {exchange.failure}") from error

    def close(self) -> None:
        """Closes the connections of all threads."""
        while self._connections:
            self._connections.pop().close()
        self._local = threading.local()

    def _drop(self) -> None:
        """Closes the connection of this thread."""
        connection = getattr(self._local, "connection", None)
        if connection is not None:
            connection.close()
            self._local.connection = None

    def _send(self, method: str, path: str, body: Optional[bytes], fields: Mapping[str, str], timeout: float) -> Reply:
        connection = getattr(self._local, "connection", None)
        is_kept = connection is not None
        for attempt in (0, 1):
            if connection is None:
                kind = http.client.HTTPSConnection if self.is_secure else http.client.HTTPConnection
                connection = self._local.connection = kind(self.host, self.port, timeout=timeout)
                self._connections.append(connection)
            connection.timeout = timeout
            if connection.sock is not None:
                connection.sock.settimeout(timeout)
            try:
                connection.request(method, path, body, dict(fields))
                response = connection.getresponse()
                return Reply(response.status, response.getheaders(), response.read())
            except (http.client.RemoteDisconnected, ConnectionError):
                self._drop()
                connection = None
                if attempt or not is_kept:  # a kept connection may have been closed before the request
                    raise
        raise AssertionError("two attempts return or raise")


def _is_closed(connection: socket.socket) -> bool:
    """Whether the other side closes the connection within half a second."""
    connection.settimeout(0.5)
    try:
        return connection.recv(1) == b""
    except socket.timeout:
        return False
    except OSError:
        return True


def _bytes(body: Body) -> bytes:
    if isinstance(body, Mapping):
        return jsontext.write(dict(body)).encode()
    return body.encode() if isinstance(body, str) else body or b""


def query(**parameters: Union[str, int, None]) -> str:
    """The query of a URL, from parameters that are not None: `query(since="80", wait=5)` is `?since=80&wait=5`."""
    pairs: Iterable[Tuple[str, Any]] = ((name, value) for name, value in parameters.items() if value is not None)
    text = urllib.parse.urlencode(list(pairs))
    return "?" + text if text else ""

"""The scripted server on a port of this machine: HTTP/1.1 around a `Service`, with faults."""
from __future__ import annotations

import gzip
import secrets
import threading
import time
import urllib.parse
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Dict, List, Optional, Tuple

from .faults import Fault, Matcher, Rule
from .scope import Scope
from .service import Reply, Request, Service
from .zstd import MalformedFrame, decompress

STALL_SECONDS_MAX = 120
BODY_BYTES_MAX = 16 << 20


class ScriptedServer:
    """A correct server in memory, the faults around it, and every request that came."""

    def __init__(self, schema: str) -> None:
        self.lock = threading.Condition()
        self.service = Service(Scope(schema))
        self.requests: List[Request] = []
        self.rules: List[Rule] = []
        self.last_replies: Dict[Tuple[str, str], Reply] = {}
        self.in_flight: List[Request] = []
        self.overlaps: List[str] = []
        self.is_stopping = False
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1

            def log_message(self, *_: object) -> None:
                return

            def do_GET(self) -> None:
                Exchange(server, self).run()

            do_POST = do_PUT = do_DELETE = do_GET

        class Listener(ThreadingHTTPServer):
            daemon_threads = True
            block_on_close = False

            def handle_error(self, *_: object) -> None:
                return

        self.listener = Listener(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.listener.server_address[1]}"
        self.thread = threading.Thread(target=self.listener.serve_forever, args=(0.05,), daemon=True)
        self.thread.start()

    @property
    def scope(self) -> Scope:
        return self.service.scope

    def link(self, role: str = "editor") -> str:
        return f"{self.address}/join#{self.service.invite(role)}"

    def add(self, matches: Matcher, fault: Fault, times: int = 1) -> Rule:
        """Adds a fault for the next requests that match."""
        rule = Rule(matches, fault, times)
        with self.lock:
            self.rules.append(rule)
        return rule

    def clear(self) -> None:
        """Ends all faults, those under way included."""
        with self.lock:
            for rule in self.rules:
                rule.fault.went_on.set()
            self.rules.clear()

    def fault(self, request: Request) -> Tuple[Optional[Rule], Optional[Fault]]:
        for rule in self.rules:
            fault = rule.take(request)
            if fault is not None:
                return rule, fault
        return None, None

    def stop(self) -> None:
        self.is_stopping = True
        self.clear()
        self.listener.shutdown()
        self.listener.server_close()


class Exchange:
    """One request, from its head to the end of its reply."""

    def __init__(self, server: ScriptedServer, handler: BaseHTTPRequestHandler) -> None:
        self.server, self.handler = server, handler

    def run(self) -> None:
        handler, server = self.handler, self.server
        url = urllib.parse.urlsplit(handler.path)
        headers = {name.lower(): value for name, value in handler.headers.items()}
        request = Request(handler.command, url.path, urllib.parse.parse_qs(url.query, keep_blank_values=True), headers,
                          b"", time.monotonic())
        raw = self._body(headers)
        if raw is None:
            handler.close_connection = True
            return
        reply = self._decoded(request, raw)
        with server.lock:
            server.service.read(request)
            replica = server.service.identify(request)
            request.replica = replica.id.hex() if replica else ""
            self._note(request)
            rule, fault = server.fault(request)
            reply = reply or self._answer(request, fault)
            server.lock.notify_all()
        if rule is not None:
            rule.reached.set()
        if fault is None and request.is_pull:
            reply = self._wait(request, reply)
        try:
            self._send(request, reply, fault)
        finally:
            self._end(request)

    def _end(self, request: Request) -> None:
        """The request is not in flight any more, from just before its reply leaves on."""
        with self.server.lock:
            request.ended = time.monotonic()
            if request in self.server.in_flight:
                self.server.in_flight.remove(request)
            self.server.lock.notify_all()

    def _note(self, request: Request) -> None:
        server = self.server
        if request.is_push and request.replica:
            for other in server.in_flight:
                # A stalled request may have been given up by its client: only one that could still be answered counts.
                if other.is_push and other.replica == request.replica and other.fault not in ("stall", "hold"):
                    server.overlaps.append(request.replica)
        server.requests.append(request)
        server.in_flight.append(request)

    def _body(self, headers: Dict[str, str]) -> Optional[bytes]:
        stream = self.handler.rfile
        if headers.get("transfer-encoding", "").lower() != "chunked":
            length = int(headers.get("content-length", "0"))
            data = stream.read(length)
            return data if len(data) == length else None
        parts = []
        while True:
            size = int(stream.readline().split(b";")[0] or b"0", 16)
            parts.append(stream.read(size))
            if not stream.readline().endswith(b"\n"):
                return None
            if size == 0:
                return b"".join(parts)

    def _decoded(self, request: Request, raw: bytes) -> Optional[Reply]:
        """Decompresses the body. Returns the error of one that cannot be decompressed."""
        encoding = request.headers.get("content-encoding", "")
        service = self.server.service
        try:
            if encoding == "zstd":
                request.body = decompress(raw, BODY_BYTES_MAX)
            elif encoding == "gzip":
                request.body = gzip.decompress(raw)
            elif encoding:
                return service.error(415, "unsupported_media_type", f"{encoding} is no encoding of this protocol.")
            else:
                request.body = raw
        except (MalformedFrame, OSError, EOFError, zlib.error) as error:
            return service.error(400, "bad_request", f"Cannot decompress the body: {error}.")
        return None

    def _answer(self, request: Request, fault: Optional[Fault]) -> Reply:
        server, service = self.server, self.server.service
        kind = fault.kind if fault else ""
        request.fault = kind
        key = (request.method, request.path)
        if fault and kind == "lose_request":
            return Reply(0)
        if fault and kind in ("page", "error") and not fault.is_done_first:
            return Reply(0)
        if kind == "old_reply" and key in server.last_replies:
            return server.last_replies[key]
        reply = service.answer(request)
        if kind == "repeat":
            reply = service.answer(request)
        if fault and fault.change is not None and reply.message is not None:
            message = fault.change(reply.message)
            if message is not None:
                reply = service.encode(message, reply.content_type)
        if fault and fault.alter is not None:
            reply = fault.alter(reply)
        server.last_replies[key] = reply
        return reply

    def _wait(self, request: Request, reply: Reply) -> Reply:
        """Holds a page that would be empty, as long as `wait` says (§7.4)."""
        seconds = min(int(request.query.get("wait", ["0"])[0] or 0), 55)
        end = time.monotonic() + seconds
        server = self.server
        with server.lock:
            while (reply.message is not None and not getattr(reply.message, "records", [1])
                   and not getattr(reply.message, "purged", []) and time.monotonic() < end and not server.is_stopping):
                server.lock.wait(min(0.5, max(0.0, end - time.monotonic())))
                reply = server.service.answer(request)
        return reply

    # The replies, as the client sees them.

    def _send(self, request: Request, reply: Reply, fault: Optional[Fault]) -> None:
        kind = fault.kind if fault else ""
        if kind in ("lose_request", "lose_reply"):
            self._end(request)
            self.handler.close_connection = True
            return
        if fault and kind == "hold":
            fault.went_on.wait(STALL_SECONDS_MAX)
            if self.server.is_stopping:
                self.handler.close_connection = True
                return
        if fault and kind == "page":
            reply = Reply(fault.status, "text/html; charset=utf-8", fault.body)
            if 300 <= fault.status < 400:
                reply.headers["Location"] = "/login"
        elif fault and kind == "error":
            reply = self.server.service.error(fault.status, fault.code, "An error of the scenario.", **fault.members)
        elif kind == "garbage":
            reply = Reply(200, reply.content_type, b"\xff" + secrets.token_bytes(200))
        if kind != "stall":
            self._end(request)
        if fault and kind in ("truncate", "stall"):
            self._write(reply, len(reply.body) // 2)
            if kind == "stall":
                fault.went_on.wait(STALL_SECONDS_MAX)
            self.handler.close_connection = True
            return
        if not self._write(reply, None):
            return
        request.status, request.code = reply.status, reply.code
        request.reply = reply.message if kind != "page" else None

    def _write(self, reply: Reply, cut: Optional[int]) -> bool:
        """Writes the reply, or its first bytes only."""
        handler = self.handler
        lines = [f"HTTP/1.1 {reply.status} -"]
        if reply.status != 204:
            lines += [f"Content-Type: {reply.content_type}", f"Content-Length: {len(reply.body)}"]
        lines += ["Cache-Control: no-store", f"Roost-Server: {self.server.service.revision}"]
        lines += [f"{name}: {value}" for name, value in reply.headers.items()]
        head = "\r\n".join(lines) + "\r\n\r\n"
        try:
            handler.wfile.write(head.encode() + (reply.body if cut is None else reply.body[:cut]))
            handler.wfile.flush()
        except OSError:
            handler.close_connection = True
            return False
        return True



"""A proxy in front of a real server that loses, repeats, cuts off and replaces what passes."""
from __future__ import annotations

import http.client
import random
import threading
import urllib.parse
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Dict, List, Optional, Tuple

PAGE = b"<!DOCTYPE html>\n<html><body><h1>Hotel network</h1></body></html>\n"
KINDS = ["lose_request", "lose_reply", "repeat", "truncate", "garbage", "page", "gateway", "busy"]
FORWARD_SECONDS_MAX = 60


@dataclass
class Answer:
    status: int
    headers: List[Tuple[str, str]]
    body: bytes


class FaultProxy:
    """Passes requests on. While `rate` is above 0, so many of them meet a fault."""

    def __init__(self, target: str, source: random.Random) -> None:
        parts = urllib.parse.urlsplit(target)
        self.host, self.port = parts.hostname or "", parts.port or 80
        self.source = source
        self.lock = threading.Lock()
        self.rate = 0.0
        self.counts: Dict[str, int] = {}
        self.requests = 0
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1

            def log_message(self, *_: object) -> None:
                return

            def do_GET(self) -> None:
                proxy.handle(self)

            do_POST = do_PUT = do_DELETE = do_GET

        class Listener(ThreadingHTTPServer):
            daemon_threads = True
            block_on_close = False

            def handle_error(self, *_: object) -> None:
                return

        self.listener = Listener(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.listener.server_address[1]}"
        threading.Thread(target=self.listener.serve_forever, args=(0.05,), daemon=True).start()

    def choose(self) -> str:
        with self.lock:
            self.requests += 1
            if self.source.random() >= self.rate:
                return ""
            kind = self.source.choice(KINDS)
            self.counts[kind] = self.counts.get(kind, 0) + 1
            return kind

    def handle(self, handler: BaseHTTPRequestHandler) -> None:
        body = self._body(handler)
        kind = self.choose()
        if body is None or kind == "lose_request":
            handler.close_connection = True
            return
        if kind in ("page", "gateway"):
            return self._write(handler, Answer(200 if kind == "page" else 502, [("Content-Type", "text/html")], PAGE))
        if kind == "busy":
            text = b'{"error":{"code":"stopping","message":"As the proxy says.","serverTime":0,"retryAfter":1}}'
            return self._write(handler, Answer(503, [("Content-Type", "application/json"), ("Retry-After", "1")], text))
        answer = self._forward(handler, body)
        if answer is not None and kind == "repeat":
            answer = self._forward(handler, body)
        if answer is None or kind == "lose_reply":
            handler.close_connection = True
            return
        if kind == "garbage":
            answer = Answer(200, answer.headers, bytes(self.source.getrandbits(8) for _ in range(64)))
        self._write(handler, answer, len(answer.body) // 2 if kind == "truncate" else None)

    @staticmethod
    def _body(handler: BaseHTTPRequestHandler) -> Optional[bytes]:
        stream = handler.rfile
        if handler.headers.get("Transfer-Encoding", "").lower() != "chunked":
            length = int(handler.headers.get("Content-Length", "0"))
            data = stream.read(length)
            return data if len(data) == length else None
        parts = []
        while True:
            size = int(stream.readline().split(b";")[0] or b"0", 16)
            parts.append(stream.read(size))
            stream.readline()
            if size == 0:
                return b"".join(parts)

    def _forward(self, handler: BaseHTTPRequestHandler, body: bytes) -> Optional[Answer]:
        skipped = ("host", "connection", "transfer-encoding", "content-length", "expect")
        headers = {name: value for name, value in handler.headers.items() if name.lower() not in skipped}
        connection = http.client.HTTPConnection(self.host, self.port, timeout=FORWARD_SECONDS_MAX)
        try:
            has_body = handler.command != "GET"
            connection.request(handler.command, handler.path, body if has_body else None, headers)
            response = connection.getresponse()
            return Answer(response.status, response.getheaders(), response.read())
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()

    @staticmethod
    def _write(handler: BaseHTTPRequestHandler, answer: Answer, cut: Optional[int] = None) -> None:
        skipped = ("connection", "transfer-encoding", "content-length", "date")
        lines = [f"HTTP/1.1 {answer.status} -"]
        lines += [f"{name}: {value}" for name, value in answer.headers if name.lower() not in skipped]
        if answer.status != 204:
            lines.append(f"Content-Length: {len(answer.body)}")
        try:
            handler.wfile.write(("\r\n".join(lines) + "\r\n\r\n").encode() + answer.body[:cut])
            handler.wfile.flush()
        except OSError:
            handler.close_connection = True
        if cut is not None:
            handler.close_connection = True

    def stop(self) -> None:
        self.listener.shutdown()
        self.listener.server_close()

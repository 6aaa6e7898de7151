"""§3 Conventions: lengths, parameters, expectations, methods and compression."""
from __future__ import annotations

import gzip

from .. import jsontext
from ..actors import Device, Run
from ..compression import ZSTD_MAGIC, gzipped, zstd_frame
from ..expectations import expect, expect_equal, expect_error, expect_status
from ..requirements import Violation, requirement
from ..wire import Reply


def head(device: Device, method: str, path: str, *fields: str) -> bytes:
    """The head of a request, for bytes that an HTTP library would not send."""
    host = f"{device.run.server.host}:{device.run.server.port}"
    lines = [f"{method} {device.run.server.prefix}{path} HTTP/1.1", f"Host: {host}",
             f"Authorization: Bearer {device.token}", *fields, "", ""]
    return "\r\n".join(lines).encode()


def push_in_chunks(device: Device, body: bytes, size_text: str = "") -> Reply:
    """Sends a push in chunks of 7 bytes; `size_text` replaces the size of the first one."""
    data = head(device, "POST", "/v1/push", f"Content-Type: {device.encoding}", "Transfer-Encoding: chunked")
    pieces = [body[start:start + 7] for start in range(0, len(body), 7)]
    for index, piece in enumerate(pieces):
        size = size_text if size_text and index == 0 else f"{len(piece):x}"
        data += size.encode() + b"\r\n" + piece + b"\r\n"
    return device.run.server.raw(data + b"0\r\n\r\n", "POST")[0]


@requirement("3", 22, "a body may come in chunks", both=True)
def chunks(run: Run) -> None:
    owner = run.scope().owner
    push = owner.next_push([owner.person()])
    owner.settle(push_in_chunks(owner, owner.seal(push)))
    expect_equal(len(owner.everything()), 1, "the number of records")


@requirement("3", 23, "the limits of §10 hold for a body that came in chunks")
def chunks_have_limits(run: Run) -> None:
    owner = run.scope().owner
    size = run.limit("bodyBytesMax") + 1
    data = head(owner, "POST", "/v1/push", f"Content-Type: {owner.encoding}", "Transfer-Encoding: chunked")
    data += b"".join(b"10000\r\n" + b" " * 0x10000 + b"\r\n" for _ in range(size // 0x10000 + 1)) + b"0\r\n\r\n"
    expect_error(run.server.raw(data, "POST")[0], 413, "too_large")


@requirement("3", 24, "a chunk whose size is 2^63 or more is a bad_request")
def sizes_of_chunks(run: Run) -> None:
    owner = run.scope().owner
    body = owner.seal(owner.next_push([owner.person()]))
    for size in ("8000000000000000", "ffffffffffffffff", "10000000000000007"):
        expect_error(push_in_chunks(owner, body, size), 400, "bad_request")
    owner.settle(owner.send(body))


@requirement("3", 25, "a parameter that is in a URL twice is a bad_request")
def parameters_twice(run: Run) -> None:
    owner = run.scope().owner
    since = owner.page(b"").checkpoint.hex()
    for path in ("/v1/pull?wait=0&wait=0", f"/v1/pull?since={since}&since={since}", "/v1/pull?limit=9&ahead=1&limit=9",
                 "/v1/pull?identifiers=1&identifiers=1"):
        expect_error(owner.request("GET", path), 400, "bad_request")


@requirement("3", 26, "a number in a URL with a sign, a zero before it, or no digits is a bad_request")
def numbers_in_urls(run: Run) -> None:
    owner = run.scope().owner
    for path in ("/v1/pull?wait=%2B1", "/v1/pull?wait=01", "/v1/pull?wait=-0", "/v1/pull?limit=0100",
                 "/v1/pull?limit=1e3",
                 "/v1/pull?limit=-5", "/v1/pull?wait=x", "/v1/pull?limit=99999999999999999999",
                 f"/v1/push?number=01&hash={'0' * 64}"):
        expect_error(owner.request("GET", path), 400, "bad_request")


@requirement("3", 27, "Expect has no value but 100-continue; another is a bad_request")
def expectations(run: Run) -> None:
    owner = run.scope().owner
    data = head(owner, "GET", "/v1/me", "Expect: 200-ok")
    expect_error(run.server.raw(data)[0], 400, "bad_request")


@requirement("3", 28, "a method that a path does not have, known or not, is a 405 with Allow")
def methods(run: Run) -> None:
    owner = run.scope().owner
    every = {"GET", "POST", "PUT", "DELETE"}
    for method, path, allowed in (("POST", "/v1/pull", {"GET"}), ("DELETE", "/v1/push", {"GET", "POST"}),
                                  ("PUT", "/v1/join", {"POST"}), ("PUT", "/v1/me", {"GET"}),
                                  ("FANCY", "/v1/me", every), ("PATCH", "/v1/schema", {"GET", "PUT"}),
                                  ("POST", f"/v1/invites/{'0' * 16}", {"DELETE"}), ("GET", "/v1/recover", {"POST"})):
        reply = owner.request(method, path)
        expect_error(reply, 405, "method_not_allowed")
        found = {name.strip() for name in reply.header("Allow").split(",")} - {"HEAD", "OPTIONS"}
        expect_equal(found, allowed, f"Allow of {path}", reply)


@requirement("3", 29, "a body may be compressed with gzip, as one member", both=True)
def gzip_bodies(run: Run) -> None:
    owner = run.scope().owner
    body = owner.seal(owner.next_push([owner.person()]))
    owner.settle(owner.send(gzipped(body), headers={"Content-Encoding": "gzip"}))
    expect_equal(len(owner.everything()), 1, "the number of records")


@requirement("3", 30, "a body may be compressed with zstd, as one frame", both=True)
def zstd_bodies(run: Run) -> None:
    owner = run.scope().owner
    body = owner.seal(owner.next_push([owner.person()]))
    owner.settle(owner.send(zstd_frame(body), headers={"Content-Encoding": "zstd"}))
    expect_equal(len(owner.everything()), 1, "the number of records")


@requirement("3", 31, "a compressed body with something after its member or frame, or cut off, is a bad_request")
def one_frame(run: Run) -> None:
    owner = run.scope().owner
    body = owner.seal(owner.next_push([owner.person()]))
    for encoding, data in (("gzip", gzipped(body) + gzipped(b"")), ("gzip", gzipped(body) + b"x"),
                           ("zstd", zstd_frame(body) + zstd_frame(b"")), ("zstd", zstd_frame(body) + b"x"),
                           ("gzip", gzipped(body)[:-4]), ("zstd", zstd_frame(body)[:-1]), ("gzip", body),
                           ("zstd", body),
                           ("gzip", b""), ("zstd", b"")):
        expect_error(owner.send(data, headers={"Content-Encoding": encoding}), 400, "bad_request")
    owner.settle(owner.send(body))


@requirement("3", 32, "a body compressed with another encoding, or twice, is a 415")
def other_encodings(run: Run) -> None:
    owner = run.scope().owner
    body = owner.seal(owner.next_push([owner.person()]))
    for encoding, data in (("br", body), ("deflate", body), ("gzip, gzip", gzipped(gzipped(body)))):
        expect_error(owner.send(data, headers={"Content-Encoding": encoding}), 415, "unsupported_media_type")
    owner.settle(owner.send(body))


def large_scope(run: Run) -> Device:
    """A device whose pages and replies are over 512 bytes."""
    owner = run.scope().owner
    owner.push([owner.person(f"person number {index}") for index in range(20)])
    return owner


@requirement("3", 33, "replies of push, pull and schema over 512 bytes are compressed with gzip where it is accepted",
             both=True)
def gzip_replies(run: Run) -> None:
    owner = large_scope(run)
    push = owner.next_push(*[[owner.person()] for _ in range(60)])
    for plain, compressed in (
            (owner.send(push), owner.send(push, headers={"Accept-Encoding": "gzip"})),
            (owner.get_page(b""), owner.request("GET", "/v1/pull", headers={"Accept": owner.encoding,
                                                                            "Accept-Encoding": "gzip"})),
            (owner.request("GET", "/v1/schema"), owner.request("GET", "/v1/schema",
                                                               headers={"Accept-Encoding": "gzip"}))):
        expect_equal(plain.header("Content-Encoding"), "", "Content-Encoding where none is accepted", plain)
        if len(plain.body) > 512:
            expect_equal(compressed.header("Content-Encoding"), "gzip", "Content-Encoding", compressed)
            is_same = _without_time(owner, plain.body) == _without_time(owner, gzip.decompress(compressed.raw))
            expect(is_same, "the compressed reply is another than the plain one", compressed)


def _without_time(device: Device, body: bytes) -> object:
    if body[:1] == b"{":
        return {name: value for name, value in jsontext.parse(body).items() if name not in ("serverTime", "checkpoint")}
    return len(body)  # the time has as many bytes in Protocol Buffers


@requirement("3", 34, "zstd is taken before gzip where both are accepted", both=True)
def zstd_replies(run: Run) -> None:
    owner = large_scope(run)
    for accepted in ("zstd", "gzip, zstd", "zstd, gzip"):
        reply = owner.request("GET", "/v1/pull", headers={"Accept": run.encoding, "Accept-Encoding": accepted})
        expect_equal(expect_status(reply).header("Content-Encoding"), "zstd", "Content-Encoding", reply)
        expect(reply.raw.startswith(ZSTD_MAGIC), "the body is no frame of zstd", reply)


@requirement("3", 35, "an encoding that is not accepted is not used")
def no_encoding(run: Run) -> None:
    owner = large_scope(run)
    for accepted in ("identity", "br", "deflate, br"):
        reply = owner.request("GET", "/v1/pull", headers={"Accept-Encoding": accepted})
        if reply.header("Content-Encoding"):
            raise Violation(f"the body has the encoding {reply.header('Content-Encoding')}", reply)



"""A client that knows protocol.md alone: joins a scope, pushes a put of any bytes, and prints the bytes of a put.

  client.py join LINK STATE
  client.py push STATE ENTITY RECORD FIELD…     each FIELD is PROPERTY=FORM:HEX, or REFERENCE>HEX
  client.py show STATE ENTITY RECORD            prints the put's bytes in hexadecimal
"""

import json
import sys
import time
import urllib.request

FORMS = {"text": (2, 2), "integer": (3, 0), "real": (4, 1), "boolean": (5, 0), "bytes": (6, 2), "unknown": (9, 2)}


def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out + bytes([number]))


def member(number, value):
    return varint(number << 3 | 2) + varint(len(value)) + value


def members(data):
    """The fields of a message: number → the last value."""
    at, found = 0, {}

    def number():
        nonlocal at
        shift = result = 0
        while True:
            byte = data[at]
            at += 1
            result |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return result

    while at < len(data):
        key = number()
        if key & 7 == 0:
            value = number()
        else:
            length = 8 if key & 7 == 1 else number()
            value = data[at : at + length]
            at += length
        found.setdefault(key >> 3, []).append(value)
    return found


def field(text):
    prop, value = text.split("=")
    form, digits = value.split(":")
    number, wire = FORMS[form]
    value = bytes.fromhex(digits)
    return b"\x08" + varint(int(prop)) + (member(number, value) if wire == 2 else varint(number << 3 | wire) + value)


def put(fields):
    references = [text.split(">") for text in fields if ">" in text]
    out = b"".join(member(1, b"\x08" + varint(int(r)) + member(2, bytes.fromhex(t))) for r, t in references)
    return out + member(2, b"".join(member(1, field(text)) for text in fields if "=" in text))


def request(state, path, body=None, kind="application/x-protobuf"):
    headers = {"Content-Type": kind, "Accept": kind}
    if "token" in state:
        headers["Authorization"] = f"Bearer {state['token']}"
    with urllib.request.urlopen(urllib.request.Request(state["server"] + path, body, headers), timeout=10) as reply:
        return reply.read()


def join(link, path):
    server, invite = link.split("/join#")
    body = json.dumps({"invite": invite, "device": "another client", "nonce": str(time.time_ns())}).encode()
    state = json.loads(request({"server": server}, "/v1/join", body, "application/json"))
    json.dump({**state, "server": server, "number": 1}, open(path, "w"))


def push(path, entity, record, *fields):
    state = json.load(open(path))
    stamp = (time.time_ns() // 1_000_000 << 16).to_bytes(8, "big") + bytes.fromhex(state["replica"])
    change = b"\x08" + varint(int(entity)) + member(2, bytes.fromhex(record)) + member(3, stamp) + member(4, put(fields))
    reply = request(state, "/v1/push", b"\x08" + varint(state["number"]) + member(3, member(1, change)))
    state["number"] += 1
    json.dump(state, open(path, "w"))
    results = [members(result) for result in members(reply).get(2, [])]
    assert results and all(4 not in result for result in results), results


def show(path, entity, record):
    for item in members(request(json.load(open(path)), "/v1/pull")).get(1, []):
        found = members(item)
        if found[1] == [int(entity)] and found[2] == [bytes.fromhex(record)]:
            print(found[4][0].hex())


if __name__ == "__main__":
    {"join": join, "push": push, "show": show}[sys.argv[1]](*sys.argv[2:])

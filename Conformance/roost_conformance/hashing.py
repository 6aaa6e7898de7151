"""Content hash (§5.4), digest (§7.5), chain (§7.6), identifiers of links (§8.6), and tokens (§8.3)."""
from __future__ import annotations

import hashlib
import random
import zlib
from typing import Iterable, Optional

from .messages import Record

ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
EMPTY = bytes(16)
MODULUS = 1 << 128


def sha256(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def content_hash(put: bytes) -> bytes:
    """The first 16 bytes of the SHA-256 of a put's bytes."""
    return sha256(put)[:16]


def term(record: Record) -> int:
    """The term of a record in the digest; 0 for a record with two empty slots."""
    if not record.put_stamp and not record.delete_stamp:
        return 0
    put_hash = content_hash(record.put or b"") if record.put_stamp else EMPTY
    data = (record.entity.to_bytes(4, "big") + record.id + (record.put_stamp or EMPTY) + put_hash
            + (record.delete_stamp or EMPTY))
    return int.from_bytes(sha256(data)[:16], "big")


def digest(records: Iterable[Record]) -> bytes:
    """The sum of the terms modulo 2^128, as 16 bytes."""
    return (sum(term(record) for record in records) % MODULUS).to_bytes(16, "big")


def chain(before: bytes, sequence: int, digest_after: bytes) -> bytes:
    """h(n) of §7.6, from h(n − 1), n, and the digest after n."""
    return sha256(before + sequence.to_bytes(8, "big") + digest_after)


def link_identifier(entity: int, source: str, target: str) -> bytes:
    """The identifier of a link record, from the link entity's number and both UUIDs."""
    parts = [b"roost-link", str(entity).encode(), source.lower().encode(), target.lower().encode()]
    return sha256(b"".join(len(part).to_bytes(4, "big") + part for part in parts))[:16]


def check_digits(text: str) -> str:
    """The CRC-32 of the text in base 62: six digits, most significant first."""
    value, digits = zlib.crc32(text.encode()), ""
    for _ in range(6):
        value, digit = divmod(value, 62)
        digits = ALPHABET[digit] + digits
    return digits


def make_token(letter: str, source: Optional[random.Random] = None) -> str:
    """A random token of a kind: `d` for a device, `i` for an invite, `a` for an admin."""
    source = source or random.SystemRandom()
    text = f"roost_{letter}_" + "".join(source.choice(ALPHABET) for _ in range(30))
    return text + check_digits(text)


def is_token(text: object, letter: str) -> bool:
    """Whether the text has the form of a token of that kind, check digits included."""
    if not isinstance(text, str) or not text.startswith(f"roost_{letter}_"):
        return False
    body = text[len(f"roost_{letter}_"):]
    return len(body) == 36 and all(c in ALPHABET for c in body) and check_digits(text[:-6]) == text[-6:]

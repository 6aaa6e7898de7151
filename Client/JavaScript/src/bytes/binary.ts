/**
 * Binary strings: bytes as a string with one character below 256 for each byte.
 *
 * Identifiers and stamps are kept in this form. JavaScript compares such strings as the protocol compares bytes, uses
 * them as keys of a `Map`, and stores each in some 28 bytes, where a `Uint8Array` takes more than 100.
 */
export type Binary = string;

/** Returns the bytes of `bytes` from `start` to `end` as a binary string. */
export function binary(bytes: Uint8Array, start = 0, end = bytes.length): Binary {
  if (end - start === 16) return binary16(bytes, start);
  let result = "";
  for (let index = start; index < end; index += 4096) {
    result += String.fromCharCode(...bytes.subarray(index, Math.min(index + 4096, end)));
  }
  return result;
}

/** Returns 16 bytes as a binary string. One call with all characters is several times as fast as a loop. */
export function binary16(b: Uint8Array, i: number): Binary {
  // deno-fmt-ignore
  return String.fromCharCode(
    b[i], b[i + 1], b[i + 2], b[i + 3], b[i + 4], b[i + 5], b[i + 6], b[i + 7],
    b[i + 8], b[i + 9], b[i + 10], b[i + 11], b[i + 12], b[i + 13], b[i + 14], b[i + 15],
  );
}

/** Returns the bytes of a binary string. */
export function bytesOf(text: Binary): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index++) bytes[index] = text.charCodeAt(index);
  return bytes;
}

const digits = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** Returns the lower-case hexadecimal digits of a binary string. */
export function hex(text: Binary): string {
  let result = "";
  for (let index = 0; index < text.length; index++) result += digits[text.charCodeAt(index)];
  return result;
}

/** Returns the lower-case hexadecimal digits of bytes. */
export function hexOf(bytes: Uint8Array): string {
  let result = "";
  for (const byte of bytes) result += digits[byte];
  return result;
}

/** Reads hexadecimal digits of either case; `undefined` for any other text. */
export function fromHex(text: string): Binary | undefined {
  if (text.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(text)) return undefined;
  let result = "";
  for (let index = 0; index < text.length; index += 2) {
    result += String.fromCharCode(parseInt(text.substring(index, index + 2), 16));
  }
  return result;
}

/** Returns 16 bytes as a UUID of 36 characters in lower case. */
export function uuidText(id: Binary): string {
  const text = hex(id);
  return `${text.slice(0, 8)}-${text.slice(8, 12)}-${text.slice(12, 16)}-${text.slice(16, 20)}-${text.slice(20)}`;
}

/** Reads a UUID of 36 characters; `undefined` for any other text. */
export function fromUUID(text: string): Binary | undefined {
  if (!/^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/.test(text)) return undefined;
  return fromHex(text.replaceAll("-", ""));
}

/** Makes a UUID of version 7 (RFC 9562 §5.7), so that records that were made together are stored together. */
export function newRecordID(milliseconds: number, random: Uint8Array): Binary {
  const bytes = new Uint8Array(16);
  bytes.set(random.subarray(0, 16));
  for (let index = 5, rest = milliseconds; index >= 0; index--) {
    bytes[index] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  bytes[6] = 0x70 | (bytes[6] & 0x0f);
  bytes[8] = 0x80 | (bytes[8] & 0x3f);
  return binary16(bytes, 0);
}

/** Compares texts by their bytes of UTF-8. Negative where `left` comes first. */
export function compareUTF8(left: string, right: string): number {
  const count = Math.min(left.length, right.length);
  for (let index = 0; index < count; index++) {
    const a = left.charCodeAt(index), b = right.charCodeAt(index);
    if (a === b) continue;
    // UTF-16 puts surrogates before U+E000 to U+FFFF, UTF-8 puts what they encode after these.
    const isHighA = a >= 0xd800, isHighB = b >= 0xd800;
    if (isHighA && isHighB) {
      const isPairA = a <= 0xdfff, isPairB = b <= 0xdfff;
      if (isPairA !== isPairB) return isPairA ? 1 : -1;
    }
    return a - b;
  }
  return left.length - right.length;
}

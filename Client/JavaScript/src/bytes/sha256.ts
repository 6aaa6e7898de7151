/**
 * SHA-256 (FIPS 180-4), synchronous.
 *
 * `crypto.subtle` answers with a promise, and an awaited promise ends a transaction of IndexedDB. It is also missing in
 * an insecure context.
 */
const constants = new Int32Array(64);
const initial = new Int32Array(8);

{
  // The first 32 bits of the fractional parts of the cube and square roots of the first primes.
  const fraction = (root: number) => ((root - Math.floor(root)) * 2 ** 32) | 0;
  let found = 0;
  for (let candidate = 2; found < 64; candidate++) {
    let isPrime = true;
    for (let factor = 2; factor * factor <= candidate; factor++) if (candidate % factor === 0) isPrime = false;
    if (!isPrime) continue;
    if (found < 8) initial[found] = fraction(Math.sqrt(candidate));
    constants[found++] = fraction(Math.cbrt(candidate));
  }
}

const schedule = new Int32Array(64);
const state = new Int32Array(8);
const tail = new Uint8Array(128);

function compress(bytes: Uint8Array, start: number): void {
  const w = schedule, k = constants;
  for (let i = 0, at = start; i < 16; i++, at += 4) {
    w[i] = (bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3];
  }
  for (let i = 16; i < 64; i++) {
    const x = w[i - 15], y = w[i - 2];
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    w[i] = (w[i - 16] + s0 + w[i - 7] + s1) | 0;
  }
  let a = state[0], b = state[1], c = state[2], d = state[3];
  let e = state[4], f = state[5], g = state[6], h = state[7];
  for (let i = 0; i < 64; i++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + k[i] + w[i]) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  state[0] = (state[0] + a) | 0;
  state[1] = (state[1] + b) | 0;
  state[2] = (state[2] + c) | 0;
  state[3] = (state[3] + d) | 0;
  state[4] = (state[4] + e) | 0;
  state[5] = (state[5] + f) | 0;
  state[6] = (state[6] + g) | 0;
  state[7] = (state[7] + h) | 0;
}

function hash(bytes: Uint8Array): void {
  state.set(initial);
  const whole = bytes.length & ~63;
  for (let at = 0; at < whole; at += 64) compress(bytes, at);
  const rest = bytes.length - whole;
  tail.fill(0);
  for (let index = 0; index < rest; index++) tail[index] = bytes[whole + index];
  tail[rest] = 0x80;
  const end = rest < 56 ? 64 : 128;
  for (let index = end - 1, bits = bytes.length * 8; bits > 0; index--) {
    tail[index] = bits % 256;
    bits = Math.floor(bits / 256);
  }
  compress(tail, 0);
  if (end === 128) compress(tail, 64);
}

/** Returns the 32 bytes of the SHA-256 of `bytes`. */
export function sha256(bytes: Uint8Array): Uint8Array {
  hash(bytes);
  const result = new Uint8Array(32);
  const view = new DataView(result.buffer);
  for (let index = 0; index < 8; index++) view.setInt32(index * 4, state[index]);
  return result;
}

/** Returns the first 16 bytes of the SHA-256 of `bytes` as four words of 32 bits, most significant first. */
export function sha256Words(bytes: Uint8Array, words: Uint32Array): void {
  hash(bytes);
  for (let index = 0; index < 4; index++) words[index] = state[index];
}

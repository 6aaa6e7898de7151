import { RoostError } from "./errors.ts";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

function crc32(text: string): number {
  let crc = -1;
  for (let index = 0; index < text.length; index++) {
    crc ^= text.charCodeAt(index);
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

/** Completes 30 characters to a token by their check digits (protocol.md §8.3). */
function withCheck(text: string): string {
  let check = "", rest = crc32(text);
  for (let index = 0; index < 6; index++) {
    check = alphabet[rest % 62] + check;
    rest = Math.floor(rest / 62);
  }
  return text + check;
}

/** Whether a text has the form of a token of a kind: `d` for a device, `i` for an invite, `a` for the admin. */
export function isToken(text: string, kind: "d" | "i" | "a"): boolean {
  return new RegExp(`^roost_${kind}_[0-9A-Za-z]{36}$`).test(text) && withCheck(text.slice(0, -6)) === text;
}

/** Makes a device token at random, to be proposed to the server. */
export function newToken(random: (count: number) => Uint8Array): string {
  let text = "roost_d_";
  while (text.length < 38) {
    for (const byte of random(64)) if (byte < 248 && text.length < 38) text += alphabet[byte % 62];
  }
  return withCheck(text);
}

/** Checks the address of a server: https, or http to an address of this machine. Returns it without a final slash. */
export function checkServer(text: string): string {
  let url: URL | undefined;
  try {
    url = new URL(text);
  } catch {
    url = undefined;
  }
  const isLocal = url !== undefined && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url === undefined || (url.protocol !== "https:" && !(url.protocol === "http:" && isLocal))) {
    throw new RoostError(
      "malformed_link",
      "Cannot use the address of the server: it is not https.",
      "Ask for a link that begins with https://.",
    );
  }
  if (url.username !== "" || url.password !== "" || url.search !== "") {
    throw new RoostError(
      "malformed_link",
      "Cannot use the address of the server: it has more than a host.",
      "Correct it.",
    );
  }
  return url.origin + url.pathname.replace(/\/+$/, "");
}

/** Reads an invite link, `https://host[:port]/join#TOKEN`. */
export function readLink(link: string): { server: string; invite: string } {
  const hash = link.trim().indexOf("#");
  const address = hash < 0 ? "" : link.trim().slice(0, hash), invite = link.trim().slice(hash + 1);
  if (!/\/join\/?$/.test(address)) {
    throw new RoostError(
      "malformed_link",
      "Cannot read the link: it is not of the form https://host/join#….",
      "Copy the whole link.",
    );
  }
  if (!isToken(invite, "i")) {
    throw new RoostError(
      "malformed_link",
      "Cannot read the link: its last part is no invite, or was copied in part.",
      "Copy the whole link.",
    );
  }
  return { server: checkServer(address.replace(/\/join\/?$/, "")), invite };
}

/**
 * Places of records in an order: a list of whole numbers, each written as a character of `0-9A-Za-z` (Docs/schema.md
 * §7), so that the texts sort as the lists do. `6` to `t` are -25 to 24. `u` to `z` announce 1 to 6 digits of base 62
 * that count from 25 on, beyond what fewer digits hold; `5` down to `0` are the same for -26 and below.
 */
const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** The first distance from 25 that `count` digits stand for. */
function first(count: number): number {
  let sum = 0;
  for (let each = 1; each < count; each++) sum += 62 ** each;
  return sum;
}

function read(text: string): number[] | undefined {
  const numbers: number[] = [];
  for (let index = 0; index < text.length;) {
    const head = digits.indexOf(text[index++]);
    if (head < 0) return undefined;
    const count = head > 55 ? head - 55 : head < 6 ? 6 - head : 0;
    let rest = 0;
    for (let each = 0; each < count; each++) {
      const digit = index < text.length ? digits.indexOf(text[index++]) : -1;
      if (digit < 0) return undefined;
      rest = rest * 62 + (head < 6 ? 61 - digit : digit);
    }
    numbers.push(count === 0 ? head - 31 : head > 55 ? 25 + first(count) + rest : -26 - first(count) - rest);
  }
  return numbers.length > 0 ? numbers : undefined;
}

function write(numbers: number[]): string {
  return numbers.map((number) => {
    if (number >= -25 && number <= 24) return digits[number + 31];
    const distance = number > 0 ? number - 25 : -26 - number;
    let count = 1;
    while (distance >= first(count + 1)) count++;
    let text = "", rest = distance - first(count);
    for (let each = 0; each < count; each++) {
      const digit = rest % 62;
      text = digits[number > 0 ? digit : 61 - digit] + text;
      rest = Math.floor(rest / 62);
    }
    return digits[number > 0 ? 55 + count : 6 - count] + text;
  }).join("");
}

/** Returns a place between two others; `undefined` where one of them is no place, or they are not in order. */
export function placeBetween(before: string | undefined, after: string | undefined): string | undefined {
  const low = before === undefined ? undefined : read(before), high = after === undefined ? undefined : read(after);
  if ((before !== undefined && low === undefined) || (after !== undefined && high === undefined)) return undefined;
  if (low === undefined) return write([high === undefined ? 0 : high[0] - 1]);
  if (high === undefined) return write([low[0] + 1]);
  if (before! >= after!) return undefined;
  let index = 0;
  while (index < low.length && low[index] === high[index]) index++;
  const prefix = low.slice(0, index);
  if (index === low.length) return write([...prefix, high[index] - 1]);
  if (low[index] + 1 < high[index]) return write([...prefix, low[index] + 1]);
  return write([...prefix, low[index], index + 1 < low.length ? low[index + 1] + 1 : 0]);
}

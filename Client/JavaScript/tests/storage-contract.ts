import type { Storage } from "../src/storage/storage.ts";

/** The contract of every storage, as checks that run in Node, in Deno and in a browser. */
export interface Contract {
  name: string;
  /** Opens the storage of this test once more, as another tab or a later program does. */
  check(open: () => Promise<Storage>): Promise<void>;
}

const entry = (...bytes: number[]) => new Uint8Array(bytes);

function expect(isTrue: boolean, what: string): void {
  if (!isTrue) throw new Error(what);
}

async function read(storage: Storage, known = 0): Promise<{ last: number; texts: string[] }> {
  let texts: string[] = [];
  const last = await storage.commit(known, (newer) => {
    texts = newer.map((each) => `${each.number}:${[...each.bytes].join()}`);
    return undefined;
  });
  return { last, texts };
}

export const contracts: Contract[] = [
  {
    name: "a new storage is empty",
    async check(open) {
      const { last, texts } = await read(await open());
      expect(last === 0 && texts.length === 0, `it has ${texts}`);
    },
  },
  {
    name: "entries are numbered in order and read back after it was opened again",
    async check(open) {
      let storage = await open();
      expect(await storage.commit(0, () => ({ append: [entry(1), entry(2, 2)] })) === 2, "the last number is not 2");
      expect(await storage.commit(2, () => ({ append: [entry()] })) === 3, "the last number is not 3");
      storage.close();
      storage = await open();
      const { last, texts } = await read(storage);
      expect(last === 3 && texts.join(" ") === "1:1 2:2,2 3:", `it has ${texts}`);
      expect((await read(storage, 2)).texts.join() === "3:", "it does not pass over known entries");
      storage.close();
    },
  },
  {
    name: "a decision that throws stores nothing and its error is passed on",
    async check(open) {
      const storage = await open();
      await storage.commit(0, () => ({ append: [entry(1)] }));
      let message = "";
      await storage.commit(1, () => {
        throw new RangeError("no");
      }).catch((error) => message = String(error.cause ?? error));
      expect(/no$/.test(message), `the error is ${message}`);
      expect((await read(storage)).texts.length === 1, "something was stored");
      storage.close();
    },
  },
  {
    name: "a snapshot replaces all entries, and numbers go on",
    async check(open) {
      const storage = await open();
      await storage.commit(0, () => ({ append: [entry(1), entry(2)] }));
      const last = await storage.commit(2, () => ({ append: [entry(9)], replacesAll: true }));
      expect(last === 3, `the last number is ${last}`);
      expect((await read(storage)).texts.join() === "3:9", "the old entries are there");
      expect((await read(storage, 1)).texts.join() === "3:9", "who knew an old entry does not get the snapshot");
      storage.close();
    },
  },
  {
    name: "concurrent commits follow one another",
    async check(open) {
      const storage = await open();
      const append = (byte: number) => storage.commit(0, (newer) => ({ append: [entry(byte, newer.length)] }));
      const numbers = await Promise.all([append(1), append(2), append(3)]);
      expect(numbers.join() === "1,2,3", `the numbers are ${numbers}`);
      expect((await read(storage)).texts.join(" ") === "1:1,0 2:2,1 3:3,2", "one did not see the other");
      storage.close();
    },
  },
  {
    name: "an entry of 4 MiB is stored whole",
    async check(open) {
      const storage = await open();
      const large = new Uint8Array(4 << 20).map((_, index) => index % 251);
      await storage.commit(0, () => ({ append: [large] }));
      let found = new Uint8Array() as Uint8Array;
      await storage.commit(0, (newer) => {
        found = newer[0].bytes;
        return undefined;
      });
      expect(found.length === large.length && found.every((byte, index) => byte === large[index]), "bytes differ");
      storage.close();
    },
  },
  {
    name: "a closed storage refuses",
    async check(open) {
      const storage = await open();
      storage.close();
      let code = "";
      await read(storage).catch((error) => code = error.code);
      expect(code === "closed", `the code is ${code}`);
    },
  },
];

/** For storages that several tabs have open at once. */
export const sharedContracts: Contract[] = [
  {
    name: "what one tab stores, another one reads before it decides",
    async check(open) {
      const one = await open(), two = await open();
      await one.commit(0, () => ({ append: [entry(1)] }));
      let seen = 0;
      const last = await two.commit(0, (newer) => {
        seen = newer.length;
        return { append: [entry(2)] };
      });
      expect(seen === 1 && last === 2, `it saw ${seen}`);
      expect((await read(one, 1)).texts.join() === "2:2", "the first one does not read it");
      one.close();
      two.close();
    },
  },
];

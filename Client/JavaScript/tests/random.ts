/** SplitMix64, so that a failure is repeated from its seed. */
export class Random {
  #state: bigint;

  constructor(seed: number) {
    this.#state = BigInt(seed);
  }

  next(): bigint {
    this.#state = BigInt.asUintN(64, this.#state + 0x9e3779b97f4a7c15n);
    let z = this.#state;
    z = BigInt.asUintN(64, (z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
    z = BigInt.asUintN(64, (z ^ (z >> 27n)) * 0x94d049bb133111ebn);
    return z ^ (z >> 31n);
  }

  /** A whole number from 0 and below `bound`. */
  below(bound: number): number {
    return Number(this.next() % BigInt(bound));
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)];
  }
}

/** A wake-up that is remembered until it is consumed. */
export class Wake {
  #isSignalled = false;
  #resolve: () => void = () => undefined;
  #promise: Promise<void>;

  constructor() {
    this.#promise = new Promise((resolve) => this.#resolve = resolve);
  }

  signal(): void {
    this.#isSignalled = true;
    this.#resolve();
  }

  /** Resolves with the next wake-up, at once if there was one since `consume`. */
  get promise(): Promise<void> {
    return this.#promise;
  }

  consume(): void {
    if (!this.#isSignalled) return;
    this.#isSignalled = false;
    this.#promise = new Promise((resolve) => this.#resolve = resolve);
  }

  /**
   * Waits for a wake-up, so many milliseconds at most.
   *
   * @param isPause Whether a wake-up shortens the wait to no less than half a second, as after a failure.
   */
  async wait(milliseconds: number, signal: AbortSignal, isPause = false): Promise<void> {
    const began = Date.now();
    await pause(milliseconds, signal, this.#promise);
    this.consume();
    const rest = Math.min(500, milliseconds) - (Date.now() - began);
    if (isPause && rest > 0) await pause(rest, signal);
  }
}

/** Waits so many milliseconds, until the signal aborts, or until a promise resolves. */
export function pause(milliseconds: number, signal: AbortSignal, until?: Promise<unknown>): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, Math.min(milliseconds, 2 ** 31 - 1));
    signal.addEventListener("abort", end, { once: true });
    void until?.then(end);
  });
}

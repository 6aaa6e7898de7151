/** Coordination of the tabs that have one replica open. */
export interface Coordination {
  /** Runs `work` while no other tab does. Waits until then, or until the signal aborts. */
  lead(signal: AbortSignal, work: () => Promise<void>): Promise<void>;
  /** Tells the other tabs that something was stored. */
  announce(): void;
  /** Calls `listener` when another tab has stored something. */
  listen(listener: () => void): void;
  close(): void;
}

/** For a storage that only this program has open. */
export const alone: Coordination = {
  lead: (_signal, work) => work(),
  announce: () => undefined,
  listen: () => undefined,
  close: () => undefined,
};

/** Web Locks elect the tab that synchronises, and a BroadcastChannel notifies the others. */
export class TabCoordination implements Coordination {
  readonly #name: string;
  readonly #channel: BroadcastChannel;

  constructor(name: string) {
    this.#name = `roost-${name}`;
    this.#channel = new BroadcastChannel(this.#name);
  }

  /** Lists the capabilities for several tabs that a platform lacks. */
  static missing(): string[] {
    const missing: string[] = [];
    if (globalThis.navigator?.locks === undefined) missing.push("Web Locks");
    if (typeof BroadcastChannel === "undefined") missing.push("BroadcastChannel");
    return missing;
  }

  async lead(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    try {
      await navigator.locks.request(this.#name, { signal }, work);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  announce(): void {
    this.#channel.postMessage(0);
  }

  listen(listener: () => void): void {
    this.#channel.onmessage = listener;
  }

  close(): void {
    this.#channel.close();
  }
}

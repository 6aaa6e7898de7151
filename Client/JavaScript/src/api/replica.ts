import { hex } from "../bytes/binary.ts";
import { RoostError } from "../protocol/errors.ts";
import { checkServer, readLink } from "../protocol/link.ts";
import { Transport } from "../protocol/transport.ts";
import type { EntityType, RecordOf } from "../query/entities.ts";
import { Fetcher, type FetchOptions, type ObserveOptions } from "../query/fetching.ts";
import type { Update } from "../query/observation.ts";
import { type Environment, ReplicaCore } from "../replica/core.ts";
import type { HistoryStep, Operation } from "../replica/operations.ts";
import { seal } from "../replica/pushing.ts";
import { journalPut } from "../replica/settlement.ts";
import { Transaction } from "../replica/transaction.ts";
import { IndexedDBStorage } from "../storage/indexeddb.ts";
import type { Storage } from "../storage/storage.ts";
import { rotateToken } from "../session/identity.ts";
import { Session, type SessionState } from "../session/session.ts";
import { alone, type Coordination, TabCoordination } from "./coordination.ts";
import { type Explanation, Journal, type JournalEntry } from "./journal.ts";
import { joinScope, makeScope, type Registered, rejoinScope } from "./joining.ts";
import { Membership } from "./membership.ts";
import { UndoHistory } from "./undo.ts";

export interface ReplicaOptions {
  /** Names the replica in this browser, where several are kept. `roost` where it is left out. */
  name?: string;
  /** Where the replica is kept. IndexedDB where it is left out. */
  storage?: Storage;
  /** Whether the replica synchronises by itself. True where it is left out. */
  synchronises?: boolean;
  /** The most bytes of pages that one pull may bring, 512 MiB where it is left out. */
  pullBytesMax?: number;
  /** Replaces the platform's `fetch`. */
  fetch?: typeof fetch;
  /** Replaces the clock and the random numbers, for tests. */
  environment?: Environment;
}

export interface JoinOptions extends ReplicaOptions {
  /** The name of this device as the other members see it. */
  device: string;
  signal?: AbortSignal;
}

export interface CreateOptions extends JoinOptions {
  server: string;
  adminToken: string;
  /** The name of the scope. */
  scopeName: string;
  /** The text of the schema file. */
  schema: string;
  /** The identifier of a scope whose server has lost its data. */
  scope?: string;
}

/** The state of a replica. */
export interface ReplicaStatus {
  /** `otherTab` where another tab of this browser synchronises. */
  readonly state: SessionState | "otherTab";
  readonly error: RoostError | undefined;
  /** Why local changes are not pushed although everything is pulled. */
  readonly pushError: RoostError | undefined;
  /** Local changes that the server has not acknowledged. */
  readonly pendingChanges: number;
  readonly isResynchronising: boolean;
  /** Records that the server has lost and that wait to be brought back. */
  readonly lostRecords: number;
  readonly synchronised: number | undefined;
  readonly server: string;
  readonly scope: string;
  readonly scopeName: string;
  /** 16 hexadecimal digits. */
  readonly replica: string;
  readonly device: string;
  readonly role: string;
  readonly schemaVersion: number;
  /** Whether the browser has promised to keep the storage; `undefined` where it was not asked, or has not answered. */
  readonly isPersisted: boolean | undefined;
}

const platform: Environment = {
  now: () => Date.now(),
  random: (count) => crypto.getRandomValues(new Uint8Array(count)),
};

/**
 * A replica of a scope: complete, writable and readable without a server.
 *
 *     const replica = await Replica.join(link, { device: "Ana's phone" });
 *     await replica.write("Add dinner", (tx) => tx.insert(Spending, { content: "Dinner", amount: 30_00 }));
 *     for await (const update of replica.observe(Spending)) render(update.records);
 */
export class Replica {
  readonly #core: ReplicaCore;
  readonly #fetcher: Fetcher;
  readonly #coordination: Coordination;
  readonly #options: ReplicaOptions;
  #transport: Transport;
  readonly #undo: UndoHistory;
  readonly #journal: Journal;
  readonly #stop = new AbortController();
  #sessionStop = new AbortController();
  readonly #statusListeners = new Set<() => void>();
  #session: Session | undefined;
  #run: Promise<void> | undefined;
  #isPersisted: boolean | undefined;

  /** Joins a scope by an invite link, and starts to synchronise. */
  static join(link: string, options: JoinOptions): Promise<Replica> {
    return Replica.#make(options, async (core) => {
      const { server, invite } = readLink(link);
      return joinScope(core, new Transport(server, options.fetch), invite, options.device, options.signal);
    });
  }

  /** Makes a scope, whose owner this device is. It needs the admin token of the server. */
  static create(options: CreateOptions): Promise<Replica> {
    return Replica.#make(options, async (core) => {
      const server = checkServer(options.server);
      return makeScope(core, new Transport(server, options.fetch), options);
    });
  }

  /** Opens a replica that this browser or storage has. Fails with `not_joined` where there is none. */
  static async open(options: ReplicaOptions = {}): Promise<Replica> {
    const { core, coordination } = await Replica.#openCore(options);
    if (!core.isEmpty) return new Replica(core, coordination, options);
    await core.close();
    coordination.close();
    throw new RoostError("not_joined", "Cannot open the replica: there is none of this name.", "Join with a link.");
  }

  static async #make(
    options: ReplicaOptions,
    register: (core: ReplicaCore) => Promise<Registered>,
  ): Promise<Replica> {
    const { core, coordination } = await Replica.#openCore(options);
    try {
      if (!core.isEmpty) {
        throw new RoostError("invalid_value", "Cannot join: there is a replica of this name.", "Open it.");
      }
      const { operations } = await register(core);
      await core.commit(() => ({ operations, result: undefined }), "local");
    } catch (error) {
      await core.close();
      coordination.close();
      throw error;
    }
    return new Replica(core, coordination, options);
  }

  static async #openCore(options: ReplicaOptions): Promise<{ core: ReplicaCore; coordination: Coordination }> {
    if (typeof globalThis.crypto?.getRandomValues !== "function") Replica.#refuse(["random numbers"]);
    const name = options.name ?? "roost";
    if (options.storage === undefined) {
      const missing = TabCoordination.missing();
      if (missing.length > 0) Replica.#refuse(missing);
    }
    const storage = options.storage ?? await IndexedDBStorage.open(name);
    const isShared = storage instanceof IndexedDBStorage && TabCoordination.missing().length === 0;
    const core = await ReplicaCore.open(storage, options.environment ?? platform);
    return { core, coordination: isShared ? new TabCoordination(name) : alone };
  }

  static #refuse(missing: string[]): never {
    throw new RoostError(
      "missing_capability",
      `Cannot open a replica: there is no ${missing.join(" and no ")} here.`,
      "Open the page over https or from localhost, in a current browser.",
    );
  }

  private constructor(core: ReplicaCore, coordination: Coordination, options: ReplicaOptions) {
    this.#core = core;
    this.#coordination = coordination;
    this.#fetcher = new Fetcher(core);
    this.#undo = new UndoHistory(core, this.#fetcher);
    this.#journal = new Journal(this.#fetcher);
    this.#options = options;
    this.#transport = new Transport(core.model.control.server, options.fetch);
    core.listen(({ origin }) => {
      if (origin !== "tab") coordination.announce();
      this.#statusChanged();
    });
    coordination.listen(() => {
      void core.refresh().then(() => this.#session?.wake(), () => undefined);
    });
    globalThis.addEventListener?.("online", this.#wakeUp);
    globalThis.document?.addEventListener?.("visibilitychange", this.#wakeUp);
    void this.#persist();
    if (options.synchronises ?? true) this.#start();
  }

  readonly #wakeUp = (): void => this.#session?.wake();

  async #persist(): Promise<void> {
    try {
      this.#isPersisted = await globalThis.navigator?.storage?.persist?.();
    } catch {
      // The platform has the method and does not allow it here. The status then says that it is not known.
    }
  }

  #start(): void {
    const { signal } = this.#sessionStop = new AbortController();
    this.#run = this.#coordination.lead(signal, async () => {
      if (signal.aborted) return;
      await this.#core.refresh();
      const onStatus = () => this.#statusChanged();
      this.#session = new Session(this.#core, this.#transport, signal, onStatus, this.#options.pullBytesMax);
      await this.#session.run();
      this.#session = undefined;
    }).catch(() => undefined);
  }

  #statusChanged(): void {
    for (const listener of [...this.#statusListeners]) listener();
  }

  // Reading

  /** Fetches records as they are now, with what is not synchronised yet. */
  async fetch<Fields>(type: EntityType<Fields>, options: FetchOptions<Fields> = {}): Promise<RecordOf<Fields>[]> {
    return this.#fetcher.fetch(type, options);
  }

  async count<Fields>(type: EntityType<Fields>, options: FetchOptions<Fields> = {}): Promise<number> {
    return this.#fetcher.count(type, options);
  }

  /** Returns one record; `undefined` where it is not shown. */
  async get<Fields>(type: EntityType<Fields>, id: string): Promise<RecordOf<Fields> | undefined> {
    return this.#fetcher.get(type, id);
  }

  /** Returns the records now and after each change, until the loop ends or the signal aborts. */
  observe<Fields>(
    type: EntityType<Fields>,
    options: ObserveOptions<Fields> = {},
  ): AsyncIterableIterator<Update<RecordOf<Fields>>> {
    return this.#fetcher.observe(type, options);
  }

  // Writing

  /**
   * Makes changes that are stored together and sent together, or not at all.
   *
   * The promise resolves once they are durable on this device. `body` must not wait. If it throws, nothing is changed.
   *
   * @param label Names the transaction for undo and the journal.
   */
  async write<Result>(label: string, body: (tx: Transaction) => Result): Promise<Result> {
    return this.#write(label, body, (id, tx) => this.#undo.record(id, label, tx.steps));
  }

  async #write<Result>(
    label: string,
    body: (tx: Transaction) => Result,
    history: (id: number, tx: Transaction) => Operation[],
  ): Promise<Result> {
    const { model, environment } = this.#core;
    const result = await this.#core.commit(() => {
      const tx = new Transaction(this.#core, this.#fetcher);
      let result: Result;
      try {
        result = body(tx);
        if (result instanceof Promise) {
          result.catch(() => undefined);
          throw new RoostError("invalid_value", "Cannot write: the function waits.", "Wait before calling write.");
        }
      } catch (error) {
        tx.rollBack();
        model.settle();
        model.takeChanged();
        throw error;
      }
      tx.end();
      const changes = tx.changes;
      if (changes.length === 0) return { operations: [], result };
      const id = model.control.nextTransaction;
      const transaction = { id, label: label.slice(0, 200), time: environment.now(), changes };
      const operations: Operation[] = [
        { kind: "outboxAdd", transaction },
        { kind: "control", values: { nextTransaction: id + 1, clock: String(model.clock.last) } },
        ...history(id, tx),
      ];
      const isSealed = this.#session?.isIdle && model.sealed === undefined && model.outbox.length === 0;
      const push = isSealed && model.control.renewal === undefined ? seal(model, [transaction]) : undefined;
      if (push !== undefined) operations.push({ kind: "sealed", push });
      return { operations, result, isApplied: true, rollBack: () => tx.rollBack() };
    }, "local");
    this.#session?.wake();
    return result;
  }

  /** Undoes the last transaction of this replica. Returns its label; `undefined` if there is none. */
  async undo(): Promise<string | undefined> {
    if (this.#undo.undoable === undefined) return undefined;
    let step: HistoryStep | undefined;
    await this.#write("Undo", (tx) => {
      step = this.#undo.undoable;
      if (step !== undefined) this.#undo.revert(step, tx, "undo");
    }, (id, tx) => [
      ...this.#undo.record(id, step!.label, tx.steps, "undoing").map((each) =>
        each.kind === "history" ? { ...each, step: { ...each.step, undoes: step!.id } } : each
      ),
      { kind: "history", step: { ...step!, state: "undone" } },
    ]);
    return step?.label;
  }

  /** Redoes what was undone last, unless something else was written since. Returns its label. */
  async redo(): Promise<string | undefined> {
    if (this.#undo.redoable === undefined) return undefined;
    let found: { undone: HistoryStep; undoing: HistoryStep } | undefined;
    await this.#write("Redo", (tx) => {
      found = this.#undo.redoable;
      if (found !== undefined) this.#undo.revert({ ...found.undoing, label: found.undone.label }, tx, "redo");
    }, (id, tx) => [
      ...this.#undo.record(id, found!.undone.label, tx.steps, "redone"),
      { kind: "history", step: { ...found!.undoing, state: "redone" } },
      { kind: "history", step: { ...found!.undone, state: "done" } },
    ]);
    return found?.undone.label;
  }

  // Journal

  /**
   * Lists the outcomes of changes that are not current: beaten, refused, lost, hidden, kept and unfit.
   *
   * @param options With `all`, beaten changes too whose content another change has that stands.
   */
  async journal(options: { all?: boolean } = {}): Promise<JournalEntry[]> {
    return this.#journal.entries(options.all ?? false);
  }

  /** Deleted records that can be undeleted. */
  async deleted(): Promise<ReturnType<Journal["deleted"]>> {
    return this.#journal.deleted();
  }

  /** Writes the content of a journal entry as a new change; for a delete, deletes the record again. */
  async restore(number: number): Promise<void> {
    await this.write("Restore", (tx) => {
      const entry = this.#journal.entry(number);
      const put = journalPut(entry);
      if (put === undefined) tx.removeRecord(entry.entity, entry.id);
      else tx.restore(entry.entity, entry.id, put);
    });
  }

  /** Brings a deleted record back, with what its delete hid. */
  async undelete(type: EntityType<unknown>, id: string): Promise<void> {
    await this.write("Undelete", (tx) => tx.undelete(type, id));
  }

  /** Says why a record is shown or not. */
  async explain(type: EntityType<unknown>, id: string): Promise<Explanation> {
    return this.#journal.explain(type, id);
  }

  // Synchronising

  status(): ReplicaStatus {
    const { control, outbox, lost } = this.#core.model;
    const session = this.#session?.status;
    return {
      state: session?.state ?? (this.#run === undefined || this.#core.isClosed ? "stopped" : "otherTab"),
      error: session?.error,
      pushError: session?.pushError,
      pendingChanges: outbox.reduce((sum, transaction) => sum + transaction.changes.length, 0),
      isResynchronising: control.resync !== undefined,
      lostRecords: lost.size,
      synchronised: session?.synchronised,
      server: control.server,
      scope: control.scope,
      scopeName: control.scopeName,
      replica: hex(control.replica),
      device: control.device,
      role: control.role,
      schemaVersion: control.schemaVersion,
      isPersisted: this.#isPersisted,
    };
  }

  /** Calls `listener` when the status may have changed. Returns a function that ends that. */
  onStatus(listener: () => void): () => void {
    this.#statusListeners.add(listener);
    return () => this.#statusListeners.delete(listener);
  }

  /**
   * Resolves once everything written so far is on the server.
   *
   * @throws RoostError if a user's action is required first, or the signal aborts.
   */
  async synced(options: { signal?: AbortSignal } = {}): Promise<void> {
    const { model } = this.#core;
    const last = model.control.nextTransaction - 1;
    const isDone = () => !model.outbox.some((transaction) => transaction.id <= last);
    await new Promise<void>((resolve, reject) => {
      const aborted = () => end(new RoostError("aborted", "The wait was aborted.", "What was written is kept."));
      const check = () => {
        const { error, pushError, state } = this.status();
        if (isDone()) end();
        else if (this.#core.isClosed) end(new RoostError("closed", "The replica is closed.", "Open it again."));
        else if (state === "blocked" && error !== undefined) end(error);
        else if (pushError !== undefined) end(pushError);
      };
      const unlisten = this.onStatus(check);
      const end = (error?: unknown) => {
        unlisten();
        options.signal?.removeEventListener("abort", aborted);
        if (error === undefined) resolve();
        else reject(error);
      };
      options.signal?.addEventListener("abort", aborted);
      if (options.signal?.aborted) aborted();
      else check();
    });
  }

  /** Pushes and pulls everything once, for a replica that does not synchronise by itself. */
  async synchronise(options: { signal?: AbortSignal; attempts?: number } = {}): Promise<void> {
    if (this.#run !== undefined && !this.#core.isClosed) {
      // The session of this tab, or of another one, does it.
      this.#session?.wake(true);
      this.#coordination.announce();
      return this.synced(options);
    }
    const stop = new AbortController();
    const abort = () => stop.abort();
    options.signal?.addEventListener("abort", abort);
    this.#stop.signal.addEventListener("abort", abort);
    try {
      await this.#coordination.lead(stop.signal, async () => {
        await this.#core.refresh();
        const { pullBytesMax } = this.#options;
        await new Session(this.#core, this.#transport, stop.signal, undefined, pullBytesMax).once(options.attempts);
      });
    } finally {
      options.signal?.removeEventListener("abort", abort);
      this.#stop.signal.removeEventListener("abort", abort);
    }
  }

  /** Retries now, after a user's action has removed the cause of a block. */
  retry(): void {
    this.#session?.wake(true);
  }

  /** The digest of the confirmed slots, 32 hexadecimal digits, to be compared with that of other devices. */
  digest(): string {
    return this.#core.model.control.digest;
  }

  /** Attaches the replica to its scope again by a new invite, as after a revocation (protocol.md §6.2). */
  async rejoin(link: string): Promise<void> {
    const { server, invite } = readLink(link);
    const isRunning = this.#run !== undefined;
    const isMoved = server !== this.#transport.server;
    const transport = isMoved ? new Transport(server, this.#options.fetch) : this.#transport;
    await rejoinScope(this.#core, transport, invite);
    if (!isMoved) return this.#session?.wake(true);
    this.#transport = transport;
    this.#sessionStop.abort();
    await this.#run;
    if (isRunning && !this.#stop.signal.aborted) this.#start();
  }

  /** Replaces the token by which the server knows this replica, as after somebody may have seen it. */
  rotateToken(): Promise<void> {
    return rotateToken(this.#core, this.#transport);
  }

  /** Invites, devices, roles and the schema of the scope. */
  get membership(): Membership {
    return new Membership(this.#core, this.#transport);
  }

  /** Ends synchronisation and closes the storage. */
  async close(): Promise<void> {
    this.#stop.abort();
    this.#sessionStop.abort();
    globalThis.removeEventListener?.("online", this.#wakeUp);
    globalThis.document?.removeEventListener?.("visibilitychange", this.#wakeUp);
    await this.#run;
    await this.#core.close();
    this.#coordination.close();
    this.#statusChanged();
  }
}

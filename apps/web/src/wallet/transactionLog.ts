import type { TransactionReference } from "@purse/client";

export type LoggedStatus = "submitted" | "seen" | "confirmed" | "reverted" | "replaced" | "dropped";

/** A transaction that this browser has sent, with its last known status. */
export interface LoggedTransaction {
  reference: TransactionReference;
  /** Calls that were sent together: `reference.hash` is the wallet's ID of them until their transaction is known. */
  isCalls?: true;
  /** A label for users: "Send 1.5 ETH". */
  label: string;
  /** ms since 1970. */
  sentAt: number;
  status: LoggedStatus;
  confirmations: number;
  /** Statuses that the user was already notified of. Each is notified once, across reloads and tabs. */
  announced: readonly LoggedStatus[];
}

/** The number of confirmations after which a transaction counts as final. */
export const FINAL_CONFIRMATIONS = 12;

const MAX_ROWS = 50;
const STATUSES: readonly string[] = ["submitted", "seen", "confirmed", "reverted", "replaced", "dropped"];

/** Web Locks; unavailable on insecure origins. */
export type Locks = Pick<LockManager, "request">;

/**
 * The transactions that an address has sent from this browser, newest first. They are kept in its storage, so they
 * survive reloads and are shared by all tabs.
 */
export class TransactionLog {
  readonly #storage: Storage;
  readonly #locks: Locks | undefined;
  readonly #key: string;
  readonly #listeners = new Set<() => void>();
  #text: string | null = null;
  #rows: readonly LoggedTransaction[] = [];

  constructor(storage: Storage, owner: string, locks?: Locks) {
    this.#storage = storage;
    this.#locks = locks;
    this.#key = `purse.transactions.${owner.toLowerCase()}`;
  }

  /** Returns the same array until it changes. */
  readonly get = (): readonly LoggedTransaction[] => {
    const text = this.#storage.getItem(this.#key);
    if (text !== this.#text) {
      this.#text = text;
      this.#rows = parseRows(text);
    }
    return this.#rows;
  };

  readonly subscribe = (listener: () => void): (() => void) => {
    const other = (event: StorageEvent) => (event.key === this.#key || event.key === null) && listener();
    this.#listeners.add(listener);
    window.addEventListener("storage", other);
    return () => {
      this.#listeners.delete(listener);
      window.removeEventListener("storage", other);
    };
  };

  find(hash: string): LoggedTransaction | undefined {
    return this.get().find(({ reference }) => reference.hash === hash);
  }

  add(reference: TransactionReference, label: string, kind: Pick<LoggedTransaction, "isCalls"> = {}): void {
    const row: LoggedTransaction = {
      reference,
      ...kind,
      label,
      sentAt: Date.now(),
      status: "submitted",
      confirmations: 0,
      announced: [],
    };
    this.#write([row, ...this.get().filter((each) => each.reference.hash !== reference.hash)]);
  }

  /** Replaces calls by their transaction, or removes them. Returns false if they are not in the log, or no longer. */
  settleCalls(id: string, hash?: string): boolean {
    const calls = this.get().find((row) => row.isCalls && row.reference.hash === id);
    if (!calls) return false;
    const { isCalls: _, ...row } = calls;
    const others = this.get().filter((each) => each !== calls);
    const isKnown = others.some(({ reference }) => reference.hash === hash);
    const settled = hash === undefined || isKnown ? [] : [{ ...row, reference: { ...row.reference, hash } }];
    this.#write([...settled, ...others]);
    return true;
  }

  /** Stores the observed status of a transaction. */
  observe(hash: string, status: LoggedStatus, confirmations: number): void {
    this.#change(hash, (row) => applyStatus(row, status, confirmations));
  }

  /**
   * Whether this page should notify the user of a status. Returns true once per status of a transaction, across tabs
   * and reloads.
   */
  async reserveNotification(hash: string, status: LoggedStatus): Promise<boolean> {
    if (!this.#locks) return this.#reserve(hash, status);
    return new Promise((resolve, reject) => {
      this.#locks
        ?.request(`${this.#key}/${hash}/${status}`, { ifAvailable: true }, async (lock) => {
          const isReserved = lock !== null && this.#reserve(hash, status);
          resolve(isReserved);
          // Storage writes reach other tabs with a delay, so the lock is held as long as the page is open.
          if (isReserved) await new Promise(() => {});
        })
        .catch(reject);
    });
  }

  #reserve(hash: string, status: LoggedStatus): boolean {
    const before = this.find(hash);
    if (!before || before.announced.includes(status)) return false;
    this.#change(hash, (row) => ({ ...row, announced: [...row.announced, status] }));
    return true;
  }

  #change(hash: string, change: (row: LoggedTransaction) => LoggedTransaction): void {
    const before = this.find(hash);
    const after = before && change(before);
    if (!after || after === before) return;
    this.#write(this.get().map((each) => (each === before ? after : each)));
  }

  #write(rows: readonly LoggedTransaction[]): void {
    try {
      this.#storage.setItem(this.#key, JSON.stringify(rows.slice(0, MAX_ROWS)));
    } catch {
      // The storage is full or blocked: the transaction page still tracks it by its hash.
    }
    for (const listener of [...this.#listeners]) listener();
  }
}

const logs = new Map<string, TransactionLog>();

/** The log of an address, or of a user without one. */
export function transactionLogOf(owner: string): TransactionLog {
  const log = logs.get(owner) ?? new TransactionLog(window.localStorage, owner, navigator.locks);
  logs.set(owner, log);
  return log;
}

/**
 * Applies an observed status; returns the same row if nothing changed. Reorganizations allow any order of statuses,
 * except that `submitted` is the initial status of each tracker and carries no information.
 */
function applyStatus(row: LoggedTransaction, status: LoggedStatus, confirmations: number): LoggedTransaction {
  if (status === "submitted" || (row.status === status && row.confirmations === confirmations)) return row;
  return { ...row, status, confirmations };
}

/** Whether the status will not change any more. */
export function isSettled({ status, confirmations }: LoggedTransaction): boolean {
  return status === "dropped" || confirmations >= FINAL_CONFIRMATIONS;
}

/** The storage may contain data of other versions, so every row is validated. */
function parseRows(text: string | null): LoggedTransaction[] {
  try {
    const rows: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(rows) ? rows.flatMap(parseRow) : [];
  } catch {
    return [];
  }
}

function parseRow(row: unknown): LoggedTransaction[] {
  if (typeof row !== "object" || row === null) return [];
  const { reference, isCalls, label, sentAt, status, confirmations, announced } = Object(row);
  const isValid =
    typeof reference === "object" &&
    typeof reference?.hash === "string" &&
    typeof label === "string" &&
    typeof sentAt === "number" &&
    typeof confirmations === "number" &&
    isStatus(status);
  if (!isValid) return [];
  return [
    {
      reference,
      ...(isCalls === true && { isCalls }),
      label,
      sentAt,
      status,
      confirmations,
      // Earlier versions without this field have notified what they observed.
      announced: Array.isArray(announced) ? announced.filter(isStatus) : ["seen", status],
    },
  ];
}

function isStatus(value: unknown): value is LoggedStatus {
  return typeof value === "string" && STATUSES.includes(value);
}

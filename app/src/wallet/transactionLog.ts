import type { TransactionReference } from "@purse/client";

export type LoggedStatus = "submitted" | "seen" | "confirmed" | "reverted" | "replaced" | "dropped";

/** A transaction that this browser has sent, as it was when it was last looked at. */
export interface LoggedTransaction {
  reference: TransactionReference;
  /** What it does, as people read it: "Send 1.5 ETH". */
  label: string;
  /** ms since 1970. */
  sentAt: number;
  status: LoggedStatus;
  confirmations: number;
  /** The statuses that people were told of. None is announced again, whatever happens to the transaction or the page. */
  announced: readonly LoggedStatus[];
}

/** After so many blocks it is taken for final. */
export const FINAL_CONFIRMATIONS = 12;

const MAX_ROWS = 50;
/** Other tabs may see a write of this one a little later; for so long they are kept from announcing the same, in ms. */
const LOCK_MS = 2_000;
const STATUSES: readonly string[] = ["submitted", "seen", "confirmed", "reverted", "replaced", "dropped"];

/** Web Locks; missing on pages without TLS. */
export type Locks = Pick<LockManager, "request">;

/**
 * The transactions that one address has sent from this browser, newest first. They are in its storage, so a reload goes
 * on with them, and every tab sees what another has sent, seen or announced.
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

  /** The same list until it changes. */
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

  add(reference: TransactionReference, label: string): void {
    const row: LoggedTransaction = {
      reference,
      label,
      sentAt: Date.now(),
      status: "submitted",
      confirmations: 0,
      announced: [],
    };
    this.#write([row, ...this.get().filter((each) => each.reference.hash !== reference.hash)]);
  }

  /** Keeps what was seen of a transaction at a look. */
  observe(hash: string, status: LoggedStatus, confirmations: number): void {
    this.#change(hash, (row) => applyStatus(row, status, confirmations));
  }

  /**
   * Whether this page is the one to tell people of a status: true once for each status of a transaction, in whichever tab
   * and after however many reloads.
   */
  async claimNotification(hash: string, status: LoggedStatus): Promise<boolean> {
    if (!this.#locks) return this.#claim(hash, status);
    return new Promise((resolve, reject) => {
      this.#locks
        ?.request(`${this.#key}/${hash}/${status}`, { ifAvailable: true }, async (lock) => {
          const isClaimed = lock !== null && this.#claim(hash, status);
          resolve(isClaimed);
          if (isClaimed) await new Promise((release) => setTimeout(release, LOCK_MS));
        })
        .catch(reject);
    });
  }

  #claim(hash: string, status: LoggedStatus): boolean {
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
      // A full or forbidden storage: the page of the transaction still follows it by its address.
    }
    for (const listener of [...this.#listeners]) listener();
  }
}

const logs = new Map<string, TransactionLog>();

/** The log of an address, or of a person without one: who comes after them in this browser has another. */
export function transactionLogOf(owner: string): TransactionLog {
  const log = logs.get(owner) ?? new TransactionLog(window.localStorage, owner, navigator.locks);
  logs.set(owner, log);
  return log;
}

/**
 * A row after a look at the chain; the same one where nothing is new. Blocks are undone, so any status may follow any
 * other, but for `submitted`: that is where every follower begins, and after a reload it tells nothing.
 */
export function applyStatus(
  row: LoggedTransaction,
  status: LoggedStatus,
  confirmations: number,
): LoggedTransaction {
  if (status === "submitted" || (row.status === status && row.confirmations === confirmations)) return row;
  return { ...row, status, confirmations };
}

/** Whether nothing more is to be expected of it. */
export function isSettled({ status, confirmations }: LoggedTransaction): boolean {
  return status === "dropped" || confirmations >= FINAL_CONFIRMATIONS;
}

/** What another version of the page, or somebody's hand, may have left there is read with care. */
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
  const { reference, label, sentAt, status, confirmations, announced } = Object(row);
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
      label,
      sentAt,
      status,
      confirmations,
      // Versions that kept no record have announced what they saw.
      announced: Array.isArray(announced) ? announced.filter(isStatus) : ["seen", status],
    },
  ];
}

function isStatus(value: unknown): value is LoggedStatus {
  return typeof value === "string" && STATUSES.includes(value);
}

import type { TransactionReference } from "@purse/client";

export type Outcome = "submitted" | "seen" | "confirmed" | "reverted" | "replaced" | "dropped";

/** A transaction that this browser has sent, as it was when it was last looked at. */
export interface LoggedTransaction {
  reference: TransactionReference;
  /** What it does, as people read it: "Send 1.5 ETH". */
  label: string;
  /** ms since 1970. */
  sentAt: number;
  status: Outcome;
  confirmations: number;
}

/** After so many blocks it is taken for final. */
export const FINAL_CONFIRMATIONS = 12;

const MOST = 50;
const OUTCOMES: readonly string[] = ["submitted", "seen", "confirmed", "reverted", "replaced", "dropped"];

/**
 * The transactions that one address has sent from this browser, newest first. They lie in its storage, so a reload goes
 * on with them, and every tab is told of what another has sent or seen.
 */
export class TransactionLog {
  readonly #storage: Storage;
  readonly #key: string;
  readonly #listeners = new Set<() => void>();
  #text: string | null = null;
  #rows: readonly LoggedTransaction[] = [];

  constructor(storage: Storage, owner: string) {
    this.#storage = storage;
    this.#key = `purse.transactions.${owner.toLowerCase()}`;
  }

  /** The same list until it changes. */
  readonly get = (): readonly LoggedTransaction[] => {
    const text = this.#storage.getItem(this.#key);
    if (text !== this.#text) {
      this.#text = text;
      this.#rows = readRows(text);
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
    const row = { reference, label, sentAt: Date.now(), status: "submitted" as const, confirmations: 0 };
    this.#write([row, ...this.get().filter((each) => each.reference.hash !== reference.hash)]);
  }

  /** Answers whether the state is another than the one that any tab has noted before. */
  note(hash: string, status: Outcome, confirmations: number): boolean {
    const before = this.find(hash);
    if (!before || (before.status === status && before.confirmations === confirmations)) return false;
    this.#write(
      this.get().map((each) => (each.reference.hash === hash ? { ...each, status, confirmations } : each)),
    );
    return before.status !== status;
  }

  #write(rows: readonly LoggedTransaction[]): void {
    try {
      this.#storage.setItem(this.#key, JSON.stringify(rows.slice(0, MOST)));
    } catch {
      // A full or forbidden storage: the page of the transaction still follows it by its address.
    }
    for (const listener of [...this.#listeners]) listener();
  }
}

const logs = new Map<string, TransactionLog>();

/** The log of an address, or of a person without one: who comes after them in this browser has another. */
export function transactionLogOf(owner: string): TransactionLog {
  const log = logs.get(owner) ?? new TransactionLog(window.localStorage, owner);
  logs.set(owner, log);
  return log;
}

/** Whether nothing more is to be expected of it. */
export function isSettled({ status, confirmations }: LoggedTransaction): boolean {
  return status === "dropped" || confirmations >= FINAL_CONFIRMATIONS;
}

/** What another version of the page, or somebody's hand, may have left there is read with care. */
function readRows(text: string | null): LoggedTransaction[] {
  try {
    const rows: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(rows) ? rows.filter(isLogged) : [];
  } catch {
    return [];
  }
}

function isLogged(row: unknown): row is LoggedTransaction {
  if (typeof row !== "object" || row === null) return false;
  const { reference, label, sentAt, status, confirmations } = Object(row);
  return (
    typeof reference === "object" &&
    typeof reference?.hash === "string" &&
    typeof label === "string" &&
    typeof sentAt === "number" &&
    typeof confirmations === "number" &&
    OUTCOMES.includes(status)
  );
}

import type { Pgoutput } from "pg-logical-replication";
import { SILENT } from "./decodingLayout.ts";

/** A change in a table, with the object before and after as JSON. */
interface DecodedChange {
  /** The OID of the table. */
  table: number;
  id: string;
  before: string | null;
  after: string | null;
}

/** A committed transaction with its changes in the published tables. */
export interface DecodedTransaction {
  /** The position of the commit's record, by which commits are ordered. */
  lsn: bigint;
  /** The time of the commit, in ms since the epoch. */
  at: number;
  changes: DecodedChange[];
  /** Number of characters of the changes, about. */
  size: number;
  /** Whether its changes were more than one process and one statement can hold; they are left out. */
  isTooLarge: boolean;
}

const DEFAULT_MAX_SIZE = 32 * 1024 * 1024;
/** What a change needs in addition to its objects, in characters. */
const CHANGE_SIZE = 100;

/** Assembles the transactions of the messages of pgoutput, which come one transaction after the other. */
export class TransactionAssembler {
  readonly #prefix: string;
  readonly #maxSize: number;
  #open: DecodedTransaction | undefined;
  #isSilent = false;

  /** Messages with this prefix concern the log. Changes of transactions above `maxSize` are not kept. */
  constructor(prefix: string, maxSize = DEFAULT_MAX_SIZE) {
    this.#prefix = prefix;
    this.#maxSize = maxSize;
  }

  /** Whether a transaction is incomplete. */
  get isInTransaction(): boolean {
    return this.#open !== undefined;
  }

  /** Adds a message. Returns the transaction that it completes. */
  add(message: Pgoutput.Message): DecodedTransaction | undefined {
    switch (message.tag) {
      case "begin":
        this.#isSilent = false;
        this.#open = {
          lsn: parseLsn(message.commitLsn),
          at: Math.floor(Number(message.commitTime) / 1_000),
          changes: [],
          size: 0,
          isTooLarge: false,
        };
        return undefined;
      case "commit": {
        const completed = this.#open;
        this.#open = undefined;
        return completed;
      }
      case "message":
        if (message.prefix === this.#prefix && Buffer.from(message.content).toString() === SILENT)
          this.#isSilent = true;
        return undefined;
      case "insert":
        return this.#change(message.relation, null, message.new);
      case "update":
        return this.#change(message.relation, message.old, message.new);
      case "delete":
        return this.#change(message.relation, message.old, null);
      default:
        return undefined;
    }
  }

  #change(
    { relationOid }: Pgoutput.MessageRelation,
    old: Record<string, unknown> | null,
    current: Record<string, unknown> | null,
  ): undefined {
    const id = current?.id ?? old?.id;
    const open = this.#open;
    if (!open || open.isTooLarge || this.#isSilent || typeof id !== "string") return;
    const change = { table: relationOid >>> 0, id, before: textOf(old?.doc), after: textOf(current?.doc) };
    open.changes.push(change);
    open.size += CHANGE_SIZE + id.length + (change.before?.length ?? 0) + (change.after?.length ?? 0);
    if (open.size <= this.#maxSize) return;
    open.isTooLarge = true;
    open.changes = [];
    open.size = 0;
  }
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** Parses a position of the write-ahead log: `16/B374D848`. */
export function parseLsn(text: string | null): bigint {
  const [high = "0", low = "0"] = (text ?? "0/0").split("/");
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
}

export function formatLsn(lsn: bigint): string {
  return `${(lsn >> 32n).toString(16)}/${(lsn & 0xffff_ffffn).toString(16)}`.toUpperCase();
}

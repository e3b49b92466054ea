import type { JsonObject } from "@purse/protocol";
import { encodeHeader, encodeReceipt, encodeTransaction } from "./blockEncoding.ts";
import { keccak } from "./keccak.ts";
import { InvalidNodeDataError } from "./rpcErrors.ts";
import { trieRoot } from "./trieRoot.ts";

/** A block as a node returned it, with its receipts. */
export interface ReturnedBlock {
  number: number;
  timestamp: number;
  /** In lower case. */
  hash: string;
  block: JsonObject;
  transactions: readonly JsonObject[];
  receipts: readonly JsonObject[];
}

/** What the hash of a block commits to. */
export const COMMITMENTS = ["header", "transactions", "receipts"] as const;
export type Commitment = (typeof COMMITMENTS)[number];

export interface VerifierOptions {
  /** What was known before to be computed as on Ethereum. */
  known?: readonly Commitment[];
  /** Called when something was found to be computed as on Ethereum. */
  onKnown?(known: readonly Commitment[]): void;
  /** Called once for what is not, as far as blocks show; they are stored without verification. */
  onUnknown?(commitment: Commitment, block: number): void;
}

type Result = "match" | "mismatch" | "unknown";

/** Blocks that do not match after which something is not computed any more, unless it has matched before. */
const MAX_MISMATCHES = 50;
const NO_ROOT = /^0x0*$/;

const MESSAGES: Readonly<Record<Commitment, string>> = {
  header: "the header of block % does not match its hash",
  transactions: "the transactions of block % do not match the root in its header",
  receipts: "the receipts of block % do not match the root in its header",
};

/**
 * Verifies blocks by what their hashes commit to: header, transactions and receipts. Chains compute that in different ways.
 * Once blocks of a chain have matched as on Ethereum, those that do not are rejected; those with transactions of unknown
 * types are not verified.
 */
export class BlockVerifier {
  readonly #options: VerifierOptions;
  readonly #known: Set<Commitment>;
  readonly #mismatches = new Map<Commitment, number>();

  constructor(options: VerifierOptions = {}) {
    this.#options = options;
    this.#known = new Set(options.known);
  }

  /** Throws InvalidNodeDataError. */
  verify(blocks: readonly ReturnedBlock[]): void {
    for (const commitment of COMMITMENTS) {
      const isKnown = this.#known.has(commitment);
      if (!isKnown && (this.#mismatches.get(commitment) ?? 0) >= MAX_MISMATCHES) continue;
      const results = blocks.map((block) => CHECKS[commitment](block));
      // The roots of blocks without transactions say nothing about how others are computed.
      const isMatching = results.some(
        (result, i) => result === "match" && (blocks[i]?.transactions.length ?? 0) > 0,
      );
      if (isMatching && !isKnown) {
        this.#known.add(commitment);
        this.#options.onKnown?.([...this.#known]);
      }
      const number = blocks[results.indexOf("mismatch")]?.number;
      if (number === undefined) continue;
      if (isMatching || isKnown) throw new InvalidNodeDataError(messageOf(commitment, number));
      const before = this.#mismatches.get(commitment) ?? 0;
      if (before === 0) this.#options.onUnknown?.(commitment, number);
      this.#mismatches.set(commitment, before + results.filter((result) => result === "mismatch").length);
    }
  }
}

function messageOf(commitment: Commitment, number: number): string {
  const what = MESSAGES[commitment].replace("%", String(number));
  return `${what} (the setting VERIFY_ROOTS of the chain turns this check off)`;
}

const CHECKS: Readonly<Record<Commitment, (block: ReturnedBlock) => Result>> = {
  header({ block, hash }) {
    const encoded = encodeHeader(block);
    return encoded ? resultOf(hashOf(encoded) === hash) : "unknown";
  },
  transactions({ block: { transactionsRoot: root }, transactions }) {
    const encoded = encodeAll(transactions, (each) => encodeTransaction(each));
    if (!encoded || !isRoot(root)) return "unknown";
    const isHashed = encoded.every((bytes, i) => hashOf(bytes) === lowerCase(transactions[i]?.hash));
    return resultOf(isHashed && trieRoot(encoded) === lowerCase(root));
  },
  receipts({ block: { receiptsRoot: root }, receipts, transactions, timestamp }) {
    const encoded = encodeAll(receipts, (each, i) => encodeReceipt(each, transactions[i] ?? {}, timestamp));
    return encoded && isRoot(root) ? resultOf(trieRoot(encoded) === lowerCase(root)) : "unknown";
  },
};

function encodeAll(
  items: readonly JsonObject[],
  encode: (item: JsonObject, index: number) => Buffer | undefined,
): Buffer[] | undefined {
  const encoded: Buffer[] = [];
  for (const [i, item] of items.entries()) {
    const bytes = encode(item, i);
    if (!bytes) return undefined;
    encoded.push(bytes);
  }
  return encoded;
}

/** Nodes of chains without such roots return zeros. */
function isRoot(root: unknown): boolean {
  return typeof root === "string" && root.length === 66 && !NO_ROOT.test(root);
}

function resultOf(isMatch: boolean): Result {
  return isMatch ? "match" : "mismatch";
}

function hashOf(bytes: Buffer): string {
  return `0x${Buffer.from(keccak(bytes)).toString("hex")}`;
}

function lowerCase(value: unknown): string {
  return String(value).toLowerCase();
}

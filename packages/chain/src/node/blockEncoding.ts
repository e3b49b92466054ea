import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import { encodeRlp, quantityBytes, type RlpItem } from "./rlp.ts";

/** Types of transactions of Ethereum (EIP-2718). Rollups have others, which have other fields or receipts. */
const TYPES: ReadonlySet<string> = new Set(["0x0", "0x1", "0x2", "0x3", "0x4"]);
/** When the receipts of Ethereum got a status instead of a state root, in seconds since the epoch. */
const BYZANTIUM = 1_508_131_331;
const NO_BYTES = "0x";

/** Thrown where a block is not one of Ethereum as far as this code knows it, so that it cannot be verified. */
class UnknownEncodingError extends Error {}

/** The encoded transaction; undefined for types other than those of Ethereum, and without a signature. */
export function encodeTransaction(transaction: JsonObject): Buffer | undefined {
  return ifKnown(() => {
    const { type, fields } = transactionFields(transaction);
    return encodeTyped(type, fields);
  });
}

/** The encoded receipt of a transaction; undefined for types other than those of Ethereum. */
export function encodeReceipt(
  receipt: JsonObject,
  transaction: JsonObject,
  timestamp: number,
): Buffer | undefined {
  return ifKnown(() => {
    const outcome =
      typeof receipt.root === "string" && receipt.root.length === 66
        ? receipt.root
        : quantity(receipt.status);
    // Some nodes have only the status of receipts that were encoded with the state.
    if (outcome !== receipt.root && timestamp < BYZANTIUM) throw new UnknownEncodingError();
    return encodeTyped(typeOf(transaction), [
      outcome,
      quantity(receipt.cumulativeGasUsed),
      bytes(receipt.logsBloom),
      listOf(receipt.logs, (log) => [bytes(log.address), listOfBytes(log.topics), bytes(log.data)]),
    ]);
  });
}

/** Whether a transaction has no signature: the chain itself executed it, beside those of the block. */
function isUnsigned({ r, s }: JsonObject): boolean {
  const isNone = (value: JsonValue | undefined) => typeof value !== "string" || /^0x0*$/.test(value);
  return isNone(r) && isNone(s);
}

/** The fields of headers in their order; those of later forks follow. */
const HEADER_FIELDS = [
  ["parentHash", "bytes"],
  ["sha3Uncles", "bytes"],
  ["miner", "bytes"],
  ["stateRoot", "bytes"],
  ["transactionsRoot", "bytes"],
  ["receiptsRoot", "bytes"],
  ["logsBloom", "bytes"],
  ["difficulty", "quantity"],
  ["number", "quantity"],
  ["gasLimit", "quantity"],
  ["gasUsed", "quantity"],
  ["timestamp", "quantity"],
  ["extraData", "bytes"],
  ["mixHash", "bytes"],
  ["nonce", "bytes"],
] as const;
const LATER_FIELDS = [
  ["baseFeePerGas", "quantity"],
  ["withdrawalsRoot", "bytes"],
  ["blobGasUsed", "quantity"],
  ["excessBlobGas", "quantity"],
  ["parentBeaconBlockRoot", "bytes"],
  ["requestsHash", "bytes"],
] as const;
/** What blocks of JSON-RPC have besides their header. */
const OTHER_KEYS = ["hash", "size", "totalDifficulty", "transactions", "uncles", "withdrawals", "author"];
const KNOWN_KEYS: ReadonlySet<string> = new Set([
  ...[...HEADER_FIELDS, ...LATER_FIELDS].map(([name]) => name),
  ...OTHER_KEYS,
]);

/** The encoded header of a block; undefined if it has fields that those of Ethereum do not have. */
export function encodeHeader(block: JsonObject): Buffer | undefined {
  return ifKnown(() => {
    if (Object.keys(block).some((key) => !KNOWN_KEYS.has(key))) throw new UnknownEncodingError();
    const later = LATER_FIELDS.filter(([name]) => block[name] !== undefined && block[name] !== null);
    return encodeRlp(
      [...HEADER_FIELDS, ...later].map(([name, kind]) =>
        kind === "bytes" ? bytes(block[name]) : quantity(block[name]),
      ),
    );
  });
}

function transactionFields(transaction: JsonObject): { type: string; fields: RlpItem[] } {
  const type = typeOf(transaction);
  const of = (name: string) => quantity(transaction[name]);
  const target = [
    of("gas"),
    transaction.to === null || transaction.to === undefined ? NO_BYTES : bytes(transaction.to),
    of("value"),
    bytes(transaction.input ?? transaction.data),
  ];
  const signature = [of("r"), of("s")];
  if (type === "0x0")
    return { type, fields: [of("nonce"), of("gasPrice"), ...target, of("v"), ...signature] };
  const accessList = listOf(transaction.accessList ?? [], ({ address, storageKeys }) => [
    bytes(address),
    listOfBytes(storageKeys),
  ]);
  const parity = quantity(transaction.yParity ?? transaction.v);
  const start = [of("chainId"), of("nonce")];
  if (type === "0x1")
    return { type, fields: [...start, of("gasPrice"), ...target, accessList, parity, ...signature] };
  const fees = [of("maxPriorityFeePerGas"), of("maxFeePerGas")];
  const fields = [...start, ...fees, ...target, accessList, ...extraFields(type, transaction)];
  return { type, fields: [...fields, parity, ...signature] };
}

/** Blobs (EIP-4844) or authorizations (EIP-7702). */
function extraFields(type: string, transaction: JsonObject): RlpItem[] {
  if (type === "0x3")
    return [quantity(transaction.maxFeePerBlobGas), listOfBytes(transaction.blobVersionedHashes)];
  if (type !== "0x4") return [];
  const authorizations = listOf(transaction.authorizationList, (each) => [
    quantity(each.chainId),
    bytes(each.address),
    ...[each.nonce, each.yParity ?? each.v, each.r, each.s].map((value) => quantity(value)),
  ]);
  return [authorizations];
}

function typeOf(transaction: JsonObject): string {
  const { type = "0x0" } = transaction;
  const known = type === null ? "0x0" : hex(type).replace(/^0x0+(?=.)/, "0x");
  if (!TYPES.has(known) || isUnsigned(transaction)) throw new UnknownEncodingError();
  return known;
}

function encodeTyped(type: string, fields: readonly RlpItem[]): Buffer {
  if (type === "0x0") return encodeRlp(fields);
  const encoded = encodeRlp(fields, 1);
  encoded[0] = Number(type);
  return encoded;
}

function ifKnown(encode: () => Buffer): Buffer | undefined {
  try {
    return encode();
  } catch (error) {
    if (error instanceof UnknownEncodingError) return undefined;
    throw error;
  }
}

function hex(value: JsonValue | undefined): string {
  if (typeof value === "string" && value.startsWith("0x")) return value;
  throw new UnknownEncodingError();
}

function quantity(value: JsonValue | undefined): string {
  return quantityBytes(hex(value));
}

function bytes(value: JsonValue | undefined): string {
  const found = hex(value);
  if (found.length % 2 === 0) return found;
  throw new UnknownEncodingError();
}

function listOfBytes(value: JsonValue | undefined): string[] {
  if (Array.isArray(value)) return value.map(bytes);
  throw new UnknownEncodingError();
}

function listOf(value: JsonValue | undefined, encode: (item: JsonObject) => RlpItem): RlpItem[] {
  if (!Array.isArray(value)) throw new UnknownEncodingError();
  return value.map((item) => {
    if (isJsonObject(item)) return encode(item);
    throw new UnknownEncodingError();
  });
}

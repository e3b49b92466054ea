import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import { toWord } from "../model/hexBytes.ts";
import type { Authorization, TransactionDetails, TransactionFees } from "../model/rows.ts";
import { parseAddress, parseBigQuantity, parseHash, parseQuantity } from "./quantities.ts";
import { InvalidNodeDataError } from "./rpcErrors.ts";

/** Parses the type and the fees of a transaction (EIP-2718, EIP-1559). Throws InvalidNodeDataError. */
export function parseFees(transaction: JsonObject, receipt: JsonObject): TransactionFees {
  const type = transaction.type ?? receipt.type;
  return {
    // Transactions without a type predate EIP-2718.
    type: type === undefined || type === null ? 0 : parseQuantity(type),
    maxFeePerGas: optional(transaction.maxFeePerGas, parseBigQuantity) ?? null,
    maxPriorityFeePerGas: optional(transaction.maxPriorityFeePerGas, parseBigQuantity) ?? null,
    effectiveGasPrice:
      optional(receipt.effectiveGasPrice, parseBigQuantity) ??
      optional(transaction.gasPrice, parseBigQuantity) ??
      null,
    details: parseDetails(transaction, receipt),
  };
}

/**
 * Parses what only some transactions have: blobs (EIP-4844), authorizations (EIP-7702), and the fee for data that a
 * rollup pays to its base chain; null for none. Throws InvalidNodeDataError.
 */
function parseDetails(transaction: JsonObject, receipt: JsonObject): TransactionDetails | null {
  const blobVersionedHashes = optional(transaction.blobVersionedHashes, listOf(parseHash));
  // Some nodes have the price of blobs in the receipts of all transactions.
  const hasBlobs = blobVersionedHashes !== undefined;
  const details: TransactionDetails = {
    blobVersionedHashes,
    maxFeePerBlobGas: hasBlobs ? optional(transaction.maxFeePerBlobGas, parseBigQuantity) : undefined,
    blobGasUsed: hasBlobs ? optional(receipt.blobGasUsed, parseBigQuantity) : undefined,
    blobGasPrice: hasBlobs ? optional(receipt.blobGasPrice, parseBigQuantity) : undefined,
    authorizations: optional(transaction.authorizationList, listOf(parseAuthorization)),
    l1Fee: optional(receipt.l1Fee, parseBigQuantity),
    l1GasPrice: optional(receipt.l1GasPrice, parseBigQuantity),
    // Arbitrum counts it as a part of the gas.
    l1GasUsed: optional(receipt.l1GasUsed ?? receipt.gasUsedForL1, parseBigQuantity),
  };
  return Object.values(details).every((value) => value === undefined) ? null : details;
}

/** A withdrawal of stake from the beacon chain (EIP-4895). */
export interface Withdrawal {
  index: string;
  validatorIndex: string;
  address: string;
  /** wei */
  amount: string;
}

const WEI_PER_GWEI = 1_000_000_000n;

/** Parses the withdrawals of a block; undefined on chains without them. Throws InvalidNodeDataError. */
export function parseWithdrawals({ withdrawals }: JsonObject): Withdrawal[] | undefined {
  return optional(
    withdrawals,
    listOf((value) => {
      const { index, validatorIndex, address, amount } = objectOf(value);
      return {
        index: parseBigQuantity(index),
        validatorIndex: parseBigQuantity(validatorIndex),
        address: parseAddress(address),
        amount: (BigInt(parseBigQuantity(amount)) * WEI_PER_GWEI).toString(),
      };
    }),
  );
}

function parseAuthorization(value: JsonValue): Authorization {
  const { chainId, address, nonce, yParity, v, r, s } = objectOf(value);
  return {
    chainId: parseBigQuantity(chainId),
    address: parseAddress(address),
    nonce: parseBigQuantity(nonce),
    yParity: parseQuantity(yParity ?? v),
    r: parseWord(r),
    s: parseWord(s),
  };
}

/** Nodes omit the leading zeros of signatures. */
function parseWord(value: JsonValue | undefined): string {
  return toWord(BigInt(parseBigQuantity(value)));
}

function objectOf(value: JsonValue): JsonObject {
  if (isJsonObject(value)) return value;
  throw new InvalidNodeDataError(`${JSON.stringify(value).slice(0, 100)} is not an object`);
}

function listOf<Item>(parse: (value: JsonValue) => Item): (value: JsonValue) => Item[] {
  return (value) => {
    if (Array.isArray(value)) return value.map(parse);
    throw new InvalidNodeDataError(`${JSON.stringify(value).slice(0, 100)} is not a list`);
  };
}

function optional<Parsed>(
  value: JsonValue | undefined,
  parse: (value: JsonValue) => Parsed,
): Parsed | undefined {
  return value === undefined || value === null ? undefined : parse(value);
}

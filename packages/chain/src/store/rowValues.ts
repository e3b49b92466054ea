import { toBytes } from "../model/hexBytes.ts";
import type {
  InternalTransferRow,
  LogRow,
  NftRangeRow,
  NftTransferRow,
  TradeRow,
  TransactionFees,
  TransactionRow,
} from "../model/rows.ts";

/** Rows as the parameters of the statements that insert them, in the order of the columns. */

function bytesOrNull(hex: string | null | undefined): Buffer | null {
  return typeof hex === "string" ? toBytes(hex) : null;
}

export function transactionValues(row: TransactionRow) {
  return [
    row.position,
    toBytes(row.hash),
    toBytes(row.from),
    bytesOrNull(row.to),
    row.value,
    row.nonce,
    row.gas,
    row.gasPrice,
    toBytes(row.input),
    row.status,
    row.cumulativeGasUsed,
    row.gasUsed,
    bytesOrNull(row.contract),
    bytesOrNull(row.root),
  ];
}

export function feeValues(position: number, fees: TransactionFees) {
  return [
    position,
    fees.type,
    fees.maxFeePerGas,
    fees.maxPriorityFeePerGas,
    fees.effectiveGasPrice,
    fees.details && JSON.stringify(fees.details),
  ];
}

export function logValues({
  position,
  transactionIndex,
  transactionHash,
  address,
  topics,
  data,
  isErc20,
}: LogRow) {
  return [
    position,
    transactionIndex,
    toBytes(transactionHash),
    toBytes(address),
    bytesOrNull(topics[0]),
    bytesOrNull(topics[1]),
    bytesOrNull(topics[2]),
    bytesOrNull(topics[3]),
    toBytes(data),
    isErc20 ? 1 : 0,
  ];
}

export function nftTransferValues(row: NftTransferRow) {
  return [
    row.position,
    row.part,
    row.transactionIndex,
    toBytes(row.transactionHash),
    toBytes(row.token),
    toBytes(row.tokenId),
    row.standard,
    row.isBatch ? 1 : 0,
    bytesOrNull(row.operator),
    toBytes(row.from),
    toBytes(row.to),
    row.amount,
  ];
}

export function internalValues({ position, part, from, to, value, isCreation }: InternalTransferRow) {
  return [position, part, toBytes(from), toBytes(to), value, isCreation ? 1 : 0];
}

export function nftRangeValues({ position, token, first, last, from, to }: NftRangeRow) {
  return [position, toBytes(token), toBytes(first), toBytes(last), toBytes(from), toBytes(to)];
}

export function tradeValues(row: TradeRow) {
  return [
    row.position,
    row.transactionIndex,
    toBytes(row.transactionHash),
    toBytes(row.token),
    toBytes(row.marketplace),
    toBytes(row.seller),
    toBytes(row.buyer),
    toBytes(row.price),
    bytesOrNull(row.priceToken),
    row.tokenIds.join(),
  ];
}

import {
  APPROVAL_FOR_ALL_TOPIC,
  APPROVAL_TOPIC,
  addressOf,
  type BlockContents,
  indexOf,
  type LogRow,
  type NftTransferRow,
  type TokenLabel,
  type TransactionRow,
  type TransactionSignature,
  transferParties,
} from "@purse/chain";
import type { JsonObject } from "@purse/protocol";
import { formatUnits } from "viem";
import type { StreamMatch } from "./matchBlock.ts";
import { chainHex, type Stream } from "./stream.ts";

/** What messages say besides the contents of the index. */
export interface PayloadDetails {
  tokens: ReadonlyMap<string, TokenLabel>;
  signatures: ReadonlyMap<string, TransactionSignature>;
}

const NO_ENTRIES = {
  logs: [],
  txs: [],
  txsInternal: [],
  erc20Transfers: [],
  erc20Approvals: [],
  nftTokenApprovals: [],
  nftApprovals: { ERC721: [], ERC1155: [] },
  nftTransfers: [],
  nativeBalances: [],
};

/** The message that a webhook has to accept before its stream is created, as in Moralis. */
export function testPayload(tag: string): JsonObject {
  return {
    confirmed: true,
    chainId: "",
    abi: [],
    streamId: "",
    tag,
    retries: 0,
    block: { number: "", hash: "", timestamp: "" },
    ...NO_ENTRIES,
  };
}

/** Serializes what of a block concerns a stream as Moralis does, unconfirmed and without native balances. */
export function streamPayload(
  stream: Stream,
  chainId: number,
  block: BlockContents,
  match: StreamMatch,
  details: PayloadDetails,
): JsonObject {
  const nftTransfers = Map.groupBy(block.nftTransfers, ({ position }) => position);
  const approvals = match.logs.filter(({ topics }) => topics[0] === APPROVAL_TOPIC);
  const tokenApprovals = approvals.filter(({ topics }) => topics.length === 4);
  const operatorApprovals = match.logs.filter(
    ({ topics }) => topics[0] === APPROVAL_FOR_ALL_TOPIC && topics.length === 3,
  );
  const token = ({ address }: LogRow) => details.tokens.get(address);
  return {
    confirmed: false,
    chainId: chainHex(chainId),
    abi: stream.abi,
    streamId: stream.id,
    tag: stream.tag,
    retries: 0,
    block: { number: String(block.number), hash: block.hash, timestamp: String(block.timestamp) },
    logs: match.logs.map(logEntry),
    txs: match.transactions.map((row) => transactionEntry(row, details.signatures.get(row.hash))),
    txsInternal: match.internalTransfers.map(({ from, to, value, gas, transactionHash }) => ({
      from,
      to,
      value,
      gas,
      transactionHash,
    })),
    erc20Transfers: match.logs
      .filter(({ isErc20 }) => isErc20)
      .map((log) => {
        const { from, to } = transferParties(log.topics);
        return { ...reference(log), from, to, ...amountFields(log, token(log)) };
      }),
    erc20Approvals: approvals
      .filter(({ topics, data }) => topics.length === 3 && data !== "0x")
      .map((log) => ({
        ...reference(log),
        owner: topicAddress(log, 1),
        spender: topicAddress(log, 2),
        ...amountFields(log, token(log)),
      })),
    nftTokenApprovals: [
      ...tokenApprovals.map((log) => ({
        ...reference(log),
        account: topicAddress(log, 1),
        operator: topicAddress(log, 2),
        approvedAll: false,
        tokenId: topicNumber(log, 3),
        ...nftFields("ERC721", token(log)),
      })),
      ...operatorApprovals.map((log) => ({
        ...reference(log),
        account: topicAddress(log, 1),
        operator: topicAddress(log, 2),
        approvedAll: isTrue(log),
        tokenId: null,
        ...nftFields("", token(log)),
      })),
    ],
    nftApprovals: {
      ERC721: tokenApprovals.map((log) => ({
        ...reference(log),
        owner: topicAddress(log, 1),
        approved: topicAddress(log, 2),
        tokenId: topicNumber(log, 3),
        ...nftFields("ERC721", token(log)),
      })),
      ERC1155: operatorApprovals.map((log) => ({
        ...reference(log),
        account: topicAddress(log, 1),
        operator: topicAddress(log, 2),
        approved: isTrue(log),
        ...nftFields("", token(log)),
      })),
    },
    nftTransfers: match.logs.flatMap((log) =>
      (nftTransfers.get(log.position) ?? []).map((row) => nftTransferEntry(row, token(log))),
    ),
    nativeBalances: [],
  };
}

function logEntry(log: LogRow): JsonObject {
  const [topic0 = null, topic1 = null, topic2 = null, topic3 = null] = log.topics;
  return {
    logIndex: String(indexOf(log.position)),
    transactionHash: log.transactionHash,
    address: log.address,
    data: log.data,
    topic0,
    topic1,
    topic2,
    topic3,
  };
}

function transactionEntry(row: TransactionRow, signature: TransactionSignature | undefined): JsonObject {
  return {
    hash: row.hash,
    gas: row.gas,
    gasPrice: row.gasPrice,
    nonce: String(row.nonce),
    input: row.input,
    transactionIndex: String(indexOf(row.position)),
    fromAddress: row.from,
    toAddress: row.to,
    value: row.value,
    type: row.fees === null ? null : String(row.fees.type),
    v: signature?.v ?? null,
    r: signature?.r ?? null,
    s: signature?.s ?? null,
    receiptCumulativeGasUsed: row.cumulativeGasUsed,
    receiptGasUsed: row.gasUsed,
    receiptContractAddress: row.contract,
    receiptRoot: row.root,
    receiptStatus: row.status === null ? null : String(row.status),
  };
}

function nftTransferEntry(row: NftTransferRow, label: TokenLabel | undefined): JsonObject {
  return {
    operator: row.operator,
    from: row.from,
    to: row.to,
    tokenId: BigInt(row.tokenId).toString(),
    amount: row.amount,
    transactionHash: row.transactionHash,
    logIndex: String(indexOf(row.position)),
    contract: row.token,
    ...nftFields(`ERC${row.standard}`, label),
  };
}

function reference(log: LogRow): JsonObject {
  return {
    transactionHash: log.transactionHash,
    logIndex: String(indexOf(log.position)),
    contract: log.address,
  };
}

function amountFields(log: LogRow, label: TokenLabel | undefined): JsonObject {
  const value = BigInt(log.data.slice(0, 66));
  const decimals = label?.decimals ?? null;
  return {
    value: value.toString(),
    tokenName: label?.name ?? "",
    tokenSymbol: label?.symbol ?? "",
    tokenDecimals: decimals === null ? "" : String(decimals),
    valueWithDecimals: decimals === null ? null : formatUnits(value, decimals),
    possibleSpam: label?.isSpam ?? false,
  };
}

function nftFields(contractType: string, label: TokenLabel | undefined): JsonObject {
  return {
    tokenName: label?.name ?? "",
    tokenSymbol: label?.symbol ?? "",
    tokenContractType: contractType,
    possibleSpam: label?.isSpam ?? false,
  };
}

function topicAddress({ topics }: LogRow, index: number): string {
  return addressOf(topics[index] ?? `0x${"0".repeat(64)}`);
}

function topicNumber({ topics }: LogRow, index: number): string {
  return BigInt(topics[index] ?? "0x0").toString();
}

function isTrue({ data }: LogRow): boolean {
  return /[1-9a-f]/.test(data.slice(2));
}

import type { JsonObject, JsonValue } from "@purse/protocol";
import { type AliasedExpression, expressionBuilder, sql } from "kysely";
import type { AbiEvent } from "viem";
import { decodeEvent } from "../abi/decodeEvent.ts";
import { toBytes, toHex } from "../model/hexBytes.ts";
import { indexOf } from "../model/rows.ts";
import { transferParties } from "../model/topics.ts";
import type { EventQuery } from "../store/eventSelection.ts";
import type { ChainTables } from "../store/tables.ts";
import {
  erc20TokenCondition,
  erc20WalletConditions,
  nftConditions,
  partyConditions,
} from "../store/transferConditions.ts";

/**
 * Which events to read: logs of a contract's event, decoded or not, transactions or transfers of an address, or all
 * transfers of a token. Addresses and topics are lower-case hex with 0x.
 */
export type Selection =
  | { kind: "event"; address: string; topic: string; event: AbiEvent }
  | { kind: "logs"; address: string; topic: string }
  | { kind: "transactions" | "erc20" | "nft" | "erc20Token" | "nftToken"; address: string };

/** A selected log, transaction or transfer; bytes as the database returns them. */
interface SelectedRow {
  position: number;
  part: number;
  transaction_hash: Uint8Array;
  [column: string]: Uint8Array | string | number | null;
}

interface SelectionQuery extends EventQuery<SelectedRow> {
  /** undefined for a row that does not match after decoding. */
  fields(row: SelectedRow): JsonObject | undefined;
  details(row: SelectedRow): JsonObject;
}

const NO_PART = sql.lit(0).as("part");
const LOG_COLUMNS = [
  ...columnsOf("position", "transaction_hash", "address", "topic0", "topic1", "topic2", "topic3", "data"),
  ...columnsOf("transaction_index"),
  NO_PART,
];
const TRANSACTION_COLUMNS = [
  ...columnsOf(
    "position",
    "from_address",
    "to_address",
    "value",
    "nonce",
    "gas",
    "gas_price",
    "gas_used",
    "input",
  ),
  ...columnsOf("status", "cumulative_gas_used", "contract"),
  sql.ref("hash").as("transaction_hash"),
  NO_PART,
];
const NFT_COLUMNS = columnsOf(
  "position",
  "part",
  "transaction_hash",
  "transaction_index",
  "batch",
  "token",
  "token_id",
  "standard",
  "operator",
  "from_address",
  "to_address",
  "amount",
);

function columnsOf(...names: string[]): AliasedExpression<unknown, string>[] {
  return names.map((name) => sql.ref(name).as(name));
}

const ofLogs = expressionBuilder<ChainTables, "logs">();

/** Creates the query of a selection and the conversion of its rows. */
export function createSelectionQuery(selection: Selection): SelectionQuery {
  const { kind, address } = selection;
  const logs = { columns: LOG_COLUMNS, table: "logs", details: transferDetails } as const;
  const nfts = { columns: NFT_COLUMNS, table: "nft_transfers", details: transferDetails } as const;
  switch (kind) {
    case "event":
    case "logs": {
      const ofContract = ofLogs("address", "=", toBytes(address));
      return {
        ...logs,
        branches: [ofContract.and("topic0", "=", toBytes(selection.topic))],
        fields: (row) => (kind === "event" ? eventFields(selection.event, row) : logFields(row)),
      };
    }
    case "transactions":
      return {
        columns: TRANSACTION_COLUMNS,
        table: "transactions",
        branches: partyConditions(address),
        fields: transactionFields,
        details: transactionDetails,
      };
    case "erc20":
      return { ...logs, branches: erc20WalletConditions(address), fields: erc20Fields };
    case "erc20Token":
      return { ...logs, branches: [erc20TokenCondition(address)], fields: erc20Fields };
    case "nft":
      return { ...nfts, branches: partyConditions(address), fields: nftFields };
    case "nftToken":
      return { ...nfts, branches: nftConditions({ token: address }), fields: nftFields };
  }
}

function eventFields(event: AbiEvent, row: SelectedRow): JsonObject | undefined {
  // Another event can have the same topic but other indexed inputs; skip its logs.
  const args = decodeEvent(event, { topics: topicsOf(row), data: toHexOrNull(row.data) ?? "0x" });
  return args && { log_index: indexOf(row.position), address: toHexOrNull(row.address), args };
}

/** A log that is not decoded: its topics and data are its arguments. */
function logFields(row: SelectedRow): JsonObject {
  const topics = topicsOf(row).map((topic, i) => [`topic${i}`, topic]);
  const transactionIndex = Number(row.transaction_index);
  const args = {
    ...Object.fromEntries(topics),
    data: toHexOrNull(row.data) ?? "0x",
    transaction_index: transactionIndex,
  };
  return { log_index: indexOf(row.position), address: toHexOrNull(row.address), args };
}

function transactionFields(row: SelectedRow): JsonObject {
  return {
    kind: "native",
    transaction_index: indexOf(row.position),
    from_address: toHexOrNull(row.from_address),
    to_address: toHexOrNull(row.to_address),
    value: toText(row.value),
    nonce: Number(row.nonce),
    gas: toText(row.gas),
    gas_price: toText(row.gas_price),
    gas_used: toText(row.gas_used),
    input: toHexOrNull(row.input),
    // The status is unknown before EIP-658.
    succeeded: row.status !== 0,
  };
}

function transactionDetails(row: SelectedRow): JsonObject {
  return {
    status: row.status === null ? null : Number(row.status),
    cumulative_gas_used: toText(row.cumulative_gas_used),
    contract_address: toHexOrNull(row.contract),
  };
}

function transferDetails(row: SelectedRow): JsonObject {
  return {
    transaction_index: Number(row.transaction_index),
    ...(row.batch !== undefined && { is_batch: Number(row.batch) === 1 }),
  };
}

function erc20Fields(row: SelectedRow): JsonObject {
  const parties = transferParties(topicsOf(row));
  return {
    kind: "erc20",
    log_index: indexOf(row.position),
    address: toHexOrNull(row.address),
    from_address: parties.from,
    to_address: parties.to,
    value: BigInt(toHexOrNull(row.data) ?? "0x0").toString(),
  };
}

function nftFields(row: SelectedRow): JsonObject {
  return {
    kind: row.standard === 721 ? "erc721" : "erc1155",
    log_index: indexOf(row.position),
    address: toHexOrNull(row.token),
    from_address: toHexOrNull(row.from_address),
    to_address: toHexOrNull(row.to_address),
    token_id: BigInt(toHexOrNull(row.token_id) ?? "0x0").toString(),
    value: toText(row.amount),
    operator: toHexOrNull(row.operator),
  };
}

function topicsOf(row: SelectedRow): string[] {
  return [row.topic0, row.topic1, row.topic2, row.topic3].flatMap((topic) => toHexOrNull(topic) ?? []);
}

function toHexOrNull(value: JsonValue | Uint8Array | undefined): string | null {
  return value instanceof Uint8Array ? toHex(value) : null;
}

function toText(value: JsonValue | Uint8Array | undefined): string {
  return String(value);
}

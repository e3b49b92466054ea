import type { JsonObject, JsonValue } from "@purse/protocol";
import type { AbiEvent } from "viem";
import { decodeEvent } from "../abi/decodeEvent.ts";
import { toBytes, toHex } from "../model/hexBytes.ts";
import { indexOf } from "../model/rows.ts";
import { transferParties } from "../model/topics.ts";
import type { SqlValue } from "../store/indexReader.ts";

/**
 * Which events to read: logs of a contract's event, transactions or transfers of an address, or all transfers of a
 * token. Addresses and topics are lower-case hex with 0x.
 */
export type Selection =
  | { kind: "event"; address: string; topic: string; event: AbiEvent }
  | { kind: "transactions" | "erc20" | "nft" | "erc20Token" | "nftToken"; address: string };

/** A selected log, transaction or transfer; bytes as the database returns them. */
export interface SelectedRow {
  position: number;
  part: number;
  transaction_hash: Uint8Array;
  [column: string]: Uint8Array | string | number | null;
}

interface SelectionQuery {
  columns: string;
  table: string;
  /** Must not overlap. */
  branches: { where: string; values: SqlValue[] }[];
  /** undefined for a row that does not match after decoding. */
  fields(row: SelectedRow): JsonObject | undefined;
}

const LOG_COLUMNS = "position, 0 AS part, transaction_hash, address, topic0, topic1, topic2, topic3, data";
const TRANSACTION_COLUMNS =
  "position, 0 AS part, hash AS transaction_hash, from_address, to_address, value, nonce, gas, gas_price, gas_used, input, status";
const NFT_COLUMNS =
  "position, part, transaction_hash, token, token_id, standard, operator, from_address, to_address, amount";

/** Creates the query of a selection and the conversion of its rows. */
export function createSelectionQuery(selection: Selection): SelectionQuery {
  const addressBytes = toBytes(selection.address);
  const partyBranches = [
    { where: "from_address = ?", values: [addressBytes] },
    { where: "to_address = ? AND from_address <> ?", values: [addressBytes, addressBytes] },
  ];
  switch (selection.kind) {
    case "event":
      return {
        columns: LOG_COLUMNS,
        table: "logs",
        branches: [{ where: "address = ? AND topic0 = ?", values: [addressBytes, toBytes(selection.topic)] }],
        fields: (row) => eventFields(selection.event, row),
      };
    case "transactions":
      return {
        columns: TRANSACTION_COLUMNS,
        table: "transactions",
        branches: partyBranches,
        fields: transactionFields,
      };
    case "erc20": {
      const topic = Buffer.concat([Buffer.alloc(12), addressBytes]);
      return {
        columns: LOG_COLUMNS,
        table: "logs",
        branches: [
          { where: "erc20 = 1 AND topic1 = ?", values: [topic] },
          { where: "erc20 = 1 AND topic2 = ? AND topic1 <> ?", values: [topic, topic] },
        ],
        fields: erc20Fields,
      };
    }
    case "nft":
      return { columns: NFT_COLUMNS, table: "nft_transfers", branches: partyBranches, fields: nftFields };
    case "erc20Token": {
      const branches = [{ where: "address = ? AND erc20 = 1", values: [addressBytes] }];
      return { columns: LOG_COLUMNS, table: "logs", branches, fields: erc20Fields };
    }
    case "nftToken": {
      const branches = [{ where: "token = ?", values: [addressBytes] }];
      return { columns: NFT_COLUMNS, table: "nft_transfers", branches, fields: nftFields };
    }
  }
}

function eventFields(event: AbiEvent, row: SelectedRow): JsonObject | undefined {
  // Another event can have the same topic but other indexed inputs; skip its logs.
  const args = decodeEvent(event, { topics: topicsOf(row), data: toHexOrNull(row.data) ?? "0x" });
  return args && { log_index: indexOf(row.position), address: toHexOrNull(row.address), args };
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

import type { JsonObject, JsonValue } from "@purse/protocol";
import type { AbiEvent } from "viem";
import { decodeEvent } from "../abi/decodeEvent.ts";
import { toBytes, toHex } from "../model/hexBytes.ts";
import { indexOf } from "../model/rows.ts";
import { erc20Sides } from "../model/topics.ts";
import type { SqlValue } from "../store/indexReader.ts";

/**
 * What of a chain somebody follows: the logs of a contract's event, what an address moves, or all transfers of the
 * token that is at an address. Addresses and topics are lower-case hex with 0x.
 */
export type Selection =
  | { kind: "event"; address: string; topic: string; event: AbiEvent }
  | { kind: "transactions" | "erc20" | "nft" | "erc20Token" | "nftToken"; address: string };

/** What a statement answers for one log, transaction or transfer; bytes as the database gives them. */
export interface SelectedRow {
  position: number;
  part: number;
  transaction_hash: Uint8Array;
  [column: string]: Uint8Array | string | number | null;
}

interface Arms {
  columns: string;
  table: string;
  /** None of which overlap. */
  conditions: { where: string; values: SqlValue[] }[];
  /** undefined for a row that is not what was asked for after all. */
  fields(row: SelectedRow): JsonObject | undefined;
}

const LOG = "position, 0 AS part, transaction_hash, address, topic0, topic1, topic2, topic3, data";
const TRANSACTION =
  "position, 0 AS part, hash AS transaction_hash, from_address, to_address, value, nonce, gas, gas_price, gas_used, input, status";
const NFT =
  "position, part, transaction_hash, token, token_id, standard, operator, from_address, to_address, amount";

/** Where the rows of a selection stand, and what they say. */
export function armsOf(selection: Selection): Arms {
  const own = toBytes(selection.address);
  const sides = [
    { where: "from_address = ?", values: [own] },
    { where: "to_address = ? AND from_address <> ?", values: [own, own] },
  ];
  switch (selection.kind) {
    case "event":
      return {
        columns: LOG,
        table: "logs",
        conditions: [{ where: "address = ? AND topic0 = ?", values: [own, toBytes(selection.topic)] }],
        fields: (row) => eventFields(selection.event, row),
      };
    case "transactions":
      return { columns: TRANSACTION, table: "transactions", conditions: sides, fields: transactionFields };
    case "erc20": {
      const topic = Buffer.concat([Buffer.alloc(12), own]);
      return {
        columns: LOG,
        table: "logs",
        conditions: [
          { where: "erc20 = 1 AND topic1 = ?", values: [topic] },
          { where: "erc20 = 1 AND topic2 = ? AND topic1 <> ?", values: [topic, topic] },
        ],
        fields: erc20Fields,
      };
    }
    case "nft":
      return { columns: NFT, table: "nft_transfers", conditions: sides, fields: nftFields };
    case "erc20Token": {
      const conditions = [{ where: "address = ? AND erc20 = 1", values: [own] }];
      return { columns: LOG, table: "logs", conditions, fields: erc20Fields };
    }
    case "nftToken": {
      const conditions = [{ where: "token = ?", values: [own] }];
      return { columns: NFT, table: "nft_transfers", conditions, fields: nftFields };
    }
  }
}

function eventFields(event: AbiEvent, row: SelectedRow): JsonObject | undefined {
  // Another event may have the same topic and index other values: that one is not what was asked for.
  const args = decodeEvent(event, { topics: topicsOf(row), data: hex(row.data) ?? "0x" });
  return args && { log_index: indexOf(row.position), address: hex(row.address), args };
}

function transactionFields(row: SelectedRow): JsonObject {
  return {
    kind: "native",
    transaction_index: indexOf(row.position),
    from_address: hex(row.from_address),
    to_address: hex(row.to_address),
    value: text(row.value),
    nonce: Number(row.nonce),
    gas: text(row.gas),
    gas_price: text(row.gas_price),
    gas_used: text(row.gas_used),
    input: hex(row.input),
    // Before EIP-658 nobody tells.
    succeeded: row.status !== 0,
  };
}

function erc20Fields(row: SelectedRow): JsonObject {
  const sides = erc20Sides(topicsOf(row));
  return {
    kind: "erc20",
    log_index: indexOf(row.position),
    address: hex(row.address),
    from_address: sides.from,
    to_address: sides.to,
    value: BigInt(hex(row.data) ?? "0x0").toString(),
  };
}

function nftFields(row: SelectedRow): JsonObject {
  return {
    kind: row.standard === 721 ? "erc721" : "erc1155",
    log_index: indexOf(row.position),
    address: hex(row.token),
    from_address: hex(row.from_address),
    to_address: hex(row.to_address),
    token_id: BigInt(hex(row.token_id) ?? "0x0").toString(),
    value: text(row.amount),
    operator: hex(row.operator),
  };
}

function topicsOf(row: SelectedRow): string[] {
  return [row.topic0, row.topic1, row.topic2, row.topic3].flatMap((topic) => hex(topic) ?? []);
}

function hex(value: JsonValue | Uint8Array | undefined): string | null {
  return value instanceof Uint8Array ? toHex(value) : null;
}

function text(value: JsonValue | Uint8Array | undefined): string {
  return String(value);
}

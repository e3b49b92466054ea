import type { ChainEvent, Selection } from "@purse/chain";
import { type JsonObject, type JsonValue, wireDate } from "@purse/protocol";
import { eventId } from "./watch.ts";

/** Readable by everyone, writable by no client. */
const ACL = { "*": { read: true } };

/** Creates the object of a transaction or transfer of a synced address, with the columns of Moralis v1. */
export function syncedObject(
  event: ChainEvent,
  { chainId, kind, confirmed }: { chainId: number; kind: Selection["kind"]; confirmed: boolean },
): JsonObject & { objectId: string } {
  const { cursor, timestamp, transactionHash } = event;
  const { number, hash } = cursor.block;
  return {
    ...withoutNull(kind === "transactions" ? transaction(event) : transfer(event)),
    ...(kind === "transactions" ? { hash: transactionHash } : { transaction_hash: transactionHash }),
    objectId: eventId(chainId, hash, kind, cursor.position, cursor.part),
    chain_id: chainId,
    block_number: number,
    block_hash: hash,
    block_timestamp: wireDate(new Date(timestamp)),
    confirmed,
    ACL,
  };
}

function transaction({ fields, details = {} }: ChainEvent): JsonObject {
  const { from_address, to_address, value, input, nonce, transaction_index, gas, gas_price, gas_used } =
    fields;
  return {
    from_address: from_address ?? null,
    to_address: to_address ?? null,
    value: value ?? null,
    input: input ?? null,
    nonce: nonce ?? null,
    transaction_index: transaction_index ?? null,
    gas: numberOf(gas),
    gas_price: numberOf(gas_price),
    receipt_gas_used: numberOf(gas_used),
    receipt_cumulative_gas_used: numberOf(details.cumulative_gas_used),
    receipt_contract_address: details.contract_address ?? null,
    receipt_status: details.status ?? null,
  };
}

function transfer({ fields, details = {} }: ChainEvent): JsonObject {
  const { kind, address, from_address, to_address, value, token_id, log_index } = fields;
  const shared = {
    token_address: address ?? null,
    from_address: from_address ?? null,
    to_address: to_address ?? null,
    log_index: log_index ?? null,
    transaction_index: details.transaction_index ?? null,
  };
  if (kind === "erc20") return { ...shared, value: value ?? null };
  return {
    ...shared,
    token_id: token_id ?? null,
    amount: value ?? null,
    contract_type: kind === "erc721" ? "ERC721" : "ERC1155",
    transaction_type: details.is_batch === true ? "Batch" : "Single",
  };
}

function numberOf(value: JsonValue | undefined): number | null {
  return typeof value === "string" && value !== "" ? Number(value) : null;
}

function withoutNull(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

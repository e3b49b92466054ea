import { ErrorCode, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import { type AbiEvent, toEventSelector } from "viem";
import { abiEntries } from "../abi/abiEntries.ts";
import { decodeEvent } from "../abi/decodeEvent.ts";
import type { IndexedLog } from "../store/tableRows.ts";
import { assertWhole, type ChainOf } from "./chainContext.ts";
import { placeOf, readList } from "./lists.ts";
import { routeOf } from "./routes.ts";
import { topicsObject } from "./transactions.ts";

/** What contracts have logged, raw and decoded. */
export function logRoutes(chainOf: ChainOf) {
  return [
    routeOf("getLogsByAddress", async ({ chain: selector, address, block_number, ...parameters }) => {
      const chain = chainOf(selector);
      await assertWhole(chain, "the logs of a contract");
      const { topic0, topic1, topic2, topic3, ...rest } = parameters;
      const topics = [topic0, topic1, topic2, topic3];
      const bounds =
        block_number === undefined ? rest : { ...rest, from_block: block_number, to_block: block_number };
      const { rows, blocks, page } = await readList(chain, bounds, (window) =>
        chain.store.logs(address, topics, window),
      );
      return page(rows.map((log) => ({ ...logRow(log), ...placeOf(blocks, log.position) })));
    }),
    routeOf("getContractEvents", async ({ chain: selector, address, topic, data: abi, ...parameters }) => {
      const chain = chainOf(selector);
      const event = eventOf(abi, topic);
      await assertWhole(chain, "the events of a contract");
      const { rows, blocks } = await readList(chain, parameters, (window) =>
        chain.store.logs(address, [topic], window),
      );
      return rows.flatMap((log): JsonValue[] => {
        const data = decodeEvent(event, log);
        // Another event may have the same topic and index other values: that one is not what was asked for.
        if (!data) return [];
        return [
          {
            transaction_hash: log.transactionHash,
            address: log.address,
            ...placeOf(blocks, log.position),
            data,
          },
        ];
      });
    }),
  ];
}

function logRow(log: IndexedLog) {
  return {
    transaction_hash: log.transactionHash,
    address: log.address,
    data: log.data,
    ...topicsObject(log.topics),
  };
}

/** The event of a topic among the entries of an ABI. Throws ProtocolError with HTTP 400. */
export function eventOf(entries: JsonObject[], topic: string): AbiEvent {
  const events = abiEntries(entries).filter((entry): entry is AbiEvent => entry.type === "event");
  if (events.length === 0) throw refused("abi must hold an event");
  const found = events.find((event) => toEventSelector(event) === topic);
  if (found) return found;
  throw refused(
    `topic is not that of an event in abi: ${events.map((event) => `${event.name} has ${toEventSelector(event)}`).join(", ")}`,
  );
}

function refused(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.VALIDATION_ERROR, message, 400);
}

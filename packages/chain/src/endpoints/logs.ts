import { ErrorCode, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import { type Abi, type AbiEvent, decodeEventLog, type Hex, toEventSelector } from "viem";
import type { IndexedLog } from "../store/chainStore.ts";
import { abiEntries } from "./abi.ts";
import { jsonOf } from "./abiValues.ts";
import { assertWhole, type ChainOf } from "./followed.ts";
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
        const data = decoded(event, log);
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

/** What a log says, by the names of an event's inputs; undefined for a log of another event. */
export function decoded(
  event: AbiEvent,
  { topics, data }: Pick<IndexedLog, "topics" | "data">,
): JsonObject | undefined {
  const [first, ...others] = topics.map(hexOf);
  if (first === undefined) return undefined;
  try {
    const abi: Abi = [event];
    const { args } = decodeEventLog({ abi, topics: [first, ...others], data: hexOf(data), strict: true });
    const values: unknown = args ?? [];
    const named = event.inputs.map((input, i): [string, JsonValue] => {
      const value = Array.isArray(values) ? values[i] : Object(values)[input.name ?? ""];
      return [input.name || String(i), jsonOf(value, input)];
    });
    return Object.fromEntries(named);
  } catch {
    return undefined;
  }
}

function hexOf(text: string): Hex {
  return `0x${text.slice(2)}`;
}

function refused(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.VALIDATION_ERROR, message, 400);
}

import type { JsonObject } from "@purse/protocol";
import { type AbiEvent, toEventSelector } from "viem";
import { parseAbiEntries } from "../abi/abiEntries.ts";
import { decodeEvent } from "../abi/decodeEvent.ts";
import { invalid } from "../model/requestErrors.ts";
import type { RawLog } from "../model/rows.ts";
import { requireFullIndex, type SelectChain, selectFullIndex } from "./chainContext.ts";
import { withKeptEvents } from "./eventRetention.ts";
import { blockBounds, blockFields, readList } from "./pagination.ts";
import type { Handlers } from "./routes.ts";
import { topicsToJson } from "./transactions.ts";

/** Logs of contracts, raw and decoded. */
export function logHandlers(selectChain: SelectChain) {
  return {
    getLogsByAddress: async ({ chain: selector, address, block_number, order, ...parameters }) => {
      const chain = await selectFullIndex(selectChain, selector, "the logs of a contract");
      const { topic0, topic1, topic2, topic3, ...rest } = parameters;
      const topics = [topic0, topic1, topic2, topic3];
      const bounds =
        block_number === undefined ? rest : { ...rest, from_block: block_number, to_block: block_number };
      const { rows, blocks, page } = await readList(
        chain,
        bounds,
        (window) => chain.store.logs(address, topics, window),
        order === "asc",
      );
      return page(rows.map((log) => ({ ...logToJson(log), ...blockFields(blocks, log.position) })));
    },
    getContractEvents: async ({ chain: selector, address, topic, data: abi, ...parameters }) => {
      const chain = selectChain(selector);
      const event = findEvent(abi, topic);
      await requireFullIndex(chain, "the events of a contract");
      // The response is an array, which cannot say that events are missing.
      const { fromBlock = 0 } = await blockBounds(chain, parameters);
      const { rows, blocks } = await withKeptEvents(chain, fromBlock, "the events of a contract", () =>
        readList(chain, { ...parameters, disable_total: true }, (window) =>
          chain.store.logs(address, [topic], window),
        ),
      );
      return rows.flatMap((log) => {
        const data = decodeEvent(event, log);
        // Another event can have the same topic but other indexed inputs; skip its logs.
        if (!data) return [];
        return [
          {
            transaction_hash: log.transactionHash,
            address: log.address,
            ...blockFields(blocks, log.position),
            data,
          },
        ];
      });
    },
  } satisfies Partial<Handlers>;
}

function logToJson(log: RawLog) {
  return {
    transaction_hash: log.transactionHash,
    address: log.address,
    data: log.data,
    ...topicsToJson(log.topics),
  };
}

/** Finds the event with the topic in an ABI. Throws ProtocolError with HTTP 400. */
function findEvent(entries: JsonObject[], topic: string): AbiEvent {
  const events = parseAbiEntries(entries).filter((entry): entry is AbiEvent => entry.type === "event");
  if (events.length === 0) throw invalid("abi must contain an event");
  const found = events.find((event) => toEventSelector(event) === topic);
  if (found) return found;
  throw invalid(
    `no event in abi has this topic: ${events.map((event) => `${event.name} has ${toEventSelector(event)}`).join(", ")}`,
  );
}

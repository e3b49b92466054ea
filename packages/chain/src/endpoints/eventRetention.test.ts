import { expect, it } from "vitest";
import { assertEventsKept, EventsRemovedError, firstKeptBlock, withKeptEvents } from "./eventRetention.ts";

/** A chain whose index says which block is the first one with events, while its status may not know. */
function chainWith(
  firstKept: () => number | undefined,
  status: { indexed: number | null; keptFrom?: number },
) {
  return {
    config: { name: "eth" },
    store: { firstKeptBlock: async () => firstKept() },
    status: () => ({ state: "following" as const, ...status }),
  };
}

it("firstKeptBlock() asks the index until the indexer has reported a status", async () => {
  expect(await firstKeptBlock(chainWith(() => 100, { indexed: null }))).toBe(100);
  expect(await firstKeptBlock(chainWith(() => 200, { indexed: 500, keptFrom: 100 }))).toBe(200);
  const never = chainWith(() => expect.fail("the index was read"), { indexed: 500 });
  expect(await firstKeptBlock(never)).toBeUndefined();
});

it("assertEventsKept() rejects with EventsRemovedError for a block before the first kept one", async () => {
  const chain = chainWith(() => 100, { indexed: 500, keptFrom: 100 });
  await assertEventsKept(chain, 100);
  await expect(assertEventsKept(chain, 99)).rejects.toThrow(EventsRemovedError);
});

it("withKeptEvents() refuses events that are removed while they are read with HTTP 503", async () => {
  let first = 100;
  const chain = chainWith(() => first, { indexed: 500, keptFrom: 100 });
  expect(await withKeptEvents(chain, 100, "sales", async () => "all")).toBe("all");
  const removedMeanwhile = withKeptEvents(chain, 100, "sales", async () => {
    first = 200;
    return "a part";
  });
  await expect(removedMeanwhile).rejects.toMatchObject({ status: 503 });
  const before = withKeptEvents(chain, 100, "sales", () => expect.fail("the events were read"));
  const message = expect.stringContaining("before block 200 are no longer kept");
  await expect(before).rejects.toMatchObject({ status: 503, message });
});

import { expect, it } from "vitest";
import { isContinuedAlike } from "./indexDefinition.ts";

it("processes that continue an index can continue one with another start, but not one with other contents", () => {
  const existing = { layout: 6, revision: 7, scope: "chain", startBlock: 100, wrapped: null, at: 5 };
  expect(isContinuedAlike(existing, { layout: 6, scope: "chain", startBlock: 0 })).toBe(true);
  for (const change of [
    { scope: "wallets" },
    { traces: true },
    { wrapped: `0x${"ee".repeat(20)}` },
    { events: "clickhouse" },
  ])
    expect(isContinuedAlike(existing, { ...existing, ...change })).toBe(false);
});

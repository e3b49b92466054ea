import { describe, expect, it } from "vitest";
import { indexerHealth, withIndexer } from "./indexerReadiness.ts";

const ready = async () => ({ status: 200, body: '{"status":"ready"}' });
const answerWith = (state: "ready" | "restarting" | "failed" | undefined) =>
  withIndexer(ready, () =>
    state === undefined ? undefined : { name: "chain indexer", state, restarts: 3 },
  )();

describe("/ready", () => {
  it.each(["ready", "restarting", undefined] as const)(
    "answers as without an indexer while its state is %s",
    async (state) => {
      expect(await answerWith(state)).toEqual(await ready());
    },
  );

  it("answers 503 once the indexer has ended for good", async () => {
    expect(await answerWith("failed")).toMatchObject({
      status: 503,
      body: expect.stringContaining("indexed"),
    });
  });
});

it("/health shows how the indexer fares, and not why it has ended", () => {
  const health = {
    name: "chain indexer",
    state: "restarting",
    restarts: 2,
    lastError: "/srv/data/x",
  } as const;
  expect(indexerHealth(() => health)).toEqual({ state: "restarting", restarts: 2 });
  expect(indexerHealth(() => undefined)).toBeUndefined();
});

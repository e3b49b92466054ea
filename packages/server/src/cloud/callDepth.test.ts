import { describe, expect, it } from "vitest";
import { currentDepth, runAtDepth, traceIdsOfCall } from "./callDepth.ts";

describe("the depth of a call", () => {
  it("belongs to what the call runs, also after it has waited", async () => {
    expect(currentDepth()).toBe(0);
    await runAtDepth(3, async () => {
      await Promise.resolve();
      expect(currentDepth()).toBe(3);
    });
    expect(currentDepth()).toBe(0);
  });

  it("is limited, so that functions that call each other end with 141", () => {
    expect(runAtDepth(20, () => "ran")).toBe("ran");
    expect(() => runAtDepth(21, () => "ran")).toThrow(expect.objectContaining({ code: 141 }));
  });
});

it("log lines of a traced call have the ids of its trace", () => {
  const traceparent = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;
  runAtDepth(
    1,
    () => expect(traceIdsOfCall()).toEqual({ trace_id: "a".repeat(32), span_id: "b".repeat(16) }),
    traceparent,
  );
  runAtDepth(1, () => expect(traceIdsOfCall()).toEqual({}));
});

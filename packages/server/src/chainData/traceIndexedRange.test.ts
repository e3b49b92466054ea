import { afterEach, expect, it } from "vitest";
import { setTracer, type TimedSpan, type Tracer } from "../core/tracing/tracing.ts";
import { recordRange } from "./traceIndexedRange.ts";

afterEach(() => setTracer(undefined));

it("recordRange() records fetching, decoding and writing a range of blocks as steps of one span", () => {
  const recorded: TimedSpan[] = [];
  const tracer: Pick<Tracer, "record"> = { record: (span) => recorded.push(span) };
  setTracer({ ...UNUSED, ...tracer });
  recordRange({
    chainId: 1,
    from: 10,
    to: 19,
    logs: 3,
    startedAt: 1_000,
    fetchedAt: 1_400,
    decodedAt: 1_500,
    writeStartedAt: 1_700,
    writtenAt: 1_900,
  });
  const [span] = recorded;
  expect(span).toMatchObject({ name: "index blocks", startedAt: 1_000, endedAt: 1_900 });
  expect(span?.attributes).toMatchObject({ "purse.chain.id": 1, "purse.chain.to_block": 19 });
  expect(span?.children).toEqual([
    { name: "fetch", startedAt: 1_000, endedAt: 1_400 },
    { name: "decode", startedAt: 1_400, endedAt: 1_500 },
    { name: "write", startedAt: 1_700, endedAt: 1_900 },
  ]);
});

function unused(): never {
  throw new Error("not expected");
}

const UNUSED: Tracer = {
  start: unused,
  run: unused,
  setRoute: unused,
  record: unused,
  traceparent: unused,
  ids: unused,
};

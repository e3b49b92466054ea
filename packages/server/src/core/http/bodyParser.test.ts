import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ANONYMOUS_JSON_LIMITS, parseInSteps } from "./bodyParser.ts";

/** The number of the current turn of the event loop. */
let turn = 0;
let isCounting = false;

beforeEach(() => {
  turn = 0;
  isCounting = true;
  const count = () => {
    turn += 1;
    if (isCounting) setImmediate(count);
  };
  setImmediate(count);
});
afterEach(() => {
  isCounting = false;
  vi.restoreAllMocks();
});

it("parseInSteps() decodes, scans and parses a very large body in turns of their own, and returns in another one", async () => {
  // Time stands still: what is divided does not depend on how long the steps take here.
  vi.spyOn(performance, "now").mockReturnValue(0);
  const body = Buffer.from(JSON.stringify({ text: "x".repeat(200_000) }));
  let decodedIn = 0;
  let parsedIn = 0;
  const { parse } = JSON;
  vi.spyOn(body, "toString").mockImplementation((encoding) => {
    decodedIn = turn;
    return Buffer.prototype.toString.call(body, encoding);
  });
  vi.spyOn(JSON, "parse").mockImplementation((text) => {
    parsedIn = turn;
    return parse(text);
  });

  const fields = await parseInSteps(body, ANONYMOUS_JSON_LIMITS);

  expect(fields).toEqual({ text: "x".repeat(200_000) });
  expect(decodedIn).toBeGreaterThan(0);
  expect(parsedIn).toBeGreaterThan(decodedIn);
  expect(turn).toBeGreaterThan(parsedIn);
});

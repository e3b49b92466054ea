import { buildSchema } from "graphql";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ANONYMOUS } from "../../core/authContext.ts";
import { createPrepareOperation } from "./prepareOperation.ts";

/** The number of the current turn of the event loop, and the turns of the steps. */
const turns = vi.hoisted(() => ({ current: 0, parsed: 0, validated: 0 }));
let isCounting = false;

vi.mock("graphql", async (load) => {
  const graphql = await load<typeof import("graphql")>();
  return {
    ...graphql,
    parse: (...args: Parameters<typeof graphql.parse>) => {
      turns.parsed = turns.current;
      return graphql.parse(...args);
    },
    validate: (...args: Parameters<typeof graphql.validate>) => {
      turns.validated = turns.current;
      return graphql.validate(...args);
    },
  };
});

beforeEach(() => {
  isCounting = true;
  const count = () => {
    turns.current += 1;
    if (isCounting) setImmediate(count);
  };
  setImmediate(count);
});
afterEach(() => {
  isCounting = false;
});

it("prepareOperation() parses and validates a large document in turns of their own", async () => {
  const schema = buildSchema("type Query { health: Boolean }");
  const prepareOperation = createPrepareOperation({
    schemaCache: { get: async () => schema },
    isIntrospectionPublic: false,
    limits: {
      maxDepth: 20,
      maxCost: 1_000,
      defaultLimit: 100,
      maxLimit: undefined,
      maxBodyBytes: 100_000,
      maxAnonymousBodyBytes: 100_000,
      maxUploadBytes: 0,
    },
  });
  const fields = Array.from({ length: 90 }, (_, i) => `${"a".repeat(50)}${i}: health`);

  const prepared = await prepareOperation(
    { query: `{ ${fields.join(" ")} }` },
    { auth: ANONYMOUS, ip: "192.0.2.1" },
  );

  expect(prepared).toHaveProperty("operation");
  expect(turns.parsed).toBeGreaterThan(0);
  // It is measured between these.
  expect(turns.validated).toBeGreaterThan(turns.parsed + 1);
});

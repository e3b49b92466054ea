import { graphOf } from "./graph.ts";
import { type RequestAttack, repeat } from "./requestAttack.ts";
import { SHAPES } from "./shapes.ts";
import type { HostileRequest, Target } from "./target.ts";

const message = (
  target: Target,
  method: string,
  params: string,
  token = target.sessionToken,
): HostileRequest => ({
  path: "/mcp",
  headers: {
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
    Authorization: `Bearer ${token}`,
  },
  body: `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`,
});

const call = (target: Target, name: string, args: unknown): HostileRequest =>
  message(target, "tools/call", JSON.stringify({ name, arguments: args }));

/** The most that a message may have. */
const MAX_BYTES = 256 * 1024 - 1_024;

/** Messages of AI tools: of a user, of whom everybody may be one. */
export const MCP: readonly RequestAttack[] = [
  {
    generator: "an object of 1 MB",
    make: async (target) => [
      call(target, "get_object", { className: "Knot", objectId: (await graphOf(target)).largeId }),
    ],
  },
  {
    generator: "60 objects that include one of 1 MB",
    make: (target) => call(target, "query_objects", { className: "Wide", include: ["next"], limit: 60 }),
  },
  {
    generator: "60 × 100 pointers to an object of 1 MB",
    make: (target) => call(target, "query_objects", { className: "Wide", include: ["all"], limit: 60 }),
  },
  {
    generator: "200 objects with all that they include, 5 times at a time",
    isConcurrent: true,
    make: (target) =>
      repeat(5, (i) =>
        call(target, "query_objects", { className: "Knot", include: ["all"], limit: 60, skip: i }),
      ),
  },
  {
    generator: "words of the documentation",
    isConcurrent: true,
    make: (target) =>
      repeat(10, (i) => call(target, "search_docs", { query: `the a of ${"query ".repeat(30)}${i}` })),
  },
  {
    generator: "200 tokens that are not valid",
    isConcurrent: true,
    make: (target) =>
      repeat(200, (i) => message(target, "tools/list", "{}", `r:${i.toString(16).padStart(32, "0")}`)),
  },
  {
    generator: "unknown methods and tools",
    make: (target) => [
      message(target, "x".repeat(200_000), "{}"),
      call(target, "x".repeat(200_000), {}),
      call(target, "get_object", { className: "x".repeat(200_000), objectId: "y" }),
    ],
  },
  {
    generator: "values of every shape",
    make: (target, random) =>
      SHAPES.map(({ make }) =>
        message(
          target,
          "tools/call",
          `{"name":"query_objects","arguments":{"className":"Knot","where":{"a":${make(MAX_BYTES, random)}}}}`,
        ),
      ),
  },
];

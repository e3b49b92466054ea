import type { JsonObject } from "@purse/protocol";
import * as z from "zod/mini";
import type { ConsoleMethod } from "../consoleRequest.ts";

/** A value of a script as the console shows it: text, and the entries of objects. */
export interface ValueTree {
  kind: "string" | "literal" | "function" | "object" | "error";
  text: string;
  entries?: { key: string; value: ValueTree }[];
  /** Number of entries that were left out. */
  omitted?: number;
}

/** A request of the SDK in a script, to the Parse API. */
export interface ScriptRequest {
  method: ConsoleMethod;
  /** Below the URL of the Parse API. */
  path: string;
  body?: JsonObject;
}

/** What the studio sends to the worker. */
export type StudioMessage =
  | { type: "open"; origin: string }
  | { type: "run"; code: string }
  | { type: "response"; id: number; status: number; body: string };

const tree: z.ZodMiniType<ValueTree> = z.lazy(() =>
  z.object({
    kind: z.enum(["string", "literal", "function", "object", "error"]),
    text: z.string(),
    entries: z.optional(z.array(z.object({ key: z.string(), value: tree }))),
    omitted: z.optional(z.int()),
  }),
);

/** What the worker sends. Its scripts are not trusted: every message is validated. */
export const workerMessage = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("output"),
    level: z.enum(["log", "warn", "error", "result"]),
    values: z.array(tree),
  }),
  z.object({
    type: z.literal("request"),
    id: z.int(),
    method: z.enum(["GET", "POST", "PUT", "DELETE"]),
    path: z.string(),
    body: z.optional(z.custom<JsonObject>(isObject)),
  }),
  z.object({ type: z.literal("done"), ms: z.number() }),
]);
export type WorkerMessage = z.infer<typeof workerMessage>;
export type ScriptOutput = Omit<Extract<WorkerMessage, { type: "output" }>, "type">;

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

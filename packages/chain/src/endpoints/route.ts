import type { JsonValue } from "@purse/protocol";

/** One endpoint: served below `/api/v2` and, under its function's name, as a server function. */
export interface Route {
  method: "GET" | "POST" | "PUT";
  /** With named segments: `/:address/erc20`. */
  path: string;
  functionName: string;
  /** Under which later clients call it. */
  otherNames: readonly string[];
  /** HTTP status of an answer. */
  status: number;
  /** The parameter that the whole body of a request is; undefined where its properties are parameters. */
  wholeBody: string | undefined;
  /** Takes path, query and body parameters in one object. Rejects with ProtocolError, which has an HTTP status. */
  run(params: Record<string, unknown>): Promise<JsonValue>;
  /** The same, with the HTTP status that this answer has. */
  answer(params: Record<string, unknown>): Promise<{ status: number; body: JsonValue }>;
}

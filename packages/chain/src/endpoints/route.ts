import type { JsonValue } from "@purse/protocol";

/** An endpoint that is served below `/api/v2` and as a cloud function. */
export interface Route {
  method: "GET" | "POST" | "PUT";
  /** With named segments: `/:address/erc20`. */
  path: string;
  functionName: string;
  /** Names of the function in later clients. */
  aliases: readonly string[];
  /** Whether it refreshes what is stored, although its method is GET. */
  refreshes: boolean;
  /** The parameter that is the whole request body; undefined if the body has properties. */
  bodyParameter: string | undefined;
  /**
   * Executes the endpoint with path, query and body parameters in one object. Rejects with ProtocolError, which has
   * an HTTP status.
   */
  run(params: Record<string, unknown>): Promise<JsonValue>;
  /** Like `run`, but returns the HTTP status as well. */
  runWithStatus(params: Record<string, unknown>): Promise<{ status: number; body: JsonValue }>;
}

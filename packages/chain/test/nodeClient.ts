import type { JsonValue } from "@purse/protocol";
import { HttpTransport } from "../src/node/httpTransport.ts";

const MAX_BYTES = 512 * 1024 * 1024;

/** Sends JSON-RPC messages to a node and returns its responses, in a fraction of the CPU time of `fetch`. */
export function nodeClient(url: string): (message: JsonValue) => Promise<JsonValue> {
  const transport = new HttpTransport(url);
  const { signal } = new AbortController();
  return async (message) => {
    const { text } = await transport.send(JSON.stringify(message), [], MAX_BYTES, signal);
    return JSON.parse(text);
  };
}

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { JsonObject, JsonValue } from "@purse/protocol";
import { nodeClient } from "./nodeClient.ts";

export interface ProxyNode {
  url: string;
  /** The requested methods in order. */
  methods: string[];
  stop(): Promise<void>;
}

interface RpcRequest {
  id: JsonValue;
  method: string;
  params: JsonValue[];
}

/** Intercepts a call: returns a response, or nothing to forward the call. */
export type Intercept = (call: RpcRequest) => { result: JsonValue } | { error: JsonObject } | undefined;

/** Changes a result of the node behind the proxy. */
export type RewriteResult = (call: RpcRequest, result: JsonValue) => JsonValue;

/** Starts a proxy for a node that changes some responses. */
export async function proxyNode(
  target: string,
  intercept: Intercept,
  rejectRequest?: (calls: RpcRequest[], response: ServerResponse) => boolean,
  rewriteResult?: RewriteResult,
): Promise<ProxyNode> {
  const methods: string[] = [];
  const post = nodeClient(target);

  /** Forwards the calls that are not intercepted in one request. */
  async function answer(calls: readonly RpcRequest[]): Promise<JsonValue[]> {
    const own = calls.map((call) => intercept(call));
    const forwarded = calls.filter((_, i) => !own[i]).map((call) => ({ jsonrpc: "2.0", ...call }));
    const [first = null] = forwarded;
    const answered = forwarded.length > 1 ? await post(forwarded) : first && [await post(first)];
    const answers = Array.isArray(answered) ? answered.values() : [].values();
    return calls.map((call, i) => {
      const intercepted = own[i];
      if (intercepted) return { jsonrpc: "2.0", id: call.id, ...intercepted };
      const found: JsonObject = Object(answers.next().value);
      return rewriteResult && found.result !== undefined
        ? { ...found, result: rewriteResult(call, found.result) }
        : found;
    });
  }

  const server = createServer(async (request, response) => {
    const body: RpcRequest | RpcRequest[] = JSON.parse(await textOf(request));
    const calls = Array.isArray(body) ? body : [body];
    for (const { method } of calls) methods.push(method);
    if (rejectRequest?.(calls, response)) return;
    const answers = await answer(calls).catch(() => undefined);
    if (!answers) return response.destroy();
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(Array.isArray(body) ? answers : answers[0]));
  });
  return { url: await listen(server), methods, stop: () => close(server) };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

export function listen(server: Server): Promise<string> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(`http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`);
    });
  });
}

export function close(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}

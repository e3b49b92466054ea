import { isJsonObject, type JsonObject } from "@purse/protocol";
import type { ConsoleMethod } from "../consoleRequest.ts";
import type { ScriptRequest } from "./messages.ts";

/** What a request of the SDK says about its sender and itself; the studio says it instead. */
const ENVELOPE = [
  "_method",
  "_ApplicationId",
  "_MasterKey",
  "_JavaScriptKey",
  "_ClientVersion",
  "_InstallationId",
  "_RevocableSession",
  "_noBody",
];

/**
 * A `fetch` for the SDK, which sends requests to the Parse API at `serverUrl` by `send`. Rejects with TypeError for
 * requests that the console cannot send; the SDK reports them as failed connections.
 */
export function createBridgeFetch(
  serverUrl: string,
  send: (request: ScriptRequest) => Promise<{ status: number; body: string }>,
): typeof fetch {
  return async (input, init = {}) => {
    const request = toScriptRequest(serverUrl, String(input), init);
    if (typeof request === "string") return refuse(request);
    const { status, body } = await send(request);
    init.signal?.throwIfAborted();
    return new Response(body, { status, headers: { "content-type": "application/json" } });
  };
}

/** The request, or why the console cannot send it. */
function toScriptRequest(serverUrl: string, url: string, init: RequestInit): ScriptRequest | string {
  if (!url.startsWith(`${serverUrl}/`)) return "requests to other servers are not possible in the console";
  const path = url.slice(serverUrl.length);
  if (init.body === undefined || init.body === null) return { method: methodOf(init.method ?? "GET"), path };
  if (typeof init.body !== "string") return "the console sends JSON only";
  const body: unknown = JSON.parse(init.body);
  if (!isJsonObject(body)) return "the console sends JSON only";
  if (body._SessionToken !== undefined)
    return "the console does not send session tokens: select a user instead";
  const method = methodOf(typeof body._method === "string" ? body._method : (init.method ?? "POST"));
  return { method, path, body: withoutEnvelope(body) };
}

function withoutEnvelope(body: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !ENVELOPE.includes(name)));
}

function methodOf(name: string): ConsoleMethod {
  return name === "POST" || name === "PUT" || name === "DELETE" ? name : "GET";
}

/** An error that the SDK shows with its message, as one of the server. */
function refuse(error: string): Response {
  return new Response(JSON.stringify({ code: 119, error }), { status: 403 });
}

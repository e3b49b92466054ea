import type { JsonObject, JsonValue } from "@purse/protocol";
import { expect } from "vitest";
import { openSocket } from "./liveClient.ts";
import { type Purse, rest, signUp } from "./purse.ts";
import { send as sendRequest } from "./send.ts";

/** A request to try, and the error codes that may reject it; null means success without effect. */
export interface Attempt {
  method: "GET" | "POST" | "PUT" | "DELETE";
  path: string;
  params?: JsonObject;
  codes: (number | null)[];
}

export interface AttemptAnswer {
  status: number;
  code: number | null;
  text: string;
}

/** The ways to send a request of the Parse protocol. */
export const TRANSPORTS = ["REST", "overridden method", "batch"] as const;
export type Transport = (typeof TRANSPORTS)[number];

export const IDENTITIES = ["an anonymous client", "a user", "the read-only key", "the master key"] as const;
export type Identity = (typeof IDENTITIES)[number];

export const READ_ONLY_KEY = "only-for-looking";

export interface AttackTarget {
  send(transport: Transport, who: Identity, attempt: Attempt): Promise<AttemptAnswer>;
  /** Sends a POST as legacy clients do, with a raw body. */
  post(path: string, body: string): Promise<AttemptAnswer>;
  /** Subscribes to a query; returns the error code if it is refused, else null. */
  subscribe(who: Identity, className: string, where: JsonValue): Promise<number | null>;
  /** Expects that other clients are still served immediately. */
  expectAlive(): Promise<void>;
}

/** How a client identifies itself: in headers, and in the body of requests of old clients. */
export interface Keys {
  headers: Readonly<Record<string, string>>;
  envelope: JsonObject;
}

/** Sends a POST as legacy clients do, with a raw body. */
async function postRaw(purse: Purse, path: string, body: string): Promise<AttemptAnswer> {
  const headers = { "Content-Type": "text/plain" };
  const answer = await sendRequest(`${purse.serverUrl}${path}`, { method: "POST", headers, body });
  return answerOf(answer.status, answer.text);
}

/** Sends a request of a client by a transport. */
export async function sendAttempt(
  purse: Purse,
  transport: Transport,
  keys: Keys,
  attempt: Attempt,
): Promise<AttemptAnswer> {
  const { method, path, params = {} } = attempt;
  const envelope = { _ApplicationId: purse.appId, ...keys.envelope };
  if (transport === "overridden method") {
    // Serialized manually, so that keys that JavaScript treats specially arrive unchanged.
    const own = JSON.stringify({ ...envelope, _method: method }).slice(0, -1);
    const more = stringify(params).slice(1);
    return postRaw(purse, path, more === "}" ? `${own}}` : `${own},${more}`);
  }
  if (transport === "batch") {
    const entry = `{"method":"${method}","path":${JSON.stringify(`/server${path}`)},"body":${stringify(params)}}`;
    const answer = await postRaw(
      purse,
      "/batch",
      `${JSON.stringify(envelope).slice(0, -1)},"requests":[${entry}]}`,
    );
    const entries: unknown = JSON.parse(answer.text);
    if (!Array.isArray(entries)) return answer;
    const [{ error, success }] = entries;
    return { status: error ? 400 : 200, code: error?.code ?? null, text: JSON.stringify(error ?? success) };
  }
  const texts = Object.entries(params).map(([name, value]) => [
    name,
    typeof value === "string" ? value : stringify(value),
  ]);
  const search = method === "GET" ? `?${new URLSearchParams(texts)}` : "";
  // Parameters that are too long for a URL are sent by another transport.
  if (search.length > 15_000) return sendAttempt(purse, "overridden method", keys, attempt);
  const answer = await sendRequest(`${purse.serverUrl}${path}${search}`, {
    method,
    headers: {
      "X-Parse-Application-Id": purse.appId,
      ...keys.headers,
      "Content-Type": "application/json",
    },
    body: method === "POST" || method === "PUT" ? stringify(params) : undefined,
  });
  return answerOf(answer.status, answer.text);
}

/** The transports to a server that was started with READ_ONLY_KEY, and a user who uses them. */
export async function attack(purse: Purse): Promise<AttackTarget & { sessionToken: string; userId: string }> {
  const { sessionToken, id: userId } = await signUp(purse);
  await rest(purse, "POST", "/classes/Alive", { n: 1 }, { useMasterKey: true });

  const keysOf = (identity: Identity): Keys => {
    if (identity === "an anonymous client") return { headers: {}, envelope: {} };
    if (identity === "a user") {
      const headers = { "X-Parse-Session-Token": sessionToken };
      return { headers, envelope: { _SessionToken: sessionToken } };
    }
    const key = identity === "the master key" ? purse.masterKey : READ_ONLY_KEY;
    return { headers: { "X-Parse-Master-Key": key }, envelope: { _MasterKey: key } };
  };
  const post: AttackTarget["post"] = (path, body) => postRaw(purse, path, body);
  const send: AttackTarget["send"] = (transport, who, attempt) =>
    sendAttempt(purse, transport, keysOf(who), attempt);

  async function subscribe(who: Identity, className: string, where: JsonValue): Promise<number | null> {
    const client = await openSocket(purse);
    const { _SessionToken, _MasterKey } = keysOf(who).envelope;
    const connect = { op: "connect", applicationId: purse.appId };
    await client.request({ ...connect, sessionToken: _SessionToken, masterKey: _MasterKey });
    const query = `{"className":${JSON.stringify(className)},"where":${stringify(where)}}`;
    const pendingAnswer = client.request(`{"op":"subscribe","requestId":1,"query":${query}}`);
    // A message that is too large closes the socket.
    const answer = await Promise.race([
      pendingAnswer,
      client.closed.then(() => ({ op: "error", code: 102 })),
    ]);
    client.socket.terminate();
    return answer.op === "subscribed" ? null : (answer.code ?? -1);
  }

  async function expectAlive(): Promise<void> {
    const started = performance.now();
    const answer = await send("REST", "an anonymous client", {
      method: "GET",
      path: "/classes/Alive",
      params: { where: { n: 1 } },
      codes: [],
    });
    expect([answer.status, /"n": ?1\b/.test(answer.text)]).toEqual([200, true]);
    expect(performance.now() - started).toBeLessThan(2_000);
  }

  return { send, post, subscribe, expectAlive, sessionToken, userId };
}

function answerOf(status: number, text: string): AttemptAnswer {
  const body: unknown = JSON.parse(text);
  const code = typeof body === "object" && body !== null && "code" in body ? Number(body.code) : null;
  return { status, code, text };
}

/** JSON.stringify, but for values too deep for it. */
function stringify(value: JsonValue): string {
  try {
    return JSON.stringify(value);
  } catch {
    return String(value);
  }
}

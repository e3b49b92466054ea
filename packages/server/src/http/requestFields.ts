import type { IncomingMessage } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import {
  CLIENT_JSON,
  ErrorCode,
  isJsonObject,
  type JsonLimits,
  type JsonObject,
  ProtocolError,
  parseJson,
} from "@purse/protocol";
import { tooLarge, withBody } from "./body.ts";
import type { BodyMemory } from "./bodyMemory.ts";
import { addSearch, MAX_FORM_BYTES } from "./form.ts";

/** How much of a body is parsed, by who sends it. */
export interface BodyLimits {
  bytes: number;
  json: JsonLimits;
}

/** For those who do not show the application's id. */
export const UNKNOWN_CLIENT: BodyLimits = {
  bytes: 256 * 1024,
  json: { ...CLIENT_JSON, nodes: 5_000, values: 20_000 },
};
/** For clients without a session; how many bytes is a setting. */
export const ANONYMOUS_JSON: JsonLimits = { ...CLIENT_JSON, nodes: 40_000, values: 200_000 };
/** For holders of the master key, who could do worse. */
export const MASTER_JSON: JsonLimits = {
  depth: CLIENT_JSON.depth,
  nodes: 5_000_000,
  values: 20_000_000,
  escapes: 50_000_000,
};

/** Bodies from this size on take long enough to be read in several turns of the request loop, in bytes. */
const LARGE_BYTES = 1024 * 1024;
/** Bodies up to this size hold no more than anonymous clients may send: who sends them makes no difference. In bytes. */
const SMALL_BYTES = 2 * ANONYMOUS_JSON.nodes;
/** Credentials are no longer. */
const MAX_CREDENTIAL_LENGTH = 4_096;

export interface RequestFieldsOptions {
  appId: string;
  isMasterKey(key: string, message: IncomingMessage): boolean;
  /** Whether a session token is good now. */
  isSession(token: string): Promise<boolean>;
  /** Bytes of a body: with a session or the master key, and without. */
  maxBodyBytes: number;
  maxAnonymousBodyBytes: number;
  memory: BodyMemory;
}

/** Reads the body of a request of the Parse protocol and hands its fields to `use`. */
export type WithFields = <T>(message: IncomingMessage, use: (fields: JsonObject) => Promise<T>) => Promise<T>;

/**
 * Makes what reads bodies: JSON, whatever the content type says, or an HTML form. Nothing is parsed before it is known
 * who may send so much: credentials of old clients, which stand in the body, are searched for as text. They are judged
 * only when the body has been parsed; until then they decide how large it may be.
 */
export function createWithFields(options: RequestFieldsOptions): WithFields {
  const { appId, maxBodyBytes, memory } = options;
  const quotedAppId = Buffer.from(JSON.stringify(appId));

  return function withFields(message, use) {
    assertApplicationHeader(message, appId);
    return withBody(message, maxBodyBytes, memory, (body) => fieldsOf(message, body), use);
  };

  async function fieldsOf(message: IncomingMessage, body: Buffer): Promise<JsonObject> {
    if (isForm(message) && !startsWithBrace(body)) return parseForm(body);
    const limits = await limitsFor(message, body);
    if (body.length > limits.bytes) throw tooLarge(limits.bytes);
    // Requests of others come between the steps of a large one.
    const isLarge = body.length > LARGE_BYTES;
    if (isLarge) await nextTurn();
    const fields = parseFields(body, limits.json);
    if (isLarge) await nextTurn();
    return fields;
  }

  async function limitsFor(message: IncomingMessage, body: Buffer): Promise<BodyLimits> {
    const isKnown = headerOf(message, "x-parse-application-id") !== undefined || body.includes(quotedAppId);
    if (!isKnown) {
      // Large bodies are not even parsed to find out what is wrong with them.
      if (body.length > UNKNOWN_CLIENT.bytes) throw unauthorized();
      return UNKNOWN_CLIENT;
    }
    const anonymous = { bytes: options.maxAnonymousBodyBytes, json: ANONYMOUS_JSON };
    if (body.length <= SMALL_BYTES) return anonymous;
    const masterKey = credential(message, body, "x-parse-master-key", "_MasterKey");
    if (masterKey !== undefined && options.isMasterKey(masterKey, message)) {
      return { bytes: maxBodyBytes, json: MASTER_JSON };
    }
    const token = credential(message, body, "x-parse-session-token", "_SessionToken");
    if (token !== undefined && (await options.isSession(token)))
      return { bytes: maxBodyBytes, json: CLIENT_JSON };
    return anonymous;
  }
}

/** Throws 119 (HTTP 403) where a header names another application. */
export function assertApplicationHeader(message: IncomingMessage, appId: string): void {
  const named = headerOf(message, "x-parse-application-id");
  if (named !== undefined && named !== appId) throw unauthorized();
}

/** The fields of a JSON body. Throws 107 for what is no JSON object, and as `parseJson` for too much of it. */
export function parseFields(body: Buffer, limits: JsonLimits): JsonObject {
  if (body.length === 0) return {};
  let value: unknown;
  try {
    value = parseJson(body.toString("utf8"), limits);
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    throw new ProtocolError(ErrorCode.INVALID_JSON, "invalid JSON: the body is not valid JSON");
  }
  if (!isJsonObject(value)) throw new ProtocolError(ErrorCode.INVALID_JSON, "the body must be a JSON object");
  if (Object.hasOwn(value, "__proto__"))
    throw new ProtocolError(ErrorCode.INVALID_KEY_NAME, "Invalid key name: __proto__");
  return value;
}

function parseForm(body: Buffer): JsonObject {
  if (body.length > MAX_FORM_BYTES) throw tooLarge(MAX_FORM_BYTES);
  const fields: JsonObject = {};
  addSearch(fields, body.toString("utf8"));
  return fields;
}

function isForm({ headers }: IncomingMessage): boolean {
  return headers["content-type"]?.startsWith("application/x-www-form-urlencoded") ?? false;
}

/** Old clients send JSON as forms. */
function startsWithBrace(body: Buffer): boolean {
  return body.toString("latin1", 0, 1_000).trimStart().startsWith("{");
}

/** A credential of the header, or of the body: the text behind the last key of that name. */
function credential(message: IncomingMessage, body: Buffer, header: string, key: string): string | undefined {
  const at = body.lastIndexOf(`"${key}"`);
  if (at < 0) return headerOf(message, header);
  const from = at + key.length + 2;
  const following = body.toString("utf8", from, from + MAX_CREDENTIAL_LENGTH);
  return /^\s*:\s*"([^"\\]*)"/.exec(following)?.[1];
}

function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

function unauthorized(): ProtocolError {
  return new ProtocolError(ErrorCode.OPERATION_FORBIDDEN, "unauthorized", 403);
}

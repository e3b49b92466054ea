import type { IncomingMessage } from "node:http";
import {
  assertWithinJsonLimits,
  CLIENT_JSON,
  ErrorCode,
  isJsonObject,
  type JsonLimits,
  type JsonObject,
  ProtocolError,
  parseJson,
  readEmptyArrayAsObject,
} from "@purse/protocol";
import type { AuthContext } from "../authContext.ts";
import { isTurnUsedUp, ownTurn } from "../limits/timeSlicer.ts";
import { UnauthorizedError } from "../unauthorizedError.ts";
import { hasBody, payloadTooLarge, withBody } from "./body.ts";
import type { BodyMemory } from "./bodyMemory.ts";
import { isCompressed } from "./contentEncoding.ts";
import { addQueryParams, MAX_FORM_BYTES } from "./parseForm.ts";

/** Limits of a body, by who sends it. */
export interface BodyLimits {
  bytes: number;
  json: JsonLimits;
}

/** For clients that do not send the application id. */
export const UNIDENTIFIED_CLIENT_LIMITS: BodyLimits = {
  bytes: 256 * 1024,
  json: { ...CLIENT_JSON, nodes: 5_000, values: 20_000 },
};
/** For clients without a session; the size in bytes is a setting. */
export const ANONYMOUS_JSON_LIMITS: JsonLimits = { ...CLIENT_JSON, nodes: 40_000, values: 200_000 };
/** For the master key, which could do worse. */
export const MASTER_JSON_LIMITS: JsonLimits = {
  depth: CLIENT_JSON.depth,
  nodes: 5_000_000,
  values: 20_000_000,
  escapes: 50_000_000,
};

/** Limits of the JSON of requests whose sender has been authenticated. */
export const CLIENT_BODY_LIMITS: Readonly<Record<AuthContext["kind"], JsonLimits>> = {
  anonymous: ANONYMOUS_JSON_LIMITS,
  user: CLIENT_JSON,
  maintenance: CLIENT_JSON,
  master: MASTER_JSON_LIMITS,
};

/** Bodies of at least this size (in bytes) are parsed in steps, between which other requests are served. */
const LARGE_BYTES = 4 * 1024;
/** A step of a body of this size may take longer than a turn has. */
const VERY_LARGE_BYTES = 128 * 1024;
/**
 * Bodies up to this size (in bytes) never exceed the limits of anonymous clients, so credentials need not be checked.
 */
const SMALL_BYTES = 2 * ANONYMOUS_JSON_LIMITS.nodes;
/** Maximum length of a credential. */
const MAX_CREDENTIAL_LENGTH = 4_096;

/** What decides whether the sender of a body is known. */
export interface SenderChecks {
  isMasterKey(key: string, message: IncomingMessage): boolean;
  /** Whether a session token is valid now. */
  isValidSession(token: string): Promise<boolean>;
}

export interface BodyParserOptions extends SenderChecks {
  appId: string;
  /** Maximum size of a body in bytes: with a session or the master key, and without. */
  maxBodyBytes: number;
  maxAnonymousBodyBytes: number;
  memory: BodyMemory;
}

/** Reads the body of a request of the Parse API and passes its fields to `handle`. */
export type WithParsedBody = <T>(
  message: IncomingMessage,
  handle: (fields: JsonObject) => Promise<T>,
) => Promise<T>;

/**
 * Creates the body parser: JSON of any content type, or an HTML form. Nothing is parsed before the size limit of the
 * sender is known: credentials of old clients, which are in the body, are searched for as text. They are verified after
 * the body has been parsed; until then they only determine how large it may be.
 */
export function createBodyParser(options: BodyParserOptions): WithParsedBody {
  const { appId, maxBodyBytes, memory } = options;
  const quotedAppId = Buffer.from(JSON.stringify(appId));

  return async function withParsedBody(message, handle) {
    assertApplicationHeader(message, appId);
    if (!hasBody(message)) return handle({});
    const maxBytes = isCompressed(message) ? await maxDecompressedBytes(message) : maxBodyBytes;
    return await withBody(message, maxBytes, memory, (body) => parseBody(message, body), handle);
  };

  /** A few compressed bytes cost as much as a large body: more than others may send takes credentials in headers. */
  async function maxDecompressedBytes(message: IncomingMessage): Promise<number> {
    return (await isKnownSender(message, options))
      ? maxBodyBytes
      : Math.min(maxBodyBytes, options.maxAnonymousBodyBytes);
  }

  function parseBody(message: IncomingMessage, body: Buffer): JsonObject | Promise<JsonObject> {
    if (isForm(message) && !startsWithBrace(body)) return parseForm(body);
    const isSmall = body.length <= Math.min(SMALL_BYTES, options.maxAnonymousBodyBytes);
    return isSmall && headerOf(message, "x-parse-application-id") !== undefined
      ? parseInSteps(body, ANONYMOUS_JSON_LIMITS)
      : parseWithinLimits(message, body);
  }

  async function parseWithinLimits(message: IncomingMessage, body: Buffer): Promise<JsonObject> {
    const limits = await limitsFor(message, body);
    if (body.length > limits.bytes) throw payloadTooLarge(limits.bytes);
    return parseInSteps(body, limits.json);
  }

  async function limitsFor(message: IncomingMessage, body: Buffer): Promise<BodyLimits> {
    const namesApplication =
      headerOf(message, "x-parse-application-id") !== undefined || body.includes(quotedAppId);
    if (!namesApplication) {
      // Large bodies are not even parsed to find out what is wrong with them.
      if (body.length > UNIDENTIFIED_CLIENT_LIMITS.bytes) throw new UnauthorizedError("applicationId");
      return UNIDENTIFIED_CLIENT_LIMITS;
    }
    const anonymous = { bytes: options.maxAnonymousBodyBytes, json: ANONYMOUS_JSON_LIMITS };
    if (body.length <= SMALL_BYTES) return anonymous;
    const masterKey = findCredential(message, body, "x-parse-master-key", "_MasterKey");
    if (masterKey !== undefined && options.isMasterKey(masterKey, message)) {
      return { bytes: maxBodyBytes, json: MASTER_JSON_LIMITS };
    }
    const token = findCredential(message, body, "x-parse-session-token", "_SessionToken");
    if (token !== undefined && (await options.isValidSession(token)))
      return { bytes: maxBodyBytes, json: CLIENT_JSON };
    return anonymous;
  }
}

/** Whether the headers of a request have the master key or the token of a valid session. */
export async function isKnownSender(message: IncomingMessage, checks: SenderChecks): Promise<boolean> {
  const masterKey = headerOf(message, "x-parse-master-key");
  if (masterKey !== undefined && checks.isMasterKey(masterKey, message)) return true;
  const token = headerOf(message, "x-parse-session-token");
  return token !== undefined && checks.isValidSession(token);
}

/** Throws 119 (HTTP 403) if a header names another application. */
export function assertApplicationHeader(message: IncomingMessage, appId: string): void {
  const sentAppId = headerOf(message, "x-parse-application-id");
  if (sentAppId !== undefined && sentAppId !== appId) throw new UnauthorizedError("applicationId");
}

/**
 * Parses the fields of a JSON body. Throws 107 if it is not a JSON object, and the errors of `parseJson` if it is too
 * large.
 */
export function parseJsonBody(body: Buffer, limits: JsonLimits): JsonObject {
  return body.length === 0 ? {} : fieldsOf(() => parseJson(body.toString("utf8"), limits));
}

/** Like `parseJsonBody`. Large bodies are parsed in steps, so that many of them do not hold up the event loop. */
export function parseInSteps(body: Buffer, limits: JsonLimits): JsonObject | Promise<JsonObject> {
  return body.length < LARGE_BYTES ? parseJsonBody(body, limits) : parseLarge(body, limits);
}

async function parseLarge(body: Buffer, limits: JsonLimits): Promise<JsonObject> {
  const isVeryLarge = body.length >= VERY_LARGE_BYTES;
  if (isVeryLarge || isTurnUsedUp()) await ownTurn();
  const text = body.toString("utf8");
  if (isTurnUsedUp()) await ownTurn();
  assertWithinJsonLimits(text, limits);
  if (isVeryLarge || isTurnUsedUp()) await ownTurn();
  const fields = fieldsOf(() => JSON.parse(text));
  // What follows takes about as long.
  if (isVeryLarge || isTurnUsedUp()) await ownTurn();
  return fields;
}

function fieldsOf(parse: () => unknown): JsonObject {
  let value: unknown;
  try {
    value = readEmptyArrayAsObject(parse());
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
  if (body.length > MAX_FORM_BYTES) throw payloadTooLarge(MAX_FORM_BYTES);
  const fields: JsonObject = {};
  addQueryParams(fields, body.toString("utf8"));
  return fields;
}

function isForm({ headers }: IncomingMessage): boolean {
  return headers["content-type"]?.startsWith("application/x-www-form-urlencoded") ?? false;
}

/** Old clients send JSON with the content type of forms. */
function startsWithBrace(body: Buffer): boolean {
  return body.toString("latin1", 0, 1_000).trimStart().startsWith("{");
}

/** Returns a credential from the header or the body: the string after the last key of that name. */
function findCredential(
  message: IncomingMessage,
  body: Buffer,
  header: string,
  key: string,
): string | undefined {
  const keyStart = body.lastIndexOf(`"${key}"`);
  if (keyStart < 0) return headerOf(message, header);
  const valueStart = keyStart + key.length + 2;
  const textAfterKey = body.toString("utf8", valueStart, valueStart + MAX_CREDENTIAL_LENGTH);
  return /^\s*:\s*"([^"\\]*)"/.exec(textAfterKey)?.[1];
}

function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

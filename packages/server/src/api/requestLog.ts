import { isJsonObject, type JsonObject, type JsonValue, tryParseJson } from "@purse/protocol";
import { isSecretName, type Logger } from "../core/logger.ts";

/** A request to be logged. */
interface LoggedRequest {
  method: string;
  /** As it was sent, with the query string. */
  url: string;
  /** The parameters, of the query string and of the body. */
  params: JsonObject;
  requestId: string;
}

/** Logs a request, executes it, and logs how it ended. Rejects as `execute` does. */
export type LogRequest = <T extends { status?: number }>(
  request: LoggedRequest,
  execute: () => Promise<T>,
) => Promise<T>;

const MASK = "********";
/** The token of a link in an email: secret in a request, besides the fields that are secret in any line of the log. */
const EMAIL_TOKEN = "token";
const SESSION_TOKEN = /^r:\w{8,}/;

/** Logs requests and the status of their responses at the level `debug`, with secrets replaced by asterisks. */
export function createRequestLog(logger: Pick<Logger, "debug">): LogRequest {
  return async ({ method, url, params, requestId }, execute) => {
    const [path = "", search] = url.split("?", 2);
    const maskedUrl = search === undefined ? path : `${path}?${maskSearch(search)}`;
    const fields = { method, url: maskedUrl, requestId };
    const inQuery = new Set(new URLSearchParams(search).keys());
    const body = Object.fromEntries(Object.entries(params).filter(([name]) => !inQuery.has(name)));
    logger.debug(
      `REQUEST for [${method}] ${maskedUrl}: ${JSON.stringify(maskFields(body), null, 2)}`,
      fields,
    );
    try {
      const reply = await execute();
      logger.debug(`RESPONSE from [${method}] ${maskedUrl}: ${reply.status ?? 200}`, fields);
      return reply;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      logger.debug(`ERROR of [${method}] ${maskedUrl}: ${reason}`, fields);
      throw error;
    }
  };
}

/** Secret parameters of a query string, also inside of values that are JSON. Others stay as they were sent. */
function maskSearch(search: string): string {
  return search
    .split("&")
    .map((pair) => {
      const [[name, value] = ["", ""]] = new URLSearchParams(pair);
      if (!isSecret(name) && !containsSecret(value)) return pair;
      return `${pair.split("=", 1)[0]}=${MASK}`;
    })
    .join("&");
}

function containsSecret(text: string): boolean {
  if (SESSION_TOKEN.test(text)) return true;
  const value = tryParseJson(text);
  return value !== undefined && JSON.stringify(maskValue(value)) !== JSON.stringify(value);
}

function maskFields(fields: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, isSecret(name) ? MASK : maskValue(value)]),
  );
}

function maskValue(value: JsonValue): JsonValue {
  if (typeof value === "string") return SESSION_TOKEN.test(value) ? MASK : value;
  if (Array.isArray(value)) return value.map(maskValue);
  return isJsonObject(value) ? maskFields(value) : value;
}

function isSecret(name: string): boolean {
  return name === EMAIL_TOKEN || isSecretName(name);
}

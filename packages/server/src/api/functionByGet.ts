import { ErrorCode, ownValue, ProtocolError } from "@purse/protocol";
import { CLIENT_KEY_NAMES, CLIENT_KEYS } from "../core/http/clientKeys.ts";
import type { Envelope } from "../core/http/envelope.ts";

export const FUNCTION_PATH = /^\/functions\/[^/]+$/;
/** They would be in logs and histories. */
const SECRET_FIELDS = ["_MasterKey", "_SessionToken"];

/**
 * Treats `GET /functions/NAME?_ApplicationId=…&param=value` as the same call by POST, as Moralis v1 documents it: with the
 * same rate limits, and parameters as text. The application and the key of the client app may be in the query string,
 * other credentials only in headers. HEAD calls nothing. Returns all other requests unchanged; throws 119 for
 * credentials in the query string.
 */
export function readFunctionCall(envelope: Envelope, verb: string, path: string): Envelope {
  if (verb !== "GET" || !FUNCTION_PATH.test(path)) return envelope;
  const secret = SECRET_FIELDS.find((name) => Object.hasOwn(envelope.params, name));
  if (secret !== undefined) {
    throw new ProtocolError(
      ErrorCode.OPERATION_FORBIDDEN,
      `${secret} cannot be in the query string: send it as a header`,
      403,
    );
  }
  const { _ApplicationId, _InstallationId, ...params } = envelope.params;
  const clientKeys = { ...envelope.clientKeys };
  for (const name of CLIENT_KEYS) {
    const { field } = CLIENT_KEY_NAMES[name];
    clientKeys[name] ??= textOf(ownValue(params, field));
    delete params[field];
  }
  return {
    ...envelope,
    method: "POST",
    appId: envelope.appId ?? textOf(_ApplicationId),
    installationId: envelope.installationId ?? textOf(_InstallationId),
    clientKeys,
    params,
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

import type { IncomingMessage } from "node:http";
import { ErrorCode, type JsonObject, ProtocolError } from "@purse/protocol";
import { withBody } from "../core/http/body.ts";
import type { BodyMemory } from "../core/http/bodyMemory.ts";
import { MASTER_JSON_LIMITS, parseJsonBody, UNIDENTIFIED_CLIENT_LIMITS } from "../core/http/bodyParser.ts";
import { addQueryParams } from "../core/http/parseForm.ts";
import type { Endpoint } from "../studioApi/endpoint.ts";
import { CHUNK_BYTES } from "./backupUploads.ts";
import type { UncheckedRequest } from "./route.ts";

export interface ParameterLimits {
  maxBodyBytes: number;
  bodyMemory: BodyMemory;
}

const EMPTY_BODY = Buffer.alloc(0);
/** Maximum body size of requests without a session. */
const MAX_SIGN_IN_BYTES = 16 * 1024;

/**
 * Reads the parameters of the query string and the body, before they are validated. Throws 107 if the body is not of the
 * type of the endpoint or not valid.
 */
export async function readParameters(
  { bodyMemory, maxBodyBytes }: ParameterLimits,
  message: IncomingMessage,
  { method, bodyType, needs }: Endpoint,
  search: string,
): Promise<Pick<UncheckedRequest, "params" | "bytes">> {
  const params: JsonObject = {};
  addQueryParams(params, search);
  if (method === "GET") {
    message.resume();
    return { params, bytes: EMPTY_BODY };
  }
  // Cross-site forms cannot send these content types without a preflight request.
  const type = bodyType === "bytes" ? "application/octet-stream" : "application/json";
  if (method !== "DELETE" && message.headers["content-type"]?.split(";", 1)[0]?.toLowerCase() !== type) {
    throw new ProtocolError(ErrorCode.INVALID_JSON, `The body must be ${type}.`, 415);
  }
  if (bodyType === "bytes") {
    return {
      params,
      bytes: await withBody(
        message,
        CHUNK_BYTES,
        bodyMemory,
        (body) => body,
        async (bytes) => bytes,
      ),
    };
  }
  // Without a session, clients only send a name, a password and a code.
  const limits =
    needs === "none"
      ? { ...UNIDENTIFIED_CLIENT_LIMITS, bytes: MAX_SIGN_IN_BYTES }
      : { bytes: maxBodyBytes, json: MASTER_JSON_LIMITS };
  const fields = await withBody(
    message,
    limits.bytes,
    bodyMemory,
    (body) => parseJsonBody(body, limits.json),
    async (parsed) => parsed,
  );
  for (const [name, value] of Object.entries(params)) if (!Object.hasOwn(fields, name)) fields[name] = value;
  return { params: fields, bytes: EMPTY_BODY };
}

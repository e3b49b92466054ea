import type { IncomingMessage } from "node:http";
import { type ChainService, type Route, runInGroup } from "@purse/chain";
import {
  assertWithinJsonLimits,
  ErrorCode,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ProtocolError,
} from "@purse/protocol";
import { addressKey } from "./address.ts";
import type { ApiReply } from "./api.ts";
import { withBody } from "./body.ts";
import type { BodyMemory } from "./bodyMemory.ts";
import type { ClientAddressOf } from "./clientAddress.ts";
import type { Admission } from "./dataGate.ts";
import { addSearch } from "./form.ts";
import { errorReply } from "./reply.ts";
import { ANONYMOUS_JSON } from "./requestFields.ts";
import { Router } from "./router.ts";

export interface DataDoorOptions {
  service: ChainService;
  admit(message: IncomingMessage): Promise<Admission>;
  clientAddressOf: ClientAddressOf;
  /** Bytes of a body: with a key, and without. */
  maxBodyBytes: number;
  maxAnonymousBodyBytes: number;
  memory: BodyMemory;
  report(error: unknown): void;
}

/** The door of the data service: plain REST, errors as `{message}`; what a caller has used is in the headers. */
export function createDataDoor(options: DataDoorOptions) {
  const { service, admit, clientAddressOf, report } = options;
  const router = new Router<Route>(service.routes);

  return async function handle(message: IncomingMessage, path: string, search: string): Promise<ApiReply> {
    let headers: Record<string, string> = {};
    try {
      const admission = await admit(message);
      headers = admission.headers;
      if (admission.refusal) throw admission.refusal;
      const verb = message.method === "HEAD" ? "GET" : message.method;
      const match =
        verb === "GET" || verb === "POST" || verb === "PUT" ? router.match(verb, path) : undefined;
      if (match?.kind !== "found")
        throw new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, `No endpoint ${verb} ${path}`, 404);
      const { route, names } = match;
      const { "x-api-key": apiKey, "x-parse-master-key": masterKey } = message.headers;
      const hasKey = apiKey !== undefined || masterKey !== undefined;
      const maxBytes = hasKey ? options.maxBodyBytes : options.maxAnonymousBodyBytes;
      const group = addressKey(clientAddressOf(message));
      const answer = await withBody(
        message,
        maxBytes,
        options.memory,
        (body) => ({ ...parametersOf(route, search, body), ...names }),
        (params) => runInGroup(group, () => route.answer(params)),
      );
      return { status: answer.status, body: JSON.stringify(answer.body), headers };
    } catch (error) {
      const reply = errorReply(error, report);
      const { error: text } = JSON.parse(reply.body);
      return {
        status: reply.status,
        body: JSON.stringify({ message: text }),
        headers: { ...headers, ...reply.headers },
      };
    }
  };
}

/** Those of the query string beside those of a JSON body, which some endpoints take as one parameter. */
function parametersOf({ wholeBody }: Route, search: string, body: Buffer): JsonObject {
  const params: JsonObject = {};
  if (search !== "") addSearch(params, search);
  if (body.length === 0) return params;
  const value = parseJson(body);
  if (wholeBody !== undefined) return { ...params, [wholeBody]: value };
  if (isJsonObject(value)) return { ...params, ...value };
  throw new ProtocolError(ErrorCode.INVALID_JSON, "the body must be a JSON object", 400);
}

function parseJson(body: Buffer): JsonValue {
  try {
    const text = body.toString("utf8");
    assertWithinJsonLimits(text, ANONYMOUS_JSON);
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    throw new ProtocolError(ErrorCode.INVALID_JSON, "the body is not valid JSON", 400);
  }
}

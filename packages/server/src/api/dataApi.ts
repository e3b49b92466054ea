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
import type { AuthResult } from "../apiKeys/apiKeyGuard.ts";
import { addressKey } from "../core/http/address.ts";
import type { ApiReply } from "../core/http/apiRoute.ts";
import { withBody } from "../core/http/body.ts";
import type { BodyMemory } from "../core/http/bodyMemory.ts";
import { ANONYMOUS_JSON_LIMITS } from "../core/http/bodyParser.ts";
import type { ClientAddressOf } from "../core/http/clientAddress.ts";
import { addQueryParams } from "../core/http/form.ts";
import { errorReply } from "../core/http/reply.ts";
import { Router } from "../core/http/router.ts";

export interface DataApiDependencies {
  service: ChainService;
  authenticate(message: IncomingMessage): Promise<AuthResult>;
  clientAddressOf: ClientAddressOf;
  /** Maximum size of a body in bytes: with an API key or the master key, and without. */
  maxBodyBytes: number;
  maxAnonymousBodyBytes: number;
  memory: BodyMemory;
  report(error: unknown): void;
}

/** Creates the handler of the data API: plain REST, errors as `{message}`, rate limit usage in headers. */
export function createDataApi(dependencies: DataApiDependencies) {
  const { service, authenticate, clientAddressOf, report } = dependencies;
  const router = new Router<Route>(service.routes);

  return async function handle(message: IncomingMessage, path: string, search: string): Promise<ApiReply> {
    let headers: Record<string, string> = {};
    try {
      const authResult = await authenticate(message);
      headers = authResult.headers;
      if (authResult.error) throw authResult.error;
      const verb = message.method === "HEAD" ? "GET" : message.method;
      const match =
        verb === "GET" || verb === "POST" || verb === "PUT" ? router.match(verb, path) : undefined;
      if (match?.kind !== "found")
        throw new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, `No endpoint ${verb} ${path}`, 404);
      const { route, pathParams } = match;
      const { "x-api-key": apiKey, "x-parse-master-key": masterKey } = message.headers;
      const hasKey = apiKey !== undefined || masterKey !== undefined;
      const maxBytes = hasKey ? dependencies.maxBodyBytes : dependencies.maxAnonymousBodyBytes;
      const group = addressKey(clientAddressOf(message));
      const response = await withBody(
        message,
        maxBytes,
        dependencies.memory,
        (body) => ({ ...parametersOf(route, search, body), ...pathParams }),
        (params) => runInGroup(group, () => route.runWithStatus(params)),
      );
      return { status: response.status, body: JSON.stringify(response.body), headers };
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

/** Parameters of the query string and of a JSON body, which some endpoints take as one parameter. */
function parametersOf({ bodyParameter }: Route, search: string, body: Buffer): JsonObject {
  const params: JsonObject = {};
  if (search !== "") addQueryParams(params, search);
  if (body.length === 0) return params;
  const value = parseJson(body);
  if (bodyParameter !== undefined) return { ...params, [bodyParameter]: value };
  if (isJsonObject(value)) return { ...params, ...value };
  throw new ProtocolError(ErrorCode.INVALID_JSON, "the body must be a JSON object", 400);
}

function parseJson(body: Buffer): JsonValue {
  try {
    const text = body.toString("utf8");
    assertWithinJsonLimits(text, ANONYMOUS_JSON_LIMITS);
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    throw new ProtocolError(ErrorCode.INVALID_JSON, "the body is not valid JSON", 400);
  }
}

import { ErrorCode, type JsonValue, ProtocolError } from "@purse/protocol";
import { notSupported } from "../model/requestErrors.ts";
import { IndexReadError, IndexSwitchedError } from "../store/indexErrors.ts";
import { CursorSigner, listOf } from "./cursorSigner.ts";
import { createParameterParser } from "./parseParameters.ts";
import type { Route } from "./route.ts";
import {
  ENDPOINT_NAMES,
  type EndpointName,
  type EndpointParameters,
  type EndpointResponses,
  TYPED_ENDPOINTS,
  type TypedRow,
} from "./table.ts";

/** A response with a status other than the endpoint's default. */
export class StatusResponse {
  readonly status: number;
  readonly body: JsonValue;

  constructor(status: number, body: JsonValue) {
    this.status = status;
    this.body = body;
  }
}

/** The handler of each endpoint; it receives the parsed parameters. */
export type Handlers = {
  readonly [Name in EndpointName]: (
    parameters: EndpointParameters[Name],
  ) => Promise<EndpointResponses[Name] | StatusResponse>;
};

/** Finds the id of the chain that a client selects. Throws ProtocolError 142. */
type ChainIdOf = (selector: unknown) => number;

/** Creates the routes of all endpoints in match order. `cursorKey` signs their cursors. */
export function createRoutes(handlers: Handlers, cursorKey: Uint8Array, chainIdOf: ChainIdOf): Route[] {
  return ENDPOINT_NAMES.map((name) => createRoute(name, handlers[name], cursorKey, chainIdOf));
}

/** Creates the route of an endpoint. */
export function createRoute<Name extends EndpointName>(
  name: Name,
  handler: Handlers[Name],
  cursorKey: Uint8Array,
  chainIdOf: ChainIdOf,
): Route {
  const signer = new CursorSigner(cursorKey, name);
  const row: TypedRow<EndpointParameters[Name]> = TYPED_ENDPOINTS[name];
  const parse = createParameterParser(row);
  const isPaged = "cursor" in row.parameters.shape;
  const runWithStatus: Route["runWithStatus"] = async (values) => {
    const list = isPaged ? listOf(parse(CursorSigner.withoutCursor(values)), chainIdOf) : "";
    const parameters = parse(CursorSigner.hasCursor(values) ? signer.verify(values, list) : values);
    const body = await withIndexErrors(
      handler(parameters).catch(retryAfterSwitch(() => handler(parameters))),
    );
    return body instanceof StatusResponse
      ? body
      : { status: row.status ?? 200, body: signer.sign(body, list) };
  };
  return {
    method: row.method,
    path: row.path.replaceAll(/\{(\w+)\}/g, ":$1"),
    functionName: name,
    aliases: row.aliases ?? [],
    refreshes: row.refreshes ?? false,
    bodyParameter: row.body && "parameter" in row.body ? row.body.parameter[0] : undefined,
    run: async (values) => (await runWithStatus(values)).body,
    runWithStatus,
  };
}

/** A handler for an endpoint that has no data source on this server. */
export function unavailable(name: EndpointName): () => Promise<never> {
  return async () => {
    throw notSupported(`${name} is not available: no data source is configured on this server`);
  };
}

/** A temporary error with a Retry-After header. */
class RetryLaterError extends ProtocolError {
  /** In seconds. */
  readonly retryAfter: number;

  constructor(retryAfter: number, code: number, message: string, status: number) {
    super(code, message, status);
    this.retryAfter = retryAfter;
  }
}

/** Runs a request again if another index took the place of the one that it read. */
function retryAfterSwitch<T>(run: () => Promise<T>): (error: unknown) => Promise<T> {
  return async (error) => {
    if (error instanceof IndexSwitchedError) return run();
    throw error;
  };
}

/** Converts errors of index reads to errors for clients. */
export function withIndexErrors<T>(runWithStatus: Promise<T>): Promise<T> {
  return runWithStatus.catch((error: unknown) => {
    throw error instanceof IndexReadError ? toProtocolError(error) : error;
  });
}

function toProtocolError({ reason, message }: IndexReadError): ProtocolError {
  if (reason === "timeout") {
    const advice = "use a smaller block range, offset or limit";
    return new RetryLaterError(30, ErrorCode.TIMEOUT, `the query failed: ${message}; ${advice}`, 408);
  }
  const problem = reason === "busy" ? "the index is busy" : "the index is not available";
  return new RetryLaterError(2, ErrorCode.CONNECTION_FAILED, `${problem}: try again in 2 seconds`, 503);
}

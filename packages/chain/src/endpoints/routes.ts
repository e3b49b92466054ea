import { ErrorCode, type JsonValue, ProtocolError } from "@purse/protocol";
import { IndexReadError } from "../store/indexErrors.ts";
import { type ParametersOf, readParameters } from "./parameters.ts";
import type { Route } from "./route.ts";
import { ENDPOINTS, type EndpointName, type EndpointRow, endpointOf } from "./table.ts";

/** A route with the endpoint row that it was created from. */
export interface EndpointRoute extends Route {
  row: EndpointRow;
}

/** A response with a status other than the endpoint's default. */
export class StatusResponse {
  readonly status: number;
  readonly body: JsonValue;

  constructor(status: number, body: JsonValue) {
    this.status = status;
    this.body = body;
  }
}

/** Creates the route of an endpoint; `run` receives the parsed parameters. */
export function createRoute<Name extends EndpointName>(
  name: Name,
  run: (parameters: ParametersOf<Name>) => Promise<JsonValue | StatusResponse>,
): EndpointRoute {
  const endpoint = endpointOf(name);
  const row: EndpointRow = endpoint;
  const runWithStatus: Route["runWithStatus"] = async (values) => {
    const body = await withIndexErrors(run(readParameters(endpoint, values)));
    return body instanceof StatusResponse ? body : { status: row.status, body };
  };
  return {
    row,
    method: row.method,
    path: row.path.replaceAll(/\{(\w+)\}/g, ":$1"),
    functionName: name,
    aliases: row.aliases ?? [],
    status: row.status,
    bodyParameter: typeof row.body === "object" ? row.body.parameter[0] : undefined,
    run: async (values) => (await runWithStatus(values)).body,
    runWithStatus,
  };
}

/** A temporary error with a Retry-After header. */
export class RetryLaterError extends ProtocolError {
  /** In seconds. */
  readonly retryAfter: number;

  constructor(retryAfter: number, code: number, message: string, status: number) {
    super(code, message, status);
    this.retryAfter = retryAfter;
  }
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

/** Sorts routes in match order, which is the order of the table. Throws if two routes have the same endpoint. */
export function sortByMatchOrder(routes: readonly EndpointRoute[]): EndpointRoute[] {
  const byName = new Map(routes.map((route) => [route.functionName, route]));
  if (byName.size < routes.length) throw new Error("Two routes have the same endpoint");
  return ENDPOINTS.flatMap(({ name }) => byName.get(name) ?? []);
}

import { ErrorCode, type JsonValue, ProtocolError } from "@purse/protocol";
import { IndexReadError } from "../store/indexErrors.ts";
import { type ParametersOf, readParameters } from "./parameters.ts";
import type { Route } from "./route.ts";
import { ENDPOINTS, type EndpointName, type EndpointRow, endpointOf } from "./table.ts";

/** A route that knows the row it was made from. */
export interface EndpointRoute extends Route {
  row: EndpointRow;
}

/** An answer with another HTTP status than its endpoint's usual one. */
export class AnswerWithStatus {
  readonly status: number;
  readonly body: JsonValue;

  constructor(status: number, body: JsonValue) {
    this.status = status;
    this.body = body;
  }
}

/** Makes an endpoint's route: `run` is given its parameters, read and checked. */
export function routeOf<Name extends EndpointName>(
  name: Name,
  run: (parameters: ParametersOf<Name>) => Promise<JsonValue | AnswerWithStatus>,
): EndpointRoute {
  const endpoint = endpointOf(name);
  const row: EndpointRow = endpoint;
  const answer: Route["answer"] = async (given) => {
    const body = await answered(run(readParameters(endpoint, given)));
    return body instanceof AnswerWithStatus ? body : { status: row.status, body };
  };
  return {
    row,
    method: row.method,
    path: row.path.replaceAll(/\{(\w+)\}/g, ":$1"),
    functionName: name,
    otherNames: row.otherNames ?? [],
    status: row.status,
    wholeBody: typeof row.body === "object" ? row.body.whole[0] : undefined,
    run: async (given) => (await answer(given)).body,
    answer,
  };
}

/** A refusal that may be another answer soon. */
export class TryAgainLater extends ProtocolError {
  /** In s. */
  readonly retryAfter: number;

  constructor(retryAfter: number, code: number, message: string, status: number) {
    super(code, message, status);
    this.retryAfter = retryAfter;
  }
}

/** What reads of the index may be refused for, as refusals that clients are answered with. */
export function answered<T>(answer: Promise<T>): Promise<T> {
  return answer.catch((error: unknown) => {
    throw error instanceof IndexReadError ? unanswered(error) : error;
  });
}

function unanswered({ reason, message }: IndexReadError): ProtocolError {
  if (reason === "late") {
    const advice = "ask for less: a smaller range of blocks, offset or limit";
    return new TryAgainLater(30, ErrorCode.TIMEOUT, `the index did not answer: ${message}; ${advice}`, 408);
  }
  const what = reason === "busy" ? "the index is busy" : "the index cannot be read now";
  return new TryAgainLater(2, ErrorCode.CONNECTION_FAILED, `${what}: ask again in 2 seconds`, 503);
}

/** The routes in the table's order, which is that of matching. Throws where two are of one endpoint. */
export function inMatchOrder(routes: readonly EndpointRoute[]): EndpointRoute[] {
  const byName = new Map(routes.map((route) => [route.functionName, route]));
  if (byName.size < routes.length) throw new Error("Two routes are of one endpoint");
  return ENDPOINTS.flatMap(({ name }) => byName.get(name) ?? []);
}

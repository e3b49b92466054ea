import type { JsonValue } from "@purse/protocol";
import type { Route } from "../types.ts";
import { type ParametersOf, readParameters } from "./parameters.ts";
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
    const body = await run(readParameters(endpoint, given));
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

/** The routes in the table's order, which is that of matching. Throws where two are of one endpoint. */
export function inMatchOrder(routes: readonly EndpointRoute[]): EndpointRoute[] {
  const byName = new Map(routes.map((route) => [route.functionName, route]));
  if (byName.size < routes.length) throw new Error("Two routes are of one endpoint");
  return ENDPOINTS.flatMap(({ name }) => byName.get(name) ?? []);
}

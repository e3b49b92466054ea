import { ownValue } from "@purse/protocol";
import { invalid } from "../model/requestErrors.ts";
import { type EndpointRow, locationOf } from "./rows/row.ts";
import type { TypedRow } from "./table.ts";

export type Parameters = Record<string, unknown>;

/**
 * Creates a parser of an endpoint's parameters from path, query and body in one object. Unknown parameters are
 * ignored. The parser throws 142 with HTTP 400, naming the parameter and the allowed values.
 */
export function createParameterParser<Parsed>(row: TypedRow<Parsed>): (values: Parameters) => Parsed {
  const accepted = Object.keys(row.parameters.shape).map((name) => ({ name, keys: acceptedKeys(row, name) }));
  return (values) => {
    const given: Parameters = {};
    for (const { name, keys } of accepted) given[name] = findValue(values, keys);
    const { success, data, error } = row.parameters.safeParse(given);
    if (success) return data;
    const [issue] = error.issues;
    const name = String(issue?.path[0]);
    if (given[name] !== undefined) throw invalid(describeProblem(name, issue?.message ?? "is invalid"));
    const isInPath = locationOf(row, name) === "path";
    throw invalid(isInPath ? `required param ${name} not provided` : `param ${name} is required!`);
  };
}

/** A parameter that is the whole body has several names. Old clients append brackets to the names of lists. */
function acceptedKeys({ body }: EndpointRow, name: string): string[] {
  const names = body && "parameter" in body && body.parameter.includes(name) ? body.parameter : [name];
  return names.flatMap((each) => [each, `${each}[]`]);
}

/** Undefined, null and empty text are equivalent: old clients send empty form fields. */
function findValue(values: Parameters, keys: readonly string[]): unknown {
  for (const key of keys) {
    const value = ownValue(values, key);
    if (value !== undefined && value !== null && value !== "") return value;
  }
  return undefined;
}

function describeProblem(name: string, message: string): string {
  return message.startsWith(":") ? name + message : `${name} ${message}`;
}

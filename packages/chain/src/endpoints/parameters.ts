import type { KindTypes, ParameterRow } from "./rows/row.ts";
import type { Endpoint, EndpointName, EndpointOf } from "./table.ts";
import { invalid, READERS } from "./values.ts";

export { invalid };

export type Parameters = Record<string, unknown>;

type ValueOf<P extends ParameterRow> = P extends { kind: "choice"; choices: readonly (infer C)[] }
  ? C
  : P extends { kind: "choices"; choices: readonly (infer C)[] }
    ? C[]
    : KindTypes[P["kind"]];

type ParametersIn<E extends { parameters: readonly ParameterRow[] }> = {
  readonly [P in E["parameters"][number] as P["kind"] extends "ignored" ? never : P["name"]]: P extends
    | { required: true }
    | { default: string | number }
    ? ValueOf<P>
    : ValueOf<P> | undefined;
};

/** What the handler of an endpoint is given: each parameter read, checked, or what a call without it means. */
export type ParametersOf<Name extends EndpointName> = ParametersIn<EndpointOf<Name>>;

/**
 * Reads an endpoint's parameters from path, query and body in one object. What the endpoint does not know is left
 * out. Throws 142 with HTTP 400, naming the parameter and what is allowed.
 */
export function readParameters<E extends Endpoint>(row: E, given: Parameters): ParametersIn<E> {
  const read: Record<string, unknown> = {};
  for (const parameter of row.parameters) read[parameter.name] = readParameter(row, parameter, given);
  if (isWhole(row, read)) return read;
  throw new Error(`${row.name} has read parameters that are not those of its row`);
}

/** The readers make what the row says; what can be missing is looked at. */
function isWhole<E extends Endpoint>(row: E, read: Record<string, unknown>): read is ParametersIn<E> {
  const parameters: readonly ParameterRow[] = row.parameters;
  return parameters.every(
    ({ name, required, default: otherwise }) =>
      (!required && otherwise === undefined) || read[name] !== undefined,
  );
}

function readParameter(row: Endpoint, parameter: ParameterRow, given: Parameters): unknown {
  const { name, kind, required } = parameter;
  if (kind === "ignored") return undefined;
  const value = namesOf(row, parameter)
    .map((each) => givenOf(given, each))
    .find((each) => each !== undefined);
  if (value !== undefined) return READERS[kind](value, name, parameter.choices ?? []);
  if (parameter.in === "path") throw invalid(`required param ${name} not provided`);
  if (required) throw invalid(`param ${name} is required!`);
  if (parameter.default === undefined) return undefined;
  return READERS[kind](parameter.default, name, parameter.choices ?? []);
}

/** A whole body comes under several names. */
function namesOf(row: Endpoint, { name, in: place }: ParameterRow): readonly string[] {
  return place === "body" && "body" in row && typeof row.body === "object" ? row.body.whole : [name];
}

/** Nothing, null and empty text are alike: old clients send what a form left empty. */
function givenOf(given: Parameters, name: string): unknown {
  for (const each of [name, `${name}[]`]) {
    const value = Object.hasOwn(given, each) ? given[each] : undefined;
    if (value !== undefined && value !== null && value !== "") return value;
  }
  return undefined;
}

/** An opaque cursor: where the last row of a page stood in the list, and the number of the page that follows. */
export function cursorText(parts: readonly (number | string)[], page: number): string {
  return Buffer.from([...parts, page].join(".")).toString("base64url");
}

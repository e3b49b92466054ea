import type { KindTypes, ParameterRow } from "./rows/row.ts";
import type { Endpoint, EndpointName, EndpointOf } from "./table.ts";
import { invalid, PARSERS } from "./values.ts";

export { invalid };

export type Parameters = Record<string, unknown>;

type ParameterValue<P extends ParameterRow> = P extends { kind: "choice"; choices: readonly (infer C)[] }
  ? C
  : P extends { kind: "choices"; choices: readonly (infer C)[] }
    ? C[]
    : KindTypes[P["kind"]];

type ParametersIn<E extends { parameters: readonly ParameterRow[] }> = {
  readonly [P in E["parameters"][number] as P["kind"] extends "ignored" ? never : P["name"]]: P extends
    | { required: true }
    | { default: string | number }
    ? ParameterValue<P>
    : ParameterValue<P> | undefined;
};

/** Parsed parameters of an endpoint's handler, with defaults applied. */
export type ParametersOf<Name extends EndpointName> = ParametersIn<EndpointOf<Name>>;

/**
 * Parses an endpoint's parameters from path, query and body in one object. Unknown parameters are ignored. Throws 142
 * with HTTP 400, naming the parameter and the allowed values.
 */
export function readParameters<E extends Endpoint>(row: E, values: Parameters): ParametersIn<E> {
  const read: Record<string, unknown> = {};
  for (const parameter of row.parameters) read[parameter.name] = readParameter(row, parameter, values);
  if (isComplete(row, read)) return read;
  throw new Error(`${row.name}: parsed parameters do not match the row`);
}

/** The parsers return the types of the row; only missing values have to be checked. */
function isComplete<E extends Endpoint>(row: E, read: Record<string, unknown>): read is ParametersIn<E> {
  const parameters: readonly ParameterRow[] = row.parameters;
  return parameters.every(
    ({ name, required, default: defaultValue }) =>
      (!required && defaultValue === undefined) || read[name] !== undefined,
  );
}

function readParameter(row: Endpoint, parameter: ParameterRow, values: Parameters): unknown {
  const { name, kind, required } = parameter;
  if (kind === "ignored") return undefined;
  const value = acceptedNames(row, parameter)
    .map((each) => findValue(values, each))
    .find((each) => each !== undefined);
  if (value !== undefined) return PARSERS[kind](value, name, parameter.choices ?? []);
  if (parameter.in === "path") throw invalid(`required param ${name} not provided`);
  if (required) throw invalid(`param ${name} is required!`);
  if (parameter.default === undefined) return undefined;
  return PARSERS[kind](parameter.default, name, parameter.choices ?? []);
}

/** A parameter that is the whole body has several names. */
function acceptedNames(row: Endpoint, { name, in: location }: ParameterRow): readonly string[] {
  return location === "body" && "body" in row && typeof row.body === "object" ? row.body.parameter : [name];
}

/** Undefined, null and empty text are equivalent: old clients send empty form fields. */
function findValue(values: Parameters, name: string): unknown {
  for (const each of [name, `${name}[]`]) {
    const value = Object.hasOwn(values, each) ? values[each] : undefined;
    if (value !== undefined && value !== null && value !== "") return value;
  }
  return undefined;
}

/** Encodes an opaque cursor: the sort key of the last row of a page and the number of the next page. */
export function encodeCursor(parts: readonly (number | string)[], page: number): string {
  return Buffer.from([...parts, page].join(".")).toString("base64url");
}

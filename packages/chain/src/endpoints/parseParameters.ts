import { ownValue } from "@purse/protocol";
import { invalid } from "../model/requestErrors.ts";
import { type EndpointRow, locationOf } from "./rows/row.ts";
import type { TypedRow } from "./table.ts";

export type Parameters = Record<string, unknown>;

/** Clients fill them in for every endpoint. */
const SURPLUS = ["address", "chain"];
/** An item of a list: `addresses[]` or `addresses[0]`. */
const LIST_ITEM = /^(\w+)\[(\d{0,4})\]$/;

/**
 * Creates a parser of an endpoint's parameters from path, query and body in one object. The parser throws 142 with HTTP
 * 400, naming the parameter and the allowed values, also for unknown parameters: ignoring a filter would return something
 * else than requested.
 */
export function createParameterParser<Parsed>(row: TypedRow<Parsed>): (values: Parameters) => Parsed {
  const accepted = Object.keys(row.parameters.shape).map((name) => ({ name, keys: acceptedKeys(row, name) }));
  const known = new Set([...SURPLUS, ...(row.ignored ?? []), ...accepted.flatMap(({ keys }) => keys)]);
  return (values) => {
    assertKnown(values, known, row);
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

function assertKnown(
  values: Parameters,
  known: ReadonlySet<string>,
  { unsupported = {} }: EndpointRow,
): void {
  for (const key in values) {
    if (!Object.hasOwn(values, key) || !isGiven(values[key])) continue;
    if (known.has(key) || known.has(LIST_ITEM.exec(key)?.[1] ?? "")) continue;
    const name = key.slice(0, 64);
    const reason = ownValue(unsupported, key);
    if (reason === undefined)
      throw invalid(`${name} is not a parameter of this endpoint: it takes ${[...known].join(", ")}`);
    if (!isFalse(values[key])) throw invalid(`${name} is not supported: ${reason}`);
  }
}

/** A parameter that is the whole body has several names. */
function acceptedKeys({ body }: EndpointRow, name: string): readonly string[] {
  return body && "parameter" in body && body.parameter.includes(name) ? body.parameter : [name];
}

function findValue(values: Parameters, keys: readonly string[]): unknown {
  for (const key of keys) {
    const value = ownValue(values, key);
    if (isGiven(value)) return value;
    const items = listItems(values, key);
    if (items.length > 0) return items;
  }
  return undefined;
}

/** The items of a list that clients send as parameters of their own, in order. */
function listItems(values: Parameters, key: string): unknown[] {
  const items: { index: number; value: unknown }[] = [];
  for (const name in values) {
    const [, list, index] = LIST_ITEM.exec(name) ?? [];
    const value = list === key ? ownValue(values, name) : undefined;
    if (!isGiven(value)) continue;
    for (const each of Array.isArray(value) ? value : [value])
      items.push({ index: index ? Number(index) : items.length, value: each });
  }
  return items.sort((a, b) => a.index - b.index).map(({ value }) => value);
}

/** Undefined, null and empty text are equivalent: old clients send empty form fields. */
function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "";
}

function isFalse(value: unknown): boolean {
  return value === false || (typeof value === "string" && /^(false|0)$/i.test(value.trim()));
}

function describeProblem(name: string, message: string): string {
  return message.startsWith(":") ? name + message : `${name} ${message}`;
}

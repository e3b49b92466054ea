import { isJsonObject, type JsonObject, type JsonValue, type Order, parseOrder } from "@purse/protocol";
import type { ParseObject } from "../object/ParseObject.ts";
import { compareValues } from "./compareValues.ts";

/** How a query sorts and limits its results. */
export interface QueryOrder {
  /** Compares objects in the order of the query; undefined if only the server can. */
  compare: ((a: ParseObject<object>, b: ParseObject<object>) => number) | undefined;
  limit: number;
  skip: number;
}

/** The order of a query with these parameters. */
export function resultOrder({
  order,
  limit = Number.POSITIVE_INFINITY,
  skip = 0,
  where,
}: JsonObject): QueryOrder {
  const keys = parseOrder(order);
  const isComputed = keys.some(({ score }) => score) || (keys.length === 0 && isSortedByDistance(where));
  const last = keys.at(-1);
  const tie: Order = { path: ["createdAt"], descending: last?.descending ?? false };
  return {
    compare: isComputed ? undefined : (a, b) => compareBy([...keys, tie], a, b),
    limit: Number(limit),
    skip: Number(skip),
  };
}

/** Whether conditions sort by distance: those of `near` do, unless there is another order. */
function isSortedByDistance(where: JsonValue | undefined): boolean {
  if (Array.isArray(where)) return where.some(isSortedByDistance);
  return (
    isJsonObject(where) &&
    Object.entries(where).some(
      ([key, value]) => key === "$nearSphere" || key === "$centerSphere" || isSortedByDistance(value),
    )
  );
}

function compareBy(keys: readonly Order[], a: ParseObject<object>, b: ParseObject<object>): number {
  for (const { path, descending } of keys) {
    const difference = compareValues(fieldValue(a, path), fieldValue(b, path));
    if (difference !== 0) return descending ? -difference : difference;
  }
  return 0;
}

function fieldValue(object: ParseObject<object>, [field, ...rest]: readonly [string, ...string[]]) {
  const { createdAt, updatedAt } = object;
  const times: Record<string, Date | undefined> = { createdAt, updatedAt };
  const start: unknown = Object.hasOwn(times, field) ? times[field] : object._get(field);
  return wireOf(rest.reduce<unknown>((value, key) => (isPlain(value) ? value[key] : undefined), start));
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** A value in the format in which it is compared: dates as such, and objects by their ids. */
function wireOf(value: unknown): JsonValue | undefined {
  if (value instanceof Date) return { __type: "Date", iso: value.toISOString() };
  if (!isPlain(value)) return isScalar(value) ? value : undefined;
  if (typeof value.id === "string" && "className" in value) return value.id;
  const json: JsonObject = JSON.parse(JSON.stringify(value));
  return json;
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

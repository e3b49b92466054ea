import { isJsonObject, type JsonValue } from "@purse/protocol";
import { extendedJsonDate } from "../../core/extendedJsonDate.ts";
import { PipelineError } from "../pipeline/pipelineError.ts";

/**
 * Replaces MongoDB's Extended JSON in a pipeline, such as `{ "$date": … }`, by the values that pipelines have for it.
 * Throws for values that are not of their type, and for numbers that JSON cannot hold.
 */
export function withoutExtendedJson(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutExtendedJson);
  if (!isJsonObject(value) || typeof value.__type === "string") return value;
  const [name = "", ...others] = Object.keys(value);
  const inner = value[name];
  if (others.length === 0 && inner !== undefined) {
    switch (name) {
      case "$oid":
        return String(inner);
      case "$date":
        return { __type: "Date", iso: dateOf(inner).toISOString() };
      case "$numberInt":
      case "$numberDouble":
        return numberOf(inner, name);
      case "$numberLong":
      case "$numberDecimal":
        return exactNumberOf(inner, name);
      case "$regularExpression":
        if (!isJsonObject(inner)) throw new PipelineError("$regularExpression takes a pattern and options");
        return { $regex: inner.pattern ?? null, $options: inner.options ?? "" };
    }
  }
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withoutExtendedJson(each)]));
}

function dateOf(value: JsonValue): Date {
  const date = extendedJsonDate(value);
  if (!date) throw new PipelineError(`$date takes a date in ISO 8601 that exists: ${excerpt(value)}`);
  return date;
}

function numberOf(value: JsonValue, name: string): number {
  const number = typeof value === "string" && value.trim() === "" ? Number.NaN : Number(value);
  if (!Number.isFinite(number)) throw new PipelineError(`${name} takes a number: ${excerpt(value)}`);
  return number;
}

function exactNumberOf(value: JsonValue, name: string): number {
  const number = numberOf(value, name);
  if (Number.isInteger(number) && !Number.isSafeInteger(number)) {
    const operator = name === "$numberLong" ? "$toLong" : "$toDecimal";
    throw new PipelineError(
      `${name} takes numbers up to 2^53: for ${excerpt(value)}, use { "${operator}": "…" } within $expr`,
    );
  }
  return number;
}

function excerpt(value: JsonValue): string {
  return JSON.stringify(value).slice(0, 64);
}

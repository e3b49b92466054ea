import { isJsonObject, isWireDate, type JsonObject, type JsonValue } from "@purse/protocol";
import { serveRequests } from "@purse/workers";
import { aggregate } from "mingo";
import { groupId } from "./pipelineGroup.ts";

export interface AggregationJob {
  /** JSON texts of the objects, before `objectId` is renamed. */
  texts: readonly string[];
  stages: JsonObject[];
  /** Objects by class name, for `$lookup`. */
  lookupCollections: Record<string, readonly string[]>;
  /** Maximum number of characters in the results as JSON. */
  maxChars: number;
}

export type AggregationResult = { results: JsonValue[] } | { error: string } | { isTooLarge: true };

const TIMESTAMP_FIELDS: ReadonlySet<string> = new Set(["createdAt", "updatedAt"]);

/** Converts a stored object to a document with `_id` and Dates. */
function toDocument(text: string): Record<string, unknown> {
  const { objectId, ...fields }: JsonObject = JSON.parse(text);
  const document: Record<string, unknown> = { _id: objectId };
  for (const [key, value] of Object.entries(fields)) {
    document[key] = TIMESTAMP_FIELDS.has(key) && typeof value === "string" ? new Date(value) : toValue(value);
  }
  return document;
}

function toValue(value: JsonValue): unknown {
  if (isWireDate(value)) return new Date(value.iso);
  if (Array.isArray(value)) return value.map(toValue);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toValue(inner)]));
}

/** Converts a result of the pipeline to the wire format. */
function toWire(value: unknown, key = ""): JsonValue {
  if (value instanceof Date) {
    return TIMESTAMP_FIELDS.has(key) ? value.toISOString() : { __type: "Date", iso: value.toISOString() };
  }
  if (Array.isArray(value)) return value.map((item) => toWire(item));
  if (typeof value === "object" && value !== null) {
    const wire: JsonObject = {};
    for (const [name, inner] of Object.entries(value)) {
      if (inner !== undefined) wire[name === "_id" ? "objectId" : name] = toWire(inner, name);
    }
    return wire;
  }
  if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

serveRequests<AggregationJob, AggregationResult>({
  handle({ texts, stages, lookupCollections, maxChars }) {
    try {
      const output = aggregate(texts.map(toDocument), toStages(stages), {
        scriptEnabled: false,
        collectionResolver: (name) => (lookupCollections[name] ?? []).map(toDocument),
      });
      let chars = 0;
      const results: JsonValue[] = [];
      for (const each of output) {
        const result = toWire(each);
        if (isJsonObject(result) && result.objectId !== undefined) result.objectId = groupId(result.objectId);
        chars += JSON.stringify(result).length;
        if (chars > maxChars) return { isTooLarge: true };
        results.push(result);
      }
      return { results };
    } catch (error) {
      return { error: error instanceof Error ? error.message : String(error) };
    }
  },
});

function toStages(stages: JsonObject[]): Record<string, unknown>[] {
  return stages.map((stage) =>
    Object.fromEntries(Object.entries(stage).map(([name, argument]) => [name, toValue(argument)])),
  );
}

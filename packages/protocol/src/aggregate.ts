import { ErrorCode, ProtocolError } from "./errors.ts";
import { MAX_DEPTH } from "./limits.ts";
import { invalid } from "./queryErrors.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "./wireValues.ts";

/** One stage of an aggregation, named as in MongoDB: `$group`. */
export interface Stage {
  name: string;
  argument: JsonValue;
}

const STAGES: ReadonlySet<string> = new Set([
  "$match",
  "$group",
  "$project",
  "$sort",
  "$skip",
  "$limit",
  "$unwind",
  "$lookup",
  "$sample",
  "$count",
  "$addFields",
  "$set",
  "$unset",
  "$replaceRoot",
  "$sortByCount",
  "$bucket",
  "$facet",
  "$geoNear",
]);

/** Operators that only read their own arguments: no scripts, no patterns, no other collections. */
const OPERATORS: ReadonlySet<string> = new Set(
  `$abs $add $addToSet $allElementsTrue $and $anyElementTrue $arrayElemAt $arrayToObject $avg $bottom $bottomN
  $ceil $cmp $concat $concatArrays $cond $count $dateAdd $dateDiff $dateFromParts $dateFromString $dateSubtract
  $dateToParts $dateToString $dateTrunc $dayOfMonth $dayOfWeek $dayOfYear $divide $each $elemMatch $eq $exists $exp
  $filter $first $firstN $floor $gt $gte $hour $ifNull $in $indexOfArray $indexOfBytes $isArray $isNumber $isoDayOfWeek
  $isoWeek $isoWeekYear $last $lastN $let $literal $ln $log $log10 $lt $lte $ltrim $map $max $maxN $mergeObjects
  $millisecond $min $minN $minute $mod $month $multiply $ne $nin $nor $not $objectToArray $options $or $pow $push $range
  $reduce $replaceAll $replaceOne $reverseArray $round $rtrim $second $setDifference $setEquals $setIntersection
  $setIsSubset $setUnion $size $slice $sortArray $split $sqrt $stdDevPop $stdDevSamp $strcasecmp $strLenBytes
  $strLenCP $substr $substrBytes $substrCP $subtract $sum $switch $all $toBool $toDate $toDecimal $toDouble $toInt
  $toLong $toLower $toString $toUpper $top $topN $trim $trunc $type $week $year $zip`.split(/\s+/),
);

/** Maximum number of stages in a pipeline. */
const MAX_STAGES = 50;

/**
 * Parses a pipeline from the wire: a list of stages or an object of them, with or without `$` before their names. Every
 * stage and operator is checked. Throws 102 for unknown stages and operators, 105 for keys that reach prototypes.
 */
export function parsePipeline(value: unknown): Stage[] {
  const list = Array.isArray(value)
    ? value
    : isJsonObject(value)
      ? Object.entries(value).map(([name, argument]) => ({ [name]: argument }))
      : undefined;
  if (!list) throw invalid("pipeline must be an array or an object");
  if (list.length > MAX_STAGES) throw invalid(`a pipeline takes ${MAX_STAGES} stages at most`);
  return list.map(parseStage);
}

function parseStage(stage: unknown): Stage {
  const keys = isJsonObject(stage) ? Object.keys(stage) : [];
  const [key] = keys;
  if (!isJsonObject(stage) || key === undefined || keys.length !== 1) {
    throw invalid(`Pipeline stages should only have one key but found ${keys.join(", ").slice(0, 200)}.`);
  }
  const name = key.startsWith("$") ? key : `$${key}`;
  if (!STAGES.has(name)) throw invalid(`Invalid aggregate stage '${key.slice(0, 64)}'.`);
  const argument = name === "$group" ? parseGroup(stage[key], key === "group") : (stage[key] ?? null);
  if (name === "$facet") {
    if (!isJsonObject(argument)) throw invalid("$facet takes an object of pipelines");
    const facets = Object.entries(argument).map(([facet, inner]): [string, JsonValue] => {
      assertKey(facet);
      return [facet, parsePipeline(inner).map((each) => ({ [each.name]: each.argument }))];
    });
    return { name, argument: Object.fromEntries(facets) };
  }
  if (name === "$lookup" && isJsonObject(argument) && ("pipeline" in argument || "let" in argument)) {
    throw invalid("$lookup takes from, localField, foreignField and as");
  }
  assertExpression(argument, 0);
  return { name, argument };
}

/** Older clients name the group's key `objectId`. */
function parseGroup(value: JsonValue | undefined, isLegacy: boolean): JsonValue {
  if (!isJsonObject(value)) throw invalid("group takes an object");
  const { objectId, ...rest } = value;
  if (objectId !== undefined && !isLegacy) {
    throw invalid("Cannot use 'objectId' in aggregation stage $group.");
  }
  if (objectId !== undefined) return { _id: objectId, ...rest };
  if (!("_id" in rest)) throw invalid("Invalid parameter for query: group. Missing key _id");
  return rest;
}

function assertExpression(value: JsonValue, depth: number): void {
  if (depth > MAX_DEPTH) throw invalid(`stages nest deeper than ${MAX_DEPTH} levels`);
  if (Array.isArray(value)) {
    for (const item of value) assertExpression(item, depth + 1);
  } else if (isJsonObject(value)) {
    for (const [key, inner] of Object.entries(value)) {
      assertKey(key);
      if (key.startsWith("$") && !OPERATORS.has(key) && key !== "$regex") {
        throw invalid(`Invalid aggregate operator: ${key.slice(0, 64)}`);
      }
      assertExpression(inner, depth + 1);
    }
  }
}

function assertKey(key: string): void {
  if (/(^|\.)(__proto__|constructor|prototype)(\.|$)/.test(key) || key.includes("\0")) {
    throw new ProtocolError(ErrorCode.INVALID_KEY_NAME, `Invalid key name: ${key.slice(0, 64)}`);
  }
}

/** Whether a stage contains a pattern, which only the database can match in bounded time. */
export function hasPattern(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.some(hasPattern);
  return (
    isJsonObject(value) && Object.entries(value).some(([key, inner]) => key === "$regex" || hasPattern(inner))
  );
}

/** Renames the keys and the `$field` references in a value. */
export function renameFields(value: JsonValue, rename: (field: string) => string): JsonValue {
  if (typeof value === "string") return value.startsWith("$") ? `$${rename(value.slice(1))}` : value;
  if (Array.isArray(value)) return value.map((item) => renameFields(item, rename));
  if (!isJsonObject(value)) return value;
  const renamed: JsonObject = {};
  for (const [key, inner] of Object.entries(value)) {
    renamed[key.startsWith("$") ? key : rename(key)] = renameFields(inner, rename);
  }
  return renamed;
}

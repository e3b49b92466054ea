import {
  EARTH_RADIUS_KM,
  EARTH_RADIUS_MILES,
  ErrorCode,
  type JsonObject,
  type JsonValue,
  ProtocolError,
  type WireGeoPoint,
  type WirePointer,
} from "@purse/protocol";
import { encode } from "../object/encode.ts";
import type { GeoPoint } from "../object/GeoPoint.ts";
import type { Polygon } from "../object/Polygon.ts";

/** A query that is part of another one. */
interface Subquery {
  readonly className: string;
  toJSON(): JsonObject;
}

export interface FullTextOptions {
  language?: string;
  caseSensitive?: boolean;
  diacriticSensitive?: boolean;
}

/** The types that a field `K` can be compared with: its own, an item of its list, a pointer instead of an object. */
export type Comparable<A extends object, K extends string> = K extends keyof A
  ? ComparableWith<A[K]>
  : K extends "createdAt" | "updatedAt"
    ? Date
    : unknown;

type ComparableWith<V> =
  | V
  | null
  | (V extends readonly (infer I)[] ? I : never)
  | (V extends { toPointer(): unknown } ? WirePointer : never);

/**
 * The constraints of a query; every method adds one and returns the query. `A` is the type of the
 * fields; other keys, as dotted paths, can be compared with anything.
 */
export class Constraints<Field extends string = string, A extends object = object> {
  protected _where: JsonObject = {};
  /** The other parameters, in wire format. */
  protected _parameters: JsonObject = {};

  /** Sets a parameter; undefined removes it. */
  protected _with(name: string, value: JsonValue | undefined): this {
    if (value === undefined) delete this._parameters[name];
    else this._parameters[name] = value;
    return this;
  }

  /** Adds fields to a comma-separated parameter. */
  protected _add(name: string, keys: readonly (string | readonly string[])[], sign = ""): this {
    const known = this._parameters[name];
    const added = names(keys).map((key) => sign + key);
    return added.length > 0 ? this._with(name, [known ?? [], ...added].flat().join()) : this;
  }

  /** @internal */
  _condition(key: string, operator: string, value: unknown): this {
    const known = this._where[key];
    const conditions = isConditions(known) ? known : {};
    this._where[key] = { ...conditions, [operator]: encode(value) };
    return this;
  }

  /** One field or, as an object, several. Undefined means that the field does not exist. */
  equalTo<K extends Field>(key: K, value?: Comparable<A, K>): this;
  equalTo(fields: { [K in Field]?: Comparable<A, K> }): this;
  equalTo(key: Field | Partial<Record<Field, unknown>>, value?: unknown): this {
    return this.#each(key, value, (name, item) => {
      if (item === undefined) this.doesNotExist(name);
      else this._where[name] = encode(item);
    });
  }

  notEqualTo<K extends Field>(key: K, value?: Comparable<A, K>): this;
  notEqualTo(fields: { [K in Field]?: Comparable<A, K> }): this;
  notEqualTo(key: Field | Partial<Record<Field, unknown>>, value?: unknown): this {
    return this.#each(key, value, (name, item) => this._condition(name, "$ne", item));
  }

  /** Calls back for one field, or for each of several. */
  #each(
    key: Field | Partial<Record<Field, unknown>>,
    value: unknown,
    apply: (name: Field, value: unknown) => void,
  ): this {
    if (typeof key === "string") apply(key, value);
    else for (const name in key) apply(name, key[name]);
    return this;
  }

  lessThan<K extends Field>(key: K, value: Comparable<A, K>): this {
    return this._condition(key, "$lt", value);
  }

  lessThanOrEqualTo<K extends Field>(key: K, value: Comparable<A, K>): this {
    return this._condition(key, "$lte", value);
  }

  greaterThan<K extends Field>(key: K, value: Comparable<A, K>): this {
    return this._condition(key, "$gt", value);
  }

  greaterThanOrEqualTo<K extends Field>(key: K, value: Comparable<A, K>): this {
    return this._condition(key, "$gte", value);
  }

  containedIn<K extends Field>(key: K, values: readonly Comparable<A, K>[]): this {
    return this._condition(key, "$in", values);
  }

  notContainedIn<K extends Field>(key: K, values: readonly Comparable<A, K>[]): this {
    return this._condition(key, "$nin", values);
  }

  /** Arrays whose items are all among the values. */
  containedBy<K extends Field>(key: K, values: readonly Comparable<A, K>[]): this {
    return this._condition(key, "$containedBy", values);
  }

  /** Arrays that contain all the values. */
  containsAll<K extends Field>(key: K, values: readonly Comparable<A, K>[]): this {
    return this._condition(key, "$all", values);
  }

  containsAllStartingWith(key: Field, values: string | readonly string[]): this {
    const prefixes = [values].flat();
    const $all = prefixes.map((prefix) => ({ $regex: `^${quote(prefix)}` }));
    return this._condition(key, "$all", $all);
  }

  exists(key: Field): this {
    return this._condition(key, "$exists", true);
  }

  doesNotExist(key: Field): this {
    return this._condition(key, "$exists", false);
  }

  /** Strings that match; `modifiers` (`i`, `m`) are added to those of the expression. */
  matches(key: Field, expression: RegExp | string, modifiers = ""): this {
    const { source, flags } = typeof expression === "string" ? { source: expression, flags: "" } : expression;
    const options = [...new Set(flags.replace(/[^im]/g, "") + modifiers)].join("");
    this._condition(key, "$regex", source);
    return options ? this._condition(key, "$options", options) : this;
  }

  contains(key: Field, text: string): this {
    return this._condition(key, "$regex", quote(requireString(text)));
  }

  startsWith(key: Field, prefix: string, modifiers = ""): this {
    return this.matches(key, `^${quote(requireString(prefix))}`, modifiers);
  }

  endsWith(key: Field, suffix: string, modifiers = ""): this {
    return this.matches(key, `${quote(requireString(suffix))}$`, modifiers);
  }

  fullText(key: Field, term: string, options: FullTextOptions = {}): this {
    if (!key) throw new Error("A key is required.");
    if (!term) throw new Error("A search term is required");
    if (typeof term !== "string") throw new Error("The value being searched must be a string.");
    const { language: $language, caseSensitive: $caseSensitive, diacriticSensitive } = options;
    const $search = { $term: term, $language, $caseSensitive, $diacriticSensitive: diacriticSensitive };
    return this._condition(key, "$text", { $search });
  }

  /** Best matches of `fullText` first. */
  sortByTextScore(): this {
    return this._with("order", "$score")._add("keys", ["$score"]);
  }

  /** Pointers to objects that match the other query. */
  matchesQuery(key: Field, query: Subquery): this {
    return this._condition(key, "$inQuery", subqueryJson(query));
  }

  doesNotMatchQuery(key: Field, query: Subquery): this {
    return this._condition(key, "$notInQuery", subqueryJson(query));
  }

  /** Values of `queryKey` in objects that match the other query. */
  matchesKeyInQuery(key: Field, queryKey: string, query: Subquery): this {
    return this._condition(key, "$select", { key: queryKey, query: subqueryJson(query) });
  }

  doesNotMatchKeyInQuery(key: Field, queryKey: string, query: Subquery): this {
    return this._condition(key, "$dontSelect", { key: queryKey, query: subqueryJson(query) });
  }

  /** Nearest first. */
  near(key: Field, point: GeoPoint): this {
    return this._condition(key, "$nearSphere", wireGeoPoint(point));
  }

  /** Nearest first, unless `sorted` is false. */
  withinRadians(key: Field, point: GeoPoint, distance: number, sorted = true): this {
    if (!sorted) {
      const center = [[point.longitude, point.latitude], distance];
      return this._condition(key, "$geoWithin", { $centerSphere: center });
    }
    return this.near(key, point)._condition(key, "$maxDistance", distance);
  }

  withinMiles(key: Field, point: GeoPoint, distance: number, sorted = true): this {
    return this.withinRadians(key, point, distance / EARTH_RADIUS_MILES, sorted);
  }

  withinKilometers(key: Field, point: GeoPoint, distance: number, sorted = true): this {
    return this.withinRadians(key, point, distance / EARTH_RADIUS_KM, sorted);
  }

  withinGeoBox(key: Field, southwest: GeoPoint, northeast: GeoPoint): this {
    return this._condition(key, "$within", { $box: [wireGeoPoint(southwest), wireGeoPoint(northeast)] });
  }

  withinPolygon(key: Field, points: Polygon | readonly (GeoPoint | readonly [number, number])[]): this {
    return this._condition(key, "$geoWithin", { $polygon: points });
  }

  polygonContains(key: Field, point: GeoPoint): this {
    return this._condition(key, "$geoIntersects", { $point: point });
  }

  ascending(...keys: (Field | readonly Field[])[]): this {
    return this._with("order", undefined).addAscending(...keys);
  }

  addAscending(...keys: (Field | readonly Field[])[]): this {
    return this._add("order", keys);
  }

  descending(...keys: (Field | readonly Field[])[]): this {
    return this._with("order", undefined).addDescending(...keys);
  }

  addDescending(...keys: (Field | readonly Field[])[]): this {
    return this._add("order", keys, "-");
  }
}

/** Converts a GeoPoint or a pair of coordinates. */
function wireGeoPoint(point: GeoPoint | readonly [number, number]): WireGeoPoint {
  const [latitude, longitude] = "latitude" in point ? [point.latitude, point.longitude] : point;
  return { __type: "GeoPoint", latitude, longitude };
}

function subqueryJson(query: Subquery): JsonObject {
  return { ...query.toJSON(), className: query.className };
}

function isConditions(value: JsonValue | undefined): value is JsonObject {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const keys = Object.keys(value);
  return keys.length > 0 && keys.every((key) => key.startsWith("$"));
}

/** Keys, "a,b" or lists of either. */
function names(keys: readonly (string | readonly string[])[]): string[] {
  return keys
    .flat()
    .flatMap((key) => key.replace(/\s/g, "").split(","))
    .filter((key) => key !== "");
}

/** Quotes text for a regular expression. */
function quote(text: string): string {
  return `\\Q${text.replaceAll("\\E", "\\E\\\\E\\Q")}\\E`;
}

function requireString(value: unknown): string {
  if (typeof value === "string") return value;
  throw new ProtocolError(ErrorCode.INVALID_QUERY, "The value being searched for must be a string.");
}

import type { Coordinates } from "./distance.ts";
import type { Area } from "./geo.ts";
import type { Order } from "./order.ts";
import type { JsonValue, WirePointer } from "./wireValues.ts";

/** The operand of a comparison. Dates are compared by time, pointers by class and id, everything else as JSON. */
export type Operand =
  | { type: "null" }
  | { type: "string"; value: string }
  | { type: "number"; value: number }
  | { type: "boolean"; value: boolean }
  | { type: "date"; value: string }
  | { type: "pointer"; value: WirePointer }
  /** Compared by name. */
  | { type: "file"; value: string }
  | { type: "json"; value: JsonValue };

export type Comparison = "eq" | "ne" | "lt" | "lte" | "gt" | "gte";

/** A nested query: the objects of another class that a field points to or shares a value with. */
export interface SubQuery {
  className: string;
  /** Key of `className` whose target class is queried instead. */
  redirectClassNameForKey: string | undefined;
  where: Condition;
  order: Order[];
  /** Undefined for no limit. */
  limit: number | undefined;
  skip: number;
}

export interface TextSearch {
  term: string;
  /** Language of the text search: `english`, `es`, `none` … */
  language: string | undefined;
  caseSensitive: boolean;
  diacriticSensitive: boolean;
}

/** A condition on one field. `path` is the field's name, followed by nested keys. */
export type FieldCondition = { path: [string, ...string[]] } & (
  | { kind: Comparison; operand: Operand }
  | { kind: "in" | "nin" | "all" | "containedBy"; operands: Operand[] }
  | { kind: "exists"; exists: boolean }
  | { kind: "regex"; source: string; flags: string }
  /** Points to an object that the sub-query finds, or to none of them if `negated`. */
  | { kind: "inQuery"; negated: boolean; query: SubQuery }
  /** Equals the value at `key` of an object that the sub-query finds. */
  | { kind: "select"; negated: boolean; query: SubQuery; key: [string, ...string[]] }
  | { kind: "text"; search: TextSearch }
  /** Sorts by ascending distance unless another order is given. `maxDistance` is in radians. */
  | { kind: "near"; point: Coordinates; maxDistance: number | undefined }
  | { kind: "geoWithin"; area: Area }
  | { kind: "geoIntersects"; point: Coordinates }
);

export type Condition =
  | FieldCondition
  | { kind: "and" | "or" | "nor"; conditions: Condition[] }
  | { kind: "relatedTo"; object: WirePointer; key: string };

import type { FieldTypeName, Operand, TextSearch } from "@purse/protocol";
import type { ClassSchema } from "../../schema/classSchema.ts";

/** What a statement is bound with. Booleans travel as `true` and `false`, dates as ISO text, lists as JSON. */
export type SqlParameter = string | number;

export type OperandType = Operand["type"];
/** What has an order. */
export type OrderedType = "string" | "number" | "boolean" | "date";
export type SqlOperator = "<" | "<=" | ">" | ">=";

/**
 * A value that conditions speak of: a column, a field of the document, or an item of an array. Each
 * method answers a test as SQL text; its `?` stand for the operand's parameters, in order.
 */
export interface Cell {
  readonly isNull: string;
  readonly exists: string;
  readonly isArray: string;
  /** A pointer has two parameters: its class and its id; null none; all others one. */
  equals(type: OperandType): string;
  /** One of those in a JSON array; pointers have their class as a parameter before it. */
  isIn(type: OperandType): string;
  compares(operator: SqlOperator, type: OrderedType): string;
  /** Fits the pattern that `Dialect.pattern` makes the parameters of. */
  fits(): string;
  /** Lies between two texts, the first included. */
  between(): string;
  /** Points to an object of the class that is a parameter, whose id `select` answers. */
  pointsInto(select: string): string;
  /** Points to an object, of the only class that it can, whose id `select` answers. */
  idIn(select: string): string;
  /** Is among the values that `select` answers, which are `Dialect.comparable`. */
  isAmong(select: string): string;
}

/** What one database writes differently from another. Paths and names are checked; every value is a parameter. */
export interface Dialect {
  /**
   * A condition, with the AND after it, that every row of a class (or of purse_relations) is tested with before any
   * other: how a statement is ended in the middle of its work. Empty where the database does that by itself.
   */
  readonly checkpoint: string;
  readonly relationCheckpoint: string;
  /** A select of `what` from the rows of a class that `rest` (WHERE, ORDER BY, LIMIT) leaves, in its order. */
  page(what: string, table: string, rest: string): string;
  /** The parameters of a page, before those of its parts, by which it is no larger than `maxChars` characters. */
  pageParameters(maxChars: number): SqlParameter[];
  identifier(name: string): string;
  /** One of the columns that every class's table has: id, created_at, updated_at. */
  column(name: string): Cell;
  /** A field of `doc`; `type` is what the schema declares, undefined below the first level. */
  field(path: readonly string[], type: FieldTypeName | undefined): Cell;
  /** An item of an array, inside `anyItem`. */
  readonly item: Cell;
  /** Whether `test`, which speaks of the item, holds for an item of the array at a path. */
  anyItem(path: readonly string[], test: string): string;
  /** Whether the array at a path holds the operand; undefined where the database has no shorter way than anyItem. */
  arrayHolds(path: readonly string[], type: OperandType): string | undefined;
  /** Whether the array at a path holds all of some texts and numbers, and the parameters of that. */
  arrayHoldsAll(path: readonly string[]): string;
  allValues(values: readonly (string | number)[]): SqlParameter[];
  /** Whether the value at a path is the operand, or is an array that holds it. */
  isOrHolds(path: readonly string[], type: "string" | "number"): string;
  /** Whether every item of the array at a path fulfils `test`. */
  everyItem(path: readonly string[], test: string): string;
  /** What a value is ordered by; several where the schema does not say what it is. */
  orderKeys(path: readonly string[], type: FieldTypeName | undefined): string[];
  direction(descending: boolean): string;
  /** The parameters of a pattern. Throws 102 for one that cannot be read. */
  pattern(source: string, flags: string): SqlParameter[];
  /** The value at a path, for `Cell.isAmong`. */
  comparable(path: readonly string[]): string;
  /** A column's value, for `Cell.isAmong`. */
  comparableColumn(name: string): string;
  /** The value at a path as JSON text; NULL where there is none. */
  json(path: readonly string[]): string;
  /** An SQL text or number as JSON text; NULL as `null`. */
  quote(value: string): string;
  /** A JSON array of SQL values, the first ones of which are JSON text already. */
  row(json: string[], numbers: string[]): string;
  /** The number at a path that the schema guarantees to be one. */
  number(path: readonly string[]): string;
  /** The smaller of two numbers. */
  smaller(a: string, b: string): string;
  /** Whether a place lies in the polygon that is the next parameter: JSON, [latitude, longitude] by point. */
  inPolygon(latitude: string, longitude: string): string;
  /** Whether the polygon at a path holds the place of the next two parameters: latitude, longitude. */
  polygonHolds(path: readonly string[]): string;
  /** Whether a field fits a text search, and how well; both take the parameter of `textQuery`. */
  textFits(schema: ClassSchema, field: string, search: TextSearch): string;
  textScore(schema: ClassSchema, field: string, search: TextSearch): string;
  textQuery(search: TextSearch): string;
  /** What decides the SQL text of a text search. Throws 102 for a language that the database does not know. */
  textShape(search: TextSearch): string;
  /** The document as text, and with a `score` in it. */
  readonly document: string;
  documentWithScore(score: string): string;
  /** An ACL column's principal as a parameter, and tests for one and for one of many. */
  principal(name: string): string;
  aclHolds(column: string): string;
  aclHoldsAny(column: string): string;
  /** The parameters of `aclHoldsAny`. */
  principals(names: readonly string[]): SqlParameter[];
  /** `value IN` the JSON array of texts that is the next parameter. */
  textIn(value: string): string;
}

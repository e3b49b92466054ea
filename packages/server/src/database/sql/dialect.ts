import type { FieldType, FieldTypeName, Operand, TextSearch } from "@purse/protocol";
import type { ClassSchema } from "../classSchema.ts";
import type { TraversalList, TraversalSteps } from "./arrayTraversal.ts";

/** A parameter of a statement. Booleans are passed as `true` and `false`, dates as ISO text, lists as JSON. */
export type SqlParameter = string | number;

export type OperandType = Operand["type"];
/** Types that can be sorted and compared. */
type OrderedType = "string" | "number" | "boolean" | "date";
export type SqlOperator = "<" | "<=" | ">" | ">=";

/**
 * SQL expressions on a value: a column, a field of the document, or an item of an array. Each method returns a test as
 * SQL; its `?` stand for the parameters of the operand, in order.
 */
export interface ValueExpression {
  readonly isNull: string;
  readonly exists: string;
  readonly isArray: string;
  /** Parameters: class and id for a pointer, none for null, otherwise one. */
  equals(type: OperandType): string;
  /** Equals one of the values of a JSON array. For pointers, the class is the first parameter. */
  isIn(type: OperandType): string;
  compares(operator: SqlOperator, type: OrderedType): string;
  /** Matches a pattern with the parameters of `Dialect.pattern`. */
  matches(): string;
  /** In the range between two texts; excludes the second one. */
  between(): string;
  /** Points to an object of the class in the parameter whose id `select` returns. */
  pointsInto(select: string): string;
  /** Points to an object whose id `select` returns; the schema declares its class. */
  idIn(select: string): string;
  /** One of the values that `select` returns in the format of `Dialect.comparable`. */
  isInResult(select: string): string;
}

/** The differences between the SQL of the databases. Paths and names are validated; every value is a parameter. */
export interface Dialect {
  /**
   * A condition, followed by AND, that is tested first for every row of a class (or of purse_relations), so that a
   * running statement can be interrupted. Empty if the database supports timeouts.
   */
  readonly interruptCheck: string;
  readonly relationInterruptCheck: string;
  /** Selects `columns` from the rows of a class that remain after `rest` (WHERE, ORDER BY, LIMIT), in its order. */
  selectPage(columns: string, table: string, rest: string): string;
  /** Returns the leading parameters of a page, which limit it to `maxChars` characters. */
  pageParameters(maxChars: number): SqlParameter[];
  identifier(name: string): string;
  /** A column that the table of every class has: id, created_at, updated_at. */
  column(name: string): ValueExpression;
  /**
   * A field of `doc`. `declared` is its type in the schema, undefined for nested keys; `column` the SQL of its typed
   * column.
   */
  field(
    path: readonly string[],
    declared: FieldType | undefined,
    column: string | undefined,
  ): ValueExpression;
  /**
   * A cheap test, with its parameter, that all documents pass whose top-level field has a value of its declared type;
   * undefined if there is none.
   */
  mayHave(field: string, operand: Operand): { test: string; parameter: SqlParameter } | undefined;
  /** The current item inside of `anyItem` and `anyItemOrValue`, and of the rows of `traverse`. */
  readonly item: ValueExpression;
  /** Whether `test` holds for an item of the array at a path. */
  anyItem(path: readonly string[], test: string): string;
  /** Whether `test` holds for the value at a path or, if that is an array, for one of its items. */
  anyItemOrValue(path: readonly string[], test: string): string;
  /** Whether the array at a path contains the operand; undefined if the database has no faster way than anyItem. */
  arrayContains(path: readonly string[], type: OperandType): string | undefined;
  /** Whether the array at a path contains all of some texts and numbers, with its parameters. */
  arrayContainsAll(path: readonly string[]): string;
  arrayContainsAllParameters(values: readonly (string | number)[]): SqlParameter[];
  /** Lists what a path through arrays leads to, as the tables of a FROM clause, the last of which is `item`. */
  traverse(steps: TraversalSteps, list: TraversalList): string;
  /** Like `arrayContainsAll`, for the rows of `traverse`. */
  rowsContainAll(tables: string): string;
  /** Whether the value at a path equals the operand, or is an array that contains it. */
  equalsOrContains(path: readonly string[], type: "string" | "number"): string;
  /** Whether every item of the array at a path satisfies `test`. */
  everyItem(path: readonly string[], test: string): string;
  /** Returns the sort keys of a value; several if the schema does not declare its type. */
  orderKeys(path: readonly string[], type: FieldTypeName | undefined): string[];
  direction(descending: boolean): string;
  /** Returns the parameters of a pattern. Throws 102 if it is invalid. */
  pattern(source: string, flags: string): SqlParameter[];
  /** The value at a path for `ValueExpression.isInResult`. */
  comparable(path: readonly string[]): string;
  /** The value at a path for `itemsOf`. */
  listable(path: readonly string[]): string;
  /** The values that `select` returns in the format of `listable`, and the items of arrays in place of arrays. */
  itemsOf(select: string): string;
  /** The value of a column for `ValueExpression.isInResult`. */
  comparableColumn(name: string): string;
  /** The value at a path as JSON text; NULL if it is missing. */
  json(path: readonly string[]): string;
  /** Converts an SQL text or number to JSON text; NULL becomes `null`. */
  quote(value: string): string;
  /** Converts the value of a typed column to JSON text in wire format; NULL becomes `null`. */
  quoteTyped(value: string, type: FieldType): string;
  /** A JSON array of SQL values; the first ones are JSON text already. */
  row(json: string[], numbers: string[]): string;
  /** The value at a path that the schema declares as a number. */
  number(path: readonly string[]): string;
  /** Aggregates a number of all rows to their sum, also beyond 64 bits; 0 or NULL without numbers. */
  sum(number: string): string;
  /** The smaller of two numbers. */
  least(a: string, b: string): string;
  /**
   * Whether a point lies in a polygon given as the next parameter (JSON with [latitude, longitude] points), which crosses
   * the antimeridian or does not.
   */
  inPolygon(latitude: string, longitude: string, crosses: boolean): string;
  /** Whether the polygon at a path contains the point of the next two parameters: latitude, longitude. */
  polygonContains(path: readonly string[]): string;
  /** Whether a field matches a text search, and its relevance; both take the parameter of `textQuery`. */
  textMatches(schema: ClassSchema, field: string, search: TextSearch): string;
  textScore(schema: ClassSchema, field: string, search: TextSearch): string;
  textQuery(search: TextSearch): string;
  /** Everything that determines the SQL of a text search. Throws 102 for an unknown language. */
  textShape(search: TextSearch): string;
  /** The document as text, and with an additional `score`. */
  readonly document: string;
  documentWithScore(score: string): string;
  /** A subject of an ACL as a parameter, and tests for one and for any of several subjects. */
  subject(name: string): string;
  aclContains(column: string): string;
  aclContainsAny(column: string): string;
  /** Returns the parameters of `aclContainsAny`. */
  subjects(names: readonly string[]): SqlParameter[];
  /** Tests whether a value is in the JSON array of texts that is the next parameter. */
  textIn(value: string): string;
}

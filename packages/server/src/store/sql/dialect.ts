/** What one database writes differently from another. Paths are checked names; every value is a parameter. */
export interface Dialect {
  /** Quotes a table or column name that has been checked against the protocol's rules of names. */
  identifier(name: string): string;
  /** The value at a path as SQL text, number, boolean or JSON text; NULL where there is none. */
  value(source: string, path: readonly string[]): string;
  /** The JSON type name at a path; NULL where there is nothing. */
  typeOf(source: string, path: readonly string[]): string;
  /** Tests whether the SQL value is of a kind: guards comparisons on fields without a declared type. */
  isKind(value: string, kind: "text" | "number"): string;
  /** `EXISTS` over the items of the array at a path; `test` speaks of the item by the three below. */
  anyItem(source: string, path: readonly string[], test: string): string;
  /** The same, where the value at the path may be a single scalar instead. */
  anyItemOrValue(source: string, path: readonly string[], test: string): string;
  /** An item as text, number or JSON text. */
  readonly item: string;
  readonly itemType: string;
  /** The value of a key of an item that is an object, NULL for others. */
  itemKey(key: string): string;
  /** `value IN` the JSON array that is the next parameter. */
  inParameter(value: string): string;
  /** The next parameter as JSON, minified as stored. */
  jsonParameter(): string;
  /** Tests `value` against the pattern and flags that are the next two parameters. */
  regex(value: string): string;
  /** Whether the principal that is the next parameter (`|name|`) stands in an ACL column. */
  aclHolds(column: string): string;
  /** Whether one of those in the JSON array that is the next parameter does. */
  aclHoldsAny(column: string): string;
}

import type { ClassSchema } from "../classSchema.ts";
import type { StoreQuery } from "../store.ts";
import type { Dialect, SqlParameter } from "./dialect.ts";

/**
 * A fragment of a statement. `shape` uniquely determines its text, so that the text is generated once per shape. The
 * parameters are collected beforehand, in the order of the text.
 */
export interface SqlFragment {
  shape: string;
  sql(): string;
}

export interface WhereContext {
  schema: ClassSchema;
  dialect: Dialect;
  parameters: SqlParameter[];
  /** Prepared sub-queries by their node in the where, limited to what the client may read. */
  subqueries: StoreQuery["subqueries"];
  /** Counts conditions that iterate over array items. Throws 102 if a statement has too many. */
  countArrayTests(count: number): void;
  /** Compiles a select of a column of the objects that a query finds. */
  select(query: StoreQuery, column: string): SqlFragment;
}

/** A condition that is never satisfied. */
export const NEVER: SqlFragment = { shape: "never", sql: () => "FALSE" };

import type { ClassSchema } from "../../schema/classSchema.ts";
import type { StoreQuery } from "../store.ts";
import type { Dialect, SqlParameter } from "./dialect.ts";

/**
 * A piece of a statement. `shape` is all that decides its text, so that the text is made once for
 * each shape; the parameters have been collected already, in the order in which the text has them.
 */
export interface Compiled {
  shape: string;
  sql(): string;
}

export interface WhereContext {
  schema: ClassSchema;
  dialect: Dialect;
  parameters: SqlParameter[];
  /** What the sub-questions of the where, by their node in it, come to for whoever asks. */
  subqueries: StoreQuery["subqueries"];
  /** Counts conditions that go through the items of arrays. Throws 102 for more than a statement may have. */
  useArrayTests(count: number): void;
  /** Compiles what answers a column of the objects that a query finds. */
  select(query: StoreQuery, column: string): Compiled;
}

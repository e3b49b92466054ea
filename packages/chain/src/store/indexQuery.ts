import { NOOP_QUERY_EXECUTOR, type QueryCompiler, QueryCreator, type RootOperationNode } from "kysely";
import { toHex } from "../model/hexBytes.ts";
import type { ChainTables } from "./tables.ts";

/** Builds queries on the tables of an index; readers compile and execute them. */
export const query = new QueryCreator<ChainTables>({ executor: NOOP_QUERY_EXECUTOR });

/** A change of an index. */
export interface IndexChange {
  toOperationNode(): RootOperationNode;
}

/** A query with rows of the type `Row`. */
export interface IndexQuery<Row> extends IndexChange {
  readonly expressionType: Row | undefined;
}

export type SqlValue = string | number | Uint8Array | null;

/** Compiles a query to SQL in the placeholders of a database, and its parameters. */
export function compileQuery(
  compiler: QueryCompiler,
  source: IndexChange,
): { text: string; parameters: readonly SqlValue[] } {
  const { sql, parameters } = compiler.compileQuery(source.toOperationNode(), QUERY_ID);
  // The types of the tables allow no other values.
  return { text: sql, parameters: parameters as readonly SqlValue[] };
}

/** Identifies a query with its parameters. */
export function queryKey(compiler: QueryCompiler, source: IndexChange): string {
  const { text, parameters } = compileQuery(compiler, source);
  return `${text} ${parameters.map((value) => (value instanceof Uint8Array ? toHex(value) : value)).join()}`;
}

const QUERY_ID = { queryId: "index" };

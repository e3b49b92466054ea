import { type RawBuilder, sql } from "kysely";

/** The columns of rows by their type in a statement; the values of bytes are hex with 0x. */
interface RowColumns<Column> {
  bytes?: readonly Column[];
  texts?: readonly Column[];
  numbers?: readonly Column[];
}

/**
 * Rows as a table of a statement, which needs an alias. Each column is a parameter, an array as text for `unnest()`,
 * which takes much less time than JSON.
 */
export function rowsTable<Column extends string>(
  rows: readonly Readonly<Record<NoInfer<Column>, string | number | bigint>>[],
  { bytes = [], texts = [], numbers = [] }: RowColumns<Column>,
): RawBuilder<unknown> {
  const names = [...bytes, ...texts, ...numbers].map((name) => sql.ref(name));
  const values = [
    ...bytes.map((name) => rows.map((row) => String(row[name]).slice(2))),
    ...[...texts, ...numbers].map((name) => rows.map((row) => String(row[name]))),
  ];
  const arrays = values.map((items, i) => {
    const type = sql.raw(i < bytes.length + texts.length ? "text[]" : "int8[]");
    return sql`${arrayOf(items)}::${type}`;
  });
  const selected = names.map((name, i) => (i < bytes.length ? sql`decode(${name}, 'hex') AS ${name}` : name));
  return sql`(SELECT ${sql.join(selected)} FROM unnest(${sql.join(arrays)}) AS item (${sql.join(names)}))`;
}

/** No item contains a character that needs quotes. */
function arrayOf(items: readonly string[]): string {
  return `{${items.map((item) => item || '""').join()}}`;
}

import type { Transaction } from "./postgresSql.ts";

export type Cell = string | number | null;

/** Inserts rows that do not exist, with COPY, the fastest way. */
export async function copy(tx: Transaction, table: string, rows: Cell[][]): Promise<undefined> {
  if (rows.length === 0) return;
  await tx.copyIn(table, copyText(rows));
}

/** Columns by which inserted rows are reported. */
const REPORTED_KEYS: ReadonlyMap<string, readonly string[]> = new Map([
  ["logs", ["position"]],
  ["nft_transfers", ["position", "part"]],
]);

/** Inserts missing rows; returns the keys of inserted ones for some tables, with dots between the columns. */
export async function merge(
  tx: Transaction,
  table: string,
  rows: Cell[][],
): Promise<Set<string> | undefined> {
  if (rows.length === 0) return;
  await tx.unsafe(`CREATE TEMP TABLE arriving (LIKE ${table}) ON COMMIT DROP`);
  await copy(tx, "arriving", rows);
  const keys = REPORTED_KEYS.get(table);
  const returning = keys ? `RETURNING concat_ws('.', ${keys.join(", ")}) AS key` : "";
  const added = await tx.unsafe<{ key: string }>(
    `INSERT INTO ${table} SELECT * FROM arriving ON CONFLICT DO NOTHING ${returning}`,
  );
  await tx.unsafe("DROP TABLE arriving");
  return keys && new Set(added.map(({ key }) => key));
}

/** PostgreSQL's COPY text format. No cell contains a character that needs escaping. */
function copyText(rows: Cell[][]): string {
  return rows
    .map((row) => row.map((cell) => cell ?? "\\N").join("\t"))
    .join("\n")
    .concat("\n");
}

/** Bytes in COPY format. */
export function bytes(hex: string | null | undefined): string | null {
  return typeof hex === "string" ? `\\\\x${hex.slice(2)}` : null;
}

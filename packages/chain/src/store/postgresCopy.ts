import type { Transaction } from "./postgresSql.ts";
import type { RowValue } from "./rowBuffer.ts";

/** Inserts rows that do not exist, with COPY, the fastest way. `rows` are in the format of `copyBytes`. */
export async function copy(tx: Transaction, table: string, rows: Buffer | undefined): Promise<undefined> {
  if (rows) await tx.copyIn(table, rows);
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
  rows: Buffer | undefined,
): Promise<Set<string> | undefined> {
  if (!rows) return;
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

/** The signature, no flags, and no extension of the header. */
const HEADER = Buffer.concat([Buffer.from("PGCOPY\n\xff\r\n\0", "latin1"), Buffer.alloc(8)]);
const END = -1;
const NULL = -1;
const INT8_SIZE = 8;
const INITIAL_SIZE = 64 * 1024;
/** Bytes of a character in UTF-8, at most. */
const MAX_CHARACTER = 3;
/** Bytes of the number of columns, and of the length of a value with a number. */
const MAX_FIXED = 14;

/** Rows in PostgreSQL's binary COPY format, with columns of int8, text and bytea; undefined for none. */
export function copyBytes(rows: readonly (readonly RowValue[])[]): Buffer | undefined {
  if (rows.length === 0) return undefined;
  let bytes = Buffer.allocUnsafeSlow(INITIAL_SIZE);
  let end = HEADER.copy(bytes);
  const reserve = (size: number) => {
    if (end + size + MAX_FIXED <= bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(end + size + MAX_FIXED, bytes.length * 2));
    bytes.copy(larger, 0, 0, end);
    bytes = larger;
  };
  for (const row of rows) {
    reserve(0);
    end = bytes.writeInt16BE(row.length, end);
    for (const value of row) {
      if (value === null) {
        reserve(0);
        end = bytes.writeInt32BE(NULL, end);
      } else if (typeof value === "number") {
        reserve(0);
        end = bytes.writeInt32BE(INT8_SIZE, end);
        const high = Math.floor(value / 2 ** 32);
        end = bytes.writeInt32BE(high, end);
        end = bytes.writeUInt32BE(value - high * 2 ** 32, end);
      } else if (typeof value === "string") {
        reserve(value.length * MAX_CHARACTER);
        const size = bytes.write(value, end + 4, "utf8");
        end = bytes.writeInt32BE(size, end) + size;
      } else {
        reserve(value.length);
        end = bytes.writeInt32BE(value.length, end);
        bytes.set(value, end);
        end += value.length;
      }
    }
  }
  reserve(0);
  end = bytes.writeInt16BE(END, end);
  return bytes.subarray(0, end);
}

/** Values that ClickHouse returns: bytes, numbers that are safe integers, and decimal text for larger ones. */
export type ColumnValue = Uint8Array | number | string | null;

/** Columns of text; other columns of the type String contain bytes. */
const TEXT_COLUMNS: ReadonlySet<string> = new Set(["token_ids", "details"]);

type ReadValue = (input: Input) => ColumnValue;

/** Decodes the format RowBinaryWithNamesAndTypes. Throws RangeError if the input ends within a row. */
export function decodeRows(bytes: Buffer): Record<string, ColumnValue>[] {
  if (bytes.length === 0) return [];
  const input = new Input(bytes);
  const count = input.length();
  const names = Array.from({ length: count }, () => input.bytes(input.length()).toString("utf8"));
  const types = Array.from({ length: count }, () => input.bytes(input.length()).toString("utf8"));
  const columns = names.map((name, i) => [name, reader(types[i] ?? "", TEXT_COLUMNS.has(name))] as const);
  const rows: Record<string, ColumnValue>[] = [];
  while (!input.isAtEnd) {
    const row: Record<string, ColumnValue> = {};
    for (const [name, read] of columns) row[name] = read(input);
    rows.push(row);
  }
  return rows;
}

function reader(type: string, isText: boolean): ReadValue {
  const [, inner] = /^Nullable\((.+)\)$/.exec(type) ?? [];
  if (inner !== undefined) {
    const read = reader(inner, isText);
    return (input) => (input.integer(1) === 0 ? read(input) : null);
  }
  if (type === "Nothing") return () => null;
  if (type === "String")
    return (input) => {
      const value = input.bytes(input.length());
      return isText ? value.toString("utf8") : value;
    };
  const [, size] = /^U?Int(8|16|32)$/.exec(type) ?? [];
  if (size !== undefined) return (input) => input.integer(Number(size) / 8);
  if (type === "UInt64" || type === "Int64") return (input) => Number(input.large(8));
  if (type === "UInt256") return (input) => input.large(32).toString();
  throw new Error(`ClickHouse returned a column of the type ${type}`);
}

/** Reads values from bytes; numbers are little-endian and not negative. */
class Input {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  /** A length in LEB128. */
  length(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.integer(1);
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  }

  bytes(count: number): Buffer {
    const end = this.#at + count;
    if (end > this.#bytes.length) throw new RangeError("the response of ClickHouse ends within a row");
    const value = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return value;
  }

  integer(size: number): number {
    return this.bytes(size).readUIntLE(0, size);
  }

  large(size: 8 | 32): bigint {
    const words = this.bytes(size);
    let value = 0n;
    for (let at = size - 8; at >= 0; at -= 8) value = (value << 64n) | words.readBigUInt64LE(at);
    return value;
  }
}

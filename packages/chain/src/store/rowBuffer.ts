/** A parameter of a statement. */
export type RowValue = number | string | Uint8Array | null;

/** The type of each value; bytes and texts are preceded by their length. */
const NULL = 0;
const NUMBER = 1;
/** An integer of one byte. */
const SMALL_NUMBER = 2;
const BYTES = 3;
/** Up to 255 bytes. */
const SHORT_BYTES = 4;
const TEXT = 5;

const INITIAL_SIZE = 256 * 1024;
const MAX_SMALL = 255;
/** Bytes of a type with a number or a length, at most. */
const MAX_HEADER = 9;
/** Bytes of a character in UTF-8, at most. */
const MAX_CHARACTER = 3;

/** Writes rows to one buffer, which moves to another thread without being copied. */
export class RowBufferWriter {
  #bytes = Buffer.allocUnsafeSlow(INITIAL_SIZE);
  #end = 0;

  /** Adds a list of rows: their number and then their values. */
  add(rows: readonly (readonly RowValue[])[]): void {
    this.#reserve(0);
    this.#number(rows.length);
    for (const row of rows) for (const value of row) this.#value(value);
  }

  /** What was added, in memory of its own. */
  finish(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#bytes.buffer, 0, this.#end);
  }

  #value(value: RowValue): void {
    if (value === null) {
      this.#reserve(0);
      this.#bytes[this.#end++] = NULL;
    } else if (typeof value === "number") {
      this.#reserve(0);
      this.#number(value);
    } else if (typeof value === "string") {
      this.#reserve(value.length * MAX_CHARACTER);
      const size = this.#bytes.write(value, this.#end + 5, "utf8");
      this.#length(TEXT, size);
      this.#end += size;
    } else {
      this.#reserve(value.length);
      if (value.length <= MAX_SMALL) {
        this.#bytes[this.#end++] = SHORT_BYTES;
        this.#bytes[this.#end++] = value.length;
      } else this.#length(BYTES, value.length);
      this.#bytes.set(value, this.#end);
      this.#end += value.length;
    }
  }

  #number(value: number): void {
    if (value >= 0 && value <= MAX_SMALL && Number.isInteger(value)) {
      this.#bytes[this.#end++] = SMALL_NUMBER;
      this.#bytes[this.#end++] = value;
      return;
    }
    this.#bytes[this.#end++] = NUMBER;
    this.#end = this.#bytes.writeDoubleLE(value, this.#end);
  }

  #length(type: number, length: number): void {
    this.#bytes[this.#end++] = type;
    this.#end = this.#bytes.writeUInt32LE(length, this.#end);
  }

  /** Makes room for a value with so many bytes. */
  #reserve(size: number): void {
    const needed = this.#end + MAX_HEADER + size;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#end);
    this.#bytes = larger;
  }
}

/** Reads the rows of a `RowBufferWriter`, in the same order. */
export class RowBufferReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /**
   * Calls a function with each row of the next list. A row is overwritten by the next one. Its bytes are views of the
   * buffer.
   */
  each(columns: number, onRow: (row: readonly RowValue[]) => void): void {
    const count = Number(this.#value());
    const row = new Array<RowValue>(columns).fill(null);
    for (let i = 0; i < count; i++) {
      for (let column = 0; column < columns; column++) row[column] = this.#value();
      onRow(row);
    }
  }

  #value(): RowValue {
    const type = this.#bytes[this.#at++];
    switch (type) {
      case NULL:
        return null;
      case NUMBER:
        this.#at += 8;
        return this.#bytes.readDoubleLE(this.#at - 8);
      case SMALL_NUMBER:
        return this.#bytes[this.#at++] ?? 0;
      case SHORT_BYTES:
        return this.#slice(this.#bytes[this.#at++] ?? 0);
      case BYTES:
        return this.#slice(this.#length());
      case TEXT:
        return this.#slice(this.#length()).toString("utf8");
      default:
        throw new RangeError(`a buffer of rows has no type ${type}`);
    }
  }

  #length(): number {
    this.#at += 4;
    return this.#bytes.readUInt32LE(this.#at - 4);
  }

  #slice(length: number): Buffer {
    const from = this.#at;
    this.#at += length;
    return this.#bytes.subarray(from, this.#at);
  }
}

/** Length of a word of 32 bytes in hex digits. */
const WORD = 64;

/**
 * Reads ABI-encoded values from the input of a call or the data of a log, without the checks and the checksums of a general decoder, because
 * a page of a list has hundreds of calls. Methods throw RangeError for data that is too short, or whose dynamic values
 * overlap so that they would be larger than the data.
 */
export class EncodedValues {
  readonly #hex: string;
  /** The first digit of the tuple or array, to which its offsets refer. */
  readonly #start: number;
  readonly #unread: { digits: number };

  private constructor(hex: string, start: number, unread: { digits: number }) {
    this.#hex = hex;
    this.#start = start;
    this.#unread = unread;
  }

  /** The arguments of a call, whose input begins with a selector. */
  static ofInput(input: string): EncodedValues {
    return EncodedValues.#of(input.slice(10));
  }

  /** The values of a log that are not indexed. */
  static ofLog(data: string): EncodedValues {
    return EncodedValues.#of(data.slice(2));
  }

  static #of(hex: string): EncodedValues {
    return new EncodedValues(hex, 0, { digits: hex.length });
  }

  /** The number of whole words from the beginning of the tuple. */
  get words(): number {
    return Math.floor((this.#hex.length - this.#start) / WORD);
  }

  /** A word without 0x, by its index in the tuple. */
  word(index: number): string {
    return this.#slice(this.#start + index * WORD, WORD);
  }

  uint(index: number): bigint {
    return BigInt(`0x${this.word(index)}`);
  }

  address(index: number): string {
    return `0x${this.word(index).slice(24)}`;
  }

  /** Dynamic bytes as hex, by the index of their offset. */
  bytes(index: number): string {
    const start = this.#start + this.#size(index) * 2;
    const digits = sizeOf(this.#slice(start, WORD)) * 2;
    this.#read(digits);
    return `0x${this.#slice(start + WORD, digits)}`;
  }

  /** The elements of an array as the words of a tuple, by the index of the offset of the array. */
  array(index: number): { length: number; elements: EncodedValues } {
    const start = this.#start + this.#size(index) * 2;
    const length = sizeOf(this.#slice(start, WORD));
    this.#read(length * WORD);
    return { length, elements: new EncodedValues(this.#hex, start + WORD, this.#unread) };
  }

  /** The elements of an array of dynamic tuples, by the index of the offset of the array. */
  tuples(index: number): EncodedValues[] {
    const { length, elements } = this.array(index);
    return Array.from({ length }, (_, i) => elements.#tuple(i));
  }

  #tuple(index: number): EncodedValues {
    return new EncodedValues(this.#hex, this.#start + this.#size(index) * 2, this.#unread);
  }

  #size(index: number): number {
    return sizeOf(this.word(index));
  }

  #read(digits: number): void {
    this.#unread.digits -= digits;
    if (this.#unread.digits < 0) throw new RangeError("the values are larger than the data");
  }

  #slice(start: number, digits: number): string {
    if (start + digits > this.#hex.length) throw new RangeError("the data is too short");
    return this.#hex.slice(start, start + digits);
  }
}

/** A length or offset in bytes. Those that no call data can have become Infinity or a large number. */
function sizeOf(word: string): number {
  return Number(`0x${word}`);
}

import { ErrorCode, ProtocolError } from "@purse/protocol";

/** Maximum size of an envelope without its content, in bytes. */
const MAX_REST_BYTES = 256 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN: ReadonlySet<number> = new Set([0x7b, 0x5b]);
const CLOSE: ReadonlySet<number> = new Set([0x7d, 0x5d]);
const COLON = 0x3a;
const COMMA = 0x2c;

/**
 * Parses the JSON upload of old clients as a stream, so that it is never in memory completely: yields the decoded bytes
 * of the top-level field `base64` and collects everything else in `rest`, in which that field is "". Throws 107 for
 * invalid base64, 116 if the rest is too large. Whether the rest is valid JSON is checked by its consumer.
 */
export class UploadEnvelope {
  readonly #rest: Buffer[] = [];
  #restBytes = 0;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  /** The last string at the top level: a key if a colon follows. */
  #string: number[] = [];
  #key = "";
  #hasBase64 = false;
  #isInContent = false;
  #base64 = new Base64Decoder();

  /** The JSON without the content. */
  get rest(): Buffer {
    return Buffer.concat(this.#rest);
  }

  async *content(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const bytes of source) {
      const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      let index = 0;
      while (index < chunk.length) {
        if (this.#isInContent) {
          const quote = chunk.indexOf(QUOTE, index);
          const end = quote < 0 ? chunk.length : quote;
          const decoded = this.#base64.decode(chunk.toString("latin1", index, end));
          if (decoded.length > 0) yield decoded;
          index = end;
          if (quote < 0) continue;
          this.#isInContent = false;
          const last = this.#base64.end();
          if (last.length > 0) yield last;
          this.#appendRest(chunk.subarray(quote, quote + 1));
          index++;
        } else {
          const end = this.#scan(chunk, index);
          this.#appendRest(chunk.subarray(index, end));
          index = end;
        }
      }
    }
    if (this.#isInContent) throw new ProtocolError(ErrorCode.INVALID_JSON, "The upload was aborted");
  }

  /** Scans to the start of the content, or to the end of the chunk. */
  #scan(chunk: Buffer, from: number): number {
    for (let index = from; index < chunk.length; index++) {
      const byte = chunk[index] ?? 0;
      if (this.#isInString) this.#scanString(byte);
      else if (byte === QUOTE) {
        if (this.#depth === 1 && this.#key === "base64") return this.#startContent(index + 1);
        this.#isInString = true;
        this.#string = [];
      } else if (OPEN.has(byte)) this.#depth++;
      else if (CLOSE.has(byte)) this.#depth--;
      else if (this.#depth === 1 && byte === COLON) this.#key = String.fromCharCode(...this.#string);
      else if (this.#depth === 1 && byte === COMMA) this.#key = "";
    }
    return chunk.length;
  }

  #scanString(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) {
      this.#isInString = false;
      return;
    }
    // Relevant keys are short and contain no escapes.
    if (this.#depth === 1 && this.#string.length < 16) this.#string.push(byte);
  }

  #startContent(index: number): number {
    if (this.#hasBase64) throw new ProtocolError(ErrorCode.INVALID_JSON, "base64 occurs twice");
    this.#hasBase64 = true;
    this.#isInContent = true;
    this.#key = "";
    return index;
  }

  #appendRest(bytes: Buffer): void {
    this.#restBytes += bytes.length;
    if (this.#restBytes > MAX_REST_BYTES) {
      throw new ProtocolError(
        ErrorCode.OBJECT_TOO_LARGE,
        `The envelope is larger than ${MAX_REST_BYTES} bytes`,
        413,
      );
    }
    // Copied, because a slice would keep the whole chunk in memory.
    this.#rest.push(Buffer.from(bytes));
  }
}

const DIGITS = /^[A-Za-z0-9+/_-]*(={0,2})$/;

/** Decodes base64 (in JSON `/` may be escaped) incrementally. */
class Base64Decoder {
  #carry = "";
  #isEnded = false;
  #isEscaped = false;

  decode(text: string): Buffer {
    let plain = text;
    if (this.#isEscaped || text.includes("\\")) {
      plain = (this.#isEscaped ? "\\" : "") + text;
      this.#isEscaped = plain.endsWith("\\");
      if (this.#isEscaped) plain = plain.slice(0, -1);
      plain = plain.replaceAll("\\/", "/");
    }
    const padding = DIGITS.exec(plain)?.[1];
    if (padding === undefined || (this.#isEnded && plain.replaceAll("=", "") !== "")) throw invalidBase64();
    if (padding !== "") this.#isEnded = true;
    const digits = this.#carry + plain;
    const completeLength = digits.length - (digits.length % 4);
    this.#carry = digits.slice(completeLength);
    return Buffer.from(digits.slice(0, completeLength), "base64");
  }

  end(): Buffer {
    if (this.#isEscaped || this.#carry.replace(/=+$/, "").length === 1) throw invalidBase64();
    return Buffer.from(this.#carry, "base64");
  }
}

function invalidBase64(): ProtocolError {
  return new ProtocolError(ErrorCode.INVALID_JSON, "base64 is not valid base64");
}

import { ErrorCode, ProtocolError } from "@purse/protocol";

/** How much may stand in an envelope beside the content. */
const MAX_REST = 256 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN: ReadonlySet<number> = new Set([0x7b, 0x5b]);
const CLOSE: ReadonlySet<number> = new Set([0x7d, 0x5d]);
const COLON = 0x3a;
const COMMA = 0x2c;

/**
 * Reads the JSON by which old clients upload as it comes in, so that it never is in memory as a whole: yields the
 * bytes of the top-level field `base64`, and keeps all the rest in `rest`, in which that field is "". Throws 107 for
 * a base64 that is none, 116 where the rest is too large. Whether the rest is JSON is for whoever parses it.
 */
export class UploadEnvelope {
  readonly #rest: Buffer[] = [];
  #restBytes = 0;
  #depth = 0;
  #inText = false;
  #escaped = false;
  /** The last text at the top level: a key where a colon follows. */
  #text: number[] = [];
  #key = "";
  #seen = false;
  #inContent = false;
  #base64 = new Base64Decoder();

  /** The JSON without its content. */
  get rest(): Buffer {
    return Buffer.concat(this.#rest);
  }

  /** Whether there was a field `base64`. */
  get hasContent(): boolean {
    return this.#seen;
  }

  async *content(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const bytes of source) {
      const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      let at = 0;
      while (at < chunk.length) {
        if (this.#inContent) {
          const quote = chunk.indexOf(QUOTE, at);
          const end = quote < 0 ? chunk.length : quote;
          const decoded = this.#base64.decode(chunk.toString("latin1", at, end));
          if (decoded.length > 0) yield decoded;
          at = end;
          if (quote < 0) continue;
          this.#inContent = false;
          const last = this.#base64.end();
          if (last.length > 0) yield last;
          this.#keep(chunk.subarray(quote, quote + 1));
          at++;
        } else {
          const end = this.#scan(chunk, at);
          this.#keep(chunk.subarray(at, end));
          at = end;
        }
      }
    }
    if (this.#inContent) throw new ProtocolError(ErrorCode.INVALID_JSON, "The upload was cut off");
  }

  /** Goes on to the begin of the content, or to the chunk's end. */
  #scan(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (this.#inText) this.#scanText(byte);
      else if (byte === QUOTE) {
        if (this.#depth === 1 && this.#key === "base64") return this.#begin(at + 1);
        this.#inText = true;
        this.#text = [];
      } else if (OPEN.has(byte)) this.#depth++;
      else if (CLOSE.has(byte)) this.#depth--;
      else if (this.#depth === 1 && byte === COLON) this.#key = String.fromCharCode(...this.#text);
      else if (this.#depth === 1 && byte === COMMA) this.#key = "";
    }
    return chunk.length;
  }

  #scanText(byte: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (byte === BACKSLASH) this.#escaped = true;
    else if (byte === QUOTE) {
      this.#inText = false;
      return;
    }
    // Keys that matter here are short and plain.
    if (this.#depth === 1 && this.#text.length < 16) this.#text.push(byte);
  }

  #begin(at: number): number {
    if (this.#seen) throw new ProtocolError(ErrorCode.INVALID_JSON, "base64 is given twice");
    this.#seen = true;
    this.#inContent = true;
    this.#key = "";
    return at;
  }

  #keep(part: Buffer): void {
    this.#restBytes += part.length;
    if (this.#restBytes > MAX_REST) {
      throw new ProtocolError(
        ErrorCode.OBJECT_TOO_LARGE,
        `The envelope is larger than ${MAX_REST} bytes`,
        413,
      );
    }
    // A copy: the chunk would stay in memory as long as any part of it.
    this.#rest.push(Buffer.from(part));
  }
}

const DIGITS = /^[A-Za-z0-9+/_-]*(={0,2})$/;

/** Decodes base64 (in JSON: `/` may be escaped) piece by piece. */
class Base64Decoder {
  #carry = "";
  #isEnded = false;
  #escaped = false;

  decode(text: string): Buffer {
    let plain = text;
    if (this.#escaped || text.includes("\\")) {
      plain = (this.#escaped ? "\\" : "") + text;
      this.#escaped = plain.endsWith("\\");
      if (this.#escaped) plain = plain.slice(0, -1);
      plain = plain.replaceAll("\\/", "/");
    }
    const padding = DIGITS.exec(plain)?.[1];
    if (padding === undefined || (this.#isEnded && plain.replaceAll("=", "") !== "")) throw notBase64();
    if (padding !== "") this.#isEnded = true;
    const all = this.#carry + plain;
    const whole = all.length - (all.length % 4);
    this.#carry = all.slice(whole);
    return Buffer.from(all.slice(0, whole), "base64");
  }

  end(): Buffer {
    if (this.#escaped || this.#carry.replace(/=+$/, "").length === 1) throw notBase64();
    return Buffer.from(this.#carry, "base64");
  }
}

function notBase64(): ProtocolError {
  return new ProtocolError(ErrorCode.INVALID_JSON, "base64 holds something else than base64");
}

import { createHmac, timingSafeEqual } from "node:crypto";
import type { JsonValue } from "@purse/protocol";
import type { Parameters } from "./parseParameters.ts";

/** Parameters that can differ between the pages of a list: how much of it a page has, and in which form. */
const FREE: ReadonlySet<string> = new Set([
  ...["cursor", "limit", "offset", "disable_total", "format", "normalizeMetadata"],
  ...["include", "include_internal_transactions"],
  // Clients may write the same time in different ways, or ask for what was up to now.
  ...["from_block", "to_block", "from_date", "to_date"],
]);

/** Identifies the list of a request, by its parsed parameters. */
export function listOf(parameters: object, chainIdOf: (selector: unknown) => number): string {
  const bound = Object.entries(parameters)
    .filter(([name, value]) => !FREE.has(name) && value !== undefined)
    .map(([name, value]) => [name, name === "chain" ? chainIdOf(value) : value])
    .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
  return JSON.stringify(bound, (_, value) => (typeof value === "bigint" ? String(value) : value));
}

/** Length of the authentication code, in bytes: a multiple of 3, so that its base64 ends with a whole character. */
const CODE_BYTES = 12;
/** Names of the parameter; old clients append brackets. */
const NAMES = ["cursor", "cursor[]"];
/** Rejected by the parser of cursors. */
const INVALID = "invalid";
const CODE_LENGTH = (CODE_BYTES / 3) * 4;

/**
 * Signs the cursors of one endpoint, so that pages continue only where this server ended one of the same list: cursors
 * contain positions, page numbers and totals, which the server does not check otherwise. `list` is that of `listOf()`.
 */
export class CursorSigner {
  readonly #key: Uint8Array;
  readonly #endpoint: string;

  constructor(key: Uint8Array, endpoint: string) {
    this.#key = key;
    this.#endpoint = endpoint;
  }

  /** The response with its cursor signed, if it has one. */
  sign<Body extends JsonValue>(body: Body, list: string): Body {
    if (typeof body !== "object" || body === null || Array.isArray(body)) return body;
    if (!("cursor" in body) || typeof body.cursor !== "string" || body.cursor === "") return body;
    return { ...body, cursor: this.#code(body.cursor, list).toString("base64url") + body.cursor };
  }

  /** Whether the parameters have a cursor. */
  static hasCursor(parameters: Parameters): boolean {
    return NAMES.some((name) => typeof parameters[name] === "string" && parameters[name] !== "");
  }

  /** The parameters without a cursor. */
  static withoutCursor(parameters: Parameters): Parameters {
    return Object.fromEntries(Object.entries(parameters).filter(([name]) => !NAMES.includes(name)));
  }

  /** The parameters with the cursor as the endpoint encoded it; one that is not genuine is replaced by an invalid one. */
  verify(parameters: Parameters, list: string): Parameters {
    const verified = { ...parameters };
    for (const name of NAMES) {
      const value = verified[name];
      if (typeof value === "string" && value !== "") verified[name] = this.#encoded(value, list) ?? INVALID;
    }
    return verified;
  }

  #encoded(signed: string, list: string): string | undefined {
    const cursor = signed.slice(CODE_LENGTH);
    const code = Buffer.from(signed.slice(0, CODE_LENGTH), "base64url");
    return code.length === CODE_BYTES && timingSafeEqual(code, this.#code(cursor, list)) ? cursor : undefined;
  }

  #code(cursor: string, list: string): Buffer {
    const content = `${this.#endpoint} ${cursor} ${list}`;
    return createHmac("sha256", this.#key).update(content).digest().subarray(0, CODE_BYTES);
  }
}

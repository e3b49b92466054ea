import { createHmac, timingSafeEqual } from "node:crypto";
import type { JsonValue } from "@purse/protocol";
import type { Parameters } from "./parseParameters.ts";

/** Length of the authentication code, in bytes: a multiple of 3, so that its base64 ends with a whole character. */
const CODE_BYTES = 12;
/** Names of the parameter; old clients append brackets. */
const NAMES = ["cursor", "cursor[]"];
/** Rejected by the parser of cursors. */
const INVALID = "invalid";
const CODE_LENGTH = (CODE_BYTES / 3) * 4;

/**
 * Signs the cursors of one endpoint, so that pages continue only where this server ended one: cursors contain
 * positions, page numbers and totals, which the server does not check otherwise.
 */
export class CursorSigner {
  readonly #key: Uint8Array;
  readonly #endpoint: string;

  constructor(key: Uint8Array, endpoint: string) {
    this.#key = key;
    this.#endpoint = endpoint;
  }

  /** The response with its cursor signed, if it has one. */
  sign<Body extends JsonValue>(body: Body): Body {
    if (typeof body !== "object" || body === null || Array.isArray(body)) return body;
    if (!("cursor" in body) || typeof body.cursor !== "string" || body.cursor === "") return body;
    return { ...body, cursor: this.#code(body.cursor).toString("base64url") + body.cursor };
  }

  /** The parameters with the cursor as the endpoint encoded it; one that is not genuine is replaced by an invalid one. */
  verify(parameters: Parameters): Parameters {
    const verified = { ...parameters };
    for (const name of NAMES) {
      const value = verified[name];
      if (typeof value === "string" && value !== "") verified[name] = this.#encoded(value) ?? INVALID;
    }
    return verified;
  }

  #encoded(signed: string): string | undefined {
    const cursor = signed.slice(CODE_LENGTH);
    const code = Buffer.from(signed.slice(0, CODE_LENGTH), "base64url");
    return code.length === CODE_BYTES && timingSafeEqual(code, this.#code(cursor)) ? cursor : undefined;
  }

  #code(cursor: string): Buffer {
    const content = `${this.#endpoint} ${cursor}`;
    return createHmac("sha256", this.#key).update(content).digest().subarray(0, CODE_BYTES);
  }
}

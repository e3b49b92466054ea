import { ErrorCode, type JsonObject, ProtocolError } from "@purse/protocol";
import type { AuthAdapter, AuthResult } from "./adapter.ts";

/**
 * Anonymous users, identified by a secret ID of their device. IDs shorter than `minLength` can be guessed and are
 * rejected with 101.
 */
export function anonymousAdapter(minLength: number): AuthAdapter {
  return {
    async validateAuthData({ id }: JsonObject): Promise<AuthResult> {
      if (typeof id === "string" && id.length >= minLength) return { stored: { id } };
      throw new ProtocolError(
        ErrorCode.OBJECT_NOT_FOUND,
        `An anonymous id must be a random string of at least ${minLength} characters.`,
      );
    },
  };
}

import { ErrorCode, type JsonObject, ProtocolError } from "@purse/protocol";
import type { AuthAdapter } from "./adapter.ts";

/**
 * People who are nobody yet: they are known by an id that only their device has. Ids that are shorter than
 * `leastLength` can be guessed and are refused with 101.
 */
export function anonymousAdapter(leastLength: number): AuthAdapter {
  return {
    async validateAuthData({ id }: JsonObject): Promise<JsonObject> {
      if (typeof id === "string" && id.length >= leastLength) return { id };
      throw new ProtocolError(
        ErrorCode.OBJECT_NOT_FOUND,
        `An anonymous id must be a random text of ${leastLength} characters or more.`,
      );
    },
  };
}

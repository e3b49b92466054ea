import { ErrorCode, type JsonObject, ProtocolError } from "@purse/protocol";
import type { AuthAdapter } from "./adapter.ts";

/** People who are nobody yet: they are known by an id that only their device has. */
export const anonymousAdapter: AuthAdapter = {
  async validateAuthData({ id }: JsonObject): Promise<JsonObject> {
    if (typeof id === "string" && id.length >= 16) return { id };
    throw new ProtocolError(
      ErrorCode.OBJECT_NOT_FOUND,
      "An anonymous id must be a random text of 16 characters or more.",
    );
  },
};

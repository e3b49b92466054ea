import type { JsonObject } from "@purse/protocol";

/** Verifies sign-ins with an external provider. */
export interface AuthAdapter {
  /**
   * Verifies `authData.{provider}` of a client: an `id` and its proof. Returns what is stored, which the user can read.
   * Throws if the proof is not valid.
   */
  validateAuthData(authData: JsonObject): Promise<JsonObject>;
}

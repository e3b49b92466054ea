import type { JsonObject } from "@purse/protocol";

/** What signing in by another service takes: one adapter for each of them. */
export interface AuthAdapter {
  /**
   * Checks what the client brings as `authData.{provider}`: `id` and whatever proves it. Answers what is kept of it,
   * which the user itself gets to see. Throws where it is not proved.
   */
  validateAuthData(authData: JsonObject): Promise<JsonObject>;
}

/** A module of the operator's own, as Parse knows them. */
export interface CustomAdapter {
  validateAuthData(authData: JsonObject, options: JsonObject): unknown;
  validateAppId?(appIds: unknown, authData: JsonObject, options: JsonObject): unknown;
}

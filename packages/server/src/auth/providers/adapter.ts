import type { JsonObject, JsonValue } from "@purse/protocol";
import type { RequestContext } from "../../core/authContext.ts";

/** How a provider combines with others at sign-in: `additional` is required besides another one, `solo` needs no other. */
export type AuthPolicy = "default" | "solo" | "additional";

/** The user and the purpose of a verification of authData. */
export interface AuthCheck {
  request: RequestContext;
  /** The user that the proof is for, with `authData`; undefined if it identifies none. */
  user: JsonObject | undefined;
  /** The fields of the user that a sign-up creates, without the password. */
  newUser?: JsonObject;
  /** Whether that user, or the master key, sends the request. */
  isSignedIn: boolean;
  /** Whether it identifies the user of a challenge. */
  isChallenge?: boolean;
}

export interface AuthResult {
  /** What is stored, which the user can read; undefined to keep what is stored. */
  stored: JsonObject | undefined;
  /** Returned to the client in `authDataResponse`. */
  response?: JsonValue;
}

/** Verifies sign-ins with an external provider. */
export interface AuthAdapter {
  /** Whether a user can set the provider up without an `id`. */
  allowsMissingId?: boolean;
  /**
   * Replaces what a client sent by the verified authData with the `id` of the user, before that user is known. Throws if
   * it is not valid.
   */
  identify?(authData: JsonObject): Promise<JsonObject>;
  /** Verifies `authData.{provider}` of a client. Throws if the proof is not valid. */
  validateAuthData(authData: JsonObject, check: AuthCheck): Promise<AuthResult>;
  /** The policy for a user with the stored authData; `default` if there is none. Throws -1 for another value. */
  policy?(check: AuthCheck, stored: JsonValue | undefined): AuthPolicy;
  /** The part of the stored authData that readers of a user receive; by default all of it. */
  visible?(authData: JsonObject, user: JsonObject, request: RequestContext): Promise<JsonValue>;
  /** Answers what the client needs before it can prove an identity. */
  challenge?(data: JsonValue, authData: JsonValue | undefined, check: AuthCheck): Promise<JsonValue>;
}

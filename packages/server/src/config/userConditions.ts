import type { JsonObject, JsonValue } from "@purse/protocol";
import { z } from "zod";
import { flag } from "./settingTypes.ts";

/** A user as the functions among the settings see it, without secrets. */
export interface SettingUser {
  className: "_User";
  id: string | undefined;
  get(field: string): JsonValue | undefined;
  toJSON(): JsonObject;
}

/** What the functions verifyUserEmails and preventLoginWithUnverifiedEmail are called with. */
export interface UserConditionRequest {
  /** The user, with the values that a write sets. */
  object: SettingUser;
  /** The user before a write; undefined for a new user, a login, and a repeated email. */
  original: SettingUser | undefined;
  /** Whether the request has the master key. */
  master: boolean;
  /** IP address of the client. */
  ip: string;
  installationId: string | undefined;
  /** Whether the user has requested the verification email again. */
  resendRequest?: boolean;
}

/** Decides for a user; only true or a promise of true means yes. */
export type UserCondition = (request: UserConditionRequest) => unknown;
/** Decides whether a user is sent the verification email; any truthy value means yes. */
export type EmailCondition = (request: { user: SettingUser; master: boolean }) => unknown;

/** A flag, or in purse.config.ts a function. */
export function flagOrFunction<Condition extends UserCondition | EmailCondition>() {
  const condition = z.custom<Condition>((value) => typeof value === "function");
  return z.union([condition, flag()], { error: "it must be 0, 1, or a function in purse.config.ts" });
}

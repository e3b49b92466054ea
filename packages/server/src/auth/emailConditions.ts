import { applyOperations, type JsonObject, ownValue } from "@purse/protocol";
import type { SettingUser, UserConditionRequest } from "../config/userConditions.ts";
import type { RequestContext } from "../core/authContext.ts";
import type { PendingWrite } from "../data/objects/pendingWrite.ts";
import type { AuthConfig } from "./authDependencies.ts";

type Conditions = Pick<
  AuthConfig,
  "verifyUserEmails" | "preventLoginWithUnverifiedEmail" | "sendUserEmailVerification"
>;

/** Evaluates the settings that determine which users have to verify their email address. */
export class EmailConditions {
  readonly #config: Conditions;

  constructor(config: Conditions) {
    this.#config = config;
  }

  /** Whether a user verifies the address that a write sets, or whose verification is requested again. */
  async verifies(request: UserConditionRequest): Promise<boolean> {
    const { verifyUserEmails: condition } = this.#config;
    return typeof condition === "function" ? (await condition(request)) === true : condition;
  }

  /** Whether a user may not sign in before the address is verified. A user without an address may. */
  async preventsLogin(request: UserConditionRequest): Promise<boolean> {
    const { object } = request;
    if (object.get("email") === undefined || object.get("emailVerified") === true) return false;
    const { preventLoginWithUnverifiedEmail: condition } = this.#config;
    if (!(await this.verifies(request))) return false;
    return typeof condition === "function" ? (await condition(request)) === true : condition;
  }

  /** Whether the verification email is sent to a user. */
  async sends(user: JsonObject, { auth }: RequestContext): Promise<boolean> {
    const { sendUserEmailVerification: condition } = this.#config;
    if (typeof condition !== "function") return condition;
    return Boolean(await condition({ user: settingUser(user), master: auth.kind === "master" }));
  }
}

/** The request of a condition about a stored user. */
export function conditionOf(user: JsonObject, request: RequestContext): UserConditionRequest {
  const { auth, ip, installationId } = request;
  // In the order of Parse Server, whose functions may list the keys.
  return {
    original: undefined,
    object: settingUser(user),
    master: auth.kind === "master",
    ip,
    installationId,
  };
}

/** The request of a condition about the user that a write results in. */
export function conditionOfWrite(pending: PendingWrite, request: RequestContext): UserConditionRequest {
  const { original } = pending;
  return {
    ...conditionOf(userAfter(pending), request),
    original: original && settingUser(original),
  };
}

/** The user that a write results in, without password and authData. */
function userAfter({ original, objectId, operations }: PendingWrite): JsonObject {
  const { password: _password, authData: _authData, ...others } = operations;
  return { ...applyOperations(original ?? {}, others), objectId };
}

function settingUser(user: JsonObject): SettingUser {
  const fields = structuredClone(user);
  return {
    className: "_User",
    id: typeof fields.objectId === "string" ? fields.objectId : undefined,
    get: (field) => ownValue(fields, field),
    toJSON: () => structuredClone(fields),
  };
}

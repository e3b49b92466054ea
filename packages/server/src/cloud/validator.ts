import type { ParseObject } from "@purse/client";
import { ErrorCode, type ErrorContent, ownValue, ProtocolError } from "@purse/protocol";
import type { CloudRequest } from "./cloudRequests.ts";
import type { RateLimitRule } from "./rateLimitRule.ts";
import { thrownMessage } from "./thrownErrors.ts";
import { assertValidatorRules, type OnUnknownRule } from "./validatorRules.ts";

/** Rules for a parameter. */
interface FieldRule {
  required?: boolean;
  /** A constructor: String, Number, Boolean, Array, Object, or a class such as Date or Parse.GeoPoint. */
  type?: unknown;
  /** The default value. */
  default?: unknown;
  /** In triggers: whether the field cannot be changed. */
  constant?: boolean;
  /** Allowed values, one value, or a function that returns false or throws. */
  options?: unknown;
  /** Replaces the default error message. */
  error?: string;
}

type RoleNames = readonly string[] | (() => readonly string[] | Promise<readonly string[]>);

/** Conditions for running a function or trigger; otherwise 142 is thrown. They do not apply to the master key. */
interface ValidatorRules {
  requireUser?: boolean;
  requireMaster?: boolean;
  requireAnyUserRoles?: RoleNames;
  requireAllUserRoles?: RoleNames;
  /** Fields that the user must have, by name, optionally with rules. */
  requireUserKeys?: readonly string[] | Readonly<Record<string, FieldRule>>;
  /** Required parameters (in triggers: fields of the object), optionally with rules. */
  fields?: readonly string[] | Readonly<Record<string, FieldRule | string>>;
  /** Whether a trigger does not run for the master key; functions do. */
  skipWithMasterKey?: boolean;
  /** Whether the conditions also apply to the master key. */
  validateMasterKey?: boolean;
  /** Rate limit, checked before everything else. */
  rateLimit?: RateLimitRule;
}

/** Rules, or a function that throws if the request is invalid. */
export type Validator = ValidatorRules | ((request: ValidatedRequest) => unknown);

/** Throws Error for an invalid validator. */
export function assertValidator(
  name: string,
  validator: unknown,
  onUnknown?: OnUnknownRule,
): asserts validator is Validator | null | undefined {
  if (validator === undefined || validator === null || typeof validator === "function") return;
  if (!isObject(validator))
    throw new Error(`The validator of ${name} must be a function or an object of rules`);
  assertValidatorRules(name, validator, onUnknown);
}

/** The request to validate: functions have params, triggers have an object. */
export type ValidatedRequest = CloudRequest & {
  params?: Record<string, unknown>;
  object?: ParseObject | undefined;
  original?: ParseObject | undefined;
};

/** Returns whether a trigger shall run. Throws 142 if the request is invalid, or what the validator function throws. */
export async function validate(
  validator: Validator | undefined,
  request: ValidatedRequest,
  roles: readonly string[],
): Promise<boolean> {
  if (!validator) return true;
  if (typeof validator === "function") {
    try {
      await validator(request);
    } catch (error) {
      throw toValidationError(error);
    }
    return true;
  }
  if (!request.master || validator.validateMasterKey) await assertRules(validator, request, roles);
  return !(request.master && validator.skipWithMasterKey);
}

async function assertRules(
  rules: ValidatorRules,
  request: ValidatedRequest,
  roles: readonly string[],
): Promise<void> {
  const isSignUp = request.object?.className === "_User" && !request.object.existed();
  const user = request.user ?? (isSignUp ? request.object : undefined);
  const { requireAnyUserRoles, requireAllUserRoles } = rules;
  if ((rules.requireUser || requireAnyUserRoles || requireAllUserRoles) && !user) {
    throw validationError("Validation failed. Please login to continue.");
  }
  if (rules.requireMaster && !request.master) {
    throw validationError("Validation failed. Master key is required to complete this request.");
  }
  await assertFields(rules.fields, request);
  const anyRoles = await resolveRoles(requireAnyUserRoles);
  if (anyRoles && !anyRoles.some((name) => roles.includes(name))) {
    throw validationError("Validation failed. User does not match the required roles.");
  }
  const allRoles = await resolveRoles(requireAllUserRoles);
  if (allRoles && !allRoles.every((name) => roles.includes(name))) {
    throw validationError("Validation failed. User does not match all the required roles.");
  }
  await assertUserKeys(rules.requireUserKeys, user);
}

async function assertFields(fields: ValidatorRules["fields"], request: ValidatedRequest): Promise<void> {
  const { object, original } = request;
  const values: Record<string, unknown> = request.params ?? {};
  const fieldValue = (key: string): unknown => (object ? object.get(key) : ownValue(values, key));
  const assertPresent = (key: string) => {
    if (isMissing(fieldValue(key)))
      throw validationError(`Validation failed. Please specify data for ${key}.`);
  };
  if (isNameList(fields)) return fields.forEach(assertPresent);
  for (const [key, rule] of Object.entries(fields ?? {})) {
    if (typeof rule === "string") {
      assertPresent(rule);
      continue;
    }
    if (!isMissing(rule.default) && isMissing(fieldValue(key))) {
      if (object) object.set({ [key]: rule.default });
      else values[key] = rule.default;
    }
    if (rule.constant && object) {
      if (original) object.revert(key);
      else if (!isMissing(rule.default)) object.set({ [key]: rule.default });
    }
    if (rule.required) assertPresent(key);
    const value = fieldValue(key);
    if (value === undefined) continue;
    assertType(rule.type, key, value);
    await assertOptions(rule, key, value);
  }
}

async function assertUserKeys(
  keys: ValidatorRules["requireUserKeys"],
  user: ParseObject | undefined,
): Promise<void> {
  if (keys === undefined) return;
  if (!user) throw validationError("Please login to make this request.");
  if (!isNameList(keys)) {
    for (const [key, rule] of Object.entries(keys)) await assertOptions(rule, key, user.get(key));
    return;
  }
  for (const key of keys) {
    if (isMissing(user.get(key))) {
      throw validationError(`Validation failed. Please set data for ${key} on your account.`);
    }
  }
}

function assertType(type: unknown, key: string, value: unknown): void {
  if (typeof type !== "function") return;
  const expected = type.name.toLowerCase();
  const kind = Array.isArray(value) ? "array" : typeof value;
  // Arrays are instances of Object, too.
  if (kind !== expected && (type === Object || !isInstance(value, type)))
    throw validationError(`Validation failed. Invalid type for ${key}. Expected: ${expected}`);
}

/** Whether a value is of a class, such as Date or Parse.GeoPoint. */
function isInstance(value: unknown, type: object): boolean {
  return typeof type === "function" && value instanceof type;
}

async function assertOptions({ options, error }: FieldRule, key: string, value: unknown): Promise<void> {
  if (options === undefined) return;
  if (typeof options === "function") {
    const invalid = error ?? `Validation failed. Invalid value for ${key}.`;
    let result: unknown;
    try {
      result = await options(value);
    } catch (thrown) {
      throw error === undefined ? toValidationError(thrown ?? invalid) : validationError(error);
    }
    if (!result && !isMissing(result)) throw validationError(invalid);
    return;
  }
  const allowed: unknown[] = Array.isArray(options) ? options : [options];
  if (allowed.includes(value)) return;
  throw validationError(
    error ?? `Validation failed. Invalid option for ${key}. Expected: ${allowed.map(String).join(", ")}`,
  );
}

async function resolveRoles(roles: RoleNames | undefined): Promise<readonly string[] | undefined> {
  return typeof roles === "function" ? roles() : roles;
}

function validationError(message: ErrorContent): ProtocolError {
  return new ProtocolError(ErrorCode.VALIDATION_ERROR, message);
}

function toValidationError(error: unknown): Error {
  if (error instanceof ProtocolError) return error;
  return validationError(thrownMessage(error) ?? "Validation failed.");
}

function isNameList(fields: unknown): fields is readonly string[] {
  return Array.isArray(fields);
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

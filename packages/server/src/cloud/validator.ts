import type { ParseObject } from "@purse/client";
import { ErrorCode, ProtocolError } from "@purse/protocol";
import { assertRateLimitRule, type RateLimitRule } from "./rateLimitRules.ts";
import type { CloudRequest } from "./registry.ts";

/** What a parameter has to be. */
export interface FieldRule {
  required?: boolean;
  /** String, Number, Boolean, Array, Object: the constructor. */
  type?: unknown;
  /** What it is where it is not given. */
  default?: unknown;
  /** Of triggers: nobody changes it. */
  constant?: boolean;
  /** What it may be: values, one value, or a function that answers false or throws. */
  options?: unknown;
  /** Said instead of the usual message. */
  error?: string;
}

type RoleNames = readonly string[] | (() => readonly string[] | Promise<readonly string[]>);

/** What has to hold before a function or trigger runs; else 142. The master key need not fulfil it. */
export interface ValidatorRules {
  requireUser?: boolean;
  requireMaster?: boolean;
  requireAnyUserRoles?: RoleNames;
  requireAllUserRoles?: RoleNames;
  /** Fields that the user must have, by name; with rules for what they may be. */
  requireUserKeys?: readonly string[] | Readonly<Record<string, FieldRule>>;
  /** Parameters (of triggers: fields of the object) that must be there, or what they must be. */
  fields?: readonly string[] | Readonly<Record<string, FieldRule | string>>;
  /** The master key need not fulfil this, and the code does not even run for it. */
  skipWithMasterKey?: boolean;
  /** The master key has to fulfil this too. */
  validateMasterKey?: boolean;
  /** How often it may be asked for; judged before anything else is. */
  rateLimit?: RateLimitRule;
}

/** Rules, or a function that throws what is wrong. */
export type Validator = ValidatorRules | ((request: Validated) => unknown);

const RULES: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ["requireUser", isBoolean],
  ["requireMaster", isBoolean],
  ["requireAnyUserRoles", isRoles],
  ["requireAllUserRoles", isRoles],
  ["requireUserKeys", isObject],
  ["fields", isObject],
  ["skipWithMasterKey", isBoolean],
  ["validateMasterKey", isBoolean],
  ["rateLimit", isObject],
]);

/** Throws Error where a validator says something that nobody would obey. */
export function assertValidator(
  name: string,
  validator: unknown,
): asserts validator is Validator | null | undefined {
  if (validator === undefined || validator === null || typeof validator === "function") return;
  if (!isObject(validator))
    throw new Error(`The validator of ${name} must be a function or an object of rules`);
  for (const [key, value] of Object.entries(validator)) {
    const isRight = RULES.get(key);
    if (!isRight) {
      throw new Error(
        `The validator of ${name}: ${key} is not a supported parameter for Cloud Function validations. ` +
          `These are: ${[...RULES.keys()].join(", ")}`,
      );
    }
    if (!isRight(value)) throw new Error(`The validator of ${name}: ${key} cannot be ${typeof value}`);
    if (key === "rateLimit") assertRateLimitRule(name, value);
  }
}

/** What is validated: a function has params, a trigger an object. */
export type Validated = CloudRequest & {
  params?: Record<string, unknown>;
  object?: ParseObject | undefined;
  original?: ParseObject | undefined;
};

/**
 * Answers whether the code shall run at all. Throws 142 where the request is not what the validator
 * asks for, or what its function throws.
 */
export async function validate(
  validator: Validator | undefined,
  request: Validated,
  roles: readonly string[],
): Promise<boolean> {
  if (!validator) return true;
  if (typeof validator === "function") {
    try {
      await validator(request);
    } catch (error) {
      throw asRefusal(error);
    }
    return true;
  }
  if (request.master && validator.skipWithMasterKey) return false;
  if (request.master && !validator.validateMasterKey) return true;
  await obey(validator, request, roles);
  return true;
}

async function obey(rules: ValidatorRules, request: Validated, roles: readonly string[]): Promise<void> {
  const isSignUp = request.object?.className === "_User" && !request.object.existed();
  const user = request.user ?? (isSignUp ? request.object : undefined);
  const { requireAnyUserRoles, requireAllUserRoles } = rules;
  if ((rules.requireUser || requireAnyUserRoles || requireAllUserRoles) && !user) {
    throw refusal("Validation failed. Please login to continue.");
  }
  if (rules.requireMaster && !request.master) {
    throw refusal("Validation failed. Master key is required to complete this request.");
  }
  await checkFields(rules.fields, request);
  const any = await namesOf(requireAnyUserRoles);
  if (any && !any.some((name) => roles.includes(name))) {
    throw refusal("Validation failed. User does not match the required roles.");
  }
  const all = await namesOf(requireAllUserRoles);
  if (all && !all.every((name) => roles.includes(name))) {
    throw refusal("Validation failed. User does not match all the required roles.");
  }
  await checkUser(rules.requireUserKeys, user);
}

async function checkFields(fields: ValidatorRules["fields"], request: Validated): Promise<void> {
  const { object, original } = request;
  const values: Record<string, unknown> = request.params ?? {};
  const given = (key: string): unknown => (object ? object.get(key) : own(values, key));
  const need = (key: string) => {
    if (isMissing(given(key))) throw refusal(`Validation failed. Please specify data for ${key}.`);
  };
  if (isNames(fields)) return fields.forEach(need);
  for (const [key, rule] of Object.entries(fields ?? {})) {
    if (typeof rule === "string") {
      need(rule);
      continue;
    }
    if (!isMissing(rule.default) && isMissing(given(key))) {
      if (object) object.set({ [key]: rule.default });
      else values[key] = rule.default;
    }
    if (rule.constant && object) {
      if (original) object.revert(key);
      else if (!isMissing(rule.default)) object.set({ [key]: rule.default });
    }
    if (rule.required) need(key);
    const value = given(key);
    if (value === undefined) continue;
    assertType(rule.type, key, value);
    await checkOptions(rule, key, value);
  }
}

async function checkUser(
  keys: ValidatorRules["requireUserKeys"],
  user: ParseObject | undefined,
): Promise<void> {
  if (keys === undefined) return;
  if (!user) throw refusal("Please login to make this request.");
  if (!isNames(keys)) {
    for (const [key, rule] of Object.entries(keys)) await checkOptions(rule, key, user.get(key));
    return;
  }
  for (const key of keys) {
    if (isMissing(user.get(key))) {
      throw refusal(`Validation failed. Please set data for ${key} on your account.`);
    }
  }
}

function assertType(type: unknown, key: string, value: unknown): void {
  if (typeof type !== "function") return;
  const wanted = type.name.toLowerCase();
  const kind = Array.isArray(value) ? "array" : typeof value;
  if (kind !== wanted) throw refusal(`Validation failed. Invalid type for ${key}. Expected: ${wanted}`);
}

async function checkOptions({ options, error }: FieldRule, key: string, value: unknown): Promise<void> {
  if (options === undefined) return;
  if (typeof options === "function") {
    const invalid = error ?? `Validation failed. Invalid value for ${key}.`;
    let result: unknown;
    try {
      result = await options(value);
    } catch (thrown) {
      throw error === undefined ? asRefusal(thrown ?? invalid) : refusal(error);
    }
    if (!result && !isMissing(result)) throw refusal(invalid);
    return;
  }
  const allowed: unknown[] = Array.isArray(options) ? options : [options];
  if (allowed.includes(value)) return;
  throw refusal(
    error ?? `Validation failed. Invalid option for ${key}. Expected: ${allowed.map(String).join(", ")}`,
  );
}

async function namesOf(roles: RoleNames | undefined): Promise<readonly string[] | undefined> {
  return typeof roles === "function" ? roles() : roles;
}

function refusal(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.VALIDATION_ERROR, message);
}

function asRefusal(error: unknown): Error {
  if (error instanceof ProtocolError) return error;
  const message = error instanceof Error ? error.message : typeof error === "string" ? error : "";
  return refusal(message || "Validation failed.");
}

function isNames(fields: unknown): fields is readonly string[] {
  return Array.isArray(fields);
}

function own(values: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(values, key) ? values[key] : undefined;
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null;
}

function isBoolean(value: unknown): boolean {
  return typeof value === "boolean";
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function isRoles(value: unknown): boolean {
  return Array.isArray(value) || typeof value === "function";
}

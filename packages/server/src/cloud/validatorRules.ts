import { ownValue } from "@purse/protocol";
import { assertRateLimitRule } from "./rateLimitRule.ts";

/** The types that a rule may have, as in Parse Server. */
type Types = readonly ("boolean" | "string" | "array" | "object" | "function" | "any")[];

const RULES: Readonly<Record<string, Types>> = {
  requireUser: ["boolean"],
  requireMaster: ["boolean"],
  requireAnyUserRoles: ["array", "function"],
  requireAllUserRoles: ["array", "function"],
  requireUserKeys: ["array", "object"],
  fields: ["array", "object"],
  skipWithMasterKey: ["boolean"],
  validateMasterKey: ["boolean"],
  rateLimit: ["object"],
};

const FIELD_RULES: Readonly<Record<string, Types>> = {
  required: ["boolean"],
  type: ["any"],
  default: ["any"],
  constant: ["boolean"],
  options: ["any"],
  error: ["string"],
};

/** Receives the message about a rule that does not exist. */
export type OnUnknownRule = (message: string) => void;

/**
 * Throws Error for rules that do not exist or have another type: they would be ignored, and allow too much. With
 * `onUnknown`, rules that do not exist are reported instead, as old code has some.
 */
export function assertValidatorRules(name: string, rules: object, onUnknown: OnUnknownRule = refuse): void {
  for (const [key, value] of Object.entries(rules)) {
    assertRule(name, RULES, key, value, onUnknown);
    if (key === "rateLimit") assertRateLimitRule(name, value);
    if ((key === "fields" || key === "requireUserKeys") && !Array.isArray(value))
      assertFieldRules(name, value, onUnknown);
  }
}

function refuse(message: string): never {
  throw new Error(message);
}

/** The rules of each field; a name of a field stands for itself. */
function assertFieldRules(name: string, fields: object, onUnknown: OnUnknownRule): void {
  for (const rules of Object.values(fields)) {
    if (typeof rules !== "object" || rules === null) continue;
    for (const [key, value] of Object.entries(rules)) assertRule(name, FIELD_RULES, key, value, onUnknown);
  }
}

function assertRule(
  name: string,
  rules: Readonly<Record<string, Types>>,
  key: string,
  value: unknown,
  onUnknown: OnUnknownRule,
): void {
  const types = ownValue(rules, key);
  if (!types) {
    onUnknown(
      `The validator of ${name}: ${key} is not a supported parameter for Cloud Function validations. ` +
        `These are: ${Object.keys(rules).join(", ")}`,
    );
    return;
  }
  const type = Array.isArray(value) ? "array" : value === null ? "null" : typeof value;
  if (types.some((each) => each === "any" || each === type)) return;
  throw new Error(
    `The validator of ${name}: Invalid type for Cloud Function validation key ${key}. ` +
      `Expected ${types.join("|")}, actual ${type}`,
  );
}

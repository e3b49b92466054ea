import type { RateLimit } from "../config/rateLimits.ts";
import type { Registry } from "./registry.ts";
import type { Validator } from "./validator.ts";
import type { FileTriggerName } from "./workerMessages.ts";

/** Rate limit of a function or trigger; requests beyond it are rejected with 155. */
export interface RateLimitRule {
  /** In ms. */
  requestTimeWindow: number;
  /** Requests per time window. */
  requestCount: number;
  /** Replaces "Too many requests." */
  errorResponseMessage?: string;
  requestMethods?: string | readonly string[];
  /** Whether requests with the master key count. */
  includeMasterKey?: boolean;
  /** Whether requests of cloud code count. */
  includeInternalRequests?: boolean;
  /** Whose requests are counted together; by IP address by default. */
  zone?: "ip" | "user" | "session" | "global";
}

const CHECKS: Readonly<Record<keyof RateLimitRule, (value: unknown) => boolean>> = {
  requestTimeWindow: (value) => isInteger(value, 31 * 86_400_000),
  requestCount: (value) => isInteger(value, 1_000_000_000),
  errorResponseMessage: (value) => typeof value === "string",
  requestMethods: (value) => methodsOf(value)?.every((method) => METHODS.has(method)) ?? true,
  includeMasterKey: (value) => typeof value === "boolean",
  includeInternalRequests: (value) => typeof value === "boolean",
  zone: (value) => typeof value === "string" && value in ZONES,
};

const METHODS: ReadonlySet<string> = new Set(["GET", "POST", "PUT", "DELETE"]);
const ZONES = { ip: "ip", user: "user", session: "session", global: "all" } as const;

/** Throws Error for an invalid rule. */
export function assertRateLimitRule(name: string, rule: unknown): void {
  const entries = new Map(Object.entries(Object(rule)));
  for (const [key, value] of entries) {
    const isValid = Object.entries(CHECKS).find(([known]) => known === key)?.[1];
    if (!isValid) throw new Error(`The validator of ${name}: Invalid rate limit option "${key}"`);
    if (value !== undefined && !isValid(value))
      throw new Error(`The validator of ${name}: rateLimit.${key} cannot be ${JSON.stringify(value)}`);
  }
  if (!entries.has("requestTimeWindow") || !entries.has("requestCount"))
    throw new Error(`The validator of ${name}: rateLimit needs requestTimeWindow and requestCount`);
}

/** Request methods that run a class trigger. */
const TRIGGER_METHODS: Readonly<Record<string, readonly string[]>> = {
  beforeSave: ["POST", "PUT"],
  afterSave: ["POST", "PUT"],
  beforeDelete: ["DELETE"],
  afterDelete: ["DELETE"],
  beforeFind: ["GET"],
  afterFind: ["GET"],
};

type Paths = readonly (readonly [path: string, methods: readonly string[]])[];

/** Paths that run account triggers. */
const ACCOUNT_PATHS: Readonly<Record<string, Paths>> = {
  beforeLogin: [["/login", ["GET", "POST"]]],
  beforePasswordResetRequest: [["/requestPasswordReset", ["POST"]]],
};

const FILE_PATHS: Readonly<Record<FileTriggerName, Paths>> = {
  beforeSaveFile: [["/files/*", ["POST"]]],
  afterSaveFile: [["/files/*", ["POST"]]],
  beforeDeleteFile: [["/files/*", ["DELETE"]]],
  afterDeleteFile: [["/files/*", ["DELETE"]]],
  beforeFindFile: [["/files/*", ["GET"]]],
  afterFindFile: [["/files/*", ["GET"]]],
};

/** Returns the rate limits of all validators of a registry. */
export function rateLimitsOf(registry: Registry): RateLimit[] {
  const limits: RateLimit[] = [];
  const add = (path: string, validator: Validator | undefined, methods: readonly string[] | undefined) => {
    const rule = typeof validator === "object" ? validator.rateLimit : undefined;
    if (rule) limits.push(toRateLimit(rule, path, methods));
  };
  for (const [name, { validator }] of registry.functions) add(`/functions/${name}`, validator, undefined);
  const addForClass = (trigger: string, className: string, validator: Validator | undefined) =>
    add(`/classes/${className}/*`, validator, TRIGGER_METHODS[trigger]);
  for (const [key, { validator }] of registry.objectTriggers) {
    const [trigger = "", className = ""] = key.split(".", 2);
    if (trigger in TRIGGER_METHODS) addForClass(trigger, className, validator);
  }
  for (const [trigger, paths] of Object.entries(ACCOUNT_PATHS)) {
    const validator = registry.objectTriggers.get(`${trigger}._User`)?.validator;
    for (const [path, methods] of paths) add(path, validator, methods);
  }
  for (const [trigger, { validator }] of registry.files) {
    for (const [path, methods] of FILE_PATHS[trigger]) add(path, validator, methods);
  }
  for (const [, { validator }] of registry.config) add("/config", validator, ["PUT"]);
  for (const [className, { validator }] of registry.beforeFind)
    addForClass("beforeFind", className, validator);
  for (const [className, { validator }] of registry.afterFind) addForClass("afterFind", className, validator);
  return limits;
}

function toRateLimit(rule: RateLimitRule, path: string, methods: readonly string[] | undefined): RateLimit {
  return {
    path,
    methods: methodsOf(rule.requestMethods) ?? methods,
    windowSeconds: rule.requestTimeWindow / 1_000,
    count: rule.requestCount,
    by: ZONES[rule.zone ?? "ip"],
    includeMasterKey: rule.includeMasterKey ?? false,
    includeInternalRequests: rule.includeInternalRequests ?? false,
    ...(rule.errorResponseMessage !== undefined && { message: rule.errorResponseMessage }),
  };
}

function methodsOf(value: unknown): string[] | undefined {
  if (value === undefined) return undefined;
  return Array.isArray(value) ? value.map(String) : [String(value)];
}

function isInteger(value: unknown, max: number): boolean {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 1 && value <= max;
}

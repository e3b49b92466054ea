import type { RateLimit } from "../config/rateLimits.ts";
import type { FileTriggerName } from "./messages.ts";
import type { Registry } from "./registry.ts";
import type { Validator } from "./validator.ts";

/** How often somebody may call a function or make a trigger run; more is refused with 155. */
export interface RateLimitRule {
  /** In ms. */
  requestTimeWindow: number;
  /** Requests in it. */
  requestCount: number;
  /** Said in the place of "Too many requests." */
  errorResponseMessage?: string;
  requestMethods?: string | readonly string[];
  /** Whether the master key is counted too. */
  includeMasterKey?: boolean;
  /** Whether calls from cloud code are counted too. */
  includeInternalRequests?: boolean;
  /** Whose requests are counted together; an address's where nothing is said. */
  zone?: "ip" | "user" | "session" | "global";
}

const CHECKS: Readonly<Record<keyof RateLimitRule, (value: unknown) => boolean>> = {
  requestTimeWindow: (value) => isWhole(value, 31 * 86_400_000),
  requestCount: (value) => isWhole(value, 1_000_000_000),
  errorResponseMessage: (value) => typeof value === "string",
  requestMethods: (value) => methodsOf(value)?.every((method) => METHODS.has(method)) ?? true,
  includeMasterKey: (value) => typeof value === "boolean",
  includeInternalRequests: (value) => typeof value === "boolean",
  zone: (value) => typeof value === "string" && value in ZONES,
};

const METHODS: ReadonlySet<string> = new Set(["GET", "POST", "PUT", "DELETE"]);
const ZONES = { ip: "ip", user: "user", session: "session", global: "all" } as const;

/** Throws Error where a rule says something that nobody would obey. */
export function assertRateLimitRule(name: string, rule: unknown): void {
  const given = new Map(Object.entries(Object(rule)));
  for (const [key, value] of given) {
    const isRight = Object.entries(CHECKS).find(([known]) => known === key)?.[1];
    if (!isRight) throw new Error(`The validator of ${name}: Invalid rate limit option "${key}"`);
    if (value !== undefined && !isRight(value))
      throw new Error(`The validator of ${name}: rateLimit.${key} cannot be ${JSON.stringify(value)}`);
  }
  if (!given.has("requestTimeWindow") || !given.has("requestCount"))
    throw new Error(`The validator of ${name}: rateLimit needs requestTimeWindow and requestCount`);
}

/** Which triggers run for which requests to a class. */
const TRIGGER_METHODS: Readonly<Record<string, readonly string[]>> = {
  beforeSave: ["POST", "PUT"],
  afterSave: ["POST", "PUT"],
  beforeDelete: ["DELETE"],
  afterDelete: ["DELETE"],
  beforeFind: ["GET"],
  afterFind: ["GET"],
};

type Paths = readonly (readonly [path: string, methods: readonly string[]])[];

/** Where the triggers of accounts run. */
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

/** The limits that the validators of a registry ask for. */
export function rateLimitsOf(registry: Registry): RateLimit[] {
  const limits: RateLimit[] = [];
  const add = (path: string, validator: Validator | undefined, methods: readonly string[] | undefined) => {
    const rule = typeof validator === "object" ? validator.rateLimit : undefined;
    if (rule) limits.push(limitOf(rule, path, methods));
  };
  for (const [name, { validator }] of registry.functions) add(`/functions/${name}`, validator, undefined);
  const ofClass = (trigger: string, className: string, validator: Validator | undefined) =>
    add(`/classes/${className}/*`, validator, TRIGGER_METHODS[trigger]);
  for (const [key, { validator }] of registry.objectTriggers) {
    const [trigger = "", className = ""] = key.split(".", 2);
    if (trigger in TRIGGER_METHODS) ofClass(trigger, className, validator);
  }
  for (const [trigger, paths] of Object.entries(ACCOUNT_PATHS)) {
    const validator = registry.objectTriggers.get(`${trigger}._User`)?.validator;
    for (const [path, methods] of paths) add(path, validator, methods);
  }
  for (const [trigger, { validator }] of registry.files) {
    for (const [path, methods] of FILE_PATHS[trigger]) add(path, validator, methods);
  }
  for (const [, { validator }] of registry.config) add("/config", validator, ["PUT"]);
  for (const [className, { validator }] of registry.beforeFind) ofClass("beforeFind", className, validator);
  for (const [className, { validator }] of registry.afterFind) ofClass("afterFind", className, validator);
  return limits;
}

function limitOf(rule: RateLimitRule, path: string, methods: readonly string[] | undefined): RateLimit {
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

function isWhole(value: unknown, most: number): boolean {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 1 && value <= most;
}

import type { RateLimit } from "../config/rateLimits.ts";
import { methodsOf, type RateLimitRule, ZONES } from "./rateLimitRule.ts";
import type { Registry } from "./registry.ts";
import type { Validator } from "./validator.ts";
import type { FileTriggerName } from "./workerMessages.ts";

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
    if (Object.hasOwn(TRIGGER_METHODS, trigger)) addForClass(trigger, className, validator);
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

// Part of the process that runs the specs: options of Parse Server as a configuration of Purse.
import { join } from "node:path";
import { encodeOptions } from "./specFunctions.mjs";

/** Options of Parse Server under the names that Purse has for them. */
const RENAMED = {
  sessionLength: "sessionSeconds",
  emailVerifyTokenValidityDuration: "emailTokenSeconds",
};
/** Options that Purse takes under the same name. */
const SAME = (
  "appName accountLockout allowClientClassCreation allowClientAddField allowCustomObjectId allowExpiredAuthDataToken " +
  "appId clientKey convertEmailToLowercase convertUsernameToLowercase customPages defaultLimit dotNetKey emailVerifyTokenReuseIfValid enableAnonymousUsers " +
  "enableSecurityCheck encodeParseObjectInCloudFunction enforcePrivateUsers extendSessionOnUse fileDownload fileUpload javascriptKey maintenanceKey masterKey maxLimit maxUploadSize passwordPolicy " +
  "preventLoginWithUnverifiedEmail preventSignupWithUnverifiedEmail protectedFields readOnlyMasterKey requestKeywordDenylist " +
  "objectIdSize restAPIKey routeAllowList revokeSessionOnPasswordReset sendUserEmailVerification userSensitiveFields verifyUserEmails webhookKey"
).split(" ");

/**
 * The configuration of a Purse process for the options of a Parse Server.
 * @param options the options of Parse Server
 * @param serverUrl the URL of the API, under which mails and files name it
 */
export function configurationOf(options, serverUrl) {
  const known = new Set(JSON.parse(process.env.SPECS_SETTINGS));
  const configuration = {
    serverUrl,
    compatibility: "parse",
    enforcePrivateUsers: true,
    limitAccounts: false,
    allowAnonymousRoles: true,
    allowPrivateHooks: true,
    masterKeyIps: addressesOf(options.masterKeyIps),
    auth: Object.fromEntries(
      Object.entries(options.auth ?? {}).map(([name, adapter]) => [name, providerOf(adapter)]),
    ),
  };
  for (const [key, value] of Object.entries(options)) {
    const name = RENAMED[key] ?? (SAME.includes(key) ? key : undefined);
    if (name !== undefined && value !== undefined) configuration[name] = value;
  }
  if (options.verbose) configuration.logLevel = "debug";
  const { definitions, lockSchemas, ...schemaOptions } = options.schema ?? {};
  if (lockSchemas) configuration.lockSchemas = true;
  if (definitions) configuration.schemas = definitions;
  if (Object.keys(schemaOptions).length > 0) configuration.schemaOptions = schemaOptions;
  const { paths, ttl } = options.idempotencyOptions ?? {};
  if (Array.isArray(paths)) configuration.idempotencyPaths = paths.join(",");
  else if (paths !== undefined) configuration.idempotencyPaths = paths;
  if (ttl !== undefined) configuration.idempotencySeconds = ttl;
  configuration.enableSecurityCheck = options.security?.enableCheck ?? false;
  configuration.rateLimits = [options.rateLimit ?? []].flat().map(rateLimitOf);
  if (options.emailAdapter || options.verifyUserEmails)
    configuration.mail = { adapter: join(import.meta.dirname, "purseMail.mjs") };
  for (const key of Object.keys(configuration)) if (!known.has(key)) delete configuration[key];
  return encodeOptions(configuration);
}

const ZONES = { global: "all", session: "session", user: "user", ip: "ip" };

/**
 * A limit of Parse Server in the form of Purse's. Requests of cloud code come from the process of the specs, so that none
 * is internal.
 */
function rateLimitOf(limit) {
  const { requestPath, requestTimeWindow, requestCount, requestMethods, zone, errorResponseMessage } = limit;
  return {
    path: requestPath === "*" ? "/*" : requestPath,
    windowSeconds: Math.ceil(requestTimeWindow / 1000),
    count: requestCount,
    ...(requestMethods && { methods: [requestMethods].flat().map((method) => String(method).toUpperCase()) }),
    ...(zone && { by: ZONES[zone] }),
    ...(errorResponseMessage && { message: errorResponseMessage }),
    ...(limit.includeMasterKey && { includeMasterKey: true }),
  };
}

function addressesOf(addresses) {
  return addresses?.map((each) => (each === "0.0.0.0/0" ? "*" : each)).join(",") ?? "*";
}

/** Adapters of the spec's process are called there; modules are loaded by Purse. */
function providerOf(adapter) {
  if (typeof adapter === "function") return { module: new adapter() };
  if (adapter === null || typeof adapter !== "object" || adapter.module !== undefined) return adapter;
  const isAdapter = ["validateAuthData", "validateLogin", "validateSetUp", "validateUpdate"].some(
    (key) => key in adapter,
  );
  // An instance has methods of its class, which are taken as a module.
  const isPlain = Object.getPrototypeOf(adapter) === Object.prototype;
  return isAdapter && !isPlain ? { module: adapter } : adapter;
}

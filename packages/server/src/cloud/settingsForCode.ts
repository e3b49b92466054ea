import type { Config } from "../config.ts";
import type { ServerSettings } from "./messages.ts";

/** Settings that cloud code may read, one by one: a new setting is no secret until somebody has thought about it. */
const SHOWN = [
  "allowClientClassCreation",
  "allowCustomObjectId",
  "enableAnonymousUsers",
  "maxUploadSize",
  "preventLoginWithUnverifiedEmail",
  "revokeSessionOnPasswordReset",
  "verifyUserEmails",
] as const satisfies (keyof Config)[];

/** What `Parse.Server` holds for cloud code, by the names of Parse Server. `publicUrl` is that of the Parse protocol. */
export function settingsForCode(config: Config, publicUrl: string, mountPath: string): ServerSettings {
  const { appId, appName, environment, limits, sessionSeconds } = config;
  return {
    ...Object.fromEntries(SHOWN.map((name) => [name, config[name]])),
    applicationId: appId,
    appId,
    appName,
    environment,
    maxLimit: limits.maxLimit,
    sessionLength: sessionSeconds,
    serverURL: publicUrl,
    publicServerURL: publicUrl,
    mountPath,
  };
}

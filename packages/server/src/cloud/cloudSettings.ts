import type { Config } from "../config/loadConfig.ts";
import type { ServerSettings } from "./workerMessages.ts";

/** Settings that cloud code may read, listed explicitly: a new setting is not exposed by default. */
const EXPOSED_SETTINGS = [
  "allowClientClassCreation",
  "allowCustomObjectId",
  "compatibility",
  "enableAnonymousUsers",
  "encodeParseObjectInCloudFunction",
  "maxUploadSize",
  "preventLoginWithUnverifiedEmail",
  "revokeSessionOnPasswordReset",
  "verifyUserEmails",
] as const satisfies (keyof Config)[];

/**
 * Returns the content of `Parse.Server` for cloud code, under the names of Parse Server. `publicUrl` is the URL of the
 * Parse API.
 */
export function cloudSettings(config: Config, publicUrl: string, mountPath: string): ServerSettings {
  const { appId, appName, environment, maxLimit, sessionSeconds } = config;
  return {
    // Functions among the settings cannot be called by cloud code; that there is one means yes for some.
    ...Object.fromEntries(
      EXPOSED_SETTINGS.map((name) => {
        const value = config[name];
        return [name, typeof value === "function" ? true : value];
      }),
    ),
    applicationId: appId,
    appId,
    appName,
    environment,
    maxLimit,
    sessionLength: sessionSeconds,
    serverURL: publicUrl,
    publicServerURL: publicUrl,
    mountPath,
  };
}

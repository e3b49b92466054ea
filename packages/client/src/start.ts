import { ErrorCode, ProtocolError } from "@purse/protocol";
import { type ConnectionSettings, connect, currentConnection, setting } from "./connection.ts";
import { ParseObject } from "./object/ParseObject.ts";
import { loadValueTypes } from "./object/valueTypes.ts";
import type { PluginSpec } from "./plugins.ts";
import { inBrowser } from "./storage.ts";
import { loadStoredUser } from "./storedUser.ts";
import { requestObject } from "./transport.ts";
import { User } from "./user/User.ts";

/** The server's address and the client's settings. */
export interface StartOptions extends Partial<Omit<ConnectionSettings, "applicationId" | "serverUrl">> {
  /** URL of the server's Parse API, as `http://127.0.0.1:1337/server`. */
  serverUrl?: string;
  appId?: string;
  /** Replaces the call of the server's function getPluginSpecs. */
  plugins?: readonly PluginSpec[];
  /** A secret of the hosted service; not used here, and never to be put into a page. */
  moralisSecret?: string;
  /** Skips the version check, which pages run in the background. */
  disableVersionCheck?: boolean;
}

/**
 * Connects the client to its server and loads the server's plugins.
 * Throws `Moralis.start failed: …` without URL or application id. Contacts only the server.
 */
export async function start(options: StartOptions): Promise<void> {
  const { serverUrl, appId, plugins, moralisSecret, disableVersionCheck, ...settings } = options;
  if (!serverUrl) throw new Error("Moralis.start failed: serverUrl is required");
  if (!appId) throw new Error("Moralis.start failed: appId is required");
  const before = currentConnection();
  open({ ...settings, applicationId: appId, serverUrl });
  if (inBrowser()) {
    if (moralisSecret || settings.masterKey) (await import("./secretWarning.ts")).warnOfSecret();
    if (!disableVersionCheck)
      void import("./versionCheck.ts").then(({ warnWhenOutdated }) => warnWhenOutdated(serverUrl));
  }
  const specs = plugins ?? (await pluginSpecs());
  // The plugin code is not loaded while there are no plugins.
  if (before || specs.length > 0) (await import("./plugins.ts")).setPlugins(specs);
  // From now on the current user can be read synchronously.
  await loadValueTypes(JSON.stringify(await loadStoredUser()));
}

/** Adds plugins to those of the start: the given ones, else the server's. */
export async function initPlugins(plugins?: readonly PluginSpec[]): Promise<void> {
  const specs = plugins ?? (await pluginSpecs());
  (await import("./plugins.ts")).addPlugins(specs);
}

/** Connects without plugins; the server's URL is set later, as `Moralis.serverURL`. */
export function initialize(applicationId: string, javascriptKey?: string, masterKey?: string): void {
  open({
    applicationId,
    javascriptKey,
    masterKey,
    serverUrl: setting("serverUrl") ?? "",
  });
}

function open(settings: ConnectionSettings): void {
  ParseObject.registerSubclass("_User", User);
  connect(settings);
}

async function pluginSpecs(): Promise<readonly unknown[]> {
  try {
    const { result } = await requestObject("POST", "functions/getPluginSpecs");
    return Array.isArray(result) ? result : [];
  } catch (error) {
    // Plain Parse servers have neither this function nor plugins.
    if (error instanceof ProtocolError && error.code === ErrorCode.SCRIPT_FAILED) return [];
    throw error;
  }
}

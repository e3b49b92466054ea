import { ErrorCode, ProtocolError } from "@purse/protocol";
import { type ConnectionSettings, connect, currentConnection, setting } from "./connection.ts";
import { loadStoredUser } from "./identity.ts";
import { ParseObject } from "./object/ParseObject.ts";
import { loadValueTypes } from "./object/valueTypes.ts";
import type { PluginSpec } from "./plugins.ts";
import { inBrowser } from "./storage.ts";
import { requestObject } from "./transport.ts";
import { User } from "./user/User.ts";

/** Where the server is, and how the client works with it. */
export interface StartOptions extends Partial<Omit<ConnectionSettings, "applicationId" | "serverUrl">> {
  /** Address of the server's Parse protocol, as `http://127.0.0.1:1337/server`. */
  serverUrl?: string;
  appId?: string;
  /** Instead of asking the server's function getPluginSpecs. */
  plugins?: readonly PluginSpec[];
  /** A secret of the hosted service; not used here, and out of place in a page. */
  moralisSecret?: string;
  /** Does not ask the server whether there is a newer client; pages ask, in the background. */
  disableVersionCheck?: boolean;
}

/**
 * Connects the client to its server and learns the server's plugins.
 * Throws `Moralis.start failed: …` without address or application id. Calls nobody but the server.
 */
export async function start(options: StartOptions): Promise<void> {
  const { serverUrl, appId, plugins, moralisSecret, disableVersionCheck, ...settings } = options;
  if ((moralisSecret || settings.masterKey) && inBrowser()) {
    console.warn(
      "Moralis.start warning: using moralisSecret or masterKey on the browser exposes it to everyone",
    );
  }
  if (!serverUrl) throw new Error("Moralis.start failed: serverUrl is required");
  if (!appId) throw new Error("Moralis.start failed: appId is required");
  const before = currentConnection();
  open({ ...settings, applicationId: appId, serverUrl });
  if (inBrowser() && !disableVersionCheck) {
    void import("./versionCheck.ts").then(({ warnWhenOutdated }) => warnWhenOutdated(serverUrl));
  }
  const specs = plugins ?? (await pluginSpecs());
  // Without plugins, now and before, nothing of what they need is loaded.
  if (before || specs.length > 0) (await import("./plugins.ts")).setPlugins(specs);
  // Who is signed in can be asked at once from now on.
  await loadValueTypes(JSON.stringify(await loadStoredUser()));
}

/** Connects without plugins; the server's address is given later, as `Moralis.serverURL`. */
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
    // Plain Parse servers have no such function; they have no plugins either.
    if (error instanceof ProtocolError && error.code === ErrorCode.SCRIPT_FAILED) return [];
    throw error;
  }
}

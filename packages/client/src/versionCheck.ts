import { isJsonObject } from "@purse/protocol";
import { VERSION } from "./transport.ts";

/**
 * Warns in the console if the server has a newer client than this one. Contacts only the application's own server;
 * servers without version information are ignored.
 */
export async function warnWhenOutdated(serverUrl: string, get: typeof fetch = fetch): Promise<void> {
  const latest = await latestVersion(serverUrl, get).catch(() => undefined);
  if (latest === undefined || !isNewer(latest, VERSION)) return;
  console.warn(
    `Moralis.start warning: version ${VERSION} of the client is out of date, the server has ${latest}`,
  );
}

async function latestVersion(serverUrl: string, get: typeof fetch): Promise<string | undefined> {
  const response = await get(new URL("/moralis/package.json", serverUrl), { credentials: "omit" });
  if (!response.ok) return undefined;
  const about: unknown = await response.json();
  return isJsonObject(about) && typeof about.version === "string" ? about.version : undefined;
}

/** Whether one version (`1.7.0`) is newer than another; invalid versions are not newer. */
export function isNewer(version: string, than: string): boolean {
  const [a, b] = [numbers(version), numbers(than)];
  const at = a.findIndex((number, i) => number !== b[i]);
  return at >= 0 && (a[at] ?? 0) > (b[at] ?? 0);
}

function numbers(version: string): number[] {
  return /^\d+\.\d+\.\d+$/.test(version) ? version.split(".").map(Number) : [];
}

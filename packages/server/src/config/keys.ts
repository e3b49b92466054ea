import { randomBytes } from "node:crypto";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { asFolderError } from "./dataFolder.ts";

/** What tells this installation's clients and operators apart from others. */
export interface Keys {
  /** Public: every client sends it. */
  appId: string;
  /** Passes every permission: never printed, never sent to a client. */
  masterKey: string;
}

/** Reads `keys.json` of the data folder, or makes it at the first run; only the owner can read it. */
export async function loadKeys(dataDir: string): Promise<Keys & { path: string }> {
  try {
    return await readOrMake(dataDir);
  } catch (error) {
    throw asFolderError(error, dataDir);
  }
}

async function readOrMake(dataDir: string): Promise<Keys & { path: string }> {
  const path = join(dataDir, "keys.json");
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const made: Keys = {
    appId: randomBytes(20).toString("hex"),
    masterKey: randomBytes(32).toString("base64url"),
  };
  try {
    // Of two processes that start at once, one makes the file and the other reads it.
    await writeFile(path, `${JSON.stringify(made, null, 2)}\n`, { flag: "wx", mode: 0o600 });
    return { ...made, path };
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
  await chmod(path, 0o600);
  return { ...parseKeys(path, await readFile(path, "utf8")), path };
}

function parseKeys(path: string, text: string): Keys {
  const keys = parseJson(text);
  if (typeof keys === "object" && keys !== null && "appId" in keys && "masterKey" in keys) {
    const { appId, masterKey } = keys;
    if (typeof appId === "string" && appId && typeof masterKey === "string" && masterKey)
      return { appId, masterKey };
  }
  throw new Error(
    `${path} must hold {"appId": "…", "masterKey": "…"}: repair it, or remove it to get new keys`,
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

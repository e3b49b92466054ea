import { randomBytes } from "node:crypto";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { tryParseJson } from "@purse/protocol";
import { createSecret } from "../core/secret.ts";
import { asFolderError } from "./dataFolder.ts";

/** The generated keys of this server. */
export interface Keys {
  /** Public: every client sends it. */
  appId: string;
  /** Bypasses all permission checks; never printed, never sent to a client. */
  masterKey: string;
}

/** Reads `keys.json` of the data folder, or creates it on first start; only its owner can read it. */
export async function loadKeys(dataDir: string): Promise<Keys & { path: string }> {
  try {
    return await readOrCreate(dataDir);
  } catch (error) {
    throw asFolderError(error, dataDir);
  }
}

async function readOrCreate(dataDir: string): Promise<Keys & { path: string }> {
  const path = join(dataDir, "keys.json");
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const created: Keys = {
    appId: randomBytes(20).toString("hex"),
    masterKey: createSecret(32),
  };
  try {
    // If two processes start concurrently, one creates the file and the other reads it.
    await writeFile(path, `${JSON.stringify(created, null, 2)}\n`, { flag: "wx", mode: 0o600 });
    return { ...created, path };
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
  await chmod(path, 0o600);
  return { ...parseKeys(path, await readFile(path, "utf8")), path };
}

function parseKeys(path: string, text: string): Keys {
  const keys = tryParseJson(text);
  if (typeof keys === "object" && keys !== null && "appId" in keys && "masterKey" in keys) {
    const { appId, masterKey } = keys;
    if (typeof appId === "string" && appId && typeof masterKey === "string" && masterKey)
      return { appId, masterKey };
  }
  throw new Error(
    `${path} must hold {"appId": "…", "masterKey": "…"}: repair it, or delete it to generate new keys`,
  );
}

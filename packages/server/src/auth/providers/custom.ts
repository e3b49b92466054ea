import { pathToFileURL } from "node:url";
import { ErrorCode, isJsonObject, type JsonObject, ProtocolError } from "@purse/protocol";
import type { CustomAdapter } from "../../config/auth.ts";
import type { AuthAdapter } from "./adapter.ts";

/** Wraps a custom adapter: an object, or the path of a module whose default export is one. */
export async function customAdapter(
  module: string | CustomAdapter,
  options: JsonObject,
): Promise<AuthAdapter> {
  const adapter = typeof module === "string" ? await load(module) : module;
  return {
    async validateAuthData(authData) {
      try {
        await adapter.validateAppId?.(options.appIds, authData, options);
        const result = await adapter.validateAuthData(authData, options);
        const saved = isRecord(result) ? result.save : undefined;
        return isJsonObject(saved) ? { ...saved, id: authData.id ?? null } : authData;
      } catch (error) {
        if (error instanceof ProtocolError) throw error;
        const message = typeof error === "string" ? error : error instanceof Error ? error.message : "";
        throw new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, message || "Auth is invalid for this user.");
      }
    },
  };
}

async function load(path: string): Promise<CustomAdapter> {
  const module: { default?: unknown } = await import(pathToFileURL(path).href);
  if (isCustomAdapter(module.default)) return module.default;
  throw new Error(`${path} must export an object with validateAuthData as default`);
}

function isCustomAdapter(value: unknown): value is CustomAdapter {
  return isRecord(value) && typeof value.validateAuthData === "function";
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

import { ErrorCode } from "@purse/client";
import { batchCall } from "./batchCall.ts";

interface Options {
  signal?: AbortSignal;
}

/** Resolves a name (ENS, Unstoppable Domains) to an address; null if it has none. */
export function resolveName(domain: string, options?: Options): Promise<string | null> {
  return callFunction("resolveDomain", { domain }, "address", options);
}

/** Looks up the name of an address; null if it has none. */
export function lookupAddress(address: string, options?: Options): Promise<string | null> {
  return callFunction("resolveAddress", { address }, "name", options);
}

async function callFunction(
  name: string,
  parameters: object,
  field: string,
  options?: Options,
): Promise<string | null> {
  const [part] = await batchCall(name, [parameters], options);
  if (part && "result" in part) {
    const found: unknown = Object(part.result)[field];
    return typeof found === "string" && found !== "" ? found : null;
  }
  if (!part || part.code === ErrorCode.OBJECT_NOT_FOUND) return null;
  throw Object.assign(new Error(part.message), { code: part.code });
}

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
  const [response] = await batchCall(name, [parameters], options);
  if (response && "result" in response) {
    const found: unknown = Object(response.result)[field];
    return typeof found === "string" && found !== "" ? found : null;
  }
  if (!response || response.code === ErrorCode.OBJECT_NOT_FOUND) return null;
  throw Object.assign(new Error(response.message), { code: response.code });
}

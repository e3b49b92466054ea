import { ErrorCode, ParseError } from "@purse/client";
import { callFunction } from "./batchCall.ts";

interface Options {
  signal?: AbortSignal;
}

/** Whether a text looks like a name that can be resolved, such as `ada.eth`. */
export function isDomainName(text: string): boolean {
  return /^[^\s]+\.[^\s.]{2,}$/u.test(text);
}

/** Resolves a name (ENS, Unstoppable Domains) to an address; null if it has none. */
export function resolveName(domain: string, options?: Options): Promise<string | null> {
  return readField("resolveDomain", { domain }, "address", options);
}

/** Looks up the name of an address; null if it has none. */
export function lookupAddress(address: string, options?: Options): Promise<string | null> {
  return readField("resolveAddress", { address }, "name", options);
}

async function readField(
  name: string,
  parameters: object,
  field: string,
  options?: Options,
): Promise<string | null> {
  try {
    const found: unknown = Object(await callFunction(name, parameters, options))[field];
    return typeof found === "string" && found !== "" ? found : null;
  } catch (error) {
    if (error instanceof ParseError && error.code === ErrorCode.OBJECT_NOT_FOUND) return null;
    throw error;
  }
}

import { ErrorCode } from "@purse/client";
import { askTogether } from "./askTogether.ts";

interface Options {
  signal?: AbortSignal;
}

/** The address that a name (ENS, Unstoppable Domains) stands for; null where it stands for none. */
export function addressOfName(domain: string, options?: Options): Promise<string | null> {
  return ask("resolveDomain", { domain }, "address", options);
}

/** The name that an address has given itself; null where it has none. */
export function nameOfAddress(address: string, options?: Options): Promise<string | null> {
  return ask("resolveAddress", { address }, "name", options);
}

async function ask(
  name: string,
  parameters: object,
  field: string,
  options?: Options,
): Promise<string | null> {
  const [part] = await askTogether(name, [parameters], options);
  if (part && "answer" in part) {
    const found: unknown = Object(part.answer)[field];
    return typeof found === "string" && found !== "" ? found : null;
  }
  if (!part || part.code === ErrorCode.OBJECT_NOT_FOUND) return null;
  throw Object.assign(new Error(part.message), { code: part.code });
}

import { ErrorCode, ProtocolError } from "@purse/protocol";
import type { RequestOptions } from "../transport.ts";
import { Web3API } from "./web3api.ts";

/** The name that an address has given itself; null where it has none, or one that does not stand for it. */
export function lookupAddress(address: string, options: RequestOptions = {}): Promise<string | null> {
  return orNull(async () => (await Web3API.resolve.resolveAddress({ address }, options)).name);
}

/** The address that a name (ENS, Unstoppable Domains) stands for; null where it stands for none. */
export function resolveName(name: string, options: RequestOptions = {}): Promise<string | null> {
  return orNull(async () => (await Web3API.resolve.resolveDomain({ domain: name }, options)).address);
}

async function orNull(ask: () => Promise<string | null | undefined>): Promise<string | null> {
  try {
    return (await ask()) || null;
  } catch (error) {
    if (error instanceof ProtocolError && isNotFound(error)) return null;
    throw error;
  }
}

/** 101 where the server is asked, 404 where the REST service is. */
function isNotFound({ code, status }: ProtocolError): boolean {
  return code === ErrorCode.OBJECT_NOT_FOUND || status === 404;
}

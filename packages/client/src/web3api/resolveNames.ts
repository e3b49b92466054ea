import { ErrorCode, isPlainEnsName, normalEnsName, ProtocolError } from "@purse/protocol";
import type { RequestOptions } from "../transport.ts";
import { Web3API } from "./web3api.ts";

/**
 * The primary name of an address, which the server has resolved back to it; null without one, or if it is not in its
 * normal form: such names imitate others.
 */
export async function lookupAddress(address: string, options: RequestOptions = {}): Promise<string | null> {
  const name = await orNull(async () => (await Web3API.resolve.resolveAddress({ address }, options)).name);
  if (name === null || isPlainEnsName(name)) return name;
  const { normalize } = await import("viem/ens");
  return normalEnsName(name, normalize) === name ? name : null;
}

/** The address of a name (ENS, Unstoppable Domains); null if it does not resolve. */
export function resolveName(name: string, options: RequestOptions = {}): Promise<string | null> {
  return orNull(async () => (await Web3API.resolve.resolveDomain({ domain: name }, options)).address);
}

async function orNull(lookUp: () => Promise<string | null | undefined>): Promise<string | null> {
  try {
    return (await lookUp()) || null;
  } catch (error) {
    if (error instanceof ProtocolError && isNotFound(error)) return null;
    throw error;
  }
}

/** The server responds with 101, the REST service with 404. */
function isNotFound({ code, status }: ProtocolError): boolean {
  return code === ErrorCode.OBJECT_NOT_FOUND || status === 404;
}

import { isIP } from "node:net";
import { isLoopbackHost } from "../../core/http/address.ts";
import { matchesDomain } from "../validateSignInMessage.ts";

/** The server as passkeys know it. */
export interface RelyingParty {
  /** Domain of the passkeys (RP ID). */
  id: string;
  /** Name that browsers may show. */
  name: string;
  /** Origins that may use passkeys; `:*` at the end matches every port. */
  origins: readonly string[];
}

export interface RelyingPartyOptions {
  /** Public URL of the Parse API. */
  publicUrl: string;
  /** Hosts of the application's sites; `:*` at the end matches every port. */
  domains: readonly string[];
  name: string;
  /** The configured RP ID and origins. */
  id?: string | undefined;
  origins?: readonly string[] | undefined;
}

/**
 * Derives the relying party from the configured public URL and sites, regardless of the Host header of a request. Pages
 * of other hosts than localhost need HTTPS, as browsers require for passkeys.
 */
export function createRelyingParty({
  publicUrl,
  domains,
  name,
  ...options
}: RelyingPartyOptions): RelyingParty {
  const { hostname, origin } = new URL(publicUrl);
  const sites = domains.map((domain) => `${isLoopbackHost(domain) ? "http" : "https"}://${domain}`);
  return {
    id: options.id ?? (isLoopbackHost(hostname) || isUnspecified(hostname) ? "localhost" : hostname),
    name,
    origins: options.origins ?? [...new Set([origin, ...sites])],
  };
}

/** Whether pages of an origin may use the passkeys. */
export function allowsOrigin({ origins }: RelyingParty, origin: string): boolean {
  return origins.some((allowed) => matchesDomain(origin, allowed));
}

/** Whether a server listens on all addresses, so that its URL has no host that clients can use. */
function isUnspecified(hostname: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, "");
  return isIP(address) !== 0 && /^(?:0\.0\.0\.0|::)$/.test(address);
}

import { isIP } from "node:net";
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
  const sites = domains.map((domain) => `${isLocalHost(domain) ? "http" : "https"}://${domain}`);
  return {
    id: options.id ?? (isLocalHost(hostname) || isUnspecified(hostname) ? "localhost" : hostname),
    name,
    origins: options.origins ?? [...new Set([origin, ...sites])],
  };
}

/** Whether pages of an origin may use the passkeys. */
export function allowsOrigin({ origins }: RelyingParty, origin: string): boolean {
  return origins.some((allowed) => matchesDomain(origin, allowed));
}

/** Whether a host, with or without a port, is this machine. */
function isLocalHost(host: string): boolean {
  return /^(?:localhost|127\.0\.0\.1|\[::1\])(?::|$)/.test(host);
}

/** Whether a server listens on all addresses, so that its URL has no host that clients can use. */
function isUnspecified(hostname: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, "");
  return isIP(address) !== 0 && /^(?:0\.0\.0\.0|::)$/.test(address);
}

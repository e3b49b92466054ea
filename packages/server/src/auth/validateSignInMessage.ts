import type { SiweMessage } from "./siweMessage.ts";
import { walletSignInError } from "./walletSignInError.ts";

/** What a signed message of a wallet must fulfil to sign in or to be linked. */
export interface SiweRules {
  appId: string;
  /** Hosts of the sites that may request signatures; `:*` matches every port. */
  domains: readonly string[];
  uri: string;
  /** Allowed chain IDs; if empty, any chain ID is accepted and signatures are verified without a node. */
  chainIds: readonly number[];
  /** Maximum age of a signed message, in seconds. */
  signatureSeconds: number;
}

/** How far a client's clock may be ahead of the server's, in ms. */
export const MAX_CLOCK_SKEW_MS = 5_000;

/** Returns when a message expires (ms since the epoch). Throws 101 if it is for another server or not valid now. */
export function validateSiwe(message: SiweMessage, rules: SiweRules, now: number): number {
  if (rules.chainIds.length > 0 && !rules.chainIds.includes(message.chainId)) {
    throw walletSignInError("the message is for a chain that is not configured");
  }
  return validateMessage(message, rules, now);
}

/** Returns when a message of any chain expires (ms since the epoch). Throws 101 if it is for another server or not valid now. */
export function validateMessage(
  message: Omit<SiweMessage, "address" | "chainId">,
  rules: Omit<SiweRules, "chainIds">,
  now: number,
): number {
  if (!rules.domains.some((allowed) => matchesDomain(message.domain, allowed))) {
    throw walletSignInError("the message was signed for another domain");
  }
  if (message.scheme !== undefined && !/^https?$/i.test(message.scheme)) {
    throw walletSignInError("the message was signed for another scheme than https or http");
  }
  if (!isOwnUri(message.uri, rules)) {
    throw walletSignInError("the message was signed for another URI");
  }
  // The nonce, which every message has, also binds it to this application.
  const own = applicationResource(rules.appId);
  if (message.resources.some((each) => each.startsWith(APPLICATION_PREFIX) && each !== own)) {
    throw walletSignInError("the message was not signed for this application");
  }
  if (message.issuedAt > now + MAX_CLOCK_SKEW_MS) throw walletSignInError("the signed time is in the future");
  if (message.notBefore !== undefined && message.notBefore > now) {
    throw walletSignInError("the message is not valid yet");
  }
  const maxAgeEnd = message.issuedAt + rules.signatureSeconds * 1000;
  const validUntil = Math.min(maxAgeEnd, message.expirationTime ?? maxAgeEnd);
  if (now > validUntil) throw walletSignInError("the signed message has expired: sign a new one");
  return validUntil;
}

const APPLICATION_PREFIX = "purse:app:";

/** The resource by which a message names its application. */
export function applicationResource(appId: string): string {
  return `${APPLICATION_PREFIX}${encodeURIComponent(appId)}`;
}

/** Whether a URI is the server's, or that of a page of a site that may request signatures. */
export function isOwnUri(uri: string, rules: Pick<SiweRules, "uri" | "domains">): boolean {
  if (uri === rules.uri) return true;
  const url = URL.parse(uri);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username || url.password) return false;
  return rules.domains.some((allowed) => matchesDomain(url.host, allowed));
}

/** Whether a host matches an allowed one, which may end with `:*`. */
export function matchesDomain(domain: string, allowed: string): boolean {
  if (!allowed.endsWith(":*")) return domain === allowed;
  const host = allowed.slice(0, -2);
  return (
    domain === host || (domain.startsWith(`${host}:`) && /^[1-9]\d{0,4}$/.test(domain.slice(host.length + 1)))
  );
}

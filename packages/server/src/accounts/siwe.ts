import { type Address, getAddress } from "viem";
import { refused } from "./walletRefusal.ts";

/** A message of EIP-4361 (Sign-In with Ethereum). */
export interface SiweMessage {
  /** Host, with its port where it is not the usual one. */
  domain: string;
  /** With the letter case of EIP-55. */
  address: Address;
  statement?: string;
  uri: string;
  /** EIP-155. */
  chainId: number;
  nonce: string;
  /** Milliseconds since the epoch, as the other times. */
  issuedAt: number;
  expirationTime?: number;
  notBefore?: number;
  resources: string[];
}

export interface SiweRules {
  appId: string;
  /** Hosts of the sites that may have people sign; `:*` in place of a port stands for every port. */
  domains: readonly string[];
  uri: string;
  /** Where it is empty, nodes play no part in signing in, and any chain will do. */
  chainIds: readonly number[];
  /** How old a signed message may be, in seconds. */
  signatureSeconds: number;
}

/** How far a clock may seem to lie ahead of the server's, in ms. */
export const SKEW_MS = 5_000;

const OPENING = " wants you to sign in with your Ethereum account:";
/** Every line of a message in its place; nothing may stand before, between or after them. */
const LAYOUT = new RegExp(
  [
    `^(?<domain>[^ \\n/?#@]+)${OPENING}`,
    "(?<address>0x[0-9a-fA-F]{40})",
    "",
    "(?:(?<statement>[^\\n]+)\\n)?",
    "URI: (?<uri>[^ \\n]+)",
    "Version: (?<version>[^\\n]+)",
    "Chain ID: (?<chainId>[^\\n]+)",
    "Nonce: (?<nonce>[^\\n]+)",
    "Issued At: (?<issuedAt>[^\\n]+)(?:\\nExpiration Time: (?<expirationTime>[^\\n]+))?(?:\\nNot Before: (?<notBefore>[^\\n]+))?(?:\\nResources:(?<resources>(?:\\n- [^ \\n]+)+))?$",
  ].join("\\n"),
);
const FIELD =
  /^ *(URI|Version|Chain ID|Nonce|Issued At|Expiration Time|Not Before|Request ID|Resources|Id)\s*:/i;

/** Whether a text means to be such a message, well made or not. */
export function isSiwe(text: string): boolean {
  return text.includes(OPENING);
}

/** The text that the wallet shows and signs. */
export function writeSiwe(message: SiweMessage): string {
  const { domain, address, statement, uri, chainId, nonce, issuedAt, expirationTime, resources } = message;
  const lines = [`${domain}${OPENING}`, address, "", ...(statement ? [statement] : []), ""];
  lines.push(`URI: ${uri}`, "Version: 1", `Chain ID: ${chainId}`, `Nonce: ${nonce}`);
  lines.push(`Issued At: ${iso(issuedAt)}`);
  if (expirationTime !== undefined) lines.push(`Expiration Time: ${iso(expirationTime)}`);
  if (message.notBefore !== undefined) lines.push(`Not Before: ${iso(message.notBefore)}`);
  if (resources.length > 0) lines.push("Resources:", ...resources.map((resource) => `- ${resource}`));
  return lines.join("\n");
}

/** Reads a message. Throws 101 where it is not laid out to the letter. */
export function parseSiwe(text: string): SiweMessage {
  // The standard's texts are ASCII: no carriage returns, no other line ends, no letters that only look alike.
  if (!/^[\x20-\x7e\n]*$/.test(text)) throw refused("the message holds characters that do not belong there");
  const fields = LAYOUT.exec(text)?.groups;
  if (!fields) throw refused("the message is not laid out as EIP-4361 says");
  const { domain = "", address = "", statement, uri = "", version, chainId = "", nonce = "" } = fields;
  if (statement !== undefined && FIELD.test(statement)) throw refused("the message holds a field twice");
  if (version !== "1") throw refused("the message's version must be 1");
  if (!/^[1-9]\d{0,14}$/.test(chainId)) throw refused("the message's chain id is not valid");
  if (!/^[A-Za-z0-9]{8,64}$/.test(nonce)) throw refused("the message's nonce is not valid");
  const { expirationTime, notBefore } = fields;
  return {
    domain,
    address: checksummed(address),
    ...(statement !== undefined && { statement }),
    uri,
    chainId: Number(chainId),
    nonce,
    issuedAt: timeOf(fields.issuedAt ?? ""),
    ...(expirationTime !== undefined && { expirationTime: timeOf(expirationTime) }),
    ...(notBefore !== undefined && { notBefore: timeOf(notBefore) }),
    resources: fields.resources?.split("\n- ").slice(1) ?? [],
  };
}

/** Until when a message may be used (ms since the epoch). Throws 101 where it was not made for this server, or for now. */
export function checkSiwe(message: SiweMessage, rules: SiweRules, now: number): number {
  if (!rules.domains.some((allowed) => isDomain(message.domain, allowed))) {
    throw refused("the message was signed for another domain");
  }
  if (message.uri !== rules.uri) throw refused("the message was signed for another URI");
  const [resource, ...others] = message.resources;
  if (resource !== applicationResource(rules.appId) || others.length > 0) {
    throw refused("the message was not signed for this application");
  }
  if (rules.chainIds.length > 0 && !rules.chainIds.includes(message.chainId)) {
    throw refused("the message names a chain that is not configured");
  }
  if (message.issuedAt > now + SKEW_MS) throw refused("the signed time lies in the future");
  if (message.notBefore !== undefined && message.notBefore > now) {
    throw refused("the message is not valid yet");
  }
  const tooOld = message.issuedAt + rules.signatureSeconds * 1000;
  const staleAt = Math.min(tooOld, message.expirationTime ?? tooOld);
  if (now > staleAt) throw refused("the signed message has expired: sign a new one");
  return staleAt;
}

/** How a message names the application that it is for. */
export function applicationResource(appId: string): string {
  return `purse:app:${encodeURIComponent(appId)}`;
}

/** Whether a host is the allowed one. */
export function isDomain(domain: string, allowed: string): boolean {
  if (!allowed.endsWith(":*")) return domain === allowed;
  const host = allowed.slice(0, -2);
  return (
    domain === host || (domain.startsWith(`${host}:`) && /^[1-9]\d{0,4}$/.test(domain.slice(host.length + 1)))
  );
}

function checksummed(address: string): Address {
  const correct = getAddress(`0x${address.slice(2).toLowerCase()}`);
  if (correct !== address) throw refused("the message's address is not spelt as EIP-55 says");
  return correct;
}

/** One spelling per time: that of `Date.toISOString`. */
function timeOf(text: string): number {
  const ms = Date.parse(text);
  if (Number.isNaN(ms) || iso(ms) !== text) throw refused("a time in the message is not valid");
  return ms;
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

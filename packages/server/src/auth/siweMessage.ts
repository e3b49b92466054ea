import { type Address, getAddress } from "viem";
import { walletSignInError } from "./walletSignInError.ts";

/** A message of EIP-4361 (Sign-In with Ethereum). */
export interface SiweMessage {
  /** Host, with the port if it is not the default port. */
  domain: string;
  /** With EIP-55 checksum. */
  address: Address;
  statement?: string;
  uri: string;
  /** Chain ID (EIP-155). */
  chainId: number;
  nonce: string;
  /** Milliseconds since the epoch, like the other times. */
  issuedAt: number;
  expirationTime?: number;
  notBefore?: number;
  resources: string[];
}

const OPENING = " wants you to sign in with your Ethereum account:";
const LAYOUT = messageLayout(OPENING, "0x[0-9a-fA-F]{40}");
const FIELD =
  /^ *(URI|Version|Chain ID|Nonce|Issued At|Expiration Time|Not Before|Request ID|Resources|Id)\s*:/i;

/**
 * The exact layout of a message, of EIP-4361 and of the formats that follow it; additional text before, between or after
 * the lines is rejected.
 */
export function messageLayout(opening: string, address: string): RegExp {
  return new RegExp(
    [
      `^(?<domain>[^ \\n/?#@]+)${opening}`,
      `(?<address>${address})`,
      "",
      "(?:(?<statement>[^\\n]+)\\n)?",
      "URI: (?<uri>[^ \\n]+)",
      "Version: (?<version>[^\\n]+)",
      "Chain ID: (?<chainId>[^\\n]+)",
      "Nonce: (?<nonce>[^\\n]+)",
      "Issued At: (?<issuedAt>[^\\n]+)(?:\\nExpiration Time: (?<expirationTime>[^\\n]+))?(?:\\nNot Before: (?<notBefore>[^\\n]+))?(?:\\nResources:(?<resources>(?:\\n- [^ \\n]+)+))?$",
    ].join("\\n"),
  );
}

/** Whether a text looks like an EIP-4361 message, valid or not. */
export function isSiweMessage(text: string): boolean {
  return text.includes(OPENING);
}

/** Formats the text that the wallet shows and signs. */
export function formatSiwe(message: SiweMessage): string {
  return formatMessage({ ...message, chainId: String(message.chainId) }, OPENING);
}

/** Formats a message with an opening of `messageLayout`. */
export function formatMessage(message: MessageFields, opening: string): string {
  const { domain, address, statement, uri, chainId, nonce, issuedAt, expirationTime, resources } = message;
  const lines = [`${domain}${opening}`, address, "", ...(statement ? [statement] : []), ""];
  lines.push(`URI: ${uri}`, "Version: 1", `Chain ID: ${chainId}`, `Nonce: ${nonce}`);
  lines.push(`Issued At: ${toIso(issuedAt)}`);
  if (expirationTime !== undefined) lines.push(`Expiration Time: ${toIso(expirationTime)}`);
  if (message.notBefore !== undefined) lines.push(`Not Before: ${toIso(message.notBefore)}`);
  if (resources.length > 0) lines.push("Resources:", ...resources.map((resource) => `- ${resource}`));
  return lines.join("\n");
}

/** Parses a message strictly. Throws 101. */
export function parseSiwe(text: string): SiweMessage {
  const { address, chainId, ...message } = parseMessage(text, LAYOUT, "EIP-4361");
  if (!/^[1-9]\d{0,14}$/.test(chainId)) throw walletSignInError("the message's chain id is not valid");
  return { ...message, address: assertChecksum(address), chainId: Number(chainId) };
}

/** The fields of a message, whose address and chain are not validated yet. */
export interface MessageFields extends Omit<SiweMessage, "address" | "chainId"> {
  address: string;
  chainId: string;
}

/** Parses a message with a layout of `messageLayout` strictly. Throws 101. */
export function parseMessage(text: string, layout: RegExp, standard: string): MessageFields {
  // The messages are ASCII: carriage returns, other line separators and homoglyphs are rejected.
  if (!/^[\x20-\x7e\n]*$/.test(text)) throw walletSignInError("the message contains invalid characters");
  const fields = layout.exec(text)?.groups;
  if (!fields) throw walletSignInError(`the message is not laid out as ${standard} says`);
  const { domain = "", address = "", statement, uri = "", version, chainId = "", nonce = "" } = fields;
  if (statement !== undefined && FIELD.test(statement))
    throw walletSignInError("the message contains a field twice");
  if (version !== "1") throw walletSignInError("the message's version must be 1");
  if (!/^[A-Za-z0-9]{8,64}$/.test(nonce)) throw walletSignInError("the message's nonce is not valid");
  const { expirationTime, notBefore } = fields;
  return {
    domain,
    address,
    ...(statement !== undefined && { statement }),
    uri,
    chainId,
    nonce,
    issuedAt: parseTime(fields.issuedAt ?? ""),
    ...(expirationTime !== undefined && { expirationTime: parseTime(expirationTime) }),
    ...(notBefore !== undefined && { notBefore: parseTime(notBefore) }),
    resources: fields.resources?.split("\n- ").slice(1) ?? [],
  };
}

function assertChecksum(address: string): Address {
  const expected = getAddress(`0x${address.slice(2).toLowerCase()}`);
  if (expected !== address) throw walletSignInError("the message's address has no valid EIP-55 checksum");
  return expected;
}

/** Parses a time, which must be in the format of `Date.toISOString`. */
function parseTime(text: string): number {
  const ms = Date.parse(text);
  if (Number.isNaN(ms) || toIso(ms) !== text) throw walletSignInError("a time in the message is not valid");
  return ms;
}

function toIso(ms: number): string {
  return new Date(ms).toISOString();
}

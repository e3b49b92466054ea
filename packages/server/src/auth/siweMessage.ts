import { type Address, getAddress } from "viem";
import { walletSignInError } from "./walletSignInError.ts";

/** A message of EIP-4361 (Sign-In with Ethereum). */
export interface SiweMessage {
  /** Scheme of the origin that requests the signature. */
  scheme?: string;
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
  requestId?: string;
  resources: string[];
}

const OPENING = " wants you to sign in with your Ethereum account:";
const LAYOUT = messageLayout(OPENING, "0x[0-9a-fA-F]{40}");
const FIELD =
  /^ *(URI|Version|Chain ID|Nonce|Issued At|Expiration Time|Not Before|Request ID|Resources|Id)\s*:/i;

const REQUIRED_FIELDS = ["URI", "Version", "Chain ID", "Nonce", "Issued At"];
/** A time of RFC 3339. */
const TIME = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$/i;

/**
 * The exact layout of a message, of EIP-4361 and of the formats that follow it; additional text before, between or after
 * the lines is rejected. Libraries leave one to three blank lines where there is no statement.
 */
export function messageLayout(opening: string, address: string): RegExp {
  return new RegExp(
    [
      `^(?:(?<scheme>[A-Za-z][A-Za-z0-9+.-]*)://)?(?<domain>[^ \\n/?#@]+)${opening}`,
      `(?<address>${address})`,
      "(?:\\n(?<statement>[^\\n]+)\\n|\\n{0,2})",
      "URI: (?<uri>[^ \\n]+)",
      "Version: (?<version>[^\\n]+)",
      "Chain ID: (?<chainId>[^\\n]+)",
      "Nonce: (?<nonce>[^\\n]+)",
      "Issued At: (?<issuedAt>[^\\n]+)(?:\\nExpiration Time: (?<expirationTime>[^\\n]+))?(?:\\nNot Before: (?<notBefore>[^\\n]+))?(?:\\nRequest ID: (?<requestId>[^ \\n]*))?(?:\\nResources:(?<resources>(?:\\n- [^ \\n]+)*))?$",
    ].join("\\n"),
  );
}

/** Whether a text looks like an EIP-4361 message, valid or not. */
export function isSiweMessage(text: string): boolean {
  return text.includes(OPENING);
}

/** Whether a text can be the statement of a message: one line that does not look like a field, or nothing. */
export function isStatement(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text) && !FIELD.test(text);
}

/** Formats the text that the wallet shows and signs. */
export function formatSiwe(message: SiweMessage): string {
  return formatMessage({ ...message, chainId: String(message.chainId) }, OPENING);
}

/** Formats a message with an opening of `messageLayout`. */
export function formatMessage(message: MessageFields, opening: string): string {
  const { scheme, domain, address, statement, uri, chainId, nonce, issuedAt, expirationTime, resources } =
    message;
  const origin = scheme === undefined ? domain : `${scheme}://${domain}`;
  const lines = [`${origin}${opening}`, address, "", ...(statement ? [statement] : []), ""];
  lines.push(`URI: ${uri}`, "Version: 1", `Chain ID: ${chainId}`, `Nonce: ${nonce}`);
  lines.push(`Issued At: ${toIso(issuedAt)}`);
  if (expirationTime !== undefined) lines.push(`Expiration Time: ${toIso(expirationTime)}`);
  if (message.notBefore !== undefined) lines.push(`Not Before: ${toIso(message.notBefore)}`);
  if (message.requestId !== undefined) lines.push(`Request ID: ${message.requestId}`);
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
  assertCharacters(text);
  const fields = layout.exec(text)?.groups;
  if (!fields) throw layoutError(text, standard);
  const {
    scheme,
    domain = "",
    address = "",
    statement,
    uri = "",
    version,
    chainId = "",
    nonce = "",
  } = fields;
  if (statement !== undefined && FIELD.test(statement))
    throw walletSignInError("the message contains a field twice");
  if (version !== "1") throw walletSignInError("the message's version must be 1");
  if (!/^[A-Za-z0-9]{8,128}$/.test(nonce)) throw walletSignInError("the message's nonce is not valid");
  const { expirationTime, notBefore, requestId } = fields;
  return {
    ...(scheme !== undefined && { scheme }),
    domain,
    address,
    ...(statement !== undefined && { statement }),
    uri,
    chainId,
    nonce,
    issuedAt: parseTime(fields.issuedAt ?? ""),
    ...(expirationTime !== undefined && { expirationTime: parseTime(expirationTime) }),
    ...(notBefore !== undefined && { notBefore: parseTime(notBefore) }),
    ...(requestId !== undefined && { requestId }),
    resources: fields.resources?.split("\n- ").slice(1) ?? [],
  };
}

/** The messages are ASCII, so that nothing in them can look like something else. Throws 101. */
function assertCharacters(text: string): void {
  const other = /[^\x20-\x7e\n]/u.exec(text)?.[0];
  if (other === undefined) return;
  if (other === "\r") {
    throw walletSignInError("the message's lines must end with a line feed, without a carriage return");
  }
  const code = (other.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  throw walletSignInError(
    `the message contains invalid characters: U+${code}, and only printable ASCII is allowed`,
  );
}

function layoutError(text: string, standard: string) {
  const lines = text.split("\n");
  const missing = REQUIRED_FIELDS.find((field) => !lines.some((line) => line.startsWith(`${field}: `)));
  const detail = missing === undefined ? "" : `: the line "${missing}: …" is missing`;
  return walletSignInError(`the message is not laid out as ${standard} says${detail}`);
}

/** Addresses in one letter case have no checksum that could be wrong. Throws 101. */
function assertChecksum(address: string): Address {
  const digits = address.slice(2);
  const expected = getAddress(`0x${digits.toLowerCase()}`);
  if (expected === address || digits === digits.toLowerCase() || digits === digits.toUpperCase())
    return expected;
  throw walletSignInError("the message's address has no valid EIP-55 checksum");
}

/** Parses a time of RFC 3339 to milliseconds; further digits are ignored. Throws 101. */
function parseTime(text: string): number {
  const [, date = "", time = "", fraction = "", zone = ""] = TIME.exec(text) ?? [];
  const local = `${date}T${time}.${fraction.slice(0, 3).padEnd(3, "0")}`;
  const ms = Date.parse(`${local}${zone.toUpperCase()}`);
  // Date.parse() moves days that a month does not have to the next one.
  if (!Number.isNaN(ms) && isDay(date)) return ms;
  throw walletSignInError("a time in the message is not valid");
}

function isDay(date: string): boolean {
  const ms = Date.parse(`${date}T00:00:00.000Z`);
  return !Number.isNaN(ms) && toIso(ms).startsWith(date);
}

function toIso(ms: number): string {
  return new Date(ms).toISOString();
}

import { createHash } from "node:crypto";
import { isJsonObject, type JsonValue } from "@purse/protocol";
import { type Hex, recoverMessageAddress, zeroAddress } from "viem";
import type { ContractWallets } from "./contractWallet.ts";
import { isSiweMessage, parseSiwe } from "./siweMessage.ts";
import { MAX_CLOCK_SKEW_MS, type SiweRules, validateSiwe } from "./validateSignInMessage.ts";
import type { IssuedNonce, MessagePurpose, WalletNonces } from "./walletNonces.ts";
import { walletSignInError } from "./walletSignInError.ts";

/** A wallet whose ownership has been verified. */
export interface VerifiedWallet {
  /** Lowercase hex. */
  address: string;
  /** Unique ID of the signature, by which reuse is detected. */
  signatureId: string;
  /** When the signature expires; ms since the epoch. */
  validUntil: number;
  /** Chain ID (EIP-155) of a contract wallet; undefined for an externally owned account. */
  contractChain?: number;
  /** The nonce to consume, if the message has one. */
  nonce?: IssuedNonce;
}

export interface WalletMessageDependencies {
  rules: SiweRules;
  nonces: WalletNonces;
  contracts: ContractWallets;
}

/** The validated properties of a signed text. */
interface SignedText {
  validUntil: number;
  chainId?: number;
  nonce?: string;
}

/** Maximum size of the text and of a contract wallet's signature, in bytes. */
const MAX_BYTES = 4_096;
/** Half the order of secp256k1: signatures with a larger s are malleable (EIP-2). */
const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;
/** Whatever a viewer might show as the end of a line. */
const LINE_END = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/;

/**
 * Verifies `authData.moralisEth`: `{id, signature, data}`, where `data` is the text signed with `personal_sign`
 * (EIP-191). The text is an EIP-4361 message, of `requestMessage` or of a page with a nonce of `requestNonce`, or any
 * text that ends with the line `Id: {applicationId}:{server time}`, or the former followed by the latter, as old clients
 * send it. Throws 101 with the reason.
 */
export async function verifyWallet(
  value: JsonValue,
  purpose: MessagePurpose,
  { rules, nonces, contracts }: WalletMessageDependencies,
  now: number,
): Promise<VerifiedWallet> {
  if (!isJsonObject(value)) throw walletSignInError("the wallet's proof must be an object");
  const { id, signature, data } = value;
  if (typeof id !== "string" || !/^0x[0-9a-fA-F]{40}$/.test(id))
    throw walletSignInError("id must be an address");
  if (typeof data !== "string" || data.length > MAX_BYTES || Buffer.byteLength(data) > MAX_BYTES)
    throw walletSignInError("data must be the signed text");
  const address: Hex = `0x${id.slice(2).toLowerCase()}`;
  // Recovering an invalid signature can yield the zero address.
  if (address === zeroAddress) throw walletSignInError("the zero address cannot sign in");
  const { validUntil, chainId, nonce } = isSiweMessage(data)
    ? validateSiweText(data, address, rules, now)
    : validateLegacyText(data, rules, now);
  const issued =
    nonce === undefined || chainId === undefined
      ? undefined
      : await nonces.assertIssued(nonce, { purpose, address, chainId });
  const bytes = parseSignature(signature);
  const isSignedByKey = (await recoverAddress(data, bytes)) === address;
  return {
    address,
    ...(!isSignedByKey && { contractChain: await contracts.assertSigned(address, data, bytes, chainId) }),
    signatureId: createHash("sha256").update(`${address}\n${data}`).digest("hex"),
    validUntil,
    ...(issued && { nonce: issued }),
  };
}

function validateSiweText(data: string, address: string, rules: SiweRules, now: number): SignedText {
  // Old clients append their own line to the message.
  const end = data.lastIndexOf("\n\nId: ");
  const { validUntil: legacyValidUntil } =
    end < 0 ? { validUntil: Number.POSITIVE_INFINITY } : validateLegacyText(data, rules, now);
  const message = parseSiwe(end < 0 ? data : data.slice(0, end));
  const validUntil = Math.min(legacyValidUntil, validateSiwe(message, rules, now));
  if (message.address.toLowerCase() !== address)
    throw walletSignInError("the message is for another address");
  return { validUntil, chainId: message.chainId, nonce: message.nonce };
}

/** Validates a text that ends with the line `Id: {applicationId}:{server time}`. Throws 101. */
export function validateLegacyText(
  data: string,
  { appId, signatureSeconds }: SiweRules,
  now: number,
): SignedText {
  const signedAt = signedTimeOf(data, appId);
  if (signedAt > now + MAX_CLOCK_SKEW_MS) throw walletSignInError("the signed time is in the future");
  const validUntil = signedAt + signatureSeconds * 1000;
  if (now > validUntil) throw walletSignInError("the signed message has expired: sign a new one");
  return { validUntil };
}

/** The server time in the message's last line, in ms. An empty line must precede it. */
function signedTimeOf(data: string, appId: string): number {
  const lines = data.split(LINE_END);
  const last = lines.at(-1) ?? "";
  const prefix = `Id: ${appId}:`;
  if (lines.length < 3 || lines.at(-2) !== "" || !last.startsWith(prefix)) {
    throw walletSignInError("the message was not signed for this application");
  }
  if (data.includes("\0")) throw walletSignInError("the message contains a zero byte");
  if (lines.slice(0, -1).some((line) => line.trimStart().startsWith("Id: "))) {
    throw walletSignInError("the message contains more than one Id line");
  }
  const time = last.slice(prefix.length);
  const ms = Date.parse(time);
  if (Number.isNaN(ms) || new Date(ms).toISOString() !== time)
    throw walletSignInError("the signed time is not valid");
  return ms;
}

function parseSignature(value: JsonValue | undefined): Hex {
  const isTooLong = typeof value === "string" && value.length > 2 + 2 * MAX_BYTES;
  if (isTooLong) throw walletSignInError(`the signature must not be longer than ${MAX_BYTES} bytes`);
  if (typeof value !== "string" || !/^0x(?:[0-9a-fA-F]{2})+$/.test(value)) {
    throw walletSignInError("the signature must be bytes in hex, beginning with 0x");
  }
  return `0x${value.slice(2).toLowerCase()}`;
}

/** Address whose key made a signature; undefined if it is not an ECDSA signature. A contract may still accept it. */
async function recoverAddress(data: string, signature: Hex): Promise<string | undefined> {
  const full = signature.length === 130 ? expandSignature(signature) : signature;
  if (full.length !== 132) return undefined;
  if (BigInt(`0x${full.slice(66, 130)}`) > HALF_ORDER)
    throw walletSignInError("the signature is not in its canonical form");
  try {
    const recovered = await recoverMessageAddress({ message: data, signature: full });
    return recovered.toLowerCase();
  } catch {
    return undefined;
  }
}

/** The 65 bytes of a compact signature (EIP-2098), whose highest bit of s is the parity of the key. */
function expandSignature(compact: Hex): Hex {
  const s = BigInt(`0x${compact.slice(66)}`);
  const parity = s >> 255n;
  const rest = (s & ((1n << 255n) - 1n)).toString(16).padStart(64, "0");
  return `0x${compact.slice(2, 66)}${rest}${parity === 1n ? "1c" : "1b"}`;
}

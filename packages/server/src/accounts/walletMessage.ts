import { createHash } from "node:crypto";
import { isJsonObject, type JsonValue } from "@purse/protocol";
import { type Hex, recoverMessageAddress, zeroAddress } from "viem";
import type { ContractWallets } from "./contractWallet.ts";
import { checkSiwe, isSiwe, parseSiwe, type SiweRules, SKEW_MS } from "./siwe.ts";
import type { NonceUse, Purpose, WalletNonces } from "./walletNonces.ts";
import { refused } from "./walletRefusal.ts";

/** A wallet whose holder has just proved that it is theirs. */
export interface VerifiedWallet {
  /** Lower-case hex. */
  address: string;
  /** Names the signature among those that have been used. */
  signatureId: string;
  /** When the signature would be refused for its age anyway; ms since the epoch. */
  staleAt: number;
  /** The chain (EIP-155) of the contract that said so; undefined for a wallet with a key of its own. */
  contractChain?: number;
  /** What has to be used up, where the message held one. */
  nonce?: { value: string; use: NonceUse };
}

export interface WalletMessageParts {
  rules: SiweRules;
  nonces: WalletNonces;
  contracts: ContractWallets;
}

/** What a text says of itself, once it has been found good. */
interface SignedText {
  staleAt: number;
  chainId?: number;
  nonce?: string;
}

/** In bytes, of the text as of a contract wallet's signature. */
const MOST = 4_096;
/** Half the order of secp256k1: a signature with a larger s is another's twin (EIP-2). */
const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/**
 * Checks `authData.moralisEth`: `{id, signature, data}`, where `data` is the text signed by
 * `personal_sign` (EIP-191): a message of `requestMessage` (EIP-4361), or any text that ends in the line
 * `Id: {applicationId}:{server time}`, or the former followed by the latter, as old clients make it.
 * Throws 101 and says what is wrong.
 */
export async function verifyWallet(
  value: JsonValue,
  purpose: Purpose,
  { rules, nonces, contracts }: WalletMessageParts,
  now: number,
): Promise<VerifiedWallet> {
  if (!isJsonObject(value)) throw refused("the wallet's proof must be an object");
  const { id, signature, data } = value;
  if (typeof id !== "string" || !/^0x[0-9a-fA-F]{40}$/.test(id)) throw refused("id must be an address");
  if (typeof data !== "string" || data.length > MOST || Buffer.byteLength(data) > MOST)
    throw refused("data must be the signed text");
  const address: Hex = `0x${id.slice(2).toLowerCase()}`;
  // Nobody has its key, and recovering a signature that is none can end in it.
  if (address === zeroAddress) throw refused("the zero address is nobody's");
  const { staleAt, chainId, nonce } = isSiwe(data)
    ? readSiwe(data, address, rules, now)
    : readClassic(data, rules, now);
  const use = chainId === undefined ? undefined : { purpose, address, chainId };
  if (nonce !== undefined && use) await nonces.assertIssued(nonce, use);
  const bytes = signatureOf(signature);
  const hasKey = (await recover(data, bytes)) === address;
  return {
    address,
    ...(!hasKey && { contractChain: await contracts.assertSigned(address, data, bytes, chainId) }),
    signatureId: createHash("sha256").update(`${address}\n${data}`).digest("hex"),
    staleAt,
    ...(nonce !== undefined && use && { nonce: { value: nonce, use } }),
  };
}

function readSiwe(data: string, address: string, rules: SiweRules, now: number): SignedText {
  // Old clients put the text that they are given before a line of their own.
  const end = data.lastIndexOf("\n\nId: ");
  const { staleAt: lineStaleAt } =
    end < 0 ? { staleAt: Number.POSITIVE_INFINITY } : readClassic(data, rules, now);
  const message = parseSiwe(end < 0 ? data : data.slice(0, end));
  const staleAt = Math.min(lineStaleAt, checkSiwe(message, rules, now));
  if (message.address.toLowerCase() !== address) throw refused("the message is about another address");
  return { staleAt, chainId: message.chainId, nonce: message.nonce };
}

function readClassic(data: string, { appId, signatureSeconds }: SiweRules, now: number): SignedText {
  const signedAt = timeOf(data, appId);
  if (signedAt > now + SKEW_MS) throw refused("the signed time lies in the future");
  const staleAt = signedAt + signatureSeconds * 1000;
  if (now > staleAt) throw refused("the signed message has expired: sign a new one");
  return { staleAt };
}

/** The server time in the message's last line, in ms. The line stands alone, after an empty one. */
function timeOf(data: string, appId: string): number {
  const lines = data.split("\n");
  const last = lines.at(-1) ?? "";
  const prefix = `Id: ${appId}:`;
  if (lines.length < 3 || lines.at(-2) !== "" || !last.startsWith(prefix)) {
    throw refused("the message was not signed for this application");
  }
  if (
    /[\r\u2028\u2029\0]/.test(data) ||
    lines.slice(0, -1).some((line) => line.trimStart().startsWith("Id: "))
  ) {
    throw refused("the message holds more than one Id line");
  }
  const time = last.slice(prefix.length);
  const ms = Date.parse(time);
  if (Number.isNaN(ms) || new Date(ms).toISOString() !== time) throw refused("the signed time is not valid");
  return ms;
}

function signatureOf(value: JsonValue | undefined): Hex {
  const isLong = typeof value === "string" && value.length > 2 + 2 * MOST;
  if (isLong) throw refused(`the signature must not be longer than ${MOST} bytes`);
  if (typeof value !== "string" || !/^0x(?:[0-9a-fA-F]{2})+$/.test(value)) {
    throw refused("the signature must be bytes in hex");
  }
  return `0x${value.slice(2).toLowerCase()}`;
}

/** Whose key made a signature; undefined for bytes that no key makes, which a contract may understand. */
async function recover(data: string, signature: Hex): Promise<string | undefined> {
  if (signature.length !== 132) return undefined;
  if (BigInt(`0x${signature.slice(66, 130)}`) > HALF_ORDER)
    throw refused("the signature is not in its canonical form");
  try {
    const recovered = await recoverMessageAddress({ message: data, signature });
    return recovered.toLowerCase();
  } catch {
    return undefined;
  }
}

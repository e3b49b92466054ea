import { createHash } from "node:crypto";
import type { JsonObject } from "@purse/protocol";
import { newObjectId } from "../../data/objects/objectId.ts";
import { type Store, UniqueConstraintError, type Write } from "../../database/store.ts";
import type { AuthAdapter } from "../providers/adapter.ts";
import { UNIQUE_KEYS } from "../uniqueKeys.ts";
import { type SiweRules, validateMessage } from "../validateSignInMessage.ts";
import { validateLegacyText } from "../verifyWallet.ts";
import type { MessagePurpose, WalletNonces } from "../walletNonces.ts";
import { walletSignInError } from "../walletSignInError.ts";
import { isSiwsMessage, parseSiws } from "./siws.ts";
import { isSignedByAddress, keyOfAddress } from "./solanaSignature.ts";

/** The key of `authData` that Moralis uses for wallets of Solana. */
export const SOLANA_PROVIDER = "moralisSol";

export interface SolanaDependencies {
  rules: SiweRules;
  nonces: WalletNonces;
  store: Pick<Store, "write">;
  /** Milliseconds since the epoch. */
  clock(): number;
}

/** Maximum size of the text, in bytes. */
const MAX_BYTES = 4_096;
/** How long a used signature is remembered after it has expired, in ms. */
const GRACE_MS = 60_000;

/**
 * Verifies `authData.moralisSol`: `{id, signature, data}`, where `id` is the address in base58, `signature` its ed25519
 * signature of the text in base64 or base58, and `data` the text: a message of `requestMessage` (Sign-In with Solana), or any text
 * that ends with the line `Id: {applicationId}:{server time}`. Each signature is accepted once. Throws 101.
 */
export function solanaAdapter(dependencies: SolanaDependencies): AuthAdapter {
  return {
    async validateAuthData(proof, { isSignedIn }) {
      const address = await consumeSolanaProof(proof, isSignedIn ? "link" : "login", dependencies);
      // The proof is stored too, because clients send the known authData back with every save.
      const { signature = null, data = null } = proof;
      return { stored: { id: address, signature, data } };
    },
  };
}

/** Verifies a proof and uses it up. Returns its address. Throws 101. */
export async function consumeSolanaProof(
  proof: JsonObject,
  purpose: MessagePurpose,
  dependencies: SolanaDependencies,
): Promise<string> {
  const { address, writes } = await verifyProof(proof, purpose, dependencies);
  try {
    await dependencies.store.write(writes);
  } catch (error) {
    if (!(error instanceof UniqueConstraintError)) throw error;
    throw walletSignInError("the signature has been used already");
  }
  return address;
}

async function verifyProof(
  { id, signature, data }: JsonObject,
  purpose: MessagePurpose,
  { rules, nonces, clock }: SolanaDependencies,
): Promise<{ address: string; writes: Write[] }> {
  if (typeof id !== "string" || !keyOfAddress(id))
    throw walletSignInError("id must be the address of a wallet");
  if (typeof data !== "string" || Buffer.byteLength(data) > MAX_BYTES)
    throw walletSignInError("data must be the signed text");
  if (typeof signature !== "string" || signature.length > 100)
    throw walletSignInError("the signature must be bytes in base64");
  const { validUntil, nonce } = isSiwsMessage(data)
    ? validateSiws(data, id, rules, clock())
    : { ...validateLegacyText(data, rules, clock()), nonce: undefined };
  const issued =
    nonce && (await nonces.assertIssued(nonce.value, { purpose, address: id, chainId: nonce.chainId }));
  if (!isSignedByAddress(id, data, signature))
    throw walletSignInError("the signature is not by this address");
  const expiresAt = validUntil + GRACE_MS;
  const value = createHash("sha256").update(`${id}\n${data}`).digest("hex");
  return {
    address: id,
    writes: [
      { kind: "reserveUnique", scope: UNIQUE_KEYS.signature, value, owner: newObjectId(), expiresAt },
      ...(issued ? nonces.consume(issued, expiresAt) : []),
    ],
  };
}

function validateSiws(data: string, address: string, rules: SiweRules, now: number) {
  const message = parseSiws(data);
  const validUntil = validateMessage(message, rules, now);
  if (message.address !== address) throw walletSignInError("the message is for another address");
  return { validUntil, nonce: { value: message.nonce, chainId: message.chainId } };
}

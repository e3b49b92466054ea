import { createHash } from "node:crypto";
import { ErrorCode, isJsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import { recoverMessageAddress } from "viem";

/** A wallet whose holder has just proved that it is theirs. */
export interface VerifiedWallet {
  /** Lower-case hex. */
  address: string;
  /** Names the signature among those that have been used. */
  signatureId: string;
  /** When the signature would be refused for its age anyway; ms since the epoch. */
  staleAt: number;
}

export interface WalletMessageRules {
  appId: string;
  /** How old a signed message may be, in seconds. */
  signatureSeconds: number;
}

/** How far a client's copy of the server's time may seem to lie ahead, in ms. */
const SKEW_MS = 5_000;
const MAX_MESSAGE = 4_096;
/** Half the order of secp256k1: a signature with a larger s is another's twin (EIP-2). */
const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/**
 * Checks `authData.moralisEth`: `{id, signature, data}`, where `data` is the text signed by
 * `personal_sign` (EIP-191) and ends in the line `Id: {applicationId}:{server time}`.
 * Throws 101 and says what is wrong.
 */
export async function verifyWallet(
  value: JsonValue,
  rules: WalletMessageRules,
  now: number,
): Promise<VerifiedWallet> {
  if (!isJsonObject(value)) throw refused("the wallet's proof must be an object");
  const { id, signature, data } = value;
  if (typeof id !== "string" || !/^0x[0-9a-fA-F]{40}$/.test(id)) throw refused("id must be an address");
  if (typeof data !== "string" || data.length > MAX_MESSAGE) throw refused("data must be the signed text");
  const signedAt = timeOf(data, rules.appId);
  if (signedAt > now + SKEW_MS) throw refused("the signed time lies in the future");
  const staleAt = signedAt + rules.signatureSeconds * 1000;
  if (now > staleAt) throw refused("the signed message has expired: sign a new one");
  const address = await recover(data, signature);
  if (address !== id.toLowerCase()) throw refused("the signature is not by this address");
  return { address, signatureId: createHash("sha256").update(`${address}\n${data}`).digest("hex"), staleAt };
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

async function recover(data: string, signature: JsonValue | undefined): Promise<string> {
  if (typeof signature !== "string" || !/^0x[0-9a-fA-F]{130}$/.test(signature)) {
    throw refused("the signature must be 65 bytes in hex");
  }
  if (BigInt(`0x${signature.slice(66, 130)}`) > HALF_ORDER)
    throw refused("the signature is not in its canonical form");
  try {
    const recovered = await recoverMessageAddress({ message: data, signature: `0x${signature.slice(2)}` });
    return recovered.toLowerCase();
  } catch {
    throw refused("the signature is not valid");
  }
}

function refused(reason: string): ProtocolError {
  return new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, `Wallet sign-in was refused: ${reason}.`);
}

import { createPublicKey, verify } from "node:crypto";
import { base58btc } from "multiformats/bases/base58";

/** The prefix of an ed25519 public key in SPKI (RFC 8410). */
const SPKI_PREFIX = Buffer.from("302a300506032b6570032100", "hex");
const KEY_LENGTH = 32;
const SIGNATURE_LENGTH = 64;
/**
 * The y coordinates of points of small order, without the sign bit and little-endian: anyone can make signatures of
 * such keys. Among them are addresses of programs that have no owner, such as that of the system program.
 */
const SMALL_ORDER: ReadonlySet<string> = new Set([
  "00".repeat(32),
  `01${"00".repeat(31)}`,
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  `ec${"ff".repeat(30)}7f`,
  `ed${"ff".repeat(30)}7f`,
  `ee${"ff".repeat(30)}7f`,
]);

/** The public key of an address; undefined if it is not the address of a wallet. */
export function keyOfAddress(address: string): Buffer | undefined {
  if (!/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(address)) return undefined;
  const key = Buffer.from(base58btc.baseDecode(address));
  if (key.length !== KEY_LENGTH || base58btc.baseEncode(key) !== address) return undefined;
  const point = Buffer.from(key);
  point.writeUInt8(point.readUInt8(KEY_LENGTH - 1) & 0x7f, KEY_LENGTH - 1);
  return SMALL_ORDER.has(point.toString("hex")) ? undefined : key;
}

/** Whether an address has signed a text (ed25519). The signature is in base64, or in base58 as clients of Moralis send it. */
export function isSignedByAddress(address: string, text: string, signature: string): boolean {
  const publicKey = keyOfAddress(address);
  const isBase58 = /^[1-9A-HJ-NP-Za-km-z]+$/.test(signature);
  const bytes = isBase58 ? Buffer.from(base58btc.baseDecode(signature)) : Buffer.from(signature, "base64");
  if (!publicKey || bytes.length !== SIGNATURE_LENGTH) return false;
  const key = createPublicKey({ key: Buffer.concat([SPKI_PREFIX, publicKey]), format: "der", type: "spki" });
  return verify(null, Buffer.from(text, "utf8"), key, bytes);
}

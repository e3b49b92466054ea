import { getHashes, hash } from "node:crypto";
import { keccak_256 } from "@noble/hashes/sha3.js";

const NATIVE_KECCAK = "keccak-256";

/** OpenSSL's hash is five times as fast; it has keccak from version 3.2 on. */
export const keccak: (bytes: Buffer) => Uint8Array = getHashes().includes(NATIVE_KECCAK)
  ? (bytes) => hash(NATIVE_KECCAK, bytes, "buffer")
  : keccak_256;

import { cbc, gcm } from "@noble/ciphers/aes";
import { md5 } from "@noble/hashes/legacy";
import { pbkdf2 } from "@noble/hashes/pbkdf2";
import { sha256 } from "@noble/hashes/sha2";
import { concatBytes, utf8ToBytes } from "@noble/hashes/utils";
import { configure, setting, type UserCipher } from "./connection.ts";

/*
 * Encrypts the signed-in user in the storage. Web Crypto is asynchronous, while `User.current()`
 * is synchronous; hence a library.
 */

/** Encrypts the user in the storage from now on, with `secret` or `Moralis.secret`. */
export function enableEncryptedUser(secret?: string): void {
  configure({ userCipher: aesCipher(), ...(secret !== undefined && { secret }) });
}

/** Whether the user in the storage is encrypted. */
export function isEncryptedUserEnabled(): boolean {
  return setting("userCipher") !== undefined;
}

/** Format: `purse1:` and, in base64, the salt (16 bytes), the nonce (12) and the AES-256-GCM ciphertext with its tag. */
const PREFIX = "purse1:";
const SALT_LENGTH = 16;
const NONCE_LENGTH = 12;
const PBKDF2_ITERATIONS = 10_000;

function aesCipher(): UserCipher {
  /** Deriving a key is slow on purpose, so the last one is cached. */
  let latest: { secret: string; salt: Uint8Array; key: Uint8Array } | undefined;
  const keyFor = (secret: string, salt?: Uint8Array): { salt: Uint8Array; key: Uint8Array } => {
    const isSame = !salt || (latest && toBase64(latest.salt) === toBase64(salt));
    if (latest?.secret === secret && isSame) return latest;
    const currentSalt = salt ?? randomBytes(SALT_LENGTH);
    latest = {
      secret,
      salt: currentSalt,
      key: pbkdf2(sha256, secret, currentSalt, { c: PBKDF2_ITERATIONS, dkLen: 32 }),
    };
    return latest;
  };
  return {
    encrypt(text, secret) {
      const { salt, key } = keyFor(requireSecret(secret));
      const nonce = randomBytes(NONCE_LENGTH);
      const ciphertext = gcm(key, nonce, utf8ToBytes(PREFIX)).encrypt(utf8ToBytes(text));
      return PREFIX + toBase64(concatBytes(salt, nonce, ciphertext));
    },

    decrypt(encrypted, passphrase) {
      const secret = requireSecret(passphrase);
      if (!encrypted.startsWith(PREFIX)) return decryptLegacy(encrypted, secret);
      const bytes = fromBase64(encrypted.slice(PREFIX.length));
      const { key } = keyFor(secret, bytes.slice(0, SALT_LENGTH));
      const nonce = bytes.slice(SALT_LENGTH, SALT_LENGTH + NONCE_LENGTH);
      return bytesToUtf8(
        gcm(key, nonce, utf8ToBytes(PREFIX)).decrypt(bytes.slice(SALT_LENGTH + NONCE_LENGTH)),
      );
    },
  };
}

function requireSecret(secret: string | undefined): string {
  if (secret) return secret;
  throw new Error("Moralis.secret must be set before a user can be encrypted");
}

/** Decrypts records of the Parse SDK: OpenSSL's format, AES-256-CBC with a key derived by MD5. */
function decryptLegacy(encrypted: string, secret: string): string {
  const bytes = fromBase64(encrypted);
  if (bytesToUtf8(bytes.slice(0, 8)) !== "Salted__") throw new Error("unknown format");
  const salt = bytes.slice(8, 16);
  let block: Uint8Array = new Uint8Array(0);
  let derived: Uint8Array = new Uint8Array(0);
  while (derived.length < 48) {
    block = md5(concatBytes(block, utf8ToBytes(secret), salt));
    derived = concatBytes(derived, block);
  }
  return bytesToUtf8(cbc(derived.slice(0, 32), derived.slice(32, 48)).decrypt(bytes.slice(16)));
}

function randomBytes(length: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(length));
}

function bytesToUtf8(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

function toBase64(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

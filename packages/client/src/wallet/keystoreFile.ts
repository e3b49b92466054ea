/** A password-protected private key: Web3 Secret Storage, version 3. */
export interface KeystoreFile {
  version: 3;
  id: string;
  /** Hex without 0x, lowercase. */
  address: string;
  crypto: {
    cipher: "aes-128-ctr";
    ciphertext: string;
    cipherparams: { iv: string };
    kdf: "scrypt";
    kdfparams: { dklen: 32; n: number; r: number; p: number; salt: string };
    mac: string;
  };
}

/** The cost parameters of scrypt. */
export interface KdfOptions {
  /** Cost: a power of two. */
  n?: number;
  r?: number;
  p?: number;
}

const DEFAULT_COST = 131_072;
/** Foreign files may specify any cost: this limits the memory to 1 GiB. */
const MAX_MEMORY = 1024 ** 3;

/** Throws unless the cost is a power of two, as scrypt (RFC 7914) requires. */
export function assertCost(n: number): void {
  if (Number.isSafeInteger(n) && n > 1 && (n & (n - 1)) === 0) return;
  throw new Error("The scrypt cost N must be a power of two");
}

/** Encrypts a private key with a password (Web3 Secret Storage, scrypt). */
export async function encryptKey(
  privateKey: `0x${string}`,
  password: string,
  options: KdfOptions = {},
): Promise<KeystoreFile> {
  const { n = DEFAULT_COST, r = 8, p = 1 } = options;
  const salt = crypto.getRandomValues(new Uint8Array(32));
  const iv = crypto.getRandomValues(new Uint8Array(16));
  const key = await derive(password, salt, n, r, p);
  const ciphertext = await aesCtr(key.slice(0, 16), iv, fromHex(privateKey));
  const { privateKeyToAccount } = await import("viem/accounts");
  return {
    version: 3,
    id: crypto.randomUUID(),
    address: privateKeyToAccount(privateKey).address.slice(2).toLowerCase(),
    crypto: {
      cipher: "aes-128-ctr",
      ciphertext: toHex(ciphertext),
      cipherparams: { iv: toHex(iv) },
      kdf: "scrypt",
      kdfparams: { dklen: 32, n, r, p, salt: toHex(salt) },
      mac: await macOf(key, ciphertext),
    },
  };
}

/** Throws if the password is wrong or the file is not supported. */
export async function decryptKey(file: KeystoreFile, password: string): Promise<`0x${string}`> {
  if (file.version !== 3 || file.crypto?.kdf !== "scrypt" || file.crypto.cipher !== "aes-128-ctr") {
    throw new Error("This is not a version 3 keystore with scrypt and aes-128-ctr");
  }
  const { n, r, p, salt } = file.crypto.kdfparams;
  const key = await derive(password, fromHex(salt), n, r, p);
  const ciphertext = fromHex(file.crypto.ciphertext);
  if ((await macOf(key, ciphertext)) !== file.crypto.mac.toLowerCase())
    throw new Error("The password is wrong");
  const plain = await aesCtr(key.slice(0, 16), fromHex(file.crypto.cipherparams.iv), ciphertext);
  return `0x${toHex(plain)}`;
}

async function derive(
  password: string,
  salt: Uint8Array,
  n: number,
  r: number,
  p: number,
): Promise<Uint8Array> {
  assertCost(n);
  if (128 * n * r > MAX_MEMORY) throw new Error("The keystore asks for more than 1 GiB of memory");
  const { scryptAsync } = await import("@noble/hashes/scrypt.js");
  return scryptAsync(new TextEncoder().encode(password.normalize("NFKC")), salt, { N: n, r, p, dkLen: 32 });
}

async function macOf(key: Uint8Array, ciphertext: Uint8Array): Promise<string> {
  const { keccak256 } = await import("viem/utils");
  return keccak256(Uint8Array.from([...key.slice(16, 32), ...ciphertext])).slice(2);
}

async function aesCtr(key: Uint8Array, iv: Uint8Array, data: Uint8Array): Promise<Uint8Array> {
  const imported = await crypto.subtle.importKey("raw", Uint8Array.from(key), "AES-CTR", false, ["encrypt"]);
  const algorithm = { name: "AES-CTR", counter: Uint8Array.from(iv), length: 128 };
  return new Uint8Array(await crypto.subtle.encrypt(algorithm, imported, Uint8Array.from(data)));
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function fromHex(hex: string): Uint8Array {
  const digits = hex.replace(/^0x/, "");
  if (!/^([0-9a-fA-F]{2})*$/.test(digits)) throw new Error("The keystore holds something that is not hex");
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

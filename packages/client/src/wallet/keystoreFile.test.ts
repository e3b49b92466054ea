import { createCipheriv, scryptSync } from "node:crypto";
import { keccak256 } from "viem";
import { expect, it } from "vitest";
import { assertCost, decryptKey, encryptKey } from "./keystoreFile.ts";

const KEY = `0x${"ab".repeat(32)}` as const;

it.each([0, 1, 3, 1000, 4095, -2, 2.5])(
  "assertCost() rejects %d",
  { tags: ["5.key-derivation.cost-power-of-two"] },
  (n) => {
    expect(() => assertCost(n)).toThrow("must be a power of two");
  },
);

it("assertCost() accepts powers of two", { tags: ["5.key-derivation.cost-power-of-two"] }, () => {
  for (const n of [2, 1024, 131_072]) expect(() => assertCost(n)).not.toThrow();
});

it("decryptKey() returns the key for the right password only", async () => {
  const file = await encryptKey(KEY, "a good password", { n: 1024 });
  expect(await decryptKey(file, "a good password")).toBe(KEY);
  await expect(decryptKey(file, "a bad password")).rejects.toThrow("The password is wrong");
  expect(JSON.stringify(file)).not.toContain("ab".repeat(8));
});

it("decryptKey() reads a file that was encrypted elsewhere", async () => {
  const [salt, iv] = [Buffer.alloc(32, 7), Buffer.alloc(16, 9)];
  const key = scryptSync("testpassword", salt, 32, { N: 1024, r: 1, p: 8 });
  const ciphertext = createCipheriv("aes-128-ctr", key.subarray(0, 16), iv).update(KEY.slice(2), "hex");
  const file = {
    version: 3 as const,
    id: "3198bc9c-6672-5ab3-d995-4942343ae5b6",
    address: "008aeeda4d805471df9b2a5b0f38a0c3bcba786b",
    crypto: {
      cipher: "aes-128-ctr" as const,
      cipherparams: { iv: iv.toString("hex") },
      ciphertext: ciphertext.toString("hex"),
      kdf: "scrypt" as const,
      kdfparams: { dklen: 32 as const, n: 1024, r: 1, p: 8, salt: salt.toString("hex") },
      mac: keccak256(Buffer.concat([key.subarray(16), ciphertext])).slice(2),
    },
  };
  expect(await decryptKey(file, "testpassword")).toBe(KEY);
});

it("decryptKey() rejects a file that requires too much memory", async () => {
  const file = await encryptKey(KEY, "a good password", { n: 2 });
  file.crypto.kdfparams.n = 2 ** 30;
  await expect(decryptKey(file, "a good password")).rejects.toThrow("1 GiB");
});

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

it("decryptKey() reads the test vector of Web3 Secret Storage", async () => {
  const file = {
    version: 3 as const,
    id: "3198bc9c-6672-5ab3-d995-4942343ae5b6",
    address: "008aeeda4d805471df9b2a5b0f38a0c3bcba786b",
    crypto: {
      cipher: "aes-128-ctr" as const,
      cipherparams: { iv: "83dbcc02d8ccb40e466191a123791e0e" },
      ciphertext: "d172bf743a674da9cdad04534d56926ef8358534d458fffccd4e6ad2fbde479c",
      kdf: "scrypt" as const,
      kdfparams: {
        dklen: 32 as const,
        n: 262144,
        r: 1,
        p: 8,
        salt: "ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19",
      },
      mac: "2103ac29920d71da29f15d75b4a16dbe95cfd7ff8faea1056c33131d846e3097",
    },
  };
  expect(await decryptKey(file, "testpassword")).toBe(
    "0x7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d",
  );
}, 30_000);

it("decryptKey() rejects a file that requires too much memory", async () => {
  const file = await encryptKey(KEY, "a good password", { n: 2 });
  file.crypto.kdfparams.n = 2 ** 30;
  await expect(decryptKey(file, "a good password")).rejects.toThrow("1 GiB");
});

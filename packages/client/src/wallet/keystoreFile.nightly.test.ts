import { expect, it } from "vitest";
import { decryptKey } from "./keystoreFile.ts";

// Its key derivation takes seconds.
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

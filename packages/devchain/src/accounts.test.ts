import { mnemonicToAccount } from "viem/accounts";
import { toHex } from "viem/utils";
import { expect, it } from "vitest";
import { DEV_ACCOUNT_COUNT, DEV_MNEMONIC, devAccounts } from "./accounts.ts";

it("devAccounts() lists the accounts of the mnemonic", () => {
  const derived = Array.from({ length: DEV_ACCOUNT_COUNT }, (_, addressIndex) => {
    const account = mnemonicToAccount(DEV_MNEMONIC, { addressIndex });
    return {
      address: account.address.toLowerCase(),
      privateKey: toHex(account.getHdKey().privateKey ?? new Uint8Array()),
    };
  });
  expect(derived).toHaveLength(10);
  expect(devAccounts()).toEqual(derived);
});

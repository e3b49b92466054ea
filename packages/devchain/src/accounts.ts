import { pbkdf2Sync } from "node:crypto";
import type { Hex } from "viem";
import { HDKey, hdKeyToAccount } from "viem/accounts";
import { toHex } from "viem/utils";

/** A funded account of the development chain. Its key is public: never use it on a real chain. */
export interface DevAccount {
  /** 20 bytes, lower-case hex. */
  address: Hex;
  /** 32 bytes, lower-case hex. */
  privateKey: Hex;
}

/** The test mnemonic that Anvil, Hardhat and Ganache share. */
export const DEV_MNEMONIC = "test test test test test test test test test test test junk";
export const DEV_ACCOUNT_COUNT = 10;

/** The accounts of `DEV_MNEMONIC` at m/44'/60'/0'/0/0 … /9 (BIP-39 without passphrase, BIP-44). */
export function devAccounts(): DevAccount[] {
  // viem's mnemonicToAccount derives the seed again for each account, in slow JavaScript; once is enough.
  const master = HDKey.fromMasterSeed(pbkdf2Sync(DEV_MNEMONIC, "mnemonic", 2048, 64, "sha512"));
  return Array.from({ length: DEV_ACCOUNT_COUNT }, (_, addressIndex) => {
    const account = hdKeyToAccount(master, { addressIndex });
    const key = account.getHdKey().privateKey;
    if (!key) throw new Error(`No private key could be derived for account ${addressIndex}`);
    return { address: lowerCase(account.address), privateKey: toHex(key) };
  });
}

function lowerCase(address: Hex): Hex {
  return `0x${address.slice(2).toLowerCase()}`;
}

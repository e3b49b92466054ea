import { type Hex, toHex } from "viem";
import { type HDKey, mnemonicToAccount, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";

const MNEMONIC = "test test test test test test test test test test test junk";
/** The key of all accounts of the mnemonic, which takes a tenth of a second to derive. */
let parentKey: HDKey | undefined;

/** The private key of one of the local chain's accounts. */
export function devKey(index: number): Hex {
  parentKey ??= mnemonicToAccount(MNEMONIC, { path: "m/44'/60'/0'/0" }).getHdKey();
  const { privateKey } = parentKey.deriveChild(index);
  if (!privateKey) throw new Error(`There is no account ${index}.`);
  return toHex(privateKey);
}

/** One of the local chain's accounts; the first ten are funded. */
export function devAccount(index: number): PrivateKeyAccount {
  return privateKeyToAccount(devKey(index));
}

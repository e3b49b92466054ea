import type { Eip1193Provider } from "./wallet/eip1193.ts";

/** The used part of ethers 5: the object that `import { ethers } from "ethers"` returns. */
export interface EthersLibrary {
  readonly version: string;
  readonly providers: {
    readonly Web3Provider: new (provider: Eip1193Provider, network: "any") => EthersProvider;
  };
  readonly BigNumber: { from(value: string): EthersBigNumber };
}

/** A Web3Provider of ethers 5. */
export interface EthersProvider {
  getSigner(addressOrIndex?: string | number): unknown;
  readonly provider: unknown;
}

/** A BigNumber of ethers 5. */
export interface EthersBigNumber {
  toString(): string;
  toHexString(): string;
}

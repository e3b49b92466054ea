import type { Eip1193Provider } from "./wallet/eip1193.ts";

/** What is needed of ethers 5: the object that `import { ethers } from "ethers"` gives. */
export interface EthersLibrary {
  readonly version: string;
  readonly providers: {
    readonly Web3Provider: new (provider: Eip1193Provider, network: "any") => EthersProvider;
  };
  readonly BigNumber: { from(value: string): EthersBigNumber };
}

/** A wallet as ethers 5 has it. */
export interface EthersProvider {
  getSigner(addressOrIndex?: string | number): unknown;
  readonly provider: unknown;
}

/** A whole number as ethers 5 has it. */
export interface EthersBigNumber {
  toString(): string;
  toHexString(): string;
}

import type { JsonObject } from "@purse/protocol";
import type { WaitOptions } from "./timeouts.ts";

/** Options of signing in and linking. */
export interface SigningOptions extends WaitOptions {
  /** The first part of the signed text, or a message of `requestMessage`. */
  signingMessage?: string | undefined;
  /** Uses a message of the server (EIP-4361, "Sign-In with Ethereum") for the wallet's account and chain. */
  siwe?: boolean | undefined;
  /** Passed to the server's triggers. */
  context?: JsonObject | undefined;
  /** For accounts with a second factor: its current code, or a recovery code. */
  oneTimeCode?: string | undefined;
  /** Ends the current session only after the new one is created: users who reject the signature stay signed in. */
  keepSession?: boolean | undefined;
  useMasterKey?: boolean | undefined;
  sessionToken?: string | undefined;
  /** `evm` or `sol`; the other types of Moralis are rejected. */
  type?: string | undefined;
  /** With the type `sol`: the name of one of `solanaWallets()`, the first one by default. */
  solanaWallet?: string | undefined;
}

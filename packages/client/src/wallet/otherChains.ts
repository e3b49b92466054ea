import { assertEvm, authenticate, getSigningData, link, unlink } from "./signIn.ts";

/** The Moralis API for wallets of non-EVM chains. All methods reject with 252. */
export function otherChain(type: "dot" | "erd") {
  const refuse = async (): Promise<void> => assertEvm(type);
  return {
    enable: refuse,
    sign: refuse,
    getSigningData,
    authenticate: (options: object = {}) => authenticate({ ...options, type }),
    link: (account: string, options: object = {}) => link(account, { ...options, type }),
    unlink: (account: string) => unlink(account, { type }),
  };
}

import { createWalletClient, http, isHex, type LocalAccount } from "viem";

/** An EIP-1193 provider that signs with an account of the local chain, and lets its node answer all other requests. */
export function signingProvider(account: LocalAccount, rpcUrl: string) {
  const signer = createWalletClient({ account, transport: http(rpcUrl) });
  return {
    on() {},
    removeListener() {},
    removeAllListeners() {},
    async request({ method, params = [] }: { method: string; params?: unknown[] }): Promise<unknown> {
      const [first] = params;
      if (method === "eth_accounts" || method === "eth_requestAccounts") return [account.address];
      if (method === "personal_sign")
        return account.signMessage({ message: { raw: isHex(first) ? first : "0x" } });
      if (method === "eth_sendTransaction") {
        const { to, value, data } = Object(first);
        return signer.sendTransaction({ chain: null, to, value: BigInt(value ?? 0), data });
      }
      const request: { method: string; params: unknown[] } = { method, params };
      return signer.transport.request(request);
    },
  };
}

import {
  AbstractWeb3Connector,
  type Activation,
  type ConnectorClass,
  type Eip1193Provider,
} from "@purse/client";
import { createPublicClient, createWalletClient, http, isHex } from "viem";
import { devAccount } from "./devAccount.ts";

/** Controls a test wallet, and records its calls. */
export interface ChainWallet {
  Connector: ConnectorClass;
  /** Which of the local chain's accounts it holds. */
  index: number;
  /** Whether the wallet exposes its chain but no account. */
  isWatchOnly: boolean;
  /** The reported chain id; undefined for the node's. */
  chainId: string | undefined;
  /** The requested methods in order. */
  calls: string[];
}

/** A custom connector with a real key and the local chain. */
export function chainWallet(rpcUrl: () => string): ChainWallet {
  class Connector extends AbstractWeb3Connector {
    override type = "test";

    override async activate(): Promise<Activation> {
      const account = wallet.isWatchOnly ? null : devAccount(wallet.index).address.toLowerCase();
      this.provider = providerOf(wallet, rpcUrl());
      this.account = account;
      this.chainId = "0x539";
      return { provider: this.provider, account, chainId: this.chainId };
    }
  }
  const wallet: ChainWallet = { Connector, index: 0, isWatchOnly: false, chainId: undefined, calls: [] };
  return wallet;
}

function providerOf(wallet: ChainWallet, rpcUrl: string): Eip1193Provider {
  const transport = http(rpcUrl);
  const node = createPublicClient({ transport });
  return {
    async request({ method, params = [] }) {
      wallet.calls.push(method);
      const account = devAccount(wallet.index);
      const list = Array.isArray(params) ? params : [];
      switch (method) {
        case "eth_requestAccounts":
        case "eth_accounts":
          return wallet.isWatchOnly ? [] : [account.address];
        case "eth_chainId":
          return wallet.chainId ?? "0x539";
        case "personal_sign":
          return account.signMessage({ message: { raw: isHex(list[0]) ? list[0] : "0x" } });
        case "eth_signTypedData_v4":
          return account.signTypedData(JSON.parse(list[1]));
        case "eth_sendTransaction": {
          const { to, value, data, gas, nonce, maxFeePerGas, maxPriorityFeePerGas } = list[0];
          const signer = createWalletClient({ account, transport });
          return signer.sendTransaction({
            chain: null,
            to,
            value: BigInt(value ?? 0),
            data,
            ...(gas && { gas: BigInt(gas) }),
            ...(nonce && { nonce: Number(nonce) }),
            ...(maxFeePerGas && {
              maxFeePerGas: BigInt(maxFeePerGas),
              maxPriorityFeePerGas: BigInt(maxPriorityFeePerGas),
            }),
          });
        }
        default:
          return node.transport.request({ method, params: list });
      }
    },
  };
}

import { AbstractWeb3Connector, type Activation } from "./Connector.ts";
import { type Eip1193Provider, hexChainId, ProviderError } from "./eip1193.ts";
import { callNode, keyProvider, privateKeyOf } from "./rpcProvider.ts";

/** Options of the node connector: `urls` or `speedyNodeApiKey` is required. */
export interface NetworkOptions {
  /** Node URLs by chain id. */
  urls?: Record<string, string> | undefined;
  /** The chain to use; defaults to the first of `urls`. */
  chainId?: string | number | undefined;
  /** The old name of `chainId`. */
  defaultChainId?: string | number | undefined;
  /** The key of the hosted nodes, instead of `urls`. */
  speedyNodeApiKey?: string | undefined;
  /** The signing key; without one nothing can be signed. */
  privateKey?: string | undefined;
}

const HOSTED = "https://speedy-nodes-nyc.moralis.io";

/** The hosted nodes by their chain ids. */
const HOSTED_PATHS: Record<string, string> = {
  1: "eth/mainnet",
  3: "eth/ropsten",
  4: "eth/rinkeby",
  5: "eth/goerli",
  42: "eth/kovan",
  137: "polygon/mainnet",
  80001: "polygon/mumbai",
  56: "bsc/mainnet",
  97: "bsc/testnet",
  43114: "avalanche/mainnet",
  43113: "avalanche/testnet",
  250: "fantom/mainnet",
};

/** Uses a node as a wallet: it reads the chain, and signs if it has a key. */
export class NetworkWeb3Connector extends AbstractWeb3Connector {
  override type = "network";

  override async activate(options: NetworkOptions = {}): Promise<Activation> {
    const { chainId, url } = selectNode(options);
    const { privateKey } = options;
    if (privateKey === undefined || privateKey === null)
      return this.completeActivation(readOnlyProvider(url), [], chainId);
    const signer = await keyProvider(privateKeyOf(privateKey), callNodeAt(url));
    return this.completeActivation(signer, [signer.address], chainId);
  }

  /** Needs no approval; a private key is never persisted, so such a connection cannot be resumed. */
  override async isAuthorized({ urls }: NetworkOptions = {}): Promise<boolean> {
    return urls !== undefined;
  }

  override persistedOptions(options: NetworkOptions = {}): Record<string, unknown> | undefined {
    const { urls, chainId = options.defaultChainId, privateKey } = options;
    return privateKey === undefined && urls ? { urls, chainId } : undefined;
  }
}

function selectNode(options: NetworkOptions): { chainId: string; url: string } {
  const { speedyNodeApiKey: key } = options;
  const urls = options.urls ?? (key ? hostedNodes(key) : undefined);
  if (!urls) {
    throw new Error("Cannot connect to rpc: No urls or speedyNodeApiKey provided for NetworkWeb3Connector.");
  }
  const byChain = new Map(Object.entries(urls).map(([chain, url]) => [hexChainId(chain), url]));
  const selected = options.chainId ?? options.defaultChainId ?? Object.keys(urls)[0];
  const chainId = hexChainId(selected);
  const url = chainId === null ? undefined : byChain.get(chainId);
  if (chainId === null || !url) throw new Error(`No rpc url provided for chainId ${chainId ?? selected}`);
  return { chainId, url };
}

function hostedNodes(key: string): Record<string, string> {
  const entries = Object.entries(HOSTED_PATHS);
  return Object.fromEntries(
    entries.map(([chain, path]) => [chain, `${HOSTED}/${encodeURIComponent(key)}/${path}`]),
  );
}

function readOnlyProvider(url: string): Eip1193Provider {
  const call = callNodeAt(url);
  return {
    async request({ method, params }) {
      // Nodes would return accounts of their own.
      if (method === "eth_accounts" || method === "eth_requestAccounts") return [];
      return call(method, params);
    },
  };
}

function callNodeAt(url: string) {
  return async (method: string, params?: readonly unknown[] | object): Promise<unknown> => {
    try {
      return await callNode(url, method, params);
    } catch (error) {
      const { message, code, data } =
        error instanceof ProviderError ? error : new ProviderError(-32603, String(error));
      throw new ProviderError(
        code,
        `Failed to make "${method}" request with networkConnector: "${message}"`,
        data,
      );
    }
  };
}

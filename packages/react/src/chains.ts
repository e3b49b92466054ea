/** A chain with the data that wallets need to add it. */
export interface ChainEntry {
  name: string;
  /** Hex. */
  chainId: string;
  shortName: string;
  networkId: number;
  nativeCurrency: { name: string; symbol: string; decimals: number };
  rpc: string[];
  faucets: string[];
  infoURL: string;
  blockExplorerUrl: string;
}

type Row = [
  id: number,
  name: string,
  shortName: string,
  symbol: string,
  rpc: string[],
  infoURL: string,
  explorer: string,
];

const ETHEREUM = "https://ethereum.org";

const ROWS: Row[] = [
  [
    1,
    "Ethereum Mainnet",
    "eth",
    "ETH",
    ["https://mainnet.infura.io/v3/${INFURA_API_KEY}"],
    ETHEREUM,
    "https://etherscan.io/",
  ],
  [
    3,
    "Ethereum Testnet Ropsten",
    "rop",
    "ROP",
    ["https://ropsten.infura.io/v3/${INFURA_API_KEY}"],
    ETHEREUM,
    "https://ropsten.etherscan.io/",
  ],
  [
    4,
    "Ethereum Testnet Rinkeby",
    "rin",
    "RIN",
    ["https://rinkeby.infura.io/v3/${INFURA_API_KEY}"],
    ETHEREUM,
    "https://rinkeby.etherscan.io/",
  ],
  [
    5,
    "Ethereum Testnet Goerli",
    "gor",
    "GOR",
    ["https://goerli.infura.io/v3/${INFURA_API_KEY}"],
    ETHEREUM,
    "https://goerli.etherscan.io/",
  ],
  [
    25,
    "Cronos Mainnet",
    "cro",
    "CRO",
    ["https://evm.cronos.org"],
    "https://cronos.org/",
    "https://cronoscan.com/",
  ],
  [
    42,
    "Ethereum Testnet Kovan",
    "kov",
    "KOV",
    ["https://kovan.infura.io/v3/${INFURA_API_KEY}"],
    ETHEREUM,
    "https://kovan.etherscan.io/",
  ],
  [
    56,
    "Binance Smart Chain Mainnet",
    "bnb",
    "BNB",
    ["https://bsc-dataseed1.binance.org"],
    "https://www.binance.org",
    "https://bscscan.com/",
  ],
  [
    97,
    "Binance Smart Chain Testnet",
    "bnbt",
    "tBNB",
    ["https://data-seed-prebsc-1-s1.binance.org:8545"],
    "https://testnet.binance.org/",
    "https://testnet.bscscan.com/",
  ],
  [
    137,
    "Polygon Mainnet",
    "MATIC",
    "MATIC",
    ["https://polygon-rpc.com"],
    "https://polygon.technology/",
    "https://polygonscan.com/",
  ],
  [
    250,
    "Fantom Opera",
    "ftm",
    "FTM",
    ["https://rpc.ftm.tools"],
    "https://fantom.foundation",
    "https://ftmscan.com/",
  ],
  [
    43113,
    "Avalanche Fuji Testnet",
    "Fuji",
    "AVAX",
    ["https://api.avax-test.network/ext/bc/C/rpc"],
    "https://www.avax.network/",
    "https://testnet.snowtrace.io/",
  ],
  [
    43114,
    "Avalanche Mainnet",
    "AVAX",
    "AVAX",
    ["https://api.avax.network/ext/bc/C/rpc"],
    "https://www.avax.network/",
    "https://snowtrace.io/",
  ],
  [
    80001,
    "Mumbai",
    "maticmum",
    "MATIC",
    ["https://rpc-mumbai.matic.today"],
    "https://polygon.technology/",
    "https://mumbai.polygonscan.com/",
  ],
  [1337, "Local Chain", "local", "ETH", ["http://127.0.0.1:8545"], "", ""],
];

const CHAINS: ReadonlyMap<string, ChainEntry> = new Map(
  ROWS.map(([id, name, shortName, symbol, rpc, infoURL, blockExplorerUrl]) => {
    const nativeCurrency = { name: symbol === "ETH" ? "Ether" : symbol, symbol, decimals: 18 };
    const chainId = `0x${id.toString(16)}`;
    return [
      chainId,
      {
        name,
        chainId,
        shortName,
        networkId: id,
        nativeCurrency,
        rpc,
        faucets: [],
        infoURL,
        blockExplorerUrl,
      },
    ];
  }),
);

/** The chains that are known by name, including those of react-moralis. */
export function getSupportedChains(): ChainEntry[] {
  return [...CHAINS.values()];
}

/** `chainId` is hex; undefined for a chain that is not in the list. */
export function getChain(chainId: string): ChainEntry | undefined {
  return CHAINS.get(chainId.toLowerCase());
}

/** Converts a numeric chain id to hex; names are unchanged. */
export function hexChainId(chain: string | number): string {
  return typeof chain === "number" ? `0x${chain.toString(16)}` : chain;
}

/** Converts an `ipfs://` URL to that of an HTTP gateway; others are unchanged. */
export function resolveIPFS<T extends string | null | undefined>(url: T): T | string {
  if (!url?.startsWith("ipfs://")) return url;
  return url.replace("ipfs://", "https://gateway.ipfs.io/ipfs/");
}

/** The exchanges of a chain. Addresses are lowercase. */
export interface DexChain {
  /** EIP-155. */
  id: number;
  /** Names that callers may use instead of the id. */
  names: readonly string[];
  wrappedNative: string;
  /** Routers compatible with Uniswap v2. */
  v2: readonly { name: string; router: string }[];
  /** Routers and quoters compatible with Uniswap v3. */
  v3: readonly { name: string; router: string; quoter: string; feeTiers: readonly number[] }[];
}

const FEE_TIERS = [100, 500, 3_000, 10_000];
const UNISWAP_V3 = {
  name: "Uniswap v3",
  router: "0xe592427a0aece92de3edee1f18e0157c05861564",
  quoter: "0xb27308f9f90d607463bb33ea1bebb41c27ce5ab6",
  feeTiers: FEE_TIERS,
};

/** The known exchanges; a custom module that calls `dexPlugin` can use others. */
export const DEX_CHAINS: readonly DexChain[] = [
  {
    id: 1,
    names: ["eth", "mainnet"],
    wrappedNative: "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2",
    v2: [
      { name: "Uniswap v2", router: "0x7a250d5630b4cf539739df2c5dacb4c659f2488d" },
      { name: "SushiSwap v2", router: "0xd9e1ce17f2641f24ae83637ab66a2cca9c378b9f" },
    ],
    v3: [UNISWAP_V3],
  },
  {
    id: 56,
    names: ["bsc", "binance"],
    wrappedNative: "0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c",
    v2: [{ name: "PancakeSwap v2", router: "0x10ed43c718714eb63d5aa57b78b54704e256024e" }],
    v3: [],
  },
  {
    id: 137,
    names: ["polygon", "matic"],
    wrappedNative: "0x0d500b1d8e8ef31e21c99d1db9a6444d3adf1270",
    v2: [{ name: "QuickSwap", router: "0xa5e0829caced8ffdd4de3c43696c57f7d7a678ff" }],
    v3: [UNISWAP_V3],
  },
  {
    // The addresses on the local chain are deterministic.
    id: 1337,
    names: ["localdevchain", "local devchain", "dev"],
    wrappedNative: "0x88485acaeffe61b62ab284503b1f5673a1b0d937",
    v2: [{ name: "Uniswap v2", router: "0x5530a9bd51ea3e2d22dca84d304c08359afedcc2" }],
    v3: [
      {
        name: "Uniswap v3",
        router: "0xb070f6e509310c381e2906e1ce095b6f4ba3324d",
        quoter: "0x21a1e509ae50292a86bb9d1701c0bdbbbe047a02",
        feeTiers: FEE_TIERS,
      },
    ],
  },
];

/** Finds a chain by its id in hexadecimal or decimal, or by its name; undefined for an unknown chain. */
export function chainNamed(chains: readonly DexChain[], selector: unknown): DexChain | undefined {
  const name = String(selector ?? "eth")
    .trim()
    .toLowerCase()
    .replaceAll("_", " ");
  const id = /^(0x[0-9a-f]{1,12}|\d{1,12})$/.test(name) ? Number(name) : undefined;
  return chains.find((chain) => chain.id === id || chain.names.includes(name));
}

import type { ChainConfig, Exchange, Market, Marketplace } from "../model/chainConfig.ts";

const ETHER = { name: "Ether", symbol: "ETH" };
/** In US dollars: prices of smaller pools are too easy to manipulate. */
const MINIMUM_LIQUIDITY = 1_000;
export const UNISWAP_FEE_TIERS = [100, 500, 3_000, 10_000];

const UNISWAP_V2 = v2("Uniswap v2", "0x5c69bee701ef814a2b6a3edd4b1652cb9cc5aa6f");
const UNISWAP_V3 = v3("Uniswap v3", "0x1f98431c8ad98523631ae4a59f267346ea31f984");
/** SushiSwap on all chains except Ethereum. */
const SUSHI = v2("SushiSwap v2", "0xc35dadb65012ec5796536bd9864ed8773abc74c4");

/** Seaport versions since 1.1, each with the same address on all chains. */
const SEAPORT: readonly Marketplace[] = [
  "0x00000000006c3852cbef3e08e8df289169ede581",
  "0x00000000000006c7676171937c444f6bde3d6282",
  "0x0000000000000ad24e80fd803c6ac37206a45f15",
  "0x00000000000001ad428e4906ae43d8f9852d0dd6",
  "0x00000000000000adc04c56bf30ac9d3c0aaf14dc",
  "0x0000000000000068f116a894984e2db1123eb395",
].map((address) => ({ name: "opensea", address }));

/** Known markets by chain id (EIP-155). */
const MARKETS: ReadonlyMap<number, Partial<Market>> = new Map<number, Partial<Market>>([
  [
    1,
    {
      wrappedNative: "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2",
      stables: [
        "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48",
        "0xdac17f958d2ee523a2206206994597c13d831ec7",
        "0x6b175474e89094c44da98b954eedeac495271d0f",
      ],
      exchanges: [UNISWAP_V2, UNISWAP_V3, v2("SushiSwap v2", "0xc0aee478e3658e2610c5f7a4a2e1777ce9e4f2ac")],
      marketplaces: [
        ...SEAPORT,
        { name: "looksrare", address: "0x0000000000e655fae4d56241588680f86e3b2377" },
      ],
    },
  ],
  [
    5,
    {
      coin: { name: "Goerli Ether", symbol: "ETH" },
      wrappedNative: "0xb4fbf271143f4fbf7b91a5ded31805e42b2208d6",
      stables: ["0x07865c6e87b9f70255377e024ace6630c1eaa37f"],
      exchanges: [UNISWAP_V2, UNISWAP_V3],
    },
  ],
  [
    56,
    {
      coin: { name: "Binance Coin", symbol: "BNB" },
      wrappedNative: "0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c",
      stables: [
        "0x55d398326f99059ff775485246999027b3197955",
        "0x8ac76a51cc950d9822d68b83fe1ad97b32cd580d",
        "0xe9e7cea3dedca5984780bafc599bd69add087d56",
      ],
      exchanges: [
        v2("PancakeSwap v2", "0xca143ce32fe78f1f7019d7d551a6402fc5350c73"),
        v2("PancakeSwap v1", "0xbcfccbde45ce874adcb698cc183debcf17952812"),
        v3("PancakeSwap v3", "0x0bfbcf9fa4f9c56b0f40a671ad40e0805a091865", [100, 500, 2_500, 10_000]),
        v3("Uniswap v3", "0xdb1d10011ad0ff90774d0c6bb92e5c5c8b4461f7"),
        SUSHI,
      ],
    },
  ],
  [
    97,
    {
      coin: { name: "Binance Coin", symbol: "tBNB" },
      wrappedNative: "0xae13d989dac2f0debff460ac112a837c89baa7cd",
      stables: ["0xed24fc36d5ee211ea25a80239fb8c4cfd80f12ee"],
      exchanges: [v2("PancakeSwap v2", "0x6725f303b657a9451d8ba641348b6761a6cc7a17")],
    },
  ],
  [
    137,
    {
      coin: { name: "Matic", symbol: "MATIC" },
      wrappedNative: "0x0d500b1d8e8ef31e21c99d1db9a6444d3adf1270",
      stables: [
        "0x3c499c542cef5e3811e1192ce70d8cc03d5c3359",
        "0x2791bca1f2de4661ed88a30c99a7a9449aa84174",
        "0xc2132d05d31c914a87c6611c10748aeb04b58e8f",
        "0x8f3cf7ad23cd3cadbd9735aff958023239c6a063",
      ],
      exchanges: [v2("QuickSwap", "0x5757371414417b8c6caad45baef941abc7d3ab32"), SUSHI, UNISWAP_V3],
    },
  ],
  [80_001, { coin: { name: "Matic", symbol: "MATIC" } }],
  [
    250,
    {
      coin: { name: "Fantom", symbol: "FTM" },
      wrappedNative: "0x21be370d5312f44cb42ce377bc9b8a0cef1a4c83",
      stables: ["0x04068da6c83afcfa0e13ba15a6696662335d5b75", "0x8d11ec38a3eb5e956b052f67da8bdc9bef8abf3e"],
      exchanges: [
        v2("SpookySwap", "0x152ee697f2e276fa89e96742e9bb9ab1f2e61be3"),
        v2("SpiritSwap", "0xef45d134b73241eda7703fa787148d9c9f4950b0"),
        SUSHI,
      ],
    },
  ],
  [43_113, { coin: { name: "Avalanche", symbol: "AVAX" } }],
  [
    43_114,
    {
      coin: { name: "Avalanche", symbol: "AVAX" },
      wrappedNative: "0xb31f66aa3c1e785363f0875a1b74e27b85fd66c7",
      stables: ["0xb97ef9ef8734c71904d8002f8b6bc66dd9c48a6e", "0xa7d7079b0fead91f3e65f86e8915cb59c1a4c664"],
      exchanges: [
        v2("Trader Joe", "0x9ad6c38be94206ca50bb0d90783181662f0cfa10"),
        v2("Pangolin", "0xefa94de7a4656d787667c749f7e1223d71e9fd88"),
        v3("Uniswap v3", "0x740b1c1de25031c31ff4fc9a62f554a55cdc1bad"),
        SUSHI,
      ],
    },
  ],
]);

/** The market of a chain: known values, overridden by the configuration. Addresses in lower case. */
export function marketOf({ id, market: configured = {} }: ChainConfig): Market {
  const market: Market = {
    coin: ETHER,
    wrappedNative: undefined,
    stables: [],
    exchanges: [],
    marketplaces: SEAPORT,
    minimumLiquidity: MINIMUM_LIQUIDITY,
    ...MARKETS.get(id),
    ...configured,
  };
  return {
    ...market,
    wrappedNative: market.wrappedNative?.toLowerCase(),
    stables: market.stables.map((address) => address.toLowerCase()),
    exchanges: market.exchanges.map((each) => ({ ...each, factory: each.factory.toLowerCase() })),
    marketplaces: market.marketplaces.map((each) => ({ ...each, address: each.address.toLowerCase() })),
  };
}

/** Finds exchanges by name or factory address. */
export function findExchanges(exchanges: readonly Exchange[], name: string): Exchange[] {
  const normalized = normalizeName(name);
  return exchanges.filter(
    (each) => normalizeName(each.name) === normalized || each.factory === name.trim().toLowerCase(),
  );
}

function normalizeName(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}

function v2(name: string, factory: string): Exchange {
  return { name, kind: "v2", factory };
}

function v3(name: string, factory: string, feeTiers?: number[]): Exchange {
  return { name, kind: "v3", factory, feeTiers };
}

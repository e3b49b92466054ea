import type { Exchange, Market } from "../model/chainConfig.ts";

type ChainMarket = Partial<Pick<Market, "wrappedNative" | "stables" | "exchanges">>;

const PANCAKE_FEE_TIERS = [100, 500, 2_500, 10_000];
const UNISWAP_V2 = v2("Uniswap v2", "0x5c69bee701ef814a2b6a3edd4b1652cb9cc5aa6f");
const UNISWAP_V3 = v3("Uniswap v3", "0x1f98431c8ad98523631ae4a59f267346ea31f984");
/** SushiSwap on all chains except Ethereum. */
const SUSHI = v2("SushiSwap v2", "0xc35dadb65012ec5796536bd9864ed8773abc74c4");

/** Known tokens and exchanges by chain id (EIP-155). */
export const MARKETS: Readonly<Record<number, ChainMarket>> = {
  1: {
    wrappedNative: "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2",
    stables: [
      "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48",
      "0xdac17f958d2ee523a2206206994597c13d831ec7",
      "0x6b175474e89094c44da98b954eedeac495271d0f",
    ],
    exchanges: [
      UNISWAP_V2,
      UNISWAP_V3,
      v4("0x000000000004444c5dc75cb358380d2e3de08a90"),
      // The meta registry.
      { name: "Curve", kind: "curve", factory: "0xf98b45fa17de75fb1ad0e7afd971b0ca00e379fc" },
      {
        name: "Balancer v2",
        kind: "balancer-v2",
        factory: "0xba12222222228d8ba445958a75a0704d566bf2c8",
        pools: [
          // BAL and WETH, WBTC and WETH, USDC and WETH, wstETH and WETH.
          "0x5c6ee304399dbdb9c8ef030ab642b10820db8f56000200000000000000000014",
          "0xa6f548df93de924d73be7d25dc02554c6bd66db500020000000000000000000e",
          "0x96646936b91d6b9d7d0c47c496afbf3d6ec7b6f8000200000000000000000019",
          "0x32296969ef14eb0c6d29669c550d4a0449130230000200000000000000000080",
        ],
      },
      v2("SushiSwap v2", "0xc0aee478e3658e2610c5f7a4a2e1777ce9e4f2ac"),
    ],
  },
  5: {
    wrappedNative: "0xb4fbf271143f4fbf7b91a5ded31805e42b2208d6",
    stables: ["0x07865c6e87b9f70255377e024ace6630c1eaa37f"],
    exchanges: [UNISWAP_V2, UNISWAP_V3],
  },
  56: {
    wrappedNative: "0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c",
    stables: [
      "0x55d398326f99059ff775485246999027b3197955",
      "0x8ac76a51cc950d9822d68b83fe1ad97b32cd580d",
      "0xe9e7cea3dedca5984780bafc599bd69add087d56",
    ],
    exchanges: [
      v2("PancakeSwap v2", "0xca143ce32fe78f1f7019d7d551a6402fc5350c73"),
      v2("PancakeSwap v1", "0xbcfccbde45ce874adcb698cc183debcf17952812"),
      v3("PancakeSwap v3", "0x0bfbcf9fa4f9c56b0f40a671ad40e0805a091865", PANCAKE_FEE_TIERS),
      v3("Uniswap v3", "0xdb1d10011ad0ff90774d0c6bb92e5c5c8b4461f7"),
      v4("0x28e2ea090877bf75740558f6bfb36a5ffee9e9df"),
      SUSHI,
    ],
  },
  97: {
    wrappedNative: "0xae13d989dac2f0debff460ac112a837c89baa7cd",
    stables: ["0xed24fc36d5ee211ea25a80239fb8c4cfd80f12ee"],
    exchanges: [v2("PancakeSwap v2", "0x6725f303b657a9451d8ba641348b6761a6cc7a17")],
  },
  137: {
    wrappedNative: "0x0d500b1d8e8ef31e21c99d1db9a6444d3adf1270",
    stables: [
      "0x3c499c542cef5e3811e1192ce70d8cc03d5c3359",
      "0x2791bca1f2de4661ed88a30c99a7a9449aa84174",
      "0xc2132d05d31c914a87c6611c10748aeb04b58e8f",
      "0x8f3cf7ad23cd3cadbd9735aff958023239c6a063",
    ],
    exchanges: [
      v2("QuickSwap", "0x5757371414417b8c6caad45baef941abc7d3ab32"),
      SUSHI,
      UNISWAP_V3,
      v4("0x67366782805870060151383f4bbff9dab53e5cd6"),
    ],
  },
  250: {
    wrappedNative: "0x21be370d5312f44cb42ce377bc9b8a0cef1a4c83",
    stables: ["0x04068da6c83afcfa0e13ba15a6696662335d5b75", "0x8d11ec38a3eb5e956b052f67da8bdc9bef8abf3e"],
    exchanges: [
      v2("SpookySwap", "0x152ee697f2e276fa89e96742e9bb9ab1f2e61be3"),
      v2("SpiritSwap", "0xef45d134b73241eda7703fa787148d9c9f4950b0"),
      SUSHI,
    ],
  },
  43114: {
    wrappedNative: "0xb31f66aa3c1e785363f0875a1b74e27b85fd66c7",
    stables: ["0xb97ef9ef8734c71904d8002f8b6bc66dd9c48a6e", "0xa7d7079b0fead91f3e65f86e8915cb59c1a4c664"],
    exchanges: [
      v2("Trader Joe", "0x9ad6c38be94206ca50bb0d90783181662f0cfa10"),
      v2("Pangolin", "0xefa94de7a4656d787667c749f7e1223d71e9fd88"),
      v3("Uniswap v3", "0x740b1c1de25031c31ff4fc9a62f554a55cdc1bad"),
      v4("0x06380c0e0912312b5150364b9dc4542ba0dbbc85"),
      SUSHI,
    ],
  },
  11155111: {
    wrappedNative: "0xfff9976782d46cc05630d1f6ebab18b2324d6b14",
    stables: ["0x1c7d4b196cb0c7b01d743fbc6116a902379c7238"],
    exchanges: [
      v2("Uniswap v2", "0xf62c03e08ada871a0beb309762e260a7a6a880e6"),
      v3("Uniswap v3", "0x0227628f3f023bb0b980b67d528571c95c6dac1c"),
      v4("0xe03a1074c86cfedd5c142c4f04f1a1536e203543"),
    ],
  },
  42161: {
    wrappedNative: "0x82af49447d8a07e3bd95bd0d56f35241523fbab1",
    stables: [
      "0xaf88d065e77c8cc2239327c5edb3a432268e5831",
      "0xff970a61a04b1ca14834a43f5de4533ebddb5cc8",
      "0xfd086bc7cd5c481dcc9c85ebe478a1c0b69fcbb9",
      "0xda10009cbd5d07dd0cecc66161fc93d7c9000da1",
    ],
    exchanges: [
      v2("Uniswap v2", "0xf1d7cc64fb4452f05c498126312ebe29f30fbcf9"),
      UNISWAP_V3,
      v4("0x360e68faccca8ca495c1b759fd9eee466db9fb32"),
      SUSHI,
    ],
  },
  421614: {
    wrappedNative: "0x980b62da83eff3d4576c647993b0c1d7faf17c73",
    stables: ["0x75faf114eafb1bdbe2f0316df893fd58ce46aa4d"],
    exchanges: [
      v3("Uniswap v3", "0x248ab79bbb9bc29bb72f7cd42f17e054fc40188e"),
      v4("0xfb3e0c6f74eb1a21cc1da29aec80d2dfe6c9a317"),
    ],
  },
  8453: {
    wrappedNative: "0x4200000000000000000000000000000000000006",
    stables: ["0x833589fcd6edb6e08f4c7c32d4f71b54bda02913", "0xd9aaec86b65d86f6a7b5b1b0c42ffa531710b6ca"],
    exchanges: [
      v2("Uniswap v2", "0x8909dc15e40173ff4699343b6eb8132c65e18ec6"),
      v3("Uniswap v3", "0x33128a8fc17869897dce68ed026d694621f6fdfd"),
      v4("0x498581ff718922c3f8e6a244956af099b2652b2b"),
    ],
  },
  84532: {
    wrappedNative: "0x4200000000000000000000000000000000000006",
    stables: ["0x036cbd53842c5426634e7929541ec2318f3dcf7e"],
    exchanges: [
      v2("Uniswap v2", "0x7ae58f10f7849ca6f5fb71b7f45cb416c9204b1e"),
      v3("Uniswap v3", "0x4752ba5dbc23f44d87826276bf6fd6b1c372ad24"),
    ],
  },
  10: {
    wrappedNative: "0x4200000000000000000000000000000000000006",
    stables: [
      "0x0b2c639c533813f4aa9d7837caf62653d097ff85",
      "0x7f5c764cbc14f9669b88837ca1490cca17c31607",
      "0x94b008aa00579c1307b0ef2c499ad98a8ce58e58",
      "0xda10009cbd5d07dd0cecc66161fc93d7c9000da1",
    ],
    exchanges: [
      v2("Uniswap v2", "0x0c3c1c532f1e39edf36be9fe0be1410313e074bf"),
      UNISWAP_V3,
      v4("0x9a13f98cb987694c9f086b1f5eb990eea8264ec3"),
    ],
  },
  11155420: {
    wrappedNative: "0x4200000000000000000000000000000000000006",
    stables: ["0x5fd84259d66cd46123540766be93dfe6d43130d7"],
    exchanges: [v3("Uniswap v3", "0x8ce191193d15ea94e11d327b4c7ad8bbe520f6af")],
  },
  59144: {
    wrappedNative: "0xe5d7c2a44ffddf6b295a15c148167daaaf5cf34f",
    stables: ["0x176211869ca2b568f2a7d4ee941e073a821ee1ff", "0xa219439258ca9da29e9cc4ce5596924745e12b93"],
    exchanges: [
      v2("Uniswap v2", "0x114a43df6c5f54ebb8a9d70cd1951d3dd68004c7"),
      v3("Uniswap v3", "0x31fafd4889fa1269f7a13a66ee0fb458f27d72a9"),
      v2("PancakeSwap v2", "0x02a84c1b3bbd7401a5f7fa98a384ebc70bb5749e"),
      v3("PancakeSwap v3", "0x0bfbcf9fa4f9c56b0f40a671ad40e0805a091865", PANCAKE_FEE_TIERS),
    ],
  },
  25: {
    wrappedNative: "0x5c7f8a570d578ed84e63fdfa7b1ee72deae1ae23",
    stables: ["0xc21223249ca28397b4b6541dffaecc539bff0c59", "0x66e428c3f67a68878562e79a0234c1f83c208770"],
    exchanges: [v2("VVS Finance", "0x3b44b2a187a7b3824131f8db5a74194d0a42fc15")],
  },
  100: {
    wrappedNative: "0xe91d153e0b41518a2ce8dd3d7944fa863463a97d",
    stables: [
      "0xddafbb505ad214d7b80b1f830fccc89b60fb7a83",
      "0x2a22f9c3b484c3629090feed35f17ff8f88f76f0",
      "0x4ecaba5870353805a9f068101a40e0f32ed605c6",
    ],
    exchanges: [v2("Honeyswap", "0xa818b4f111ccac7aa31d0bcc0806d64f2e0737d7"), SUSHI],
  },
  88888: {
    wrappedNative: "0x677f7e16c7dd57be1d4c8ad1244883214953dc47",
    exchanges: [v2("Kayen", "0xe2918aa38088878546c1a18f2f9b1bc83297fdd3")],
  },
  1284: {
    wrappedNative: "0xacc15dc74880c9944775448304b263d191c6077f",
    stables: ["0x931715fee2d06333043d11f658c8ce934ac61d0c"],
    exchanges: [v2("StellaSwap", "0x68a384d826d3678f78bb9fb1533c7e9577dacc0e"), SUSHI],
  },
  1285: {
    wrappedNative: "0x98878b06940ae243284ca214f92bb71a2b032b8a",
    stables: ["0xe3f5a90f9cb311505cd691a46596599aa1a0ad7d"],
    exchanges: [v2("Solarbeam", "0x049581aeb6fe262727f290165c29bdab065a1b68"), SUSHI],
  },
  1287: { wrappedNative: "0xd909178cc99d318e4d46e7e66a972955859670e1" },
  747: {
    wrappedNative: "0xd3bf53dac106a0290b0483ecbc89d40fcc961f3e",
    stables: ["0xf1815bd50389c46847f0bda824ec8da914045d14"],
    exchanges: [v2("PunchSwap", "0x29372c22459a4e373851798bfd6808e71ea34a71")],
  },
  2020: {
    wrappedNative: "0xe514d9deb7966c8be0ca922de8a064264ea6bcd4",
    stables: ["0x0b7007c13325c48911f73a2dad5fa5dcbf808adc"],
    exchanges: [v2("Katana", "0xb255d6a720bb7c39fee173ce22113397119cb930")],
  },
  1135: {
    wrappedNative: "0x4200000000000000000000000000000000000006",
    stables: ["0x05d032ac25d322df992303dca074ee7392c117b9", "0xf242275d3a6527d877f2c927a82d9b057609cc71"],
    exchanges: [v3("Uniswap v3", "0x0d922fb1bc191f64970ac40376643808b4b74df9")],
  },
  4202: { wrappedNative: "0x4200000000000000000000000000000000000006" },
  369: {
    wrappedNative: "0xa1077a294dde1b09bb078844df40758a5d0f9a27",
    stables: [
      "0xefd766ccb38eaf1dfd701853bfce31359239f305",
      "0x15d38573d2feeb82e7ad5187ab8c1d52810b1f07",
      "0x0cb6f5a34ad42ec934882a05265a7d5f59b51a2f",
    ],
    exchanges: [
      v2("PulseX v1", "0x1715a3e4a142d8b698131108995174f37aeba10d"),
      v2("PulseX v2", "0x29ea7545def87022badc76323f373ea1e707c523"),
    ],
  },
  1329: {
    wrappedNative: "0xe30fedd158a2e3b13e9badaeabafc5516e95e8c7",
    stables: ["0xe15fc38f6d8c56af07bbcbe3baf5708a2bf42392", "0x3894085ef7ff0f0aedf52e2a2704928d1ec074f1"],
    exchanges: [
      v2("DragonSwap v2", "0x71f6b49ae1558357bbb5a6074f1143c46cbca03d"),
      v3("DragonSwap v3", "0x179d9a5592bc77050796f7be28058c51ca575df4"),
    ],
  },
  143: {
    wrappedNative: "0x3bd359c1119da7da1d913d1c4d2b7c461115433a",
    stables: ["0x754704bc059f8c67012fed69bc8a327a5aafb603"],
    exchanges: [
      v2("Uniswap v2", "0x182a927119d56008d921126764bf884221b10f59"),
      v3("Uniswap v3", "0x204faca1764b154221e35c0d20abb3c525710498"),
    ],
  },
  999: {
    wrappedNative: "0x5555555555555555555555555555555555555555",
    stables: ["0xb8ce59fc3717ada4c02eadf9682a9e934f625ebb", "0xb88339cb7199b77e23db6e890353e22632ba630f"],
    exchanges: [
      v2("HyperSwap v2", "0x724412c00059bf7d6ee7d4a1d0d5cd4de3ea1c48"),
      v3("HyperSwap v3", "0xb1c0fa0b789320044a6f623cfe5ebda9562602e3"),
    ],
  },
  43113: { wrappedNative: "0xd00ae08403b9bbb9124bb305c09058e32c39a48c" },
  80002: { wrappedNative: "0x360ad4f9a9a8efe9a8dcb5f461c4cc1047e1dcf9" },
  4002: { wrappedNative: "0xf1277d1ed8ad466beddf92ef448a132661956621" },
  17000: { wrappedNative: "0x94373a4919b3240d86ea41593d5eba789fef3848" },
};

function v2(name: string, factory: string): Exchange {
  return { name, kind: "v2", factory };
}

function v3(name: string, factory: string, feeTiers?: number[]): Exchange {
  return { name, kind: "v3", factory, feeTiers };
}

/** The pool manager of Uniswap v4, which has another address on each chain. */
function v4(factory: string): Exchange {
  return { name: "Uniswap v4", kind: "v4", factory };
}

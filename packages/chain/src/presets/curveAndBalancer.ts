import type { Exchange } from "../model/chainConfig.ts";

/** The factories of Curve on a chain without a meta registry; each finds its own pools. */
interface CurveFactories {
  /** Pools of stablecoins, before and since the StableSwap NG. */
  stable?: string;
  stableNg?: string;
  /** Pools of two and of three other coins. */
  twocrypto?: string;
  tricrypto?: string;
}

const TWOCRYPTO = "0x98ee851a00abee0d95d08cf4ca2bdce32aeaaf7f";
/** The vault has the same address on all chains. */
const BALANCER_VAULT = "0xba12222222228d8ba445958a75a0704d566bf2c8";

/** By chain id (EIP-155). */
const CURVE: Readonly<Record<number, CurveFactories>> = {
  10: {
    stable: "0x2db0e83599a91b508ac268a6197b8b14f5e72840",
    stableNg: "0x5eee3091f747e60a045a2e715a4c71e600e31f6e",
    twocrypto: TWOCRYPTO,
    tricrypto: "0xc6c09471ee39c7e30a067952fcc89c8922f9ab53",
  },
  56: {
    stable: "0xefde221f306152971d8e9f181bfe998447975810",
    stableNg: "0xd7e72f3615aa65b92a4dbdc211e296a35512988b",
    twocrypto: TWOCRYPTO,
    tricrypto: "0xc55837710bc500f1e3c7bb9dd1d51f7c5647e657",
  },
  100: {
    stable: "0xd19baeadc667cf2015e395f2b08668ef120f41f5",
    stableNg: "0xbc0797015fcfc47d9c1856639cae50d0e69fbee8",
    twocrypto: TWOCRYPTO,
    tricrypto: "0xb47988ad49dce8d909c6f9cf7b26caf04e1445c8",
  },
  137: {
    stable: "0x722272d36ef0da72ff51c5a65db7b870e2e8d4ee",
    stableNg: "0x1764ee18e8b3cca4787249ceb249356192594585",
    twocrypto: TWOCRYPTO,
    tricrypto: "0xc1b393efef38140662b91441c6710aa704973228",
  },
  250: {
    stable: "0x686d67265703d1f124c45e33d47d794c566889ba",
    stableNg: "0xe61fb97ef6ebfba12b36ffd7be785c1f5a2de66b",
    twocrypto: TWOCRYPTO,
    tricrypto: "0x9af14d26075f142eb3f292d5065eb3faa646167b",
  },
  1284: { stable: "0x4244eb811d6e0ef302326675207a95113db4e1f8" },
  8453: {
    stable: "0x3093f9b57a428f3eb6285a589cb35bea6e78c336",
    stableNg: "0xd2002373543ce3527023c75e7518c274a51ce712",
    twocrypto: "0xc9fe0c63af9a39402e8a5514f9c43af0322b665f",
    tricrypto: "0xa5961898870943c68037f6848d2d866ed2016bcb",
  },
  42161: {
    stable: "0xb17b674d9c5cb2e441f8e196a2f048a81355d031",
    stableNg: "0x9af14d26075f142eb3f292d5065eb3faa646167b",
    twocrypto: TWOCRYPTO,
    tricrypto: "0xbc0797015fcfc47d9c1856639cae50d0e69fbee8",
  },
  43114: {
    stable: "0xb17b674d9c5cb2e441f8e196a2f048a81355d031",
    stableNg: "0x1764ee18e8b3cca4787249ceb249356192594585",
    twocrypto: TWOCRYPTO,
    tricrypto: "0x3d6cb2f6dcf47cdd9c13e4e3beae9af041d8796a",
  },
};

/** The pools of Balancer v2 whose prices count, by chain id (EIP-155). */
const BALANCER_POOLS: Readonly<Record<number, readonly string[]>> = {
  // WETH, OP and USDC.
  10: ["0x39965c9dab5448482cf7e002f583c812ceb53046000100000000000000000003"],
  137: [
    // WBTC, USDC and WETH; wrapped POL, USDC, WETH and BAL.
    "0x03cd191f589d12b0582a99808cf19851e468e6b500010000000000000000000a",
    "0x0297e37f1873d2dab4487aa67cd56b58e2f27875000100000000000000000002",
  ],
  42161: [
    // WETH, WBTC and USDC; wstETH and WETH.
    "0x64541216bafffeec8ea535bb71fbc927831d0595000100000000000000000002",
    "0x36bf227d6bac96e2ab1ebb5492ecec69c691943f000200000000000000000316",
  ],
};

/** The exchanges of Curve and Balancer on a chain other than Ethereum. */
export function curveAndBalancer(chainId: number): Exchange[] {
  const { stable, stableNg, twocrypto, tricrypto } = CURVE[chainId] ?? {};
  const factories = [stable, stableNg, twocrypto, tricrypto].filter((each) => each !== undefined);
  const pools = BALANCER_POOLS[chainId];
  return [
    ...factories.map((factory) => ({ name: "Curve", kind: "curve" as const, factory })),
    ...(pools ? [{ name: "Balancer v2", kind: "balancer-v2" as const, factory: BALANCER_VAULT, pools }] : []),
  ];
}

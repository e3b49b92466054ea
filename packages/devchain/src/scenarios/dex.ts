import { type Address, maxUint256, parseEther, parseUnits, zeroAddress } from "viem";
import { readArtifact, readPackageArtifact } from "../artifacts.ts";
import type { DevContract } from "../devContract.ts";
import { call, type PlannedTransaction } from "../transactions.ts";
import { type ContractDeployer, MAKER, TRADER } from "./marketMaker.ts";

/** Decentralized exchanges of the development chain: Uniswap's own v2 and v3 contracts. */
export interface DexContracts {
  /** The wrapped native coin, with the functions of WETH9. */
  weth: DevContract & { decimals: number };
  v2: { factory: DevContract; router: DevContract };
  v3: { factory: DevContract; router: DevContract; positions: DevContract; quoter: DevContract };
  /** A traded token that claims to have 255 decimals. */
  hostileToken: DevContract & { decimals: number };
}

const v2Core = (name: string) => readPackageArtifact(`@uniswap/v2-core/build/${name}.json`);
const v2Periphery = (name: string) => readPackageArtifact(`@uniswap/v2-periphery/build/${name}.json`);
const v3Core = (name: string) =>
  readPackageArtifact(`@uniswap/v3-core/artifacts/contracts/${name}.sol/${name}.json`);
const v3Periphery = (name: string, folder = "") =>
  readPackageArtifact(`@uniswap/v3-periphery/artifacts/contracts/${folder}${name}.sol/${name}.json`);

/** Deploys the contracts of the exchanges in order. */
export function planDex(deployer: ContractDeployer): DexContracts {
  const weth = deployer.create(readArtifact("PurseWrapped"), [], "Wrapped Ether", "WETH");
  const factory2 = deployer.create(v2Core("UniswapV2Factory"), [deployer.address]);
  const router2 = deployer.create(v2Periphery("UniswapV2Router02"), [factory2.address, weth.address]);
  const factory3 = deployer.create(v3Core("UniswapV3Factory"), []);
  const router3 = deployer.create(v3Periphery("SwapRouter"), [factory3.address, weth.address]);
  const positions = deployer.create(v3Periphery("NonfungiblePositionManager"), [
    factory3.address,
    weth.address,
    zeroAddress,
  ]);
  const quoter = deployer.create(v3Periphery("Quoter", "lens/"), [factory3.address, weth.address]);
  const hostileToken = deployer.create(readArtifact("HostileDecimals"), [], "Purse Dollars", "pUSD.");
  return {
    weth: { ...weth, decimals: 18 },
    v2: { factory: factory2, router: router2 },
    v3: { factory: factory3, router: router3, positions, quoter },
    hostileToken: { ...hostileToken, decimals: 255 },
  };
}

/** Ticks of full-range positions by fee (a multiple of the fee's tick spacing). */
const WIDEST: Readonly<Record<number, number>> = { 500: 887_270, 3000: 887_220 };

/** Pools of several kinds and sizes, and trades in them. */
export function dexBlocks(
  { weth, v2, v3, hostileToken }: DexContracts,
  { token, dollar, point }: { token: DevContract; dollar: DevContract; point: DevContract },
  [maker, trader]: readonly [Address, Address],
): PlannedTransaction[][] {
  const dollars = (amount: string) => parseUnits(amount, 6);
  const ether = parseEther;
  const approve = (from: number, token: DevContract, spender: DevContract): PlannedTransaction =>
    call(from, token, "approve", [spender.address, maxUint256]);
  const pool2 = (token: DevContract, units: bigint, coins: bigint): PlannedTransaction => ({
    ...call(MAKER, v2.router, "addLiquidityETH", [token.address, units, 0n, 0n, maker, maxUint256], coins),
    gas: 4_000_000n,
  });
  const pool3 = (a: [DevContract, bigint], b: [DevContract, bigint], fee: number): PlannedTransaction[] => {
    const [[first, units0], [second, units1]] = a[0].address < b[0].address ? [a, b] : [b, a];
    const tokens = { token0: first.address, token1: second.address, fee };
    const width = WIDEST[fee] ?? 0;
    const sizes = { amount0Desired: units0, amount1Desired: units1, amount0Min: 0n, amount1Min: 0n };
    const position = { ...tokens, tickLower: -width, tickUpper: width, ...sizes, recipient: maker };
    return [
      {
        ...call(MAKER, v3.positions, "createAndInitializePoolIfNecessary", [
          ...Object.values(tokens),
          squareRoot((units1 << 192n) / units0),
        ]),
        gas: 6_000_000n,
      },
      { ...call(MAKER, v3.positions, "mint", [{ ...position, deadline: maxUint256 }]), gas: 1_000_000n },
    ];
  };
  const buy2 = (token: DevContract, coins: bigint): PlannedTransaction =>
    call(
      TRADER,
      v2.router,
      "swapExactETHForTokens",
      [0n, [weth.address, token.address], trader, maxUint256],
      coins,
    );
  const swap3 = (
    from: DevContract,
    to: DevContract,
    fee: number,
    units: bigint,
    coins = 0n,
  ): PlannedTransaction => {
    const tokens = { tokenIn: from.address, tokenOut: to.address, fee, recipient: trader };
    const limits = { deadline: maxUint256, amountIn: units, amountOutMinimum: 0n, sqrtPriceLimitX96: 0n };
    return call(TRADER, v3.router, "exactInputSingle", [{ ...tokens, ...limits }], coins);
  };

  return [
    [
      ...[token, dollar, point, hostileToken].map((each) => approve(MAKER, each, v2.router)),
      ...[weth, token, dollar].map((each) => approve(MAKER, each, v3.positions)),
      { from: MAKER, to: weth.address, value: ether("26") },
    ],
    [
      pool2(token, ether("20000"), ether("10")),
      pool2(dollar, dollars("20000"), ether("10")),
      // Not enough liquidity for a price, and a token without a whole unit.
      pool2(point, 5n, ether("0.00001")),
      pool2(hostileToken, 10n ** 21n, ether("1")),
    ],
    [
      ...pool3([dollar, dollars("50250")], [weth, ether("25")], 3_000),
      ...pool3([token, ether("5000")], [dollar, dollars("5100")], 500),
    ],
    [buy2(token, ether("0.1")), buy2(dollar, ether("0.05")), approve(TRADER, dollar, v3.router)],
    [swap3(weth, dollar, 3_000, ether("0.2"), ether("0.2")), swap3(dollar, token, 500, dollars("25"))],
    [
      approve(TRADER, token, v2.router),
      call(TRADER, v2.router, "swapExactTokensForETH", [
        ether("30"),
        0n,
        [token.address, weth.address],
        trader,
        maxUint256,
      ]),
    ],
  ];
}

/** Rounded down, by Newton's method. */
function squareRoot(value: bigint): bigint {
  let root = 1n << BigInt(Math.ceil(value.toString(2).length / 2));
  for (;;) {
    const next = (root + value / root) / 2n;
    if (next >= root) return root;
    root = next;
  }
}

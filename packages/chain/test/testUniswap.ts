import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import {
  type Abi,
  type Address,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
  maxUint256,
  parseAbi,
  zeroAddress,
} from "viem";
import type { Exchange } from "../src/model/chainConfig.ts";
import type { TestChain } from "./testChain.ts";

/** Test support: Uniswap v2 and v3 as their authors publish them, with one pool of each kind and trades in them. */

const routers = parseAbi([
  "function approve(address spender, uint256 amount)",
  "function addLiquidityETH(address token, uint256 units, uint256 minUnits, uint256 minCoins, address to, uint256 deadline) payable",
  "function swapExactETHForTokens(uint256 minimum, address[] path, address to, uint256 deadline) payable",
  "function swapExactTokensForETH(uint256 units, uint256 minimum, address[] path, address to, uint256 deadline)",
  "function createAndInitializePoolIfNecessary(address token0, address token1, uint24 fee, uint160 price) payable",
  "struct Position { address token0; address token1; uint24 fee; int24 tickLower; int24 tickUpper; uint256 amount0Desired; uint256 amount1Desired; uint256 amount0Min; uint256 amount1Min; address recipient; uint256 deadline; }",
  "function mint(Position position) payable",
  "struct Swap { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 deadline; uint256 amountIn; uint256 amountOutMinimum; uint160 sqrtPriceLimitX96; }",
  "function exactInputSingle(Swap swap) payable",
]);
/** The fee of the v3 pool in millionths, and the ticks of a position at all prices. */
export const V3_FEE = 3_000;
const WIDEST = 887_220;

interface Amounts {
  units: bigint;
  coins: bigint;
}

export class TestUniswap {
  readonly #chain: TestChain;
  readonly #coin: Address;
  readonly v2: { factory: Address; router: Address };
  readonly v3: { factory: Address; router: Address; positions: Address };

  private constructor(
    chain: TestChain,
    coin: Address,
    v2: { factory: Address; router: Address },
    v3: { factory: Address; router: Address; positions: Address },
  ) {
    this.#chain = chain;
    this.#coin = coin;
    this.v2 = v2;
    this.v3 = v3;
  }

  /** Deploys the contracts for a wrapped coin. */
  static async deploy(chain: TestChain, coin: Address): Promise<TestUniswap> {
    const create = async (artifact: string, args: readonly Address[]) => {
      const { abi, bytecode } = artifactOf(artifact);
      return (await chain.create(encodeDeployData({ abi, bytecode, args }))).contractAddress ?? zeroAddress;
    };
    const v3Artifact = (name: string, package_: string) =>
      `@uniswap/${package_}/artifacts/contracts/${name}.sol/${name}.json`;
    const factory2 = await create("@uniswap/v2-core/build/UniswapV2Factory.json", [zeroAddress]);
    const router2 = await create("@uniswap/v2-periphery/build/UniswapV2Router02.json", [factory2, coin]);
    const factory3 = await create(v3Artifact("UniswapV3Factory", "v3-core"), []);
    const router3 = await create(v3Artifact("SwapRouter", "v3-periphery"), [factory3, coin]);
    const positions = await create(v3Artifact("NonfungiblePositionManager", "v3-periphery"), [
      factory3,
      coin,
      zeroAddress,
    ]);
    const v3 = { factory: factory3, router: router3, positions };
    return new TestUniswap(chain, coin, { factory: factory2, router: router2 }, v3);
  }

  get exchanges(): Exchange[] {
    return [
      { name: "Uniswap v2", kind: "v2", factory: this.v2.factory.toLowerCase() },
      { name: "Uniswap v3", kind: "v3", factory: this.v3.factory.toLowerCase() },
    ];
  }

  /** Creates a v2 pool of a token and the coin. */
  async createV2(by: number, token: Address, { units, coins }: Amounts): Promise<void> {
    await this.approve(by, token, this.v2.router);
    const args = [token, units, 0n, 0n, this.#chain.account(by), maxUint256] as const;
    await this.#chain.send(by, this.v2.router, encode("addLiquidityETH", args), coins);
  }

  /** Creates a v3 pool of a token and the wrapped coin, which the account must have. */
  async createV3(by: number, token: Address, { units, coins }: Amounts): Promise<void> {
    const isFirst = token.toLowerCase() < this.#coin.toLowerCase();
    const [token0, token1] = isFirst ? [token, this.#coin] : [this.#coin, token];
    const [amount0Desired, amount1Desired] = isFirst ? [units, coins] : [coins, units];
    for (const each of [token, this.#coin]) await this.approve(by, each, this.v3.positions);
    const price = squareRoot((amount1Desired << 192n) / amount0Desired);
    const pool = [token0, token1, V3_FEE, price] as const;
    await this.#chain.send(by, this.v3.positions, encode("createAndInitializePoolIfNecessary", pool));
    const position = {
      ...{ token0, token1, fee: V3_FEE, tickLower: -WIDEST, tickUpper: WIDEST },
      ...{ amount0Desired, amount1Desired, amount0Min: 0n, amount1Min: 0n },
      ...{ recipient: this.#chain.account(by), deadline: maxUint256 },
    };
    await this.#chain.send(by, this.v3.positions, encode("mint", [position]));
  }

  /** Buys a token with native coins in its v2 pool. */
  buyV2(by: number, token: Address, coins: bigint) {
    const args = [0n, [this.#coin, token], this.#chain.account(by), maxUint256] as const;
    return this.#chain.send(by, this.v2.router, encode("swapExactETHForTokens", args), coins);
  }

  /** Sells a token for native coins, which the router pays out; the account must have approved it. */
  sellV2(by: number, token: Address, units: bigint) {
    const args = [units, 0n, [token, this.#coin], this.#chain.account(by), maxUint256] as const;
    return this.#chain.send(by, this.v2.router, encode("swapExactTokensForETH", args));
  }

  /** Buys a token with native coins in its v3 pool. */
  buyV3(by: number, token: Address, coins: bigint) {
    const swap = {
      ...{ tokenIn: this.#coin, tokenOut: token, fee: V3_FEE, recipient: this.#chain.account(by) },
      ...{ deadline: maxUint256, amountIn: coins, amountOutMinimum: 0n, sqrtPriceLimitX96: 0n },
    };
    return this.#chain.send(by, this.v3.router, encode("exactInputSingle", [swap]), coins);
  }

  approve(by: number, token: Address, spender: Address, amount = maxUint256) {
    return this.#chain.send(by, token, encode("approve", [spender, amount]));
  }
}

function encode(functionName: string, args: readonly unknown[]): Hex {
  const abi: Abi = routers;
  return encodeFunctionData({ abi, functionName, args });
}

function artifactOf(name: string): { abi: Abi; bytecode: Hex } {
  const path = createRequire(import.meta.url).resolve(name);
  const { abi, bytecode }: { abi: Abi; bytecode: string } = JSON.parse(readFileSync(path, "utf8"));
  return { abi, bytecode: `0x${bytecode.replace(/^0x/, "")}` };
}

/** Rounded down. */
function squareRoot(value: bigint): bigint {
  let root = value;
  for (let next = (root + 1n) / 2n; next < root; next = (root + value / root) / 2n) root = next;
  return root;
}

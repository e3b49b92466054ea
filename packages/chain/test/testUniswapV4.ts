import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import {
  type Address,
  createPublicClient,
  encodeAbiParameters,
  encodeDeployData,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  http,
  keccak256,
  maxUint256,
  parseAbi,
  zeroAddress,
  zeroHash,
} from "viem";
import type { TestChain } from "./testChain.ts";

/** Test support: Uniswap v4's own contracts and calls. */

const abi = parseAbi([
  "constructor(address)",
  "struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }",
  "struct LiquidityParams { int24 tickLower; int24 tickUpper; int256 liquidityDelta; bytes32 salt; }",
  "struct SwapParams { bool zeroForOne; int256 amountSpecified; uint160 sqrtPriceLimitX96; }",
  "struct SwapSettings { bool takeClaims; bool settleUsingBurn; }",
  "function initialize(PoolKey key, uint160 sqrtPriceX96)",
  "function modifyLiquidity(PoolKey key, LiquidityParams params, bytes hookData) payable",
  "function swap(PoolKey key, SwapParams params, SwapSettings settings, bytes hookData) payable",
  "function extsload(bytes32 slot) view returns (bytes32)",
]);

/** The lowest and highest price that a swap may reach. */
const MIN_PRICE = 4_295_128_740n;
const MAX_PRICE = 1_461_446_703_485_210_103_287_273_052_203_988_822_378_723_970_341n;

export interface PoolKey {
  currency0: Address;
  currency1: Address;
  fee: number;
  tickSpacing: number;
  hooks: Address;
}

export interface UniswapV4 {
  manager: Address;
  /** Creates a pool and adds liquidity between two ticks; value is sent for the native coin. */
  createPool(
    key: PoolKey,
    sqrtPriceX96: bigint,
    ticks: readonly [number, number],
    liquidity: bigint,
    value?: bigint,
  ): Promise<string>;
  addLiquidity(
    key: PoolKey,
    ticks: readonly [number, number],
    liquidity: bigint,
    value?: bigint,
  ): Promise<unknown>;
  /** Sells an amount of the first or of the second currency. */
  swap(from: number, key: PoolKey, zeroForOne: boolean, amount: bigint): Promise<Hex>;
  /** The square root of the price, from the manager's storage. */
  sqrtPrice(id: string, blockNumber?: bigint): Promise<bigint>;
}

export function poolIdOf({ currency0, currency1, fee, tickSpacing, hooks }: PoolKey): Hex {
  const types = ["address", "address", "uint24", "int24", "address"].map((type) => ({ type }));
  return keccak256(encodeAbiParameters(types, [currency0, currency1, fee, tickSpacing, hooks]));
}

/** Deploys the pool manager with Uniswap's test routers, which accounts 0 and 9 allow to take the tokens. */
export async function deployUniswapV4(chain: TestChain, tokens: readonly Address[]): Promise<UniswapV4> {
  const manager = await deploy(chain, "PoolManager.sol/PoolManager", chain.account(0));
  const liquidity = await deploy(chain, "PoolModifyLiquidityTest.sol/PoolModifyLiquidityTest", manager);
  const router = await deploy(chain, "PoolSwapTest.sol/PoolSwapTest", manager);
  for (const token of tokens) {
    for (const account of [0, 9]) {
      for (const spender of [liquidity, router]) {
        const args = [spender, maxUint256] as const;
        await chain.send(
          account,
          token,
          encodeFunctionData({ abi: erc20Abi, functionName: "approve", args }),
        );
      }
    }
  }
  const addLiquidity = (
    key: PoolKey,
    ticks: readonly [number, number],
    liquidityDelta: bigint,
    value = 0n,
  ) => {
    const params = { tickLower: ticks[0], tickUpper: ticks[1], liquidityDelta, salt: zeroHash };
    const data = encodeFunctionData({ abi, functionName: "modifyLiquidity", args: [key, params, "0x"] });
    return chain.send(0, liquidity, data, value);
  };
  return {
    manager,
    addLiquidity,
    async createPool(key, sqrtPriceX96, ticks, amount, value) {
      const args = [key, sqrtPriceX96] as const;
      await chain.send(0, manager, encodeFunctionData({ abi, functionName: "initialize", args }));
      await addLiquidity(key, ticks, amount, value);
      return poolIdOf(key);
    },
    async swap(from, key, zeroForOne, amount) {
      const params = {
        zeroForOne,
        amountSpecified: -amount,
        sqrtPriceLimitX96: zeroForOne ? MIN_PRICE : MAX_PRICE,
      };
      const settings = { takeClaims: false, settleUsingBurn: false };
      const args = [key, params, settings, "0x"] as const;
      const value = zeroForOne && key.currency0 === zeroAddress ? amount : 0n;
      const data = encodeFunctionData({ abi, functionName: "swap", args });
      return (await chain.send(from, router, data, value)).transactionHash;
    },
    async sqrtPrice(id, blockNumber) {
      const types = [{ type: "bytes32" }, { type: "uint256" }];
      const slot = keccak256(encodeAbiParameters(types, [id, 6n]));
      const client = createPublicClient({ transport: http(chain.url), cacheTime: 0 });
      const word = await client.readContract({
        address: manager,
        abi,
        functionName: "extsload",
        args: [slot],
        ...(blockNumber !== undefined && { blockNumber }),
      });
      return BigInt(word) % 2n ** 160n;
    },
  };
}

async function deploy(chain: TestChain, name: string, argument: Address): Promise<Address> {
  const path = createRequire(import.meta.url).resolve(`@uniswap/v4-core/out/${name}.json`);
  const { bytecode }: { bytecode: { object: Hex } } = JSON.parse(readFileSync(path, "utf8"));
  const data = encodeDeployData({ abi, bytecode: bytecode.object, args: [argument] });
  return (await chain.create(data)).contractAddress ?? zeroAddress;
}

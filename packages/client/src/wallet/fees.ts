import type { Eip1193Provider } from "./eip1193.ts";
import { quantity, quantityOf } from "./quantity.ts";
import { isRecord } from "./receipt.ts";

/** Wei for one unit of gas. */
export interface GasPrice {
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
}

/** What gas costs, by how soon a transaction is to be in a block. */
export interface FeeTiers {
  /** Of the next block; null on chains from before EIP-1559, where all of maxFeePerGas is paid. */
  baseFeePerGas: bigint | null;
  slow: GasPrice;
  normal: GasPrice;
  fast: GasPrice;
}

const BLOCKS = 20;
/** Tips at these percentiles of the blocks' gas. */
const PERCENTILES = [10, 50, 90];

/** What gas costs now, by how soon a transaction is to be in a block, from the last 20 blocks. */
export async function feeTiers(provider: Eip1193Provider): Promise<FeeTiers> {
  const params = [quantity(BLOCKS), "latest", PERCENTILES];
  const history = await provider.request({ method: "eth_feeHistory", params }).catch(() => null);
  const fees = isRecord(history) && Array.isArray(history.baseFeePerGas) ? history.baseFeePerGas : [];
  const next = quantityOf(fees.at(-1));
  if (!isRecord(history) || next === null || next === 0n) return flat(provider, next);
  const rewards = Array.isArray(history.reward) ? history.reward.filter(Array.isArray) : [];
  const used = Array.isArray(history.gasUsedRatio) ? history.gasUsedRatio : [];
  // Empty blocks tell nothing of what others give.
  const rows = rewards.filter((_, index) => used[index] !== 0);
  const fallback = await tip(provider);
  const tips = PERCENTILES.map(
    (_, tier) => median(rows.map((row) => quantityOf(row[tier]) ?? 0n)) ?? fallback,
  );
  const price = (tier: number): GasPrice => {
    const maxPriorityFeePerGas = tips[tier] ?? fallback;
    // The base fee grows by an eighth at most in a block; twice as much lasts for six full ones.
    return { maxPriorityFeePerGas, maxFeePerGas: next * 2n + maxPriorityFeePerGas };
  };
  return { baseFeePerGas: next, slow: price(0), normal: price(1), fast: price(2) };
}

/** One price for all, where blocks have no base fee. */
async function flat(provider: Eip1193Provider, baseFeePerGas: bigint | null): Promise<FeeTiers> {
  const price = quantityOf(await provider.request({ method: "eth_gasPrice" })) ?? 0n;
  const tier = { maxFeePerGas: price, maxPriorityFeePerGas: price };
  return { baseFeePerGas, slow: tier, normal: tier, fast: tier };
}

async function tip(provider: Eip1193Provider): Promise<bigint> {
  return quantityOf(await provider.request({ method: "eth_maxPriorityFeePerGas" }).catch(() => null)) ?? 0n;
}

function median(values: readonly bigint[]): bigint | undefined {
  return values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))[Math.floor(values.length / 2)];
}

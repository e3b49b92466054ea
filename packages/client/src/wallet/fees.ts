import { isRecord } from "@purse/protocol";
import type { Eip1193Provider } from "./eip1193.ts";
import { quantity, quantityOf } from "./quantity.ts";

/** In wei per unit of gas. */
export interface GasPrice {
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
}

/** Gas prices by how soon a transaction should be included. */
export interface FeeTiers {
  /** Of the next block; null on chains without EIP-1559, where maxFeePerGas is the price. */
  baseFeePerGas: bigint | null;
  slow: GasPrice;
  normal: GasPrice;
  fast: GasPrice;
}

const BLOCKS = 20;
/** Percentiles of the priority fees. */
const PERCENTILES = [10, 50, 90];

/** Estimates current gas prices from the last 20 blocks. */
export async function feeTiers(provider: Eip1193Provider): Promise<FeeTiers> {
  const params = [quantity(BLOCKS), "latest", PERCENTILES];
  const history = await provider.request({ method: "eth_feeHistory", params }).catch(() => null);
  const fees = isRecord(history) && Array.isArray(history.baseFeePerGas) ? history.baseFeePerGas : [];
  const next = quantityOf(fees.at(-1));
  if (!isRecord(history) || next === null || next === 0n) return singlePrice(provider, next);
  const rewards = Array.isArray(history.reward) ? history.reward.filter(Array.isArray) : [];
  const used = Array.isArray(history.gasUsedRatio) ? history.gasUsedRatio : [];
  // Empty blocks have no priority fees.
  const rows = rewards.filter((_, index) => used[index] !== 0);
  const fallback = await suggestedTip(provider);
  const tips = PERCENTILES.map(
    (_, tier) => median(rows.map((row) => quantityOf(row[tier]) ?? 0n)) ?? fallback,
  );
  const price = (tier: number): GasPrice => {
    const maxPriorityFeePerGas = tips[tier] ?? fallback;
    // The base fee grows by at most 1/8 per block; twice the fee suffices for six full blocks.
    return { maxPriorityFeePerGas, maxFeePerGas: next * 2n + maxPriorityFeePerGas };
  };
  return { baseFeePerGas: next, slow: price(0), normal: price(1), fast: price(2) };
}

/** The same price for all tiers, on chains without a base fee. */
async function singlePrice(provider: Eip1193Provider, baseFeePerGas: bigint | null): Promise<FeeTiers> {
  const price = quantityOf(await provider.request({ method: "eth_gasPrice" })) ?? 0n;
  const tier = { maxFeePerGas: price, maxPriorityFeePerGas: price };
  return { baseFeePerGas, slow: tier, normal: tier, fast: tier };
}

async function suggestedTip(provider: Eip1193Provider): Promise<bigint> {
  return quantityOf(await provider.request({ method: "eth_maxPriorityFeePerGas" }).catch(() => null)) ?? 0n;
}

function median(values: readonly bigint[]): bigint | undefined {
  return values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))[Math.floor(values.length / 2)];
}

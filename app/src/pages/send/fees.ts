import { type Eip1193Provider, type FeeTiers, feeTiers } from "@purse/client";
import type { Translator } from "../../i18n/translator.ts";

export const TIERS = ["slow", "normal", "fast"] as const;
export type Tier = (typeof TIERS)[number];

/** Blocks that a transaction of a tier usually waits for. */
const BLOCKS_TO_WAIT: Record<Tier, number> = { slow: 4, normal: 2, fast: 1 };
/** Over so many blocks their time is averaged. */
const SAMPLE_BLOCKS = 20;

export interface Fees {
  tiers: FeeTiers;
  /** Of one block, on average; null where the chain is too young to tell. */
  blockSeconds: number | null;
}

export async function readFees(provider: Eip1193Provider): Promise<Fees> {
  const [tiers, blockSeconds] = await Promise.all([
    feeTiers(provider),
    readBlockSeconds(provider).catch(() => null),
  ]);
  return { tiers, blockSeconds };
}

async function readBlockSeconds(provider: Eip1193Provider): Promise<number | null> {
  const head = Number(await provider.request({ method: "eth_blockNumber" }));
  const before = Math.max(0, head - SAMPLE_BLOCKS);
  if (head === before) return null;
  const [late, early] = await Promise.all([timeOf(head), timeOf(before)]);
  return (late - early) / (head - before);

  async function timeOf(block: number): Promise<number> {
    const params = [`0x${block.toString(16)}`, false];
    const found = await provider.request({ method: "eth_getBlockByNumber", params });
    return Number(Object(found).timestamp);
  }
}

/** How long it takes, in words. Where blocks come only now and then, seconds would promise what nobody knows. */
export function formatEta(tier: Tier, { blockSeconds }: Fees, { t, language }: Translator): string {
  const blocks = BLOCKS_TO_WAIT[tier];
  if (blockSeconds === null || !(blockSeconds > 0) || blockSeconds > 600) {
    return blocks === 1 ? t("in the next block") : t("within {n} blocks", { n: blocks });
  }
  const seconds = Math.max(1, Math.round(blocks * blockSeconds));
  const [value, unit] = seconds < 90 ? [seconds, "second"] : [Math.round(seconds / 60), "minute"];
  return `~ ${new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "short" }).format(value)}`;
}

/** The most that so much gas can cost at a tier, in wei, with the room that sending leaves for growing use. */
export function maxFeeFor(gas: bigint, tier: Tier, tiers: FeeTiers): bigint {
  return ((gas * 12n) / 10n) * tiers[tier].maxFeePerGas;
}

/** What is likely to be paid, in wei. */
export function expectedFeeFor(gas: bigint, tier: Tier, { baseFeePerGas, ...tiers }: FeeTiers): bigint {
  const { maxFeePerGas, maxPriorityFeePerGas } = tiers[tier];
  if (baseFeePerGas === null) return gas * maxFeePerGas;
  return gas * (baseFeePerGas + maxPriorityFeePerGas);
}

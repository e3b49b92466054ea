import { type Eip1193Provider, type FeeTiers, feeTiers } from "@purse/client";
import { formatDuration, type Translator } from "@purse/ui";

const TIERS = ["slow", "normal", "fast"] as const;
export type Tier = (typeof TIERS)[number];

/** The usual number of blocks until inclusion. */
const BLOCKS_TO_WAIT: Record<Tier, number> = { slow: 4, normal: 2, fast: 1 };
/** The number of blocks over which block time is averaged. */
const SAMPLE_BLOCKS = 20;

export interface Fees {
  tiers: FeeTiers;
  /** Average block time; null if the chain is too young. */
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

/** Formats the estimated time; in blocks if the chain produces blocks irregularly. */
export function formatEta(tier: Tier, { blockSeconds }: Fees, { t, language }: Translator): string {
  const blocks = BLOCKS_TO_WAIT[tier];
  if (blockSeconds === null || !(blockSeconds > 0) || blockSeconds > 600) {
    return blocks === 1 ? t("in the next block") : t("within {n, number} blocks", { n: blocks });
  }
  const seconds = Math.max(1, Math.round(blocks * blockSeconds));
  const rounded = seconds < 90 ? seconds : Math.round(seconds / 60) * 60;
  return `~ ${formatDuration(rounded * 1_000, language)}`;
}

/** The tiers that differ in their fees: only `normal` if all cost the same. */
export function offeredTiers(tiers: FeeTiers): readonly Tier[] {
  const isSame = TIERS.every(
    (each) =>
      tiers[each].maxFeePerGas === tiers.normal.maxFeePerGas &&
      tiers[each].maxPriorityFeePerGas === tiers.normal.maxPriorityFeePerGas,
  );
  return isSame ? ["normal"] : TIERS;
}

/** The maximum fee in wei, with the gas margin that the client adds. */
export function maxFeeFor(gas: bigint, tier: Tier, tiers: FeeTiers): bigint {
  return ((gas * 12n) / 10n) * tiers[tier].maxFeePerGas;
}

/** The expected fee in wei. */
export function expectedFeeFor(gas: bigint, tier: Tier, { baseFeePerGas, ...tiers }: FeeTiers): bigint {
  const { maxFeePerGas, maxPriorityFeePerGas } = tiers[tier];
  if (baseFeePerGas === null) return gas * maxFeePerGas;
  return gas * (baseFeePerGas + maxPriorityFeePerGas);
}

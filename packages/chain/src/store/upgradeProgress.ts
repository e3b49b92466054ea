/** Facts of an index: how it was made, and how far its upgrade is or was. */
export const DEFINITION_FACT = "making";
export const UPGRADE_FACT = "upgrade";
/** How far the owners of ERC-721 tokens are corrected; the sums and the lengths of lists stay as they are. */
export const OWNERS_FACT = "owners";

/** The first block whose events are kept, if those of earlier ones have been removed. */
export const KEPT_FACT = "kept";

/** The latest block of the index that is known to be final. */
export const FINAL_FACT = "final";

/** What the hashes of the chain's blocks commit to as on Ethereum. */
export const COMMITMENTS_FACT = "commitments";

/** The number of the last term of the lease in which a process of SCHEMA_VERSION or later was the leader. */
export const TERM_FACT = "term";

interface Definition {
  layout?: number;
  revision?: number;
  wrapped?: string | null;
  scope?: string;
}

/** The facts among the rows of a query that reads them together with others. */
export function factsOf(
  rows: readonly { fact: string | null; value: string | null }[],
): ReadonlyMap<string, string> {
  return new Map(
    rows.flatMap(({ fact, value }) => (fact === null || value === null ? [] : [[fact, value] as const])),
  );
}

/** Whether the index is one of known wallets, whose histories add rows to old blocks, by its facts. */
export function isOfWallets(facts: ReadonlyMap<string, string>): boolean {
  const making = facts.get(DEFINITION_FACT);
  if (making === undefined) return false;
  const { scope }: Definition = JSON.parse(making);
  return scope === "wallets";
}

/**
 * Whether an upgrade of the index has begun and not ended, by its facts: until its end, sums and the lengths of lists
 * are those of a part of the blocks.
 */
export function isBeingUpgraded(facts: ReadonlyMap<string, string>): boolean {
  const [making, upgrade] = [facts.get(DEFINITION_FACT), facts.get(UPGRADE_FACT)];
  if (making === undefined || upgrade === undefined) return false;
  const current: Definition = JSON.parse(making);
  const { target }: { target: string } = JSON.parse(upgrade);
  const wanted: Definition = JSON.parse(target);
  const [from, to] = [current, wanted].map(({ layout = 0, revision = layout }) => revision);
  // The target of an upgrade before the index was rebuilt can be of an earlier layout.
  if (from === undefined || to === undefined) return false;
  return to > from || (to === from && (wanted.wrapped ?? null) !== (current.wrapped ?? null));
}

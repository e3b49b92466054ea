import type { NftTraits } from "@purse/client";

/** The share of items of a collection that have a value of a trait, in percent; undefined if it is unknown. */
export function shareOfTrait(
  traits: NftTraits | undefined,
  { trait, value }: { trait: string; value: string },
): number | undefined {
  return traits?.traits
    .find(({ trait_type: name }) => name.slice(0, 80) === trait)
    ?.values.find((each) => String(each.value).slice(0, 120) === value)?.percentage;
}

/**
 * How much rarer than the average item of its collection an item is, by its traits: the information content of its
 * values divided by the average of the collection (OpenRarity's score). Undefined without traits, and if all values
 * are not known, or all items are alike.
 */
export function rarityScore(
  traits: NftTraits | undefined,
  attributes: readonly { trait: string; value: string }[],
): number | undefined {
  if (!traits || traits.is_partial || attributes.length === 0) return undefined;
  let content = 0;
  for (const attribute of attributes) {
    const share = shareOfTrait(traits, attribute);
    if (share === undefined || share <= 0) return undefined;
    content -= Math.log2(share / 100);
  }
  let entropy = 0;
  for (const { values } of traits.traits) {
    for (const { count } of values) {
      const share = count / traits.total_tokens;
      entropy -= share * Math.log2(share);
    }
  }
  return entropy > 0 ? content / entropy : undefined;
}

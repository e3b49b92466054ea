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

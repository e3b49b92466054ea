/** Choices of the slippage, in percent. */
export const SLIPPAGES = ["0.1", "0.5", "1", "3"] as const;
export type Slippage = (typeof SLIPPAGES)[number];

/** The slippage in the URL, or half a percent. */
export function slippageOf(text: string | undefined): Slippage {
  return SLIPPAGES.find((each) => each === text) ?? "0.5";
}

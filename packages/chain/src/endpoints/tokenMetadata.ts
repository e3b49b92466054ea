import type { TokenFacts } from "../model/tokens.ts";
import { askTokens } from "../node/tokens.ts";
import { asked, type FollowedChain } from "./chainContext.ts";

/** What tokens say of themselves: asked of each contract once, then kept. */
export async function knownTokens(
  chain: FollowedChain,
  addresses: string[],
  standard: number,
): Promise<Map<string, TokenFacts>> {
  const { node, store } = chain;
  const known = await store.tokens(addresses);
  const unknown = addresses.filter((address) => !known.has(address));
  if (unknown.length === 0) return known;
  const found = await asked(chain, undefined, () =>
    askTokens(
      node,
      unknown.map((address) => ({ address, standard })),
    ),
  );
  // What has neither name nor symbol nor decimals may not be there yet.
  chain.learn(
    found.filter(({ name, symbol, decimals }) => name !== null || symbol !== null || decimals !== null),
  );
  for (const token of found) known.set(token.address, token);
  return known;
}

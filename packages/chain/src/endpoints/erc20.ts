import type { JsonObject } from "@purse/protocol";
import type { TokenFacts } from "../model/tokens.ts";
import { RpcError } from "../node/rpcErrors.ts";
import { askAllowance, askBalances } from "../node/tokens.ts";
import { marketOf } from "../prices/knownMarkets.ts";
import type { Erc20Transfer } from "../store/tableRows.ts";
import {
  asked,
  assertIndexed,
  assertKnown,
  assertWhole,
  type ChainOf,
  type FollowedChain,
  notFound,
} from "./chainContext.ts";
import { placeOf, readList } from "./lists.ts";
import { invalid } from "./parameters.ts";
import { routeOf } from "./routes.ts";
import { knownTokens } from "./tokenMetadata.ts";

const MAX_TOKENS = 5_000;
const MAX_SYMBOL_ROWS = 500;

/** What wallets have, in coin and in ERC-20 tokens, what they have moved, and what tokens are. */
export function erc20Routes(chainOf: ChainOf) {
  return [
    routeOf("getNativeBalance", async ({ chain: selector, address, to_block: block }) => {
      const chain = chainOf(selector);
      const balance = await asked(chain, block, () => chain.node.balance(address, block ?? "latest"));
      return { balance: balance.toString() };
    }),
    routeOf("getTokenBalances", async ({ chain: selector, address, to_block: block, token_addresses }) => {
      const chain = chainOf(selector);
      const tokens = token_addresses ?? (await tokensOf(chain, address));
      const { balances, isCalculated } = await balancesOf(chain, address, tokens, block);
      const { wrappedNative } = marketOf(chain.config);
      const held = tokens.filter((token) => (balances.get(token) ?? 0n) > 0n);
      const facts = await knownTokens(chain, held, 20);
      return held.map((token): JsonObject => {
        const { name, symbol, decimals } = facts.get(token) ?? {};
        return {
          token_address: token,
          name: name ?? "",
          symbol: symbol ?? "",
          logo: null,
          thumbnail: null,
          decimals: decimals ?? 0,
          balance: String(balances.get(token)),
          // Only of the wrapped coin are the transfers in the index sure to be all that changes balances.
          ...(isCalculated && token !== wrappedNative && { calculated_from_transfers: true }),
        };
      });
    }),
    routeOf("getTokenTransfers", async ({ chain: selector, address, ...parameters }) => {
      const chain = chainOf(selector);
      await assertKnown(chain, [address]);
      return transfersPage(chain, { wallet: address }, parameters);
    }),
    routeOf("getTokenAddressTransfers", async ({ chain: selector, address, ...parameters }) => {
      const chain = chainOf(selector);
      await assertWhole(chain, "the transfers of a contract");
      return transfersPage(chain, { token: address }, parameters);
    }),
    routeOf("getTokenMetadata", async ({ chain: selector, addresses }) => {
      const chain = chainOf(selector);
      const facts = await knownTokens(chain, addresses, 20);
      return addresses.map((address) => metadataObject(address, facts.get(address)));
    }),
    routeOf("getTokenMetadataBySymbol", async ({ chain: selector, symbols }) => {
      const chain = chainOf(selector);
      await chain.firstLook();
      const known = () => chain.store.tokensBySymbol(symbols, MAX_SYMBOL_ROWS);
      let found = await known();
      if (found.length === 0) {
        // The symbols of tokens are read when the index has reached the head, a moment after the tokens are met.
        assertIndexed(chain);
        found = await newTokens(chain, symbols);
        if (found.length === 0) found = await known();
      }
      return found.map((facts) => metadataObject(facts.address, facts));
    }),
    routeOf("getTokenAllowance", async ({ chain: selector, address, owner_address, spender_address }) => {
      const chain = chainOf(selector);
      const allowance = await asked(chain, undefined, () =>
        askAllowance(chain.node, address, owner_address, spender_address),
      );
      if (allowance === undefined) throw notFound(`${address} gives no allowance: it is not an ERC-20 token`);
      return { allowance: allowance.toString() };
    }),
  ];
}

/** Tokens with one of some symbols among those that the index has met but not asked yet. */
async function newTokens(chain: FollowedChain, symbols: string[]): Promise<TokenFacts[]> {
  const unknown = await chain.store.unknownTokens(MAX_SYMBOL_ROWS);
  const addresses = unknown.filter(({ standard }) => standard === 20).map(({ address }) => address);
  if (addresses.length === 0) return [];
  const wanted = new Set(symbols.map((symbol) => symbol.toLowerCase()));
  const facts = await knownTokens(chain, addresses, 20);
  return [...facts.values()].filter(({ symbol }) => symbol !== null && wanted.has(symbol.toLowerCase()));
}

async function transfersPage(
  chain: FollowedChain,
  of: { wallet: string } | { token: string },
  parameters: Parameters<typeof readList>[1],
): Promise<JsonObject> {
  const { rows, blocks, page } = await readList<Erc20Transfer>(chain, parameters, (window) =>
    chain.store.erc20Transfers(of, window),
  );
  return page(
    rows.map((row) => ({
      transaction_hash: row.transactionHash,
      address: row.token,
      ...placeOf(blocks, row.position),
      to_address: row.to,
      from_address: row.from,
      value: row.value,
    })),
  );
}

/** The tokens that a wallet has ever received by a transfer, and the wrapped coin, which is got without one. */
async function tokensOf(chain: FollowedChain, address: string): Promise<string[]> {
  await assertKnown(chain, [address]);
  assertIndexed(chain);
  const { wrappedNative } = marketOf(chain.config);
  const received = await chain.store.erc20.tokensReceivedBy(address, MAX_TOKENS + 1);
  const tokens = [...new Set(wrappedNative === undefined ? received : [...received, wrappedNative])].sort();
  if (received.length <= MAX_TOKENS) return tokens;
  throw invalid(
    `address has received more than ${MAX_TOKENS} tokens: name those you want in token_addresses`,
  );
}

/** At one block, as the contracts say; for a past one that the node has no state of, as the index adds up. */
async function balancesOf(
  chain: FollowedChain,
  address: string,
  tokens: string[],
  asOf: number | undefined,
): Promise<{ balances: Map<string, bigint>; isCalculated: boolean }> {
  const { node } = chain;
  return asked(chain, asOf, async () => {
    try {
      // All at one block: what moves meanwhile must not be counted twice or not at all.
      const block = asOf ?? (await node.headNumber());
      const found = await askBalances(node, address, tokens, block);
      const balances = new Map(tokens.map((token, i) => [token, found[i] ?? 0n]));
      return { balances, isCalculated: false };
    } catch (error) {
      const isComplete = (chain.config.startBlock ?? 0) === 0 && asOf !== undefined;
      if (!(error instanceof RpcError) || !isComplete) throw error;
      const { indexed, head } = chain.status();
      if (head === null || asOf > head || (indexed ?? -1) < asOf) throw error;
      await assertKnown(chain, [address]);
      return { balances: await chain.store.erc20.sums(address, tokens, asOf), isCalculated: true };
    }
  });
}

export function metadataObject(address: string, facts: TokenFacts | undefined): JsonObject {
  return {
    address,
    name: facts?.name ?? "",
    symbol: facts?.symbol ?? "",
    decimals: String(facts?.decimals ?? 0),
    logo: null,
    logo_hash: null,
    thumbnail: null,
    block_number: null,
    validated: null,
  };
}

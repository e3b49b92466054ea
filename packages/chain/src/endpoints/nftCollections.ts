import { parseJson } from "@purse/protocol";
import { BLUR_POOL } from "../decode/trades/blur.ts";
import { toWord } from "../model/hexBytes.ts";
import { blockOf } from "../model/rows.ts";
import { type NftKey, nftKeyString } from "../model/tokens.ts";
import { marketOf } from "../prices/knownMarkets.ts";
import { IndexReadError } from "../store/indexErrors.ts";
import type { NftBalance } from "../store/nftBalances.ts";
import type { SalePrice, TraitCount } from "../store/nftCollections.ts";
import {
  type ChainContext,
  ensureWalletIndexed,
  requireSynced,
  type SelectChain,
  selectFullIndex,
} from "./chainContext.ts";
import { keptFields, withKeptEvents } from "./eventRetention.ts";
import { mapInSlices } from "./mapInSlices.ts";
import { contractType } from "./nftFields.ts";
import { ownershipFields } from "./nftOwnership.ts";
import { collectionLabels, loadNftSerializer, spamCollections } from "./nftSerializer.ts";
import { firstRows, pageFields } from "./pagination.ts";
import type { Handlers } from "./routes.ts";
import { loadTokenMetadata } from "./tokenMetadata.ts";
import { marketplaceContracts, tradeToJson } from "./trades.ts";

const DAY_SECONDS = 86_400;
/** Max sales of which prices are added up. */
const MAX_SALES = 100_000;
/** Max values of traits of a response. */
const MAX_TRAIT_VALUES = 5_000;

/** Collections of NFTs: numbers, traits, those of a wallet; several NFTs at once. */
export function nftCollectionHandlers(selectChain: SelectChain) {
  return {
    getNFTCollectionStats: async ({ chain: selector, address, days, marketplace }) => {
      const chain = await selectFullIndex(selectChain, selector, "the numbers of a collection");
      const marketplaces = marketplaceContracts(chain, marketplace);
      const since = Math.floor(Date.now() / 1000) - days * DAY_SECONDS;
      const { collections, trades } = chain.store;
      const [counts, first, latest] = await Promise.all([
        collections.counts(address, marketplaces),
        chain.store.blockAfter(since),
        trades.list(address, marketplaces, { offset: 0, limit: 1 }),
      ]);
      if (counts.transfers === 0) requireSynced(chain);
      const sold = first
        ? await withKeptEvents(chain, first.number, "the sales of that many days", () =>
            collections.prices(address, marketplaces, first.number, MAX_SALES + 1),
          )
        : [];
      if (sold.length > MAX_SALES)
        throw new IndexReadError("timeout", `there are more than ${MAX_SALES} sales: use fewer days`);
      const [last] = latest.rows;
      return {
        token_address: address,
        total_tokens: String(counts.tokens),
        owners: { current: String(counts.owners) },
        transfers: { total: String(counts.transfers) },
        sales: { total: String(counts.sales), in_period: String(sold.length), days },
        ...periodFields(sold, chain),
        last_sale: last ? tradeToJson(last, await chain.store.blocks([blockOf(last.position)])) : null,
        ...(await keptFields(chain)),
      };
    },
    getNFTTraitsByCollection: async ({ chain: selector, address }) => {
      const chain = await selectFullIndex(selectChain, selector, "the traits of a collection");
      const { traits, tokens } = await chain.store.collections.traits(address, MAX_TRAIT_VALUES + 1);
      if (tokens === 0) requireSynced(chain);
      return {
        token_address: address,
        total_tokens: tokens,
        is_partial: traits.length > MAX_TRAIT_VALUES,
        traits: groupTraits(traits.slice(0, MAX_TRAIT_VALUES), tokens),
      };
    },
    getNFTCollectionRarity: async ({ chain: selector, address, token_id, limit, cursor }) => {
      const chain = await selectFullIndex(selectChain, selector, "the rarity of tokens");
      const offset = Number(cursor?.parts[0] ?? 0);
      // One extra row shows whether there is a next page.
      const { rows, total } = await chain.store.collections.rarities(address, {
        tokenId: token_id === undefined ? undefined : toWord(token_id),
        offset,
        limit: limit + 1,
      });
      if (rows.length === 0 && offset === 0) requireSynced(chain);
      return {
        token_address: address,
        total_tokens: total,
        ...pageFields({ limit, cursor }, rows.length > limit ? [offset + limit] : undefined),
        result: rows.slice(0, limit).map(({ tokenId, rank, score }) => ({
          token_id: BigInt(tokenId).toString(),
          rarity_rank: rank,
          rarity_score: Math.round(score * 1e6) / 1e6,
          rarity_percentage: Math.round((rank / total) * 10_000) / 100,
        })),
      };
    },
    getWalletNFTCollections: async ({ chain: selector, address, limit, cursor, ...options }) => {
      const { exclude_spam, disable_total } = options;
      const chain = selectChain(selector);
      await ensureWalletIndexed(chain, [address]);
      const after = cursor?.parts[0];
      // One extra row shows whether there is a next page.
      const found = await chain.store.collections.ofWallet(address, {
        after: typeof after === "string" ? after : undefined,
        limit: limit + 1,
        ...(exclude_spam && { excluded: await spamCollections(chain, address) }),
      });
      if (found.total === 0) requireSynced(chain);
      const { rows, last } = firstRows(found.rows, limit);
      const metadata = await loadTokenMetadata(
        chain,
        rows.map(({ token }) => token),
        721,
      );
      return {
        ...(!disable_total && { total: found.total }),
        ...pageFields({ limit, cursor }, last && [last.token]),
        result: rows.map(({ token, standard, count }) => ({
          token_address: token,
          contract_type: contractType(standard),
          name: metadata.get(token)?.name ?? "",
          symbol: metadata.get(token)?.symbol ?? "",
          count,
          ...collectionLabels(chain, token, metadata.get(token)),
          collection_logo: chain.labels.of(token).logo,
        })),
      };
    },
    getMultipleNFTs: async ({ chain: selector, tokens, format, normalizeMetadata }) => {
      const chain = await selectFullIndex(selectChain, selector, "several NFTs");
      const keys = tokens.map(({ token_address: token, token_id: id }) => ({
        token,
        tokenId: toWord(id),
      }));
      const [known, holdings] = await Promise.all([
        chain.store.metadata.standards(keys),
        chain.store.nftBalances.holdings(keys),
      ]);
      const found = keys.flatMap((key) => {
        const standard = known.get(nftKeyString(key));
        return standard === undefined ? [] : [{ ...key, standard }];
      });
      const [serialize, balances] = await Promise.all([
        loadNftSerializer(chain, found, { format, normalizeMetadata }),
        // Tokens that were minted as a range have no balances yet.
        Promise.all(found.map((nft) => holdings.get(nftKeyString(nft))?.first ?? firstBalance(chain, nft))),
      ]);
      const owned = balances.flatMap((balance) => balance ?? []);
      const fields = await ownershipFields(chain, owned);
      const ownership = new Map(owned.map((balance, i) => [nftKeyString(balance), fields[i]]));
      return mapInSlices(found, (nft) => ({
        ...serialize(nft),
        ...(ownership.get(nftKeyString(nft)) ?? UNOWNED),
        amount: String(holdings.get(nftKeyString(nft))?.amount ?? 0n),
      }));
    },
  } satisfies Partial<Handlers>;
}

/** A token that has been burned. */
const UNOWNED = { owner_of: null, block_number: null, block_number_minted: null };

/** The balance of the owner of a token, or of one of its owners. */
async function firstBalance(
  { store }: ChainContext,
  { token, tokenId }: NftKey,
): Promise<NftBalance | undefined> {
  const { rows } = await store.nftBalances.listBalances({ token, tokenId }, { offset: 0, limit: 1 });
  return rows[0];
}

/** Sums of the sales in the native coin; wrapped coins, and those of Blur's pool, count as it. */
function periodFields(sold: readonly SalePrice[], { config }: ChainContext) {
  const { wrappedNative } = marketOf(config);
  const inCoins = sold.filter(
    ({ currency }) => currency === null || currency === wrappedNative || currency === BLUR_POOL,
  );
  const volume = inCoins.reduce((sum, { price }) => sum + price, 0n);
  const singles = inCoins.filter(({ tokens }) => tokens === 1).map(({ price }) => price);
  const floor = singles.reduce<bigint | null>(
    (low, price) => (low === null || price < low ? price : low),
    null,
  );
  return {
    floor_price: floor?.toString() ?? null,
    volume: volume.toString(),
    average_price: inCoins.length === 0 ? null : (volume / BigInt(inCoins.length)).toString(),
  };
}

/** Groups the values by trait. JSON can write the same value in different ways. */
function groupTraits(counts: readonly TraitCount[], tokens: number) {
  const byType = new Map<string, Map<string | number | boolean, number>>();
  for (const { type: typeText, value: valueText, count } of counts) {
    const type = parseJson(typeText);
    const value = parseJson(valueText);
    if (typeof type !== "string" || !isTraitValue(value)) continue;
    const values = byType.get(type) ?? new Map<string | number | boolean, number>();
    byType.set(type, values.set(value, (values.get(value) ?? 0) + count));
  }
  return [...byType].map(([trait_type, values]) => ({
    trait_type,
    values: [...values].map(([value, count]) => ({
      value,
      count,
      percentage: Math.round((count / tokens) * 10_000) / 100,
    })),
  }));
}

function isTraitValue(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

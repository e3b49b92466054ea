import { formatUnits } from "viem";
import { invalid, notFound } from "../model/requestErrors.ts";
import { indexOf } from "../model/rows.ts";
import { searchKey, type TokenMetadata } from "../model/tokens.ts";
import { RpcError } from "../node/rpcErrors.ts";
import { getAllowance, getBalances } from "../node/tokens.ts";
import { marketOf } from "../prices/knownMarkets.ts";
import type { Erc20Transfer } from "../store/tableRows.ts";
import type { Erc20Selection } from "../store/transferConditions.ts";
import {
  type ChainContext,
  ensureWalletIndexed,
  requireSynced,
  type SelectChain,
  selectFullIndex,
  withNodeErrors,
} from "./chainContext.ts";
import { firstKeptBlock } from "./eventRetention.ts";
import { contractType } from "./nftFields.ts";
import { blockFields, isoTime, type ListParameters, readList } from "./pagination.ts";
import { address as addressSchema } from "./parameterValues.ts";
import type { Handlers } from "./routes.ts";
import { loadTokenMetadata, refreshTokenMetadata } from "./tokenMetadata.ts";

/** Of the native coins of all chains. */
const NATIVE_DECIMALS = 18;
const MAX_TOKENS = 5_000;
const MAX_SEARCH_RESULTS = 100;
const MAX_SYMBOL_MATCHES = 500;

/** Native and ERC-20 balances of wallets, transfers, and metadata of tokens. */
export function erc20Handlers(selectChain: SelectChain) {
  return {
    getNativeBalance: async ({ chain: selector, address, to_block: block }) => {
      const chain = selectChain(selector);
      const balance = await withNodeErrors(chain, block, () =>
        chain.node.getBalance(address, block ?? "latest"),
      );
      return { balance: balance.toString() };
    },
    getNativeBalancesForAddresses: async ({ chain: selector, wallet_addresses: wallets, to_block }) => {
      const chain = selectChain(selector);
      const { number, timestamp, balances } = await withNodeErrors(chain, to_block, async () => {
        const number = to_block ?? (await chain.node.getBlockNumber());
        const [header, balances] = await Promise.all([
          chain.node.getHeader(number),
          chain.node.getBalances(wallets, number),
        ]);
        return { number, timestamp: header?.timestamp ?? 0, balances };
      });
      const total = balances.reduce((sum, balance) => sum + balance, 0n);
      return [
        {
          chain: chain.config.name,
          chain_id: `0x${chain.config.id.toString(16)}`,
          total_balance: String(total),
          block_number: String(number),
          block_timestamp: isoTime(timestamp),
          total_balance_formatted: formatUnits(total, NATIVE_DECIMALS),
          wallet_balances: wallets.map((address, i) => ({
            address,
            balance: String(balances[i] ?? 0n),
            balance_formatted: formatUnits(balances[i] ?? 0n, NATIVE_DECIMALS),
          })),
        },
      ];
    },
    getTokenBalances: async ({
      chain: selector,
      address,
      to_block: block,
      token_addresses,
      exclude_spam,
    }) => {
      const chain = selectChain(selector);
      const tokens = token_addresses ?? (await receivedTokens(chain, address));
      const { balances, isCalculated } = await readBalances(chain, address, tokens, block);
      const { wrappedNative } = marketOf(chain.config);
      const ownedTokens = tokens.filter((token) => (balances.get(token) ?? 0n) > 0n);
      const metadata = await loadTokenMetadata(chain, ownedTokens, 20);
      const rows = ownedTokens.map((token) => {
        const { name, symbol, decimals } = metadata.get(token) ?? {};
        return {
          token_address: token,
          name: name ?? "",
          symbol: symbol ?? "",
          ...erc20Labels(chain, token, metadata.get(token)),
          thumbnail: null,
          decimals: decimals ?? null,
          balance: String(balances.get(token)),
          // Only for the wrapped coin do transfers account for all balance changes.
          ...(isCalculated && token !== wrappedNative && { calculated_from_transfers: true }),
        };
      });
      return exclude_spam ? rows.filter(({ possible_spam }) => !possible_spam) : rows;
    },
    getTokenTransfers: async ({
      chain: selector,
      address,
      contract_addresses: tokens,
      order,
      ...parameters
    }) => {
      const chain = selectChain(selector);
      await ensureWalletIndexed(chain, [address]);
      return transfersPage(chain, { wallet: address, ...(tokens && { tokens }) }, parameters, order);
    },
    getTokenAddressTransfers: async ({ chain: selector, address, order, ...parameters }) => {
      const chain = await selectFullIndex(selectChain, selector, "the transfers of a contract");
      return transfersPage(chain, { token: address }, parameters, order);
    },
    getTokenMetadata: async ({ chain: selector, addresses }) => {
      const chain = selectChain(selector);
      const metadata = await loadTokenMetadata(chain, addresses, 20);
      return addresses.map((address) => tokenMetadataToJson(chain, address, metadata.get(address)));
    },
    getTokenMetadataBySymbol: async ({ chain: selector, symbols }) => {
      const chain = selectChain(selector);
      await chain.waitForFirstSync();
      const findKnown = () => chain.store.tokens.withSymbols(symbols, MAX_SYMBOL_MATCHES);
      let found = await findKnown();
      if (found.length === 0) {
        // Symbols are read after the index has reached the head, shortly after a token is discovered.
        requireSynced(chain);
        found = await findNewTokens(chain, symbols);
        if (found.length === 0) found = await findKnown();
      }
      return found.map((metadata) => tokenMetadataToJson(chain, metadata.address, metadata));
    },
    searchTokens: async ({ chain: selector, query, include_collections: includesCollections }) => {
      const chain = selectChain(selector);
      await chain.waitForFirstSync();
      const { success, data: address } = addressSchema.safeParse(query);
      if (success) {
        const metadata = (await loadTokenMetadata(chain, [address], 20)).get(address);
        return metadata && metadata.decimals !== null ? [tokenMetadataToJson(chain, address, metadata)] : [];
      }
      const found = await chain.store.tokens.search(query, MAX_SEARCH_RESULTS, includesCollections);
      if (found.length === 0) requireSynced(chain);
      return found.map((metadata) => ({
        ...tokenMetadataToJson(chain, metadata.address, metadata),
        ...(metadata.standard !== 20 && { contract_type: contractType(metadata.standard) }),
      }));
    },
    resyncTokenMetadata: async ({ chain: selector, address }) => {
      const chain = selectChain(selector);
      const read = await withNodeErrors(chain, undefined, () =>
        refreshTokenMetadata(chain, [{ address, standard: 20 }]),
      );
      return tokenMetadataToJson(chain, address, read.get(address));
    },
    getTokenAllowance: async ({ chain: selector, address, owner_address, spender_address }) => {
      const chain = selectChain(selector);
      const allowance = await withNodeErrors(chain, undefined, () =>
        getAllowance(chain.node, address, owner_address, spender_address),
      );
      if (allowance === undefined)
        throw notFound(`${address} returns no allowance: it is not an ERC-20 token`);
      return { allowance: allowance.toString() };
    },
  } satisfies Partial<Handlers>;
}

/** Tokens with one of the symbols whose metadata has not been stored yet. */
async function findNewTokens(chain: ChainContext, symbols: string[]): Promise<TokenMetadata[]> {
  const unresolved = await chain.store.tokens.withoutMetadata(MAX_SYMBOL_MATCHES);
  const addresses = unresolved.filter(({ standard }) => standard === 20).map(({ address }) => address);
  if (addresses.length === 0) return [];
  const requestedSymbols = new Set(symbols.map(searchKey));
  const metadata = await loadTokenMetadata(chain, addresses, 20);
  return [...metadata.values()].filter(
    ({ symbol }) => symbol !== null && requestedSymbols.has(searchKey(symbol)),
  );
}

async function transfersPage(
  chain: ChainContext,
  of: Erc20Selection,
  parameters: ListParameters,
  order: "desc" | "asc",
) {
  const { rows, blocks, page } = await readList<Erc20Transfer>(
    chain,
    parameters,
    (window) => chain.store.erc20Transfers(of, window),
    order === "asc",
  );
  return page(
    rows.map((row) => ({
      transaction_hash: row.transactionHash,
      address: row.token,
      ...blockFields(blocks, row.position),
      to_address: row.to,
      from_address: row.from,
      value: row.value,
      log_index: indexOf(row.position),
    })),
  );
}

/** The tokens that a wallet has ever received, and the wrapped coin, which can be minted without a transfer. */
export async function receivedTokens(chain: ChainContext, address: string): Promise<string[]> {
  await ensureWalletIndexed(chain, [address]);
  requireSynced(chain);
  const { wrappedNative } = marketOf(chain.config);
  const received = await readReceivedTokens(chain, address);
  const tokens = [...new Set(wrappedNative === undefined ? received : [...received, wrappedNative])].sort();
  if (received.length <= MAX_TOKENS) return tokens;
  throw invalid(`address has received more than ${MAX_TOKENS} tokens: specify some in token_addresses`);
}

/** Where transfers have been removed, the tokens of a positive balance count as well. */
async function readReceivedTokens(chain: ChainContext, address: string): Promise<string[]> {
  const { erc20Balances } = chain.store;
  const received = await erc20Balances.tokensReceivedBy(address, MAX_TOKENS + 1);
  if ((await firstKeptBlock(chain)) === undefined) return received;
  return [...new Set([...received, ...(await erc20Balances.tokensHeldBy(address, MAX_TOKENS + 1))])];
}

/**
 * Balances at one block from the contracts; if the node has no state of a past block, computed from indexed
 * transfers.
 */
async function readBalances(
  chain: ChainContext,
  address: string,
  tokens: string[],
  atBlock: number | undefined,
): Promise<{ balances: Map<string, bigint>; isCalculated: boolean }> {
  const { node } = chain;
  return withNodeErrors(chain, atBlock, async () => {
    try {
      // All at one block: concurrent transfers must not be counted twice or missed.
      const block = atBlock ?? (await node.getBlockNumber());
      const found = await getBalances(node, address, tokens, block);
      const balances = new Map(tokens.map((token, i) => [token, found[i] ?? 0n]));
      return { balances, isCalculated: false };
    } catch (error) {
      const isComplete = (chain.config.startBlock ?? 0) === 0 && atBlock !== undefined;
      if (!(error instanceof RpcError) || !isComplete) throw error;
      if ((await firstKeptBlock(chain)) !== undefined) throw error;
      const { indexed, head } = chain.status();
      if (head === null || atBlock > head || (indexed ?? -1) < atBlock) throw error;
      await ensureWalletIndexed(chain, [address]);
      return {
        balances: await chain.store.erc20Balances.balancesAt(address, tokens, atBlock),
        isCalculated: true,
      };
    }
  });
}

/** Logo and labels of a token contract. */
export function erc20Labels(chain: ChainContext, token: string, metadata: TokenMetadata | undefined) {
  const { logo, isSpam, isVerified } = chain.labels.of(token, metadata?.name, metadata?.symbol);
  return { logo, possible_spam: isSpam, verified_contract: isVerified };
}

export function tokenMetadataToJson(
  chain: ChainContext,
  address: string,
  metadata: TokenMetadata | undefined,
) {
  return {
    address,
    name: metadata?.name ?? "",
    symbol: metadata?.symbol ?? "",
    decimals: typeof metadata?.decimals === "number" ? String(metadata.decimals) : null,
    ...erc20Labels(chain, address, metadata),
    logo_hash: null,
    thumbnail: null,
    block_number: null,
    validated: null,
  };
}

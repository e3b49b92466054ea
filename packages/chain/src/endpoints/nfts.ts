import { setTimeout as sleep } from "node:timers/promises";
import { isFollowing } from "../model/chainStatus.ts";
import { toWord } from "../model/hexBytes.ts";
import { invalid, notFound, notSupported } from "../model/requestErrors.ts";
import { blockOf, indexOf, type NftTransferRow, positionOf } from "../model/rows.ts";
import { type NftKey, nftKeyString } from "../model/tokens.ts";
import { getRoyalty } from "../nft/royalties.ts";
import { getTokenUris } from "../nft/tokenUris.ts";
import { isNodeError } from "../node/rpcErrors.ts";
import type { ListOptions, ListResult } from "../store/listQuery.ts";
import type { BalanceSelection } from "../store/nftBalanceConditions.ts";
import type { CountedPages, NftBalance } from "../store/nftBalances.ts";
import type { NftTransferSelection } from "../store/transferConditions.ts";
import {
  type ChainContext,
  ensureWalletIndexed,
  requireSynced,
  type SelectChain,
  selectFullIndex,
  withNodeErrors,
} from "./chainContext.ts";
import { firstKeptBlock } from "./eventRetention.ts";
import { mapInSlices } from "./mapInSlices.ts";
import {
  collectionStandard,
  contractType,
  formatTokenId,
  limitPageSize,
  type TokenIdFormat,
} from "./nftFields.ts";
import { ownershipFields } from "./nftOwnership.ts";
import { collectionLabels, loadNftSerializer, type NftForm, spamCollections } from "./nftSerializer.ts";
import type { Cursor } from "./pageParameters.ts";
import {
  blockFields,
  type ListParameters,
  type OffsetPage,
  pageFields,
  placeOf,
  readList,
} from "./pagination.ts";
import type { Handlers } from "./routes.ts";
import type { EndpointParameters } from "./table.ts";
import { loadTokenMetadata } from "./tokenMetadata.ts";

/** Owners and transfers of NFTs. */
export function nftHandlers(selectChain: SelectChain) {
  return {
    getNFTs: async ({ chain: selector, address, token_addresses, exclude_spam, ...parameters }) => {
      const chain = selectChain(selector);
      await ensureWalletIndexed(chain, [address]);
      const tokens = token_addresses && { tokens: [...token_addresses] };
      const excluded = exclude_spam && { excluded: await spamCollections(chain, address) };
      return ownersPage(chain, { owner: address, ...tokens, ...excluded }, parameters);
    },
    getNFTsForContract: async ({ chain: selector, address, token_address, ...parameters }) => {
      const chain = selectChain(selector);
      await ensureWalletIndexed(chain, [address]);
      return ownersPage(chain, { owner: address, tokens: [token_address] }, parameters);
    },
    getNFTOwners: async ({ chain: selector, address, ...parameters }) => {
      const chain = await selectFullIndex(selectChain, selector, "the owners of a collection");
      return ownersPage(chain, { token: address }, parameters);
    },
    getTokenIdOwners: async ({ chain: selector, address, token_id, ...parameters }) => {
      const chain = await selectFullIndex(selectChain, selector, "the owners of a token");
      return ownersPage(chain, { token: address, tokenId: toWord(token_id) }, parameters);
    },
    getAllTokenIds: async ({ chain: selector, address, disable_total, ...parameters }) => {
      const { limit, cursor, offset, ...form } = parameters;
      const chain = await selectFullIndex(selectChain, selector, "the tokens of a collection");
      const found = await chain.store.nftBalances.listTokenIds(address, {
        after: cursor && cursorValue(cursor, 0),
        counted: cursor && countedPages(cursor, 1),
        offset: cursor ? 0 : offset,
        limit: limit + 1,
      });
      if (found.total === 0) requireSynced(chain);
      const all = found.rows.map((id) => ({ ...id, token: address }));
      const { rows: ids, last } = await limitPageSize(chain, all, limit);
      const serialize = await loadNftSerializer(chain, ids, form);
      return {
        ...(!disable_total && { total: found.total }),
        ...pageFields(placeOf(parameters), last && [last.tokenId, ...countedParts(found)]),
        status: listStatus(chain, found),
        result: await mapInSlices(ids, (id) => ({ ...serialize(id), amount: id.amount })),
      };
    },
    getTokenIdMetadata: async ({ chain: selector, address, token_id, ...form }) => {
      const chain = selectChain(selector);
      await chain.waitForFirstSync();
      const tokenId = toWord(token_id);
      const { rows } = await chain.store.nftBalances.listBalances(
        { token: address, tokenId },
        { offset: 0, limit: 1 },
      );
      const [first] = rows;
      if (!first) {
        requireSynced(chain);
        throw notFound(`${address} has no token ${token_id}`);
      }
      const [ownership] = await ownershipFields(chain, [first]);
      const object = { ...(await loadNftSerializer(chain, [first], form))(first), ...ownership };
      const listed = await chain.store.nftBalances.totalAmount(address, tokenId);
      // An unlisted token of a range has one owner and no balance of its own.
      const amount = listed === 0n ? BigInt(first.amount) : listed;
      const known = (await chain.store.metadata.get([first])).get(nftKeyString(first));
      // For new tokens, the contract has the URI before the index does.
      const currentUri = known?.isUriKnown || object.token_uri ? undefined : await readTokenUri(chain, first);
      const uri = currentUri && { token_uri: currentUri };
      return { ...object, ...uri, ...(await royaltyFields(chain, first)), amount: amount.toString() };
    },
    getNFTMetadata: async ({ chain: selector, address }) => {
      const chain = selectChain(selector);
      await chain.waitForFirstSync();
      const tokenMetadata = (await loadTokenMetadata(chain, [address], 0)).get(address);
      const standard = await collectionStandard(chain, address);
      if (standard === undefined) {
        requireSynced(chain);
        throw notFound(`${address} is not an NFT collection with transfers`);
      }
      return {
        token_address: address,
        name: tokenMetadata?.name ?? "",
        synced_at: null,
        symbol: tokenMetadata?.symbol ?? "",
        contract_type: contractType(standard),
        ...collectionLabels(chain, address, tokenMetadata),
        collection_logo: chain.labels.of(address).logo,
      };
    },
    getNFTTransfers: async ({
      chain: selector,
      address,
      direction,
      contract_addresses: tokens,
      format,
      order,
      ...parameters
    }) => {
      const chain = selectChain(selector);
      await ensureWalletIndexed(chain, [address]);
      const of = { wallet: address, direction, ...(tokens && { tokens }) };
      return transfersPage(chain, of, parameters, format, order === "asc");
    },
    getContractNFTTransfers: async ({ chain: selector, address, format, order, ...parameters }) => {
      const chain = await selectFullIndex(selectChain, selector, "the transfers of a collection");
      return transfersPage(chain, { token: address }, parameters, format, order === "asc");
    },
    getWalletTokenIdTransfers: async (given) => {
      const { chain: selector, address, token_id, format, order, ...parameters } = given;
      const chain = await selectFullIndex(selectChain, selector, "the transfers of a token");
      const of = { token: address, tokenId: toWord(token_id) };
      return transfersPage(chain, of, parameters, format, isAscending(order));
    },
    getNftTransfersFromToBlock: async ({ chain: selector, format, order, ...parameters }) => {
      const { from_block, to_block, from_date, to_date } = parameters;
      if ([from_block, to_block, from_date, to_date].every((bound) => bound === undefined))
        throw invalid("one of from_block, to_block, from_date and to_date is required");
      const chain = await selectFullIndex(selectChain, selector, "the transfers of a range of blocks");
      return transfersPage(chain, {}, parameters, format, order === "asc");
    },
    getNFTTransfersByBlock: async ({ chain: selector, block_number_or_hash, order, ...parameters }) => {
      const chain = await selectFullIndex(selectChain, selector, "the transfers of a block");
      const { number, exists } = await resolveBlock(chain, block_number_or_hash);
      if (!exists) throw notFound(`chain "${chain.config.name}" has no block ${block_number_or_hash}`);
      const bounds = { ...parameters, from_block: number, to_block: number };
      const page = await transfersPage(chain, {}, bounds, "decimal", order === "asc");
      return { ...page, block_exists: true, index_complete: (chain.status().indexed ?? -1) >= number };
    },
  } satisfies Partial<Handlers>;
}

async function transfersPage(
  chain: ChainContext,
  of: NftTransferSelection,
  parameters: ListParameters,
  format: TokenIdFormat,
  ascending = false,
) {
  const find = (window: ListOptions): Promise<ListResult<NftTransferRow>> =>
    chain.store.nftTransfers(of, window);
  const { rows, blocks, page } = await readList(chain, parameters, find, ascending);
  if (rows.length === 0 && "token" in of && of.token !== undefined)
    await requireStandardTransfers(chain, of.token);
  const positions = rows.map((row) => positionOf(blockOf(row.position), row.transactionIndex));
  const transactions = await chain.store.transactionsAt([...new Set(positions)]);
  return page(
    rows.map((row, i) => ({
      token_address: row.token,
      token_id: formatTokenId(row.tokenId, format),
      from_address: row.from,
      to_address: row.to,
      value: transactions.get(positions[i] ?? -1)?.value ?? null,
      amount: row.amount,
      contract_type: contractType(row.standard),
      ...blockFields(blocks, row.position),
      transaction_hash: row.transactionHash,
      transaction_type: row.isBatch ? "Batch" : "Single",
      transaction_index: String(row.transactionIndex),
      log_index: indexOf(row.position),
      operator: row.operator,
    })),
  );
}

/** An empty list would be wrong for contracts whose transfer events are not supported. */
async function requireStandardTransfers(chain: ChainContext, token: string): Promise<void> {
  if (!(await chain.store.nftBalances.hasLegacyTransfers(token))) return;
  throw notSupported(
    `the transfers of ${token} cannot be listed: it predates EIP-721 or does not log transfers in its format`,
  );
}

async function ownersPage(
  chain: ChainContext,
  of: BalanceSelection,
  { disable_total, ...parameters }: NftForm & OffsetPage & { disable_total?: boolean | undefined },
) {
  const { limit, cursor, offset, ...form } = parameters;
  const after = cursor && {
    token: cursorValue(cursor, 0),
    tokenId: cursorValue(cursor, 1),
    owner: cursorValue(cursor, 2),
  };
  // One extra row shows whether there is a next page.
  const found = await chain.store.nftBalances.listBalances(of, {
    after,
    counted: cursor && countedPages(cursor, 3),
    offset: cursor ? 0 : offset,
    limit: limit + 1,
  });
  if (found.total === 0) requireSynced(chain);
  const { rows, last } = await limitPageSize(chain, found.rows, limit);
  const hasDropped = (await firstKeptBlock(chain)) !== undefined;
  const [serialize, ownership] = await Promise.all([
    loadNftSerializer(chain, rows, form),
    ownershipFields(chain, rows),
  ]);
  // Without its transfers, a contract whose events are not supported looks like one without tokens.
  const isUnknown = hasDropped && found.total === 0 && "token" in of;
  return {
    ...(!disable_total && { total: found.total }),
    ...pageFields(
      placeOf(parameters),
      last && [last.token, last.tokenId, last.owner, ...countedParts(found)],
    ),
    status: listStatus(chain, { isPartial: found.isPartial || isUnknown }),
    result: await mapInSlices(rows, (row, i) => ({
      ...serialize(row),
      ...(ownership[i] ?? { owner_of: row.owner, block_number: null, block_number_minted: null }),
      amount: row.amount,
    })),
  };
}

/** Completeness of a list: PARTIAL if the collection has tokens that are not listed individually. */
function listStatus(chain: ChainContext, { isPartial }: { isPartial: boolean }): string {
  if (!isFollowing(chain.status())) return "SYNCING";
  return isPartial ? "PARTIAL" : "SYNCED";
}

/** Reads the current metadata URI from the contract. */
async function readTokenUri(chain: ChainContext, nft: NftBalance): Promise<string | undefined> {
  const [uri] = await withNodeErrors(chain, undefined, async () =>
    getTokenUris(chain.node, [nft], await chain.node.getBlockNumber()),
  );
  return uri;
}

/** Royalty of a token; omitted if no node responds in time, because the rest is available without it. */
async function royaltyFields(chain: ChainContext, nft: NftKey) {
  const timer = new AbortController();
  const timeout = sleep(ROYALTY_TIMEOUT_MS, undefined, { signal: timer.signal }).catch(() => undefined);
  try {
    const royalty = await Promise.race([getRoyalty(chain.node, nft), timeout]);
    if (royalty === undefined) return {};
    return {
      royalty_receiver: royalty?.receiver ?? null,
      royalty_basis_points: royalty?.basisPoints ?? null,
    };
  } catch (error) {
    if (isNodeError(error)) return {};
    throw error;
  } finally {
    timer.abort();
  }
}

/** Timeout for reading the royalty, in ms. */
const ROYALTY_TIMEOUT_MS = 3_000;

async function resolveBlock(
  chain: ChainContext,
  requested: number | string,
): Promise<{ number: number; exists: boolean }> {
  return withNodeErrors(chain, undefined, async () => {
    if (requested === "latest") return { number: await chain.node.getBlockNumber(), exists: true };
    if (typeof requested === "number")
      return { number: requested, exists: (await chain.node.getHeader(requested)) !== undefined };
    const head = await chain.node.getHeaderByHash(requested);
    return { number: head?.number ?? 0, exists: head !== undefined };
  });
}

/** Lists of transfers are always ordered by block; only the direction is selectable. */
function isAscending(order: EndpointParameters["getWalletTokenIdTransfers"]["order"]): boolean {
  const [first] = order ?? [];
  if (!first) return false;
  if (order?.length === 1 && (first.field === "asc" || first.field === "desc")) return first.field === "asc";
  if (order?.length === 1 && (first.field === "block_number" || first.field === "block_timestamp"))
    return !first.descending;
  throw invalid("order must be block_number.ASC or block_number.DESC");
}

function cursorValue(cursor: Cursor, index: number): string {
  const part = cursor.parts[index];
  if (typeof part === "string") return part;
  throw invalid("cursor is invalid");
}

/** The parts of a cursor that contain what the first page found about all pages. */
function countedParts({ total, isPartial }: CountedPages): number[] {
  return [total, isPartial ? 1 : 0];
}

/** See `countedParts`; undefined for cursors of an earlier version. */
function countedPages({ parts }: Cursor, index: number): CountedPages | undefined {
  const [total, isPartial] = parts.slice(index);
  return typeof total === "number" ? { total, isPartial: isPartial === 1 } : undefined;
}

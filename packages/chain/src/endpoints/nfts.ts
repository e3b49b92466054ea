import { setTimeout as sleep } from "node:timers/promises";
import { ErrorCode, type JsonObject, ProtocolError } from "@purse/protocol";
import { blockOf, indexOf, type NftTransferRow, positionOf } from "../model/rows.ts";
import type { TokenFacts } from "../model/tokens.ts";
import { keyText, type NftKey } from "../model/tokens.ts";
import { askRoyalty } from "../nft/royalties.ts";
import { askTokenUris } from "../nft/tokenUris.ts";
import { LyingNode, RpcError, RpcUnreachable } from "../node/rpcErrors.ts";
import type { BalanceSelection, NftBalance } from "../store/nftBalances.ts";
import type { Found } from "../store/queryResult.ts";
import type { NftSelection, Window } from "../store/unionBranches.ts";
import {
  asked,
  assertIndexed,
  assertKnown,
  assertWhole,
  type ChainOf,
  type FollowedChain,
  notFound,
} from "./chainContext.ts";
import { type ListParameters, placeOf, readList } from "./lists.ts";
import { contractType, type Format, fittingPage, idBytes, idText, metadataFields } from "./nftFields.ts";
import { cursorText, invalid } from "./parameters.ts";
import { routeOf } from "./routes.ts";
import type { Cursor, OrderField } from "./table.ts";
import { knownTokens } from "./tokenMetadata.ts";

/** Who owns which NFTs, and how they have moved. */
export function nftRoutes(chainOf: ChainOf) {
  return [
    routeOf("getNFTs", async ({ chain: selector, address, token_addresses, ...parameters }) => {
      const chain = chainOf(selector);
      await assertKnown(chain, [address]);
      const tokens = token_addresses && { tokens: [...token_addresses] };
      return ownersPage(chain, { owner: address, ...tokens }, parameters);
    }),
    routeOf("getNFTsForContract", async ({ chain: selector, address, token_address, ...parameters }) => {
      const chain = chainOf(selector);
      await assertKnown(chain, [address]);
      return ownersPage(chain, { owner: address, tokens: [token_address] }, parameters);
    }),
    routeOf("getNFTOwners", async ({ chain: selector, address, ...parameters }) => {
      const chain = chainOf(selector);
      await assertWhole(chain, "the owners of a collection");
      return ownersPage(chain, { token: address }, parameters);
    }),
    routeOf("getTokenIdOwners", async ({ chain: selector, address, token_id, ...parameters }) => {
      const chain = chainOf(selector);
      await assertWhole(chain, "the owners of a token");
      return ownersPage(chain, { token: address, tokenId: idBytes(token_id) }, parameters);
    }),
    routeOf("getAllTokenIds", async ({ chain: selector, address, format, limit, cursor }) => {
      const chain = chainOf(selector);
      await assertWhole(chain, "the tokens of a collection");
      const after = cursor && { after: textPart(cursor, 0) };
      const found = await chain.store.nfts.ids(address, { ...after, offset: 0, limit: limit + 1 });
      if (found.total === 0) assertIndexed(chain);
      const all = found.rows.map((id) => ({ ...id, token: address }));
      const { rows: ids, last } = await fittingPage(chain, all, limit);
      const objects = await nftObjects(chain, ids, format);
      const page = cursor?.page ?? 0;
      return {
        total: found.total,
        page,
        page_size: limit,
        cursor: last ? cursorText([last.tokenId], page + 1) : "",
        status: listStatus(chain, found),
        result: objects.map((object, i) => ({ ...object, amount: ids[i]?.amount ?? "0" })),
      };
    }),
    routeOf("getTokenIdMetadata", async ({ chain: selector, address, token_id, format }) => {
      const chain = chainOf(selector);
      await chain.firstLook();
      const tokenId = idBytes(token_id);
      const { rows } = await chain.store.nfts.balances(
        { token: address, tokenId },
        { offset: 0, limit: 500 },
      );
      const [first] = rows;
      if (!first) {
        assertIndexed(chain);
        throw notFound(`${address} has no token ${token_id}`);
      }
      const [object] = await nftObjects(chain, [first], format);
      const amount = rows.reduce((sum, row) => sum + BigInt(row.amount), 0n);
      const known = (await chain.store.metadata.of([first])).get(keyText(first));
      // Of a token that has just come its contract tells more than the index.
      const asking = known?.isAsked || object?.token_uri ? undefined : await askUri(chain, first);
      const uri = asking && { token_uri: asking };
      return { ...object, ...uri, ...(await royaltyFields(chain, first)), amount: amount.toString() };
    }),
    routeOf("getNFTMetadata", async ({ chain: selector, address }) => {
      const chain = chainOf(selector);
      await chain.firstLook();
      const facts = (await knownTokens(chain, [address], 0)).get(address);
      const standard = await standardOf(chain, address);
      if (standard === undefined) {
        assertIndexed(chain);
        throw notFound(`${address} is not a collection of NFTs that has ever moved one`);
      }
      return {
        token_address: address,
        name: facts?.name ?? "",
        synced_at: null,
        symbol: facts?.symbol ?? "",
        contract_type: contractType(standard),
      };
    }),
    routeOf("getNFTTransfers", async ({ chain: selector, address, direction, format, ...parameters }) => {
      const chain = chainOf(selector);
      await assertKnown(chain, [address]);
      return transfersPage(chain, { wallet: address, direction: directionOf(direction) }, parameters, format);
    }),
    routeOf("getContractNFTTransfers", async ({ chain: selector, address, format, ...parameters }) => {
      const chain = chainOf(selector);
      await assertWhole(chain, "the transfers of a collection");
      return transfersPage(chain, { token: address }, parameters, format);
    }),
    routeOf("getWalletTokenIdTransfers", async (given) => {
      const { chain: selector, address, token_id, format, order, ...parameters } = given;
      const chain = chainOf(selector);
      await assertWhole(chain, "the transfers of a token");
      const of = { token: address, tokenId: idBytes(token_id) };
      return transfersPage(chain, of, parameters, format, isAscending(order));
    }),
    routeOf("getNftTransfersFromToBlock", async ({ chain: selector, format, ...parameters }) => {
      const { from_block, to_block, from_date, to_date } = parameters;
      if ([from_block, to_block, from_date, to_date].every((bound) => bound === undefined))
        throw invalid("one of from_block, to_block, from_date and to_date is required");
      const chain = chainOf(selector);
      await assertWhole(chain, "the transfers of a range of blocks");
      return transfersPage(chain, {}, parameters, format);
    }),
    routeOf("getNFTTransfersByBlock", async ({ chain: selector, block_number_or_hash, ...parameters }) => {
      const chain = chainOf(selector);
      await assertWhole(chain, "the transfers of a block");
      const { number, exists } = await numberOf(chain, block_number_or_hash);
      if (!exists) throw notFound(`chain "${chain.config.name}" has no block ${block_number_or_hash}`);
      const bounds = { ...parameters, from_block: number, to_block: number };
      const page = await transfersPage(chain, {}, bounds, "decimal");
      return { ...page, block_exists: true, index_complete: (chain.status().indexed ?? -1) >= number };
    }),
  ];
}

async function transfersPage(
  chain: FollowedChain,
  of: NftSelection,
  parameters: ListParameters,
  format: Format,
  ascending = false,
): Promise<JsonObject> {
  const find = (window: Window): Promise<Found<NftTransferRow>> => chain.store.nftTransfers(of, window);
  const { rows, blocks, page } = await readList(chain, parameters, find, ascending);
  if (rows.length === 0 && "token" in of && of.token !== undefined) await assertReadable(chain, of.token);
  const positions = rows.map((row) => positionOf(blockOf(row.position), row.transactionIndex));
  const transactions = await chain.store.transactionsAt([...new Set(positions)]);
  return page(
    rows.map((row, i) => ({
      token_address: row.token,
      token_id: idText(row.tokenId, format),
      from_address: row.from,
      to_address: row.to,
      value: transactions.get(positions[i] ?? -1)?.value ?? null,
      amount: row.amount,
      contract_type: contractType(row.standard),
      ...placeOf(blocks, row.position),
      transaction_hash: row.transactionHash,
      transaction_type: row.isBatch ? "Batch" : "Single",
      transaction_index: String(row.transactionIndex),
      log_index: indexOf(row.position),
      operator: row.operator,
    })),
  );
}

/** No transfers is no answer of a contract that has logged some in a way that the index does not read. */
async function assertReadable(chain: FollowedChain, token: string): Promise<void> {
  if (!(await chain.store.nfts.hasEarlyNfts(token))) return;
  throw new ProtocolError(
    ErrorCode.COMMAND_UNAVAILABLE,
    `the transfers of ${token} cannot be listed: it is older than EIP-721, or does not log transfers as that says`,
    501,
  );
}

async function ownersPage(
  chain: FollowedChain,
  of: BalanceSelection,
  { limit, cursor, format }: { limit: number; cursor?: Cursor | undefined; format: Format },
): Promise<JsonObject> {
  const after = cursor && {
    token: textPart(cursor, 0),
    tokenId: textPart(cursor, 1),
    owner: textPart(cursor, 2),
  };
  // One more than asked tells whether there is a next page.
  const found = await chain.store.nfts.balances(of, { ...(after && { after }), offset: 0, limit: limit + 1 });
  if (found.total === 0) assertIndexed(chain);
  const { rows, last } = await fittingPage(chain, found.rows, limit);
  const [objects, moments] = await Promise.all([
    nftObjects(chain, rows, format),
    chain.store.nfts.moments(rows),
  ]);
  const page = cursor?.page ?? 0;
  return {
    total: found.total,
    page,
    page_size: limit,
    cursor: last ? cursorText([last.token, last.tokenId, last.owner], page + 1) : "",
    status: listStatus(chain, found),
    result: objects.map((object, i) => ({
      ...object,
      owner_of: rows[i]?.owner ?? "",
      block_number: blockText(moments[i]?.moved),
      // Of tokens that others have had before, an index of some wallets does not know the beginning.
      block_number_minted: chain.config.scope === "wallets" ? null : blockText(moments[i]?.minted),
      amount: rows[i]?.amount ?? "0",
    })),
  };
}

/** How much of a list there is: PARTIAL where the collection has moved tokens that are not listed one by one. */
function listStatus(chain: FollowedChain, { isPartial }: { isPartial: boolean }): string {
  if (chain.status().state === "syncing") return "SYNCING";
  return isPartial ? "PARTIAL" : "SYNCED";
}

/** Where a token's metadata is, as its contract says now. */
async function askUri(chain: FollowedChain, nft: NftBalance): Promise<string | undefined> {
  const [uri] = await asked(chain, undefined, async () =>
    askTokenUris(chain.node, [nft], await chain.node.headNumber()),
  );
  return uri;
}

/** What goes to whom when a token is sold; nothing where no node tells in time, for the rest is known without one. */
async function royaltyFields(chain: FollowedChain, nft: NftKey): Promise<JsonObject> {
  const waiting = new AbortController();
  const enough = sleep(ROYALTY_MS, undefined, { signal: waiting.signal }).catch(() => undefined);
  try {
    const royalty = await Promise.race([askRoyalty(chain.node, nft), enough]);
    if (royalty === undefined) return {};
    return {
      royalty_receiver: royalty?.receiver ?? null,
      royalty_basis_points: royalty?.basisPoints ?? null,
    };
  } catch (error) {
    if (error instanceof RpcUnreachable || error instanceof RpcError || error instanceof LyingNode) return {};
    throw error;
  } finally {
    waiting.abort();
  }
}

/** How long an answer waits for a contract to say what it wants of sales, in ms. */
const ROYALTY_MS = 3_000;

/** Tokens with what the index knows of them. */
async function nftObjects(
  chain: FollowedChain,
  tokens: readonly (NftKey & Pick<NftBalance, "standard">)[],
  format: Format,
): Promise<JsonObject[]> {
  const facts = new Map<string, TokenFacts>();
  for (const standard of [721, 1155]) {
    const addresses = new Set(tokens.filter((each) => each.standard === standard).map(({ token }) => token));
    for (const [address, fact] of await knownTokens(chain, [...addresses], standard))
      facts.set(address, fact);
  }
  const known = await chain.store.metadata.of(tokens);
  return tokens.map(({ token, tokenId, standard }) => ({
    token_address: token,
    token_id: idText(tokenId, format),
    contract_type: contractType(standard),
    ...metadataFields(known.get(token + tokenId)),
    name: facts.get(token)?.name ?? "",
    symbol: facts.get(token)?.symbol ?? "",
  }));
}

/** Of a collection, by its transfers; undefined where it has none. */
async function standardOf(chain: FollowedChain, token: string): Promise<number | undefined> {
  const { rows } = await chain.store.nftTransfers({ token }, { offset: 0, limit: 1, ascending: true });
  return rows[0]?.standard;
}

async function numberOf(
  chain: FollowedChain,
  wanted: number | string,
): Promise<{ number: number; exists: boolean }> {
  return asked(chain, undefined, async () => {
    if (wanted === "latest") return { number: await chain.node.headNumber(), exists: true };
    if (typeof wanted === "number")
      return { number: wanted, exists: (await chain.node.head(wanted)) !== undefined };
    const head = await chain.node.headByHash(wanted);
    return { number: head?.number ?? 0, exists: head !== undefined };
  });
}

function directionOf(direction: string): "both" | "to" | "from" {
  return direction === "to" || direction === "from" ? direction : "both";
}

/** Lists of transfers have one order, by block; which way it goes can be chosen. */
function isAscending(order: readonly OrderField[] | undefined): boolean {
  const [first] = order ?? [];
  if (!first) return false;
  if (order?.length === 1 && (first.field === "block_number" || first.field === "block_timestamp"))
    return !first.descending;
  throw invalid("order must be block_number.ASC or block_number.DESC");
}

function textPart(cursor: Cursor, index: number): string {
  const part = cursor.parts[index];
  if (typeof part === "string") return part;
  throw new ProtocolError(ErrorCode.VALIDATION_ERROR, "cursor is not one that this server has given", 400);
}

function blockText(position: number | undefined): string | null {
  return position === undefined ? null : String(blockOf(position));
}

import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { toBytes, toWord } from "../model/hexBytes.ts";
import { invalid, notFound } from "../model/requestErrors.ts";
import { type NftKey, nftKeyString } from "../model/tokens.ts";
import { queryTerms, searchedParts } from "../nft/searchTerms.ts";
import type { MetadataRecord } from "../store/nftMetadata.ts";
import { type ChainContext, requireSynced, type SelectChain, selectFullIndex } from "./chainContext.ts";
import {
  collectionStandard,
  contractType,
  formatTokenId,
  limitPageSize,
  metadataToFields,
} from "./nftFields.ts";
import { blockBounds, pageFields, placeOf } from "./pagination.ts";
import { createParameterParser, type Parameters } from "./parseParameters.ts";
import { type Handlers, StatusResponse } from "./routes.ts";
import { TYPED_ENDPOINTS } from "./table.ts";

/** How long a response waits for a refresh, and the poll interval, in ms. */
const REFRESH_TIMEOUT_MS = 20_000;
const REFRESH_POLL_MS = 50;

/** Search and refresh of NFT metadata. */
export function nftMetadataHandlers(selectChain: SelectChain) {
  return {
    searchNFTs: async ({ chain: selector, q, filter, addresses, format, disable_total, ...parameters }) => {
      const { limit, offset, cursor, ...range } = parameters;
      const chain = await selectFullIndex(selectChain, selector, "a search over NFTs");
      const terms = queryTerms(q, searchedParts(filter));
      if (terms.length === 0) throw invalid("q must contain letters or digits");
      const [after, builtAt] = cursor?.parts ?? [];
      if (after !== undefined && typeof after !== "number")
        throw invalid("cursor is not valid for this list");
      const bounds = await blockBounds(chain, range);
      // One extra row shows whether there is a next page.
      const found = await chain.store.metadata.search({
        terms,
        tokens: addresses,
        ...bounds,
        after,
        offset: cursor ? 0 : offset,
        limit: limit + 1,
      });
      // Cursors of earlier versions do not have it.
      if (builtAt !== undefined && builtAt !== found.builtAt)
        throw invalid("cursor is from before the index was rebuilt or upgraded: begin with the first page");
      if (found.total === 0) requireSynced(chain);
      const { rows, last } = await limitPageSize(chain, found.rows, limit);
      return {
        ...(!disable_total && { total: found.total }),
        ...pageFields(placeOf(parameters), last && [last.id, found.builtAt]),
        result: rows.map((row) => ({
          token_address: row.token,
          token_id: formatTokenId(row.tokenId, format),
          contract_type: contractType(row.standard),
          token_hash: tokenHash(row),
          ...metadataToFields(row),
        })),
      };
    },
    reSyncMetadata: async ({ chain: selector, address, token_id, flag, mode }) => {
      const chain = selectChain(selector);
      await chain.waitForFirstSync();
      const nft = { token: address, tokenId: toWord(token_id) };
      const before = await getMetadataRecord(chain, nft);
      if (!before) {
        requireSynced(chain);
        return new StatusResponse(404, { status: "the token does not exist" });
      }
      chain.refreshMetadata({ nft, target: flag });
      const after = mode === "sync" ? await waitForRefresh(chain, nft, before) : undefined;
      if (!after) return new StatusResponse(202, { status: "accepted" });
      if (after.problem !== null) return new StatusResponse(404, { status: after.problem });
      return { status: "completed" };
    },
    syncNFTContract: async ({ chain: selector, address }) => {
      const chain = selectChain(selector);
      await chain.waitForFirstSync();
      if ((await collectionStandard(chain, address)) === undefined) {
        requireSynced(chain);
        throw notFound(`${address} is not an NFT collection with transfers`);
      }
      chain.refreshMetadata({ collection: address });
      return {};
    },
  } satisfies Partial<Handlers>;
}

/**
 * Creates a reader for the metadata text of an NFT; undefined if the index has none. Accepts the parameters of an
 * endpoint.
 */
export function createMetadataReader(selectChain: SelectChain) {
  const parse = createParameterParser(TYPED_ENDPOINTS.getTokenIdMetadata);
  return async (values: Parameters): Promise<string | undefined> => {
    const { chain, address, token_id } = parse(values);
    const record = await getMetadataRecord(selectChain(chain), {
      token: address,
      tokenId: toWord(token_id),
    });
    return record?.metadata ?? undefined;
  };
}

async function getMetadataRecord(chain: ChainContext, nft: NftKey): Promise<MetadataRecord | undefined> {
  return (await chain.store.metadata.get([nft])).get(nftKeyString(nft));
}

/** Resolves after the next attempt to read the metadata; undefined on timeout. */
async function waitForRefresh(
  chain: ChainContext,
  nft: NftKey,
  before: MetadataRecord,
): Promise<MetadataRecord | undefined> {
  const end = Date.now() + REFRESH_TIMEOUT_MS;
  while (Date.now() < end) {
    await sleep(REFRESH_POLL_MS);
    const record = await getMetadataRecord(chain, nft);
    if (record && record.attemptedAt !== before.attemptedAt) return record;
  }
  return undefined;
}

/** Short unique id of a token. */
function tokenHash({ token, tokenId }: NftKey): string {
  return createHash("sha256")
    .update(Buffer.concat([toBytes(token), toBytes(tokenId)]))
    .digest("hex");
}

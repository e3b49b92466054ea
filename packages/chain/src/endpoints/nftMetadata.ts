import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { toBytes } from "../model/hexBytes.ts";
import { keyText, type NftKey } from "../model/tokens.ts";
import { partsOf, wantedWords } from "../nft/searchTerms.ts";
import type { KnownMetadata } from "../store/nftMetadata.ts";
import { assertIndexed, assertWhole, type ChainOf, type FollowedChain, notFound } from "./chainContext.ts";
import { blockBounds } from "./lists.ts";
import { contractType, fittingPage, idBytes, idText, metadataFields } from "./nftFields.ts";
import { cursorText, invalid, type Parameters, readParameters } from "./parameters.ts";
import { AnswerWithStatus, routeOf } from "./routes.ts";
import { endpointOf } from "./table.ts";

/** How long an answer waits for metadata that is read for it, and how often it looks, in ms. */
const REREAD_MS = 20_000;
const REREAD_LOOK_MS = 50;

/** NFTs by what their metadata says, and having that read again. */
export function nftMetadataRoutes(chainOf: ChainOf) {
  return [
    routeOf(
      "searchNFTs",
      async ({ chain: selector, q, filter, addresses, format, limit, cursor, ...range }) => {
        const chain = chainOf(selector);
        await assertWhole(chain, "a search over NFTs");
        const words = wantedWords(q, partsOf(filter));
        if (words.length === 0) throw invalid("q has neither letters nor digits");
        const after = cursor?.parts[0];
        if (after !== undefined && typeof after !== "number") throw invalid("cursor is not one of this list");
        const bounds = await blockBounds(chain, range);
        // One more than asked tells whether there is a next page.
        const found = await chain.store.metadata.search({
          words,
          tokens: addresses,
          ...bounds,
          after,
          limit: limit + 1,
        });
        if (found.total === 0) assertIndexed(chain);
        const { rows, last } = await fittingPage(chain, found.rows, limit);
        const page = cursor?.page ?? 0;
        return {
          total: found.total,
          page,
          page_size: limit,
          cursor: last ? cursorText([last.id], page + 1) : "",
          result: rows.map((row) => ({
            token_address: row.token,
            token_id: idText(row.tokenId, format),
            contract_type: contractType(row.standard),
            token_hash: tokenHash(row),
            ...metadataFields(row),
          })),
        };
      },
    ),
    routeOf("reSyncMetadata", async ({ chain: selector, address, token_id, flag, mode }) => {
      const chain = chainOf(selector);
      await chain.firstLook();
      const nft = { token: address, tokenId: idBytes(token_id) };
      const before = await knownOf(chain, nft);
      if (!before) {
        assertIndexed(chain);
        return new AnswerWithStatus(404, { status: "there is no such token" });
      }
      chain.reread({ nft, what: flag });
      const after = mode === "sync" ? await lookedAtAgain(chain, nft, before) : undefined;
      if (!after) return new AnswerWithStatus(202, { status: "accepted" });
      if (after.problem !== null) return new AnswerWithStatus(404, { status: after.problem });
      return { status: "completed" };
    }),
    routeOf("syncNFTContract", async ({ chain: selector, address }) => {
      const chain = chainOf(selector);
      await chain.firstLook();
      const { total } = await chain.store.nftTransfers({ token: address }, { offset: 0, limit: 1 });
      if (total === 0) {
        assertIndexed(chain);
        throw notFound(`${address} is not a collection of NFTs that has ever moved one`);
      }
      chain.reread({ collection: address });
      return {};
    }),
  ];
}

/** Reads the text of an NFT's metadata in the index; undefined where it has none. Takes the parameters of an endpoint. */
export function metadataTextOf(chainOf: ChainOf) {
  return async (given: Parameters): Promise<string | undefined> => {
    const { chain, address, token_id } = readParameters(endpointOf("getTokenIdMetadata"), given);
    const known = await knownOf(chainOf(chain), { token: address, tokenId: idBytes(token_id) });
    return known?.metadata ?? undefined;
  };
}

async function knownOf(chain: FollowedChain, nft: NftKey): Promise<KnownMetadata | undefined> {
  return (await chain.store.metadata.of([nft])).get(keyText(nft));
}

/** Resolves when a token has been looked at; with undefined where that takes too long. */
async function lookedAtAgain(
  chain: FollowedChain,
  nft: NftKey,
  before: KnownMetadata,
): Promise<KnownMetadata | undefined> {
  const end = Date.now() + REREAD_MS;
  while (Date.now() < end) {
    await sleep(REREAD_LOOK_MS);
    const known = await knownOf(chain, nft);
    if (known && known.lookedAt !== before.lookedAt) return known;
  }
  return undefined;
}

/** Tells tokens apart by one short text. */
function tokenHash({ token, tokenId }: NftKey): string {
  return createHash("sha256")
    .update(Buffer.concat([toBytes(token), toBytes(tokenId)]))
    .digest("hex");
}

import { invalid } from "../model/requestErrors.ts";
import type { NftKey, TokenMetadata } from "../model/tokens.ts";
import type { NftBalance } from "../store/nftBalances.ts";
import type { ChainContext } from "./chainContext.ts";
import { contractType, formatTokenId, metadataToFields, type TokenIdFormat } from "./nftFields.ts";
import { normalizeMetadata } from "./normalizedMetadata.ts";
import { loadTokenMetadata } from "./tokenMetadata.ts";

type StandardNft = NftKey & Pick<NftBalance, "standard">;

/** How NFTs are serialized. */
export interface NftForm {
  format: TokenIdFormat;
  /** Adds the metadata in a uniform form. */
  normalizeMetadata: boolean;
}

/** Loads the metadata of tokens from the index, and creates a function that serializes them with it. */
export async function loadNftSerializer(
  chain: ChainContext,
  tokens: readonly StandardNft[],
  { format, normalizeMetadata: isNormalized }: NftForm,
) {
  const [known, ...contracts] = await Promise.all([
    chain.store.metadata.get(tokens),
    ...[721, 1155].map((standard) => {
      const addresses = new Set(
        tokens.filter((each) => each.standard === standard).map(({ token }) => token),
      );
      return addresses.size > 0 ? loadTokenMetadata(chain, [...addresses], standard) : [];
    }),
  ]);
  const tokenMetadata = new Map<string, TokenMetadata>(contracts.flatMap((each) => [...each]));
  return ({ token, tokenId, standard }: StandardNft) => ({
    token_address: token,
    token_id: formatTokenId(tokenId, format),
    contract_type: contractType(standard),
    ...metadataToFields(known.get(token + tokenId)),
    ...(isNormalized && {
      normalized_metadata: normalizeMetadata(known.get(token + tokenId)?.metadata ?? null),
    }),
    name: tokenMetadata.get(token)?.name ?? "",
    symbol: tokenMetadata.get(token)?.symbol ?? "",
    ...collectionLabels(chain, token, tokenMetadata.get(token)),
  });
}

/** Labels of a collection. */
export function collectionLabels(chain: ChainContext, token: string, metadata: TokenMetadata | undefined) {
  const { isSpam, isVerified } = chain.labels.of(token, metadata?.name, metadata?.symbol);
  return { possible_spam: isSpam, verified_collection: isVerified };
}

/** Max collections of a wallet among which spam is searched. */
const MAX_COLLECTIONS = 5_000;

/** The collections of a wallet that are possible spam. */
export async function spamCollections(chain: ChainContext, owner: string): Promise<string[]> {
  const { rows, total } = await chain.store.collections.ofWallet(owner, { limit: MAX_COLLECTIONS });
  if (total > MAX_COLLECTIONS)
    throw invalid(`exclude_spam is not available for wallets with more than ${MAX_COLLECTIONS} collections`);
  const tokens = rows.map(({ token }) => token);
  const metadata = await loadTokenMetadata(chain, tokens, 721);
  return tokens.filter((token) => {
    const { name, symbol } = metadata.get(token) ?? {};
    return chain.labels.of(token, name, symbol).isSpam;
  });
}

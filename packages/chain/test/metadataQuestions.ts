import { isJsonObject, type JsonObject } from "@purse/protocol";
import { type Address, parseAbi } from "viem";
import { expect } from "vitest";
import { rowsOf } from "./jsonResponses.ts";
import { lower } from "./nodeHistory.ts";
import { allRows, fieldsOf, type Questioner, type Questions } from "./randomQuestions.ts";

const abi = parseAbi([
  "function name() view returns (string)",
  "function symbol() view returns (string)",
  "function tokenURI(uint256 id) view returns (string)",
]);
/** In ms. */
const PATIENCE = 60_000;

/** Questions about the metadata of NFTs; `gallery` is a collection with metadata in its contract. */
export function metadataQuestions(asker: Questioner, gallery: Address): Questions {
  const { choice, node, collections } = asker;
  const ids = () =>
    [...node.nftHoldings().keys()]
      .filter((key) => key.startsWith(lower(gallery)))
      .map((key) => String(key.split(" ")[1]));

  /** The metadata of a token, as its contract has it. */
  async function metadataOf(id: string): Promise<JsonObject> {
    const args = [BigInt(id)] as const;
    const uri = await node.client.readContract({ address: gallery, abi, functionName: "tokenURI", args });
    const metadata: unknown = JSON.parse(decodeURIComponent(uri.slice(uri.indexOf(",") + 1)));
    if (!isJsonObject(metadata)) throw new Error(`${uri} has no object`);
    return metadata;
  }

  /** Polls until the metadata, which is read in the background, is available. */
  const eventually = (check: () => Promise<void>) =>
    expect.poll(() => check().then(() => "", String), { timeout: PATIENCE }).toBe("");

  return {
    async "the metadata of a token"() {
      const token_id = choice.of(ids());
      const truth = await metadataOf(token_id);
      await eventually(async () => {
        const answer = await fieldsOf(asker, "getTokenIdMetadata", {
          address: gallery,
          token_id,
          normalizeMetadata: true,
        });
        expect(JSON.parse(String(answer.metadata))).toEqual(truth);
        expect(answer.normalized_metadata).toMatchObject({ name: truth.name, image: truth.image });
      });
    },
    async "the traits of a collection"() {
      const all = await Promise.all(ids().map(metadataOf));
      const counts = new Map<string, number>();
      for (const { attributes } of all) {
        for (const { trait_type, value } of rowsOf(attributes)) {
          const key = `${trait_type} ${value}`;
          counts.set(key, (counts.get(key) ?? 0) + 1);
        }
      }
      await eventually(async () => {
        const { traits, total_tokens } = await fieldsOf(asker, "getNFTTraitsByCollection", {
          address: gallery,
        });
        expect(total_tokens).toBe(all.length);
        const answered = rowsOf(traits).flatMap(({ trait_type, values }) =>
          rowsOf(values).map(({ value, count, percentage }) => {
            expect(percentage).toBe(Math.round((Number(count) / all.length) * 10_000) / 100);
            return [`${trait_type} ${value}`, count] as const;
          }),
        );
        expect(new Map(answered)).toEqual(counts);
      });
    },
    async "the rarity of the tokens of a collection"() {
      const all = await Promise.all(ids().map(async (id) => ({ id, ...(await metadataOf(id)) })));
      const traitsOf = ({ attributes }: JsonObject) =>
        rowsOf(attributes).map(({ trait_type, value }) => `${trait_type} ${value}`);
      const counts = Map.groupBy(all.flatMap(traitsOf), (trait) => trait);
      const scores = all.map((each) =>
        traitsOf(each).reduce(
          (sum, trait) => sum - Math.log2((counts.get(trait)?.length ?? 1) / all.length),
          0,
        ),
      );
      const average = scores.reduce((sum, score) => sum + score) / all.length;
      const truth = all.map(({ id }, i) => {
        const rank = 1 + scores.filter((score) => score > (scores[i] ?? 0) + 1e-9).length;
        return [id, rank, Math.round(((scores[i] ?? 0) / average) * 1_000)].join(" ");
      });
      await eventually(async () => {
        const rows = await allRows(asker, "getNFTCollectionRarity", { address: gallery });
        const answered = rows.map(({ token_id, rarity_rank, rarity_score }) =>
          [token_id, rarity_rank, Math.round(Number(rarity_score) * 1_000)].join(" "),
        );
        expect(answered.toSorted()).toEqual(truth.toSorted());
      });
    },
    async "the tokens with a word in their metadata"() {
      const { name } = await metadataOf(choice.of(ids()));
      const q = String(name);
      const all = await Promise.all(ids().map(async (id) => ({ id, ...(await metadataOf(id)) })));
      const truth = all.filter((each) => Object(each).name === name).map(({ id }) => id);
      await eventually(async () => {
        const rows = await allRows(asker, "searchNFTs", { q, filter: "name", addresses: [gallery] });
        expect(rows.map(({ token_id }) => String(token_id)).toSorted()).toEqual(truth.toSorted());
      });
    },
    async "a refresh of the metadata of a token"() {
      const token_id = choice.of(ids());
      const answer = await fieldsOf(asker, "reSyncMetadata", {
        address: gallery,
        token_id,
        flag: choice.of(["uri", "metadata"]),
        mode: "sync",
      });
      expect(answer.status).toBe("completed");
    },
    async "a refresh of a collection"() {
      expect(await fieldsOf(asker, "syncNFTContract", { address: gallery })).toBeTypeOf("object");
    },
    async "the name and symbol of a collection"() {
      const address = choice.of([...collections, gallery]);
      const [name, symbol] = await Promise.all([
        node.client.readContract({ address, abi, functionName: "name" }),
        node.client.readContract({ address, abi, functionName: "symbol" }),
      ]);
      const answer = await fieldsOf(asker, "getNFTMetadata", { address });
      expect(answer).toMatchObject({ token_address: lower(address), name, symbol, contract_type: "ERC721" });
    },
  };
}

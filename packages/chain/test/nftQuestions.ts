import { isJsonObject, type JsonObject } from "@purse/protocol";
import { parseAbi } from "viem";
import { expect } from "vitest";
import { lower, type NftMove, NOBODY } from "./nodeHistory.ts";
import { allRows, fieldsOf, type Questioner, type Questions } from "./randomQuestions.ts";

const abi = parseAbi(["function ownerOf(uint256 id) view returns (address)"]);

/** Questions about NFTs. Lists are compared in any order within a block, as one log can transfer many tokens. */
export function nftQuestions(asker: Questioner): Questions {
  const { choice, node, accounts, collections, run } = asker;
  const holdings = () => [...node.nftHoldings()].map(([key, amount]) => ({ ...keyOf(key), amount }));
  const ofCollection = (address: string) => holdings().filter(({ token }) => token === lower(address));
  const ofWallet = (address: string) => holdings().filter(({ owner }) => owner === lower(address));

  async function compareMoves(name: string, params: JsonObject, isMeant: (move: NftMove) => boolean) {
    const rows = await allRows(asker, name, params);
    const numbers = rows.map(({ block_number }) => Number(block_number));
    expect(numbers).toEqual(numbers.toSorted((a, b) => b - a));
    const answered = rows.map((row) =>
      [
        row.transaction_hash,
        row.token_address,
        row.token_id,
        row.from_address,
        row.to_address,
        row.amount,
      ].join(" "),
    );
    const truth = node
      .nftMoves()
      .filter(isMeant)
      .map(({ hash, token, id, from, to, amount }) => [hash, token, id, from, to, amount].join(" "));
    expect(answered.toSorted()).toEqual(truth.toSorted());
  }

  return {
    async "the owners of a collection"() {
      const address = choice.of(collections);
      const rows = await allRows(asker, "getNFTOwners", { address });
      const answered = rows.map(({ token_id, owner_of, amount }) => `${token_id} ${owner_of} ${amount}`);
      const truth = ofCollection(address).map(({ id, owner, amount }) => `${id} ${owner} ${amount}`);
      expect(answered.toSorted()).toEqual(truth.toSorted());
    },
    async "the owner of a token"() {
      const address = choice.of(collections);
      const { id } = choice.of(ofCollection(address));
      const owner = await node.client.readContract({
        address,
        abi,
        functionName: "ownerOf",
        args: [BigInt(id)],
      });
      const of = { address, token_id: id };
      const rows = await allRows(asker, "getTokenIdOwners", of);
      expect(rows.map(({ owner_of, amount }) => ({ owner_of, amount }))).toEqual([
        { owner_of: lower(owner), amount: "1" },
      ]);
      expect(await run("getTokenIdMetadata", of)).toMatchObject({ token_id: id, amount: "1" });
      const several = await run("getMultipleNFTs", {
        tokens: [{ token_address: lower(address), token_id: id }],
      });
      expect(several).toMatchObject([{ token_address: lower(address), token_id: id, amount: "1" }]);
    },
    async "the tokens of a collection"() {
      const address = choice.of(collections);
      const rows = await allRows(asker, "getAllTokenIds", { address });
      const ids = new Set(ofCollection(address).map(({ id }) => id));
      expect(rows.map(({ token_id }) => String(token_id)).toSorted()).toEqual([...ids].toSorted());
      expect(new Set(rows.map(({ contract_type }) => contract_type))).toEqual(new Set(["ERC721"]));
    },
    async "the tokens of a wallet"() {
      const address = choice.of(accounts);
      const rows = await allRows(asker, "getNFTs", { address });
      const answered = rows.map((row) => `${row.token_address} ${row.token_id} ${row.amount}`);
      const truth = ofWallet(address).map(({ token, id, amount }) => `${token} ${id} ${amount}`);
      expect(answered.toSorted()).toEqual(truth.toSorted());
    },
    async "the tokens of a wallet in a collection"() {
      const [address, token_address] = [choice.of(accounts), choice.of(collections)];
      const rows = await allRows(asker, "getNFTsForContract", { address, token_address });
      const truth = ofWallet(address).filter(({ token }) => token === lower(token_address));
      expect(rows.map(({ token_id }) => String(token_id)).toSorted()).toEqual(
        truth.map(({ id }) => id).toSorted(),
      );
    },
    async "the collections of a wallet"() {
      const address = choice.of(accounts);
      const rows = await allRows(asker, "getWalletNFTCollections", { address });
      const counts = Map.groupBy(ofWallet(address), ({ token }) => token);
      expect(new Map(rows.map(({ token_address, count }) => [token_address, count]))).toEqual(
        new Map([...counts].map(([token, owned]) => [token, owned.length])),
      );
    },
    async "the transfers of a collection"() {
      const address = choice.of(collections);
      await compareMoves("getContractNFTTransfers", { address }, ({ token }) => token === lower(address));
    },
    async "the transfers of a token"() {
      const address = choice.of(collections);
      const { id } = choice.of(ofCollection(address));
      await compareMoves(
        "getWalletTokenIdTransfers",
        { address, token_id: id },
        (move) => move.token === lower(address) && move.id === id,
      );
    },
    async "the transfers of a wallet"() {
      const address = choice.of(accounts);
      const direction = choice.of(["both", "from", "to"]);
      await compareMoves(
        "getNFTTransfers",
        { address, direction },
        ({ from, to }) =>
          (direction !== "to" && from === lower(address)) || (direction !== "from" && to === lower(address)),
      );
    },
    async "the transfers of all collections between blocks"() {
      const [from_block = 0, to_block = 0] = [choice.below(node.head), choice.below(node.head)].sort(
        (a, b) => a - b,
      );
      await compareMoves(
        "getNftTransfersFromToBlock",
        { from_block, to_block },
        ({ block }) => block >= from_block && block <= to_block,
      );
    },
    async "the transfers of a block"() {
      const number = choice.isTrue() ? choice.of(node.nftMoves()).block : choice.below(node.head + 1);
      await compareMoves(
        "getNFTTransfersByBlock",
        { block_number_or_hash: String(number) },
        ({ block }) => block === number,
      );
    },
    async "the figures of a collection"() {
      const address = choice.of(collections);
      const owned = ofCollection(address);
      const moves = node.nftMoves().filter(({ token }) => token === lower(address));
      expect(await fieldsOf(asker, "getNFTCollectionStats", { address })).toMatchObject({
        total_tokens: String(new Set(owned.map(({ id }) => id)).size),
        owners: { current: String(new Set(owned.map(({ owner }) => owner)).size) },
        transfers: { total: String(moves.length) },
      });
    },
    async "the block in which a token was minted"() {
      const address = choice.of(collections);
      const { id, owner } = choice.of(ofCollection(address));
      const moves = node.nftMoves().filter((move) => move.token === lower(address) && move.id === id);
      const [row] = await allRows(asker, "getTokenIdOwners", { address, token_id: id });
      expect(isJsonObject(row) && row).toMatchObject({
        owner_of: owner,
        block_number: String(moves.find(({ to }) => to === owner)?.block),
        block_number_minted: String(moves.findLast(({ from }) => from === NOBODY)?.block),
      });
    },
  };
}

function keyOf(key: string): { token: string; id: string; owner: string } {
  const [token = "", id = "", owner = ""] = key.split(" ");
  return { token, id, owner };
}

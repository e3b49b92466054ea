import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ChainClient, createChainClient } from "../support/chainClient.ts";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { connectLive } from "../support/liveClient.ts";
import { hostPurse, type Purse, query, rest, signUp } from "../support/purse.ts";
import { type StudioClient, setUpStudio } from "../support/studio.ts";

const MASTER = { useMasterKey: true };

interface Person {
  id: string;
  sessionToken: string;
  address: `0x${string}`;
}

describe.each(DATABASES)("a role with a token gate, on %s", (database) => {
  let purse: Purse;
  let hand: ChainClient;
  let owner: StudioClient;
  beforeAll(async () => {
    purse = await hostPurse({ devChain: true, env: await databaseEnv(database) });
    hand = await createChainClient(purse);
    owner = await setUpStudio(purse);
  });
  afterAll(() => purse?.remove());

  /** Signs up a user with a password and a linked wallet. */
  async function person(): Promise<Person> {
    const signer = privateKeyToAccount(generatePrivateKey());
    const user = await signUp(purse);
    const requested = await rest(purse, "POST", "/functions/requestMessage", {
      address: signer.address,
      purpose: "link",
    });
    const { message }: { message: string } = Object(requested.body.result);
    const address: `0x${string}` = `0x${signer.address.slice(2).toLowerCase()}`;
    const moralisEth = { id: address, signature: await signer.signMessage({ message }), data: message };
    const { status } = await rest(purse, "PUT", `/users/${user.id}`, { authData: { moralisEth } }, user);
    expect(status).toBe(200);
    return { ...user, address };
  }

  async function gatedRole(name: string, gate: object): Promise<string> {
    const { status, body } = await rest(purse, "POST", "/roles", { name, ACL: {}, gate }, MASTER);
    expect(body.error).toBeUndefined();
    expect(status).toBe(201);
    return String(body.objectId);
  }

  /** Creates an object that only a role may read, and a function that returns whether a user can. */
  async function secretOf(
    role: string,
  ): Promise<{ className: string; id: string; isSeenBy(by: Person): Promise<boolean> }> {
    const className = `Secret${role}`;
    const ACL = { [`role:${role}`]: { read: true } };
    const { body } = await rest(purse, "POST", `/classes/${className}`, { text: "one", ACL }, MASTER);
    return {
      className,
      id: String(body.objectId),
      async isSeenBy(by) {
        const answer = await rest(purse, "GET", `/classes/${className}${query({})}`, undefined, by);
        return JSON.stringify(answer.body.results).includes("text");
      },
    };
  }

  const soon = { interval: 50 };

  it("follows token transfers in queries and open live queries", async () => {
    await gatedRole("holders", { chainId: 1337, token: hand.token, standard: "ERC20", min: "100" });
    const { className, id, isSeenBy } = await secretOf("holders");
    const [ann, bob] = [await person(), await person()];
    expect(await isSeenBy(ann)).toBe(false);
    const live = await connectLive(purse, ann);
    await live.subscribe(className);
    const change = (text: string) => rest(purse, "PUT", `/classes/${className}/${id}`, { text }, MASTER);

    await hand.transferTokens([
      [0, ann.address, 99n],
      [0, bob.address, 100n],
    ]);
    await expect.poll(() => isSeenBy(bob), soon).toBe(true);
    expect(await isSeenBy(ann)).toBe(false);
    await change("two");
    expect(await live.receivedOps(className)).toEqual([]);

    await hand.transferToken(0, ann.address, 1n);
    await expect.poll(() => isSeenBy(ann), soon).toBe(true);
    await change("three");
    expect(await live.next()).toMatchObject({ object: { text: "three" } });

    // A reorganization reverts the last transfer and revokes the access.
    await hand.reorganize(1);
    await hand.mine(1);
    await expect.poll(() => isSeenBy(ann), soon).toBe(false);
    await change("four");
    expect(await live.receivedOps(className)).toEqual([]);
    expect(await isSeenBy(bob)).toBe(true);
    live.socket.terminate();
  });

  it("accepts any NFT of a collection, one NFT, or an amount of an ERC-1155 item", async () => {
    const piece = await hand.ownedNftId(0);
    const item = await hand.ownedItemId(0);
    await gatedRole("anyPiece", { chainId: 1337, token: hand.collection, standard: "ERC721" });
    await gatedRole("onePiece", {
      chainId: 1337,
      token: hand.collection,
      standard: "ERC721",
      tokenId: String(piece),
    });
    await gatedRole("otherPiece", {
      chainId: 1337,
      token: hand.collection,
      standard: "ERC721",
      tokenId: "999999",
    });
    await gatedRole("items", {
      chainId: 1337,
      token: hand.items,
      standard: "ERC1155",
      tokenId: String(item),
      min: 2,
    });
    const secrets = await Promise.all(["anyPiece", "onePiece", "otherPiece", "items"].map(secretOf));
    const ann = await person();
    const seen = () => Promise.all(secrets.map(({ isSeenBy }) => isSeenBy(ann)));
    expect(await seen()).toEqual([false, false, false, false]);
    await hand.transferNft(0, ann.address, piece);
    await hand.transferItem(0, ann.address, item, 1n);
    await expect.poll(seen, soon).toEqual([true, true, false, false]);
    await hand.transferItem(0, ann.address, item, 1n);
    await expect.poll(seen, soon).toEqual([true, true, false, true]);
  });

  it("sums the balances of all currently linked addresses of a user", async () => {
    await gatedRole("linked", { chainId: 1337, token: hand.token, standard: "ERC20", min: 50 });
    const { isSeenBy } = await secretOf("linked");
    const ann = await person();
    await hand.transferToken(0, ann.address, 50n);
    await expect.poll(() => isSeenBy(ann), soon).toBe(true);
    const { status } = await rest(purse, "DELETE", `/classes/_EthAddress/${ann.address}`, undefined, ann);
    expect(status).toBe(200);
    expect(await isSeenBy(ann)).toBe(false);
  });

  it("grants parent roles too, and ends when the gate is removed", async () => {
    const inner = await gatedRole("inner", { chainId: 1337, token: hand.token, standard: "ERC20", min: 7 });
    const outer = {
      name: "outer",
      ACL: {},
      roles: { __op: "AddRelation", objects: [{ __type: "Pointer", className: "_Role", objectId: inner }] },
    };
    await rest(purse, "POST", "/roles", outer, MASTER);
    const { isSeenBy } = await secretOf("outer");
    const ann = await person();
    await hand.transferToken(0, ann.address, 7n);
    await expect.poll(() => isSeenBy(ann), soon).toBe(true);
    const requested = query({ className: "_Role", operation: "find", user: ann.id });
    expect((await owner.request("GET", `/permissions/check${requested}`)).body).toMatchObject({
      memberships: [
        { role: "inner", by: "gate" },
        { role: "outer", by: "role", from: "inner" },
      ],
      gates: expect.arrayContaining([{ role: "inner", isMember: true, held: "7", min: "7" }]),
    });
    await rest(purse, "PUT", `/roles/${inner}`, { gate: { __op: "Delete" } }, MASTER);
    expect(await isSeenBy(ann)).toBe(false);
  });

  it("can be set with the master key only, and must be valid", async () => {
    const ann = await person();
    const gate = { chainId: 1337, token: hand.token, standard: "ERC20", min: 1 };
    const ACL = { [ann.id]: { read: true, write: true } };
    expect((await rest(purse, "POST", "/roles", { name: "own", ACL, gate }, ann)).body.code).toBe(119);
    const { body } = await rest(purse, "POST", "/roles", { name: "own", ACL }, ann);
    for (const fields of [{ gate }, { "gate.min": 0 }, { gate: { __op: "Delete" } }]) {
      const answer = await rest(purse, "PUT", `/roles/${body.objectId}`, fields, ann);
      expect(answer.body.code).toBe(119);
    }
    for (const wrong of [
      { ...gate, min: 0 },
      { ...gate, min: "-1" },
      { ...gate, min: 1.5 },
      { ...gate, token: "0x1" },
      { ...gate, standard: "ERC404" },
      { ...gate, tokenId: "1" },
      { ...gate, standard: "ERC1155" },
      { ...gate, chainId: 999 },
      { ...gate, max: 5 },
      [],
      "all",
    ]) {
      const answer = await rest(purse, "PUT", `/roles/${body.objectId}`, { gate: wrong }, MASTER);
      expect([answer.status, [142, 111].includes(Number(answer.body.code))]).toEqual([400, true]);
    }
  });
});

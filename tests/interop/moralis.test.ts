import { createRequire } from "node:module";
import { createPublicClient, createWalletClient, http, isHex } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { devAccount } from "../support/browser.ts";
import { type Purse, startPurse } from "../support/purse.ts";

// The unmodified client of old, as npm has it. It brings no types that hold, so it is used as what it is: untyped.
const Moralis = createRequire(import.meta.url)("moralis/node");

let purse: Purse;

beforeAll(async () => {
  purse = await startPurse({ devChain: true });
  await Moralis.start({ serverUrl: purse.serverUrl, appId: purse.appId, masterKey: purse.masterKey });
  Moralis.User.enableUnsafeCurrentUser();
}, 60_000);
afterAll(async () => {
  await Moralis.LiveQuery?.close?.();
  await purse?.remove();
});

function provider() {
  const account = devAccount(0);
  const transport = http(purse.rpcUrl);
  const node = createPublicClient({ transport });
  const signer = createWalletClient({ account, transport });
  return {
    on() {},
    removeListener() {},
    removeAllListeners() {},
    async request({ method, params = [] }: { method: string; params?: unknown[] }): Promise<unknown> {
      const [first] = params;
      if (method === "eth_accounts" || method === "eth_requestAccounts") return [account.address];
      if (method === "personal_sign")
        return account.signMessage({ message: { raw: isHex(first) ? first : "0x" } });
      if (method === "eth_sendTransaction") {
        const { to, value, data } = Object(first);
        return signer.sendTransaction({ chain: null, to, value: BigInt(value ?? 0), data });
      }
      const request: { method: string; params: unknown[] } = { method, params };
      return node.transport.request(request);
    },
  };
}

/** A connector as old applications wrote them. */
class TestConnector extends Moralis.AbstractWeb3Connector {
  type = "test";

  async activate() {
    this.provider = provider();
    this.account = devAccount(0).address.toLowerCase();
    this.chainId = "0x539";
    this.subscribeToEvents(this.provider);
    return { provider: this.provider, account: this.account, chainId: this.chainId };
  }
}

describe("moralis@1.7.0, unmodified", () => {
  it("[7.current-user] [7.login.post] [7.save.new-user] [7.logout] signs up, logs out, logs in and becomes", async () => {
    const user = new Moralis.User();
    await user.save({ username: "old-friend", password: "secret-1", city: "Bern" });
    const signedUp = await Moralis.User.logIn("old-friend", "secret-1");
    expect(signedUp.get("city")).toBe("Bern");
    const again = await Moralis.User.become(signedUp.getSessionToken());
    expect(again.id).toBe(signedUp.id);
    await Moralis.User.logOut();
    expect(Moralis.User.current()).toBeNull();
    await expect(Moralis.User.logIn("old-friend", "wrong")).rejects.toMatchObject({ code: 101 });
  });

  it("[7.login.get] logs in by GET", async () => {
    const user = await Moralis.User.logIn("old-friend", "secret-1", { usePost: false });
    expect(user.get("username")).toBe("old-friend");
  });

  it("saves, changes, queries, counts and deletes objects", async () => {
    const Monster = Moralis.Object.extend("Monster");
    const monster = new Monster();
    await monster.save({
      name: "Grendel",
      strength: 5,
      tags: ["swamp"],
      born: new Date(0),
      at: new Moralis.GeoPoint(1, 2),
    });
    expect(monster.existed()).toBe(false);
    monster.increment("strength", 3);
    monster.addUnique("tags", "night");
    monster.unset("born");
    await monster.save();
    const query = new Moralis.Query(Monster);
    query.greaterThan("strength", 7).equalTo("tags", "night").doesNotExist("born").startsWith("name", "Gren");
    const found = await query.first();
    expect(found.id).toBe(monster.id);
    expect(found.get("tags")).toEqual(["swamp", "night"]);
    expect(found.get("at").latitude).toBe(1);
    expect(await new Moralis.Query(Monster).count()).toBe(1);
    expect((await new Moralis.Query(Monster).get(monster.id)).get("name")).toBe("Grendel");
    await monster.destroy();
    expect(await new Moralis.Query(Monster).count()).toBe(0);
    await expect(new Moralis.Query(Monster).get(monster.id)).rejects.toMatchObject({ code: 101 });
  });

  it("saves and destroys many in batches, with their children first", async () => {
    const parent = new Moralis.Object("Parent", { name: "p" });
    const children = Array.from({ length: 45 }, (_, n) => new Moralis.Object("Child", { n, parent }));
    await Moralis.Object.saveAll(children);
    const query = new Moralis.Query("Child").ascending("n").limit(50).include("parent");
    const found = await query.find();
    expect(found).toHaveLength(45);
    expect(found[44].get("parent").get("name")).toBe("p");
    await Moralis.Object.destroyAll(found);
    expect(await new Moralis.Query("Child").count()).toBe(0);
  });

  it("[7.function] [7.function.params] [7.function.result] runs cloud functions", async () => {
    expect(await Moralis.Cloud.run("hello", { name: "Ada" })).toContain("Ada");
    await expect(Moralis.Cloud.run("not-there")).rejects.toMatchObject({ code: 141 });
  });

  it("hears of changes over a live query", async () => {
    const events: string[] = [];
    const subscription = await new Moralis.Query("Ping").equalTo("room", "a").subscribe();
    for (const event of ["create", "update", "delete", "leave"]) {
      subscription.on(event, (object: { get(key: string): unknown }) =>
        events.push(`${event} ${object.get("n")}`),
      );
    }
    const ping = new Moralis.Object("Ping", { room: "a", n: 1 });
    await ping.save();
    await ping.save({ n: 2 });
    await new Moralis.Object("Ping", { room: "b", n: 9 }).save();
    await ping.destroy();
    await expect.poll(() => events, { timeout: 5_000 }).toEqual(["create 1", "update 2", "delete 2"]);
    await subscription.unsubscribe();
  });

  it("[0.backend.crypto-wallets] [3.wallet-address.linked-addresses] signs in with a wallet, twice as the same user", async () => {
    const user = await Moralis.authenticate({ connector: TestConnector });
    const address = devAccount(0).address.toLowerCase();
    expect(user.get("accounts")).toEqual([address]);
    expect(user.get("ethAddress")).toBe(address);
    const again = await Moralis.authenticate({ connector: TestConnector });
    expect(again.id).toBe(user.id);
    const record = await new Moralis.Query("_EthAddress").get(address);
    expect(record.get("user").id).toBe(user.id);
  });

  it("sends native currency from the wallet", async () => {
    const node = createPublicClient({ transport: http(purse.rpcUrl) });
    const to = devAccount(8).address;
    const before = await node.getBalance({ address: to });
    const sent = await Moralis.transfer({ type: "native", receiver: to, amount: Moralis.Units.ETH("0.5") });
    await sent.wait();
    expect((await node.getBalance({ address: to })) - before).toBe(5n * 10n ** 17n);
  });

  it("[7.data.endpoint.address-balance] [7.data.endpoint.address-erc20] [7.data.endpoint.address-erc20-transfers] [7.data.default-chain] reads balances and transfers as the node has them", async () => {
    const node = createPublicClient({ transport: http(purse.rpcUrl) });
    const address = devAccount(1).address;
    const { balance } = await Moralis.Web3API.account.getNativeBalance({ address });
    expect(balance).toBe(String(await node.getBalance({ address })));
    const tokens = await Moralis.Web3API.account.getTokenBalances({ address, chain: "0x539" });
    expect(tokens[0]).toMatchObject({
      symbol: "PURSE",
      decimals: 18,
      balance: expect.stringMatching(/^\d+$/),
    });
    const transfers = await Moralis.Web3API.account.getTokenTransfers({ address, limit: 3 });
    expect(transfers.result).toHaveLength(3);
    const second = await transfers.next();
    expect(second.page).toBe(1);
    expect(second.result[0].transaction_hash).not.toBe(transfers.result[0].transaction_hash);
  });

  it("[7.server-time.function] [3.server-time.date-time] answers getServerTime and getPluginSpecs", async () => {
    const { dateTime } = await Moralis.Cloud.run("getServerTime");
    expect(Math.abs(Date.parse(dateTime) - Date.now())).toBeLessThan(60_000);
    expect(await Moralis.Cloud.run("getPluginSpecs")).toEqual([]);
  });
});

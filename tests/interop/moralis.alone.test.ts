import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { ENDPOINTS } from "@purse/chain";
import { createPublicClient, erc20Abi, getAddress, http, parseAbiItem } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { devAccount } from "../support/devAccount.ts";
import { freshRequire } from "../support/freshRequire.ts";
import { hostPurse, type Purse } from "../support/purse.ts";
import { signingProvider } from "../support/signingProvider.ts";

describe.each(DATABASES)("moralis@1.7.0, unmodified, on %s", (database) => {
  // The unmodified old client from npm. Its types are unreliable, so it is used untyped.
  const Moralis = freshRequire("moralis/node", import.meta.url);
  let purse: Purse;

  beforeAll(async () => {
    purse = await hostPurse({ cloudCode: true, devChain: true, env: await databaseEnv(database) });
    await Moralis.start({ serverUrl: purse.serverUrl, appId: purse.appId, masterKey: purse.masterKey });
    Moralis.User.enableUnsafeCurrentUser();
  });
  afterAll(async () => {
    await Moralis.LiveQuery?.close?.();
    await purse?.remove();
  });

  const provider = (index: number) => signingProvider(devAccount(index), purse.rpcUrl);

  /** A connector as in old applications, with the key of an account of the local chain. */
  function connectorOf(index: number) {
    return class extends Moralis.AbstractWeb3Connector {
      type = "test";

      async activate() {
        this.provider = provider(index);
        this.account = addressOf(index);
        this.chainId = "0x539";
        this.subscribeToEvents(this.provider);
        return { provider: this.provider, account: this.account, chainId: this.chainId };
      }
    };
  }

  function addressOf(index: number): string {
    return devAccount(index).address.toLowerCase();
  }

  it("signs up, logs out, logs in and calls become()", {
    tags: ["7.current-user", "7.login.post", "7.save.new-user", "7.logout"],
  }, async () => {
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

  it("logs in by GET", { tags: ["7.login.get"] }, async () => {
    const user = await Moralis.User.logIn("old-friend", "secret-1", { usePost: false });
    expect(user.get("username")).toBe("old-friend");
  });

  it("keeps the session token of the current user after a fetch", { tags: ["7.fetch"] }, async () => {
    const user = await Moralis.User.logIn("old-friend", "secret-1");
    const token = user.getSessionToken();
    // The first is what `refetchUserData()` of react-moralis does. In Node.js this client drops the token by itself when
    // it fetches lists, whatever the server answers.
    const reads: [string, () => Promise<unknown>][] = [
      ["fetch", () => Moralis.User.current().fetch()],
      ["fetchWithInclude", () => Moralis.User.current().fetchWithInclude("friend")],
      ["get", () => new Moralis.Query(Moralis.User).get(user.id)],
      ["first", () => new Moralis.Query(Moralis.User).equalTo("objectId", user.id).first()],
    ];
    for (const [description, read] of reads) {
      await read();
      expect([description, Moralis.User.current().getSessionToken()]).toEqual([description, token]);
      await Moralis.User.current().save({ way: description });
    }
  });

  it("saves, updates, queries, counts and deletes objects", async () => {
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

  it("adds to and removes from arrays, and receives the server's array", async () => {
    const list = new Moralis.Object("List", { tags: ["a", "b"] });
    await list.save();
    const elsewhere = await new Moralis.Query("List").get(list.id);
    await elsewhere.save({ tags: ["a", "b", "c"] });
    list.remove("tags", "b");
    await list.save();
    expect(list.get("tags")).toEqual(["a", "c"]);
    list.add("tags", "a");
    await list.save();
    expect(list.get("tags")).toEqual(["a", "c", "a"]);
    list.addUnique("tags", "c");
    await list.save();
    expect((await new Moralis.Query("List").get(list.id)).get("tags")).toEqual(["a", "c", "a"]);
  });

  it("saves and destroys many objects in batches, children first", async () => {
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

  it("runs cloud functions", { tags: ["7.function", "7.function.params", "7.function.result"] }, async () => {
    expect(await Moralis.Cloud.run("hello", { name: "Ada" })).toContain("Ada");
    await expect(Moralis.Cloud.run("not-there")).rejects.toMatchObject({ code: 141 });
  });

  it("receives live query events", async () => {
    const events: string[] = [];
    const subscription = await new Moralis.Query("Ping").equalTo("channel", "a").subscribe();
    for (const event of ["create", "update", "delete", "leave"]) {
      subscription.on(event, (object: { get(key: string): unknown }) =>
        events.push(`${event} ${object.get("n")}`),
      );
    }
    const ping = new Moralis.Object("Ping", { channel: "a", n: 1 });
    await ping.save();
    await ping.save({ n: 2 });
    await new Moralis.Object("Ping", { channel: "b", n: 9 }).save();
    await ping.destroy();
    await expect.poll(() => events).toEqual(["create 1", "update 2", "delete 2"]);
    await subscription.unsubscribe();
  });

  it("signs in with a wallet, twice as the same user", {
    tags: ["0.backend.crypto-wallets", "3.wallet-address.linked-addresses"],
  }, async () => {
    const user = await Moralis.authenticate({ connector: connectorOf(0) });
    const address = addressOf(0);
    expect(user.get("accounts")).toEqual([address]);
    expect(user.get("ethAddress")).toBe(address);
    const again = await Moralis.authenticate({ connector: connectorOf(0) });
    expect(again.id).toBe(user.id);
    const record = await new Moralis.Query("_EthAddress").get(address);
    expect(record.get("user").id).toBe(user.id);
  });

  it("links a second wallet to the user, signs in with either, and unlinks it", async () => {
    const user = await Moralis.authenticate({ connector: connectorOf(2) });
    await Moralis.enableWeb3({ connector: connectorOf(3) });
    const linked = await Moralis.link(addressOf(3));
    expect(linked.id).toBe(user.id);
    expect(linked.get("accounts")).toEqual([addressOf(2), addressOf(3)]);
    expect((await Moralis.authenticate({ connector: connectorOf(3) })).id).toBe(user.id);
    expect((await Moralis.authenticate({ connector: connectorOf(2) })).id).toBe(user.id);

    await Moralis.unlink(addressOf(3));
    const kept = await Moralis.User.become(Moralis.User.current().getSessionToken());
    expect([kept.get("accounts"), kept.get("ethAddress")]).toEqual([[addressOf(2)], addressOf(2)]);
    await expect(new Moralis.Query("_EthAddress").get(addressOf(3))).rejects.toMatchObject({ code: 101 });
    expect((await Moralis.authenticate({ connector: connectorOf(3) })).id).not.toBe(user.id);
  });

  it("cannot link a wallet of another user", async () => {
    await Moralis.authenticate({ connector: connectorOf(4) });
    await Moralis.authenticate({ connector: connectorOf(5) });
    await Moralis.enableWeb3({ connector: connectorOf(4) });
    await expect(Moralis.link(addressOf(4))).rejects.toMatchObject({ code: 208 });
  });

  it("unlinks the last wallet only if the user has a password, and removes the address", async () => {
    const user = await Moralis.authenticate({ connector: connectorOf(6) });
    await expect(Moralis.unlink(addressOf(6))).rejects.toThrow("This is the account's only sign-in method");
    expect((await Moralis.authenticate({ connector: connectorOf(6) })).id).toBe(user.id);

    await Moralis.User.current().save({ username: "walletless", password: "secret-2" });
    await Moralis.User.logIn("walletless", "secret-2");
    await Moralis.unlink(addressOf(6));
    const stored = await Moralis.User.become(Moralis.User.current().getSessionToken());
    expect([stored.id, stored.get("accounts"), stored.get("ethAddress")]).toEqual([user.id, [], undefined]);
    await expect(new Moralis.Query("_EthAddress").get(addressOf(6))).rejects.toMatchObject({ code: 101 });
  });

  it("sends native currency from the wallet", async () => {
    const node = createPublicClient({ transport: http(purse.rpcUrl) });
    const to = devAccount(8).address;
    await Moralis.enableWeb3({ connector: connectorOf(0) });
    const before = await node.getBalance({ address: to });
    const sent = await Moralis.transfer({ type: "native", receiver: to, amount: Moralis.Units.ETH("0.5") });
    await sent.wait();
    expect((await node.getBalance({ address: to })) - before).toBe(5n * 10n ** 17n);
  });

  it("reads the same balances and transfers as from the node", {
    tags: [
      "7.data.endpoint.address-balance",
      "7.data.endpoint.address-erc20",
      "7.data.endpoint.address-erc20-transfers",
      "7.data.default-chain",
    ],
  }, async () => {
    const node = createPublicClient({ transport: http(purse.rpcUrl) });
    const address = devAccount(1).address;
    const { balance } = await Moralis.Web3API.account.getNativeBalance({ address });
    expect(balance).toBe(String(await node.getBalance({ address })));
    const tokens = await Moralis.Web3API.account.getTokenBalances({ address, chain: "0x539" });
    expect(tokens[0]).toMatchObject({ symbol: "PURSE", decimals: 18 });
    const token = getAddress(tokens[0].token_address);
    const held = await node.readContract({
      address: token,
      abi: erc20Abi,
      functionName: "balanceOf",
      args: [address],
    });
    expect(tokens[0].balance).toBe(String(held));
    const transfers = await Moralis.Web3API.account.getTokenTransfers({ address, limit: 3 });
    expect(transfers.result).toHaveLength(3);
    const event = parseAbiItem("event Transfer(address indexed from, address indexed to, uint256 value)");
    const all = { address: token, event, fromBlock: 0n } as const;
    const logs = [
      ...(await node.getLogs({ ...all, args: { from: address } })),
      ...(await node.getLogs({ ...all, args: { to: address } })),
    ];
    for (const transfer of transfers.result) {
      const log = logs.find(({ transactionHash }) => transactionHash === transfer.transaction_hash);
      expect(transfer).toMatchObject({
        address: token.toLowerCase(),
        from_address: log?.args.from?.toLowerCase(),
        to_address: log?.args.to?.toLowerCase(),
        value: String(log?.args.value),
        block_number: String(log?.blockNumber),
      });
    }
    const second = await transfers.next();
    expect(second.page).toBe(1);
    expect(second.result[0].transaction_hash).not.toBe(transfers.result[0].transaction_hash);
  });

  describe("the data API", () => {
    const address = () => devAccount(1).address;
    const node = () => createPublicClient({ transport: http(purse.rpcUrl) });
    const { native, account, token } = Moralis.Web3API;

    it("returns blocks, transactions, logs and contract calls", async () => {
      const block = await node().getBlock({ blockNumber: 4n, includeTransactions: true });
      const answered = await native.getBlock({ block_number_or_hash: "4", chain: "0x539" });
      expect(answered).toMatchObject({
        hash: block.hash,
        transaction_count: String(block.transactions.length),
      });
      expect(answered.transactions.map(({ hash }: { hash: string }) => hash)).toEqual(
        block.transactions.map(({ hash }) => hash),
      );
      const [first] = block.transactions;
      const transaction = await native.getTransaction({ transaction_hash: first?.hash });
      expect(transaction).toMatchObject({ nonce: String(first?.nonce), block_number: "4" });
      const date = new Date(Number(block.timestamp) * 1000).toISOString();
      expect(await native.getDateToBlock({ date })).toMatchObject({ block: 4 });
      const contract = transaction.to_address;
      const logs = await native.getLogsByAddress({ address: contract, limit: 2 });
      expect(logs.result).toHaveLength(2);
      expect((await logs.next()).page).toBe(1);
      const [topic] = logs.result.map(({ topic0 }: { topic0: string }) => topic0);
      const abi = parseAbiItem("event Transfer(address indexed from, address indexed to, uint256 value)");
      const events = await native.getContractEvents({ address: contract, topic, abi, limit: 3 });
      expect(events.result[0].data).toMatchObject({ value: expect.stringMatching(/^\d+$/) });
      const held = await native.runContractFunction({
        address: contract,
        function_name: "balanceOf",
        abi: erc20Abi,
        params: { account: address() },
      });
      const args = { address: getAddress(contract), abi: erc20Abi, functionName: "balanceOf" } as const;
      expect(held).toBe(String(await node().readContract({ ...args, args: [address()] })));
    });

    it("returns transactions and NFTs of an account, and tokens", async () => {
      const transactions = await account.getTransactions({ address: address() });
      expect(transactions.total).toBe(transactions.result.length);
      const nfts = await account.getNFTs({ address: address() });
      expect(nfts.result.map(({ symbol }: { symbol: string }) => symbol)).toContain("PIECE");
      const { token_address, token_id } = nfts.result.find(
        (each: { contract_type: string }) => each.contract_type === "ERC721",
      );
      const ofContract = await account.getNFTsForContract({ address: address(), token_address });
      expect(ofContract.total).toBeGreaterThan(0);
      expect((await account.getNFTTransfers({ address: address(), direction: "to" })).total).toBeGreaterThan(
        0,
      );
      const of = { address: token_address };
      expect((await token.getAllTokenIds(of)).total).toBeGreaterThan(0);
      expect((await token.getNFTOwners(of)).total).toBeGreaterThan(0);
      expect((await token.getTokenIdOwners({ ...of, token_id })).result[0].owner_of).toBe(addressOf(1));
      expect(await token.getTokenIdMetadata({ ...of, token_id })).toMatchObject({ token_id });
      expect(await token.getNFTMetadata(of)).toMatchObject({ token_address });
      expect((await token.getContractNFTTransfers(of)).total).toBeGreaterThan(0);
      const moved = await token.getWalletTokenIdTransfers({ ...of, token_id });
      const range = { from_block: 0, to_block: Number(moved.result[0].block_number) };
      expect((await token.getNftTransfersFromToBlock(range)).total).toBeGreaterThan(0);
      const block_number_or_hash = moved.result[0].block_hash;
      expect((await native.getNFTTransfersByBlock({ block_number_or_hash })).total).toBeGreaterThan(0);

      const [{ token_address: coin }] = await account.getTokenBalances({ address: address() });
      const [about] = await token.getTokenMetadata({ addresses: [coin] });
      expect(about).toMatchObject({ address: coin, decimals: "18" });
      expect(await token.getTokenMetadataBySymbol({ symbols: [about.symbol] })).toHaveLength(1);
      expect((await token.getTokenAddressTransfers({ address: coin, limit: 5 })).result).toHaveLength(5);
      const allowanceParams = { owner_address: addressOf(2), spender_address: addressOf(3) };
      expect(await token.getTokenAllowance({ address: coin, ...allowanceParams })).toEqual({
        allowance: expect.stringMatching(/^\d+$/),
      });
      expect(await Moralis.Web3API.info.web3ApiVersion()).toEqual({ version: expect.any(String) });
      expect(await Moralis.Web3API.info.endpointWeights()).toHaveLength(Object.keys(ENDPOINTS).length);
    });

    it("rejects invalid parameters with a message", async () => {
      await expect(native.getBlock({ block_number_or_hash: "x" })).rejects.toThrow(
        /block_number_or_hash must be/,
      );
      await expect(native.getBlock({ block_number_or_hash: "1", chain: "moon" })).rejects.toThrow(
        /chain "moon"/,
      );
      await expect(token.getTokenMetadata({})).rejects.toThrow("param addresses is required!");
    });
  });

  it("answers getServerTime and getPluginSpecs", {
    tags: ["7.server-time.function", "3.server-time.date-time"],
  }, async () => {
    const { dateTime } = await Moralis.Cloud.run("getServerTime");
    expect(Math.abs(Date.parse(dateTime) - Date.now())).toBeLessThan(60_000);
    expect(await Moralis.Cloud.run("getPluginSpecs")).toEqual([]);
  });
  describe("without access to the vendor's hosts", () => {
    const names = {
      "host names do not resolve": "callback(Object.assign(new Error('offline'), { code: 'ENOTFOUND' }))",
      "DNS lookups are never answered": "undefined",
    };
    it.each(Object.entries(names))("starts and makes calls when %s", async (_, unreachable) => {
      // A separate process, so that only the client's DNS lookups are replaced.
      const script = `
      const requested = new Set();
      require("node:dns").lookup = (host, options, done) => {
        const callback = done ?? options;
        requested.add(host);
        ${unreachable};
      };
      const Moralis = require("moralis/node");
      const { serverUrl, appId } = JSON.parse(process.env.PURSE_TEST);
      Moralis.start({ serverUrl, appId })
        .then(() => Moralis.Cloud.run("getPluginSpecs"))
        .then((plugins) => process.stdout.write(JSON.stringify({ plugins, requested: [...requested] }), () => process.exit(0)));
    `;
      const { stdout } = await promisify(execFile)(process.execPath, ["-e", script], {
        cwd: import.meta.dirname,
        env: { PURSE_TEST: JSON.stringify({ serverUrl: purse.serverUrl, appId: purse.appId }) },
        timeout: 10_000,
      });
      const { plugins, requested } = JSON.parse(stdout);
      expect(plugins).toEqual([]);
      expect(requested).toContain("www.unpkg.com");
    });
  });
});

import { isJsonObject, type JsonObject } from "@purse/protocol";
import type { Hex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, beforeEach, describe, type ExpectStatic, it } from "vitest";
import { type ChainClient, createChainClient } from "../support/chainClient.ts";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { type Credentials, hostPurse, type Purse, query, rest, signUp } from "../support/purse.ts";

const MASTER = { useMasterKey: true };

// On both databases concurrently, because most of the time is spent waiting for blocks to be indexed, which happens each second.
describe.each(DATABASES)("synced addresses", { concurrent: true }, (database) => {
  describe(`on ${database}`, { concurrent: false }, () => testSyncedAddresses(database));
});

function testSyncedAddresses(database: (typeof DATABASES)[number]): void {
  /** Of the current test on this database. */
  let expect: ExpectStatic;
  let purse: Purse;
  let hand: ChainClient;
  beforeAll(async () => {
    const env = { ...(await databaseEnv(database)), PURSE_SYNC_USER_ADDRESSES: "new" };
    purse = await hostPurse({ devChain: true, env });
    hand = await createChainClient(purse);
  });
  afterAll(() => purse?.remove());
  beforeEach((context) => {
    expect = context.expect;
  });

  const call = async (name: string, params: object, credentials: Credentials = MASTER) =>
    (await rest(purse, "POST", `/functions/${name}`, params, credentials)).body;
  const found = async (className: string, where: object = {}, credentials: Credentials = {}) => {
    const path = `/classes/${className}${query({ where, limit: 1000 })}`;
    const { body } = await rest(purse, "GET", path, undefined, credentials);
    return Array.isArray(body.results) ? body.results.filter(isJsonObject) : [];
  };
  /** The watched addresses, which only the master key may read. */
  const readers: Record<string, Credentials> = { _AddressSyncStatus: MASTER };
  const until = async (className: string, where: object, check: (rows: JsonObject[]) => boolean) => {
    let rows: JsonObject[] = [];
    const isDone = async () => {
      rows = await found(className, where, readers[className]);
      return check(rows);
    };
    await expect.poll(isDone, { timeout: 20_000 }).toBe(true);
    return rows;
  };
  /** Signs up a user with a linked wallet. */
  const person = async () => {
    const signer = privateKeyToAccount(generatePrivateKey());
    const user = await signUp(purse);
    const { result } = await call("requestMessage", { address: signer.address, purpose: "link" }, {});
    const { message }: { message: string } = Object(result);
    const address: Hex = `0x${signer.address.slice(2).toLowerCase()}`;
    const moralisEth = { id: address, signature: await signer.signMessage({ message }), data: message };
    const { status } = await rest(purse, "PUT", `/users/${user.id}`, { authData: { moralisEth } }, user);
    expect(status).toBe(200);
    return { ...user, address };
  };

  it("have their history, transfers and balances in the tables of Moralis", async () => {
    const address = hand.account(0);
    expect(
      await call("watchEthAddress", {
        address: address.toUpperCase().replace("0X", "0x"),
        sync_historical: true,
      }),
    ).toEqual({
      result: { success: true },
    });
    const [status] = await until("_AddressSyncStatus", { address }, ([row]) => row?.is_syncing === false);
    expect(status).toMatchObject({ address, chain: "0x539", sync_historical: true });
    const hash = await hand.transferToken(0, hand.account(5), 77n);
    const [transaction] = await until("EthTransactions", { hash }, (rows) => rows.length === 1);
    expect(transaction).toMatchObject({
      from_address: address,
      to_address: hand.token,
      value: "0",
      block_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      block_timestamp: { __type: "Date" },
      block_number: expect.any(Number),
      gas: expect.any(Number),
      gas_price: expect.any(Number),
      receipt_gas_used: expect.any(Number),
      receipt_cumulative_gas_used: expect.any(Number),
      receipt_status: 1,
      nonce: expect.any(Number),
      transaction_index: 0,
      input: expect.stringMatching(/^0xa9059cbb/),
      confirmed: true,
    });
    const [transfer] = await until(
      "EthTokenTransfers",
      { transaction_hash: hash },
      (rows) => rows.length === 1,
    );
    expect(transfer).toMatchObject({
      token_address: hand.token,
      from_address: address,
      to_address: hand.account(5),
      value: "77",
      log_index: 0,
      transaction_index: 0,
    });
    const history = await found("EthTokenTransfers", { from_address: address });
    expect(history.length).toBeGreaterThan(1);
    const ofToken = { address, token_address: hand.token };
    const [before] = await until("EthTokenBalance", ofToken, (rows) => rows.length === 1);
    expect(before).toMatchObject({
      contract_type: "ERC20",
      decimals: expect.any(String),
      symbol: expect.any(String),
    });
    await hand.transferToken(0, hand.account(5), 3n);
    const left = BigInt(String(before?.balance)) - 3n;
    // The first read of the balance may not have included the earlier transfer.
    await until(
      "EthTokenBalance",
      ofToken,
      ([row]) => row !== undefined && BigInt(String(row.balance)) <= left,
    );
    expect(await found("EthBalance", { address })).toMatchObject([
      { balance: expect.stringMatching(/^\d+$/) },
    ]);
  });

  it("have their NFTs in a table until they are transferred", async () => {
    const id = await hand.ownedNftId(1);
    const owner = hand.account(1);
    await call("watchEthAddress", { address: owner, chainId: "0x0539" });
    const nft = { token_address: hand.collection, token_id: String(id) };
    const [owned] = await until("EthNFTOwners", { ...nft, owner_of: owner }, (rows) => rows.length === 1);
    expect(owned).toMatchObject({ contract_type: "ERC721", amount: "1", name: expect.any(String) });
    await until("_AddressSyncStatus", { address: owner }, ([row]) => row?.is_syncing === false);
    const hash = await hand.transferNft(1, hand.account(6), id);
    await until("EthNFTOwners", { ...nft, owner_of: owner }, (rows) => rows.length === 0);
    expect(
      await until("EthNFTTransfers", { transaction_hash: hash }, (rows) => rows.length === 1),
    ).toMatchObject([
      { ...nft, from_address: owner, amount: "1", contract_type: "ERC721", transaction_type: "Single" },
    ]);
  });

  it("can be watched with the master key, and by users only if linked to their account", async () => {
    const user = await person();
    const stranger = await signUp(purse);
    const address = hand.account(7);
    for (const credentials of [{}, stranger, user]) {
      for (const name of ["watchEthAddress", "unwatchEthAddress"]) {
        expect(await call(name, { address }, credentials)).toMatchObject({ code: 119 });
      }
    }
    expect(await call("watchEthAddress", { address: user.address }, user)).toEqual({
      result: { success: true },
    });
    const own = { address: user.address };
    expect(await found("_AddressSyncStatus", own, MASTER)).toHaveLength(1);
    for (const reader of [user, stranger]) {
      const { body } = await rest(purse, "GET", "/classes/_AddressSyncStatus", undefined, reader);
      expect(body).toMatchObject({ code: 119 });
    }
    expect(await call("unwatchEthAddress", own, user)).toEqual({ result: { success: true } });
    expect(await found("_AddressSyncStatus", own, MASTER)).toEqual([]);
    // Addresses watched with the master key are still watched.
    await call("watchEthAddress", own);
    await call("unwatchEthAddress", own, user);
    expect(await found("_AddressSyncStatus", own, MASTER)).toHaveLength(1);
    await call("unwatchEthAddress", own);
    expect(await found("_AddressSyncStatus", own, MASTER)).toEqual([]);
  });

  it("have read-only rows for clients", async () => {
    const user = await person();
    const fields = { address: user.address, chain: "0x539", tables: "Eth" };
    expect((await rest(purse, "POST", "/classes/_AddressSyncStatus", fields, user)).body).toMatchObject({
      code: 119,
    });
    const [row] = await found("EthTransactions");
    const path = `/classes/EthTransactions/${String(row?.objectId)}`;
    expect((await rest(purse, "PUT", path, { value: "1" }, user)).body).toMatchObject({ code: 119 });
    expect((await rest(purse, "POST", "/classes/EthTransactions", { value: "1" }, user)).body).toMatchObject({
      code: 119,
    });
  });

  it("must be valid and on a known chain", async () => {
    expect(await call("watchEthAddress", {})).toMatchObject({ code: 142 });
    expect(await call("watchEthAddress", { address: "0x12" })).toMatchObject({ code: 142 });
    expect(await call("watchBscAddress", { address: hand.account(0) })).toMatchObject({ code: 142 });
    const local = { address: hand.account(0), chainId: "0x539" };
    expect(await call("watchPolygonAddress", local)).toMatchObject({ code: 142 });
  });

  it("include addresses that users link, if configured", async () => {
    const user = await person();
    const received = async (): Promise<boolean> => {
      await hand.transferToken(0, user.address, 5n);
      return (await found("EthTokenTransfers", { to_address: user.address })).length > 0;
    };
    await expect.poll(received, { timeout: 20_000, interval: 500 }).toBe(true);
    const own = { address: user.address, token_address: hand.token };
    await until("EthTokenBalance", own, ([row]) => Number(row?.balance) >= 5);
  });
}

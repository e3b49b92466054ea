import { createHmac, randomBytes } from "node:crypto";
import { join } from "node:path";
import { isJsonObject } from "@purse/protocol";
import { erc20Abi, type Hex } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ChainClient, createChainClient } from "../support/chainClient.ts";
import { hostPurse, type Purse, query, rest } from "../support/purse.ts";

const CODE = join(import.meta.dirname, "../fixtures/cloud/moralis.mjs");
const MASTER = { useMasterKey: true };

describe("cloud code of Moralis", () => {
  let purse: Purse;
  let hand: ChainClient;
  beforeAll(async () => {
    purse = await hostPurse({
      devChain: true,
      env: { PURSE_CLOUD: CODE },
    });
    hand = await createChainClient(purse);
  });
  afterAll(() => purse?.remove());

  const call = async (name: string, params: object = {}) =>
    (await rest(purse, "POST", `/functions/${name}`, params, MASTER)).body;

  it.each<[object, object]>([
    [{ method: "toWei", value: 1 }, { result: "1000000000000000000" }],
    [{ method: "toWei", value: "1.5", decimals: 6 }, { result: "1500000" }],
    [{ method: "fromWei", value: 1_000_000_000_000_000 }, { result: "0.001" }],
    [{ method: "fromWei", value: 1e21 }, { result: "1000" }],
    [{ method: "fromWei", value: "0xde0b6b3a7640000" }, { result: "1" }],
    [{ method: "fromWei", value: 10_000_000_000_000, decimals: 10 }, { result: "1000" }],
    [{ method: "toHex", value: 100 }, { result: "64" }],
    [{ method: "toHex", value: "nothing" }, { code: 141 }],
    [{ method: "toPounds", value: 1 }, { code: 141 }],
  ])("converts units: %j", async (params, answer) => {
    expect(await call("units", params)).toMatchObject(answer);
  });

  it.each([
    ["string", "Hello", "Hello"],
    ["object", { lp: 100 }, '{"lp":100}'],
    ["base64", Buffer.from("Hello").toString("base64"), "Hello"],
    ["base64Binary", Buffer.from("Hello").toString("base64"), "Hello"],
  ])("stores a %s in IPFS", async (sourceType, source, content) => {
    const { path }: { path: string } = Object((await call("toIpfs", { sourceType, source })).result);
    const response = await fetch(`${purse.url}${new URL(path).pathname}`);
    expect(await response.text()).toBe(content);
  });

  it("rejects private addresses and unknown types for IPFS", async () => {
    const params = { sourceType: "url", source: `${purse.url}/health` };
    expect(await call("toIpfs", params)).toHaveProperty("code");
    expect(await call("toIpfs", { sourceType: "none", source: "a" })).toMatchObject({ code: 141 });
  });

  it("has Node's crypto module and the Web Crypto API", async () => {
    const expected = createHmac("sha256", "key").update("text").digest("hex");
    expect(await call("hmac")).toEqual({ result: expected });
    expect(await call("random")).toEqual({ result: [36, 4] });
  });

  it("calls contracts with ethers, and explains what to install for web3", async () => {
    const params = { chain: "0x539", token: hand.token, address: hand.account(0) };
    const { result } = await call("ethers", params);
    expect(result).toEqual({
      chainId: 1337,
      balance: expect.stringMatching(/^\d+$/),
      block: expect.any(Number),
    });
    expect(await call("ethers", { ...params, chain: "0x38" })).toHaveProperty("code");
    for (const name of ["web3", "web3ForChain"])
      expect(await call(name, { chain: "0x539" })).toMatchObject({
        code: 141,
        error: 'web3 is not installed: install "web3@1" beside the cloud code',
      });
    expect(await call("abis")).toEqual({ result: [true, true, true] });
  });

  it("calls the data API", async () => {
    expect(await call("web3Api", { address: hand.account(0), token: hand.token })).toEqual({
      result: {
        balances: expect.any(Number),
        metadata: 1,
        block: expect.any(Number),
        resolve: "function",
      },
    });
  });

  it("chooses with beforeConsume which confirmed events are stored", async () => {
    const abi = erc20Abi.find((entry) => entry.type === "event" && entry.name === "Transfer");
    const watch = {
      chainId: "0x539",
      address: hand.token,
      topic: "Transfer(address,address,uint256)",
      abi,
      tableName: "Consumed",
      sync_historical: true,
      confirmations: 3,
    };
    expect(await call("watchContractEvent", watch)).toMatchObject({ result: { success: true } });
    const receiver: Hex = `0x${randomBytes(20).toString("hex")}`;
    const stored = async () => {
      const where = { to: receiver };
      const { body } = await rest(
        purse,
        "GET",
        `/classes/Consumed${query({ where, order: "block_number" })}`,
      );
      const rows = Array.isArray(body.results) ? body.results.filter(isJsonObject) : [];
      return rows.map(({ value, confirmed }) => [value, confirmed]);
    };
    await hand.transferTokens([12n, 13n, 14n, 15n].map((value) => [0, receiver, value]));
    await hand.mine(1);
    await expect.poll(stored, { timeout: 20_000 }).toEqual([["12", true]]);
    await hand.mine(3);
    await expect.poll(stored, { timeout: 20_000 }).toEqual([
      ["12", true],
      ["15", true],
    ]);
    expect(purse.output()).toContain("beforeConsume failed");
  });
});

import { existsSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { erc20Abi, parseAbiItem, toEventSelector } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { devAccount } from "../support/devAccount.ts";
import { hostPurse, type Purse, rest } from "../support/purse.ts";

let purse: Purse;
beforeAll(async () => {
  purse = await hostPurse({ devChain: true });
});
afterAll(() => purse?.remove());

/** Signs in with a wallet of the local chain. */
async function signInWithWallet(server: Purse, index: number): Promise<{ sessionToken: string }> {
  const account = devAccount(index);
  const data = `Moralis Authentication\n\nId: ${server.appId}:${new Date().toISOString()}`;
  const signature = await account.signMessage({ message: data });
  const moralisEth = { id: account.address.toLowerCase(), signature, data };
  const { body } = await rest(server, "POST", "/users", { authData: { moralisEth } });
  return { sessionToken: String(body.sessionToken) };
}

async function get(path: string) {
  const response = await fetch(`${purse.url}/api/v2${path}`);
  return { status: response.status, body: await response.json() };
}

const address = devAccount(0).address;

describe("the data API", () => {
  it("paginates by cursor without duplicates or gaps", {
    tags: ["7.data.pagination-by-cursor"],
  }, async () => {
    const all = await get(`/${address}/erc20/transfers`);
    const seen: unknown[] = [];
    let cursor = "";
    do {
      const { body } = await get(`/${address}/erc20/transfers?limit=4&cursor=${cursor}`);
      seen.push(...body.result);
      cursor = body.cursor;
    } while (cursor);
    expect(seen).toEqual(all.body.result);
  });

  it("paginates by offset with 500 rows by default", {
    tags: ["9.offset-page-size", "7.data.pagination-by-offset"],
  }, async () => {
    const all = await get(`/${address}/erc20/transfers`);
    expect(all.body).toMatchObject({ page: 0, page_size: 500 });
    const second = await get(`/${address}/erc20/transfers?limit=3&offset=3`);
    expect(second.body.page).toBe(1);
    expect(second.body.result).toEqual(all.body.result.slice(3, 6));
  });

  it("returns the same as a cloud function without an application ID or session", async () => {
    const response = await fetch(`${purse.serverUrl}/functions/getNativeBalance`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ address, chain: "0x539" }),
    });
    const { result } = await response.json();
    expect(result).toEqual((await get(`/${address}/balance`)).body);
  });

  it("accepts the body of event and function endpoints below its base path and as function parameters", {
    tags: ["7.data.base-path"],
  }, async () => {
    const { body } = await get(`/${address}/erc20/transfers?limit=1`);
    const [{ address: token }] = body.result;
    const event = parseAbiItem("event Transfer(address indexed from, address indexed to, uint256 value)");
    const topic = toEventSelector(event);
    const post = async (path: string, sent: unknown) => {
      const init = {
        method: "POST",
        body: JSON.stringify(sent),
        headers: { "content-type": "application/json" },
      };
      return (await fetch(`${purse.url}/api/v2${path}`, init)).json();
    };
    const events = await post(`/${token}/events?topic=${topic}&limit=2`, event);
    expect(events).toMatchObject({ page: 0, page_size: 2, result: [expect.anything(), expect.anything()] });
    const call = { address: token, topic, abi: event, limit: 2 };
    expect((await rest(purse, "POST", "/functions/getContractEvents", call)).body.result).toEqual(events);
    const held = await post(`/${token}/function?function_name=balanceOf`, {
      abi: erc20Abi,
      params: { account: address },
    });
    expect(held).toMatch(/^\d+$/);
    expect(await post(`/${token}/function?function_name=balanceOf`, {})).toEqual({
      message: "param abi is required!",
    });
  });

  it("is also below the path of later clients, with the same refusals", async () => {
    const read = async (path: string) => {
      const response = await fetch(`${purse.url}/api/v2.2${path}`);
      return { status: response.status, body: await response.json() };
    };
    expect((await read(`/${address}/balance`)).body).toEqual((await get(`/${address}/balance`)).body);
    expect(await read("/no/such/endpoint")).toEqual({
      status: 404,
      body: { message: "No endpoint GET /no/such/endpoint" },
    });
    expect((await read("/openapi.json")).status).toBe(200);
    const missing = await rest(purse, "POST", "/functions/reviewContracts", {});
    expect(missing).toMatchObject({ status: 400, body: { code: 108 } });
    expect(missing.body.error).toMatch(/^reviewContracts is not available: .*Cloud code can define/);
  });

  it("answers paths that end with a slash", async () => {
    expect(await get(`/${address}/balance/?chain=0x0539`)).toEqual(await get(`/${address}/balance`));
  });

  it("replaces an empty address with that of the signed-in user", async () => {
    const ann = await signInWithWallet(purse, 0);
    const { body } = await rest(purse, "POST", "/functions/getNativeBalance", { address: "" }, ann);
    expect(body.result).toEqual((await get(`/${address}/balance`)).body);
    const nobody = await rest(purse, "POST", "/functions/getNativeBalance", { address: "" });
    expect(nobody.body.error).toBe("required param address not provided");
  });

  it("uploads a folder to IPFS for signed-in users", {
    tags: ["7.data.endpoint.ipfs-upload-folder"],
  }, async () => {
    const data = [
      { path: "hello/a.txt", content: Buffer.from("hello world\n").toString("base64") },
      { path: "hello/b.json", content: { a: 1 } },
    ];
    const refused = await rest(purse, "POST", "/functions/uploadFolder", { data });
    expect(refused.body).toMatchObject({ code: 119 });
    const ann = await signInWithWallet(purse, 0);
    const { body } = await rest(purse, "POST", "/functions/uploadFolder", { abi: data }, ann);
    const [first, second] = Object(body.result);
    expect(await (await fetch(first.path)).text()).toBe("hello world\n");
    expect(await (await fetch(second.path)).json()).toEqual({ a: 1 });
  });

  it.each([
    ["a bad address", "/0x12/balance", 400, "address must be an address"],
    ["an unknown chain", `/${address}/balance?chain=moon`, 400, 'chain "moon"'],
    ["a chain without a node", `/${address}/balance?chain=bsc`, 400, "PURSE_CHAIN_BSC_RPC_URL"],
    ["a bad block", `/${address}/balance?to_block=x`, 400, "to_block must be"],
    [
      "a block that is not mined",
      `/${address}/balance?to_block=99999999`,
      400,
      "block 99999999 does not exist yet: the latest block of the chain is ",
    ],
    ["an invalid cursor", `/${address}/erc20/transfers?cursor=abc`, 400, "cursor is invalid"],
    ["a limit of 0", `/${address}/erc20/transfers?limit=0`, 400, "limit must be"],
    ["an unknown endpoint", "/no/such/endpoint", 404, "No endpoint GET /no/such/endpoint"],
    ["an unknown parameter", `/${address}/balance?limit=3`, 400, "limit is not a parameter"],
    ["an unknown list", `/${address}/nft?tokens[0]=${address}`, 400, "tokens[0] is not a parameter"],
    ["data that it does not have", `/wallets/${address}/profitability`, 400, "getWalletProfitability is not"],
    ["a market", "/market-data/erc20s/top-tokens", 400, "there is no data of markets"],
  ])("rejects %s with a clear message", async (_name, path, status, message) => {
    const answer = await get(path);
    expect(answer.status).toBe(status);
    expect(answer.body.message).toContain(message);
  });

  it("names the missing parameter", { tags: ["5.data.path-parameter-required"] }, async () => {
    const { body } = await rest(purse, "POST", "/functions/getNativeBalance", {});
    expect(body.error).toBe("required param address not provided");
  });
});

describe("a chain that indexes known wallets only", () => {
  it("indexes wallets that sign in automatically", async () => {
    const env = {
      PURSE_CHAIN_ETH_RPC_URL: purse.rpcUrl,
      PURSE_CHAIN_ETH_ID: "1337",
      PURSE_CHAIN_ETH_SCOPE: "wallets",
    };
    const other = await hostPurse({ env });
    try {
      await signInWithWallet(other, 3);
      const file = join(other.dataDir, "chains", "chain-1337.sqlite");
      // The index is opened after the server accepts requests.
      await expect.poll(() => existsSync(file), { timeout: 30_000 }).toBe(true);
      const index = new Database(file, { readonly: true });
      const watched = () =>
        index
          .prepare<[], { address: Buffer }>("SELECT address FROM watched")
          .all()
          .map(({ address: bytes }) => `0x${bytes.toString("hex")}`);
      await expect.poll(watched, { timeout: 30_000 }).toContain(devAccount(3).address.toLowerCase());
      index.close();
    } finally {
      await other.remove();
    }
  });
});

describe("a server with an unreachable node", () => {
  it("supports sign-in and objects, and reports the missing node", async () => {
    const alone = await hostPurse({ env: { PURSE_CHAIN_ETH_RPC_URL: "http://127.0.0.1:9" } });
    try {
      const made = await rest(alone, "POST", "/users", { username: "still-here", password: "p" });
      expect(made.status).toBe(201);
      const response = await fetch(`${alone.url}/api/v2/${address}/erc20`);
      expect(response.status).toBe(503);
      expect((await response.json()).message).toContain("none of its nodes responds");
    } finally {
      await alone.remove();
    }
  });
});

describe("names of addresses", () => {
  const addressOf = (index: number) => devAccount(index).address.toLowerCase();

  it("resolveDomain resolves a domain over REST and as a function", {
    tags: ["7.data.endpoint.resolve-domain"],
  }, async () => {
    expect(await get("/resolve/alice.eth")).toEqual({ status: 200, body: { address: addressOf(1) } });
    expect(await get("/resolve/brad.crypto?currency=0x1")).toEqual({
      status: 200,
      body: { address: addressOf(5) },
    });
    const { body } = await rest(purse, "POST", "/functions/resolveDomain", { domain: "bob.eth" });
    expect(body).toEqual({ result: { address: addressOf(2) } });
  });

  it("resolveAddress returns the name of an address", {
    tags: ["7.data.endpoint.resolve-address-reverse"],
  }, async () => {
    expect(await get(`/resolve/${addressOf(1)}/reverse`)).toEqual({
      status: 200,
      body: { name: "alice.eth" },
    });
  });

  it("resolveDomain and resolveAddress return 404 for unknown names and 400 for invalid ones", async () => {
    expect((await get("/resolve/nobody.eth")).status).toBe(404);
    expect((await get(`/resolve/${addressOf(3)}/reverse`)).status).toBe(404);
    expect((await get(`/resolve/${encodeURIComponent("\u0430lice.eth")}`)).status).toBe(400);
    // No gateway is requested unless one is configured.
    expect((await get("/resolve/my.offchain.eth")).status).toBe(404);
  });
});

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { devAccount } from "../support/browser.ts";
import { type Purse, rest, startPurse } from "../support/purse.ts";

let purse: Purse;
beforeAll(async () => {
  purse = await startPurse({ devChain: true });
}, 60_000);
afterAll(() => purse?.remove());

async function get(path: string) {
  const response = await fetch(`${purse.url}/api/v2${path}`);
  return { status: response.status, body: await response.json() };
}

const address = devAccount(0).address;

describe("the data service", () => {
  it("[7.data.pagination-by-cursor] pages by cursor without doubles or gaps", async () => {
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

  it("[9.offset-page-size] [7.data.pagination-by-offset] pages by offset, 500 rows where no size is given", async () => {
    const all = await get(`/${address}/erc20/transfers`);
    expect(all.body).toMatchObject({ page: 0, page_size: 500 });
    const second = await get(`/${address}/erc20/transfers?limit=3&offset=3`);
    expect(second.body.page).toBe(1);
    expect(second.body.result).toEqual(all.body.result.slice(3, 6));
  });

  it("answers the same as a server function, without an application or a session", async () => {
    const response = await fetch(`${purse.serverUrl}/functions/getNativeBalance`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ address, chain: "0x539" }),
    });
    const { result } = await response.json();
    expect(result).toEqual((await get(`/${address}/balance`)).body);
  });

  it.each([
    ["a bad address", "/0x12/balance", 400, "address must be an address"],
    ["an unknown chain", `/${address}/balance?chain=moon`, 400, 'chain "moon"'],
    ["a chain without a node", `/${address}/balance?chain=bsc`, 503, "PURSE_CHAIN_BSC_RPC_URL"],
    ["a bad block", `/${address}/balance?to_block=x`, 400, "to_block must be"],
    ["a cursor of another's", `/${address}/erc20/transfers?cursor=abc`, 400, "cursor is not one"],
    ["a limit of nothing", `/${address}/erc20/transfers?limit=0`, 400, "limit must be"],
    ["an endpoint that is not there", "/no/such/endpoint", 404, "No endpoint"],
  ])("refuses %s in clear words", async (_name, path, status, message) => {
    const answer = await get(path);
    expect(answer.status).toBe(status);
    expect(answer.body.message).toContain(message);
  });

  it("[5.data.path-parameter-required] says which parameter is missing", async () => {
    const { body } = await rest(purse, "POST", "/functions/getNativeBalance", {});
    expect(body.error).toBe("required param address not provided");
  });
});

describe("a dead node", () => {
  it("leaves sign-in and data working, and says what is missing", async () => {
    const alone = await startPurse({ env: { PURSE_CHAIN_ETH_RPC_URL: "http://127.0.0.1:9" } });
    try {
      const made = await rest(alone, "POST", "/users", { username: "still-here", password: "p" });
      expect(made.status).toBe(201);
      const response = await fetch(`${alone.url}/api/v2/${address}/erc20`);
      expect(response.status).toBe(503);
      expect((await response.json()).message).toContain("no node of it answers");
    } finally {
      await alone.remove();
    }
  });
});

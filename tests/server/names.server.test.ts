import { afterAll, beforeAll, expect, it } from "vitest";
import { devAccount } from "../support/devAccount.ts";
import { hostPurse, type Purse, rest } from "../support/purse.ts";

let purse: Purse;
beforeAll(async () => {
  purse = await hostPurse({ devChain: true });
});
afterAll(() => purse?.remove());

const address = (index: number) => devAccount(index).address.toLowerCase();
async function get(path: string) {
  const response = await fetch(`${purse.url}/api/v2/resolve/${path}`);
  return { status: response.status, body: await response.json() };
}

it("resolveDomain resolves a domain over REST and as a function", {
  tags: ["7.data.endpoint.resolve-domain"],
}, async () => {
  expect(await get("alice.eth")).toEqual({ status: 200, body: { address: address(1) } });
  expect(await get("brad.crypto?currency=0x1")).toEqual({ status: 200, body: { address: address(5) } });
  const { body } = await rest(purse, "POST", "/functions/resolveDomain", { domain: "bob.eth" });
  expect(body).toEqual({ result: { address: address(2) } });
});

it("resolveAddress returns the name of an address", {
  tags: ["7.data.endpoint.resolve-address-reverse"],
}, async () => {
  expect(await get(`${address(1)}/reverse`)).toEqual({ status: 200, body: { name: "alice.eth" } });
});

it("resolveDomain and resolveAddress return 404 for unknown names and 400 for invalid ones", async () => {
  expect((await get("nobody.eth")).status).toBe(404);
  expect((await get(`${address(3)}/reverse`)).status).toBe(404);
  expect((await get(encodeURIComponent("\u0430lice.eth"))).status).toBe(400);
  // No gateway is requested unless one is configured.
  expect((await get("my.offchain.eth")).status).toBe(404);
});

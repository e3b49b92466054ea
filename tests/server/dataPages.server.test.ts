import { ENDPOINTS } from "@purse/chain";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hostPurse, type Purse } from "../support/purse.ts";

let purse: Purse;
beforeAll(async () => {
  purse = await hostPurse({ env: { PURSE_SERVER_URL: "https://purse.example/server" } });
});
afterAll(() => purse?.remove());

describe("the documentation of the data API", () => {
  it("is an OpenAPI document with the base path and every endpoint", {
    tags: ["7.data.base-path"],
  }, async () => {
    const response = await fetch(`${purse.url}/api/v2/openapi.json`);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toContain("application/json");
    const { openapi, servers, paths } = await response.json();
    expect(openapi).toBe("3.1.0");
    expect(servers).toEqual([{ url: "https://purse.example/api/v2" }]);
    expect(Object.keys(paths)).toHaveLength(Object.keys(ENDPOINTS).length);
  });

  it("is a page whose forms send requests to this server only, without external resources", async () => {
    const response = await fetch(`${purse.url}/api/v2/docs`);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toContain("text/html");
    expect(response.headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; style-src 'sha256-\S+; script-src 'sha256-\S+; connect-src 'self'; base-uri 'none'/,
    );
    expect(await response.text()).toContain("https://purse.example/api/v2/web3/version");
  });

  it("responds to HEAD without a body, and to no other methods", async () => {
    const head = await fetch(`${purse.url}/api/v2/docs`, { method: "HEAD" });
    expect(head.status).toBe(200);
    expect(await head.text()).toBe("");
    expect((await fetch(`${purse.url}/api/v2/docs`, { method: "POST" })).status).toBe(404);
  });

  it("refreshes nothing with HEAD", async () => {
    const address = `0x${"1".repeat(40)}`;
    for (const path of [`/nft/${address}/1/metadata/resync`, `/erc20/${address}/metadata/resync`]) {
      expect((await fetch(`${purse.url}/api/v2${path}`, { method: "HEAD" })).status).toBe(404);
      expect((await fetch(`${purse.url}/api/v2${path}`)).status).not.toBe(404);
    }
  });
});

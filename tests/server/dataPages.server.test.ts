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

  it("has a page in the documentation, to which its path leads with GET and HEAD only", async () => {
    for (const path of ["/api/v2/docs", "/api/v2.2/docs"]) {
      for (const method of ["GET", "HEAD"]) {
        const { status, headers } = await fetch(purse.url + path, { method, redirect: "manual" });
        expect([path, status, headers.get("location")]).toEqual([
          path,
          302,
          "/docs/reference/data-endpoints",
        ]);
      }
    }
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

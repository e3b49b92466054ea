import { createRequire } from "node:module";
import { ENDPOINTS } from "@purse/chain";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { freshRequire } from "../support/freshRequire.ts";
import { hostPurse, type Purse } from "../support/purse.ts";

const SECRET = "a secret of the operator";
const API_KEY = "an-api-key-of-the-data-service";
const HOSTED =
  /^https:\/\/(www\.)?(admin\.moralis\.io|internal-api\.moralis\.io|deep-index\.moralis\.io|unpkg\.com)/;

type Ajax = (method: string, url: string, ...more: unknown[]) => Promise<unknown>;

/* Requests of the old client to the hosted service, whose host names resolve to this server. */
describe("moralis@1.7.0, unmodified", () => {
  const Moralis = freshRequire("moralis/node", import.meta.url);
  const require = createRequire(import.meta.url);
  const tools = require("moralis/lib/node/utils");
  const controller: { ajax: Ajax } = require("moralis/lib/node/CoreManager").getRESTController();
  const { ajax } = controller;
  const requestedMethods: string[] = [];
  let purse: Purse;

  beforeAll(async () => {
    purse = await hostPurse({
      env: { PURSE_KEY_FETCH_SECRET: SECRET, PURSE_KEY_FETCH_API_KEY: API_KEY, PURSE_TRACKING: "1" },
    });
    controller.ajax = (method, url, ...more) => {
      if (HOSTED.test(url)) requestedMethods.push(`${method} ${new URL(url).pathname}`);
      return ajax(method, url.replace(HOSTED, purse.url), ...more);
    };
  });
  afterAll(async () => {
    controller.ajax = ajax;
    await purse?.remove();
  });

  it("fetches its API keys with the right secret only", {
    tags: ["7.key-fetch.get", "7.key-fetch.secret-header"],
  }, async () => {
    expect(await Moralis.getApiKeys(SECRET)).toEqual({ web3ApiKey: API_KEY, speedyNodeApiKey: "" });
    await expect(Moralis.getApiKeys("wrong")).rejects.toThrow("Could not fetch keys with moralisSecret");
  });

  it("starts without a warning, and its start is counted", {
    tags: ["7.other.package-version", "7.other.tracking", "9.version-check-reference"],
  }, async () => {
    const warned = vi.spyOn(console, "warn").mockImplementation(() => {});
    await Moralis.start({ serverUrl: purse.serverUrl, appId: purse.appId });
    await expect.poll(() => requestedMethods).toContain("GET /moralis/package.json");
    await expect.poll(() => requestedMethods).toContain("POST /api/functions/trackEvent");
    await expect
      .poll(async () => (await fetch(`${purse.url}/metrics`)).text())
      .toContain('purse_app_events_total{event="Moralis SDK start"} 1');
    expect(warned.mock.calls.flat().join()).not.toContain("latest version");
    warned.mockRestore();
  });

  it("starts if the tracking endpoint is missing", {
    tags: ["7.other.tracking-failure-ignored"],
  }, async () => {
    const { ajax: counted } = controller;
    controller.ajax = (method, url, ...more) =>
      counted(method, HOSTED.test(url) ? `${purse.url}/nothing` : url, ...more);
    await Moralis.start({ serverUrl: purse.serverUrl, appId: purse.appId });
    controller.ajax = counted;
    expect(await Moralis.Cloud.run("getServerTime")).toMatchObject({ dateTime: expect.any(String) });
  });

  it("lists the endpoints with its own tool", {
    tags: ["7.other.api-docs", "7.other.api-docs-by-tag"],
  }, async () => {
    const endpoints: { method: string; group: string; name: string; url: string }[] =
      await tools.fetchEndpoints();
    expect(endpoints).toHaveLength(Object.keys(ENDPOINTS).length);
    expect(endpoints).toContainEqual({
      method: "GET",
      group: "account",
      name: "getNativeBalance",
      url: "/:address/balance",
    });
  });
});

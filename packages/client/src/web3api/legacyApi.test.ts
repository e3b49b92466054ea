import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type RecordingServer, startRecordingServer } from "../../test/recordingServer.ts";
import { lookupAddress, resolveName } from "./resolveNames.ts";
import { Web3API } from "./web3api.ts";

let server: RecordingServer;
beforeEach(async () => {
  server = await startRecordingServer();
  server.connect();
  server.respondWith(() => ({ body: { result: {} } }));
});
afterEach(async () => {
  Web3API.initialize({ serverUrl: server.url });
  await server.stop();
});

const address = "0x1111111111111111111111111111111111111111";

describe("the legacy helpers of Web3API", () => {
  it("read the rate limits from response headers", () => {
    const limits = { "x-rate-limit-limit": "1500", "x-rate-limit-used": "3" };
    const expected = { ...limits, "x-rate-limit-remaining-ttl": null };
    expect(Web3API.getApiRateLimitInfo(limits)).toMatchObject(expected);
    expect(Web3API.getApiRateLimitInfo(new Headers(limits))).toMatchObject(expected);
  });

  it.each([
    [{ response: { data: { message: "Invalid chain" } }, message: "400" }, "Invalid chain"],
    [new Error("down"), "down"],
    [{}, "Web3 API error while calling /x"],
  ])("read the message of an error", (error, message) => {
    expect(Web3API.getApiErrorMessage(error, "/x")).toBe(message);
  });

  it("fill paths and bodies, and remove the used parameters", () => {
    const params = { address, topic: "0x1", abi: [1], data: { a: 1 } };
    expect(Web3API.getParameterizedUrl("/:address/events", params)).toBe(`/${address}/events`);
    expect(Web3API.getBody(params, [{ key: "abi", type: "property" }])).toEqual({ abi: [1] });
    expect(Web3API.getBody(params, [{ key: "data", type: "set body" }])).toEqual({ a: 1 });
    expect(params).toEqual({ topic: "0x1" });
    expect(() => Web3API.getParameterizedUrl("/:address", {})).toThrow("required param address not provided");
    expect(() => Web3API.getBody({}, [{ key: "abi", required: true }])).toThrow("param abi is required!");
  });

  it("return the parameters of the next page", () => {
    const page = { total: 5, page: 0, page_size: 2 };
    expect(Web3API.getNextOptions({ ...page, cursor: "c" }, { a: 1 })).toEqual({ a: 1, cursor: "c" });
    expect(Web3API.getNextOptions(page, { a: 1, limit: 2 })).toEqual({ a: 1, limit: 2, offset: 2 });
    expect(Web3API.getNextOptions({ ...page, page: 2 }, { a: 1 })).toEqual({ a: 1 });
  });

  it("call custom operations", async () => {
    const endpoint = { name: "getWalletScore", url: "/:address/score", method: "GET" as const };
    await Web3API.fetch({ endpoint, params: { address } });
    await Web3API.fetchFromServer("getWalletScore", { address });
    expect(server.requests).toMatchObject([
      { call: "POST functions/getWalletScore", body: { address, chain: "eth" } },
      { call: "POST functions/getWalletScore", body: { address, chain: "eth" } },
    ]);
    await expect(Web3API.fetchFromApi(endpoint, { address })).rejects.toThrow(
      "initialize with apiKey or serverUrl",
    );
    Web3API.initialize({ apiKey: "key", baseURL: "http://elsewhere.test" });
    Web3API.baseURL = `${server.url}/`;
    await Web3API.fetch({ endpoint, params: { address } });
    expect(server.requests[2]?.call).toBe(`GET ${address}/score?chain=eth`);
  });
});

describe("names", () => {
  it("resolve to addresses, and addresses to names", async () => {
    server.respondWith(({ call }) => ({
      body: { result: call.endsWith("resolveDomain") ? { address } : { name: "ada.eth" } },
    }));
    expect(await resolveName("ada.eth")).toBe(address);
    expect(await lookupAddress(address)).toBe("ada.eth");
    expect(server.requests.map(({ body }) => body.domain ?? body.address)).toEqual(["ada.eth", address]);
  });

  it("resolve to null if there are none, and other errors are thrown", async () => {
    server.respondWith(() => ({ status: 404, body: { code: 101, error: "does not resolve to an address" } }));
    expect(await resolveName("nobody.eth")).toBeNull();
    expect(await lookupAddress(address)).toBeNull();
    for (const name of ["MetaMask.eth", "vitaIik.eth", "a b.eth"]) {
      server.respondWith(() => ({ body: { result: { name } } }));
      expect(await lookupAddress(address)).toBeNull();
    }
    server.respondWith(() => ({ status: 400, body: { code: 142, error: "domain is not a valid name" } }));
    await expect(resolveName("n o")).rejects.toThrow("domain is not a valid name");
  });
});

import type { JsonObject, JsonValue } from "@purse/protocol";
import { describe, expect, it } from "vitest";
import { ANONYMOUS, internalRequest } from "../../core/authContext.ts";
import type { ApiRequest } from "../../core/http/apiRoute.ts";
import { createVerifyReceipt } from "./appStore.ts";
import { purchaseRoute } from "./purchaseRoute.ts";

const FILE = { __type: "File", name: "song.mp3", url: "http://files/song.mp3" };
const RECEIPT = { __type: "Bytes", base64: "cmVjZWlwdA==" };

interface ShopOptions {
  bundleId?: string;
  acceptsAnyApp?: boolean;
  allowsSandbox?: boolean;
}

/** A shop whose App Store answers with `answers`, one after the other. */
function shop(
  answers: JsonValue[],
  { bundleId, acceptsAnyApp = true, allowsSandbox = true }: ShopOptions = {},
) {
  const requests: [string, JsonObject][] = [];
  const { handle } = purchaseRoute({
    bundleId,
    acceptsAnyApp,
    verifyReceipt: createVerifyReceipt({
      allowsSandbox,
      post: async (url, body) => {
        requests.push([new URL(url).hostname, JSON.parse(body)]);
        const answer = answers.shift();
        if (answer === undefined) throw new Error("nobody answers");
        return JSON.stringify(answer);
      },
    }),
    objects: {
      find: async (_request, className, { where }) => {
        const isSong = JSON.stringify([className, where]) === '["_Product",{"productIdentifier":"song"}]';
        return JSON.stringify({ results: isSong ? [{ productIdentifier: "song", download: FILE }] : [] });
      },
    },
  });
  const buy = (params: JsonObject): Promise<unknown> => handle(requestOf(params));
  return { requests, buy };
}

function requestOf(params: JsonObject, ip = ""): ApiRequest {
  return {
    ...internalRequest(ANONYMOUS),
    ip,
    method: "POST",
    path: "/validate_purchase",
    params,
    pathParams: {},
    serverUrl: "",
  };
}

const valid = (receipt: JsonObject): JsonObject => ({ status: 0, receipt });

describe("POST /validate_purchase", () => {
  it.each<[string, JsonObject]>([
    ["of an app", { bundle_id: "app", in_app: [{ product_id: "other" }, { product_id: "song" }] }],
    ["of one purchase", { product_id: "song" }],
  ])("returns the file of a product in a receipt %s", async (_kind, receipt) => {
    for (const sent of [RECEIPT, RECEIPT.base64]) {
      const { requests, buy } = shop([valid(receipt)]);
      expect(await buy({ receipt: sent, productIdentifier: "song" })).toEqual(FILE);
      expect(requests).toEqual([["buy.itunes.apple.com", { "receipt-data": RECEIPT.base64 }]]);
    }
  });

  it("validates receipts of test purchases with the sandbox", async () => {
    const { requests, buy } = shop([{ status: 21007 }, valid({ product_id: "song" })]);
    expect(await buy({ receipt: RECEIPT, productIdentifier: "song" })).toEqual(FILE);
    expect(requests.map(([host]) => host)).toEqual(["buy.itunes.apple.com", "sandbox.itunes.apple.com"]);
  });

  it.each<[JsonValue[], number, string]>([
    [[{ status: 21002 }], 21002, "The data in the receipt-data property was malformed or missing."],
    [[{ status: 21007 }, { status: 21004 }], 21004, expect.stringContaining("shared secret")],
    [[{ status: 1 }], 1, "unknown error."],
    [[{}], 21005, "The receipt server is not currently available."],
    [[], 21005, "The receipt server is not currently available."],
    [[valid({ product_id: "other" })], 21003, "The receipt could not be authenticated."],
    [[valid({})], 21003, "The receipt could not be authenticated."],
  ])("returns the status of a receipt without a valid purchase: %j", async (answers, status, error) => {
    const { buy } = shop([...answers]);
    expect(await buy({ receipt: RECEIPT, productIdentifier: "song" })).toEqual({ status, error });
  });

  it("rejects receipts of other apps if the app is configured", async () => {
    const receipt = { bundle_id: "theirs", in_app: [{ product_id: "song" }] };
    const answers = [valid(receipt), valid({ ...receipt, bundle_id: "ours" })];
    const { buy } = shop(answers, { bundleId: "ours" });
    expect(await buy({ receipt: RECEIPT, productIdentifier: "song" })).toMatchObject({ status: 21003 });
    expect(await buy({ receipt: RECEIPT, productIdentifier: "song" })).toEqual(FILE);
  });

  it("is not available without a configured app, unless receipts of any app are accepted", async () => {
    const { buy, requests } = shop([], { acceptsAnyApp: false });
    await expect(buy({ receipt: RECEIPT, productIdentifier: "song" })).rejects.toMatchObject({
      code: 108,
      message: expect.stringContaining("PURSE_APP_STORE_BUNDLE_ID"),
    });
    expect(requests).toEqual([]);
  });

  it("returns the status of a test purchase where these are not accepted", async () => {
    const { buy, requests } = shop([{ status: 21007 }], { allowsSandbox: false });
    expect(await buy({ receipt: RECEIPT, productIdentifier: "song" })).toMatchObject({ status: 21007 });
    expect(requests).toHaveLength(1);
  });

  it("validates receipts of one address one after the other, and those of others meanwhile", async () => {
    const waiting: (() => void)[] = [];
    const receipts: string[] = [];
    let isAnswering = false;
    const { handle } = purchaseRoute({
      bundleId: undefined,
      acceptsAnyApp: true,
      verifyReceipt: async (receipt) => {
        receipts.push(receipt);
        if (!isAnswering) await new Promise<void>((resolve) => waiting.push(resolve));
        return { status: 21002, receipt: {} };
      },
      objects: { find: async () => JSON.stringify({ results: [] }) },
    });
    const buy = (receipt: string, ip: string) =>
      handle(requestOf({ receipt, productIdentifier: "song" }, ip));
    const flood = Array.from({ length: 17 }, (_, n) => buy(`flood ${n}`, "203.0.113.1"));
    await expect(buy("too many", "203.0.113.1")).rejects.toMatchObject({ code: 155, status: 429 });
    const other = buy("other", "203.0.113.2");
    expect(receipts).toEqual(["flood 0", "other"]);
    waiting[1]?.();
    expect(await other).toMatchObject({ status: 21002 });
    waiting[0]?.();
    await flood[0];
    expect(receipts).toEqual(["flood 0", "other", "flood 1"]);
    isAnswering = true;
    waiting[2]?.();
    await Promise.all(flood);
  });

  it("rejects with 101 if there is no such product, and with 107 without a receipt or a product", async () => {
    const { buy } = shop([valid({ product_id: "book" })]);
    await expect(buy({ receipt: RECEIPT, productIdentifier: "book" })).rejects.toMatchObject({ code: 101 });
    const incomplete: JsonObject[] = [
      { receipt: RECEIPT },
      { productIdentifier: "song" },
      { receipt: {}, productIdentifier: "song" },
    ];
    for (const params of incomplete) await expect(buy(params)).rejects.toMatchObject({ code: 107 });
  });
});

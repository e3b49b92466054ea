import type { JsonObject, JsonValue } from "@purse/protocol";
import { describe, expect, it } from "vitest";
import { ANONYMOUS, internalRequest } from "../core/authContext.ts";
import type { ApiRequest } from "../core/http/apiRoute.ts";
import { createVerifyReceipt } from "./appStore.ts";
import { purchaseRoute } from "./purchaseRoute.ts";

const FILE = { __type: "File", name: "song.mp3", url: "http://files/song.mp3" };
const RECEIPT = { __type: "Bytes", base64: "cmVjZWlwdA==" };

/** A shop whose App Store answers with `answers`, one after the other. */
function shop(answers: JsonValue[], bundleId?: string) {
  const requests: [string, JsonObject][] = [];
  const { handle } = purchaseRoute({
    bundleId,
    verifyReceipt: createVerifyReceipt(async (url, body) => {
      requests.push([new URL(url).hostname, JSON.parse(body)]);
      const answer = answers.shift();
      if (answer === undefined) throw new Error("nobody answers");
      return JSON.stringify(answer);
    }),
    objects: {
      find: async (_request, className, { where }) => {
        const isSong = JSON.stringify([className, where]) === '["_Product",{"productIdentifier":"song"}]';
        return JSON.stringify({ results: isSong ? [{ productIdentifier: "song", download: FILE }] : [] });
      },
    },
  });
  const buy = (params: JsonObject): Promise<unknown> => {
    const request: ApiRequest = {
      ...internalRequest(ANONYMOUS),
      method: "POST",
      path: "/validate_purchase",
      params,
      pathParams: {},
      serverUrl: "",
    };
    return handle(request);
  };
  return { requests, buy };
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
    const { buy } = shop([valid(receipt), valid({ ...receipt, bundle_id: "ours" })], "ours");
    expect(await buy({ receipt: RECEIPT, productIdentifier: "song" })).toMatchObject({ status: 21003 });
    expect(await buy({ receipt: RECEIPT, productIdentifier: "song" })).toEqual(FILE);
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

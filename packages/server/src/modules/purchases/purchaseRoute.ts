import { ErrorCode, isJsonObject, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import { z } from "zod";
import { addressKey } from "../../core/http/address.ts";
import type { ApiRequest, ApiRoute } from "../../core/http/apiRoute.ts";
import { jsonObject, routeOf } from "../../core/http/endpoint.ts";
import { FairQueue } from "../../core/limits/fairQueue.ts";
import type { Objects } from "../../data/objects/objects.ts";
import { NOT_AUTHENTICATED, textOfStatus, type VerifyReceipt } from "./appStore.ts";

export interface PurchaseDependencies {
  objects: Pick<Objects, "find">;
  verifyReceipt: VerifyReceipt;
  /** The app whose receipts are accepted. */
  bundleId: string | undefined;
  /** Whether the receipts of any app are accepted if none is configured. */
  acceptsAnyApp: boolean;
}

/** Requests to the App Store, which anyone can cause: in all, waiting, and waiting of one address. */
const QUEUE = { concurrency: 32, maxWaiting: 256, maxWaitingPerKey: 16, maxWaitMs: 10_000 } as const;

const ENDPOINT = {
  method: "POST",
  path: "/validate_purchase",
  access: "everyone",
  heading: "Server",
  summary: "The file that a purchase in the App Store unlocks",
  schemas: () => ({
    body: z.object({
      receipt: z.union([z.string(), jsonObject()]).describe("Base64 or Bytes"),
      productIdentifier: z.string(),
    }),
    response: z.union([jsonObject(), z.object({ status: z.int(), error: z.string() })]),
  }),
} as const;

/**
 * The route that returns the file that a product of `_Product` unlocks to a client whose App Store receipt
 * contains the product, or the status of a receipt that is not valid.
 */
export function purchaseRoute(dependencies: PurchaseDependencies): ApiRoute {
  const { objects, verifyReceipt, bundleId, acceptsAnyApp } = dependencies;
  const queue = new FairQueue({ ...QUEUE, message: "Too many receipts are being validated." });

  return routeOf(ENDPOINT, async (request) => {
    if (bundleId === undefined && !acceptsAnyApp) throw notConfigured();
    const { productIdentifier } = request.params;
    const receipt = receiptData(request.params.receipt);
    if (receipt === undefined || typeof productIdentifier !== "string" || productIdentifier === "") {
      throw new ProtocolError(ErrorCode.INVALID_JSON, "missing receipt or productIdentifier");
    }
    // Those of one address are validated one after the other.
    const address = addressKey(request.ip);
    const answer = await queue.run({ key: address, group: address }, () => verifyReceipt(receipt));
    if (answer.status !== 0) return invalidReceipt(answer.status);
    const isOurs = bundleId === undefined || answer.receipt.bundle_id === bundleId;
    if (!isOurs || !contains(answer.receipt, productIdentifier)) return invalidReceipt(NOT_AUTHENTICATED);
    return findDownload(request, productIdentifier);
  });

  async function findDownload(request: ApiRequest, productIdentifier: string): Promise<JsonValue> {
    const where = { productIdentifier };
    const { results }: JsonObject = JSON.parse(await objects.find(request, "_Product", { where, limit: 2 }));
    const [product, ...others] = Array.isArray(results) ? results : [];
    if (!isJsonObject(product) || others.length > 0) {
      throw new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "Object not found.");
    }
    return product.download ?? {};
  }
}

function notConfigured(): ProtocolError {
  return new ProtocolError(
    ErrorCode.COMMAND_UNAVAILABLE,
    "Purchases are not validated: the server has no PURSE_APP_STORE_BUNDLE_ID",
  );
}

/** A receipt is text in base64, or Bytes. */
function receiptData(value: JsonValue | undefined): string | undefined {
  const text = isJsonObject(value) && value.__type === "Bytes" ? value.base64 : value;
  return typeof text === "string" && text !== "" ? text : undefined;
}

/** Whether a receipt, of an app or of one purchase, contains a product. */
function contains(receipt: JsonObject, productIdentifier: string): boolean {
  const purchases = Array.isArray(receipt.in_app) ? receipt.in_app : [];
  return [receipt, ...purchases].some((each) => isJsonObject(each) && each.product_id === productIdentifier);
}

function invalidReceipt(status: number): JsonObject {
  return { status, error: textOfStatus(status) };
}

import { ErrorCode, isJsonObject, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import type { ApiRequest, ApiRoute } from "../core/http/apiRoute.ts";
import { tooManyRequests } from "../core/limits/tooManyRequests.ts";
import type { Objects } from "../data/objects/objects.ts";
import { NOT_AUTHENTICATED, textOfStatus, type VerifyReceipt } from "./appStore.ts";

export interface PurchaseDependencies {
  objects: Pick<Objects, "find">;
  verifyReceipt: VerifyReceipt;
  /** The app whose receipts are accepted; undefined for any. */
  bundleId: string | undefined;
}

/** Requests to the App Store at a time; anyone can cause them. */
const MAX_CONCURRENT = 32;
const RETRY_MS = 2_000;

/**
 * `POST /validate_purchase`: returns the file that a product of `_Product` unlocks to a client whose App Store receipt
 * contains the product, or the status of a receipt that is not valid.
 */
export function purchaseRoute({ objects, verifyReceipt, bundleId }: PurchaseDependencies): ApiRoute {
  let running = 0;

  return {
    method: "POST",
    path: "/validate_purchase",
    async handle(request) {
      const { productIdentifier } = request.params;
      const receipt = receiptData(request.params.receipt);
      if (receipt === undefined || typeof productIdentifier !== "string" || productIdentifier === "") {
        throw new ProtocolError(ErrorCode.INVALID_JSON, "missing receipt or productIdentifier");
      }
      if (running >= MAX_CONCURRENT) throw tooManyRequests(RETRY_MS);
      running += 1;
      const answer = await verifyReceipt(receipt).finally(() => {
        running -= 1;
      });
      if (answer.status !== 0) return invalidReceipt(answer.status);
      const isOurs = bundleId === undefined || answer.receipt.bundle_id === bundleId;
      if (!isOurs || !contains(answer.receipt, productIdentifier)) return invalidReceipt(NOT_AUTHENTICATED);
      return findDownload(request, productIdentifier);
    },
  };

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

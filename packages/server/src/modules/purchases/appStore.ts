import { sendRequest } from "@purse/outbound";
import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";

const PRODUCTION_URL = "https://buy.itunes.apple.com/verifyReceipt";
const SANDBOX_URL = "https://sandbox.itunes.apple.com/verifyReceipt";
/** Time limit of one request to the App Store, in ms. */
const DEADLINE_MS = 15_000;
/** Receipts of many purchases are long. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/** Statuses of the App Store. */
const VALID = 0;
export const NOT_AUTHENTICATED = 21003;
const UNAVAILABLE = 21005;
const IS_SANDBOX_RECEIPT = 21007;

/** What the status of an invalid receipt means. */
const STATUS_TEXTS: Readonly<Record<number, string>> = {
  21000: "The App Store could not read the JSON object you provided.",
  21002: "The data in the receipt-data property was malformed or missing.",
  [NOT_AUTHENTICATED]: "The receipt could not be authenticated.",
  21004: "The shared secret you provided does not match the shared secret on file for your account.",
  [UNAVAILABLE]: "The receipt server is not currently available.",
  21006: "This receipt is valid but the subscription has expired.",
  [IS_SANDBOX_RECEIPT]:
    "This receipt is from the test environment, but it was sent to the production environment for verification. Send it to the test environment instead.",
  21008:
    "This receipt is from the production environment, but it was sent to the test environment for verification. Send it to the production environment instead.",
};

interface AppStoreAnswer {
  /** 0 for a valid receipt. */
  status: number;
  /** The decoded receipt; empty unless it is valid. */
  receipt: JsonObject;
}

/** Validates a receipt in base64 with the App Store. */
export type VerifyReceipt = (receiptData: string) => Promise<AppStoreAnswer>;

/** Sends a request with a JSON body and returns the text of the answer. Rejects if there is none. */
type PostJson = (url: string, body: string) => Promise<string>;

interface AppStoreOptions {
  /** Whether receipts of test purchases, which cost nothing, are sent on to the test environment. */
  allowsSandbox: boolean;
  post?: PostJson;
}

/** Creates the client of the App Store. */
export function createVerifyReceipt({
  allowsSandbox,
  post = postToAppStore,
}: AppStoreOptions): VerifyReceipt {
  async function ask(url: string, receiptData: string): Promise<AppStoreAnswer> {
    try {
      const answer: JsonValue = JSON.parse(await post(url, JSON.stringify({ "receipt-data": receiptData })));
      const { status, receipt } = isJsonObject(answer) ? answer : {};
      const isValid = status === VALID && isJsonObject(receipt);
      return {
        status: typeof status === "number" ? status : UNAVAILABLE,
        receipt: isValid ? receipt : {},
      };
    } catch {
      return { status: UNAVAILABLE, receipt: {} };
    }
  }

  return async (receiptData) => {
    const answer = await ask(PRODUCTION_URL, receiptData);
    return answer.status === IS_SANDBOX_RECEIPT && allowsSandbox ? ask(SANDBOX_URL, receiptData) : answer;
  };
}

export function textOfStatus(status: number): string {
  return STATUS_TEXTS[status] ?? "unknown error.";
}

async function postToAppStore(url: string, body: string): Promise<string> {
  const response = await sendRequest({
    url,
    headers: { "content-type": "application/json" },
    body,
    deadlineMs: DEADLINE_MS,
    maxBytes: MAX_ANSWER_BYTES,
    allowPrivate: false,
  });
  if (response.status !== 200) throw new Error(`the App Store responded with ${response.status}`);
  return response.body;
}

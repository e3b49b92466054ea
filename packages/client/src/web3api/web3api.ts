import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import { loadStoredUser } from "../identity.ts";
import { encodeFields } from "../object/encode.ts";
import { invalidResponse, type RequestOptions, request } from "../transport.ts";
import type { Operation } from "./operation.ts";
import { type Operations, operations } from "./operations.ts";
import { askRest, type RestService } from "./rest.ts";

const DEFAULT_CHAIN = "eth";
const DEFAULT_PAGE_SIZE = 500;

type Groups = {
  /** Asks a REST data service directly, by its key, or again the server. Throws without either. */
  initialize(options: DataServiceOptions): void;
} & Operations;

/**
 * Chain data, through the server: `Web3API.account.getNativeBalance({ address, chain })`. The chain is `eth`
 * unless named; an address that is left out is that of the signed-in user or of the connected wallet.
 */
export const Web3API: Groups = /* @__PURE__ */ group();

export interface DataServiceOptions {
  /** Sent as x-api-key; the calls then go to `baseURL`, not to the server. */
  apiKey?: string;
  /** The REST service, as `https://…/api/v2`. */
  baseURL?: string;
  serverUrl?: string;
}

let rest: RestService | undefined;

function initialize({ apiKey, baseURL, serverUrl }: DataServiceOptions): void {
  if (!apiKey && !serverUrl) {
    throw new Error("Web3Api.initialize failed: initialize with apiKey or serverUrl");
  }
  if (apiKey && !baseURL && !serverUrl) throw new Error("Web3Api.initialize failed: apiKey needs a baseURL");
  const url = baseURL ?? serverUrl?.replace(/\/server\/?$/, "/api/v2") ?? "";
  rest = apiKey ? { apiKey, url: url.replace(/\/+$/, "") } : undefined;
}

let connectedAccount: () => string | null | undefined = () => undefined;

/** Tells where the connected wallet's account is found. */
export function setConnectedAccount(source: () => string | null | undefined): void {
  connectedAccount = source;
}

/** One operation by its name; what the groups call. */
export async function callDataService(
  name: string,
  operation: Operation,
  given: object,
  options: RequestOptions,
): Promise<JsonValue> {
  const params = encodeFields(given);
  if (!operation.chainless) params.chain ??= DEFAULT_CHAIN;
  if (operation.route.includes("{address}") && !params.address) {
    const address = await ownAddress();
    if (address) params.address = address;
  }
  return ask(name, operation, params, options);
}

async function ask(
  name: string,
  operation: Operation,
  params: JsonObject,
  options: RequestOptions,
): Promise<JsonValue> {
  const next = (following: JsonObject): Promise<JsonValue> => ask(name, operation, following, options);
  if (rest) return withNext(await askRest(rest, operation, params, options), params, next);
  const { body } = await request("POST", `functions/${name}`, params, options);
  if (!isJsonObject(body) || body.result === undefined) throw invalidResponse();
  return withNext(body.result, params, next);
}

/** Adds `next` to a page that others follow. */
function withNext(
  page: JsonValue,
  params: JsonObject,
  next: (following: JsonObject) => Promise<JsonValue>,
): JsonValue {
  if (!isJsonObject(page)) return page;
  const { total, page: number, page_size: size, cursor } = page;
  if (typeof total !== "number" || typeof number !== "number" || typeof size !== "number") return page;
  if (!size || total <= size * (number + 1)) return page;
  const limit = typeof params.limit === "number" ? params.limit : DEFAULT_PAGE_SIZE;
  const following = cursor ? { ...params, cursor } : { ...params, offset: (number + 1) * limit };
  return Object.defineProperty(page, "next", {
    value: () => next(following),
    configurable: true,
  });
}

async function ownAddress(): Promise<string | undefined> {
  const address = (await loadStoredUser())?.ethAddress;
  return typeof address === "string" && address ? address : (connectedAccount() ?? undefined);
}

function group(): Groups {
  const groups = Object.entries(operations).map(([groupName, ofGroup]) => {
    const calls = Object.entries(ofGroup).map(([name, operation]) => [
      name,
      (params: object = {}, options: RequestOptions = {}) =>
        callDataService(name, operation, params, options),
    ]);
    return [groupName, Object.fromEntries(calls)];
  });
  // Made from the same table as the type.
  return { ...Object.fromEntries(groups), initialize } as Groups;
}

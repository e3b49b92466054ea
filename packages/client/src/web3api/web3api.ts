import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import { encodeFields } from "../object/encode.ts";
import { pathOf } from "../pathOf.ts";
import { loadStoredUser } from "../storedUser.ts";
import { invalidResponse, type RequestOptions, requestObject } from "../transport.ts";
import { type HostedOperations, hostedOperations } from "./hostedOperations.ts";
import {
  BodyParamTypes,
  getApiErrorMessage,
  getApiRateLimitInfo,
  getBody,
  getNextOptions,
  getParameterizedUrl,
  type LegacyEndpoint,
} from "./legacyApi.ts";
import type { OperationNames } from "./operation.ts";
import { type Operations, operations } from "./operations.ts";
import type { RestService } from "./rest.ts";

const DEFAULT_CHAIN = "eth";

/** Names that moralis-v1 1.13 has for operations of the data API. */
interface RenamedOperations {
  readonly contract: Pick<Operations["token"], "syncNFTContract">;
  readonly token: { readonly getNFTTransfersFromToBlock: Operations["token"]["getNftTransfersFromToBlock"] };
}

type AllOperations = Operations & HostedOperations & RenamedOperations;

/** The data API: its operations by group, and the other members of Moralis's Web3API. */
export interface DataService extends AllOperations {
  /** Uses a REST data API with an API key, or the server again. Throws without either. */
  initialize(options: DataServiceOptions): void;
  /** The URL of the REST data API; empty while the server is used. */
  baseURL: string;
  readonly BodyParamTypes: typeof BodyParamTypes;
  getApiRateLimitInfo: typeof getApiRateLimitInfo;
  getApiErrorMessage: typeof getApiErrorMessage;
  getParameterizedUrl: typeof getParameterizedUrl;
  getBody: typeof getBody;
  getNextOptions: typeof getNextOptions;
  /** Calls an operation that is not among the groups. */
  fetch(call: { endpoint: LegacyEndpoint; params?: object }, options?: RequestOptions): Promise<JsonValue>;
  /** The same on the REST data API. */
  fetchFromApi(endpoint: LegacyEndpoint, params?: object, options?: RequestOptions): Promise<JsonValue>;
  /** The same on the server: calls its function of that name. */
  fetchFromServer(name: string, params?: object, options?: RequestOptions): Promise<JsonValue>;
}

/**
 * Chain data, by the server: `Web3API.account.getNativeBalance({ address, chain })`. The chain defaults to
 * `eth`, the address to that of the signed-in user or of the connected wallet.
 */
export const Web3API: DataService = /* @__PURE__ */ dataService();

interface DataServiceOptions {
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
  rest = apiKey ? { apiKey, url: withoutSlash(url) } : undefined;
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, "");
}

let connectedAccount: () => string | null | undefined = () => undefined;

/** Sets the source of the connected wallet's account. */
export function setConnectedAccount(source: () => string | null | undefined): void {
  connectedAccount = source;
}

/** Calls an operation; for its marks see OperationNames. */
async function callDataService(
  name: string,
  marks: string,
  input: object,
  options: RequestOptions,
  endpoint?: LegacyEndpoint,
): Promise<JsonValue> {
  const params = encodeFields(input);
  if (!marks.includes("!")) params.chain ??= DEFAULT_CHAIN;
  if (marks.includes("@") && !params.address) {
    const address = await ownAddress();
    if (address) params.address = address;
  }
  return callOperation(name, endpoint ?? name, params, options);
}

async function callOperation(
  name: string,
  endpoint: string | LegacyEndpoint,
  params: JsonObject,
  options: RequestOptions,
): Promise<JsonValue> {
  const result = rest
    ? await callRestService(rest, endpoint, params, options)
    : await callServer(name, params, options);
  return withNext(result, params, (nextParams) => callOperation(name, endpoint, nextParams, options));
}

async function callRestService(...call: Parameters<typeof import("./rest.ts").callRest>): Promise<JsonValue> {
  return (await import("./rest.ts")).callRest(...call);
}

async function callServer(name: string, params: JsonObject, options: RequestOptions): Promise<JsonValue> {
  const { result } = await requestObject("POST", pathOf("functions", name), params, options);
  if (result === undefined) throw invalidResponse();
  return result;
}

/** Adds `next` to a page that is not the last one. */
function withNext(
  page: JsonValue,
  params: JsonObject,
  next: (nextParams: JsonObject) => Promise<JsonValue>,
): JsonValue {
  const nextParams = getNextOptions(page, params);
  if (nextParams === params || !isJsonObject(page)) return page;
  return Object.defineProperty(page, "next", { value: () => next(nextParams), configurable: true });
}

async function ownAddress(): Promise<string | undefined> {
  const address = (await loadStoredUser())?.ethAddress;
  return typeof address === "string" && address ? address : (connectedAccount() ?? undefined);
}

function dataService(): DataService {
  const groups = callsOf({ ...operations, ...hostedOperations });
  const { token = {} } = groups;
  const renamed = {
    contract: { syncNFTContract: token.syncNFTContract },
    token: { ...token, getNFTTransfersFromToBlock: token.getNftTransfersFromToBlock },
  };
  return {
    // Their types are generated with the names.
    ...({ ...groups, ...renamed } as object as AllOperations),
    initialize,
    get baseURL(): string {
      return rest?.url ?? "";
    },
    set baseURL(url: string) {
      if (rest) rest = { ...rest, url: withoutSlash(url) };
    },
    BodyParamTypes,
    getApiRateLimitInfo,
    getApiErrorMessage,
    getParameterizedUrl,
    getBody,
    getNextOptions,
    fetch: ({ endpoint, params = {} }, options = {}) =>
      callDataService(endpoint.name, /:address\b/.test(endpoint.url) ? "@" : "", params, options, endpoint),
    fetchFromApi: async (endpoint, params = {}, options = {}) => {
      if (!rest) throw new Error("Web3Api.initialize failed: initialize with apiKey or serverUrl");
      return callRestService(rest, endpoint, encodeFields(params), options);
    },
    fetchFromServer: (name, params = {}, options = {}) =>
      callServer(name, { chain: DEFAULT_CHAIN, ...encodeFields(params) }, options),
  };
}

type Calls = Record<string, (params?: object, options?: RequestOptions) => Promise<JsonValue>>;

function callsOf(groups: OperationNames): Record<string, Calls> {
  const callOf = (entry: string): [string, Calls[string]] => {
    const [name = entry, marks = ""] = entry.split(/\b(?=\W)/);
    return [name, (params = {}, options = {}) => callDataService(name, marks, params, options)];
  };
  return Object.fromEntries(
    Object.entries(groups).map(([group, names]) => [group, Object.fromEntries(names.split(" ").map(callOf))]),
  );
}

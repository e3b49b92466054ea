import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import { loadStoredUser } from "../identity.ts";
import { encodeFields } from "../object/encode.ts";
import { invalidResponse, type RequestOptions, request } from "../transport.ts";
import { type Operation, operations } from "./operations.ts";

const DEFAULT_CHAIN = "eth";
const DEFAULT_PAGE_SIZE = 500;

type Operations = typeof operations;
type Call<O> =
  O extends Operation<infer Name, infer Result>
    ? (params?: Partial<Record<Name, unknown>>, options?: RequestOptions) => Promise<Result>
    : never;
type Groups = {
  readonly [G in keyof Operations]: { readonly [O in keyof Operations[G]]: Call<Operations[G][O]> };
};

/**
 * Chain data, through the server: `Web3API.account.getNativeBalance({ address, chain })`. The chain is `eth`
 * unless named; an address that is left out is that of the signed-in user or of the connected wallet.
 */
export const Web3API: Groups = /* @__PURE__ */ group();

let connectedAccount: () => string | null | undefined = () => undefined;

/** Tells where the connected wallet's account is found. */
export function setConnectedAccount(source: () => string | null | undefined): void {
  connectedAccount = source;
}

/** One operation by its name; what the groups call. */
export async function callDataService(
  operation: string,
  parameters: readonly string[],
  given: object,
  options: RequestOptions,
): Promise<JsonValue> {
  const params = encodeFields(given);
  if (parameters.includes("chain")) params.chain ??= DEFAULT_CHAIN;
  if (parameters.includes("address") && !params.address) {
    const address = await ownAddress();
    if (address) params.address = address;
  }
  return ask(operation, params, options);
}

async function ask(operation: string, params: JsonObject, options: RequestOptions): Promise<JsonValue> {
  const { body } = await request("POST", `functions/${operation}`, params, options);
  if (!isJsonObject(body) || body.result === undefined) throw invalidResponse();
  return withNext(body.result, operation, params, options);
}

/** Adds `next` to a page that others follow. */
function withNext(
  page: JsonValue,
  operation: string,
  params: JsonObject,
  options: RequestOptions,
): JsonValue {
  if (!isJsonObject(page)) return page;
  const { total, page: number, page_size: size, cursor } = page;
  if (typeof total !== "number" || typeof number !== "number" || typeof size !== "number") return page;
  if (!size || total <= size * (number + 1)) return page;
  const limit = typeof params.limit === "number" ? params.limit : DEFAULT_PAGE_SIZE;
  const following = cursor ? { ...params, cursor } : { ...params, offset: (number + 1) * limit };
  return Object.defineProperty(page, "next", {
    value: () => ask(operation, following, options),
    configurable: true,
  });
}

async function ownAddress(): Promise<string | undefined> {
  const address = (await loadStoredUser())?.ethAddress;
  return typeof address === "string" && address ? address : (connectedAccount() ?? undefined);
}

function group(): Groups {
  const groups = Object.entries(operations).map(([name, ofGroup]) => {
    const calls = Object.entries(ofGroup).map(([operation, { parameters }]) => [
      operation,
      (params: object = {}, options: RequestOptions = {}) =>
        callDataService(operation, parameters, params, options),
    ]);
    return [name, Object.fromEntries(calls)];
  });
  // Made from the same table as the type.
  return Object.fromEntries(groups) as Groups;
}

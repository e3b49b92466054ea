import { ErrorCode, isJsonObject, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import { encodeFields } from "../object/encode.ts";
import { loadStoredUser } from "../storedUser.ts";
import { invalidResponse, type RequestOptions, request } from "../transport.ts";
import type { RestService } from "./rest.ts";

/** What calls about Solana take. */
export interface SolanaParams {
  /** By default that of the signed-in user (`solAddress`). */
  address?: string;
  /** `mainnet` unless given. */
  network?: "mainnet" | "devnet";
  /** `native` unless given. */
  responseType?: string;
}

export interface SolanaTokenBalance {
  associatedTokenAddress: string;
  mint: string;
  amount: string;
  amountRaw: string;
  decimals: number;
}

export interface SolanaNft {
  associatedTokenAddress: string;
  mint: string;
}

export interface SolanaPortfolio {
  nativeBalance: { solana: string; lamports: string };
  nfts: SolanaNft[];
  tokens: SolanaTokenBalance[];
}

export interface SolanaNftMetadata {
  mint: string;
  standard: string;
  name: string;
  symbol: string;
  metaplex: {
    metadataUri: string;
    masterEdition: boolean;
    isMutable: boolean;
    primarySaleHappened: boolean;
    sellerFeeBasisPoints: number;
    updateAuthority: string;
  };
}

type Call<Result> = (params?: SolanaParams, options?: RequestOptions) => Promise<Result>;

let rest: RestService | undefined;

/**
 * Solana data: cloud functions of the application, `sol-balance` and so on, or a REST service
 * that is called directly. The server itself does not index Solana.
 */
export const SolanaAPI = {
  account: {
    balance: call<SolanaPortfolio["nativeBalance"]>("balance"),
    getSPL: call<SolanaTokenBalance[]>("getSPL"),
    getNFTs: call<SolanaNft[]>("getNFTs"),
    getPortfolio: call<SolanaPortfolio>("getPortfolio"),
  },
  nft: { getNFTMetadata: call<SolanaNftMetadata>("getNFTMetadata") },
  token: { getTokenPrice: call<JsonValue>("getTokenPrice") },

  /** Uses a REST service with an API key, or the server again. Throws without either. */
  initialize({
    apiKey,
    baseURL,
    serverUrl,
  }: {
    apiKey?: string;
    baseURL?: string;
    serverUrl?: string;
  }): void {
    if (!apiKey && !serverUrl) {
      throw new Error("SolanaApi.initialize failed: initialize with apiKey or serverUrl");
    }
    if (apiKey && !baseURL) throw new Error("SolanaApi.initialize failed: apiKey needs a baseURL");
    rest = apiKey && baseURL ? { apiKey, url: baseURL.replace(/\/+$/, "") } : undefined;
  },
};

/* @__NO_SIDE_EFFECTS__ */
function call<Result>(name: string): Call<Result> {
  return async (input = {}, options = {}) => {
    const address = input.address || (await loadStoredUser())?.solAddress;
    const params = encodeFields({ network: "mainnet", responseType: "native", ...input, address });
    // The result type is asserted according to the service's documentation.
    return (await callOperation(`sol-${name}`, params, options)) as Result;
  };
}

async function callOperation(name: string, params: JsonObject, options: RequestOptions): Promise<JsonValue> {
  if (rest) return (await import("./rest.ts")).callRest(rest, name, params, options);
  try {
    const { body } = await request("POST", `functions/${name}`, params, options);
    if (isJsonObject(body) && body.result !== undefined) return body.result;
  } catch (error) {
    throw isUndefinedFunction(error) ? notImplemented(name) : error;
  }
  throw invalidResponse();
}

function isUndefinedFunction(error: unknown): boolean {
  return (
    error instanceof ProtocolError &&
    error.code === ErrorCode.SCRIPT_FAILED &&
    error.message.startsWith("Invalid function")
  );
}

function notImplemented(name: string): ProtocolError {
  const message = `This server has no Solana data: define the cloud function "${name}"`;
  return new ProtocolError(ErrorCode.SCRIPT_FAILED, message);
}

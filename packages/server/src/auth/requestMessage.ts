import { ErrorCode, isoTime, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import { getAddress } from "viem";
import type { ChainReader } from "./contractWallet.ts";
import { formatSiwe, isStatement } from "./siweMessage.ts";
import { formatSiws, SOLANA_CHAINS } from "./solana/siws.ts";
import { keyOfAddress } from "./solana/solanaSignature.ts";
import { applicationResource, isOwnUri, matchesDomain, type SiweRules } from "./validateSignInMessage.ts";
import type { MessagePurpose, WalletNonces } from "./walletNonces.ts";

const STATEMENTS: Record<MessagePurpose, string> = {
  login: "Sign in with this wallet.",
  link: "Link this wallet to my account.",
};

/** Maximum number of resources and of characters of a statement that a message is requested with. */
const MAX_RESOURCES = 20;
const MAX_STATEMENT = 1_024;

export type SignInMessages = ReturnType<typeof createSignInMessages>;

/**
 * The function `requestMessage` returns the EIP-4361 message that a wallet has to sign, as `{message}`. Parameters:
 * `address`; optionally `chain` (a name or an ID, by default the first configured chain), `networkType` (`evm` or `solana`),
 * `purpose` (`login` or `link`, by default `login`), `domain` (host of the requesting site, with or without `https://`, by
 * default the first allowed one), `statement`, `uri` (of the server or of a page of an allowed domain), `resources`, `expirationTime` and
 * `notBefore`. The function `requestNonce` returns a nonce for a message that the page formats, as
 * `{nonce, expirationTime}`, for a `purpose`. Both throw 142.
 */
export function createSignInMessages(
  rules: SiweRules,
  nonces: WalletNonces,
  chains: ChainReader,
  clock: () => number,
) {
  return { requestMessage, requestNonce };

  async function requestMessage(params: JsonObject): Promise<JsonObject> {
    const { address, networkType = "evm" } = params;
    if (networkType === "solana") return solanaMessage(params);
    if (typeof address !== "string" || !/^0x[0-9a-fA-F]{40}$/.test(address)) {
      throw invalid("address must be the address of a wallet");
    }
    if (networkType !== "evm") throw invalid("networkType must be evm or solana");
    const purpose = purposeOf(params);
    const chainId = chainIdOf(params.chain);
    const fields = fieldsOf(params, purpose);
    const nonce = await nonces.issue(
      { purpose, address: address.toLowerCase(), chainId },
      fields.expirationTime,
    );
    const message = formatSiwe({
      ...fields,
      address: getAddress(`0x${address.slice(2).toLowerCase()}`),
      chainId,
      nonce,
    });
    return { message };
  }

  async function requestNonce(params: JsonObject): Promise<JsonObject> {
    const expiresAt = clock() + rules.signatureSeconds * 1000;
    const nonce = await nonces.issue({ purpose: purposeOf(params) }, expiresAt);
    return { nonce, expirationTime: new Date(expiresAt).toISOString() };
  }

  async function solanaMessage(params: JsonObject): Promise<JsonObject> {
    const { address, chain } = params;
    if (typeof address !== "string" || !keyOfAddress(address)) {
      throw invalid("address must be the address of a wallet");
    }
    const purpose = purposeOf(params);
    const chainId = SOLANA_CHAINS.find((name) => name === (chain ?? "mainnet"));
    if (chainId === undefined) throw invalid(`chain must be one of ${SOLANA_CHAINS.join(", ")}`);
    const fields = fieldsOf(params, purpose);
    const nonce = await nonces.issue({ purpose, address, chainId }, fields.expirationTime);
    return { message: formatSiws({ ...fields, address, chainId, nonce }) };
  }

  function purposeOf({ purpose = "login" }: JsonObject): MessagePurpose {
    if (purpose === "login" || purpose === "link") return purpose;
    throw invalid("purpose must be login or link");
  }

  /** What messages for all kinds of wallets have in common. */
  function fieldsOf(params: JsonObject, purpose: MessagePurpose) {
    const statement = params.statement ?? STATEMENTS[purpose];
    const uri = params.uri ?? rules.uri;
    const resources = params.resources ?? [];
    const { scheme, domain } = originOf(params.domain);
    if (typeof statement !== "string" || statement.length > MAX_STATEMENT || !isStatement(statement)) {
      throw invalid(`statement must be one line of at most ${MAX_STATEMENT} ASCII characters`);
    }
    if (typeof uri !== "string" || !isResource(uri) || !isOwnUri(uri, rules)) {
      throw invalid("uri must be that of the server or of a page of a domain that PURSE_SIWE_DOMAINS allows");
    }
    if (!Array.isArray(resources) || resources.length > MAX_RESOURCES || !resources.every(isResource)) {
      throw invalid(`resources must be at most ${MAX_RESOURCES} URIs`);
    }
    const issuedAt = clock();
    const latest = issuedAt + rules.signatureSeconds * 1000;
    const notBefore = timeOf("notBefore", params);
    return {
      ...(scheme !== undefined && { scheme }),
      domain,
      statement,
      uri,
      issuedAt,
      expirationTime: Math.min(latest, timeOf("expirationTime", params) ?? latest),
      ...(notBefore !== undefined && { notBefore }),
      resources: [applicationResource(rules.appId), ...resources],
    };
  }

  function timeOf(name: string, params: JsonObject): number | undefined {
    const value = params[name] ?? undefined;
    if (value === undefined) return undefined;
    const ms = typeof value === "string" ? isoTime(value) : undefined;
    if (ms === undefined) throw invalid(`${name} must be an ISO 8601 time`);
    return ms;
  }

  function originOf(requested: JsonValue | undefined): { scheme: string | undefined; domain: string } {
    const named = requested ?? rules.domains.find((domain) => !domain.endsWith(":*"));
    const [, scheme, domain = ""] =
      (typeof named === "string" && /^(?:(https?):\/\/)?(.*)$/.exec(named)) || [];
    if (rules.domains.some((allowed) => matchesDomain(domain, allowed))) return { scheme, domain };
    throw invalid("domain must be one of those that PURSE_SIWE_DOMAINS allows");
  }

  function chainIdOf(requested: JsonValue | undefined): number {
    if (chains.ids.length > 0)
      return requested === undefined || requested === null ? (chains.ids[0] ?? 1) : chains.idOf(requested);
    // Without configured chains, signatures are verified without a node, and any chain ID is accepted.
    const id = Number(requested ?? 1);
    if ((requested === undefined || typeof requested !== "object") && Number.isSafeInteger(id) && id > 0)
      return id;
    throw invalid("chain must be a chain id");
  }
}

function isResource(value: JsonValue): value is string {
  return typeof value === "string" && /^[A-Za-z][A-Za-z0-9+.-]*:[\x21-\x7e]*$/.test(value);
}

function invalid(reason: string): ProtocolError {
  return new ProtocolError(ErrorCode.VALIDATION_ERROR, `requestMessage: ${reason}.`);
}

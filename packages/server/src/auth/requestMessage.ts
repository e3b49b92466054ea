import { ErrorCode, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import { getAddress } from "viem";
import type { ChainReader } from "./contractWallet.ts";
import { formatSiwe } from "./siweMessage.ts";
import { formatSiws, SOLANA_CHAINS } from "./solana/siws.ts";
import { keyOfAddress } from "./solana/solanaSignature.ts";
import { applicationResource, matchesDomain, type SiweRules } from "./validateSignInMessage.ts";
import type { MessagePurpose, WalletNonces } from "./walletNonces.ts";

const STATEMENTS: Record<MessagePurpose, string> = {
  login: "Sign in with this wallet.",
  link: "Link this wallet to my account.",
};

/**
 * The function `requestMessage` returns the EIP-4361 message that a wallet has to sign, as `{message}`. Parameters:
 * `address`; optionally `chain` (a name or an ID, by default the first configured chain), `networkType` (`evm` or `solana`),
 * `purpose` (`login` or `link`, by default `login`) and `domain` (host of the requesting site, by default the first
 * allowed one). Throws 142.
 */
export function createRequestMessage(
  rules: SiweRules,
  nonces: WalletNonces,
  chains: ChainReader,
  clock: () => number,
) {
  return async (params: JsonObject): Promise<JsonObject> => {
    const { address, networkType = "evm", purpose = "login" } = params;
    if (networkType === "solana") return solanaMessage(params);
    if (typeof address !== "string" || !/^0x[0-9a-fA-F]{40}$/.test(address)) {
      throw invalid("address must be the address of a wallet");
    }
    if (networkType !== "evm") throw invalid("networkType must be evm or solana");
    if (purpose !== "login" && purpose !== "link") throw invalid("purpose must be login or link");
    const domain = domainOf(params.domain);
    const chainId = chainIdOf(params.chain);
    const now = clock();
    const expirationTime = now + rules.signatureSeconds * 1000;
    const nonce = await nonces.issue({ purpose, address: address.toLowerCase(), chainId }, expirationTime);
    const message = formatSiwe({
      domain,
      address: getAddress(`0x${address.slice(2).toLowerCase()}`),
      statement: STATEMENTS[purpose],
      uri: rules.uri,
      chainId,
      nonce,
      issuedAt: now,
      expirationTime,
      resources: [applicationResource(rules.appId)],
    });
    return { message };
  };

  async function solanaMessage({
    address,
    purpose = "login",
    chain,
    ...rest
  }: JsonObject): Promise<JsonObject> {
    if (typeof address !== "string" || !keyOfAddress(address)) {
      throw invalid("address must be the address of a wallet");
    }
    if (purpose !== "login" && purpose !== "link") throw invalid("purpose must be login or link");
    const chainId = SOLANA_CHAINS.find((name) => name === (chain ?? "mainnet"));
    if (chainId === undefined) throw invalid(`chain must be one of ${SOLANA_CHAINS.join(", ")}`);
    const issuedAt = clock();
    const expirationTime = issuedAt + rules.signatureSeconds * 1000;
    const message = formatSiws({
      domain: domainOf(rest.domain),
      address,
      statement: STATEMENTS[purpose],
      uri: rules.uri,
      chainId,
      nonce: await nonces.issue({ purpose, address, chainId }, expirationTime),
      issuedAt,
      expirationTime,
      resources: [applicationResource(rules.appId)],
    });
    return { message };
  }

  function domainOf(requested: JsonValue | undefined): string {
    const named = requested ?? rules.domains.find((domain) => !domain.endsWith(":*"));
    if (typeof named === "string" && rules.domains.some((allowed) => matchesDomain(named, allowed)))
      return named;
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

function invalid(reason: string): ProtocolError {
  return new ProtocolError(ErrorCode.VALIDATION_ERROR, `requestMessage: ${reason}.`);
}

import { ErrorCode, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import { getAddress } from "viem";
import type { ChainReader } from "./contractWallet.ts";
import { applicationResource, isDomain, type SiweRules, writeSiwe } from "./siwe.ts";
import type { Purpose, WalletNonces } from "./walletNonces.ts";

const STATEMENTS: Record<Purpose, string> = {
  login: "Sign in with this wallet.",
  link: "Link this wallet to my account.",
};

/**
 * The function `requestMessage`: the text that a wallet has to sign, of EIP-4361. Takes `address`, and may take
 * `chain` (a name or an id; the first configured one without), `networkType` (`evm`), `purpose` (`login` or
 * `link`; `login` without) and `domain` (the host of the site that asks; the first allowed one without). Answers
 * `{message}`. Throws 142.
 */
export function createRequestMessage(
  rules: SiweRules,
  nonces: WalletNonces,
  chains: ChainReader,
  clock: () => number,
) {
  return async (params: JsonObject): Promise<JsonObject> => {
    const { address, networkType = "evm", purpose = "login" } = params;
    if (typeof address !== "string" || !/^0x[0-9a-fA-F]{40}$/.test(address)) {
      throw invalid("address must be the address of a wallet");
    }
    if (networkType !== "evm") throw invalid("networkType must be evm");
    if (purpose !== "login" && purpose !== "link") throw invalid("purpose must be login or link");
    const domain = domainOf(params.domain);
    const chainId = chainIdOf(params.chain);
    const now = clock();
    const expirationTime = now + rules.signatureSeconds * 1000;
    const nonce = await nonces.issue({ purpose, address: address.toLowerCase(), chainId }, expirationTime);
    const message = writeSiwe({
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

  function domainOf(asked: JsonValue | undefined): string {
    const named = asked ?? rules.domains.find((domain) => !domain.endsWith(":*"));
    if (typeof named === "string" && rules.domains.some((allowed) => isDomain(named, allowed))) return named;
    throw invalid("domain must be one of those that PURSE_SIWE_DOMAINS allows");
  }

  function chainIdOf(asked: JsonValue | undefined): number {
    if (chains.ids.length > 0)
      return asked === undefined || asked === null ? (chains.ids[0] ?? 1) : chains.idOf(asked);
    // Signatures are checked without nodes then: the chain is what the wallet shows.
    const id = Number(asked ?? 1);
    if ((asked === undefined || typeof asked !== "object") && Number.isSafeInteger(id) && id > 0) return id;
    throw invalid("chain must be a chain id");
  }
}

function invalid(reason: string): ProtocolError {
  return new ProtocolError(ErrorCode.VALIDATION_ERROR, `requestMessage: ${reason}.`);
}

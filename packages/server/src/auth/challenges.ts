import { createHash } from "node:crypto";
import {
  ErrorCode,
  isoTime,
  isWireDate,
  type JsonObject,
  type JsonValue,
  ProtocolError,
  timeOf,
} from "@purse/protocol";
import { type Store, UniqueConstraintError } from "../database/store.ts";
import type { LimitedRequest } from "./accountLimits.ts";
import { type MessageFields, parseSiwe } from "./siweMessage.ts";
import { parseSiws } from "./solana/siws.ts";
import { applicationResource } from "./validateSignInMessage.ts";
import { type Wallets, walletConflictError } from "./wallets.ts";

export interface ChallengesDependencies {
  store: Pick<Store, "write">;
  config: { appId: string };
  /** Milliseconds since the epoch. */
  clock(): number;
}

/**
 * The Auth API of Moralis, with which backends that have sessions of their own let wallets sign in: a message is requested,
 * and verified once with its signature. The messages are those of `requestMessage`. Errors have HTTP status 400.
 */
export class Challenges {
  readonly #wallets: Wallets;
  readonly #dependencies: ChallengesDependencies;

  constructor(wallets: Wallets, dependencies: ChallengesDependencies) {
    this.#wallets = wallets;
    this.#dependencies = dependencies;
  }

  async requestEvm(params: JsonObject, request: LimitedRequest): Promise<JsonObject> {
    const message = await this.#request(
      { ...params, networkType: "evm", chain: params.chainId ?? null },
      request,
    );
    const { nonce, address } = parseSiwe(message);
    return { id: challengeId(nonce), message, profileId: this.#profileId("evm", address.toLowerCase()) };
  }

  async requestSolana(params: JsonObject, request: LimitedRequest): Promise<JsonObject> {
    const message = await this.#request(
      { ...params, networkType: "solana", chain: params.network ?? null },
      request,
    );
    const { nonce, address } = parseSiws(message);
    return { id: challengeId(nonce), message, profileId: this.#profileId("solana", address) };
  }

  verifyEvm({ message, signature = null }: JsonObject, request: LimitedRequest): Promise<JsonObject> {
    return asBadRequest(async () => {
      const text = textOf(message);
      const { chainId, ...fields } = parseSiwe(text);
      const proof = { id: fields.address, signature, data: text };
      const wallet = await this.#wallets.verify(proof, "login", request);
      try {
        await this.#dependencies.store.write(this.#wallets.consume(wallet));
      } catch (error) {
        throw error instanceof UniqueConstraintError ? walletConflictError(error.scope) : error;
      }
      const profileId = this.#profileId("evm", wallet.address);
      return { ...this.#verified({ ...fields, chainId: String(chainId) }), chainId, profileId };
    });
  }

  verifySolana({ message, signature = null }: JsonObject): Promise<JsonObject> {
    return asBadRequest(async () => {
      const text = textOf(message);
      const { chainId, ...fields } = parseSiws(text);
      await this.#wallets.consumeSolana({ id: fields.address, signature, data: text });
      const profileId = this.#profileId("solana", fields.address);
      return { ...this.#verified({ ...fields, chainId }), network: chainId, profileId };
    });
  }

  async #request(params: JsonObject, request: LimitedRequest): Promise<string> {
    const { timeout, expirationTime, notBefore, domain, uri, statement, ...rest } = params;
    const { message } = await this.#wallets.requestMessage(
      {
        ...rest,
        purpose: "login",
        statement: statement ?? "",
        ...(domain && { domain }),
        ...(uri && { uri }),
        ...(notBefore && { notBefore: isoText(notBefore) }),
        expirationTime: expirationTime ? isoText(expirationTime) : this.#endOf(timeout),
      },
      request,
    );
    return textOf(message);
  }

  #endOf(timeout: JsonValue | undefined): string | null {
    if (timeout === undefined || timeout === null) return null;
    if (typeof timeout !== "number" || !(timeout > 0 && timeout <= 86_400))
      throw invalid("timeout must be a number of seconds");
    return new Date(this.#dependencies.clock() + timeout * 1000).toISOString();
  }

  #verified(message: MessageFields): JsonObject {
    const { scheme, address, statement, uri, nonce, expirationTime, notBefore, resources } = message;
    const domain = scheme === undefined ? message.domain : `${scheme}://${message.domain}`;
    const own = applicationResource(this.#dependencies.config.appId);
    const others = resources.filter((each) => each !== own);
    return {
      id: challengeId(nonce),
      domain,
      address,
      ...(statement !== undefined && { statement }),
      uri,
      version: "1",
      nonce,
      ...(expirationTime !== undefined && { expirationTime: new Date(expirationTime).toISOString() }),
      ...(notBefore !== undefined && { notBefore: new Date(notBefore).toISOString() }),
      ...(others.length > 0 && { resources: others }),
    };
  }

  /** The same for each request of a wallet. */
  #profileId(network: string, address: string): string {
    const { appId } = this.#dependencies.config;
    return `0x${createHash("sha256").update(`${appId}\n${network}\n${address}`).digest("hex")}`;
  }
}

function challengeId(nonce: string): string {
  return createHash("sha256").update(nonce).digest("hex").slice(0, 17);
}

function textOf(value: JsonValue | undefined): string {
  if (typeof value === "string") return value;
  throw invalid("message must be the signed text");
}

function isoText(value: JsonValue): string {
  if (isWireDate(value)) return new Date(timeOf(value)).toISOString();
  if (typeof value === "string" && isoTime(value) !== undefined) return value;
  throw invalid("times must be in ISO 8601");
}

function invalid(reason: string): ProtocolError {
  return new ProtocolError(ErrorCode.VALIDATION_ERROR, `Auth API: ${reason}.`, 400);
}

/** Clients of Moralis take the HTTP status 404, which Parse sends for failed sign-ins, for "nothing found". */
async function asBadRequest<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof ProtocolError) || error.code !== ErrorCode.OBJECT_NOT_FOUND) throw error;
    throw new ProtocolError(error.code, error.message, 400);
  }
}

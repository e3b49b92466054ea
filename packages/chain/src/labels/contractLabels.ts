import type { ChainConfig } from "../model/chainConfig.ts";
import type { Logger } from "../model/logger.ts";
import { looksLikeSpam } from "./spamRules.ts";
import { type ListedToken, readTokenList } from "./tokenList.ts";

/** How often token lists are read, in ms. */
const REFRESH_MS = 60 * 60 * 1000;

/** What is known about a token contract from lists of the operator and the rules for spam. */
export interface ContractLabel {
  isSpam: boolean;
  /** Whether it is in a token list or in the operator's list of verified contracts. */
  isVerified: boolean;
  logo: string | null;
}

/** Labels of the token contracts of a chain. */
export class ContractLabels {
  readonly #config: ChainConfig;
  readonly #log: Logger;
  readonly #spam: ReadonlySet<string>;
  readonly #verified: ReadonlySet<string>;
  /** The tokens of this chain by source; the first list that has a token counts. */
  readonly #lists = new Map<string, ReadonlyMap<string, ListedToken>>();
  #timer: NodeJS.Timeout | undefined;

  constructor(config: ChainConfig, log: Logger) {
    this.#config = config;
    this.#log = log;
    this.#spam = lowerCaseSet(config.labels?.spam);
    this.#verified = lowerCaseSet(config.labels?.verified);
  }

  /** Reads the token lists now and every hour. A list that cannot be read keeps its previous contents. */
  async start(): Promise<void> {
    if ((this.#config.labels?.tokenLists ?? []).length === 0) return;
    this.#timer = setInterval(() => void this.refresh(), REFRESH_MS);
    this.#timer.unref();
    await this.refresh();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async refresh(): Promise<void> {
    await Promise.all((this.#config.labels?.tokenLists ?? []).map((source) => this.#read(source)));
  }

  async #read(source: string): Promise<void> {
    const { id, name } = this.#config;
    try {
      const tokens = (await readTokenList(source)).filter(({ chainId }) => chainId === id);
      this.#lists.set(source, new Map(tokens.map((token) => [token.address, token])));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#log.warn("a token list cannot be read", { chain: name, list: withoutQuery(source), reason });
    }
  }

  /** `texts` are the name and symbol of the contract. */
  of(address: string, ...texts: readonly (string | null | undefined)[]): ContractLabel {
    const listed = this.#listed(address);
    const isVerified = listed !== undefined || this.#verified.has(address);
    const isSpam = this.#spam.has(address) || (!isVerified && looksLikeSpam(...texts));
    return { isSpam, isVerified: isVerified && !this.#spam.has(address), logo: listed?.logo ?? null };
  }

  #listed(address: string): ListedToken | undefined {
    for (const source of this.#config.labels?.tokenLists ?? []) {
      const token = this.#lists.get(source)?.get(address);
      if (token) return token;
    }
    return undefined;
  }
}

function lowerCaseSet(addresses: readonly string[] = []): ReadonlySet<string> {
  return new Set(addresses.map((address) => address.toLowerCase()));
}

/** A query can contain a key. */
function withoutQuery(source: string): string {
  return source.split("?", 1)[0] ?? source;
}

import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import type { Address, Hex } from "viem";
import type { NodeHistory } from "./nodeHistory.ts";

/** Random choices. */
export class Choice {
  readonly #random: () => number;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** An integer from 0 below `count`. */
  below(count: number): number {
    return Math.floor(this.#random() * count);
  }

  isTrue(share = 0.5): boolean {
    return this.#random() < share;
  }

  of<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error("there is nothing to choose from");
    return item;
  }

  /** The items in a random order. */
  shuffled<T>(items: readonly T[]): T[] {
    const rest = [...items];
    return items.flatMap(() => rest.splice(this.below(rest.length), 1));
  }
}

/** What random requests to the data API are built from. */
export interface Questioner {
  choice: Choice;
  /** The history of the node. */
  node: NodeHistory;
  accounts: readonly Address[];
  /** ERC-20 tokens, the wrapped coin among them. */
  tokens: readonly Address[];
  weth: Address;
  /** ERC-721 contracts. */
  collections: readonly Address[];
  /** A wallet with transactions that wait for others, by nonce. */
  waiting: { address: Address; hashes: readonly Hex[] };
  /** Calls an endpoint of the data API. */
  run(name: string, params: JsonObject): Promise<JsonValue>;
}

/** The questions by name; each rejects if the response differs from the node. */
export type Questions = Record<string, () => Promise<void>>;

/** All rows of a list, by pages of a random size. */
export async function allRows(
  { run, choice }: Questioner,
  name: string,
  params: JsonObject,
): Promise<JsonObject[]> {
  const found: JsonObject[] = [];
  let cursor: JsonValue = "";
  do {
    const page = await run(name, { ...params, limit: 1 + choice.below(60), cursor });
    if (!isJsonObject(page) || !Array.isArray(page.result)) throw new Error("it is no list");
    found.push(...page.result.filter(isJsonObject));
    cursor = page.cursor ?? "";
  } while (cursor !== "");
  return found;
}

/** The fields of an answer that is an object. */
export async function fieldsOf({ run }: Questioner, name: string, params: JsonObject): Promise<JsonObject> {
  const answer = await run(name, params);
  if (!isJsonObject(answer)) throw new Error("it is no object");
  return answer;
}

import type { JsonValue } from "@purse/protocol";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import { blockOf, indexOf } from "../src/model/rows.ts";
import { type CreateIndexed, indexBeforehand } from "./indexBeforehand.ts";
import { createDatabase, type DatabaseLocation, type DatabaseName, dumpBlocks } from "./indexDatabase.ts";
import { type Intercept, type ProxyNode, proxyNode, type RewriteResult } from "./proxyNode.ts";
import { startTestChain } from "./startTestChain.ts";
import type { TestChain } from "./testChain.ts";
import { startService, type TestService } from "./testService.ts";

type End = () => Promise<unknown>;

/**
 * A chain for the tests of a block, each of which begins with its initial blocks, and indexes of it. `ends` run after each
 * test.
 */
export class IndexedChain {
  readonly database: DatabaseName;
  readonly ends: End[] = [];
  readonly #chainEnds: End[] = [];
  #chain: TestChain | undefined;
  #createIndexed: CreateIndexed | undefined;

  constructor(database: DatabaseName) {
    this.database = database;
    beforeAll(async () => {
      ({ chain: this.#chain } = await startTestChain(this.#chainEnds));
      this.#createIndexed = await indexBeforehand(this.chain, this.#chainEnds, [database]);
    });
    afterAll(() => runAll(this.#chainEnds));
    beforeEach(async () => {
      const snapshot = await this.chain.rpc("evm_snapshot");
      this.ends.push(async () => expect(await this.chain.rpc("evm_revert", [snapshot])).toBe(true));
    });
    afterEach(() => runAll(this.ends));
  }

  get chain(): TestChain {
    if (!this.#chain) throw new Error("the chain has not been started");
    return this.#chain;
  }

  /** An empty database. */
  async newPlace(): Promise<DatabaseLocation> {
    const { location, remove } = await createDatabase(this.database);
    this.ends.push(remove);
    return location;
  }

  /** A database with the index of the initial chain. */
  async indexedPlace(): Promise<DatabaseLocation> {
    if (!this.#createIndexed) throw new Error("the chain has not been indexed");
    return this.#createIndexed(this.database, this.ends);
  }

  async follow(
    location: DatabaseLocation,
    rpcUrls = [this.chain.url],
    id = this.chain.chainId,
  ): Promise<TestService> {
    const service = await startService({ id, rpcUrls }, location);
    this.ends.push(() => service.stop());
    return service;
  }

  async proxy(intercept: Intercept, rewriteResult?: RewriteResult): Promise<ProxyNode> {
    const node = await proxyNode(this.chain.url, intercept, undefined, rewriteResult);
    this.ends.push(() => node.stop());
    return node;
  }

  async atHead(service: TestService): Promise<void> {
    const head = await this.chain.head();
    await service.waitFor(({ state, indexed }) => state === "following" && indexed === head);
  }

  /** Blocks of an index and its transfers of the token, in the formats of `chain.blocks()` and `chain.transfers()`. */
  async #dump(location: DatabaseLocation): Promise<{ blocks: string[]; transfers: string[] }> {
    const { blocks, logs } = await dumpBlocks(location, this.chain.chainId);
    const hashes = new Map(blocks.map(({ number, hash }) => [number, hash]));
    return {
      blocks: blocks.map(({ number, hash, parent_hash }) => `${number} ${hash} ${parent_hash}`),
      transfers: logs
        .filter(({ address, erc20 }) => address === this.chain.token && erc20 === 1)
        .map(({ position, topic1, topic2, data }) => {
          const block = blockOf(Number(position));
          const parties = `0x${String(topic1).slice(26)} 0x${String(topic2).slice(26)}`;
          return `${block} ${indexOf(Number(position))} ${hashes.get(block)} ${parties} ${BigInt(String(data))}`;
        }),
    };
  }

  async indexedTransfers(location: DatabaseLocation): Promise<string[]> {
    return (await this.#dump(location)).transfers;
  }

  async indexedBlocks(location: DatabaseLocation): Promise<string[]> {
    return (await this.#dump(location)).blocks;
  }

  /** The index has the blocks and transfers of the node and no others, as soon as it has noticed the last reorganization. */
  async expectAsOnNode(location: DatabaseLocation): Promise<void> {
    const expected = { blocks: await this.chain.blocks(), transfers: await this.chain.transfers() };
    await expect.poll(() => this.#dump(location), { timeout: 30_000 }).toEqual(expected);
  }

  /** Replaces the latest blocks, some of which have transfers, and expects the index to have only the new ones. */
  async expectReorganization(depth: number): Promise<void> {
    const { chain } = this;
    const location = await this.indexedPlace();
    const service = await this.follow(location);
    await chain.transfer(0, chain.account(7), 1n);
    if (depth > 12) await chain.mine(depth - 5);
    for (let i = 0; i < Math.min(depth, 5); i++) await chain.transfer(0, chain.account(8), BigInt(100 + i));
    if (depth === 12) await chain.mine(7);
    await this.atHead(service);
    const before = await this.indexedBlocks(location);

    await chain.reorganize(depth);
    await chain.transfer(0, chain.account(9), 55n);
    await this.atHead(service);

    expect((await this.indexedBlocks(location)).slice(0, before.length)).not.toEqual(before);
    await this.expectAsOnNode(location);
  }

  /**
   * A node whose receipts have other logs is rejected, with a reason, and none of its data is stored; an honest second node
   * is trusted.
   */
  async expectForgeryRejected(
    change: ChangeLogs,
    reason = /logs of block \d+ do not match the bloom filter of its header/,
  ): Promise<void> {
    const node = await this.proxy(
      () => undefined,
      ({ method }, result) => {
        if (method !== "eth_getBlockReceipts" || !Array.isArray(result)) return result;
        return result.map((receipt) => {
          const { logs } = Object(receipt);
          return Array.isArray(logs) && logs.length > 0
            ? { ...Object(receipt), logs: change(logs) }
            : receipt;
        });
      },
    );
    const location = await this.newPlace();
    const service = await this.follow(location, [node.url]);
    const { error } = await service.waitFor(({ state }) => state === "refused");
    expect(error).toMatch(reason);
    const blocks = await this.indexedBlocks(location);
    expect(blocks.length).toBeLessThan(await this.chain.head());
    const both = await this.newPlace();
    await this.atHead(await this.follow(both, [node.url, this.chain.url]));
    await this.expectAsOnNode(both);
  }
}

/** Changes the logs of a receipt. */
export type ChangeLogs = (logs: JsonValue[]) => JsonValue[];

/** Runs the last one first. */
async function runAll(ends: End[]): Promise<void> {
  for (const end of ends.splice(0).reverse()) await end();
}

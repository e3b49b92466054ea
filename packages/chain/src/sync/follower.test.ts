import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DevChain, startDevChain } from "@purse/devchain";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ChainNode } from "../node/chainNode.ts";
import { Rpc } from "../node/rpc.ts";
import { ChainStore } from "../store/chainStore.ts";
import type { Log } from "../types.ts";
import { Follower } from "./follower.ts";

const log: Log = { debug() {}, info() {}, warn() {}, error() {} };
const folders: string[] = [];

let chain: DevChain;
let rpc: Rpc;
let store: ChainStore;

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "purse-chain-"));
  folders.push(made);
  return made;
}

beforeAll(async () => {
  chain = await startDevChain({ port: 0, dataDir: folder() });
  rpc = new Rpc([chain.url]);
}, 60_000);
afterAll(async () => {
  await chain?.stop();
  for (const each of folders) rmSync(each, { recursive: true, force: true });
});
beforeEach(async () => {
  store = await ChainStore.open(folder());
});
afterEach(() => store.close());

function follower(into = store, urls = [chain.url], id = chain.chainId): Follower {
  const config = { id, name: "local", aliases: [], rpcUrls: urls };
  return new Follower({ config, node: new ChainNode(id, urls), store: into, log, pollMs: 20 });
}

/** Steps until there is nothing more to do. */
async function catchUp(of: Follower): Promise<void> {
  while (await of.step());
}

async function everything(from: ChainStore) {
  const addresses = chain.accounts.map(({ address }) => address);
  const query = { chainId: chain.chainId, offset: 0, limit: 10_000 };
  return {
    checkpoint: await from.checkpoint(chain.chainId),
    transfers: await Promise.all(addresses.map((address) => from.transfersOf({ ...query, address }))),
  };
}

/** An ERC-20 transfer of account 0, mined at once. */
async function transfer(to: number, amount: number): Promise<void> {
  const [from, receiver] = [chain.accounts[0]?.address, chain.accounts[to]?.address ?? ""];
  const data = `0xa9059cbb${receiver.slice(2).padStart(64, "0")}${amount.toString(16).padStart(64, "0")}`;
  await rpc.call("eth_sendTransaction", [{ from: from ?? "", to: chain.contracts.token.address, data }]);
}

describe("following", () => {
  it("[1.capability.query-transfers] indexes what the node's logs say, in their order", async () => {
    await catchUp(follower());
    const [address = ""] = chain.accounts.map((each) => each.address);
    const logs = await new ChainNode(chain.chainId, [chain.url]).logs(
      0,
      await new ChainNode(chain.chainId, [chain.url]).headNumber(),
      "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
    );
    const topic = `0x${address.slice(2).padStart(64, "0")}`;
    const own = logs.filter(
      (each) => each.topics.length === 3 && (each.topics[1] === topic || each.topics[2] === topic),
    );
    const found = await store.transfersOf({ chainId: chain.chainId, address, offset: 0, limit: 10_000 });
    expect(found.map((row) => `${row.block_number}.${row.log_index}`)).toEqual(
      own.map((each) => `${each.blockNumber}.${each.logIndex}`).reverse(),
    );
    expect(found.length).toBeGreaterThan(5);
  });

  it("goes on where it was, without doubles or gaps", async () => {
    await catchUp(follower());
    await transfer(1, 11);
    await catchUp(follower());
    await catchUp(follower());
    const fresh = await ChainStore.open(folder());
    await catchUp(follower(fresh));
    expect(await everything(store)).toEqual(await everything(fresh));
    await fresh.close();
  });

  it.each([1, 3, 8])("unwinds a reorganisation %i deep and leaves no trace of it", async (depth) => {
    for (let i = 1; i <= depth; i++) await transfer(2, 100 + i);
    await catchUp(follower());
    const before = await everything(store);
    await rpc.call("anvil_reorg", [depth, []]);
    await transfer(3, 7);
    await catchUp(follower());
    const fresh = await ChainStore.open(folder());
    await catchUp(follower(fresh));
    const after = await everything(store);
    expect(after).toEqual(await everything(fresh));
    expect(after.checkpoint?.hash).not.toBe(before.checkpoint?.hash);
    await fresh.close();
  });
});

describe("nodes that cannot be followed", () => {
  let proxy: Server | undefined;
  afterEach(() => void proxy?.close());

  it("is refused where it is of another chain", async () => {
    const wrong = follower(store, [chain.url], 999);
    await expect(wrong.step()).rejects.toThrow("the node is of chain 1337, not 999");
    expect(await store.checkpoint(999)).toBeUndefined();
  });

  it("is told as unreachable, and taken up again when it answers", async () => {
    let up = false;
    proxy = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      if (!up) return response.destroy();
      const answer = await fetch(chain.url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: Buffer.concat(chunks).toString(),
      });
      response.end(await answer.text());
    });
    await new Promise<void>((done) => proxy?.listen(0, "127.0.0.1", done));
    const address = proxy.address();
    const port = typeof address === "object" && address ? address.port : 0;
    const through = follower(store, [`http://127.0.0.1:${port}`]);
    through.start();
    await expect.poll(() => through.status.state).toBe("unreachable");
    up = true;
    await expect.poll(() => through.status.state, { timeout: 5_000 }).toBe("following");
    expect(through.status.error).toBeUndefined();
    await through.stop();
  });

  it("asks the next node where the first does not answer", async () => {
    const second = new Rpc(["http://127.0.0.1:1", chain.url]);
    expect(await second.call("eth_chainId", [])).toBe("0x539");
  });
});

import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { JsonValue } from "@purse/protocol";
import type { ChainStatus } from "../model/chainStatus.ts";
import { indexDump, type Place, type TestChain } from "./testChain.ts";

/** Histories for proofs: what happens to a chain and to a process that follows it, decided by a seed. */

/** Numbers from 0 up to, but not, 1, the same for the same seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface History {
  seed: number;
  /** What happens between the beginning and the end. */
  events: number;
}

/** A process that follows a chain, and can be killed at any moment. */
export interface FollowingProcess {
  /** The last that it has told. */
  status(): ChainStatus | undefined;
  /** Ends it at once (SIGKILL). */
  kill(): Promise<void>;
}

export function followingProcess(chain: TestChain, place: Place): FollowingProcess {
  const script = fileURLToPath(new URL("./indexerProcess.ts", import.meta.url));
  const child: ChildProcess = spawn(process.execPath, [script], {
    env: { ...process.env, CHAIN: JSON.stringify({ id: chain.chainId, url: chain.url, place }) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let latest: ChainStatus | undefined;
  let rest = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    const lines = (rest + chunk.toString("utf8")).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) latest = JSON.parse(line);
  });
  return {
    status: () => latest,
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/**
 * Lets a history happen: transfers, empty blocks, reorganisations 1 to 64 deep, kills in the middle of whatever is
 * being written, restarts. Resolves when the process has reached the head of what has become of the chain.
 */
export async function liveThrough(
  { seed, events }: History,
  chain: TestChain,
  place: Place,
): Promise<string[]> {
  const random = seeded(seed);
  const upTo = (most: number) => 1 + Math.floor(random() * most);
  const told: string[] = [];
  // What the accounts have been given stays theirs.
  const beginning = await chain.head();
  let following = followingProcess(chain, place);
  try {
    for (let i = 0; i < events; i++) {
      const dice = random();
      if (dice < 0.15) {
        const from = upTo(5) - 1;
        told.push(`transfer from ${from}`);
        await chain.transfer(from, chain.account(upTo(9)), BigInt(upTo(1_000)));
      } else if (dice < 0.25) {
        told.push("a piece");
        await chain.mintPiece(chain.account(upTo(9)));
      } else if (dice < 0.35) {
        told.push("items");
        await chain.giveItems(chain.account(upTo(9)), [1n, 2n], [BigInt(upTo(3)), 1n]);
      } else if (dice < 0.5) {
        const blocks = upTo(30);
        told.push(`${blocks} blocks`);
        await chain.mine(blocks);
      } else if (dice < 0.8) {
        const depth = Math.min(upTo(64), (await chain.head()) - beginning);
        told.push(`reorganisation of ${depth}`);
        if (depth > 0) await chain.reorganise(depth);
      } else {
        told.push("kill");
        await following.kill();
        following = followingProcess(chain, place);
      }
      await sleep(random() * 60);
    }
    await atHead(following, chain);
  } finally {
    await following.kill();
  }
  return told;
}

/** An index made at one go of what the chain is now. */
export async function rebuild(chain: TestChain, place: Place): Promise<void> {
  const following = followingProcess(chain, place);
  try {
    await atHead(following, chain);
  } finally {
    await following.kill();
  }
}

async function atHead(following: FollowingProcess, chain: TestChain): Promise<void> {
  const end = Date.now() + 60_000;
  for (;;) {
    const newest = await chain.rpc("eth_getBlockByNumber", ["latest", false]);
    const status = following.status();
    if (status?.state === "following" && status.indexed === Number(Object(newest).number)) {
      // It may have been told of the block before the last reorganisation.
      await sleep(100);
      const later = following.status();
      if (later?.state === "following" && later.indexed === status.indexed) return;
    }
    if (Date.now() > end) throw new Error(`it came to ${JSON.stringify(status)}`);
    await sleep(20);
  }
}

/** Both indexes, for comparing. */
export async function dumps(chain: TestChain, places: Place[]): Promise<Record<string, JsonValue>[]> {
  return Promise.all(places.map((place) => indexDump(place, chain.chainId)));
}

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DevChain, generateTraffic, startDevChain, type Traffic } from "@purse/devchain";

/** A local chain with many transfers, for benchmarks. */
export interface BusyChain extends Pick<DevChain, "url" | "chainId"> {
  traffic: Traffic;
  stop(): Promise<void>;
}

export async function startBusyChain(blocks: number, transfersPerBlock: number): Promise<BusyChain> {
  const dataDir = await mkdtemp(join(tmpdir(), "purse-bench-chain-"));
  const chain = await startDevChain({ port: 0, dataDir, keepPastStates: false });
  const log = (line: string) => process.stderr.write(`${line}\n`);
  const traffic = await generateTraffic(chain.url, { blocks, transfersPerBlock, log });
  return {
    url: chain.url,
    chainId: chain.chainId,
    traffic,
    async stop() {
      await chain.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

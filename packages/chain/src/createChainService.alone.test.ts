import { expect, it, vi } from "vitest";
import { proxyNode } from "../test/proxyNode.ts";
import { createRecordingLogger } from "../test/testService.ts";
import { createChainService } from "./createChainService.ts";

const { opened } = vi.hoisted(() => ({ opened: [] as number[] }));

vi.mock(import("./node/chainNode.ts"), async (original) => {
  const { ChainNode } = await original();
  return {
    ChainNode: class extends ChainNode {
      constructor(...options: ConstructorParameters<typeof ChainNode>) {
        super(...options);
        opened.push(this.chainId);
      }
    },
  };
});

it("createChainService() opens one node per chain, for endpoints and for calls of untrusted contracts", async () => {
  const node = await proxyNode("http://127.0.0.1:9", ({ method }) =>
    method === "eth_chainId" ? { result: "0x1" } : { result: `0x${"0".repeat(64)}` },
  );
  const chains = [1, 137].map((id) => ({ id, name: `chain ${id}`, aliases: [], rpcUrls: [node.url] }));
  const service = createChainService({
    chains,
    database: { kind: "sqlite", folder: "" },
    log: createRecordingLogger(),
  });
  const call = { to: `0x${"ab".repeat(20)}`, data: "0x", gas: 100_000 };
  expect(await service.call(1, call, AbortSignal.timeout(10_000))).toBe(`0x${"0".repeat(64)}`);
  await service.stop();
  await node.stop();
  expect(opened).toEqual([1, 137]);
});

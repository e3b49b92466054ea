import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getAddress } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ContractSources } from "../labels/contractSources.ts";
import type { ChainConfig } from "../model/chainConfig.ts";
import { contractSourceHandlers } from "./contractSource.ts";
import { ENDPOINTS } from "./table.ts";

const ADDRESS = `0x${"cd".repeat(20)}`;
const METADATA = {
  compiler: { version: "0.8.26" },
  language: "Solidity",
  output: { abi: [{ type: "fallback", stateMutability: "payable" }] },
  settings: { compilationTarget: { "A.sol": "A" } },
  sources: { "A.sol": { content: "contract A {}" } },
};

let repository: string;
beforeAll(async () => {
  repository = await mkdtemp(join(tmpdir(), "purse-source-"));
  const folder = join(repository, "contracts/full_match/5", getAddress(ADDRESS));
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "metadata.json"), JSON.stringify(METADATA));
});
afterAll(() => rm(repository, { recursive: true }));

function request(address: string, ...sources: string[]) {
  const config: ChainConfig = { id: 5, name: "goerli", aliases: [], rpcUrls: [], labels: { sources } };
  const chain = { config, sources: new ContractSources(config) };
  const { getContractSource } = contractSourceHandlers(() => chain);
  return getContractSource(ENDPOINTS.getContractSource.parameters.parse({ address, chain: "goerli" }));
}

describe("getContractSource", () => {
  it("responds with the source as its schema says", async () => {
    const source = await request(ADDRESS, repository);
    expect(ENDPOINTS.getContractSource.response.parse(source)).toEqual({
      address: ADDRESS,
      match: "full",
      name: "A",
      language: "Solidity",
      compiler_version: "0.8.26",
      evm_version: null,
      optimizer_runs: null,
      abi: METADATA.output.abi,
      files: [{ path: "A.sol", content: "contract A {}" }],
    });
  });

  it("responds with 404 if no repository has the contract, and if there is none", async () => {
    await expect(request(`0x${"11".repeat(20)}`, repository)).rejects.toMatchObject({ status: 404 });
    await expect(request(ADDRESS)).rejects.toMatchObject({ status: 404 });
  });

  it("responds with 503 if a repository cannot be read", async () => {
    await expect(request(ADDRESS, "http://127.0.0.1:9")).rejects.toMatchObject({ status: 503 });
  });
});

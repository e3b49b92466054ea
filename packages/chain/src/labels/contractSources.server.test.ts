import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { getAddress, keccak256, toBytes } from "viem";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { close, listen } from "../../test/proxyNode.ts";
import { ContractSources } from "./contractSources.ts";

const ADDRESS = `0x${"ab".repeat(20)}`;
const TOKEN = "contract Token {}";
const ABI = [{ type: "function", name: "name", inputs: [], outputs: [], stateMutability: "view" }];

let repository: string;
let server: Server | undefined;
beforeEach(async () => {
  repository = await mkdtemp(join(tmpdir(), "purse-sources-"));
});
afterEach(async () => {
  if (server) await close(server);
  server = undefined;
  await rm(repository, { recursive: true });
});

const sourcesOf = (...sources: string[]) => new ContractSources({ id: 5, labels: { sources } });

/** Puts a contract into the repository, with the content of its files by their path. */
async function publish(
  match: "full" | "partial",
  sources: Record<string, object>,
  files: Record<string, string>,
) {
  const folder = join(repository, `contracts/${match}_match/5/${getAddress(ADDRESS)}`);
  const metadata = {
    compiler: { version: "0.8.26+commit.8a97fa7a" },
    language: "Solidity",
    output: { abi: ABI },
    settings: {
      compilationTarget: { "contracts/Token.sol": "Token" },
      evmVersion: "cancun",
      optimizer: { enabled: true, runs: 200 },
    },
    sources,
    version: 1,
  };
  const all = { "metadata.json": JSON.stringify(metadata), ...files };
  for (const [path, content] of Object.entries(all)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}

const TOKEN_FILE = { "contracts/Token.sol": { keccak256: keccak256(toBytes(TOKEN)) } };

describe("ContractSources", () => {
  it("reads a contract from a folder of Sourcify's layout", async () => {
    await publish("full", TOKEN_FILE, { "sources/contracts/Token.sol": TOKEN });
    expect(await sourcesOf(repository).of(ADDRESS)).toEqual({
      match: "full",
      name: "Token",
      language: "Solidity",
      compilerVersion: "0.8.26+commit.8a97fa7a",
      evmVersion: "cancun",
      optimizerRuns: 200,
      abi: ABI,
      files: [{ path: "contracts/Token.sol", content: TOKEN }],
    });
  });

  it("reads a contract from a URL, partial matches last", async () => {
    await publish(
      "partial",
      { "a b.sol": { keccak256: keccak256(toBytes(TOKEN)) } },
      { "sources/a b.sol": TOKEN },
    );
    server = createServer(async (request, response) => {
      const path = join(repository, decodeURIComponent(request.url ?? ""));
      const content = await readFile(path).catch(() => undefined);
      response.writeHead(content ? 200 : 404).end(content);
    });
    const source = await sourcesOf(await listen(server)).of(ADDRESS);
    expect(source).toMatchObject({ match: "partial", files: [{ path: "a b.sol", content: TOKEN }] });
  });

  it("omits the content of a file that does not match its hash", async () => {
    await publish("full", TOKEN_FILE, { "sources/contracts/Token.sol": "contract Other {}" });
    expect((await sourcesOf(repository).of(ADDRESS))?.files).toEqual([
      { path: "contracts/Token.sol", content: null },
    ]);
  });

  it.each(["../../../../../secret.txt", "a/../../secret.txt", "..\\secret.txt", "/../secret.txt"])(
    "reads no file outside the sources: %s",
    async (path) => {
      await writeFile(join(repository, "secret.txt"), "secret");
      await publish("full", { [path]: {} }, { "sources/secret.txt": "", "secret.txt": "secret" });
      expect((await sourcesOf(repository).of(ADDRESS))?.files).toEqual([{ path, content: null }]);
    },
  );

  it("searches all repositories, and returns undefined if none has the contract", async () => {
    await publish("full", TOKEN_FILE, { "sources/contracts/Token.sol": TOKEN });
    const empty = join(repository, "empty");
    expect(await sourcesOf(empty, repository).of(ADDRESS)).toBeDefined();
    expect(await sourcesOf(empty).of(ADDRESS)).toBeUndefined();
    expect(await sourcesOf().of(ADDRESS)).toBeUndefined();
  });

  it("rejects metadata that is not from a compiler", async () => {
    await publish("full", {}, { "metadata.json": "{}" });
    await expect(sourcesOf(repository).of(ADDRESS)).rejects.toThrow("not that of a compiler");
  });
});
